"""The product of CRS: one thread a row (scalar) or several (vector), long rows cut into pieces if asked."""

import functools
from functools import partial
from typing import Any

import numpy as np

from gpu.formats.sliced.layout import virtual_rows
from gpu.kernel_parts.row_results import PieceSums
from gpu.kernel_parts.several_vectors import ONE_VECTOR, MultipliesSeveral, Share
from gpu.runtime.cuda import cuda
from gpu.runtime.kernel_sequence import let_next_begin, wait_for_previous
from gpu.runtime.launches import X, Y
from gpu.runtime.memory import real_type, upload
from vecsim.formats import CRS
from vecsim.support.errors import UserError

MAX_THREADS_PER_ROW = 32
LOADS_AT_ONCE = 4
"""Entries of a thread whose loads the loop sends off at once."""


@functools.cache
def crs_kernel(real: Any, threads_per_row: int, cut: bool, share: Share = ONE_VECTOR) -> Any:
    """Make the kernel for runs of entries; a run is a row, or where rows are `cut`, a piece of one.

    Parameters
    ----------
    real
        np.float32 or np.float64.
    threads_per_row
        Of a run, a power of two up to 32.
    cut
        Whether runs are pieces of rows.
    share
        What a thread has of the vectors.
    """
    parts, add, element, write_piece = share.parts, share.multiply_add(), share.element(), share.write_piece()
    zeros, source_of, sum_of_threads, write = (
        share.zeros(real),
        share.source(),
        share.sum_of_threads(),
        share.write(),
    )
    # From an entry of a thread to its next one.
    stride = threads_per_row

    @cuda.jit
    def kernel(
        first,
        columns,
        values,
        target,
        runs,
        rows,
        x,
        y,
        pieces,
        alpha,
        beta,
        count,
        first_column,
        length,
    ):
        """Sum each run.

        Parameters
        ----------
        first
            uint32 of runs + 1: the entry that each run begins with, then the number of
            entries.
        columns
            uint32 of nnz.
        values
            real of nnz.
        target
            uint32 of runs: the row of each run, or rows + p where it is piece p; read where
            rows are cut.
        runs, rows
            Their numbers; rows is M.
        x
            real of N.
        y
            real of M.
        pieces
            real, one a piece of a row.
        alpha, beta
            Scalars of the real type; y is not read where beta is 0.
        count, first_column, length
            As `ONE_COLUMN` of `gpu.kernel_parts.several_vectors`.
        """
        thread = cuda.grid(1) // parts
        source = source_of(x, cuda.grid(1) % parts, count, first_column, length)
        run = thread // threads_per_row
        member = thread % threads_per_row
        total = zeros()
        let_next_begin()
        if run < runs:
            at = np.int64(first[np.uint64(run)]) + member
            end = np.int64(first[np.uint64(run + 1)])
            wait_for_previous()
            while at + 3 * stride < end:
                value0, column0 = values[np.uint64(at)], columns[np.uint64(at)]
                value1, column1 = values[np.uint64(at + stride)], columns[np.uint64(at + stride)]
                value2, column2 = values[np.uint64(at + 2 * stride)], columns[np.uint64(at + 2 * stride)]
                value3, column3 = values[np.uint64(at + 3 * stride)], columns[np.uint64(at + 3 * stride)]
                total = add(total, value0, element(source, column0))
                total = add(total, value1, element(source, column1))
                total = add(total, value2, element(source, column2))
                total = add(total, value3, element(source, column3))
                at += 4 * stride
            while at < end:
                total = add(total, values[np.uint64(at)], element(source, columns[np.uint64(at)]))
                at += stride
        total = sum_of_threads(total, threads_per_row)
        if member == 0 and run < runs:
            row = np.int64(target[np.uint64(run)]) if cut else run
            if row < rows:
                write(y, np.uint64(row), total, alpha, beta, real(0), rows, source)
            elif cut:
                write_piece(pieces, np.uint64(row - rows), total, source)

    return kernel


def threads_per_row_for(entries_per_run: float, cut: bool) -> int:
    """Return the threads a run for runs of this mean length: a power of two, at most a warp.

    The power of two below an eighth of the mean, so that a thread has its four loads running most of the
    time; where rows are cut, below the mean itself, since the pieces of long rows are the longest of all.
    """
    entries = int(entries_per_run if cut else entries_per_run / 8)
    return min(MAX_THREADS_PER_ROW, 1 << max(0, entries.bit_length() - 1))


class CRSProduct(MultipliesSeveral):
    """A `CRS` matrix on the device, and the launches of its product.

    Several vectors are multiplied at once.

    Parameters
    ----------
    matrix
        The matrix.
    threads_per_block
        A multiple of 32.
    threads_per_row
        Threads a row, a power of two up to 32; None takes those of `threads_per_row_for`.
    row_cap
        Cut longer rows in pieces of this many entries, which are summed in their order; None cuts none.
    """

    split: PieceSums

    def __init__(
        self,
        matrix: CRS,
        threads_per_block: int,
        *,
        threads_per_row: int | None = None,
        row_cap: int | None = None,
    ) -> None:
        self.real = real_type(matrix.values)
        if row_cap is not None and row_cap < 1:
            raise UserError(f"row_cap {row_cap} is not possible: use 1 or more, or None")
        starts, _, target, split_rows, split_ptr = virtual_rows(matrix.rowptr, row_cap)
        self.runs = len(starts)
        cut = len(split_rows) > 0
        if threads_per_row is None:
            threads_per_row = threads_per_row_for(matrix.nnz / max(1, self.runs), row_cap is not None)
        if threads_per_row not in (1, 2, 4, 8, 16, 32):
            raise UserError(
                f"threads_per_row {threads_per_row} is not possible: use a power of two from 1 to 32"
            )
        self.arrays = [
            upload(np.append(starts, matrix.rowptr[-1]).astype(np.uint32)),
            upload(matrix.colidx.view(np.uint32)),
            upload(matrix.values),
            upload((target if cut else target[:0]).astype(np.uint32)),
        ]
        self.columns, self.values = self.arrays[1:3]
        self.split = PieceSums(self.real, split_rows, split_ptr[:-1], split_ptr[1:], threads_per_block)
        kernel = partial(crs_kernel, self.real, threads_per_row, cut)
        arguments = [*self.arrays, self.runs, matrix.shape[0], X, Y]
        self.launch_by(kernel, arguments, self.runs * threads_per_row, threads_per_block)
        self.device_arrays = [*self.arrays, *self.split.device_arrays]
        self.most_parts = MAX_THREADS_PER_ROW // threads_per_row
