"""The product of ELLPACK-R and PELLR: a thread a row, which ends with its row.

What a thread waits for is a chain: a column, then the element of x that it names. So the columns of a batch
of steps are loaded a batch before its values and its elements of x, and a batch costs the latency of one
load, not of two; that is what the longest rows of a matrix take.

The slices of a sorted matrix may be taken in another order, in which neighbours in the matrix are near.
"""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gpu.formats.sliced.container import Sliced
from gpu.formats.sliced.slicing import NO_ROW
from gpu.kernel_parts.batched_loads import sum_of_products
from gpu.kernel_parts.loads import EARLY_IF, LOADS_IF, STREAMED_IF, VECTOR_IF
from gpu.kernel_parts.row_results import write_row
from gpu.kernel_parts.several_vectors import ONE_VECTOR
from gpu.kernel_parts.unrolled import together
from gpu.runtime.cuda import WARP, cuda, device_function
from gpu.runtime.kernel_sequence import let_next_begin, wait_for_previous
from gpu.runtime.launches import ALPHA, BETA, LaunchedInTurn, X, Y, launches_of
from gpu.runtime.memory import real_type, upload

LONG = 4
"""A slice over this many times as wide as the mean is long: it goes first, so that nobody waits for it."""


def slices_by_first_row(matrix: Sliced) -> NDArray[np.uint32]:
    """Return the slices of a matrix in the order of the first row of each.

    Sorting all rows by length puts rows into one slice that lie far apart, and neighbouring rows into slices
    that run at different times; what they read of x has then left the cache. The arrays may stay as they are:
    slices can be taken in any order. In that of their first rows, those that run at the same time read x at
    the same places. Those over four times as wide as the mean stay in front.

    Returns
    -------
    ndarray
        uint32 of S: the number of each slice, in the order in which they are to be taken.
    """
    slices = np.arange(matrix.slices)
    if not len(matrix.perm):
        return slices.astype(np.uint32)
    widths = np.diff(matrix.slice_ptr.astype(np.int64))
    # The marks of no row and of pieces are above all rows.
    first_row = matrix.perm.reshape(-1, matrix.slice_height).min(axis=1).astype(np.int64)
    long = widths > LONG * widths.mean()
    order = np.argsort(np.where(long, slices - len(slices), first_row), kind="stable")
    return order.astype(np.uint32)


STEPS_AT_ONCE = 8
"""Steps whose loads are running at once: on the H200 the best of 4 and 8, over six matrices of a million
rows in order and sorted."""
MOST_THREADS = 128
"""Threads of a block: the best of 64, 128 and 256 on the same."""

_one_if, _x_if = LOADS_IF[1], VECTOR_IF[1]


def _loads(load: Any, steps: int) -> Any:
    """Make the function that loads an element of each step of a batch; none after the row."""

    def of_step(k: int) -> Any:
        @device_function
        def element(array: Any, at: Any, in_step: Any, end: Any) -> Any:
            return load(array, at + k * in_step, at + k * in_step < end)[0]

        return element

    return together([of_step(k) for k in range(steps)])


def _gathers(steps: int, *, padded: bool) -> Any:
    """Make the function that loads the elements of x that the columns of a batch name; zeros for padding."""

    def of_step(k: int) -> Any:
        @device_function
        def element(x: Any, columns: Any, at: Any, in_step: Any, end: Any) -> Any:
            return _x_if(x, columns[k], at + k * in_step < end and (not padded or columns[k] != NO_ROW))[0]

        return element

    return together([of_step(k) for k in range(steps)])


