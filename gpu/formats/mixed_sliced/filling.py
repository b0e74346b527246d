"""Compiled loops of the sliced format with two index widths: over all cores where matrices are long."""

from typing import Any

import numpy as np
from numba import njit, prange

from gpu.formats.sliced.filling import by_falling

WARP = 32
NEAR_COLUMNS = 2**16 - 1
"""Columns that 16 bits tell apart; 0 marks padding."""
THREADS_PER_ROW = 4
"""Column of the threads a row in what `cut_slices` returns."""
MANY_ROWS = 2**15
"""Of a window: from here on, counting lengths costs less than comparing them."""
MOST_HISTOGRAMS = 8
"""Parts of the entries whose columns are counted apart."""
SAMPLES = 1024
"""Columns of a window that its base is chosen by."""


@njit(parallel=True, cache=True)
def window_bases(indptr: Any, indices: Any, window: int, columns: int) -> Any:
    """Return the first of 65,535 columns for each window of rows: those that hold most of a sample of them.

    Parameters
    ----------
    indptr, indices
        Of the matrix, sorted CSR without duplicates: (M + 1,) and (nnz,) integers.
    window
        Rows of a window.
    columns
        N.
    """
    rows = len(indptr) - 1
    bases = np.zeros((rows + window - 1) // window, np.int64)
    for number in prange(len(bases)):
        first = np.int64(indptr[number * window])
        entries = np.int64(indptr[min(rows, (number + 1) * window)]) - first
        stride = max(1, entries // SAMPLES)
        sample = np.sort(indices[first : first + entries : stride])
        best, low = 0, 0
        for high in range(len(sample)):
            while sample[high] - sample[low] >= NEAR_COLUMNS:
                low += 1
            if high - low + 1 > best:
                best = high - low + 1
                # In the middle, so that columns next to the sample are near, too.
                spare = (NEAR_COLUMNS - 1 - (sample[high] - sample[low])) // 2
                bases[number] = max(0, min(sample[low] - spare, columns - NEAR_COLUMNS))
    return bases


@njit(parallel=True, cache=True)
def count_near(indptr: Any, indices: Any, bases: Any, window: int, ranks: Any) -> Any:
    """Count the near entries of each row: those with a rank, or where there are none, those at its base.

    Parameters
    ----------
    indptr, indices
        Of the matrix, sorted CSR without duplicates: (M + 1,) and (nnz,) integers.
    bases
        int64: the base of each window of rows; none where columns have ranks.
    window
        Rows of a window.
    ranks
        (N,) uint16: 1 + the place of each column among the hubs, 0 for the others; none without hubs.
    """
    rows = len(indptr) - 1
    near = np.zeros(rows, np.int64)
    ranked = len(ranks) > 0
    for row in prange(rows):
        base = bases[row // window] if len(bases) else 0
        count = 0
        for k in range(indptr[row], indptr[row + 1]):
            column = indices[k]
            count += ranks[column] > 0 if ranked else 0 <= column - base < NEAR_COLUMNS
        near[row] = count
    return near


@njit(parallel=True, cache=True)
def near_first(
    indptr: Any,
    indices: Any,
    data: Any,
    near: Any,
    bases: Any,
    window: int,
    ranks: Any,
    codes: Any,
    values: Any,
) -> None:
    """Write the entries row by row, near ones first: by rank, or otherwise by column; far ones by column.

    The code of a near entry is its rank or its offset from the base, of a far one its column, each plus 1.

    Parameters
    ----------
    indptr, indices, data
        The matrix, sorted CSR without duplicates: (M + 1,) and (nnz,) integers, (nnz,) floats.
    near
        (M,) int64: the near entries of each row, as `count_near` returns them.
    bases, window, ranks
        As for `count_near`.
    codes, values
        (nnz,) uint32 and floats: what is written.
    """
    rows = len(indptr) - 1
    ranked = len(ranks) > 0
    for row in prange(rows):
        first, last = np.int64(indptr[row]), np.int64(indptr[row + 1])
        base = bases[row // window] if len(bases) else 0
        at, far = first, first + near[row]
        for k in range(first, last):
            column = np.int64(indices[k])
            code = np.int64(ranks[column]) if ranked else column - base + 1
            if 0 < code <= NEAR_COLUMNS:
                codes[at], values[at] = code, data[k]
                at += 1
            else:
                codes[far], values[far] = column + 1, data[k]
                far += 1
        if ranked and at > first + 1:
            # Rank above, place below, in one number.
            keys = np.empty(at - first, np.int64)
            for k in range(at - first):
                keys[k] = (np.int64(codes[first + k]) << 32) | k
            keys.sort()
            recorded = values[first:at].copy()
            for k in range(at - first):
                codes[first + k] = keys[k] >> 32
                values[first + k] = recorded[keys[k] & 0xFFFFFFFF]


@njit(cache=True)
def threads_per_row_for(entries: int, steps: int, most: int) -> int:
    """Return the fewest threads, a power of two up to `most`, that take a row in at most `steps` steps."""
    threads_per_row = 1
    while threads_per_row < most and entries > steps * threads_per_row:
        threads_per_row *= 2
    return threads_per_row


@njit(parallel=True, cache=True)
def column_counts(indices: Any, columns: int) -> Any:
    """Count the entries of each column."""
    parts = max(1, min(MOST_HISTOGRAMS, len(indices) // max(1, columns)))
    counts = np.zeros((parts, columns), np.int32)
    for part in prange(parts):
        for k in range(part * len(indices) // parts, (part + 1) * len(indices) // parts):
            counts[part, indices[k]] += 1
    total = np.zeros(columns, np.int64)
    for column in prange(columns):
        for part in range(parts):
            total[column] += counts[part, column]
    return total


@njit(cache=True)
def _bit(power: int) -> int:
    bit = 0
    while (1 << bit) < power:
        bit += 1
    return bit


@njit(parallel=True, cache=True)
def sorted_in_windows(near: Any, far: Any, window_ptr: Any, steps: int, most_threads_per_row: int) -> Any:
    """Return the virtual rows of each window by falling threads, near and far entries, equal ones in order.

    Parameters
    ----------
    near, far
        int64: near and far entries of each virtual row.
    window_ptr
        int64: the first virtual row of each window, then their number.
    steps, most_threads_per_row
        As for `threads_per_row_for`.
    """
    order = np.empty(len(near), np.int64)
    for number in prange(len(window_ptr) - 1):
        first, last = window_ptr[number], window_ptr[number + 1]
        keys = np.empty(last - first, np.int64)
        if last - first > MANY_ROWS:
            for k in range(first, last):
                keys[k - first] = threads_per_row_for(near[k] + far[k], steps, most_threads_per_row)
            sorted_ = by_falling(far[first:last], np.arange(last - first))
            sorted_ = by_falling(near[first:last], sorted_)
            order[first:last] = first + by_falling(keys, sorted_)
            continue
        for k in range(first, last):
            threads_per_row = np.int64(threads_per_row_for(near[k] + far[k], steps, most_threads_per_row))
            # A piece has far fewer than 2^28 entries.
            keys[k - first] = -((_bit(threads_per_row) << 56) | (near[k] << 28) | far[k])
        order[first:last] = first + np.argsort(keys, kind="mergesort")
    return order


@njit(cache=True)
def cut_slices(near: Any, far: Any, window_ptr: Any, steps: int, most_threads_per_row: int) -> Any:
    """Cut sorted virtual rows into slices.

    Returns for each: first row, the one after its last, which of the slices of its row it is, window,
    threads a row, near and far steps. A slice has the threads a row of its first row, which needs the most,
    and never crosses a window. A row with more threads than a warp has several slices.

    Parameters
    ----------
    near, far
        int64: near and far entries of each virtual row, sorted.
    window_ptr
        int64: the first virtual row of each window, then their number.
    steps, most_threads_per_row
        As for `threads_per_row_for`.
    """
    rows = len(near)
    most = 0
    for row in range(rows):
        most += max(1, threads_per_row_for(near[row] + far[row], steps, most_threads_per_row) // WARP)
    slices = np.empty((most, 7), np.int64)
    count = 0
    for window in range(len(window_ptr) - 1):
        row = window_ptr[window]
        while row < window_ptr[window + 1]:
            threads_per_row = threads_per_row_for(near[row] + far[row], steps, most_threads_per_row)
            last = min(row + max(1, WARP // threads_per_row), window_ptr[window + 1])
            most_near, most_far = 0, 0
            for k in range(row, last):
                most_near, most_far = max(most_near, near[k]), max(most_far, far[k])
            for part in range(max(1, threads_per_row // WARP)):
                slices[count, 0], slices[count, 1], slices[count, 2] = row, last, part
                slices[count, 3], slices[count, THREADS_PER_ROW] = window, threads_per_row
                slices[count, 5], slices[count, 6] = (
                    -(-most_near // threads_per_row),
                    -(-most_far // threads_per_row),
                )
                count += 1
            row = last
    return slices[:count]


@njit(parallel=True, cache=True)
def steps_of_threads(entries: Any, first: Any, last: Any, part: Any, threads_of: Any) -> Any:
    """Return the steps in which each thread of each slice has an entry, of rows with this many entries each.

    Parameters
    ----------
    entries
        int64: near, or far, entries of each sorted virtual row.
    first, last
        (S,) int64: the first virtual row of each slice, and the one after its last.
    part
        (S,) int64: which of the slices of its row each slice is.
    threads_of
        (S,) int64: threads a row.
    """
    steps = np.zeros(len(threads_of) * WARP, np.uint8)
    for s in prange(len(threads_of)):
        threads_per_row = threads_of[s]
        for row in range(first[s], last[s]):
            for k in range(min(threads_per_row, WARP)):
                own = (entries[row] - (part[s] * WARP + k) + threads_per_row - 1) // threads_per_row
                steps[s * WARP + (row - first[s]) * threads_per_row + k] = max(0, own)
    return steps


@njit(parallel=True, cache=True)
def fill(
    starts: Any,
    near: Any,
    far: Any,
    codes: Any,
    data: Any,
    first: Any,
    last: Any,
    part: Any,
    threads_of: Any,
    step_ptr: Any,
    near_ptr: Any,
    wide: int,
    near_columns: Any,
    far_columns: Any,
    values: Any,
) -> None:
    """Write columns and values of all slices; they are zero before.

    `starts`, `near` and `far` say where the entries of each sorted virtual row begin and how many they are.

    Parameters
    ----------
    starts, near, far
        int64: where the entries of each sorted virtual row begin, and how many are near and far.
    codes, data
        (nnz,) uint32 and floats: as `near_first` writes them.
    first, last, part, threads_of
        As for `steps_of_threads`.
    step_ptr, near_ptr
        (S + 1,) int64: the steps, and the near steps, before each slice.
    wide
        Steps of a thread that stand side by side.
    near_columns, far_columns, values
        uint16, uint32 and floats: what is written.
    """
    for s in prange(len(threads_of)):
        threads_per_row = threads_of[s]
        step, near_step = step_ptr[s], near_ptr[s]
        far_step = step - near_step
        near_steps = near_ptr[s + 1] - near_step
        for row in range(first[s], last[s]):
            lane = (row - first[s]) * threads_per_row
            start = starts[row]
            _fill_row(
                codes[start : start + near[row]],
                data[start : start + near[row]],
                part[s] * WARP,
                lane,
                threads_per_row,
                wide,
                near_columns[near_step * WARP :],
                values[step * WARP :],
            )
            _fill_row(
                codes[start + near[row] : start + near[row] + far[row]],
                data[start + near[row] : start + near[row] + far[row]],
                part[s] * WARP,
                lane,
                threads_per_row,
                wide,
                far_columns[far_step * WARP :],
                values[(step + near_steps) * WARP :],
            )


@njit(cache=True)
def _fill_row(
    codes: Any,
    data: Any,
    first: int,
    lane: int,
    threads_per_row: int,
    wide: int,
    columns: Any,
    values: Any,
) -> None:
    """Write near or far entries of a row into a slice: those of its threads from `first` on, at `lane` there.

    `wide` steps of a thread stand side by side.
    """
    for step in range((len(codes) + threads_per_row - 1) // threads_per_row):
        j = step * threads_per_row + first
        place = ((step // wide) * WARP + lane) * wide + step % wide
        for k in range(j, min(len(codes), j + min(threads_per_row, WARP))):
            columns[place] = codes[k]
            values[place] = data[k]
            place += wide
