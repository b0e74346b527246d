"""Cycles of whole kernels as formulas; symbols and conditions are those of ``test_closed_forms``."""

import pytest
from engine_runs import EVERY_ENGINE
from hypothesis import assume, given
from hypothesis import strategies as st
from random_machines import SMALL, few, machines, traced, up
from tiers import one_in

pytestmark = pytest.mark.parametrize("engine", one_in(3, EVERY_ENGINE))


def strip_lengths(N, s):
    return [s] * (N // s) + [N % s] * (N % s > 0)


def axpy(N):
    return f"""
    li x1, {N}
    li x2, 4096
    li x3, 16384
    a:
    setvl x4, x1
    load: lv.w v1, (x2)
    lv.w v2, (x3)
    maddvs.s v2, v1, f1
    store: sv.w v2, (x3)
    slli x5, x4, 2
    add x2, x2, x5
    add x3, x3, x5
    sub x1, x1, x4
    bnez x1, a
    """


def axpy_strip(machine, n, gap):
    """Cycles from the start of a strip's first transfer to the end of its store.

    ``gap`` is what stands between the end of a transfer and the next: nothing if startups are hidden.
    """
    T, latency = up(n, machine["words_per_cycle"]), machine["latency.multiply_add"]
    if machine["chaining"]:
        # The first product is written latency after the first y came in; then it is the slower of both.
        slower = min(machine["words_per_cycle"], machine["lanes"])
        return T + gap + max(T + gap + T, 1 + latency + (n - 1) // slower + 1)
    return T + gap + T + max(gap, up(n, machine["lanes"]) - 1 + latency) + T


@few
@given(machines(accesses_in_flight=1), st.integers(1, 200), SMALL)
def test_axpy_with_one_access_in_flight(engine, machine, N, penalty):
    # The port stands still for the startup between any two accesses; scalar work is hidden after it.
    machine["branch_penalty"] = penalty
    S = machine["startup"] = 12 + machine["startup"]
    t = traced(axpy(N), machine, engine)
    strips = strip_lengths(N, machine["section_size"])
    expected = sum(S + axpy_strip(machine, n, S) for n in strips)
    assert t.row("store", len(strips) - 1)["retire"] - t.load["dispatch"] == expected


@st.composite
def streaming(draw):
    """Machines on which startups and scalar work are hidden after transfers of a whole section."""
    machine = draw(machines(section_size=64))
    machine["accesses_in_flight"] = draw(st.integers(2, 5))
    machine["words_per_cycle"] = draw(st.sampled_from([1, 2, 3, 4]))
    machine["startup"] = draw(st.integers(0, up(64, machine["words_per_cycle"]) - 8))
    return machine


@few
@given(streaming(), st.integers(1, 5))
def test_axpy_that_streams(engine, machine, strips):
    t = traced(axpy(64 * strips), machine, engine)
    expected = machine["startup"] + strips * axpy_strip(machine, 64, 0)
    assert t.row("store", strips - 1)["retire"] - t.load["dispatch"] == expected


def test_axpy_moves_three_words_an_element(engine):
    # Ten strips of 16 cycles for each of three accesses, after one startup.
    t = traced(axpy(640), {"banks": 65536, "accesses_in_flight": 3}, engine)
    assert t.row("store", 9)["retire"] - t.load["dispatch"] == 20 + 10 * 3 * 16
    # Of two in flight a startup of 20 is longer than the other's 16 cycles: 36 cycles for two accesses.
    t = traced(axpy(640), {"banks": 65536, "accesses_in_flight": 2}, engine)
    assert t.row("store", 9)["retire"] - t.load["dispatch"] == 15 * 36 + 16


DOT = """
li x1, {N}
li x2, 4096
li x3, 16384
a:
setvl x4, x1
load: lv.w v1, (x2)
lv.w v2, (x3)
maddvv.s v3, v1, v2
slli x5, x4, 2
add x2, x2, x5
add x3, x3, x5
sub x1, x1, x4
bnez x1, a
setvl x31
sumv.s f1, v3
result: fs.w f1, 64(x0)
"""


@few
@given(streaming(), st.integers(1, 5), st.booleans())
def test_a_dense_dot_product(engine, machine, strips, one_access):
    # A strip takes its two transfers; unchained, also the c cycles in which the products take the registers
    # that the next strip loads. The products of a strip are done before the next strip's start.
    S, r, L, lm = (machine[k] for k in ("startup", "words_per_cycle", "lanes", "latency.multiply_add"))
    if one_access:
        machine["accesses_in_flight"] = 1
        S = machine["startup"] = S + 12
    T, c, gap = up(64, r), up(64, L), S if one_access else 0
    assume(lm <= 2 * T and c + 2 <= 2 * T)
    t = traced(DOT.format(N=64 * strips), machine, engine)
    strip = 2 * T + gap + (gap if machine["chaining"] else max(gap, c))
    y = S + T + gap + (strips - 1) * strip  # the first word of the last strip's second load
    # Chained, the sum follows the products, and these the words; unchained it begins when all are there.
    last = y + 1 + lm + 63 // min(r, L) if machine["chaining"] else y + T + c - 1 + lm + c - 1
    assert t.result["issue"] - t.load["dispatch"] == last + machine["latency.sum"] + 6
