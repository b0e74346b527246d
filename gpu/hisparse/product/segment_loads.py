"""What a lane loads of a segment: its description, its entries, the elements of x that these meet."""

from typing import Any

import numpy as np

from gpu.hisparse.product.dealing import SEGMENT
from gpu.hisparse.product.segments import BLOCK_SHIFT, entries_at_once
from gpu.kernel_parts.loads import STREAMED_IF, VECTOR_IF
from gpu.kernel_parts.unrolled import together
from gpu.runtime.cuda import device_function


@device_function
def entries_of(segment: Any) -> Any:
    """Return the entries of a segment; none of what stands for no segment."""
    less_one = np.int32(segment[1] & np.uint32(SEGMENT - 1))
    return np.int32(less_one + (np.int32(1) if segment[1] != 0 else np.int32(0)))


def descriptions(batch: int) -> Any:
    """Make ``describe(words, at, end)``: a tuple of (begin, rest) for this many segments; 0 after the end."""
    load = STREAMED_IF[2]

    def of_segment(k: int) -> Any:
        @device_function
        def describe(words: Any, at: Any, end: Any) -> Any:
            own = np.int32(at + k)
            return load(words, np.int64(own) * 2, own < end)

        return describe

    return together([of_segment(k) for k in range(batch)])


def fetching(real: Any) -> Any:
    """Make ``fetch(segment, coordinates, values, lane)``: two words of coordinates, and four values."""
    wide = entries_at_once(np.dtype(real))
    load_words, load_values = STREAMED_IF[wide // 2], STREAMED_IF[wide]

    @device_function
    def fetch_4(segment: Any, coordinates: Any, values: Any, lane: Any) -> Any:
        unit = np.int64(segment[0]) + lane
        wanted = np.int32(lane * 4) < entries_of(segment)
        return load_words(coordinates, unit * 2, wanted), load_values(values, unit * 4, wanted)

    @device_function
    def fetch_2(segment: Any, coordinates: Any, values: Any, lane: Any) -> Any:
        left, later_left = _left_of_halves(segment, lane)
        unit = np.int64(segment[0]) + lane
        later = unit + np.int32(np.int32(entries_of(segment) + 3) >> 2)
        word, later_word = (
            load_words(coordinates, unit, left > 0),
            load_words(coordinates, later, later_left > 0),
        )
        value = load_values(values, unit * 2, left > 0)
        later_value = load_values(values, later * 2, later_left > 0)
        return (word[0], later_word[0]), (value[0], value[1], later_value[0], later_value[1])

    return fetch_4 if wide == 4 else fetch_2


@device_function
def _left_of_halves(segment: Any, lane: Any) -> Any:
    """Return the entries from a lane's first pair to the end of its half, and from its second to the end."""
    count = entries_of(segment)
    half = np.int32(np.int32(np.int32(count + 3) >> 2) << 1)
    return np.int32(min(half, count) - 2 * lane), np.int32(count - half - 2 * lane)


@device_function
def _left_of_whole(segment: Any, lane: Any) -> Any:
    """Return the entries from a lane's four to the end, for the first two and for the others of these."""
    left = np.int32(entries_of(segment) - 4 * lane)
    return left, np.int32(left - 2)


def lefts(real: Any) -> Any:
    """Return the function that says how many of its first two and of its last two entries a lane has."""
    return _left_of_whole if entries_at_once(np.dtype(real)) == 4 else _left_of_halves


def gathering(real: Any, node_bits: int, transposed: bool, vectors: int) -> Any:
    """Make ``gather(segment, fetched, source, lane)``: of each vector, the four elements that entries meet.

    `source` is x, the elements from one row of it to the next, and the first column that is taken.

    Parameters
    ----------
    real, node_bits, transposed
        As of `gpu.hisparse.product.kernels.stripe_kernel`.
    vectors
        Taken at once.
    """
    left_of = lefts(real)
    low, high = (np.uint32(8), np.uint32(24)) if transposed else (np.uint32(0), np.uint32(16))
    byte, load = np.uint32(255), VECTOR_IF[vectors]

    def turn(k: int) -> Any:
        """Make the function that brings the elements of vector k together."""

        @device_function
        def one(x0: Any, x1: Any, x2: Any, x3: Any) -> Any:
            return x0[k], x1[k], x2[k], x3[k]

        return one

    by_vectors = together([turn(k) for k in range(vectors)])

    @device_function
    def gather(segment: Any, fetched: Any, source: Any, lane: Any) -> Any:
        x, stride, first = source
        left, later_left = left_of(segment, lane)
        base = np.int64(segment[1] >> np.uint32(BLOCK_SHIFT)) << node_bits
        word0, word1 = fetched[0]
        at0 = (base + np.int64(np.uint32(word0 >> low) & byte)) * stride + first
        at1 = (base + np.int64(np.uint32(word0 >> high) & byte)) * stride + first
        at2 = (base + np.int64(np.uint32(word1 >> low) & byte)) * stride + first
        at3 = (base + np.int64(np.uint32(word1 >> high) & byte)) * stride + first
        x0, x1 = load(x, at0, left > 0), load(x, at1, left > 1)
        x2, x3 = load(x, at2, later_left > 0), load(x, at3, later_left > 1)
        return by_vectors(x0, x1, x2, x3)

    return gather
