"""Entries of a leaf, read, and put into a dense one: what a thread does alone."""

from typing import Any

import numpy as np

from gpu.hisparse.node_layout import DENSE, FIRST_COORDINATE, FIRST_DENSE_SLOT
from gpu.hisparse.node_shapes import first_slots
from gpu.hisparse.sum.leaf_places import LEAF_THREADS, Bitmap, bit_of, is_there, load, places, wanted
from gpu.runtime.cuda import device_function
from gpu.sums.block_share import rounded_product


def read_entry(real: Any, bits: int, turned: bool) -> Any:
    """Make ``read(halves, values, reference, count, entry, has)``: coordinates and value, 0 without one.

    Parameters
    ----------
    real
        np.float32 or np.float64.
    bits
        log2 of d.
    turned
        Whether coordinates are exchanged.
    """
    width, mask = np.dtype(real).itemsize, (1 << bits) - 1
    first_slot = first_slots(width)

    @device_function
    def read(halves: Any, values: Any, reference: Any, count: Any, entry: Any, has: Any) -> Any:
        at, dense = np.int64(reference) & ~3, np.int64(reference) & 3 == DENSE
        slots = (4 * at + (np.int32(FIRST_DENSE_SLOT) if dense else first_slot(count))) // width
        half = np.int32(load(halves, 2 * at + FIRST_COORDINATE // 2 + entry, has and not dense)[0])
        value = load(values, slots + entry, has)[0]
        if dense and has:
            half = np.int32((entry >> bits) << 8 | (entry & mask))
        return np.int32((half & 255) << 8 | half >> 8) if turned else half, value

    return read


def read_value(real: Any) -> Any:
    """Make a ``read`` that takes what that of `read_entry` takes, and gives no coordinates.

    Parameters
    ----------
    real
        As there.
    """
    width = np.dtype(real).itemsize
    first_slot = first_slots(width)

    @device_function
    def read(halves: Any, values: Any, reference: Any, count: Any, entry: Any, has: Any) -> Any:
        at, dense = np.int64(reference) & ~3, np.int64(reference) & 3 == DENSE
        slots = (4 * at + (np.int32(FIRST_DENSE_SLOT) if dense else first_slot(count))) // width
        return np.int32(0), load(values, slots + entry, has)[0]

    return read


def put_dense(real: Any, bits: int, turned: bool, drop_zeros: bool, second: bool) -> Any:
    """Make ``put``: the entries of an operand into a dense leaf, those of A before those of B.

    `marks` has the places of A.

    Parameters
    ----------
    real, bits, turned, drop_zeros
        As of `count_kernel`, for one operand.
    second
        Whether it is B.
    """
    width, most = np.dtype(real).itemsize, 1 << 2 * bits
    place_of, word_of, read = places(bits, turned), Bitmap(bits).word(), read_entry(real, bits, False)
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
