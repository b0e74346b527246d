"""The leaves of both operands of a sum in pairs; the entries of one: read, marked, put into a dense leaf."""

from typing import Any

import numpy as np

from gpu.hisparse.node_layout import DENSE, FIRST_COORDINATE, FIRST_DENSE_SLOT
from gpu.hisparse.node_shapes import first_slots, is_there
from gpu.kernel_parts.bisection import first_from
from gpu.kernel_parts.loads import VECTOR_IF
from gpu.kernel_parts.row_results import rounded_product
from gpu.kernel_parts.warps import before_in_block
from gpu.runtime.cuda import SIMULATED, WARP, cuda, device_function
from gpu.runtime.kernel_sequence import begin_in_sequence

RECORD = 4
"""Words of a pair of leaves: reference and entries of A's, and of B's; 0 where there is none."""


@cuda.jit
def merge_kernel(first_keys, first_leaves, first_number, second_keys, second_leaves, second_number,
                 pairs, keys):  # fmt: skip
    """Merge the leaves of A and B, a leaf a thread; one that both have takes two pairs, the second empty.

    Parameters
    ----------
    first_keys, second_keys
        int64, rising.
    first_leaves, second_leaves
        uint32 of 2 a leaf: reference and entries.
    first_number, second_number
        How many there are.
    pairs
        uint32 of 4 for each leaf of both, see `RECORD`.
    keys
        int64, as many.
    """
    at = np.int64(cuda.grid(1))
    begin_in_sequence()
    if at < first_number:
        key = first_keys[at]
        other = first_from(second_keys, 0, second_number, key)
        pair = at + other
        keys[pair] = key
        pairs[RECORD * pair] = first_leaves[2 * at]
        pairs[RECORD * pair + 1] = first_leaves[2 * at + 1]
        both = other < second_number and second_keys[min(other, second_number - 1)] == key
        pairs[RECORD * pair + 2] = second_leaves[2 * other] if both else np.uint32(0)
        pairs[RECORD * pair + 3] = second_leaves[2 * other + 1] if both else np.uint32(0)
    elif at < first_number + second_number:
        own = at - first_number
        key = second_keys[own]
        other = first_from(first_keys, 0, first_number, key)
        both = other < first_number and first_keys[min(other, first_number - 1)] == key
        pair = own + other + (1 if both else 0)
        keys[pair] = key
        pairs[RECORD * pair] = np.uint32(0)
        pairs[RECORD * pair + 1] = np.uint32(0)
        pairs[RECORD * pair + 2] = np.uint32(0) if both else second_leaves[2 * own]
        pairs[RECORD * pair + 3] = np.uint32(0) if both else second_leaves[2 * own + 1]


LEAF_THREADS = 32 if SIMULATED else 128
"""Of a block that takes a leaf."""
AT_ONCE = 4
"""Coordinates of a thread that are running."""
load = VECTOR_IF[1]


