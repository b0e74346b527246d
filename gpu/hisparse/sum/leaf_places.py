"""The places of the entries of a leaf, and bitmaps of these in shared memory.

A kernel gives `marked` the function that sets a bit: in the simulator, atomics stand in its own module.
"""

import math
from typing import Any

import numpy as np

from gpu.hisparse.node_layout import DENSE, FIRST_COORDINATE, FIRST_DENSE_SLOT
from gpu.hisparse.node_shapes import first_slots
from gpu.kernel_parts.loads import VECTOR_IF
from gpu.runtime.cuda import SIMULATED, device_function
from gpu.sums.block_share import rounded_product

LEAF_THREADS = 32 if SIMULATED else 128
"""Of a block that takes a leaf."""
AT_ONCE = 4
"""Coordinates of a thread that are under way."""
load = VECTOR_IF[1]


class Bitmap:
    """A bitmap of the places of a leaf in shared memory: its words, those of a thread in banks of their own.

    Parameters
    ----------
    bits
        log2 of d.

    Attributes
    ----------
    each
        Words of a thread, 2^shift; behind them one is free.
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


@device_function
def bit_of(place: Any) -> Any:
    """Return the bit of a place in its word."""
    return np.uint32(np.uint32(1) << np.uint32(place & 31))


def places(bits: int, turned: bool) -> Any:
    """Make ``place_of(half)``: where an entry is in the leaf of the sum, by its coordinates in the operand.

    Parameters
    ----------
    bits
        log2 of d.
    turned
        Whether the operand is transposed.
    """
    mask = (1 << bits) - 1

    @device_function
    def direct(half: Any) -> Any:
        return np.int32((np.int32(half) >> 8) << bits | (np.int32(half) & mask))

    @device_function
    def exchanged(half: Any) -> Any:
        return np.int32((np.int32(half) & mask) << bits | np.int32(half) >> 8)

    return exchanged if turned else direct


@device_function
def is_there(value: Any, full: Any) -> Any:
    """Say whether a slot of a dense leaf has an entry."""
    return full or value != 0 or math.copysign(1.0, value) > 0


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


def marked(set_bit: Any, real: Any, bits: int, turned: bool, drop_zeros: bool) -> Any:
    """Make ``mark(bitmap, halves, values, reference, count, factor, thread, nonzero)``.

    It sets the bits of the entries of a leaf; with `nonzero`, of those whose product is not -0.0. It gives
    the sum of what `set_bit` gives.

    Parameters
    ----------
    set_bit
        Device function of a bitmap and a place, giving an int32.
    real, bits, turned, drop_zeros
        As of `count_kernel`, for one operand.
    """
    width, node_size = np.dtype(real).itemsize, 1 << bits
    most = 1 << 2 * bits
    place_of, first_slot, is_wanted = places(bits, turned), first_slots(width), wanted(real, drop_zeros)
    product = rounded_product(real)

    @device_function
    def counts(values: Any, at: Any, factor: Any, nonzero: Any) -> Any:
        if nonzero:
            return is_there(product(factor, values[at]), False)
        return is_wanted(factor, values, at)

    @device_function
    def mark(bitmap: Any, halves: Any, values: Any, reference: Any, count: Any, factor: Any, thread: Any,
             nonzero: Any) -> Any:  # fmt: skip
        at, found = np.int64(reference) & ~3, np.int32(0)
        if np.int64(reference) & 3 == DENSE:
            slots = (4 * at + FIRST_DENSE_SLOT) // width
            entry = thread
            while count > 0 and entry < most:
                there = is_there(values[slots + entry], count == most)
                if there and counts(values, slots + entry, factor, nonzero):
                    found = np.int32(
                        found + set_bit(bitmap, place_of((entry >> bits) << 8 | (entry & (node_size - 1))))
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
                    found = np.int32(found + set_bit(bitmap, place_of(half0)))
                if entry1 < count and counts(values, slots + entry1, factor, nonzero):
                    found = np.int32(found + set_bit(bitmap, place_of(half1)))
                if entry2 < count and counts(values, slots + entry2, factor, nonzero):
                    found = np.int32(found + set_bit(bitmap, place_of(half2)))
                if entry3 < count and counts(values, slots + entry3, factor, nonzero):
                    found = np.int32(found + set_bit(bitmap, place_of(half3)))
                entry = np.int32(entry + AT_ONCE * LEAF_THREADS)
        return found

    return mark
