"""Compiled edits of a single node to which one reference leads: an entry more, one less, another slot.

Each returns the reference to the node, which is another one if its size or its type had to change. After
every edit a node has the type that it would have if the matrix were converted again.
"""

from typing import Any

import numpy as np
from numba import njit

from gpu.hisparse.memory import address, first_slot_of, free_node, new_node, pad
from gpu.hisparse.node_layout import (
    DENSE,
    FIRST_COORDINATE,
    TYPE_MASK,
    dense_words,
    is_absent,
    padded,
    sparse_type,
    sparse_words,
)
from gpu.hisparse.nodes import is_entry

NOTHING = -0.0
"""What a slot of a dense node has without an entry: in one of integers it is NULL."""


@njit(cache=True)
def find(memory: Any, slots: Any, reference: Any, coordinate: Any, geometry: Any) -> Any:
    """Return the number of the slot at a coordinate, and whether there is an entry.

    Parameters
    ----------
    memory, slots
        The arrays, and that of the slots among them.
    reference
        The node.
    coordinate
        256 row + column within it.
    geometry
        That of the tree.

    Returns
    -------
    tuple
        In a sparse node without the entry it is the slot that the entry would have.
    """
    at = address(reference)
    if np.int64(reference) & TYPE_MASK == DENSE:
        place = ((coordinate >> 8) << geometry.bits) + (coordinate & 255)
        return place, is_entry(memory, slots, reference, place, geometry.node_size)
    first = 2 * at + FIRST_COORDINATE // 2
    count = np.int64(memory.words[at])
    low, high = np.int64(0), count
    while low < high:
        middle = (low + high) >> 1
        if np.int64(memory.halves[first + middle]) < coordinate:
            low = middle + 1
        else:
            high = middle
    return low, low < count and np.int64(memory.halves[first + low]) == coordinate


