"""The transpose of a CSR matrix by a radix sort of its columns, whatever their lengths.

A sort of three passes moves more bytes than the other two ways, so it takes the matrices that they do not:
those whose entries stand anywhere, and some columns have very many.
"""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from gpu.kernel_parts.bisection import first_from
from gpu.runtime.cuda import cuda
from gpu.runtime.kernel_sequence import begin_in_sequence
from gpu.runtime.launches import Launch, blocks_of
from gpu.runtime.memory import all_or_nothing, empty
from gpu.sorting.radix_sort import sorting
from gpu.sums.device_csr import DeviceCsr, TwoSteps
from gpu.sums.scattered_transposition import threads_for

COLUMN_SHIFT = 32
"""A key has its column above this bit and the number of its entry below."""
ENTRY = (1 << COLUMN_SHIFT) - 1


@functools.cache
def keys_kernel(threads_per_row: int) -> Any:
    """Make the kernel that gives each entry its key and its row.

    Parameters
    ----------
    threads_per_row
        A power of two up to 32.
    """

    @cuda.jit
    def kernel(pointers, columns, rows, keys, row_of):
        """Take a row by some threads.

        Parameters
        ----------
        pointers, columns, rows
            Of the matrix: int32, int32, and their number.
        keys, row_of
            int64 and int32, one an entry: what is written.
        """
        thread = np.int64(cuda.grid(1))
        begin_in_sequence()
        row = thread // threads_per_row
        if row < rows:
            at = np.int64(pointers[np.uint64(row)]) + thread % threads_per_row
            end = np.int64(pointers[np.uint64(row + 1)])
            while at < end:
                keys[np.uint64(at)] = np.int64(columns[np.uint64(at)]) << COLUMN_SHIFT | at
                row_of[np.uint64(at)] = np.int32(row)
                at += threads_per_row

    return kernel


@cuda.jit
def finishing_kernel(keys, values, entries, columns, turned_pointers, turned_values):
    """Write a value, and where a column begins, a thread.

    Parameters
    ----------
    keys
        int64, rising.
    values
        real, one an entry of the matrix.
    entries, columns
        How many there are.
    turned_pointers, turned_values
        int32 of columns + 1, and real: what is written.
    """
    at = np.int64(cuda.grid(1))
    begin_in_sequence()
    if at < entries:
        turned_values[np.uint64(at)] = values[np.uint64(keys[np.uint64(at)] & ENTRY)]
    if at <= columns:
        turned_pointers[np.uint64(at)] = np.int32(first_from(keys, 0, entries, at << COLUMN_SHIFT))


class SortedTransposition(TwoSteps):
    """The transpose of one matrix, with all room for it, ready to be enqueued.

    Parameters
    ----------
    matrix
        A matrix with entries.

    Attributes
    ----------
    result
        Its transpose, once `launch` has run.
    """

    def __init__(self, matrix: DeviceCsr) -> None:
        (rows, width), entries, real = matrix.shape, matrix.nnz, matrix.dtype.type
        keys, row_of, pointers, values = all_or_nothing(
            lambda: (
                *(empty(entries, np.int64), empty(entries, np.int32)),
                *(empty(width + 1, np.int32), empty(entries, matrix.dtype)),
            )
        )
        used = ((1 << (width - 1).bit_length()) - 1) << COLUMN_SHIFT
        launches, in_order, columns = sorting(keys, row_of, entries, used)
        self.result = DeviceCsr((width, rows), entries, pointers, columns, values, matrix.device)
        a_row = threads_for(entries, rows)
        given = (matrix.pointers, matrix.columns, rows, keys, row_of)
        finish = (in_order, matrix.values, entries, width, pointers, values)
        self._counting = []
        self._placing = [
            Launch(keys_kernel(a_row), *blocks_of(rows * a_row), given, real),
            *launches,
            Launch(finishing_kernel, *blocks_of(max(entries, width + 1)), finish, real),
        ]
