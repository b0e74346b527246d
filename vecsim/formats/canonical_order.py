"""A compiled loop that looks whether CSR is sorted: one pass over the columns, over all cores."""

from typing import Any

import numpy as np
from numba import njit, prange

PARTS = 64
"""Of the rows, each looked at by one thread."""


@njit(parallel=True, cache=True)
def is_canonical(indptr: Any, indices: Any, columns: int) -> Any:
    """Return whether pointers never fall, and columns lie in 0 .. columns - 1 and rise within each row.

    The last pointer must not lie beyond the end of `indices`, the first must be 0.
    """
    rows = len(indptr) - 1
    last = np.int64(indptr[rows])
    wrong = np.zeros(PARTS, np.int64)
    for part in prange(PARTS):
        for row in range(part * rows // PARTS, (part + 1) * rows // PARTS):
            begin, end = np.int64(indptr[row]), np.int64(indptr[row + 1])
            if begin < 0 or begin > end or end > last:
                wrong[part] = 1
                break
            before: Any = np.int64(-1)
            faults = 0
            for place in range(begin, end):
                column = np.int64(indices[place])
                faults += column <= before
                before = column
            if faults > 0 or before >= columns:
                wrong[part] = 1
                break
    return wrong.max() == 0
