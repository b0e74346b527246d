"""Equal shares of the merge of two CSR matrices, row by row.

The merge walks through A and B together: an item is an entry of either, or the end of a row, so that empty
rows count as work too. The path is cut at multiples of a number of items (merge path: Odeh, Green, Mwassi,
Shmueli and Birk, "Merge Path", 2012; Merrill and Garland, "Merge-based parallel sparse matrix-vector
multiplication", 2016, count row ends in the same way). Two entries of one place are never parted: the share
that has A's takes B's as well.
"""

from typing import Any

import numpy as np

from gpu.runtime.cuda import cuda, device_function
from gpu.runtime.kernel_sequence import begin_in_sequence

RECORD = 4
"""Words of the record of a cut: row, entry of A, entry of B, and one that is free."""


@device_function
def cut_of_row(first: Any, first_at: Any, first_count: Any, second: Any, second_at: Any, second_count: Any,
               items: Any) -> Any:  # fmt: skip
    """Return how many entries of A and of B the first `items` entries of a row's merge are, pairs unparted.

    Parameters
    ----------
    first, second
        int32: columns, ascending in the row.
    first_at, second_at
        Where those of the row begin.
    first_count, second_count
        How many there are.
    items
        Of the merge.
    """
    low, high = max(items - second_count, np.int32(0)), min(items, first_count)
    while low < high:
        middle = np.int32((low + high) >> 1)
        if first[np.uint64(first_at + middle)] <= second[np.uint64(second_at + items - 1 - middle)]:
            low = np.int32(middle + 1)
        else:
            high = middle
    taken = np.int32(items - low)
    if low > 0 and taken < second_count:  # noqa: SIM102
        if first[np.uint64(first_at + low - 1)] == second[np.uint64(second_at + taken)]:
            taken = np.int32(taken + 1)
    return low, taken


@cuda.jit
def cut_kernel(first_pointers, first_columns, second_pointers, second_columns, rows, step, cuts, records):
    """Find where the merge is cut, a cut a thread.

    Parameters
    ----------
    first_pointers, second_pointers
        int32 of rows + 1.
    first_columns, second_columns
        int32, ascending in each row.
    rows
        Of both matrices.
    step
        Items between two cuts.
    cuts
        How many there are, beginning and end included.
    records
        int32 of 4 a cut.
    """
    cut = cuda.grid(1)
    begin_in_sequence()
    if cut < cuts:
        total = np.int64(first_pointers[rows]) + np.int64(second_pointers[rows]) + rows
        items = min(np.int64(cut) * step, total)
        low, high = np.int64(0), np.int64(rows)
        while low < high:
            middle = (low + high + 1) >> 1
            before = np.int64(first_pointers[middle]) + np.int64(second_pointers[middle]) + middle
            if before <= items:
                low = middle
            else:
                high = middle - 1
        first, second = np.int32(first_pointers[low]), np.int32(second_pointers[low])
        if low < rows:
            before = np.int64(first) + np.int64(second) + low
            taken, other = cut_of_row(
                first_columns,
                np.int64(first),
                np.int32(first_pointers[low + 1] - first),
                second_columns,
                np.int64(second),
                np.int32(second_pointers[low + 1] - second),
                np.int32(items - before),
            )
            first, second = np.int32(first + taken), np.int32(second + other)
        records[RECORD * cut] = np.int32(low)
        records[RECORD * cut + 1] = first
        records[RECORD * cut + 2] = second
