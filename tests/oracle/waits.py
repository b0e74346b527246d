"""What an instruction waits for, and which cycles are attributed to it (*Waits and cycle attribution*)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

CAUSES = (
    "issue",
    "scalar_raw_waw",
    "vector_raw",
    "vector_war_waw",
    "unit",
    "port",
    "startup",
    "alignment",
    "bank_conflict",
    "memory_order",
    "free_register",
    "words_awaited",
    "bandwidth",
)
"""The closed list, in its order."""

Conditions = Mapping[str, float]
"""By cause, the cycle from which it stands in the way no more."""


@dataclass(frozen=True)
class Wait:
    """Cycles from ``begin`` up to, but not with, ``end``."""

    cause: str
    begin: int
    end: int

    def within(self, begin: int, end: int) -> int:
        """How many of its cycles lie in a span."""
        return max(min(self.end, end) - max(self.begin, begin), 0)


def wait(conditions: Conditions, begin: int, end: int) -> list[Wait]:
    """Return the wait that begins when all others allow it: of the condition that ended last."""
    if begin >= end:
        return []
    last = max(conditions.values())
    return [Wait(next(cause for cause in CAUSES if conditions.get(cause) == last), begin, end)]


@dataclass(frozen=True)
class Span:
    """What an instruction answers for: the cycles from the last retirement before it to its own.

    Attributes
    ----------
    pc
        Of the instruction.
    retire
        R.
    passed
        The cycle after that in which its last word or element goes, and R of what touches no unit.
    work, latency
        What a cycle before ``passed`` is attributed to in which it does not wait, and one from there on.
    """

    pc: int
    retire: int
    passed: int
    work: str
    latency: str
    waits: list[Wait]


def attributed_cycles(spans: Iterable[Span]) -> dict[tuple[int, str], int]:
    """Attribute the cycles of a run to instructions, by pc and cause, given its spans in program order."""
    cycles_by_cause: Counter[tuple[int, str]] = Counter()
    answered = 0  # M(n): up to here older instructions answer
    for span in spans:
        for cycle in range(answered, span.retire):
            waits = [each.cause for each in span.waits if each.within(cycle, cycle + 1)]
            assert len(waits) <= 1, "no cycle is waited twice"
            doing = span.work if cycle < span.passed else span.latency
            cycles_by_cause[span.pc, waits[0] if waits else doing] += 1
        answered = max(answered, span.retire)
    return dict(cycles_by_cause)
