"""Compiled, parallel loops that sort rows by length, find dense blocks, and write both in slices."""

from typing import Any

import numpy as np
from numba import njit, prange


@njit(cache=True)
def _next_block(indptr: Any, indices: Any, first_row: int, last_row: int, block: int, at: Any) -> Any:
    """Return the lowest block column of the rows from `at` on, and move `at` past it; -1 at their end."""
    lowest = np.int64(2**62)
    for k in range(last_row - first_row):
        if at[k] < indptr[first_row + k + 1]:
            lowest = min(lowest, np.int64(indices[at[k]]))
    if lowest == 2**62:
        return np.int64(-1)
    number = lowest // block
    # One division a block; entries are compared with the column after it.
    behind = (number + 1) * block
    for k in range(last_row - first_row):
        place, end = at[k], np.int64(indptr[first_row + k + 1])
        while place < end and indices[place] < behind:
            place += 1
        at[k] = place
    return number


@njit(parallel=True, cache=True)
def count_blocks(indptr: Any, indices: Any, block: int) -> Any:
    """Return the blocks of `block` x `block` that each row of blocks has."""
    rows = len(indptr) - 1
    counts = np.zeros((rows + block - 1) // block, np.int64)
    for block_row in prange(len(counts)):
        first, last = block_row * block, min(rows, (block_row + 1) * block)
        at = np.empty(block, np.int64)
        for row in range(first, last):
            at[row - first] = indptr[row]
        count = 0
        while _next_block(indptr, indices, first, last, block, at) >= 0:
            count += 1
        counts[block_row] = count
    return counts


@njit(parallel=True, cache=True)
def block_columns(indptr: Any, indices: Any, block: int, block_ptr: Any) -> Any:
    """Return the column of each block, in units of blocks, by block row and rising.

    Parameters
    ----------
    indptr, indices
        Of the matrix, sorted CSR without duplicates: (M + 1,) and (nnz,) integers.
    block
        b, the side of a block.
    block_ptr
        int64: where the blocks of each row of blocks begin, then their number.
    """
    rows = len(indptr) - 1
    columns = np.empty(block_ptr[-1], np.int32)
    for block_row in prange(len(block_ptr) - 1):
        first, last = block_row * block, min(rows, (block_row + 1) * block)
        at = np.empty(block, np.int64)
        for row in range(first, last):
            at[row - first] = indptr[row]
        for place in range(block_ptr[block_row], block_ptr[block_row + 1]):
            columns[place] = _next_block(indptr, indices, first, last, block, at)
    return columns


@njit(parallel=True, cache=True)
def fill_blocks(
    order: Any,
    block_ptr: Any,
    of_block: Any,
    indptr: Any,
    indices: Any,
    data: Any,
    first_step: Any,
    step_base: Any,
    height: int,
    group: int,
    block: int,
    columns: Any,
    masks: Any,
    values: Any,
) -> None:
    """Write `columns`, `masks` and `values`, padding included; `masks` may be empty.

    Parameters
    ----------
    order
        int64: the rows of blocks, in the order of the slices.
    block_ptr, of_block
        int64 and int32: where the blocks of each row of blocks begin, and the column of each block.
    indptr, indices, data
        The matrix, sorted CSR without duplicates: (M + 1,) and (nnz,) integers, (nnz,) floats.
    first_step
        (S + 1,) int64: the first step of each slice, then their number.
    step_base
        int64: the base column of each step, or nothing where columns are whole.
    height, group
        Rows of blocks in a slice, and blocks of a row in a step.
    block
        b, the side of a block.
    columns, masks, values
        uint32 or uint16, uint16 and floats: what is written; `masks` may be empty.
    """
    rows = len(indptr) - 1
    padding = ~columns.dtype.type(0)
    positions = (len(first_step) - 1) * height
    for part in prange((positions + ROWS_AT_ONCE - 1) // ROWS_AT_ONCE):
        at = np.empty(block, np.int64)
        for position in range(part * ROWS_AT_ONCE, min(positions, (part + 1) * ROWS_AT_ONCE)):
            s = position // height
            within = position - s * height
            block_row = order[position] if position < len(order) else -1
            first = block_row * block if block_row >= 0 else 0
            last = min(rows, first + block) if block_row >= 0 else 0
            for row in range(first, last):
                at[row - first] = indptr[row]
            j = block_ptr[block_row] if block_row >= 0 else 0
            end = block_ptr[block_row + 1] if block_row >= 0 else 0
            for step in range(first_step[s], first_step[s + 1]):
                base = step_base[step] if len(step_base) else 0
                for g in range(group):
                    place = (step * height + within) * group + g
                    columns[place] = of_block[j] - base if j < end else padding
                    mask = 0
                    for r in range(block):
                        row = first + r
                        for k in range(block):
                            value = 0.0
                            left = j < end and row < last and at[r] < indptr[row + 1]
                            if left and indices[at[r]] == of_block[j] * block + k:
                                value = data[at[r]]
                                at[r] += 1
                                mask |= 1 << (r * block + k)
                            target = ((step * block + k) * height * block + within * block + r) * group + g
                            values[target] = value
                    if len(masks):
                        masks[place] = mask
                    j += 1


ROWS_AT_ONCE = 512


@njit(cache=True)
def by_falling(keys: Any, order: Any) -> Any:
    """Sort `order` by the falling keys of its elements, equal ones in the order they are in, by counting."""
    highest = 0
    for k in range(len(keys)):
        highest = max(highest, keys[k])
    place = np.zeros(highest + 2, np.int64)
    for k in range(len(order)):
        place[highest - keys[order[k]] + 1] += 1
    for k in range(highest + 1):
        place[k + 1] += place[k]
    result = np.empty_like(order)
    for k in range(len(order)):
        key = highest - keys[order[k]]
        result[place[key]] = order[k]
        place[key] += 1
    return result


@njit(parallel=True, cache=True)
def sorted_by_falling_length(lengths: Any, window: int) -> Any:
    """Return the rows by falling length within each run of `window` rows, equal lengths in order."""
    rows = len(lengths)
    order = np.empty(rows, np.int64)
    for run in prange((rows + window - 1) // window):
        first, last = run * window, min(rows, (run + 1) * window)
        order[first:last] = first + by_falling(lengths[first:last], np.arange(last - first))
    return order


@njit(parallel=True, cache=True)
def column_bounds(
    order: Any, starts: Any, lengths: Any, indices: Any, first_step: Any, height: int, group: int
) -> Any:
    """Return the lowest and the highest column of each step; lowest > highest where it holds padding alone.

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