@njit(cache=True)
def put(
    memory: Any, slots: Any, reference: Any, coordinate: Any, slot: Any, geometry: Any, dense_from: Any
) -> Any:
    """Put an entry where there is none; `slot` is its value, or the reference to the child.

    Parameters
    ----------
    memory, slots
        The arrays, and that of the slots among them.
    reference
        The node; one reference leads to it.
    coordinate, slot
        Where and what.
    geometry
        That of the tree.
    dense_from
        Entries from which on such a node is dense.

    Returns
    -------
    int
        The reference to the node that it is now.
    """
    at = address(reference)
    count = np.int64(memory.words[at])
    if np.int64(reference) & TYPE_MASK == DENSE:
        inner = slots.dtype == memory.words.dtype
        if inner or not is_absent(slot) or count + 1 == geometry.node_size * geometry.node_size:
            place, _ = find(memory, slots, reference, coordinate, geometry)
            slots[first_slot_of(memory, slots, reference) + place] = slot
            memory.words[at] = count + 1
            return np.int64(reference)
        reference = _sparse_of(memory, slots, reference, geometry)
        at = address(reference)
    place, _ = find(memory, slots, reference, coordinate, geometry)
    base = first_slot_of(memory, slots, reference)
    if padded(count + 1) == padded(count) and count > 2:
        result, new_base = at, base
    else:
        result = new_node(memory, sparse_type(count + 1), count + 1, _sparse_words(slots, count + 1))
        new_base = first_slot_of(memory, slots, result + np.int64(sparse_type(count + 1)))
        _copy(memory, slots, at, base, result, new_base, 0, place, 0)
    _copy(memory, slots, at, base, result, new_base, place, count, 1)
    memory.halves[2 * result + FIRST_COORDINATE // 2 + place] = coordinate
    slots[new_base + place] = slot
    memory.words[result] = count + 1
    pad(memory, slots, result, count + 1)
    if result != at:
        free_node(memory, reference, _level_of(memory, slots), geometry.node_size)
    now = result + np.int64(sparse_type(count + 1))
    return _dense_if_smaller(memory, slots, now, geometry, dense_from)


@njit(cache=True)
def take(memory: Any, slots: Any, reference: Any, coordinate: Any, geometry: Any, dense_from: Any) -> Any:
    """Take out an entry that is stored and is not the only one.

    Parameters
    ----------
    memory, slots
        The arrays, and that of the slots among them.
    reference, coordinate
        The node, to which one reference leads, and the place of the entry.
    geometry
        That of the tree.
    dense_from
        Entries from which on such a node is dense.
    """
    at = address(reference)
    count = np.int64(memory.words[at])
    if np.int64(reference) & TYPE_MASK == DENSE:
        place, _ = find(memory, slots, reference, coordinate, geometry)
        base = first_slot_of(memory, slots, reference)
        if count - 1 >= dense_from and not _would_hide(memory, slots, reference, place, geometry):
            slots[base + place] = NOTHING
            memory.words[at] = count - 1
            return np.int64(reference)
        reference = _sparse_of(memory, slots, reference, geometry)
        at = address(reference)
    place, _ = find(memory, slots, reference, coordinate, geometry)
    base = first_slot_of(memory, slots, reference)
    if padded(count - 1) == padded(count) and count > 3:
        result, new_base = at, base
    else:
        result = new_node(memory, sparse_type(count - 1), count - 1, _sparse_words(slots, count - 1))
        new_base = first_slot_of(memory, slots, result + np.int64(sparse_type(count - 1)))
        _copy(memory, slots, at, base, result, new_base, 0, place, 0)
    _copy(memory, slots, at, base, result, new_base, place + 1, count, -1)
    memory.words[result] = count - 1
    pad(memory, slots, result, count - 1)
    if result != at:
        free_node(memory, reference, _level_of(memory, slots), geometry.node_size)
    now = result + np.int64(sparse_type(count - 1))
    return _dense_if_smaller(memory, slots, now, geometry, dense_from)


@njit(cache=True)
def change(memory: Any, reference: Any, place: Any, value: Any, geometry: Any) -> Any:
    """Change the value of an entry of a leaf.

    Parameters
    ----------
    memory
        The arrays.
    reference, place
        The leaf, to which one reference leads, and the number of the slot.
    value
        The new value.
    geometry
        That of the tree.

    Returns
    -------
    int
        The reference to the leaf that it is now: -0.0 can be stored in sparse ones only, and in full ones.
    """
    slots = memory.values
    count = np.int64(memory.words[address(reference)])
    base = first_slot_of(memory, slots, reference)
    if np.int64(reference) & TYPE_MASK != DENSE:
        slots[base + place] = value
        return _dense_if_smaller(memory, slots, np.int64(reference), geometry, geometry.dense_leaf)
    if not is_absent(value) or count == geometry.node_size * geometry.node_size:
        slots[base + place] = value
        return np.int64(reference)
    coordinate = (place >> geometry.bits) << 8 | (place & (geometry.node_size - 1))
    reference = _sparse_of(memory, slots, reference, geometry)
    place, _ = find(memory, slots, reference, coordinate, geometry)
    slots[first_slot_of(memory, slots, reference) + place] = value
    return reference


@njit(cache=True)
def _level_of(memory: Any, slots: Any) -> Any:
    """Return 0 for the slots of leaves, 1 for those of inner nodes."""
    return 1 if slots.dtype == memory.words.dtype else 0


@njit(cache=True)
def _sparse_words(slots: Any, count: Any) -> Any:
    return np.int64(sparse_words(count, slots.itemsize))


@njit(cache=True)
def _copy(
    memory: Any,
    slots: Any,
    at: Any,
    base: Any,
    to: Any,
    to_base: Any,
    begin: Any,
    end: Any,
    shift: Any,
) -> None:
    """Copy entries of a sparse node into another, or within itself.

    Parameters
    ----------
    memory, slots
        The arrays, and that of the slots among them.
    at, base
        First word and first slot of the node.
    to, to_base
        Those of the node that is written.
    begin, end
        The entries.
    shift
        How many places further they are moved: 1, 0 or -1.
    """
    source, target = 2 * at + FIRST_COORDINATE // 2, 2 * to + FIRST_COORDINATE // 2 + shift
    if shift > 0:
        for place in range(end - 1, begin - 1, -1):
            memory.halves[target + place] = memory.halves[source + place]
        for place in range(end - 1, begin - 1, -1):
            slots[to_base + shift + place] = slots[base + place]
    else:
        for place in range(begin, end):
            memory.halves[target + place] = memory.halves[source + place]
        for place in range(begin, end):
            slots[to_base + shift + place] = slots[base + place]


@njit(cache=True)
def _would_hide(memory: Any, slots: Any, reference: Any, place: Any, geometry: Any) -> Any:
    """Return whether a full dense leaf has a -0.0 elsewhere, which would then look like no entry."""
    if _level_of(memory, slots) == 1:
        return False
    places = geometry.node_size * geometry.node_size
    if np.int64(memory.words[address(reference)]) < places:
        return False
    base = first_slot_of(memory, slots, reference)
    others_absent = 0
    for other in range(places):
        others_absent += other != place and is_absent(slots[base + other])
    return others_absent > 0


@njit(cache=True)
def _sparse_of(memory: Any, slots: Any, reference: Any, geometry: Any) -> Any:
    """Return a sparse node with the entries of a dense one, which is freed."""
    count = np.int64(memory.words[address(reference)])
    kind = np.int64(sparse_type(count))
    result = new_node(memory, kind, count, _sparse_words(slots, count))
    base, new_base = first_slot_of(memory, slots, reference), first_slot_of(memory, slots, result + kind)
    written = 0
    for place in range(geometry.node_size * geometry.node_size):
        if is_entry(memory, slots, reference, place, geometry.node_size):
            coordinate = (place >> geometry.bits) << 8 | (place & (geometry.node_size - 1))
            memory.halves[2 * result + FIRST_COORDINATE // 2 + written] = coordinate
            slots[new_base + written] = slots[base + place]
            written += 1
    pad(memory, slots, result, count)
    free_node(memory, reference, _level_of(memory, slots), geometry.node_size)
    return result + kind


@njit(cache=True)
def _dense_if_smaller(memory: Any, slots: Any, reference: Any, geometry: Any, dense_from: Any) -> Any:
    """Return the sparse node, or a dense one in its place if that is what its entries ask for."""
    at = address(reference)
    count, places = np.int64(memory.words[at]), geometry.node_size * geometry.node_size
    if count < dense_from:
        return reference
    base = first_slot_of(memory, slots, reference)
    if _level_of(memory, slots) == 0 and count < places:
        for place in range(count):
            if is_absent(slots[base + place]):
                return reference
    result = new_node(memory, DENSE, count, np.int64(dense_words(geometry.node_size, slots.itemsize)))
    new_base = first_slot_of(memory, slots, result + DENSE)
    for place in range(places):
        slots[new_base + place] = NOTHING
    for place in range(count):
        coordinate = np.int64(memory.halves[2 * at + FIRST_COORDINATE // 2 + place])
        slots[new_base + ((coordinate >> 8) << geometry.bits) + (coordinate & 255)] = slots[base + place]
    free_node(memory, reference, _level_of(memory, slots), geometry.node_size)
    return result + DENSE
