"""Whether a CSR matrix on the device is canonical."""

import numpy as np

from gpu.runtime.cuda import cuda


@cuda.jit
def canonical_kernel(pointers, columns, rows, width, entries, wrong):
    """Look at a row a thread.

    Parameters
    ----------
    pointers
        int32 of rows + 1.
    columns
        int32 of one an entry.
    rows, width, entries
        Rows, columns and entries of the matrix.
    wrong
        int32 of 1: becomes 1 if pointers do not rise, or the columns of a row do not ascend.
    """
    row = cuda.grid(1)
    if row < rows:
        at, end = np.int64(pointers[row]), np.int64(pointers[row + 1])
        if at < 0 or end < at or end > entries:
            wrong[0] = 1
        else:
            before = -1
            while at < end:
                column = columns[at]
                if column <= before or column >= width:
                    wrong[0] = 1
                before = column
                at += 1
