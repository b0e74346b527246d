"""Compiled, parallel loops that cut warps into groups and write their entries."""

from typing import Any

import numpy as np
from numba import njit, prange

WARP = 32
GROUPS = 6


@njit(parallel=True, cache=True)
def cut_lengths(order: Any, lengths: Any, warps: int) -> Any:
    """Give the length up to which each group of each warp holds entries, (warps, 6).

    Group g has the 32 / 2^g longest rows; it ends where the longest row of their shorter half ends.
    """
    cuts = np.zeros((warps, GROUPS), np.int64)
    for warp in prange(warps):
        for group in range(GROUPS):
            place = warp * WARP + ((WARP >> group) >> 1)
            if place < len(order):
                cuts[warp, group] = lengths[order[place]]
    return cuts


@njit(parallel=True, cache=True)
def fill(
    order: Any,
    lengths: Any,
    pointers: Any,
    indices: Any,
    data: Any,
    cuts: Any,
    group_ptr: Any,
    columns: Any,
    values: Any,
) -> None:
    """Write `columns` and `values`, padding included. Each entry is read once and written once.

    Parameters
    ----------
    order
        (M,) int64: the rows, warp after warp.
    lengths
        (M,) int64: entries of each row, by its number.
    pointers, indices, data
        The matrix, sorted CSR without duplicates.
    cuts
        (W, 6) int64: as `cut_lengths` gives them.
    group_ptr
        (6 W + 1,) int64: the step at which each group begins.
    columns, values
        (32 steps,) uint32 and floats: what is written.
    """
    padding = ~columns.dtype.type(0)
    for warp in prange(len(cuts)):
        begun = 0
        for group in range(GROUPS):
            cut = cuts[warp, group]
            for step in range(group_ptr[warp * GROUPS + group], group_ptr[warp * GROUPS + group + 1]):
                for thread in range(WARP):
                    place = warp * WARP + (thread >> group)
                    row = order[place] if place < len(order) else -1
                    entry = begun + ((step - group_ptr[warp * GROUPS + group]) << group)
                    entry += thread & ((1 << group) - 1)
                    at = step * WARP + thread
                    if row >= 0 and entry < min(cut, lengths[row]):
                        columns[at] = indices[pointers[row] + entry]
                        values[at] = data[pointers[row] + entry]
                    else:
                        columns[at] = padding
                        values[at] = 0
            begun = cut
