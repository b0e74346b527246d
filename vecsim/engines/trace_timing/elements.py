"""Arithmetic and sparse instructions, element by element (docs/timing.md, "Arithmetic", "Sparse unit")."""

from __future__ import annotations

from typing import Any

from vecsim.engines.trace_timing import events, places
from vecsim.engines.trace_timing.issue import (
    charge,
    issue_vector,
    latest_of,
    note_dispatch,
    raise_all,
    retire,
    set_all,
    unit_of,
)
from vecsim.engines.trace_timing.operations import larger, spread, where

UNIT, LATENCY, RATE, INTERVAL, TREE, WORK, REST, WAITS = (
    events.UNIT,
    events.LATENCY,
    events.RATE,
    events.INTERVAL,
    events.TREE,
    events.WORK,
    events.REST,
    events.WAITS,
)
READS, WRITES, WHOLE_READS, WHOLE_WRITES, ACCUMULATORS, LATE = (
    events.READS,
    events.WRITES,
    events.WHOLE_READS,
    events.WHOLE_WRITES,
    events.ACCUMULATORS,
    events.LATE,
)
SECTION, READY_AT, TAKEN_AT, READY_WITHOUT_SUMS, READY_BOUND, TAKEN_BOUND, READY, TAKEN = (
    places.SECTION,
    places.READY_AT,
    places.TAKEN_AT,
    places.READY_WITHOUT_SUMS,
    places.READY_BOUND,
    places.TAKEN_BOUND,
    places.READY,
    places.TAKEN,
)
SLICE_READY, SLICE_TAKEN, SLICE_READY_WITHOUT_SUMS, FREE = (
    places.SLICE_READY,
    places.SLICE_TAKEN,
    places.SLICE_READY_WITHOUT_SUMS,
    places.FREE,
)


def whole_clear(t: Any, rows: Any, row: Any, shape: Any, slice_: Any, cycle: Any) -> Any:
    """From when all that the first element waits for as a whole is ready and free ("Chaining").

    Parameters
    ----------
    slice_
        Of the vector cache; negative for none.
    cycle
        No earlier than this.
    """
    ready_at, taken_at, without_sums = shape[READY_AT], shape[TAKEN_AT], shape[READY_WITHOUT_SUMS]
    cycle = latest_of(t, rows, row + WHOLE_READS, ready_at, cycle)
    cycle = latest_of(t, rows, row + WHOLE_WRITES, ready_at, cycle)
    cycle = latest_of(t, rows, row + ACCUMULATORS, without_sums, cycle)
    taken = latest_of(t, rows, row + WHOLE_WRITES, taken_at, spread(-1))
    cycle = larger(cycle, latest_of(t, rows, row + ACCUMULATORS, taken_at, taken) + 1)
    if slice_ >= 0:
        cycle = larger(cycle, t[shape[SLICE_READY_WITHOUT_SUMS] + slice_])
        cycle = larger(cycle, t[shape[SLICE_TAKEN] + slice_] + 1)
    return cycle


def bound_of(t: Any, rows: Any, row: Any, shape: Any) -> Any:
    """From when no bound holds up an element of what is read and written element by element."""
    cycle = latest_of(t, rows, row + READS, shape[READY_BOUND], spread(0))
    cycle = latest_of(t, rows, row + WRITES, shape[READY_BOUND], cycle)
    return larger(cycle, latest_of(t, rows, row + WRITES, shape[TAKEN_BOUND], spread(-1)) + 1)


def registers_of(rows: Any, row: Any, shape: Any) -> Any:
    """Return what an instruction reads and writes element by element, for the loop over elements.

    Returns
    -------
    reads, writes
        How many registers it reads, and writes.
    s, ready, taken
        Elements of a register; where the times of all elements begin.
    first, second, third, written
        Where in both the first three registers that it reads begin, and the first that it writes; no place if
        it has none.
    """
    s, at = shape[SECTION], row + READS + 1
    first, second, third = s * rows[at], s * rows[at + 1], s * rows[at + 2]
    written = s * rows[row + WRITES + 1]
    return (
        rows[row + READS],
        rows[row + WRITES],
        s,
        shape[READY],
        shape[TAKEN],
        first,
        second,
        third,
        written,
    )


