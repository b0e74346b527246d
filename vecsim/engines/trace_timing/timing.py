"""The loop that times the events of a run, for one machine or for several side by side."""

from __future__ import annotations

from typing import Any

from vecsim.engines.cause import Cause
from vecsim.engines.trace_timing import events, places
from vecsim.engines.trace_timing.accesses import time_contiguous, time_slices, time_wordwise
from vecsim.engines.trace_timing.elements import time_arithmetic, time_one, time_sparse
from vecsim.engines.trace_timing.issue import (
    charge,
    issue,
    issue_scalar,
    may_issue,
    raise_all,
    retire,
    set_all,
    take_branch,
)
from vecsim.engines.trace_timing.operations import larger
from vecsim.engines.trace_timing.words import after_notes

KINDS, ROW = events.KINDS, events.ROW
PLAIN, TAKEN, ORDERED, EXTRACT, EMPTY, ARITHMETIC, ONE, SPARSE, CONTIGUOUS, WORDWISE, SLICES, END = range(12)
SECTION, CHAINING, SKIPPING, END_COUNT, ENDS, MASKED = (
    places.SECTION,
    places.CHAINING,
    places.SKIPPING,
    places.END_COUNT,
    places.ENDS,
    events.MASKED,
)
SCALAR = places.SCALAR
SCALAR_WORK = int(Cause.SCALAR_WORK)


def time_extract(t: Any, rows: Any, row: Any, shape: Any, element: Any) -> None:
    """Time an instruction that reads one element of a vector register at issue."""
    cycle = take_element(t, rows, row, shape, element, may_issue(t, rows, row))
    issue_scalar(t, rows, row, cycle, t[rows[row + events.LATENCY]])


def take_element(t: Any, rows: Any, row: Any, shape: Any, element: Any, cycle: Any) -> Any:
    """Take an element that is read at issue; return from when on it is ready, no earlier than ``cycle``."""
    chaining = shape[CHAINING] > 0
    v = rows[row + (events.READS if chaining else events.WHOLE_READS) + 1]
    place = shape[SECTION] * v + element
    if chaining:
        cycle = larger(cycle, larger(t[shape[places.READY] + place], t[shape[places.READY_BOUND] + v]))
    else:
        cycle = larger(cycle, t[shape[places.READY_AT] + v])
    t[shape[places.TAKEN] + place] = larger(t[shape[places.TAKEN] + place], cycle)
    t[shape[places.TAKEN_AT] + v] = larger(t[shape[places.TAKEN_AT] + v], cycle)
    return cycle


def time_ordered(t: Any, rows: Any, row: Any, shape: Any, followed: Any) -> None:
    """Time a scalar access that must follow vector access ``followed`` ("Memory order")."""
    cycle = larger(may_issue(t, rows, row), t[shape[ENDS] + (followed & (shape[END_COUNT] - 1))])
    issue_scalar(t, rows, row, cycle, t[rows[row + events.LATENCY]])


def raise_late(t: Any, rows: Any, row: Any, shape: Any, result: Any) -> None:
    """Let late registers of an instruction of no elements be ready at ``result`` or at an older write."""
    raise_all(t, rows, row + events.LATE, SCALAR, result)


def next_event(t: Any, shape: Any, e: Any, at: Any) -> Any:
    """Return kind, row and place of the event of the next instruction."""
    return e[at] & (KINDS - 1), e[at] // KINDS * ROW, at


def time_empty(t: Any, rows: Any, row: Any, shape: Any) -> None:
    """Time a vector instruction of no elements."""
    cycle = may_issue(t, rows, row)
    answered, result = issue(t, cycle), cycle + 1
    charge(t, SCALAR_WORK, answered, result)
    raise_late(t, rows, row, shape, result)
    set_all(t, rows, row + events.WRITTEN, result)
    retire(t, result)


def mask_words(rows: Any, row: Any, n: Any) -> Any:
    """How many words the bits of a mask of n elements take; none of an instruction that is not under mask."""
    return (n + 31) // 32 if rows[row + MASKED] > 0 else 0


def time_events(e: Any, rows: Any, t: Any, shape: Any) -> None:
    """Time all events of a run.

    Parameters
    ----------
    e, rows
        The events, and the rows of the program (:mod:`vecsim.engines.trace_timing.events`).
    t
        The memory of the machine (:mod:`vecsim.engines.trace_timing.places`).
    shape
        Sizes and places.
    """
    at, kind, accesses = 0, PLAIN, 0
    while kind != END:
        kind, row, at = next_event(t, shape, e, at)
        if kind <= TAKEN:
            cycle = may_issue(t, rows, row)
            issue_scalar(t, rows, row, cycle, t[rows[row + events.LATENCY]])
            if kind == TAKEN:
                take_branch(t)
            at += 1
        elif kind == ARITHMETIC:
            mask = at + 4 if rows[row + MASKED] > 0 and shape[SKIPPING] > 0 else 0
            time_arithmetic(t, rows, row, shape, e[at + 1], e[at + 2], e[at + 3], e, mask)
            at += 4 + mask_words(rows, row, e[at + 1])
        elif kind == CONTIGUOUS:
            mask = at + 5 if rows[row + MASKED] > 0 else 0
            notes = at + 5 + mask_words(rows, row, e[at + 1])
            time_contiguous(t, rows, row, shape, e[at + 1], e[at + 2], e[at + 3], e[at + 4], e, mask, notes)
            accesses = e[at + 2] + 1
            at = after_notes(e, notes)
        elif kind == WORDWISE:
            time_wordwise(t, rows, row, shape, e[at + 1], e[at + 2], e, at + 3)
            accesses = e[at + 2] + 1
            at = after_notes(e, at + 3 + e[at + 1])
        elif kind == SPARSE:
            time_sparse(t, rows, row, shape, e[at + 1], e[at + 2], e[at + 3], e, at + 4)
            at += 4 + e[at + 1]
        elif kind == ORDERED:
            if accesses - e[at + 1] < shape[END_COUNT]:
                time_ordered(t, rows, row, shape, e[at + 1])
            else:
                issue_scalar(t, rows, row, may_issue(t, rows, row), t[rows[row + events.LATENCY]])
            at += 2
        elif kind == EXTRACT:
            time_extract(t, rows, row, shape, e[at + 1])
            at += 2
        elif kind == EMPTY:
            time_empty(t, rows, row, shape)
            at += 1
        elif kind == ONE:
            time_one(t, rows, row, shape, e[at + 1], e[at + 2], e[at + 3])
            at += 4
        elif kind == SLICES:
            time_slices(t, rows, row, shape, e[at + 1], e[at + 2], e[at + 3], e[at + 5], e, at + 6)
            accesses = e[at + 2] + 1
            at = after_notes(e, at + 6)
