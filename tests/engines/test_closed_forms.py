"""Cycles of conflict-free programs as formulas, written from docs/timing.md and nothing else.

The symbols of the formulas: S startup, U 1 if unaligned, r words (or addresses) a cycle, F accesses in
flight, L lanes, n elements, T = ceil(n / r) cycles of a transfer, c = ceil(n / L) cycles of an arithmetic
unit. A stream that runs at full rate r from cycle o on has element k in cycle o + k // r. It keeps this form:
a unit of rate L after a stream (o, r) has it in cycle o + k // min(r, L) or later, so everything that passes
through units at different rates is the latest of a few such terms.

One port, unless a test says otherwise. Banks are as many as memory has words and no word is moved twice, so
that nothing meets there; where fewer do, the test says how many.
"""

import pytest
from engine_runs import EVERY_ENGINE
from hypothesis import given
from hypothesis import strategies as st
from random_machines import after_dispatch, end_of_load, few, machines, numbered, of_length, traced, up
from tiers import one_in

pytestmark = pytest.mark.parametrize("engine", one_in(3, EVERY_ENGINE))


# One access


@few
@given(machines(), st.integers(1, 64), st.sampled_from([4, 8]), st.integers(0, 40))
def test_a_contiguous_load(engine, machine, n, size, offset):
    # A full stream of rate r finds a bank busy for b cycles free again if there are r b banks.
    r, S = machine["words_per_cycle"], machine["startup"]
    machine["banks"] = max(r * machine["bank_busy"], 1)
    n = min(n, machine["section_size"])
    U, skew = offset % 16 > 0, offset % 4
    row = traced(
        of_length(n, f"a: lv.{'w' if size == 4 else 'd'} v1, {1024 + offset}(x0)"), machine, engine
    ).a
    first_word, last_word = (skew + size - 1) // 4, (skew + n * size - 1) // 4
    assert after_dispatch(row, "start") == S + U
    assert after_dispatch(row, "first") == S + U + first_word // r + 1
    assert after_dispatch(row, "last") == S + U + last_word // r + 1


@few
@given(machines(), st.integers(1, 64), st.sampled_from("wd"), st.sampled_from([1, 5, -3]))
def test_a_strided_load(engine, machine, n, suffix, stride):
    # Alignment is nothing to it; an element of 64 bits takes two addresses.
    n, words = min(n, machine["section_size"]), {"w": 1, "d": 2}[suffix]
    text = f"li x1, 4096\nli x2, {4 * words * stride}\n" + of_length(n, f"a: lvws.{suffix} v1, (x1), x2")
    row = traced(text, machine, engine).a
    assert after_dispatch(row) == machine["startup"] + (words * n - 1) // machine["addresses_per_cycle"] + 1


@few
@given(machines(), st.integers(1, 64), st.integers(0, 12))
def test_a_gather_that_hits_one_bank(engine, machine, n, busy):
    # The one conflict with a formula: every word waits for the one before it, unless banks are never busy.
    machine |= {"banks": 16, "bank_busy": busy}
    n = min(n, machine["section_size"])
    row = traced("li x1, 4096\nli x2, 64\n" + of_length(n, "a: lvws.w v1, (x1), x2"), machine, engine).a
    last = (n - 1) * busy if busy else (n - 1) // machine["addresses_per_cycle"]
    assert after_dispatch(row) == machine["startup"] + last + 1


# Two accesses that meet at the banks


def transfer(free, first, n, begin, machine):
    """The cycles of n words from word ``first`` on, and how long banks free from ``free`` on stall them."""
    cycles, waited = [], 0
    for k in range(n):
        full = k >= machine["words_per_cycle"] and cycles[k - machine["words_per_cycle"]] == cycles[k - 1]
        may = max(begin, cycles[-1] + full if k else 0)
        bank = (first + k) % machine["banks"]
        cycles.append(max(may, free[bank]))
        waited += cycles[k] - may
        free[bank] = cycles[k] + machine["bank_busy"]
    return cycles, waited


