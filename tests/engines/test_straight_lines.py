"""Any straight line of vector instructions on one port: each is a formula, and a recurrence joins them.

Symbols and conditions are those of ``test_closed_forms``.
"""

import pytest
from engine_runs import EVERY_ENGINE
from hypothesis import given
from hypothesis import strategies as st
from random_machines import machines, numbered, of_length, traced
from tiers import examples, one_in

pytestmark = pytest.mark.parametrize("engine", one_in(3, EVERY_ENGINE))


UNITS = {"move": "add", "add": "add", "sum": "add", "multiply": "multiply"}


@st.composite
def straight_lines(draw):
    """Lists of (kind, operand instructions, unaligned); nothing is overwritten."""
    lines = []
    for _ in range(draw(st.integers(1, 14))):
        kind = draw(st.sampled_from(["load", "strided", "gather", "move", "add", "multiply", "sum", "store"]))
        results = [i for i, line in enumerate(lines) if line[0] not in ("store", "sum")]
        indexes = [i for i in results if lines[i][0] == "move"]
        operands = {"add": 2, "multiply": 2, "sum": 1, "store": 1, "gather": 1}.get(kind, 0)
        sources = indexes if kind == "gather" else results
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
    """The recurrence: issue, dispatch, and of each instruction the terms (o, r) of its elements."""

    def __init__(self, machine, n):
        self.machine, self.n = machine, n
        self.issues, self.dispatches, self.ready, self.retires = [], {}, [], []
        self.free, self.ends = {}, []

    def last(self, terms):
        return max(o + (self.n - 1) // r for o, r in terms)

    def begin(self, unit, free):
        """Issue an instruction; return the cycle of its dispatch to its unit, free from ``free`` on."""
        width, queue = self.machine["issue_width"], self.machine["unit_queue"]
        before = self.dispatches.setdefault(unit, [])
        issue = max([0, *self.issues[-1:]])
        if len(self.issues) >= width:
            issue = max(issue, self.issues[-width] + 1)
        if queue and len(before) >= queue:
            issue = max(issue, before[-queue])
        dispatched = max([issue, free, *before[-1:]])
        self.issues.append(issue if queue else dispatched)
        before.append(dispatched)
        return dispatched

    def stream(self, start, rate, sources):
        """Elements from cycle ``start`` on, at most ``rate`` a cycle, each when its operands are ready."""
        operands = [self.ready[i] for i in sources]
        if self.machine["chaining"]:
            return [(start, rate)] + [(o, min(r, rate)) for terms in operands for o, r in terms]
        return [(max([start, *map(self.last, operands)]), rate)]

    def step(self, kind, sources, unaligned):
        if kind in UNITS:
            unit, latency = UNITS[kind], self.machine[f"latency.{kind}"]
            dispatched = self.begin(unit, self.free.get(unit, 0))
            elements = self.stream(dispatched, self.machine["lanes"], sources)
            self.free[unit] = self.last(elements) + 1
            retire = self.last(elements) + latency + (kind == "sum") * (self.n - 1).bit_length()
        else:
            contiguous, F = kind in ("load", "store"), self.machine["accesses_in_flight"]
            dispatched = self.begin("port", self.ends[-F] if len(self.ends) >= F else 0)
            first = max([dispatched + self.machine["startup"], *self.ends[-1:]]) + (contiguous and unaligned)
            rate = self.machine["words_per_cycle" if contiguous else "addresses_per_cycle"]
            elements, latency = self.stream(first, rate, sources), 1
            retire = self.last(elements) + 1
            self.ends.append(retire)
        self.ready.append([(o + latency, r) for o, r in elements])
        self.retires.append(retire)


@examples(150)
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
