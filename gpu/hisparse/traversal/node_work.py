"""What is done with a node: a leaf is multiplied, the children of an inner node are put into queues.

The functions for a node are all that is written for an operation (sections 4 and 5); who works on which node
is `gpu.hisparse.traversal.scheduling`'s.

A thread loads four entries at once, as COO4 is made for: 8 bytes of coordinates and 16 or 32 of values. Each
product is added to y by a separate atomic operation, as in the paper's Algorithm 1.
"""

import math
from typing import Any

import numpy as np

from gpu.hisparse.inner_nodes import children, load_word, sizes_of
from gpu.hisparse.node_layout import DENSE, FIRST_COORDINATE, FIRST_DENSE_SLOT
from gpu.hisparse.node_shapes import first_slots
from gpu.hisparse.traversal.queues import FEW, QUEUES, THREADS, append, queue_of, tag_of
from gpu.kernel_parts.loads import LOADS
from gpu.runtime.cuda import cuda, device_function

CHILDREN_AT_ONCE = 4
"""Children of a thread whose sizes are read at once."""
_AT_ONCE = 4
"""Entries of a thread that are read at once."""
_load_coordinates, _load_values = LOADS[2], LOADS[_AT_ONCE]


def multiplied(real: Any, bits: int, is_transposed: bool) -> Any:
    """Make ``multiply(node, thread, threads, words, values, x, y, alpha)``: a leaf, by some threads.

    Parameters
    ----------
    real
        np.float32 or np.float64.
    bits
        log2 of d.
    is_transposed
        Whether rows and columns are exchanged.
    """
    width, mask, places = np.dtype(real).itemsize, (1 << bits) - 1, 1 << 2 * bits
    first_slot = first_slots(width)

    @device_function
    def add(half: Any, value: Any, row: Any, column: Any, x: Any, y: Any, alpha: Any) -> None:
        at_row = np.int64(row) + np.int64(np.uint32(half) >> np.uint32(8))
        at_column = np.int64(column) + np.int64(np.uint32(half) & np.uint32(255))
        if is_transposed:
            cuda.atomic.add(y, at_column, alpha * value * x[at_row])
        else:
            cuda.atomic.add(y, at_row, alpha * value * x[at_column])

    @device_function
    def multiply_dense(at: Any, full: Any, row: Any, column: Any, thread: Any, threads: Any, values: Any,
                       x: Any, y: Any, alpha: Any) -> None:  # fmt: skip
        slots, place = (4 * at + FIRST_DENSE_SLOT) // width, thread
        while place < places:
            value = load_word(values, slots + place)[0]
            if full or value != real(0) or math.copysign(1.0, value) > 0:
                add(np.uint32((place >> bits) << 8 | (place & mask)), value, row, column, x, y, alpha)
            place = np.int32(place + threads)

    @device_function
    def multiply(node: Any, thread: Any, threads: Any, words: Any, values: Any, x: Any, y: Any,
                 alpha: Any) -> None:  # fmt: skip
        reference, row, column, _ = node
        at = reference & ~3
        count = np.int32(load_word(words, at)[0])
        slots = (4 * at + np.int64(first_slot(count))) // width
        coordinates, low, high = at + FIRST_COORDINATE // 4, np.uint32(0xFFFF), np.uint32(16)
        if reference & 3 == DENSE:
            multiply_dense(at, count == places, row, column, thread, threads, values, x, y, alpha)
        elif count < 3:
            if thread == 0:
                halves = np.uint32(load_word(words, coordinates)[0])
                add(halves & low, load_word(values, slots)[0], row, column, x, y, alpha)
                if count == 2:
                    add(halves >> high, load_word(values, slots + 1)[0], row, column, x, y, alpha)
        else:
            entry = np.int32(_AT_ONCE * thread)
            while entry < count:
                first, second = _load_coordinates(words, coordinates + entry // 2)
                value = _load_values(values, slots + entry)
                add(np.uint32(first) & low, value[0], row, column, x, y, alpha)
                if entry + 1 < count:
                    add(np.uint32(first) >> high, value[1], row, column, x, y, alpha)
                if entry + 2 < count:
                    add(np.uint32(second) & low, value[2], row, column, x, y, alpha)
                if entry + 3 < count:
                    add(np.uint32(second) >> high, value[3], row, column, x, y, alpha)
                entry = np.int32(entry + _AT_ONCE * threads)

    return multiply


def expanded(bits: int) -> Any:
    """Make ``expand(queue, here, node, epoch, thread, words, firsts, tails, items)``.

    It puts the children of an inner node into queues. All threads of the block call it, with nodes of the
    same queue; `here` says whether a thread has one.

    Parameters
    ----------
    bits
        log2 of d.
    """
    child_of, size_of = children(bits), sizes_of(bits)

    @device_function
    def sized(here: Any, reference: Any, count: Any, place: Any, words: Any) -> Any:
        own, half = child_of(here, reference, count, place, words)
        return own, half, np.int32(load_word(words, own & ~3)[0]) if own != 0 else np.int32(0)

    @device_function
    def enqueue(child: Any, row: Any, column: Any, level: Any, epoch: Any, firsts: Any, tails: Any,
                items: Any) -> None:  # fmt: skip
        own, half, size = child
        shift = np.int32(bits * (level + 1))
        own_row = np.int32(row + (np.int32(half >> np.uint32(8)) << shift))
        own_column = np.int32(column + (np.int32(half & np.uint32(255)) << shift))
        queue = queue_of(size, own & 3, level) if own != 0 else np.int32(QUEUES)
        append(queue, own != 0, (own, own_row, own_column), tag_of(epoch, level), firsts, tails, items)

    @device_function
    def expand(queue: Any, here: Any, node: Any, epoch: Any, thread: Any, words: Any, firsts: Any,
               tails: Any, items: Any) -> None:  # fmt: skip
        reference, row, column, own_level = node
        level = np.int32(own_level - 1)
        count, last = size_of(here, reference, words)
        if queue == FEW:
            child = sized(here and thread < last, reference, count, thread, words)
            enqueue(child, row, column, level, epoch, firsts, tails, items)
        else:
            # The node is the block's: all of its threads take equally many steps.
            step = np.int32(0)
            while step < last:
                place0 = np.int32(step + thread)
                place1 = np.int32(place0 + THREADS)
                place2 = np.int32(place0 + 2 * THREADS)
                place3 = np.int32(place0 + 3 * THREADS)
                child0 = sized(place0 < last, reference, count, place0, words)
                child1 = sized(place1 < last, reference, count, place1, words)
                child2 = sized(place2 < last, reference, count, place2, words)
                child3 = sized(place3 < last, reference, count, place3, words)
                enqueue(child0, row, column, level, epoch, firsts, tails, items)
                enqueue(child1, row, column, level, epoch, firsts, tails, items)
                enqueue(child2, row, column, level, epoch, firsts, tails, items)
                enqueue(child3, row, column, level, epoch, firsts, tails, items)
                step = np.int32(step + CHILDREN_AT_ONCE * THREADS)

    return expand