@few
@given(
    machines(section_size=64), st.integers(1, 64), st.integers(1, 64), st.integers(0, 40), st.integers(0, 17)
)
def test_a_load_right_after_another(engine, machine, n, m, offset, more_banks):
    # As many banks as a stream needs not to meet itself, or some more.
    machine["banks"] = max(machine["words_per_cycle"] * machine["bank_busy"] + more_banks, 1)
    machine["accesses_in_flight"] = max(machine["accesses_in_flight"], 2)
    text = "li x1, {}\nli x2, {}\nli x3, {}\nsetvl x1\na: lv.w v1, 1024(x0)\nsetvl x2\nb: lv.w v2, (x3)"
    t = traced(text.format(n, m, 8192 + 4 * offset), machine, engine)
    free = [0] * machine["banks"]
    first, _ = transfer(free, 256, n, t.a["dispatch"] + machine["startup"], machine)
    begin = max(t.b["dispatch"] + machine["startup"], first[-1] + 1) + (offset % 4 > 0)
    second, waited = transfer(free, 2048 + offset, m, begin, machine)
    assert t.a["last"] == first[-1] + 1
    assert (t.b["start"], t.b["last"]) == (second[0], second[-1] + 1)
    assert t.b["wait_bank_conflict"] == waited


# One unit


@few
@given(machines(), st.integers(1, 64), st.integers(1, 14), st.booleans())
def test_a_chain_of_loads(engine, machine, n, count, unaligned):
    n = min(n, machine["section_size"])
    lines = [f"lv.w v{i}, {1024 + 512 * i + 4 * unaligned}(x0)" for i in range(count)]
    t = traced(of_length(n, numbered(lines)), machine, engine)
    for i in range(count):
        expected = end_of_load(i, machine, up(n, machine["words_per_cycle"]), unaligned)
        assert t.row(f"i{i}")["last"] - t.i0["dispatch"] == expected


