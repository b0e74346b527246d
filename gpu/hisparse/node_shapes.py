"""Sizes of nodes as kernels compute them: `gpu.hisparse.node_layout` in integers of 32 bits."""

import math
from typing import Any

import numpy as np

from gpu.hisparse.node_layout import COO1, DENSE, FIRST_COORDINATE, UNIT_BYTES, dense_words
from gpu.runtime.cuda import device_function

KIND_BITS = 2
"""A shape is the entries of a node, shifted by this many bits, plus its type; 0 stands for no node."""


@device_function
def padded_count(count: Any) -> Any:
    """Return the entries of a sparse node, padding included."""
    return np.int32(count if count < 3 else (count + 3) & ~3)


def first_slots(width: int) -> Any:
    """Make ``first_slot(count)``: the byte of a sparse node with slots of `width` bytes where these begin."""

    @device_function
    def first_slot(count: Any) -> Any:
        aligned = np.int32(UNIT_BYTES if count > 2 else min(UNIT_BYTES, count * width))
        padded = padded_count(count)
        return np.int32((FIRST_COORDINATE + 2 * padded + aligned - 1) & ~(aligned - 1))

    return first_slot


def units(width: int, node_size: int) -> Any:
    """Make ``unit_count(shape)``: 16 bytes of a node each; 0 of no node.

    Parameters
    ----------
    width
        Bytes of a slot.
    node_size
        d.
    """
    first_slot = first_slots(width)
    dense = dense_words(node_size, width) // 4

    @device_function
    def unit_count(shape: Any) -> Any:
        count = np.int32(shape >> KIND_BITS)
        if count == 0:
            return np.int32(0)
        if shape & 3 == DENSE:
            return np.int32(dense)
        padded = padded_count(count)
        return np.int32((first_slot(count) + width * padded + UNIT_BYTES - 1) // UNIT_BYTES)

    return unit_count


@device_function
def shape_of(count: Any, dense: Any) -> Any:
    """Return the shape of a node of this many entries, dense or not."""
    kind = DENSE if dense else min(count, 3) - 1 + COO1
    return np.int32(count << KIND_BITS | kind)


@device_function
def is_there(value: Any, full: Any) -> Any:
    """Return whether a slot of a dense leaf has an entry."""
    return full or value != 0 or math.copysign(1.0, value) > 0
