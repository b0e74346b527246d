"""The transpose of a CSR matrix on the device."""

from __future__ import annotations

from typing import Any

from gpu.sums.bucket_transposition import BucketTransposition
from gpu.sums.device_csr import DeviceCsr
from gpu.sums.scattered_transposition import ScatteredTransposition
from gpu.sums.sorted_transposition import SortedTransposition

LONGEST_COLUMN = 4096
"""Of more entries a column takes too long where each entry looks at all others: then all are sorted."""

Transposition = BucketTransposition | ScatteredTransposition | SortedTransposition


def transposition_of(matrix: DeviceCsr, stream: Any = 0) -> Transposition:
    """Choose how to transpose a matrix, and count its columns.

    Where neighbouring rows have entries in few ranges of columns, entries are brought into buckets of
    columns; otherwise each draws a place in its own column, or all are sorted where a column is long.

    Parameters
    ----------
    matrix
        The matrix.
    stream
        0, or an object of Numba or cuda.core.
    """
    if BucketTransposition.is_possible(matrix):
        by_buckets = BucketTransposition(matrix)
        by_buckets.count(stream)
        if not by_buckets.is_scattered(stream):
            return by_buckets
        del by_buckets
    work = ScatteredTransposition(matrix)
    work.count(stream)
    if work.longest_column(stream) <= LONGEST_COLUMN:
        return work
    del work
    return SortedTransposition(matrix)


def transposed(matrix: DeviceCsr, stream: Any = 0) -> DeviceCsr:
    """Return the transpose of a matrix, whose arrays are new.

    Parameters
    ----------
    matrix
        The matrix.
    stream
        0, or an object of Numba or cuda.core.
    """
    work = transposition_of(matrix, stream)
    work.place(stream)
    if stream:
        stream.synchronize()  # its room must outlive the work
    return work.result
