"""Compiled loops over the entries of a CSR matrix: into which leaves they fall, and into these."""

from typing import Any

import numpy as np
from numba import njit

GOLDEN = 2654435769
"""2^32 over the golden ratio: multiplied with it, neighbours fall far apart."""


@njit(cache=True)
def place_in(keys: Any, block: Any, direct: bool) -> Any:
    """Return where a table has a block column, or where it may be put.

    Parameters
    ----------
    keys
        The table: block columns, -1 where there is none; as many as a power of two.
    block
        The block column.
    direct
        Whether there is a place for every block column.
    """
    if direct:
        return block
    mask = len(keys) - 1
    place = ((block * GOLDEN & 0xFFFFFFFF) >> 8) & mask
    while keys[place] != -1 and keys[place] != block:
        place = (place + 1) & mask
    return place


@njit(nogil=True, cache=True)
def find_leaves(
    stripes: Any,
    indptr: Any,
    indices: Any,
    bits: int,
    starts: Any,
    size: int,
    direct: bool,
    columns: Any,
    counts: Any,
    found: Any,
) -> None:
    """Count the entries of each leaf, stripe by stripe of d rows; leaves of a stripe as they are first met.

    Parameters
    ----------
    stripes
        int64 of 2: the first stripe, and the one behind the last.
    indptr, indices
        The matrix, sorted CSR without duplicates.
    bits
        log2 of d.
    starts
        int64 of stripes + 1: places before each stripe, one a leaf that it may have at most.
    size, direct
        Of the table, as `place_in` has it.
    columns, counts
        What is written at these places: int32 block columns and entries.
    found
        What is written: int64 leaves of each stripe.
    """
    rows = len(indptr) - 1
    keys = np.full(size, -1, np.int32)
    leaf_at = np.empty(size, np.int64)
    touched = np.empty(size, np.int64)
    for stripe in range(stripes[0], stripes[1]):
        first = np.int64(indptr[stripe << bits])
        last = np.int64(indptr[min((stripe + 1) << bits, rows)])
        leaves: Any = np.int64(0)
        leaf: Any = np.int64(0)
        before: Any = np.int64(-1)
        for entry in range(first, last):
            block = np.int64(indices[entry]) >> bits
            if block != before:
                before = block
                place = place_in(keys, block, direct)
                if keys[place] == -1:
                    keys[place] = block
                    touched[leaves] = place
                    leaf_at[place] = starts[stripe] + leaves
                    columns[starts[stripe] + leaves] = block
                    counts[starts[stripe] + leaves] = 0
                    leaves += 1
                leaf = leaf_at[place]
            counts[leaf] += 1
        for index in range(leaves):
            keys[touched[index]] = -1
        found[stripe] = leaves


@njit(nogil=True, cache=True)
def fill_leaves(
    stripes: Any,
    indptr: Any,
    indices: Any,
    data: Any,
    bits: int,
    size: int,
    direct: bool,
    leaf_ptr: Any,
    columns: Any,
    first_halves: Any,
    first_slots: Any,
    halves: Any,
    values: Any,
) -> None:
    """Write the entries of all leaves of some stripes.

    Parameters
    ----------
    stripes
        int64 of 2: the first stripe, and the one behind the last.
    indptr, indices, data
        The matrix, sorted CSR without duplicates.
    bits
        log2 of d.
    size, direct
        Of the table, as `place_in` has it.
    leaf_ptr
        int64 of stripes + 1: the first leaf of each stripe, then their number.
    columns
        Block column of each leaf.
    first_halves, first_slots
        int64: where the coordinates of each leaf begin, -1 of a dense one, and where its slots do.
    halves, values
        The arrays of the pool.
    """
    rows, mask = len(indptr) - 1, (1 << bits) - 1
    keys = np.full(size, -1, np.int32)
    touched = np.empty(size, np.int64)
    # At the place of each leaf in the table: where the next entry goes.
    half_at = np.empty(size, np.int64)
    slot_at = np.empty(size, np.int64)
    for stripe in range(stripes[0], stripes[1]):
        leaves = leaf_ptr[stripe + 1] - leaf_ptr[stripe]
        for index in range(leaves):
            leaf = leaf_ptr[stripe] + index
            place = place_in(keys, np.int64(columns[leaf]), direct)
            keys[place] = columns[leaf]
            touched[index] = place
            half_at[place] = first_halves[leaf]
            slot_at[place] = first_slots[leaf]
        before: Any = np.int64(-1)
        at: Any = np.int64(0)
        for row in range(stripe << bits, min((stripe + 1) << bits, rows)):
            for entry in range(np.int64(indptr[row]), np.int64(indptr[row + 1])):
                column = np.int64(indices[entry])
                if column >> bits != before:
                    before = column >> bits
                    at = place_in(keys, before, direct)
                if half_at[at] == -1:
                    values[slot_at[at] + ((row & mask) << bits) + (column & mask)] = data[entry]
                else:
                    halves[half_at[at]] = (row & mask) << 8 | (column & mask)
                    values[slot_at[at]] = data[entry]
                    half_at[at] += 1
                    slot_at[at] += 1
        for index in range(leaves):
            keys[touched[index]] = -1
