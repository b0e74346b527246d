"""Sums of rows whose parts were summed before, wherever in memory the sums of the parts stand."""

import functools
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gpu.kernel_parts.loads import EARLY_IF, LOADS_IF, VECTOR_IF
from gpu.kernel_parts.row_results import write_row
from gpu.kernel_parts.warps import sum_of_neighbours
from gpu.runtime.cuda import cuda
from gpu.runtime.kernel_sequence import let_next_begin, wait_for_previous

MAX_THREADS_PER_ROW = 32
THREAD_US, BATCH_US = 2e-6, 0.24
"""On the H200: what a thread costs where there are many, and four parts of a row one after the other."""

_one_if, _early_if, _x_if = LOADS_IF[1], EARLY_IF[1], VECTOR_IF[1]


@functools.cache
def row_sums(real: Any, threads_per_row: int) -> Any:
    """Make the kernel that sums the parts of rows, `threads_per_row` threads a row.

    ``y[i] = alpha sum(sums[by_row[ptr[i]:ptr[i + 1]]]) + beta y[i]``.
    """
    # From a part of a thread to its next one.
    stride = threads_per_row

    @cuda.jit
    def kernel(sums, by_row, ptr, rows, y, alpha, beta):
        """Sum the parts of a row.

        Parameters
        ----------
        sums
            real, one a part.
        by_row
            uint32, one a part: the parts of each row.
        ptr
            uint32 of M + 1: where those of each row begin.
        rows
            M.
        y
            real of M.
        alpha, beta
            Scalars of the real type; y is not read where beta is 0.
        """
        thread = cuda.grid(1)
        row = thread // threads_per_row
        member = thread % threads_per_row
        zero = real(0)
        total = zero
        let_next_begin()
        live = row < rows
        at = np.int64(_one_if(ptr, row, live)[0]) + member
        end = np.int64(_one_if(ptr, row + 1, live)[0])
        # Which parts are the row's was known before; only their sums must be waited for.
        part0 = _early_if(by_row, at, at < end)[0]
        part1 = _early_if(by_row, at + stride, at + stride < end)[0]
        part2 = _early_if(by_row, at + 2 * stride, at + 2 * stride < end)[0]
        part3 = _early_if(by_row, at + 3 * stride, at + 3 * stride < end)[0]
        wait_for_previous()
        while at < end:
            sum0 = _x_if(sums, part0, True)[0]
            sum1 = _x_if(sums, part1, at + stride < end)[0]
            sum2 = _x_if(sums, part2, at + 2 * stride < end)[0]
            sum3 = _x_if(sums, part3, at + 3 * stride < end)[0]
            at += 4 * stride
            part0 = _one_if(by_row, at, at < end)[0]
            part1 = _one_if(by_row, at + stride, at + stride < end)[0]
            part2 = _one_if(by_row, at + 2 * stride, at + 2 * stride < end)[0]
            part3 = _one_if(by_row, at + 3 * stride, at + 3 * stride < end)[0]
            total += sum0
            total += sum1
            total += sum2
            total += sum3
        total = sum_of_neighbours(total, threads_per_row)
        if member == 0 and live:
            write_row(y, np.uint64(row), total, alpha, beta, zero)

    return kernel


def threads_per_row_for(row_ptr: NDArray[np.uint32]) -> int:
    """Return the threads that sum a row: a power of two.

    The one below half of the mean number of parts; or more, if all threads and the longest row then cost
    less.
    """
    parts = np.diff(row_ptr.astype(np.int64))
    longest, mean = int(parts.max(initial=0)), float(parts.mean()) if len(parts) else 0.0
    least = min(MAX_THREADS_PER_ROW, 1 << max(0, int(mean / 2).bit_length() - 1))
    threads_per_row = [1 << k for k in range(MAX_THREADS_PER_ROW.bit_length()) if 1 << k >= least]
    return min(
        threads_per_row, key=lambda each: len(parts) * each * THREAD_US - (-longest // (4 * each)) * BATCH_US
    )