class Bitmap:
    """A bitmap of the places of a leaf in shared memory, with the words of each thread in separate banks.

    Parameters
    ----------
    bits
        log2 of d.

    Attributes
    ----------
    each
        Words of a thread, 2^shift; after them one is free.
    room
        Words of all threads.
    """

    def __init__(self, bits: int) -> None:
        words = max(1, (1 << 2 * bits) // 32)
        self.each = -(-words // LEAF_THREADS)
        self.shift = self.each.bit_length() - 1
        self.room = LEAF_THREADS * (self.each + 1)

    def word(self) -> Any:
        """Make ``word_of(place)``: the word that has the bit of a place."""
        shift = self.shift

        @device_function
        def word_of(place: Any) -> Any:
            return np.int32((place >> 5) + (place >> (5 + shift)))

        return word_of

    def clear(self) -> Any:
        """Make ``clear(bitmap, thread)``, after which the block's threads meet."""
        rounds = self.room // LEAF_THREADS

        @device_function
        def clear(bitmap: Any, thread: Any) -> None:
            for step in range(rounds):
                bitmap[np.uint32(thread + step * LEAF_THREADS)] = np.uint32(0)
            cuda.syncthreads()

        return clear

    def rank(self) -> Any:
        """Make ``rank(bitmap, ranks, totals, thread)``: the bits before each word, and return all bits."""
        each = self.each

        @device_function
        def rank(bitmap: Any, ranks: Any, totals: Any, thread: Any) -> Any:
            cuda.syncthreads()
            own, word = np.int32(0), np.int32(thread * (each + 1))
            for step in range(each):
                own = np.int32(own + cuda.popc(bitmap[np.uint32(word + step)]))
            before, whole = before_in_block(own, totals, thread, LEAF_THREADS // WARP)
            for step in range(each):
                ranks[np.uint32(word + step)] = np.uint16(before)
                before = np.int32(before + cuda.popc(bitmap[np.uint32(word + step)]))
            cuda.syncthreads()
            return whole

        return rank

    def rank_of(self) -> Any:
        """Make ``rank_of(place, bitmap, ranks)``: the bits before that of a place."""
        word_of = self.word()

        @device_function
        def rank_of(place: Any, bitmap: Any, ranks: Any) -> Any:
            word = word_of(place)
            below = np.uint32(bitmap[word] & np.uint32(bit_of(place) - np.uint32(1)))
            return np.int32(np.int32(ranks[word]) + np.int32(cuda.popc(below)))

        return rank_of


@device_function
def bit_of(place: Any) -> Any:
    """Return the bit of a place in its word."""
    return np.uint32(np.uint32(1) << np.uint32(place & 31))


def places(bits: int, transposed: bool) -> Any:
    """Make ``place_of(half)``: where an entry is in the leaf of the sum, by its coordinates in the operand.

    Parameters
    ----------
    bits
        log2 of d.
    transposed
        Whether the operand is transposed.
    """
    mask = (1 << bits) - 1

    @device_function
    def direct(half: Any) -> Any:
        return np.int32((np.int32(half) >> 8) << bits | (np.int32(half) & mask))

    @device_function
    def exchanged(half: Any) -> Any:
        return np.int32((np.int32(half) & mask) << bits | np.int32(half) >> 8)

    return exchanged if transposed else direct


def wanted(real: Any, drop_zeros: bool) -> Any:
    """Make ``is_wanted(factor, values, at)``: whether an entry counts.

    Parameters
    ----------
    real
        np.float32 or np.float64.
    drop_zeros
        Whether those whose product is 0 do not.
    """
    product = rounded_product(real)

    @device_function
    def every(factor: Any, values: Any, at: Any) -> Any:
        return True

    @device_function
    def other_than_zero(factor: Any, values: Any, at: Any) -> Any:
        return product(factor, values[at]) != real(0)

    return other_than_zero if drop_zeros else every


def _set_bit(bits: int) -> Any:
    """Make ``set_bit(bitmap, place)``."""
    word_of = Bitmap(bits).word()

    @device_function
    def set_bit(bitmap: Any, place: Any) -> Any:
        cuda.atomic.or_(bitmap, word_of(place), bit_of(place))
        return np.int32(0)

    return set_bit


def _has_bit(bits: int) -> Any:
    """Make ``has_bit(bitmap, place)``: 1 if it is set, otherwise 0."""
    word_of = Bitmap(bits).word()

    @device_function
    def has_bit(bitmap: Any, place: Any) -> Any:
        return np.int32(1 if bitmap[word_of(place)] & bit_of(place) != 0 else 0)

    return has_bit


def marked(real: Any, bits: int, transposed: bool, drop_zeros: bool, *, counting: bool = False) -> Any:
    """Make ``mark(bitmap, halves, values, reference, count, factor, thread, nonzero)``.

    It sets the bits of the entries of a leaf; with `nonzero`, of those whose product is not -0.0.

    Parameters
    ----------
    real, bits, transposed, drop_zeros
        As of `count_kernel`, for one operand.
    counting
        Whether bits that are set are counted instead, of the entries of this thread.
    """
    set_bit = (_has_bit if counting else _set_bit)(bits)
    width, node_size = np.dtype(real).itemsize, 1 << bits
    most = 1 << 2 * bits
    place_of, first_slot, is_wanted = places(bits, transposed), first_slots(width), wanted(real, drop_zeros)
    product = rounded_product(real)

    @device_function
    def counts(values: Any, at: Any, factor: Any, nonzero: Any) -> Any:
        if nonzero:
            return is_there(product(factor, values[at]), False)
        return is_wanted(factor, values, at)

    @device_function
    def mark(bitmap: Any, halves: Any, values: Any, reference: Any, count: Any, factor: Any, thread: Any,
             nonzero: Any) -> Any:  # fmt: skip
        at, result = np.int64(reference) & ~3, np.int32(0)
        if np.int64(reference) & 3 == DENSE:
            slots = (4 * at + FIRST_DENSE_SLOT) // width
            entry = thread
            while count > 0 and entry < most:
                there = is_there(values[slots + entry], count == most)
                if there and counts(values, slots + entry, factor, nonzero):
                    result = np.int32(
                        result + set_bit(bitmap, place_of((entry >> bits) << 8 | (entry & (node_size - 1))))
                    )
                entry = np.int32(entry + LEAF_THREADS)
        else:
            begin = 2 * at + FIRST_COORDINATE // 2
            slots = (4 * at + first_slot(count)) // width
            entry = thread
            while entry < count:
                entry1 = np.int32(entry + LEAF_THREADS)
                entry2 = np.int32(entry + 2 * LEAF_THREADS)
                entry3 = np.int32(entry + 3 * LEAF_THREADS)
                half0 = load(halves, begin + entry, True)[0]
                half1 = load(halves, begin + entry1, entry1 < count)[0]
                half2 = load(halves, begin + entry2, entry2 < count)[0]
                half3 = load(halves, begin + entry3, entry3 < count)[0]
                if counts(values, slots + entry, factor, nonzero):
                    result = np.int32(result + set_bit(bitmap, place_of(half0)))
                if entry1 < count and counts(values, slots + entry1, factor, nonzero):
                    result = np.int32(result + set_bit(bitmap, place_of(half1)))
                if entry2 < count and counts(values, slots + entry2, factor, nonzero):
                    result = np.int32(result + set_bit(bitmap, place_of(half2)))
                if entry3 < count and counts(values, slots + entry3, factor, nonzero):
                    result = np.int32(result + set_bit(bitmap, place_of(half3)))
                entry = np.int32(entry + AT_ONCE * LEAF_THREADS)
        return result

    return mark


def read_entry(real: Any, bits: int, transposed: bool, *, coordinates: bool = True) -> Any:
    """Make ``read(halves, values, reference, count, entry, has)``: coordinates and value, 0 without one.

    Parameters
    ----------
    real
        np.float32 or np.float64.
    bits
        log2 of d.
    transposed
        Whether coordinates are exchanged.
    coordinates
        Whether they are read; otherwise they are 0.
    """
    width, mask = np.dtype(real).itemsize, (1 << bits) - 1
    first_slot = first_slots(width)

    @device_function
    def read(halves: Any, values: Any, reference: Any, count: Any, entry: Any, has: Any) -> Any:
        at, dense = np.int64(reference) & ~3, np.int64(reference) & 3 == DENSE
        slots = (4 * at + (np.int32(FIRST_DENSE_SLOT) if dense else first_slot(count))) // width
        half = np.int32(0)
        if coordinates:
            half = np.int32(load(halves, 2 * at + FIRST_COORDINATE // 2 + entry, has and not dense)[0])
        value = load(values, slots + entry, has)[0]
        if coordinates and dense and has:
            half = np.int32((entry >> bits) << 8 | (entry & mask))
        return np.int32((half & 255) << 8 | half >> 8) if transposed else half, value

    return read


def put_dense(real: Any, bits: int, transposed: bool, drop_zeros: bool, second: bool) -> Any:
    """Make ``put``: the entries of an operand into a dense leaf, those of A before those of B.

    `marks` has the places of A.

    Parameters
    ----------
    real, bits, transposed, drop_zeros
        As of `count_kernel`, for one operand.
    second
        Whether it is B.
    """
    width, most = np.dtype(real).itemsize, 1 << 2 * bits
    place_of, word_of, read = places(bits, transposed), Bitmap(bits).word(), read_entry(real, bits, False)
    is_wanted, product, first_slot = wanted(real, drop_zeros), rounded_product(real), first_slots(width)

    @device_function
    def put(halves: Any, values: Any, reference: Any, count: Any, factor: Any, thread: Any, marks: Any,
            to: Any, to_slots: Any) -> None:  # fmt: skip
        at, dense = np.int64(reference) & ~3, np.int64(reference) & 3 == DENSE
        slots = (4 * at + (np.int32(FIRST_DENSE_SLOT) if dense else first_slot(count))) // width
        entry = thread
        while count > 0 and entry < (most if dense else count):
            half, value = read(halves, values, reference, count, entry, True)
            there = not dense or is_there(value, count == most)
            if there and is_wanted(factor, values, slots + entry):
                place = place_of(half)
                total = product(factor, value)
                if second and (marks[word_of(place)] & bit_of(place)) != 0:
                    total = to[to_slots + place] + total
                to[to_slots + place] = total
            entry = np.int32(entry + LEAF_THREADS)

    return put
