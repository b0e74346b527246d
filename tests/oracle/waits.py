"""What an instruction waits for, and which cycles of a run are charged to it (*Waiting and charging*)."""

from __future__ import annotations

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
)
"""The closed list, in its order."""

EXECUTE = "execute"

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
    """Give the wait that begins when all else would have allowed it: of the condition that ended last."""
    if begin >= end:
        return []
    last = max(conditions.values())
    return [Wait(next(cause for cause in CAUSES if conditions.get(cause) == last), begin, end)]


def charges(instructions: Iterable[tuple[int, list[Wait]]]) -> dict[str, int]:
    """Charge the cycles of a run, given R and the waits of all its instructions in program order."""
    charged = dict.fromkeys((*CAUSES, EXECUTE), 0)
    answered = 0  # M(n): up to here older instructions answer
    for retire, waits in instructions:
        for each in waits:
            charged[each.cause] += each.within(answered, retire)
            charged[EXECUTE] -= each.within(answered, retire)
        charged[EXECUTE] += max(retire - answered, 0)
        answered = max(answered, retire)
    return charged
