"""Issue, scalar registers and attribution of an event (docs/timing.md).

``t`` are the times of a machine by their places, ``rows`` the rows of the program, ``row`` where one begins,
``shape`` what :meth:`vecsim.engines.trace_timing.places.Sizes.places` returns.
"""

from __future__ import annotations

from typing import Any

from vecsim.engines.cause import Cause
from vecsim.engines.trace_timing import events, places
from vecsim.engines.trace_timing.operations import larger, where

AWAITED, WRITTEN, LATE, UNIT, LATENCY = (
    events.AWAITED,
    events.WRITTEN,
    events.LATE,
    events.UNIT,
    events.LATENCY,
)
ISSUED_AT, IN_GROUP, FETCHED, RETIRED = places.ISSUED_AT, places.IN_GROUP, places.FETCHED, places.RETIRED
ISSUE_WIDTH, BRANCH_PENALTY, CHARGES, SCALAR = (
    places.ISSUE_WIDTH,
    places.BRANCH_PENALTY,
    places.CHARGES,
    places.SCALAR,
)
ISSUE, SCALAR_WORK = int(Cause.ISSUE), int(Cause.SCALAR_WORK)
MEMORY, FREE, FIRST_OF_KIND, UNITS_OF_KIND = (
    events.MEMORY,
    places.FREE,
    places.FIRST_OF_KIND,
    places.UNITS_OF_KIND,
)
QUEUE, QUEUE_PLACES, IN_FLIGHT, END_COUNT, DISPATCHES, ENDS = (
    places.QUEUE,
    places.QUEUE_PLACES,
    places.IN_FLIGHT,
    places.END_COUNT,
    places.DISPATCHES,
    places.ENDS,
)


def latest_of(t: Any, rows: Any, at: Any, begin: Any, cycle: Any) -> Any:
    """The latest of a cycle and the times of all registers of a list.

    Parameters
    ----------
    at
        Where the list is in ``rows``.
    begin
        The place of the time of register 0.
    """
    for k in range(rows[at]):
        cycle = larger(cycle, t[begin + rows[at + 1 + k]])
    return cycle


def raise_all(t: Any, rows: Any, at: Any, begin: Any, cycle: Any) -> None:
    """Let the times of all registers of a list be no earlier than a cycle; parameters as above."""
    for k in range(rows[at]):
        place = begin + rows[at + 1 + k]
        t[place] = larger(t[place], cycle)


def set_all(t: Any, rows: Any, at: Any, cycle: Any) -> None:
    """Let all scalar registers of a list be ready at a cycle."""
    for k in range(rows[at]):
        t[SCALAR + rows[at + 1 + k]] = cycle


def charge(t: Any, cause: Any, begin: Any, end: Any) -> Any:
    """Attribute the cycles from ``begin`` to ``end`` (exclusive), if any, to a cause; return how many."""
    cycles = larger(end - begin, 0)
    t[CHARGES + cause] = t[CHARGES + cause] + cycles
    return cycles


def may_issue(t: Any, rows: Any, row: Any) -> Any:
    """The first cycle in which issue and scalar registers allow an instruction ("Issue")."""
    before = t[ISSUED_AT]
    next_free = where(t[IN_GROUP] >= t[ISSUE_WIDTH], before + 1, before)
    return latest_of(t, rows, row + AWAITED, SCALAR, larger(next_free, t[FETCHED]))


def issue(t: Any, cycle: Any) -> Any:
    """Issue an instruction in a cycle; return the cycle up to which all cycles are attributed."""
    before, retired = t[ISSUED_AT], t[RETIRED]
    charge(t, ISSUE, larger(before, retired), cycle)
    t[IN_GROUP] = where(cycle > before, 1, t[IN_GROUP] + 1)
    t[ISSUED_AT] = cycle
    return larger(retired, cycle)


def retire(t: Any, cycle: Any) -> None:
    """Let an instruction retire at a cycle."""
    t[RETIRED] = larger(t[RETIRED], cycle)


def issue_scalar(t: Any, rows: Any, row: Any, cycle: Any, latency: Any) -> None:
    """Issue what touches no unit: its results are ready, and it retires, after a latency."""
    answered, result = issue(t, cycle), cycle + latency
    charge(t, SCALAR_WORK, answered, result)
    set_all(t, rows, row + WRITTEN, result)
    retire(t, result)


def take_branch(t: Any) -> None:
    """Let no instruction issue before the target of the branch that has just issued is there ("Issue")."""
    t[FETCHED] = t[ISSUED_AT] + t[BRANCH_PENALTY] + 1


def unit_of(shape: Any, kind: Any, number: Any) -> Any:
    """The unit that takes instruction ``number`` of a kind: they take turns ("Queues and dispatch")."""
    first, count = shape[FIRST_OF_KIND + kind], shape[UNITS_OF_KIND + kind]
    return first if count == 1 else first + number % count


def place_in_queue(shape: Any, kind: Any, number: Any, before: Any) -> Any:
    """The place of the dispatch of the instruction ``before`` instructions before one in its unit."""
    queue, count = shape[QUEUE_PLACES], shape[UNITS_OF_KIND + kind]
    turn = number if count == 1 else number // count
    return shape[DISPATCHES] + unit_of(shape, kind, number) * queue + ((turn - before) & (queue - 1))


def room_at(t: Any, shape: Any, kind: Any, number: Any) -> Any:
    """From when the queue of a unit has room, or the unit is free ("Queues and dispatch").

    Parameters
    ----------
    number
        That of the instruction among those of the kind.
    """
    if shape[QUEUE] > 0:
        return t[place_in_queue(shape, kind, number, shape[QUEUE])]
    if kind == MEMORY:
        return port_free(t, shape, number)
    return t[shape[FREE] + unit_of(shape, kind, number)]


def port_free(t: Any, shape: Any, number: Any) -> Any:
    """From when access ``number`` may be dispatched to the port: the end of the one K before ("Accesses")."""
    return t[shape[ENDS] + ((number - shape[IN_FLIGHT]) & (shape[END_COUNT] - 1))]


def note_dispatch(t: Any, shape: Any, kind: Any, number: Any, cycle: Any) -> None:
    """Note the cycle in which instruction ``number`` of a kind is dispatched."""
    t[place_in_queue(shape, kind, number, 0)] = cycle


def issue_vector(t: Any, rows: Any, row: Any, shape: Any, kind: Any, number: Any) -> Any:
    """Issue a vector instruction of n >= 1 elements; return its cycle, and up to when all is attributed."""
    cycle = larger(may_issue(t, rows, row), room_at(t, shape, kind, number))
    answered = issue(t, cycle)
    set_all(t, rows, row + WRITTEN, cycle + 1)
    return cycle, answered
