"""Cycles of conflict-free programs as formulas, written from docs/timing.md and nothing else.

The symbols of the formulas: S startup, U 1 if unaligned, r words (or addresses) a cycle, F accesses in
flight, L lanes, n elements, T = ceil(n / r) cycles of a transfer, c = ceil(n / L) cycles of an arithmetic
unit. A stream that runs at full rate r from cycle o on has element k in cycle o + k // r. It keeps this form:
a unit of rate L behind a stream (o, r) has it in cycle o + k // min(r, L) or later, so everything that passes
through units at different rates is the latest of a few such terms.

One port, unless a test says otherwise. Banks are as many as memory has words and no word is moved twice, so
that nothing meets there; where fewer do, the test says how many.
"""

import pytest
from engine_runs import EVERY_ENGINE, trace
from hypothesis import assume, given, settings
from hypothesis import strategies as st

pytestmark = pytest.mark.parametrize("engine", EVERY_ENGINE)

few = settings(max_examples=40)
RATES = st.sampled_from([1, 2, 3, 4, 5, 8, 16])
SMALL = st.integers(0, 3)


def up(n, d):
    return -(-n // d)


@st.composite
def machines(draw, **fixed):
    """Every parameter that a formula may name, drawn; the test reads them from the dictionary."""
    drawn = {
        "section_size": draw(st.sampled_from([4, 16, 64])),
        "vector_registers": 32,
        "issue_width": draw(st.sampled_from([1, 2, 3, 8])),
        "unit_queue": draw(st.sampled_from([0, 1, 2, 5])),
        "accesses_in_flight": draw(st.sampled_from([1, 2, 3, 7])),
        "startup": draw(st.integers(0, 40)),
        "words_per_cycle": draw(RATES),
        "addresses_per_cycle": draw(RATES),
        "banks": 65536,
        "bank_busy": draw(st.integers(1, 9)),
        "lanes": draw(RATES),
        "chaining": draw(st.booleans()),
        "latency.move": draw(st.integers(1, 30)),
        "latency.add": draw(st.integers(1, 30)),
        "latency.multiply": draw(st.integers(1, 30)),
        "latency.multiply_add": draw(st.integers(1, 30)),
        "latency.sum": draw(st.integers(1, 30)),
    }
    return drawn | fixed


def traced(text, machine, engine):
    changes = [f"{key}={str(value).lower()}" for key, value in machine.items()]
    return trace(text, *changes, engine=engine)


def after_accept(row, what="last"):
    return row[what] - row["accept"]


def of_length(n, text):
    return f"li x30, {n}\nsetvl x30\n{text}"


def numbered(lines):
    return "\n".join(f"i{i}: {line}" for i, line in enumerate(lines))


# One access


@few
@given(machines(), st.integers(1, 64), st.sampled_from([4, 8]), st.integers(0, 40))
def test_a_contiguous_load(engine, machine, n, size, offset):
    # A full stream of rate r finds a bank busy for b cycles free again if there are r b banks.
    r, S = machine["words_per_cycle"], machine["startup"]
    machine["banks"] = r * machine["bank_busy"]
    n = min(n, machine["section_size"])
    U, skew = offset % 16 > 0, offset % 4
    row = traced(
        of_length(n, f"a: lv.{'w' if size == 4 else 'd'} v1, {1024 + offset}(x0)"), machine, engine
    ).a
    first_word, last_word = (skew + size - 1) // 4, (skew + n * size - 1) // 4
    assert after_accept(row, "start") == S + U
    assert after_accept(row, "first") == S + U + first_word // r + 1
    assert after_accept(row, "last") == S + U + last_word // r + 1


@few
@given(machines(), st.integers(1, 64), st.sampled_from("wd"), st.sampled_from([1, 5, -3]))
def test_a_strided_load(engine, machine, n, suffix, stride):
    # Alignment is nothing to it; an element of 64 bits takes two addresses.
    n, words = min(n, machine["section_size"]), {"w": 1, "d": 2}[suffix]
    text = f"li x1, 4096\nli x2, {4 * words * stride}\n" + of_length(n, f"a: lvws.{suffix} v1, (x1), x2")
    row = traced(text, machine, engine).a
    assert after_accept(row) == machine["startup"] + (words * n - 1) // machine["addresses_per_cycle"] + 1


@few
@given(machines(), st.integers(1, 64), st.integers(1, 12))
def test_a_gather_that_hits_one_bank(engine, machine, n, busy):
    # The one conflict with a formula: every word waits for the one before it.
    machine |= {"banks": 16, "bank_busy": busy}
    n = min(n, machine["section_size"])
    row = traced("li x1, 4096\nli x2, 64\n" + of_length(n, "a: lvws.w v1, (x1), x2"), machine, engine).a
    assert after_accept(row) == machine["startup"] + (n - 1) * busy + 1


# One unit


def end_of_load(i, machine, T, U):
    """Cycles from the first acceptance to the end of load i of equal loads.

    Up to F startups run at once. If F transfers last longer than one access by itself, transfers follow each
    other; otherwise load i starts when load i - F has ended, and the F of a group end T + U apart.
    """
    S, F = machine["startup"], machine["accesses_in_flight"]
    group = max(S + U + T, F * (U + T))
    return S + U + T + i // F * group + i % F * (U + T)


@few
@given(machines(), st.integers(1, 64), st.integers(1, 14), st.booleans())
def test_a_chain_of_loads(engine, machine, n, count, unaligned):
    n = min(n, machine["section_size"])
    lines = [f"lv.w v{i}, {1024 + 512 * i + 4 * unaligned}(x0)" for i in range(count)]
    t = traced(of_length(n, numbered(lines)), machine, engine)
    for i in range(count):
        expected = end_of_load(i, machine, up(n, machine["words_per_cycle"]), unaligned)
        assert t.row(f"i{i}")["last"] - t.i0["accept"] == expected


@few
@given(machines(issue_width=64), st.integers(1, 64), st.integers(1, 14), st.integers(1, 5))
def test_loads_on_several_ports(engine, machine, n, count, ports):
    # They go round, and each port has a chain of its own.
    n = min(n, machine["section_size"])
    lines = [f"lv.w v{i}, {1024 + 512 * i}(x0)" for i in range(count)]
    t = traced(of_length(n, numbered(lines)), machine | {"memory_ports": ports}, engine)
    for i in range(count):
        assert t.row(f"i{i}")["port"] == i % ports
        expected = end_of_load(i // ports, machine, up(n, machine["words_per_cycle"]), False)
        assert t.row(f"i{i}")["last"] - t.i0["accept"] == expected


@few
@given(machines(), st.integers(1, 64), st.integers(1, 10))
def test_independent_additions(engine, machine, n, count):
    n = min(n, machine["section_size"])
    t = traced(of_length(n, numbered(f"addvv.s v{i}, v30, v31" for i in range(count))), machine, engine)
    c = up(n, machine["lanes"])
    for i in range(count):
        assert t.row(f"i{i}")["start"] - t.i0["accept"] == i * c
        assert t.row(f"i{i}")["last"] - t.i0["accept"] == i * c + c - 1 + machine["latency.add"]


@few
@given(machines(), st.integers(1, 64), st.integers(1, 12))
def test_a_dependent_chain_of_sums_and_products(engine, machine, n, count):
    # Chained, each starts a latency after the one before, and a unit c after it started last. Unchained, it
    # starts when all of the one before is usable.
    n = min(n, machine["section_size"])
    lines = [f"{('add', 'mul')[i % 2]}vv.s v{i + 1}, v{i}, v{i}" for i in range(count)]
    t = traced(of_length(n, numbered(lines)), machine, engine)
    la, lm, c = machine["latency.add"], machine["latency.multiply"], up(n, machine["lanes"])
    for i in range(count):
        if machine["chaining"]:
            expected = i // 2 * max(la + lm, c) + i % 2 * la
        else:
            expected = i // 2 * (la + lm + 2 * (c - 1)) + i % 2 * (la + c - 1)
        assert t.row(f"i{i}")["start"] - t.i0["accept"] == expected


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
        assert t.row(f"i{i}")["last"] - t.i0["accept"] == (i + 1) * beats - 1 + latency


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
    first = S + load_unaligned  # the first word of the load, from its acceptance
    end = first + up(n, r)
    issued = 2 // machine["issue_width"]
    accept = issued if machine["accesses_in_flight"] > 1 else end
    B = max(accept + S, end) + store_unaligned
    if machine["chaining"]:
        last = max(B + (n - 1) // r, first + 1 + la + (n - 1) // min(r, L))
    else:
        last = max(B, end + (n - 1) // L + la) + (n - 1) // r
    assert t.b["retire"] - t.a["accept"] == last + 1


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
    assert t.b["last"] - t.a["accept"] == result
    assert t.c["issue"] - t.a["accept"] == result


# Whole kernels


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
    # The port stands still for the startup between any two accesses; scalar work is hidden behind it.
    machine["branch_penalty"] = penalty
    S = machine["startup"] = 12 + machine["startup"]
    t = traced(axpy(N), machine, engine)
    strips = strip_lengths(N, machine["section_size"])
    expected = sum(S + axpy_strip(machine, n, S) for n in strips)
    assert t.row("store", len(strips) - 1)["retire"] - t.load["accept"] == expected


@st.composite
def streaming(draw):
    """Machines on which startups and scalar work are hidden behind transfers of a whole section."""
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
    assert t.row("store", strips - 1)["retire"] - t.load["accept"] == expected


def test_axpy_moves_three_words_an_element(engine):
    # Ten strips of 16 cycles for each of three accesses, behind one startup.
    t = traced(axpy(640), {"banks": 65536, "accesses_in_flight": 3}, engine)
    assert t.row("store", 9)["retire"] - t.load["accept"] == 20 + 10 * 3 * 16
    # Of two in flight a startup of 20 is longer than the other's 16 cycles: 36 cycles for two accesses.
    t = traced(axpy(640), {"banks": 65536, "accesses_in_flight": 2}, engine)
    assert t.row("store", 9)["retire"] - t.load["accept"] == 15 * 36 + 16


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
    assert t.result["issue"] - t.load["accept"] == last + machine["latency.sum"] + 6


# Any straight line of vector instructions on one port: each is a formula, and a recurrence joins them.

UNITS = {"move": "add", "add": "add", "sum": "add", "multiply": "multiply"}


@st.composite
def straight_lines(draw):
    """Lists of (kind, operand instructions, unaligned); nothing is overwritten."""
    lines = []
    for _ in range(draw(st.integers(1, 14))):
        kind = draw(st.sampled_from(["load", "strided", "gather", "move", "add", "multiply", "sum", "store"]))
        made = [i for i, line in enumerate(lines) if line[0] not in ("store", "sum")]
        indexes = [i for i in made if lines[i][0] == "move"]
        operands = {"add": 2, "multiply": 2, "sum": 1, "store": 1, "gather": 1}.get(kind, 0)
        sources = indexes if kind == "gather" else made
        if operands and not sources:
            kind, operands = "move", 0
        sources = [draw(st.sampled_from(sources)) for _ in range(operands)]
        lines.append((kind, sources, draw(st.booleans())))
    return lines


def assembly(lines, n):
    text, addresses = [], []
    for i, (kind, sources, unaligned) in enumerate(lines):
        address = 1024 + 272 * i + 4 * unaligned
        addresses.append(f"li x{i + 8}, {address}")
        a, b = (sources * 2)[:2] if sources else (0, 0)
        text.append(
            {
                "load": f"lv.w v{i}, {address}(x0)",
                "strided": f"lvws.w v{i}, (x{i + 8}), x2",
                "gather": f"lvi.w v{i}, (x{i + 8}), v{a}",
                "move": f"cvi v{i}, x1",
                "add": f"addvv.w v{i}, v{a}, v{b}",
                "multiply": f"mulvv.w v{i}, v{a}, v{b}",
                "sum": f"sumv.s f{i}, v{a}",
                "store": f"sv.w v{a}, {address}(x0)",
            }[kind]
        )
    return "\n".join(["li x1, 1", "li x2, 4", *addresses, of_length(n, numbered(text))])


class StraightLine:
    """The recurrence: issue, acceptance, and of each instruction the terms (o, r) of its elements."""

    def __init__(self, machine, n):
        self.machine, self.n = machine, n
        self.issues, self.accepts, self.usable, self.retires = [], {}, [], []
        self.free, self.ends = {}, []

    def last(self, terms):
        return max(o + (self.n - 1) // r for o, r in terms)

    def begin(self, unit, ready):
        """Issue an instruction and give the cycle in which its unit, ready in that cycle, accepts it."""
        width, queue = self.machine["issue_width"], self.machine["unit_queue"]
        before = self.accepts.setdefault(unit, [])
        issue = max([0, *self.issues[-1:]])
        if len(self.issues) >= width:
            issue = max(issue, self.issues[-width] + 1)
        if queue and len(before) >= queue:
            issue = max(issue, before[-queue])
        accept = max([issue, ready, *before[-1:]])
        self.issues.append(issue if queue else accept)
        before.append(accept)
        return accept

    def stream(self, start, rate, sources):
        """Elements from cycle ``start`` on, at most ``rate`` a cycle, each when its operands are usable."""
        operands = [self.usable[i] for i in sources]
        if self.machine["chaining"]:
            return [(start, rate)] + [(o, min(r, rate)) for terms in operands for o, r in terms]
        return [(max([start, *map(self.last, operands)]), rate)]

    def step(self, kind, sources, unaligned):
        if kind in UNITS:
            unit, latency = UNITS[kind], self.machine[f"latency.{kind}"]
            accept = self.begin(unit, self.free.get(unit, 0))
            elements = self.stream(accept, self.machine["lanes"], sources)
            self.free[unit] = self.last(elements) + 1
            retire = self.last(elements) + latency + (kind == "sum") * (self.n - 1).bit_length()
        else:
            contiguous, F = kind in ("load", "store"), self.machine["accesses_in_flight"]
            accept = self.begin("port", self.ends[-F] if len(self.ends) >= F else 0)
            first = max([accept + self.machine["startup"], *self.ends[-1:]]) + (contiguous and unaligned)
            rate = self.machine["words_per_cycle" if contiguous else "addresses_per_cycle"]
            elements, latency = self.stream(first, rate, sources), 1
            retire = self.last(elements) + 1
            self.ends.append(retire)
        self.usable.append([(o + latency, r) for o, r in elements])
        self.retires.append(retire)


@settings(max_examples=150)
@given(machines(), st.integers(1, 64), straight_lines())
def test_any_straight_line(engine, machine, n, lines):
    n = min(n, machine["section_size"])
    expected = StraightLine(machine, n)
    for line in lines:
        expected.step(*line)
    t = traced(assembly(lines, n), machine, engine)
    rows = [t.row(f"i{i}") for i in range(len(lines))]
    zero = rows[0]["issue"]
    assert [row["issue"] - zero for row in rows] == expected.issues
    assert [row["retire"] - zero for row in rows] == expected.retires
