"""Entries of COO on the device: their keys in a tree, equal ones summed, and what keeps a leaf sparse.

The key of an entry is that of its leaf (`gpu.hisparse.building.node_kernels`), and behind it the place
in the leaf.
"""

import functools
import math
from typing import Any

import numpy as np

from gpu.hisparse.node_layout import DENSE
from gpu.hisparse.node_shapes import KIND_BITS, shape_of
from gpu.runtime.cuda import cuda
from gpu.runtime.kernel_sequence import begin_in_sequence


@functools.cache
def keys_kernel(bits: int, levels: int) -> Any:
    """Make the kernel that gives entries their keys.

    Parameters
    ----------
    bits
        log2 of d.
    levels
        D.
    """
    mask = (1 << bits) - 1

    @cuda.jit
    def kernel(rows, columns, number, height, width, keys, order, outside):
        """Take an entry a thread.

        Parameters
        ----------
        rows, columns
            Integers, of each entry.
        number
            How many there are.
        height, width
            Of the matrix.
        keys, order
            int64 and int32: what is written; the order is that of the entries.
        outside
            int32 of 1: becomes 1 if an entry lies outside the matrix.
        """
        at = np.int64(cuda.grid(1))
        begin_in_sequence()
        if at < number:
            row, column = np.int64(rows[at]), np.int64(columns[at])
            if row < 0 or row >= height or column < 0 or column >= width:
                outside[0] = np.int32(1)
                row = column = np.int64(0)
            key = np.int64(0)
            for level in range(levels):
                row_place, column_place = row >> bits * level & mask, column >> bits * level & mask
                key |= (row_place << bits | column_place) << 2 * bits * level
            keys[at] = key
            order[at] = np.int32(at)

    return kernel


@cuda.jit
def sums_kernel(values, order, firsts, number, sums):
    """Add up entries of one position, in the order in which they were given, a position a thread.

    Parameters
    ----------
    values
        Of all entries as they were given.
    order
        int32: which of them stand where, in the order of their keys.
    firsts
        int32 of one more: where the entries of each position begin in that order.
    number
        Of positions.
    sums
        What is written.
    """
    at = np.int64(cuda.grid(1))
    begin_in_sequence()
    if at < number:
        end = np.int64(firsts[at + 1])
        entry = np.int64(firsts[at])
        total = values[order[entry]]
        entry += 1
        while entry < end:
            total = total + values[order[entry]]
            entry += 1
        sums[at] = total


@cuda.jit
def negative_zeros_kernel(values, number, firsts, leaves, most, shapes):
    """Let leaves with a stored -0.0 stay sparse, where it would mean no entry: in dense ones not full.

    Parameters
    ----------
    values
        Of the entries in the order of their keys.
    number
        How many there are.
    firsts
        int32: the first entry of each leaf.
    leaves
        How many there are.
    most
        d^2.
    shapes
        int32, of each leaf: what is changed.
    """
    at = np.int64(cuda.grid(1))
    begin_in_sequence()
    if at < number:
        value = values[at]
        if value == 0 and math.copysign(1.0, value) < 0:
            low, high = np.int64(0), np.int64(leaves)
            while high - low > 1:
                middle = (low + high) >> 1
                if firsts[middle] <= at:
                    low = middle
                else:
                    high = middle
            shape = shapes[low]
            if shape & 3 == DENSE and shape >> KIND_BITS < most:
                shapes[low] = shape_of(np.int32(shape >> KIND_BITS), False)