def element_clear(t: Any, rows: Any, row: Any, named: Any, k: Any, cycle: Any) -> Any:
    """From when what element k reads is ready and what it writes is free (RAW, WAR, WAW), but for bounds.

    Parameters
    ----------
    named
        What :func:`registers_of` returns.
    cycle
        No earlier than this.
    """
    reads, writes, s, ready, taken, first, second, third, written = named
    if reads > 0:
        cycle = larger(cycle, t[ready + first + k])
    if reads > 1:
        cycle = larger(cycle, t[ready + second + k])
    if reads > 2:
        cycle = larger(cycle, t[ready + third + k])
        for j in range(3, reads):
            cycle = larger(cycle, t[ready + s * rows[row + READS + 1 + j] + k])
    if writes > 0:
        cycle = larger(cycle, larger(t[ready + written + k], t[taken + written + k] + 1))
        for j in range(1, writes):
            v = s * rows[row + WRITES + 1 + j] + k
            cycle = larger(cycle, larger(t[ready + v], t[taken + v] + 1))
    return cycle


def pass_element(t: Any, rows: Any, row: Any, named: Any, k: Any, cycle: Any, result: Any) -> None:
    """Note that element k passes in a cycle, and from when its result is ready; parameters as above."""
    reads, writes, s, ready, taken, first, second, third, written = named
    if reads > 0:
        t[taken + first + k] = larger(t[taken + first + k], cycle)
    if reads > 1:
        t[taken + second + k] = larger(t[taken + second + k], cycle)
    if reads > 2:
        t[taken + third + k] = larger(t[taken + third + k], cycle)
        for j in range(3, reads):
            place = taken + s * rows[row + READS + 1 + j] + k
            t[place] = larger(t[place], cycle)
    if writes > 0:
        t[ready + written + k] = result
        for j in range(1, writes):
            t[ready + s * rows[row + WRITES + 1 + j] + k] = result


def complete(t: Any, rows: Any, row: Any, shape: Any, last: Any, result: Any) -> None:
    """Note what the last element, which passes in ``last``, completes at ``result`` ("Chaining")."""
    raise_all(t, rows, row + READS, shape[TAKEN_AT], last)
    raise_all(t, rows, row + WRITES, shape[READY_AT], result)
    raise_all(t, rows, row + WRITES, shape[READY_WITHOUT_SUMS], result)
    if rows[row + WAITS] > 0:
        raise_all(t, rows, row + WHOLE_READS, shape[TAKEN_AT], last)
        raise_all(t, rows, row + WHOLE_READS, shape[TAKEN_BOUND], last)
        raise_all(t, rows, row + WHOLE_WRITES, shape[READY_AT], result)
        raise_all(t, rows, row + WHOLE_WRITES, shape[READY_WITHOUT_SUMS], result)
        raise_all(t, rows, row + WHOLE_WRITES, shape[READY_BOUND], result)
        raise_all(t, rows, row + ACCUMULATORS, shape[READY_AT], result)
        raise_all(t, rows, row + ACCUMULATORS, shape[READY_BOUND], result)
        set_all(t, rows, row + LATE, result)


def begin(t: Any, rows: Any, row: Any, shape: Any, number: Any, slice_: Any) -> Any:
    """Issue and dispatch an instruction; return up to when all is attributed, and when an element may start.

    Parameters
    ----------
    number
        That of the instruction among those of its unit.
    slice_
        Of the vector cache; negative for none.
    """
    kind = rows[row + UNIT]
    issued, answered = issue_vector(t, rows, row, shape, kind, number)
    dispatched = larger(issued, t[shape[FREE] + unit_of(shape, kind, number)])
    note_dispatch(t, shape, kind, number, dispatched)
    if rows[row + WAITS] > 0 or slice_ >= 0:
        dispatched = whole_clear(t, rows, row, shape, slice_, dispatched)
    return answered, dispatched


def end(
    t: Any,
    rows: Any,
    row: Any,
    shape: Any,
    number: Any,
    slice_: Any,
    answered: Any,
    last: Any,
    result: Any,
) -> None:
    """Note that an instruction leaves its unit: its last element started in ``last``; attribute its cycles.

    Parameters
    ----------
    number
        That of the instruction among those of its kind.
    slice_
        Of the vector cache; negative for none.
    answered
        Up to when all is attributed.
    """
    free = last + 1
    charge(t, rows[row + WORK], answered, free)
    charge(t, rows[row + REST], larger(answered, free), result)
    if rows[row + INTERVAL] > 0:
        free = last + t[rows[row + INTERVAL]]
    t[shape[FREE] + unit_of(shape, rows[row + UNIT], number)] = free
    if slice_ >= 0:
        place = shape[SLICE_READY] + slice_
        t[place] = larger(t[place], result)
    complete(t, rows, row, shape, last, result)
    retire(t, result)


