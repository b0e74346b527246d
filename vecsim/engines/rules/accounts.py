"""Waits, charges and retirement (docs/timing.md, "The end" and "Waiting and charging").

A cycle is charged to the oldest instruction that has not retired in it. Bookings come when things happen, so
an instruction that is not the oldest in flight has nothing to answer for yet: an older one retires later.
"""

from __future__ import annotations

from typing import Any

from vecsim.engines.columns import causes, control, flight, work
from vecsim.engines.record import WAITS
from vecsim.engines.rules.numbers import larger


def issue_cause(
    cycle: Any, earliest: Any, ready: Any, operand: Any, room: Any, order: Any, free: Any, memory: Any
) -> Any:
    """Give the condition that let an instruction wait for issue; ties go to the first of the list.

    Parameters
    ----------
    cycle
        The cycle of issue.
    earliest
        The cycle in which issue itself would have allowed it.
    ready, operand
        From when its scalar registers, and the vector element that it reads, are ready.
    room
        From when its unit is free or has room in its queue.
    order
        When the accesses that it must follow have ended.
    free
        From when physical registers are free for what it writes.
    memory
        Whether its unit is the ports of memory.
    """
    if earliest >= cycle:
        return causes.ISSUE
    if ready == cycle:
        return causes.SCALAR_RAW_WAW
    if operand == cycle:
        return causes.VECTOR_RAW
    if room == cycle:
        return causes.PORT if memory else causes.UNIT
    if order == cycle:
        return causes.MEMORY_ORDER
    if free == cycle:
        return causes.FREE_REGISTER
    return causes.ISSUE


def element_cause(cycle: Any, operand: Any) -> Any:
    """Tell why an element of an arithmetic or sparse instruction started late.

    Parameters
    ----------
    cycle
        The cycle in which it started.
    operand
        From when all that it reads was ready.
    """
    return causes.VECTOR_RAW if operand == cycle else causes.VECTOR_WAR_WAW


def word_cause(cycle: Any, operand: Any, hazard: Any) -> Any:
    """Tell why a word of an access was transferred late.

    Parameters
    ----------
    cycle
        The cycle in which it went.
    operand, hazard
        From when all that it reads was ready, and from when what it writes could be overwritten.
    """
    if operand == cycle:
        return causes.VECTOR_RAW
    return causes.VECTOR_WAR_WAW if hazard == cycle else causes.BANK_CONFLICT


def book_wait(r: Any, slot: Any, cause: Any, begin: Any, end: Any) -> None:
    """Book that ``slot`` waited in the cycles from ``begin`` to ``end`` (exclusive)."""
    if end <= begin:
        return
    r.waits[slot * WAITS + cause] += end - begin
    r.waited[cause] += end - begin
    if r.order[0] == slot:
        begin = larger(begin, r.control[control.RETIRED])
        if end > begin:
            r.charged[cause] += end - begin
            r.slots[slot * flight.COLUMNS + flight.CHARGED] += end - begin


def _execute_until(r: Any, cycle: Any) -> None:
    """Charge the cycles up to ``cycle`` that are not charged yet to work."""
    if cycle > r.control[control.RETIRED]:
        r.charged[causes.EXECUTE] += cycle - r.control[control.RETIRED]
        r.control[control.RETIRED] = cycle


def _hide(r: Any, position: Any, retire: Any) -> None:
    """Note a retirement for which the instruction at ``position`` in ``order`` answers as an older one."""
    at = r.order[position] * flight.COLUMNS + flight.AFTER
    r.slots[at] = larger(r.slots[at], retire)


def retire_at_issue(r: Any, retire: Any, cause: Any, begin: Any, end: Any) -> None:
    """Book an instruction that is known at issue: it waited before it, and retires at ``retire``."""
    r.control[control.LAST_RETIRED] = larger(r.control[control.LAST_RETIRED], retire)
    if end > begin:
        r.waited[cause] += end - begin
    if r.work[work.FLYING] > 0:
        _hide(r, r.work[work.FLYING] - 1, retire)
        return
    begin = larger(begin, r.control[control.RETIRED])
    if end > begin:
        r.charged[cause] += end - begin
        r.control[control.RETIRED] = end
    _execute_until(r, retire)


def retire_from_flight(r: Any, slot: Any, position: Any, retire: Any) -> None:
    """Book an instruction that has just left flight, from ``position`` in ``order``.

    The rest of its cycles is charged; if an older one is in flight, that one hides it.
    """
    r.control[control.LAST_RETIRED] = larger(r.control[control.LAST_RETIRED], retire)
    at = slot * flight.COLUMNS
    after = r.slots[at + flight.AFTER]
    if position > 0:
        _hide(r, position - 1, larger(retire, after))
        return
    r.charged[causes.EXECUTE] -= r.slots[at + flight.CHARGED]
    _execute_until(r, retire)
    _execute_until(r, after)
