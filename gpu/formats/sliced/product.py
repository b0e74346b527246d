"""The product of the sliced formats: one kernel template for all arrangements."""

import functools
from functools import partial
from typing import Any

import numpy as np

from gpu.formats.sliced.container import Sliced
from gpu.kernel_parts.batched_loads import batches
from gpu.kernel_parts.loads import EARLY_IF, LOADS_IF, STREAMED_IF
from gpu.kernel_parts.row_results import PieceSums
from gpu.kernel_parts.several_vectors import ONE_VECTOR, MultipliesSeveral, Share
from gpu.kernel_parts.unrolled import in_turn, together
from gpu.runtime.cuda import WARP, cuda, device_function
from gpu.runtime.kernel_sequence import let_next_begin
from gpu.runtime.launches import X, Y
from gpu.runtime.memory import real_type, upload

MOST_STEPS_AT_ONCE, MOST_VALUES_AT_ONCE = 4, 12
"""Steps whose loads are running at once, and their values: more cost registers, and with them warps."""
MOST_STEPS_AT_ONCE_OF_SHARED_ROWS = 8
"""Steps at once where threads share a row, in small matrices, which leave registers idle: short rows are
loaded as a whole."""
MOST_THREADS = 2**40 - 1
"""A mask for the number of a thread: never negative, which the compiler does not know."""


def _values_of(block: int, load: Any) -> Any:
    """Make the function that loads elements of each of this many columns of blocks, `plane` apart."""

    def of_column(k: int) -> Any:
        @device_function
        def values_of(values: Any, at: Any, plane: Any, live: Any) -> Any:
            return load(values, at + k * plane, live)

        return values_of

    return together([of_column(k) for k in range(block)])


def _factors_of(block: int, wide: int, padding: Any, masked: bool, gather: Any) -> Any:
    """Make the function that loads the elements of x of all factors, 0 in padding.

    Factor n belongs to column n % block of entry n // block. Nothing is read for what the matrix does not
    have, so that a NaN there stays out.
    """

    def factor(entry: int, of_block: int) -> Any:
        @device_function
        def factor_of(fetched: Any, place: Any, x: Any) -> Any:
            column, live = fetched[0][entry], fetched[3]
            first = np.uint32((np.int64(fetched[4]) + np.int64(column)) * block + of_block)
            has = live & (column != padding)
            if masked:
                has &= ((np.int64(fetched[2][entry]) >> (place + of_block)) & 1) != 0
            return gather(x, first, has)

        return factor_of

    return together([factor(*divmod(n, block)) for n in range(block * wide)])


def _product(block: int, n: int, multiply_add: Any) -> Any:
    """Make the function that adds the product of factor n."""
    entry, of_block = divmod(n, block)

    @device_function
    def product(total: Any, values: Any, factors: Any) -> Any:
        return multiply_add(total, values[of_block][entry], factors[n])

    return product


