"""Compiled, parallel loops that bring sorted CSR into the formats of cuSPARSE."""

from typing import Any

import numpy as np
from numba import njit, prange

ROWS_AT_ONCE = 512


@njit(parallel=True, cache=True)
def rows_of_entries(indptr: Any) -> Any:
    """Give the row of each entry, int32."""
    rows = np.empty(indptr[-1], np.int32)
    for row in prange(len(indptr) - 1):
        for place in range(indptr[row], indptr[row + 1]):
            rows[place] = row
    return rows


@njit(parallel=True, cache=True)
def slice_offsets(indptr: Any, height: int) -> Any:
    """Give where each slice of `height` rows, padded to its longest, begins, then all places; int64."""
    rows = len(indptr) - 1
    slices = (rows + height - 1) // height
    offsets = np.zeros(slices + 1, np.int64)
    for number in prange(slices):
        widest = 0
        for row in range(number * height, min(rows, (number + 1) * height)):
            widest = max(widest, indptr[row + 1] - indptr[row])
        offsets[number + 1] = widest * height
    for number in range(slices):
        offsets[number + 1] += offsets[number]
    return offsets


@njit(parallel=True, cache=True)
def fill_slices(
    indptr: Any, indices: Any, data: Any, offsets: Any, height: int, columns: Any, values: Any
) -> None:
    """Write slices column by column, -1 and 0 where there is nothing.

    Parameters
    ----------
    indptr, indices, data
        Of the sorted CSR matrix.
    offsets
        int64 of S + 1: places before each slice.
    height
        Rows of a slice.
    columns, values
        One a place, to be written.
    """
    rows = len(indptr) - 1
    for number in prange(len(offsets) - 1):
        begin = offsets[number]
        width = (offsets[number + 1] - begin) // height
        for at in range(height):
            row = number * height + at
            first = indptr[row] if row < rows else 0
            length = indptr[row + 1] - first if row < rows else 0
            for k in range(width):
                place = begin + k * height + at
                columns[place] = indices[first + k] if k < length else -1
                values[place] = data[first + k] if k < length else 0


@njit(parallel=True, cache=True)
def block_counts(indptr: Any, indices: Any, block: int) -> Any:
    """Give the non-empty blocks of each row of square blocks, at r + 1 for row r; int64."""
    rows = len(indptr) - 1
    block_rows = (rows + block - 1) // block
    counts = np.zeros(block_rows + 1, np.int64)
    for number in prange(block_rows):
        at = np.empty(block, np.int64)
        _begin(indptr, number, block, at)
        while _next_block(indptr, indices, number, block, at) >= 0:
            counts[number + 1] += 1
    return counts


@njit(parallel=True, cache=True)
def fill_blocks(
    indptr: Any,
    indices: Any,
    data: Any,
    offsets: Any,
    block: int,
    by_row: bool,
    columns: Any,
    values: Any,
) -> None:
    """Write blocks row by row of blocks, their columns rising; `values` are zeros before.

    Parameters
    ----------
    indptr, indices, data
        Of the sorted CSR matrix.
    offsets
        Blocks before each row of blocks, then of all.
    block
        Rows and columns of a block.
    by_row
        Whether the elements of a block stand row by row; else column by column.
    columns, values
        One a block and one an element, to be written.
    """
    rows = len(indptr) - 1
    for number in prange(len(offsets) - 1):
        at, before = np.empty(block, np.int64), np.empty(block, np.int64)
        _begin(indptr, number, block, at)
        for place in range(offsets[number], offsets[number + 1]):
            before[:] = at
            column = _next_block(indptr, indices, number, block, at)
            columns[place] = column
            for r in range(min(block, rows - number * block)):
                for entry in range(before[r], at[r]):
                    q = indices[entry] - column * block
                    inner = r * block + q if by_row else q * block + r
                    values[place * block * block + inner] = data[entry]


@njit(cache=True)
def _begin(indptr: Any, number: int, block: int, at: Any) -> None:
    """Set out at the beginning of each row of a row of blocks."""
    for r in range(block):
        at[r] = indptr[min(number * block + r, len(indptr) - 1)]


@njit(cache=True)
def _next_block(indptr: Any, indices: Any, number: int, block: int, at: Any) -> Any:
    """Give the column of the next block and go past it in all rows; -1 behind the last."""
    rows = len(indptr) - 1
    height = min(block, rows - number * block)
    none = np.int64(2**31)
    column = none
    for r in range(height):
        if at[r] < indptr[number * block + r + 1]:
            column = min(column, np.int64(indices[at[r]]) // block)
    if column == none:
        return -1
    for r in range(height):
        end = indptr[number * block + r + 1]
        while at[r] < end and indices[at[r]] // block == column:
            at[r] += 1
    return column
