"""Renamed registers (docs/timing.md, "Renaming"), by the events that note them.

Which physical register an instruction gets does not depend on time. So the events name it, and say whose
displacement an instruction waits for. These functions take the place of others on machines whose memory is
more than banks or that rename.
"""

from __future__ import annotations

from typing import Any

from vecsim.engines.decoded import SPECIAL
from vecsim.engines.trace_timing import events, places
from vecsim.engines.trace_timing.elements import whole_clear
from vecsim.engines.trace_timing.issue import latest_of
from vecsim.engines.trace_timing.operations import larger

KINDS, END, FREE, NAMED, AFTER, ROW = (
    events.KINDS,
    events.END,
    events.FREE,
    events.NAMED,
    events.AFTER,
    events.ROW,
)
READS, WHOLE_READS, ACCUMULATORS, LATE = (
    events.READS,
    events.WHOLE_READS,
    events.ACCUMULATORS,
    events.LATE,
)
COMMITS, KEPT, READY_AT, RENAMES_VECTORS, RENAMES_SCALARS = (
    places.COMMITS,
    places.KEPT,
    places.READY_AT,
    places.RENAMES_VECTORS,
    places.RENAMES_SCALARS,
)
FETCHED, RETIRED, SCALAR = places.FETCHED, places.RETIRED, places.SCALAR


def next_event(t: Any, shape: Any, e: Any, at: Any) -> Any:
    """Return kind, row and place of the event of the next instruction; do what is noted before it."""
    kind, row = e[at] & (KINDS - 1), -1
    while kind > END:
        count, at = e[at] // KINDS, at + 1
        if kind == FREE:
            t[FETCHED] = larger(t[FETCHED], t[shape[COMMITS] + count])
        elif kind == AFTER:
            at = end_instruction(t, shape, e, at, count)
        elif kind == NAMED:
            row, at = at - 1, at + ROW
        else:
            at += count * ROW
        kind = e[at] & (KINDS - 1)
    return kind, row if row >= 0 else e[at] // KINDS * ROW, at


def end_instruction(t: Any, shape: Any, e: Any, at: Any, count: Any) -> Any:
    """Note when registers are free that an instruction displaces, and what it copies; return the next place.

    Parameters
    ----------
    count
        How many registers it displaces.
    """
    for k in range(at, at + count):
        t[shape[COMMITS] + e[k]] = t[RETIRED]
    at += count
    for k in range(at + 1, at + 1 + 2 * e[at], 2):
        older = larger(t[shape[READY_AT] + e[k + 1]], t[shape[KEPT] + e[k + 1]])
        t[shape[KEPT] + e[k]] = older
    return at + 1 + 2 * e[at]


def whole_clear_of_copies(t: Any, rows: Any, row: Any, shape: Any, slice_: Any, cycle: Any) -> Any:
    """As :func:`vecsim.engines.trace_timing.elements.whole_clear`, with elements that were left as they were.

    Parameters
    ----------
    slice_
        Of the vector cache; negative for none.
    """
    cycle = whole_clear(t, rows, row, shape, slice_, cycle)
    if shape[RENAMES_VECTORS] > 0:
        cycle = latest_of(t, rows, row + WHOLE_READS, shape[KEPT], cycle)
        cycle = latest_of(t, rows, row + ACCUMULATORS, shape[KEPT], cycle)
    return cycle


def take_element(t: Any, rows: Any, row: Any, shape: Any, element: Any, cycle: Any) -> Any:
    """Take an element that is read at issue; return from when on it is ready, no earlier than ``cycle``."""
    if rows[row + READS] > 0:
        v, place = rows[row + READS + 1], shape[places.SECTION] * rows[row + READS + 1] + element
        cycle = larger(cycle, larger(t[shape[places.READY] + place], t[shape[places.READY_BOUND] + v]))
        t[shape[places.TAKEN] + place] = larger(t[shape[places.TAKEN] + place], cycle)
    else:
        v = rows[row + WHOLE_READS + 1]
        cycle = larger(cycle, t[shape[READY_AT] + v])
        if shape[RENAMES_VECTORS] > 0:
            cycle = larger(cycle, t[shape[KEPT] + v])
            t[shape[places.TAKEN_BOUND] + v] = larger(t[shape[places.TAKEN_BOUND] + v], cycle)
        else:
            place = shape[places.TAKEN] + shape[places.SECTION] * v + element
            t[place] = larger(t[place], cycle)
    t[shape[places.TAKEN_AT] + v] = larger(t[shape[places.TAKEN_AT] + v], cycle)
    return cycle


def raise_late(t: Any, rows: Any, row: Any, shape: Any, result: Any) -> None:
    """Let the late registers of an instruction of no elements be ready at ``result``.

    One that is not renamed is ready no earlier than an older write of it.
    """
    for k in range(rows[row + LATE]):
        register = rows[row + LATE + 1 + k]
        if shape[RENAMES_SCALARS] > 0 and register < SPECIAL:
            t[SCALAR + register] = result
        else:
            t[SCALAR + register] = larger(t[SCALAR + register], result)
