"""Compiled loops of the sliced format with two index widths: over all cores where matrices are long."""

from typing import Any

import numpy as np
from numba import njit, prange

WARP = 32
NEAR_COLUMNS = 2**16 - 1
"""Columns that 16 bits tell apart; 0 marks padding."""
SAMPLES = 1024
"""Columns of a window that its base is chosen by."""


@njit(parallel=True, cache=True)
def window_bases(indptr: Any, indices: Any, window: int, columns: int) -> Any:
    """Give the first of 65,535 columns for each window of rows: those that hold most of a sample of them."""
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
                # In the middle, so that columns beside the sample are near, too.
                spare = (NEAR_COLUMNS - 1 - (sample[high] - sample[low])) // 2
                bases[number] = max(0, min(sample[low] - spare, columns - NEAR_COLUMNS))
    return bases


@njit(parallel=True, cache=True)
def count_near(indptr: Any, indices: Any, bases: Any, window: int, ranks: Any) -> Any:
    """Count the near entries of each row: those with a rank, or where there are none, those at its base."""
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
    """Write the entries row by row, near ones first: by rank, or else by column; far ones by column.

    The code of a near entry is its rank or its offset from the base, of a far one its column, each plus 1.
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
            kept = values[first:at].copy()
            for k in range(at - first):
                codes[first + k] = keys[k] >> 32
                values[first + k] = kept[keys[k] & 0xFFFFFFFF]


@njit(cache=True)
def lanes_for(entries: int, steps: int) -> int:
    """Give the fewest lanes, a power of two, with which a row takes at most `steps` steps; at most a warp."""
    lanes = 1
    while lanes < WARP and entries > steps * lanes:
        lanes *= 2
    return lanes


@njit(parallel=True, cache=True)
def sorted_in_windows(near: Any, far: Any, window_ptr: Any, steps: int) -> Any:
    """Give the virtual rows of each window by falling lanes, near and far entries, equal ones in order."""
    order = np.empty(len(near), np.int64)
    for number in prange(len(window_ptr) - 1):
        first, last = window_ptr[number], window_ptr[number + 1]
        keys = np.empty(last - first, np.int64)
        for k in range(first, last):
            lanes = np.int64(lanes_for(near[k] + far[k], steps))
            # A piece has far fewer than 2^28 entries.
            keys[k - first] = -((lanes << 56) | (near[k] << 28) | far[k])
        order[first:last] = first + np.argsort(keys, kind="mergesort")
    return order


@njit(cache=True)
def cut_slices(near: Any, far: Any, window_ptr: Any, steps: int) -> Any:
    """Cut sorted virtual rows into slices: first row, window, lanes a row, near and far steps of each.

    The lanes of a slice are those of its first row, which needs the most. A slice never crosses a window.
    """
    rows = len(near)
    slices = np.empty((rows, 5), np.int64)
    count = 0
    for window in range(len(window_ptr) - 1):
        row = window_ptr[window]
        while row < window_ptr[window + 1]:
            lanes = lanes_for(near[row] + far[row], steps)
            last = min(row + WARP // lanes, window_ptr[window + 1])
            most_near, most_far = 0, 0
            for k in range(row, last):
                most_near, most_far = max(most_near, near[k]), max(most_far, far[k])
            slices[count, 0], slices[count, 1], slices[count, 2] = row, window, lanes
            slices[count, 3], slices[count, 4] = -(-most_near // lanes), -(-most_far // lanes)
            row = last
            count += 1
    return slices[:count]


@njit(parallel=True, cache=True)
def steps_of_lanes(entries: Any, first: Any, last: Any, lanes_of: Any) -> Any:
    """Give the steps in which each lane of each slice has an entry, of rows with so many entries each."""
    steps = np.zeros(len(lanes_of) * WARP, np.uint8)
    for s in prange(len(lanes_of)):
        lanes = lanes_of[s]
        for row in range(first[s], last[s]):
            for k in range(lanes):
                own = (entries[row] - k + lanes - 1) // lanes
                steps[s * WARP + (row - first[s]) * lanes + k] = max(0, own)
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
    lanes_of: Any,
    step_ptr: Any,
    near_ptr: Any,
    wide: int,
    near_columns: Any,
    far_columns: Any,
    values: Any,
) -> None:
    """Write columns and values of all slices; they are zero before.

    `starts`, `near` and `far` say where the entries of each sorted virtual row begin and how many they are.
    """
    for s in prange(len(lanes_of)):
        lanes = lanes_of[s]
        step, near_step = step_ptr[s], near_ptr[s]
        far_step = step - near_step
        near_steps = near_ptr[s + 1] - near_step
        for row in range(first[s], last[s]):
            lane = (row - first[s]) * lanes
            for j in range(near[row]):
                within = _place(j, lane, lanes, wide)
                near_columns[near_step * WARP + within] = codes[starts[row] + j]
                values[step * WARP + within] = data[starts[row] + j]
            for j in range(far[row]):
                within = _place(j, lane, lanes, wide)
                far_columns[far_step * WARP + within] = codes[starts[row] + near[row] + j]
                values[(step + near_steps) * WARP + within] = data[starts[row] + near[row] + j]


@njit(cache=True)
def _place(j: int, lane: int, lanes: int, wide: int) -> int:
    """Give where entry j of a row stands whose first lane is `lane`: `wide` steps of a lane side by side."""
    step = j // lanes
    return ((step // wide) * WARP + lane + j % lanes) * wide + step % wide