def result_of(t: Any, rows: Any, row: Any, n: Any, last: Any) -> Any:
    """From when the last result of n elements is ready."""
    levels = 0
    if rows[row + TREE] > 0:
        while (n - 1) >> levels > 0:
            levels += 1
    return last + t[rows[row + LATENCY]] + levels


def is_masked_off(e: Any, at: Any, k: Any) -> Any:
    """1 if element k is masked off, by the bits from ``at`` on, otherwise 0."""
    return 1 - ((e[at + k // 32] >> (k % 32)) & 1)


def time_arithmetic(
    t: Any, rows: Any, row: Any, shape: Any, n: Any, number: Any, slice_: Any, e: Any, mask: Any
) -> None:
    """Time n elements, from element 0 on.

    Parameters
    ----------
    e, mask
        The events, and where among them the bits of the mask are, if it works under mask and elements that
        are masked off are skipped; otherwise 0.
    """
    answered, cycle = begin(t, rows, row, shape, number, slice_)
    rate, latency, in_cycle = t[rows[row + RATE]], t[rows[row + LATENCY]], spread(0)
    bound = bound_of(t, rows, row, shape)
    cycle = larger(cycle, bound)
    named = registers_of(rows, row, shape)
    for k in range(n):
        skipped = is_masked_off(e, mask, k) if mask > 0 else 0
        free = cycle if skipped == 1 else where(in_cycle >= rate, cycle + 1, cycle)
        now = element_clear(t, rows, row, named, k, free)
        if skipped == 0 and rows[row + INTERVAL] > 0:
            apart = larger(now, cycle + t[rows[row + INTERVAL]])
            now = where((now > cycle) & (in_cycle > 0), apart, now)
        in_cycle = where(now > cycle, 1 - skipped, in_cycle + (1 - skipped))
        cycle = now
        pass_element(t, rows, row, named, k, cycle, cycle + latency)
    end(t, rows, row, shape, number, slice_, answered, cycle, result_of(t, rows, row, n, cycle))


def time_one(t: Any, rows: Any, row: Any, shape: Any, element: Any, number: Any, slice_: Any) -> None:
    """Time an instruction of one element."""
    answered, cycle = begin(t, rows, row, shape, number, slice_)
    named = registers_of(rows, row, shape)
    cycle = element_clear(t, rows, row, named, element, larger(cycle, bound_of(t, rows, row, shape)))
    result = cycle + t[rows[row + LATENCY]]
    pass_element(t, rows, row, named, element, cycle, result)
    end(t, rows, row, shape, number, slice_, answered, cycle, result)


def time_sparse(
    t: Any, rows: Any, row: Any, shape: Any, n: Any, number: Any, slice_: Any, distances: Any, at: Any
) -> None:
    """Time n entries ("Sparse unit").

    Parameters
    ----------
    distances, at
        From this place on how far before each entry the one before in its row is.
    """
    answered, cycle = begin(t, rows, row, shape, number, slice_)
    most, most_rows, in_cycle, in_rows = t[rows[row + RATE]], t[places.ROWS_PER_CYCLE], spread(0), spread(0)
    cycle = larger(cycle, bound_of(t, rows, row, shape))
    named = registers_of(rows, row, shape)
    for k in range(n):
        distance = distances[at + k]
        new = spread(distance) > in_cycle
        full = (in_cycle >= most) | (in_rows + new > most_rows)
        now = element_clear(t, rows, row, named, k, where(full, cycle + 1, cycle))
        later = now > cycle
        in_rows = where(later, 1 if distance > 0 else 0, in_rows + new)
        in_cycle = where(later, 1, in_cycle + 1)
        cycle = now
        pass_element(t, rows, row, named, k, cycle, cycle)
    end(t, rows, row, shape, number, slice_, answered, cycle, cycle + t[rows[row + LATENCY]])