@few
@given(machines(issue_width=64), st.integers(1, 64), st.integers(1, 14), st.integers(1, 5))
def test_loads_on_several_ports(engine, machine, n, count, ports):
    # They go round, and each port has its own chain.
    n = min(n, machine["section_size"])
    lines = [f"lv.w v{i}, {1024 + 512 * i}(x0)" for i in range(count)]
    t = traced(of_length(n, numbered(lines)), machine | {"memory_ports": ports}, engine)
    for i in range(count):
        assert t.row(f"i{i}")["port"] == i % ports
        expected = end_of_load(i // ports, machine, up(n, machine["words_per_cycle"]), False)
        assert t.row(f"i{i}")["last"] - t.i0["dispatch"] == expected


@few
@given(machines(), st.integers(1, 64), st.integers(1, 10))
def test_independent_additions(engine, machine, n, count):
    n = min(n, machine["section_size"])
    t = traced(of_length(n, numbered(f"addvv.s v{i}, v30, v31" for i in range(count))), machine, engine)
    c = up(n, machine["lanes"])
    for i in range(count):
        assert t.row(f"i{i}")["start"] - t.i0["dispatch"] == i * c
        assert t.row(f"i{i}")["last"] - t.i0["dispatch"] == i * c + c - 1 + machine["latency.add"]


@few
@given(machines(), st.integers(1, 64), st.integers(1, 12))
def test_a_dependent_chain_of_sums_and_products(engine, machine, n, count):
    # Chained, each starts a latency after the one before, and a unit c after it started last. Unchained, it
    # starts when all of the one before is ready.
    n = min(n, machine["section_size"])
    lines = [f"{('add', 'mul')[i % 2]}vv.s v{i + 1}, v{i}, v{i}" for i in range(count)]
    t = traced(of_length(n, numbered(lines)), machine, engine)
    la, lm, c = machine["latency.add"], machine["latency.multiply"], up(n, machine["lanes"])
    for i in range(count):
        if machine["chaining"]:
            expected = i // 2 * max(la + lm, c) + i % 2 * la
        else:
            expected = i // 2 * (la + lm + 2 * (c - 1)) + i % 2 * (la + c - 1)
        assert t.row(f"i{i}")["start"] - t.i0["dispatch"] == expected


@few
@given(st.integers(1, 64), *[st.integers(1, 9)] * 2, st.integers(1, 30), st.integers(1, 3))
def test_bmipa_on_entries_of_different_rows(engine, n, p, r, latency, count):
    # The entries lie in registers already. Sums are forwarded, so only the unit itself is waited for.
    machine = {"sparse_unit.p": p, "sparse_unit.r": r, "sparse_unit.latency": latency}
    positions = "li x1, 0x10001\ncvi v2, x1\nli x2, 0\nextx x3, v2, x2\n"
    lines = ["bmipa.s v3, v4, v1, v2"] * count
    t = traced(of_length(n, positions + "mul x4, x3, x3\n" * 30 + numbered(lines)), machine, engine)
    beats = up(n, min(p, r))
    for i in range(count):
        assert t.row(f"i{i}")["last"] - t.i0["dispatch"] == (i + 1) * beats - 1 + latency


# Scalar loops


@few
@given(st.integers(1, 20), st.integers(1, 6), st.integers(0, 9), st.sampled_from([1, 2, 4]))
def test_a_counting_loop(engine, count, integer, penalty, width):
    # The counter is ready a latency after it is counted down; every branch but the last is taken.
    text = f"a: li x1, {count}\nb: addi x1, x1, -1\nc: bnez x1, b"
    machine = {"latency.integer": integer, "branch_penalty": penalty, "issue_width": width}
    t = traced(text, machine, engine)
    last = t.row("c", count - 1)["issue"]
    assert last - t.a["issue"] == integer + count * integer + (count - 1) * (1 + penalty)


# Several units: whole expressions


@few
@given(machines(), st.integers(1, 64), st.booleans(), st.booleans())
def test_load_add_store(engine, machine, n, load_unaligned, store_unaligned):
    n = min(n, machine["section_size"])
    text = f"a: lv.w v1, {1024 + 4 * load_unaligned}(x0)\naddvv.s v2, v1, v1\n"
    t = traced(of_length(n, f"{text}b: sv.w v2, {2048 + 4 * store_unaligned}(x0)"), machine, engine)
    S, r, L, la = (machine[k] for k in ("startup", "words_per_cycle", "lanes", "latency.add"))
    first = S + load_unaligned  # the first word of the load, from its dispatch
    end = first + up(n, r)
    issued = 2 // machine["issue_width"]
    dispatched = issued if machine["accesses_in_flight"] > 1 else end
    B = max(dispatched + S, end) + store_unaligned
    if machine["chaining"]:
        last = max(B + (n - 1) // r, first + 1 + la + (n - 1) // min(r, L))
    else:
        last = max(B, end + (n - 1) // L + la) + (n - 1) // r
    assert t.b["retire"] - t.a["dispatch"] == last + 1


@few
@given(machines(), st.integers(1, 64))
def test_the_sum_of_a_gather(engine, machine, n):
    n = min(n, machine["section_size"])
    text = "li x1, 1\nli x2, 1024\n" + of_length(n, "a: cvi v1, x1\nlvi.w v2, (x2), v1\nb: sumv.s f1, v2")
    t = traced(text + "\nc: fs.w f1, 64(x0)", machine, engine)
    S, ra, L, move = (machine[k] for k in ("startup", "addresses_per_cycle", "lanes", "latency.move"))
    B = 1 // machine["issue_width"] + S
    if machine["chaining"]:
        # Words go from B on, or as the indices come, and the sum takes them as they come, as soon
        # as the add unit is free of the indices.
        last = max(B + 1 + (n - 1) // min(ra, L), move + 1 + (n - 1) // min(ra, L), up(n, L) + (n - 1) // L)
    else:
        last = max(B, (n - 1) // L + move) + (n - 1) // ra + 1 + (n - 1) // L
    result = last + machine["latency.sum"] + (n - 1).bit_length()
    assert t.b["last"] - t.a["dispatch"] == result
    assert t.c["issue"] - t.a["dispatch"] == result