@functools.cache
def sliced_kernel(
    real: Any,
    *,
    height: int | None,
    threads_per_row: int,
    wide: int,
    index_bits: int,
    base_per_step: bool,
    row_lengths: bool,
    permuted: bool,
    block: int = 1,
    masked: bool = False,
    share: Share = ONE_VECTOR,
) -> Any:
    """Make the kernel of one arrangement; `height` None is a single slice.

    `threads_per_row` threads a row of elements, each loading `wide` entries at once, `steps_at_once` ahead;
    then a tree over the threads of a row. It moves values, columns, masks, x and y once, 4 bytes a slice for
    its begin, 4 for its base, and 4 a row for lengths and for the permutation where there are any.

    Parameters
    ----------
    real
        np.float32 or np.float64: the type of values and sums.
    height
        Rows of a slice; None is a single slice.
    threads_per_row, wide, index_bits, base_per_step, row_lengths, block
        As of `Slicing`, all chosen.
    permuted
        Whether rows are in another order.
    masked
        Whether blocks have masks.
    share
        What a thread has of the vectors.
    """
    group = threads_per_row * wide
    padding = np.uint16(2**16 - 1) if index_bits == 16 else np.uint32(2**32 - 1)
    no_row = 2**32 - 1
    one_base = index_bits == 16 and not base_per_step
    of_pieces, write_piece = block == 1 and permuted, share.write_piece()
    no_base, no_mask = np.uint32(0), (np.uint16(0),)
    load_base = LOADS_IF[1]
    parts, multiply_add = share.parts, share.multiply_add()
    zeros, source_of, sum_of_threads, write = (
        share.zeros(real),
        share.source(),
        share.sum_of_threads(),
        share.write(),
    )
    factors_of = _factors_of(block, wide, padding, masked, share.gather())
    sum_of = in_turn([_product(block, n, multiply_add) for n in range(block * wide)])

    def fetch_by(load: Any) -> Any:
        values_of = _values_of(block, load)

        @device_function
        def fetch(state: Any, constant: Any) -> Any:
            step, at, value_at = state
            values, columns, bases, masks, _, end, base, in_step, plane, _ = constant
            live = step < end
            column = load(columns, at, live)
            mask = load(masks, at, live) if masked else no_mask
            if base_per_step:
                base = load_base(bases, step, live)[0]
            value = values_of(values, value_at, plane, live)
            fetched = (column, value, mask, live, base)
            return fetched, (np.int32(step + 1), at + in_step, value_at + block * plane)

        return fetch

    @device_function
    def gather(fetched: Any, carry: Any, constant: Any) -> Any:
        return factors_of(fetched, constant[9], constant[4]), carry

    @device_function
    def add(total: Any, fetched: Any, gathered: Any) -> Any:
        return sum_of(total, fetched[1], gathered)

    at_once = share.at_once(steps_at_once(threads_per_row, block, wide))
    fetch, first = fetch_by(STREAMED_IF[wide]), fetch_by(EARLY_IF[wide])
    begin, go_on, finish = batches(fetch, gather, add, at_once, first=first)

    @cuda.jit
    def kernel(
        values,
        columns,
        bases,
        masks,
        slice_ptr,
        lengths,
        perm,
        positions,
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
        """Sum a row of elements by each group of threads.

        Parameters
        ----------
        values
            real, one an element of each place for a block (or entry), padding included.
        columns
            uint16 or uint32, one a place: columns of blocks, or offsets from a base.
        bases
            uint32, one a slice or a step: the column that its offsets count from.
        masks
            uint16, one a place: a bit for each element of the block that the matrix has.
        slice_ptr
            uint32 of S + 1: steps before each slice.
        lengths
            uint32 of the positions: entries of each row.
        perm
            uint32 of the positions: the row at each, 2^32 - 1 where there is none.
        positions, rows
            Places for rows (of blocks), and M.
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
        # Never negative, which the compiler does not know: divisions become shifts.
        part = cuda.grid(1) % parts
        thread = (cuda.grid(1) // parts) & MOST_THREADS
        member = thread % threads_per_row
        element = thread // threads_per_row
        position = element // block
        of_block = element - position * block
        zero = real(0)
        total = zeros()
        source = source_of(x, part, count, first_column, length)
        target = position
        let_next_begin()
        if position < positions:
            if permuted:
                target = np.int64(perm[np.uint64(position)])
            if height is None:
                number, within, in_step = 0, position, positions * group
            else:
                number = position // height
                within = position - number * height
                in_step = height * group
            step = np.int32(slice_ptr[np.uint64(number)])
            base = bases[np.uint64(number)] if one_base else no_base
            if row_lengths:
                end = np.int32(step + (np.int64(lengths[np.uint64(position)]) + (group - 1)) // group)
            else:
                end = np.int32(slice_ptr[np.uint64(number + 1)])
            plane = in_step * block
            at = np.int64(step) * in_step + within * group + member * wide
            value_at = np.int64(step) * block * plane + (within * block + of_block) * group + member * wide
            constant = (values, columns, bases, masks, source, end, base, in_step, plane, of_block * block)
            state = (step, at, value_at)
            loaded, state, carry = begin(state, 0, constant)
            while state[0] < end:
                loaded, state, carry, total = go_on(loaded, state, carry, total, constant)
            total = finish(loaded, total)
        total = sum_of_threads(total, threads_per_row)
        if member == 0 and position < positions:
            row = target * block + of_block
            if row < rows:
                write(y, np.uint64(row), total, alpha, beta, zero, rows, source)
            elif of_pieces and target != no_row:
                write_piece(pieces, np.uint64(row - rows), total, source)

    return kernel


def steps_at_once(threads_per_row: int, block: int, wide: int) -> int:
    """Return the steps whose loads are in flight at once, as many as registers allow, one at the least.

    Parameters
    ----------
    threads_per_row, block, wide
        As of `Slicing`, all chosen.
    """
    most_steps = MOST_STEPS_AT_ONCE if threads_per_row == 1 else MOST_STEPS_AT_ONCE_OF_SHARED_ROWS
    return max(1, min(most_steps, MOST_VALUES_AT_ONCE // (block * wide)))


class SlicedProduct(MultipliesSeveral):
    """A `Sliced` matrix on the device, and the launches of its product.

    Several vectors are multiplied at once.
    """

    split: PieceSums

    def __init__(self, matrix: Sliced, threads_per_block: int) -> None:
        slicing = matrix.slicing
        # Chosen once the matrix is made.
        assert slicing.index_bits is not None and slicing.threads_per_row is not None
        self.real = real_type(matrix.values)
        self.positions = matrix.slices * matrix.slice_height
        kernel = partial(
            sliced_kernel,
            self.real,
            height=None if slicing.slice_height is None else matrix.slice_height,
            threads_per_row=slicing.threads_per_row,
            wide=slicing.wide,
            index_bits=slicing.index_bits,
            base_per_step=slicing.base_per_step,
            row_lengths=slicing.row_lengths,
            permuted=len(matrix.perm) > 0,
            block=slicing.block,
            masked=len(matrix.masks) > 0,
        )
        names = ("values", "columns", "bases", "masks", "slice_ptr", "lengths", "perm")
        self.arrays = [upload(getattr(matrix, name)) for name in names]
        self.values = self.arrays[0]
        self.split = PieceSums(
            self.real, matrix.split_rows, matrix.split_ptr[:-1], matrix.split_ptr[1:], threads_per_block
        )
        threads = self.positions * slicing.block * slicing.threads_per_row
        arguments = [*self.arrays, self.positions, matrix.shape[0], X, Y]
        self.launch_by(kernel, arguments, threads, threads_per_block)
        self.device_arrays = [*self.arrays, *self.split.device_arrays]
        self.most_parts = WARP // slicing.threads_per_row