@functools.cache
def ellpack_r_kernel(
    real: Any, *, single: bool, permuted: bool, ordered: bool, by_warp: bool, steps: int
) -> Any:
    """Make the kernel: one slice or slices of a warp, rows permuted or not, slices in order or not.

    Parameters
    ----------
    real
        np.float32 or np.float64: the type of values and sums.
    single
        Whether all rows are one slice; otherwise each warp has one.
    permuted
        Whether rows are in another order.
    ordered
        Whether slices are taken in another order than they are stored in.
    by_warp
        Whether a length holds for the rows of a warp, so that threads read padding; otherwise for a row.
    steps
        Whose loads are running at once.
    """
    early, streamed = _loads(EARLY_IF[1], steps), _loads(STREAMED_IF[1], steps)
    gathers, sums = _gathers(steps, padded=by_warp), sum_of_products(steps, ONE_VECTOR.multiply_add())

    @cuda.jit
    def kernel(values, columns, slice_ptr, lengths, perm, order, positions, rows, x, y, alpha, beta):
        """Sum a row a thread.

        Parameters
        ----------
        values
            real, a place for each entry and padding, step by step in each slice.
        columns
            uint32, as many.
        slice_ptr
            uint32 of S + 1: steps before each slice.
        lengths
            uint32 of the positions: entries of each row; of each warp, those of its longest row, `by_warp`.
        perm
            uint32 of the positions: the row at each, 2^32 - 1 where there is none; read
            where rows are permuted.
        order
            uint32 of S: which slice comes when; read where slices are ordered.
        positions, rows
            Places for rows, and M.
        x
            real of N.
        y
            real of M.
        alpha, beta
            Scalars of the real type; y is not read where beta is 0.
        """
        position = np.int64(cuda.grid(1))
        zero = real(0)
        let_next_begin()
        if position < positions:
            if ordered:
                slice_ = np.int64(_one_if(order, position >> 5, True)[0])
                position = slice_ * WARP + (position & (WARP - 1))
            row = position
            if permuted:
                row = np.int64(_one_if(perm, position, True)[0])
            length = np.int64(_one_if(lengths, position >> 5 if by_warp else position, True)[0])
            if single:
                in_step = np.int64(positions)
                at = position
            else:
                in_step = np.int64(WARP)
                begin = np.int64(_one_if(slice_ptr, position >> 5, True)[0])
                at = begin * WARP + (position & (WARP - 1))
            end = at + length * in_step
            jump = steps * in_step
            column = early(columns, at, in_step, end)
            value = early(values, at, in_step, end)
            later = early(columns, at + jump, in_step, end)
            wait_for_previous()
            factor = gathers(x, column, at, in_step, end)
            at += jump
            total = zero
            while at < end:
                next_value = streamed(values, at, in_step, end)
                after = streamed(columns, at + jump, in_step, end)
                next_factor = gathers(x, later, at, in_step, end)
                total = sums(total, value, factor)
                value, factor, later = next_value, next_factor, after
                at += jump
            total = sums(total, value, factor)
            if row < rows:
                write_row(y, np.uint64(row), total, alpha, beta, zero)

    return kernel


class EllpackRProduct(LaunchedInTurn):
    """A `Sliced` matrix with row lengths on the device, and the launches of its product.

    Parameters
    ----------
    matrix
        With lengths, 32-bit columns, single entries, one thread a row and whole rows, in one slice or slices
        of a warp: ELLPACK-R or PELLR.
    threads_per_block
        A multiple of 32.
    near
        Whether warps take the slices in the order of their first rows (`gpu.formats.sliced.ellpack_r`),
        and not as they stand.
    by_warp
        Whether the length of the longest row of each warp is stored, and not that of each row: the N_w
        lengths of the PELLR paper, section 3. Threads then multiply the padding of their warp.

    Raises
    ------
    ValueError
        If it is another arrangement.
    """

    def __init__(
        self,
        matrix: Sliced,
        threads_per_block: int,
        *,
        near: bool = False,
        by_warp: bool = False,
    ) -> None:
        slicing = matrix.slicing
        if (slicing.threads_per_row, slicing.wide, slicing.block, slicing.index_bits) != (
            1,
            1,
            1,
            32,
        ) or not (
            slicing.row_lengths and slicing.slice_height in (None, WARP) and not len(matrix.split_rows)
        ):
            raise ValueError("this product needs row_lengths, threads_per_row 1 and slice_height 32")
        self.real = real_type(matrix.values)
        order = slices_by_first_row(matrix) if near else np.zeros(0, np.uint32)
        threads = min(threads_per_block, MOST_THREADS)
        self.positions = matrix.slices * matrix.slice_height
        kernel = ellpack_r_kernel(
            self.real,
            single=slicing.slice_height is None,
            permuted=len(matrix.perm) > 0,
            ordered=near,
            by_warp=by_warp,
            steps=STEPS_AT_ONCE,
        )
        lengths = matrix.lengths.reshape(-1, WARP).max(axis=1, initial=0) if by_warp else matrix.lengths
        arrays = (matrix.values, matrix.columns, matrix.slice_ptr, lengths, matrix.perm, order)
        self.device_arrays = [upload(array) for array in arrays]
        self.values = self.device_arrays[0]
        blocks = -(-self.positions // threads)
        arguments = [*self.device_arrays, self.positions, matrix.shape[0], X, Y, ALPHA, BETA]
        self.launches = launches_of(kernel, blocks, threads, arguments, self.real)
