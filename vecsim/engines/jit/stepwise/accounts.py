"""Waits and charges, as :mod:`vecsim.engines.simpy.accounts` keeps them."""

from __future__ import annotations

from typing import Any

from vecsim.engines.columns import (
    AFTER,
    CHARGED,
    EXECUTING,
    FETCH,
    ISSUE_CYCLE,
    ISSUED,
    LAST_RETIRED,
    RETIRED,
)
from vecsim.engines.jit.accounts import issue_cause
from vecsim.engines.jit.code import ISSUE_WIDTH
from vecsim.engines.jit.functions import function, inline
from vecsim.engines.jit.integers import larger
from vecsim.engines.jit.stepwise.places import FLYING, ORDER, SLOT_COLUMNS
from vecsim.engines.jit.views import record_of, scratch_of
from vecsim.engines.record import WAITS


@function
def wait(w: Any, slot: Any, cause: Any, begin: Any, end: Any) -> None:
    """Book that ``slot`` waited in the cycles from ``begin`` to ``end`` (exclusive)."""
    if end <= begin:
        return
    r, work = record_of(w), scratch_of(w).outcome
    r.waits[slot * WAITS + cause] += end - begin
    r.waited[cause] += end - begin
    if work[ORDER] == slot:
        begin = larger(begin, r.control[RETIRED])
        if end > begin:
            r.charged[cause] += end - begin
            r.slots[slot * SLOT_COLUMNS + CHARGED] += end - begin


@inline
def _execute_until(r: Any, cycle: Any) -> None:
    """Charge the cycles up to ``cycle`` that are not charged yet to work."""
    if cycle > r.control[RETIRED]:
        r.charged[EXECUTING] += cycle - r.control[RETIRED]
        r.control[RETIRED] = cycle


@inline
def retire_scalar(r: Any, work: Any, retire: Any, cause: Any, begin: Any, end: Any) -> None:
    """Book an instruction that is known at issue: it waited before it, and retires at ``retire``."""
    r.control[LAST_RETIRED] = larger(r.control[LAST_RETIRED], retire)
    if end > begin:
        r.waited[cause] += end - begin
    if work[FLYING] > 0:
        at = work[ORDER + work[FLYING] - 1] * SLOT_COLUMNS + AFTER
        r.slots[at] = larger(r.slots[at], retire)
        return
    begin = larger(begin, r.control[RETIRED])
    if end > begin:
        r.charged[cause] += end - begin
        r.control[RETIRED] = end
    _execute_until(r, retire)


@inline
def retire_vector(r: Any, work: Any, slot: Any, position: Any, retire: Any) -> None:
    """Book an instruction that has just left flight.

    The rest of its cycles is charged; if an older one is in flight, that one hides it.

    Parameters
    ----------
    position
        Its place among those in flight, the oldest at 0.
    """
    r.control[LAST_RETIRED] = larger(r.control[LAST_RETIRED], retire)
    at = slot * SLOT_COLUMNS
    after = r.slots[at + AFTER]
    if position > 0:
        before = work[ORDER + position - 1] * SLOT_COLUMNS + AFTER
        r.slots[before] = larger(r.slots[before], larger(retire, after))
        return
    r.charged[EXECUTING] -= r.slots[at + CHARGED]
    _execute_until(r, retire)
    _execute_until(r, after)


@inline
def cause_of_issue(
    r: Any, machine: Any, cycle: Any, ready: Any, operand: Any, room: Any, order: Any, memory: Any
) -> Any:
    """The condition that let an instruction wait for issue until now; ties go to the first of the list.

    Parameters
    ----------
    cycle
        The cycle of issue.
    ready, operand
        From when its scalar registers, and the vector element that it reads, are ready.
    room
        From when its unit is free or has room in its queue.
    order
        When the accesses that it must follow have ended.
    memory
        Whether its unit is the ports of memory.
    """
    full = 1 if r.control[ISSUED] >= machine[ISSUE_WIDTH] else 0
    earliest = larger(r.control[FETCH], r.control[ISSUE_CYCLE] + full)
    return issue_cause(cycle, earliest, ready, operand, room, order, memory)
