"""The product of sliced deltas: a thread a row."""

import functools
from functools import partial
from typing import Any

import numpy as np

from gpu.formats.sliced_deltas.container import SlicedDeltas
from gpu.kernel_parts.batched_loads import batches, sum_of_products
from gpu.kernel_parts.loads import EARLY_IF, STREAMED_IF
from gpu.kernel_parts.several_vectors import ONE_VECTOR, MultipliesSeveral, Share
from gpu.kernel_parts.unrolled import carried, together
from gpu.runtime.cuda import WARP, cuda, device_function
from gpu.runtime.kernel_sequence import let_next_begin
from gpu.runtime.launches import X, Y
from gpu.runtime.memory import real_type, upload

CODES_AT_ONCE = 8
"""Codes of a row whose values are running at once, about, with one vector."""
MOST_PLACES = 2**40 - 1
"""A mask for the number of a thread: never negative, which the compiler does not know, so that divisions
become shifts."""


def _values_of(codes: int, load: Any) -> Any:
    """Make the function that loads this many values of a row; past the end of the row they are 0."""

    def of_code(k: int) -> Any:
        @device_function
        def value_of(values: Any, at: Any, left: Any) -> Any:
            return load(values, at + k * WARP, np.int32(left - k) > 0)[0]

        return value_of

    return together([of_code(k) for k in range(codes)])


def _factors_of(codes: int, bits: int, gather: Any) -> Any:
    """Make the function that loads this many elements of x, 0 for fillers.

    Its state is the codes that are left of a word, and the last column.
    """
    limit = 2**bits - 1

    @device_function
    def factor_of(state: Any, x: Any) -> Any:
        word, column = state
        code = np.int64(word & limit)
        # A filler, 0, goes on by the limit, other codes by one less than themselves.
        column = np.uint32(np.int64(column) + ((code + limit) & limit))
        return gather(x, column, code != 0), (word >> bits, column)

    return carried([factor_of] * codes)


@functools.cache
def delta_kernel(real: Any, *, bits: int, permuted: bool, share: Share = ONE_VECTOR) -> Any:
    """Make the kernel y = alpha A x + beta y for codes of this many bits.

    It moves values, words, x and y once, and 4 bytes a row, 8 where rows are permuted. Values are loaded
    together with the words, one wait before the elements of x.

    Parameters
    ----------
    real
        np.float32 or np.float64: the type of values and sums.
    bits
        Of a code.
    permuted
        Whether rows are in another order.
    share
        What a thread has of the vectors.
    """
    in_word = 32 // bits
    words_at_once = share.at_once(max(1, CODES_AT_ONCE // in_word))
    parts, zeros, source_of, write = share.parts, share.zeros(real), share.source(), share.write()
    factors_of = _factors_of(in_word, bits, share.gather())
    sum_of = sum_of_products(in_word, share.multiply_add())
    step = in_word * WARP
    no_row = 2**32 - 1

    def fetch_by(load: Any) -> Any:
        values_of = _values_of(in_word, load)

        @device_function
        def fetch(state: Any, constant: Any) -> Any:
            word_at, value_at, left = state
            words, values, _ = constant
            word = load(words, word_at, left > 0)
            of_word = values_of(values, value_at, left)
            return (word[0], of_word), (word_at + WARP, value_at + step, np.int32(left - in_word))

        return fetch

    @device_function
    def gather(fetched: Any, column: Any, constant: Any) -> Any:
        factors, state = factors_of((fetched[0], column), constant[2])
        return factors, state[1]

    @device_function
    def add(total: Any, fetched: Any, gathered: Any) -> Any:
        return sum_of(total, fetched[1], gathered)

    begin, go_on, finish = batches(
        fetch_by(STREAMED_IF[1]), gather, add, words_at_once, first=fetch_by(EARLY_IF[1])
    )

    @cuda.jit
    def kernel(
        values,
        words,
        word_ptr,
        value_ptr,
        first_column,
        perm,
        places,
        rows,
        x,
        y,
        alpha,
        beta,
        count,
        first_vector,
        length,
    ):
        """Sum a row a thread.

        Parameters
        ----------
        values
            real, one a code of each place for a row, fillers included.
        words
            uint32: codes, several in a word.
        word_ptr, value_ptr
            uint32 of S + 1: words and codes a row before each slice.
        first_column
            uint32 of 32 S: the column that each row begins with.
        perm
            uint32 of 32 S: the row at each place, 2^32 - 1 where there is none; read where
            rows are permuted.
        places, rows
            32 S and M.
        x
            real of N.
        y
            real of M.
        alpha, beta
            Scalars of the real type; y is not read where beta is 0.
        count, first_vector, length
            As `ONE_COLUMN` of `gpu.kernel_parts.several_vectors`.
        """
        thread = cuda.grid(1) & MOST_PLACES
        place = thread // parts
        lane = place % WARP
        let_next_begin()
        if place < places:
            of_slice = np.uint64(place // WARP)
            word_at = np.int64(word_ptr[of_slice]) * WARP + lane
            first = np.int64(value_ptr[of_slice])
            width = np.int32(value_ptr[of_slice + np.uint64(1)] - first)
            column = first_column[np.uint64(place)]
            row = np.int64(perm[np.uint64(place)]) if permuted else place
            state = (word_at, first * WARP + lane, width)
            source = source_of(x, thread % parts, count, first_vector, length)
            constant = (words, values, source)
            total = zeros()
            loaded, state, column = begin(state, column, constant)
            while state[2] > 0:
                loaded, state, column, total = go_on(loaded, state, column, total, constant)
            total = finish(loaded, total)
            if row < rows and row != no_row:
                write(y, np.uint64(row), total, alpha, beta, real(0), rows, source)

    return kernel


class DeltaProduct(MultipliesSeveral):
    """A `SlicedDeltas` matrix on the device, and the launch of its product."""

    def __init__(self, matrix: SlicedDeltas, threads_per_block: int) -> None:
        self.real = real_type(matrix.values)
        places = matrix.slices * WARP
        kernel = partial(delta_kernel, self.real, bits=matrix.bits, permuted=len(matrix.perm) > 0)
        names = ("values", "words", "word_ptr", "value_ptr", "first_column", "perm")
        self.device_arrays = [upload(getattr(matrix, name)) for name in names]
        self.values = self.device_arrays[0]
        arguments = [*self.device_arrays, places, matrix.shape[0], X, Y]
        self.launch_by(kernel, arguments, places, threads_per_block)
