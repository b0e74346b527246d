"""The children of an inner node, as kernels read them."""

from typing import Any

import numpy as np

from gpu.hisparse.node_layout import DENSE, FIRST_COORDINATE, FIRST_DENSE_SLOT, REFERENCE_BYTES
from gpu.hisparse.node_shapes import first_slots
from gpu.kernel_parts.loads import LOADS
from gpu.runtime.cuda import device_function

load_word = LOADS[1]


def children(bits: int) -> Any:
    """Make ``child_of(here, reference, count, place, words)``: a child's reference, and its coordinates.

    The reference is int64, 0 without a child; coordinates are uint32, 256 row + column. `count` is the number
    of children; `place` is one of these, or of a dense node a place of d x d. Without `here` there is none.

    Parameters
    ----------
    bits
        log2 of d.
    """
    mask, first_slot = (1 << bits) - 1, first_slots(REFERENCE_BYTES)

    @device_function
    def child_of(here: Any, reference: Any, count: Any, place: Any, words: Any) -> Any:
        at, is_dense = reference & ~3, reference & 3 == DENSE
        own, half = np.int64(0), np.uint32((place >> bits) << 8 | (place & mask))
        if here and is_dense:
            own = np.int64(load_word(words, at + FIRST_DENSE_SLOT // 4 + place)[0])
        elif here:
            pair = np.uint32(load_word(words, at + FIRST_COORDINATE // 4 + place // 2)[0])
            half = np.uint32(pair >> np.uint32(16) if place & 1 else pair & np.uint32(0xFFFF))
            own = np.int64(load_word(words, at + np.int64(first_slot(count) // 4) + place)[0])
        return own, half

    return child_of


def sizes_of(bits: int) -> Any:
    """Make ``size_of(here, reference, words)``: the children of a node, and the places to look for them.

    Parameters
    ----------
    bits
        log2 of d.
    """
    places = 1 << 2 * bits

    @device_function
    def size_of(here: Any, reference: Any, words: Any) -> Any:
        count = np.int32(0)
        if here:
            count = np.int32(load_word(words, reference & ~3)[0])
        return count, np.int32(places if here and reference & 3 == DENSE else count)

    return size_of
