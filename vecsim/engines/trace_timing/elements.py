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


TOGETHER = 4
"""Elements that are looked at before the first of them passes."""


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
    """From when what element k reads is ready and what it writes is free (RAW, WAR, WAW), but for bounds."""
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


def seen(t: Any, rows: Any, row: Any, named: Any, k: Any) -> Any:
    """Look at element k before it passes: several go to memory at once, which a GPU needs.

    Returns
    -------
    clear
        As :func:`element_clear`.
    first_taken, second_taken, third_taken
        When the element of the first three registers that it reads was last taken.
    """
    reads, _, _, _, taken, first, second, third, _ = named
    first_taken = second_taken = third_taken = spread(0)
    if reads > 0:
        first_taken = t[taken + first + k]
    if reads > 1:
        second_taken = t[taken + second + k]
    if reads > 2:
        third_taken = t[taken + third + k]
    clear = element_clear(t, rows, row, named, k, spread(0))
    return clear, first_taken, second_taken, third_taken


def seen_together(t: Any, rows: Any, row: Any, named: Any, k: Any) -> Any:
    """Look at TOGETHER elements from element k on; return what :func:`seen` does of each."""
    return (
        seen(t, rows, row, named, k),
        seen(t, rows, row, named, k + 1),
        seen(t, rows, row, named, k + 2),
        seen(t, rows, row, named, k + 3),
    )


def look_at(looks: Any, j: Any) -> Any:
    """What :func:`seen_together` returned of the element that is j after the first."""
    if j == 0:
        return looks[0]
    if j == 1:
        return looks[1]
    return looks[2] if j == 2 else looks[3]


def pass_element(t: Any, rows: Any, row: Any, named: Any, k: Any, look: Any, cycle: Any, result: Any) -> None:
    """Note that element k passes in a cycle, and from when its result is ready."""
    reads, writes, s, ready, taken, first, second, third, written = named
    _, first_taken, second_taken, third_taken = look
    if reads > 0:
        t[taken + first + k] = larger(first_taken, cycle)
    if reads > 1:
        t[taken + second + k] = larger(second_taken, cycle)
    if reads > 2:
        t[taken + third + k] = larger(third_taken, cycle)
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


def start_element(
    t: Any, rows: Any, row: Any, named: Any, k: Any, look: Any, e: Any, mask: Any, before: Any
) -> Any:
    """Start element k; return its cycle, and how many have started in that."""
    cycle, in_cycle = before
    skipped = is_masked_off(e, mask, k) if mask > 0 else 0
    free = cycle if skipped == 1 else where(in_cycle >= t[rows[row + RATE]], cycle + 1, cycle)
    now = larger(free, look[0])
    if skipped == 0 and rows[row + INTERVAL] > 0:
        apart = larger(now, cycle + t[rows[row + INTERVAL]])
        now = where((now > cycle) & (in_cycle > 0), apart, now)
    pass_element(t, rows, row, named, k, look, now, now + t[rows[row + LATENCY]])
    return now, where(now > cycle, 1 - skipped, in_cycle + (1 - skipped))


def time_arithmetic(
    t: Any, rows: Any, row: Any, shape: Any, n: Any, number: Any, slice_: Any, e: Any, mask: Any
) -> None:
    """Time n elements, from element 0 on; ``mask`` is 0, too, if masked-off elements are not skipped."""
    answered, cycle = begin(t, rows, row, shape, number, slice_)
    last = larger(cycle, bound_of(t, rows, row, shape)), spread(0)
    named = registers_of(rows, row, shape)
    for k in range(0, n, TOGETHER):
        looks = seen_together(t, rows, row, named, k)
        last = start_element(t, rows, row, named, k, looks[0], e, mask, last)
        if k + 1 < n:
            last = start_element(t, rows, row, named, k + 1, looks[1], e, mask, last)
        if k + 2 < n:
            last = start_element(t, rows, row, named, k + 2, looks[2], e, mask, last)
        if k + 3 < n:
            last = start_element(t, rows, row, named, k + 3, looks[3], e, mask, last)
    end(t, rows, row, shape, number, slice_, answered, last[0], result_of(t, rows, row, n, last[0]))


def time_one(t: Any, rows: Any, row: Any, shape: Any, element: Any, number: Any, slice_: Any) -> None:
    """Time an instruction of one element."""
    answered, cycle = begin(t, rows, row, shape, number, slice_)
    named = registers_of(rows, row, shape)
    look = seen(t, rows, row, named, element)
    cycle = larger(larger(cycle, bound_of(t, rows, row, shape)), look[0])
    result = cycle + t[rows[row + LATENCY]]
    pass_element(t, rows, row, named, element, look, cycle, result)
    end(t, rows, row, shape, number, slice_, answered, cycle, result)


def start_entry(
    t: Any, rows: Any, row: Any, named: Any, k: Any, look: Any, distance: Any, before: Any
) -> Any:
    """Start entry k; return its cycle, and how many entries and rows have started in that.

    Parameters
    ----------
    distance
        How far before it the one before in its row is.
    """
    cycle, in_cycle, in_rows = before
    new = spread(distance) > in_cycle
    full = (in_cycle >= t[rows[row + RATE]]) | (in_rows + new > t[places.ROWS_PER_CYCLE])
    now = larger(where(full, cycle + 1, cycle), look[0])
    later = now > cycle
    pass_element(t, rows, row, named, k, look, now, now)
    return now, where(later, 1, in_cycle + 1), where(later, 1 if distance > 0 else 0, in_rows + new)


def time_sparse(
    t: Any, rows: Any, row: Any, shape: Any, n: Any, number: Any, slice_: Any, e: Any, at: Any
) -> None:
    """Time n entries ("Sparse unit"); from ``at`` on is how far before each the one before in its row is."""
    answered, cycle = begin(t, rows, row, shape, number, slice_)
    last = larger(cycle, bound_of(t, rows, row, shape)), spread(0), spread(0)
    named = registers_of(rows, row, shape)
    for k in range(0, n, TOGETHER):
        looks = seen_together(t, rows, row, named, k)
        last = start_entry(t, rows, row, named, k, looks[0], e[at + k], last)
        if k + 1 < n:
            last = start_entry(t, rows, row, named, k + 1, looks[1], e[at + k + 1], last)
        if k + 2 < n:
            last = start_entry(t, rows, row, named, k + 2, looks[2], e[at + k + 2], last)
        if k + 3 < n:
            last = start_entry(t, rows, row, named, k + 3, looks[3], e[at + k + 3], last)
    end(t, rows, row, shape, number, slice_, answered, last[0], last[0] + t[rows[row + LATENCY]])
