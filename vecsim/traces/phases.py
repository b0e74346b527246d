"""What a vector instruction does from issue to retirement: it queues, waits, works, and gives its result."""

from __future__ import annotations

from dataclasses import dataclass

from vecsim.engines.cause import Cause
from vecsim.traces.stream import AT

QUEUEING = (Cause.UNIT, Cause.PORT)
WAITING = (
    Cause.STARTUP,
    Cause.MEMORY_ORDER,
    Cause.PORT,
    Cause.ALIGNMENT,
    Cause.VECTOR_RAW,
    Cause.VECTOR_WAR_WAW,
    Cause.BANK_CONFLICT,
)
"""Causes of waiting between issue and dispatch, and between dispatch and the first element; of causes
that took equally long the first is named."""


@dataclass(frozen=True)
class Phase:
    """The cycles from ``begin`` to ``end`` (exclusive), and the cause that it waited for longest in them.

    ``name`` is ``queue``, ``wait``, ``work`` or ``result``.
    """

    name: str
    begin: int
    end: int
    cause: str = ""


def phases(row: list[int], worked: int) -> list[Phase]:
    """Return the phases of a row of the timeline, those that last.

    Parameters
    ----------
    row
        Of a vector instruction with elements.
    worked
        The cycle after that in which its last element starts.
    """
    issue, dispatch, start, retire = (row[AT[name]] for name in ("issue", "dispatch", "start", "retire"))
    result = (
        Phase("queue", issue, dispatch, _longest(row, QUEUEING, dispatch - issue)),
        Phase("wait", dispatch, start, _longest(row, WAITING, start - dispatch)),
        Phase("work", start, worked),
        Phase("result", worked, retire),
    )
    return [phase for phase in result if phase.begin < phase.end]


def _longest(row: list[int], causes: tuple[Cause, ...], most: int) -> str:
    """Return the label of the cause waited for longest in this many cycles; empty without any.

    What it waited for longer than that came later, while it worked.
    """
    waited = {cause: min(row[AT[f"wait_{cause.name.lower()}"]], most) for cause in causes}
    cause = max(waited, key=waited.__getitem__)
    return cause.label if waited[cause] else ""
