"""Compiled, parallel loops that sort rows by length and write their entries in slices."""

from typing import Any

import numpy as np
from numba import njit, prange

ROWS_AT_ONCE = 512


@njit(parallel=True, cache=True)
def sorted_by_falling_length(lengths: Any, window: int) -> Any:
    """Give the rows by falling length within each run of `window` rows, equal lengths in order.

    A counting sort: two passes over the lengths of a run and one over the counts.
    """
    rows = len(lengths)
    order = np.empty(rows, np.int64)
    for run in prange((rows + window - 1) // window):
        first, last = run * window, min(rows, (run + 1) * window)
        longest = 0
        for row in range(first, last):
            longest = max(longest, lengths[row])
        place = np.zeros(longest + 2, np.int64)
        for row in range(first, last):
            place[longest - lengths[row] + 1] += 1
        for k in range(longest + 1):
            place[k + 1] += place[k]
        for row in range(first, last):
            k = longest - lengths[row]
            order[first + place[k]] = row
            place[k] += 1
    return order


@njit(parallel=True, cache=True)
def column_bounds(
    order: Any, starts: Any, lengths: Any, indices: Any, first_step: Any, height: int, group: int
) -> Any:
    """Give the lowest and the highest column of each step; lowest > highest where it holds padding alone.

    Parameters
    ----------
    order
        int64: the virtual rows, in the order of the slices.
    starts, lengths
        int64: where the entries of each virtual row begin, and how many they are.
    indices
        Columns, (nnz,) integers.
    first_step
        (S + 1,) int64: the first step of each slice, then their number.
    height, group
        Rows of a slice, and entries of a row in a step.
    """
    slices = len(first_step) - 1
    steps = first_step[slices]
    lowest = np.full(steps, np.int64(2**31), np.int64)
    highest = np.full(steps, np.int64(-1), np.int64)
    for s in prange(slices):
        for position in range(s * height, min(len(order), (s + 1) * height)):
            row = order[position]
            for j in range(lengths[row]):
                column = indices[starts[row] + j]
                step = first_step[s] + j // group
                lowest[step] = min(lowest[step], column)
                highest[step] = max(highest[step], column)
    return lowest, highest


@njit(parallel=True, cache=True)
def fill(
    order: Any,
    starts: Any,
    lengths: Any,
    indices: Any,
    data: Any,
    first_step: Any,
    step_base: Any,
    height: int,
    group: int,
    columns: Any,
    values: Any,
) -> None:
    """Write `columns` and `values`, padding included. Each entry is read once and written once.

    Parameters
    ----------
    order, starts, lengths
        As for `column_bounds`.
    indices, data
        (nnz,) integers and floats: columns and values of the matrix.
    first_step
        (S + 1,) int64: the first step of each slice, then their number.
    step_base
        int64: the base column of each step, or nothing where columns are whole.
    height, group
        Rows of a slice, and entries of a row in a step.
    columns, values
        uint32 or uint16, and floats: what is written.
    """
    padding = ~columns.dtype.type(0)
    positions = (len(first_step) - 1) * height
    based = len(step_base) > 0
    for part in prange((positions + ROWS_AT_ONCE - 1) // ROWS_AT_ONCE):
        for position in range(part * ROWS_AT_ONCE, min(positions, (part + 1) * ROWS_AT_ONCE)):
            s = position // height
            row = order[position] if position < len(order) else -1
            length = lengths[row] if row >= 0 else 0
            start = starts[row] if row >= 0 else 0
            place = first_step[s] * height * group + (position - s * height) * group
            j = 0
            for step in range(first_step[s], first_step[s + 1]):
                base = step_base[step] if based else 0
                for g in range(group):
                    if j < length:
                        columns[place + g] = indices[start + j] - base
                        values[place + g] = data[start + j]
                    else:
                        columns[place + g] = padding
                        values[place + g] = 0
                    j += 1
                place += height * group
