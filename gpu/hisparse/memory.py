"""The memory of nodes as compiled code has it: allocating, freeing and copying them, one at a time.

Nothing here grows a pool: the caller sees to it that one edit has room (`Pool.reserve` and `Pool.room`).
"""

from typing import Any, NamedTuple

import numpy as np
from numba import njit

from gpu.hisparse.node_layout import (
    COO1,
    DENSE,
    FIRST_COORDINATE,
    NULL,
    TYPE_MASK,
    UNIT_WORDS,
    first_slot,
    first_sparse_slot,
    node_words,
    padded,
    sparse_words,
)

USED, FREE = range(2)
"""Places in `Memory.state`."""
LARGER_SEARCHED = 64
"""Sizes of free blocks, each 16 bytes more than the one before, that are looked through for one to cut."""


class Memory(NamedTuple):
    """The arrays of a pool.

    Attributes
    ----------
    words
        uint32: the nodes.
    halves
        uint16: the same bytes, for coordinates.
    values
        float32 or float64: the same bytes, for the slots of leaves.
    free
        uint32: for each size of a node in units of 16 bytes, the first freed block of it, 0 for none; the
        first word of a freed block is the next one.
    state
        int64 of 2: words up to the end of the last node, and words in freed blocks before it.
    """

    words: Any
    halves: Any
    values: Any
    free: Any
    state: Any


class Geometry(NamedTuple):
    """What all nodes of a tree have in common.

    Attributes
    ----------
    levels
        D.
    bits
        log2 of d.
    node_size
        d.
    dense_inner, dense_leaf
        Entries from which on an inner node, and a leaf, is dense.
    """

    levels: int
    bits: int
    node_size: int
    dense_inner: int
    dense_leaf: int


@njit(cache=True)
def address(reference: Any) -> Any:
    """Return the index of the first word of a node."""
    return np.int64(reference) & ~TYPE_MASK


@njit(cache=True)
def first_slot_of(memory: Any, slots: Any, reference: Any) -> Any:
    """Return the index in `slots` (the words for an inner node, the values for a leaf) of a node's first."""
    at = address(reference)
    width = slots.itemsize
    return (4 * at + first_slot(np.int64(reference) & TYPE_MASK, np.int64(memory.words[at]), width)) // width


@njit(cache=True)
def slot_count(memory: Any, reference: Any, node_size: Any) -> Any:
    """Return how many slots of a node may be in use: its entries, or all of a dense one."""
    if np.int64(reference) & TYPE_MASK == DENSE:
        return node_size * node_size
    return np.int64(memory.words[address(reference)])


@njit(cache=True)
def words_of(memory: Any, reference: Any, node_size: Any, width: Any) -> Any:
    """Return the 32-bit words of a node with slots of `width` bytes.

    Parameters
    ----------
    memory
        The arrays of the pool.
    reference
        The node.
    node_size
        d.
    width
        4 or 8.
    """
    count = np.int64(memory.words[address(reference)])
    return np.int64(node_words(np.int64(reference) & TYPE_MASK, count, node_size, width))


@njit(cache=True)
def allocate(memory: Any, size: Any) -> Any:
    """Return the first word of `size` words, of a freed block if there is one that fits, or at the end."""
    words, free, state = memory.words, memory.free, memory.state
    units = size // UNIT_WORDS
    for larger in range(units, min(units + LARGER_SEARCHED, len(free))):
        at = np.int64(free[larger])
        if at != NULL:
            free[larger] = words[at]
            state[FREE] -= UNIT_WORDS * larger
            if larger > units:
                release_block(memory, at + size, UNIT_WORDS * larger - size)
            return at
    at = np.int64(state[USED])
    state[USED] += size
    return at


@njit(cache=True)
def release_block(memory: Any, at: Any, size: Any) -> None:
    """Keep `size` words from `at` on for nodes to come."""
    units = size // UNIT_WORDS
    memory.words[at] = memory.free[units]
    memory.free[units] = at
    memory.state[FREE] += size


@njit(cache=True)
def new_node(memory: Any, kind: Any, count: Any, size: Any) -> Any:
    """Return the first word of a new node with one reference to it; its entries are yet to be written.

    Parameters
    ----------
    memory
        The arrays of the pool.
    kind, count
        Its type and its entries.
    size
        Its 32-bit words.
    """
    at = allocate(memory, size)
    memory.words[at] = count
    memory.words[at + 1] = 1
    if kind == DENSE:
        memory.words[at + 2] = 0
        memory.words[at + 3] = 0
    return at


@njit(cache=True)
def pad(memory: Any, slots: Any, at: Any, count: Any) -> None:
    """Write all of a sparse node that is no entry: its last coordinates again with slots of 0, and gaps of 0.

    Parameters
    ----------
    memory, slots
        The arrays, and that of the slots among them.
    at, count
        Its first word and its entries.
    """
    width = slots.itemsize
    first, places = 2 * at + FIRST_COORDINATE // 2, np.int64(padded(count))
    base = (4 * at + np.int64(first_sparse_slot(count, width))) // width
    for place in range(first + count, first + places):
        memory.halves[place] = memory.halves[first + count - 1]
    for place in range(first + places, base * (width // 2)):
        memory.halves[place] = 0
    for place in range(base + count, 4 * (at + np.int64(sparse_words(count, width))) // width):
        slots[place] = 0


@njit(cache=True)
def single(memory: Any, slots: Any, coordinate: Any, slot: Any) -> Any:
    """Return the reference to a new node with one entry.

    Parameters
    ----------
    memory, slots
        The arrays, and that of the slots among them.
    coordinate, slot
        Of the entry: 256 row + column, and its value or the reference to the child.
    """
    at = new_node(memory, COO1, 1, np.int64(sparse_words(1, slots.itemsize)))
    memory.halves[2 * at + FIRST_COORDINATE // 2] = coordinate
    slots[first_slot_of(memory, slots, at + COO1)] = slot
    pad(memory, slots, at, 1)
    return at + COO1


@njit(cache=True)
def owned(memory: Any, reference: Any, level: Any, geometry: Any) -> Any:
    """Return the node itself if nothing else refers to it, or a copy of it for this one reference.

    Parameters
    ----------
    memory
        The arrays.
    reference, level
        The node, and how many levels above the leaves it is.
    geometry
        That of its tree.
    """
    words = memory.words
    at = address(reference)
    if words[at + 1] == 1:
        return np.int64(reference)
    width = memory.values.itemsize if level == 0 else words.itemsize
    size = words_of(memory, reference, geometry.node_size, width)
    result = allocate(memory, size)
    words[result : result + size] = words[at : at + size]
    words[result + 1] = 1
    words[at + 1] -= np.uint32(1)
    copied = result + (np.int64(reference) & TYPE_MASK)
    if level > 0:
        base = first_slot_of(memory, words, copied)
        for place in range(base, base + slot_count(memory, copied, geometry.node_size)):
            if words[place] != NULL:
                words[address(words[place]) + 1] += np.uint32(1)
    return copied


@njit(cache=True)
def free_node(memory: Any, reference: Any, level: Any, node_size: Any) -> None:
    """Free a node that nothing refers to; what it refers to is left alone.

    Parameters
    ----------
    memory
        The arrays of the pool.
    reference, level
        The node, and how many levels above the leaves it is.
    node_size
        d.
    """
    width = memory.values.itemsize if level == 0 else memory.words.itemsize
    release_block(memory, address(reference), words_of(memory, reference, node_size, width))


@njit(cache=True)
def release(memory: Any, root: Any, geometry: Any) -> None:
    """Take back a reference to a tree, and free the nodes that nothing else refers to."""
    words = memory.words
    if root == NULL:
        return
    at = address(root)
    words[at + 1] -= np.uint32(1)
    if words[at + 1] > 0:
        return
    path = np.zeros(geometry.levels, np.int64)
    done = np.zeros(geometry.levels, np.int64)
    level = geometry.levels - 1
    path[level] = root
    while level < geometry.levels:
        reference = path[level]
        if level == 0 or done[level] == slot_count(memory, reference, geometry.node_size):
            free_node(memory, reference, level, geometry.node_size)
            level += 1
            continue
        child = np.int64(words[first_slot_of(memory, words, reference) + done[level]])
        done[level] += 1
        if child == NULL:
            continue
        at = address(child)
        words[at + 1] -= np.uint32(1)
        if words[at + 1] == 0:
            level -= 1
            path[level], done[level] = child, 0
