"""Compiled edits of a tree: down from the root, every node on the path copied if it is shared, and changed.

All take `memory`, the arrays of the pool with room for one edit; `root`, the tree to which one reference of
the caller's own leads; and `geometry`, that of the tree. They return the root that it is then.
"""

from typing import Any

import numpy as np
from numba import njit

from gpu.hisparse.memory import USED, address, first_slot_of, free_node, owned, single
from gpu.hisparse.node_edits import change, find, put, take
from gpu.hisparse.node_layout import NULL


@njit(cache=True)
def coordinate_in(row: Any, column: Any, level: Any, bits: Any) -> Any:
    """Return 256 row + column of a position within the node of a level on its path.

    Parameters
    ----------
    row, column
        The position in the matrix.
    level
        0 for a leaf.
    bits
        log2 of d.
    """
    mask = (1 << bits) - 1
    return (row >> level * bits & mask) << 8 | (column >> level * bits & mask)


@njit(cache=True)
def chain(memory: Any, level: Any, row: Any, column: Any, value: Any, geometry: Any) -> Any:
    """Return a new node of a level with one entry, and one of each level below it, down to a value.

    Parameters
    ----------
    memory, geometry
        As above.
    level
        That of the node.
    row, column, value
        The entry.
    """
    built = single(memory, memory.values, coordinate_in(row, column, 0, geometry.bits), value)
    for above in range(1, level + 1):
        built = single(memory, memory.words, coordinate_in(row, column, above, geometry.bits), built)
    return built


@njit(cache=True)
def look_up(memory: Any, root: Any, row: Any, column: Any, geometry: Any) -> Any:
    """Return the index of the value of an entry in `memory.values`, or -1 if it is not stored.

    Parameters
    ----------
    memory, root, geometry
        As above.
    row, column
        The position of the entry.
    """
    reference = np.int64(root)
    for level in range(geometry.levels - 1, 0, -1):
        if reference == NULL:
            return np.int64(-1)
        coordinate = coordinate_in(row, column, level, geometry.bits)
        place, result = find(memory, memory.words, reference, coordinate, geometry)
        if not result:
            return np.int64(-1)
        reference = np.int64(memory.words[first_slot_of(memory, memory.words, reference) + place])
    if reference == NULL:
        return np.int64(-1)
    coordinate = coordinate_in(row, column, 0, geometry.bits)
    place, result = find(memory, memory.values, reference, coordinate, geometry)
    return first_slot_of(memory, memory.values, reference) + place if result else np.int64(-1)


@njit(cache=True)
def linked(memory: Any, slot: Any, reference: Any, root: Any) -> Any:
    """Write a reference into its slot in the parent, and return the root; slot -1 is that of the root.

    Parameters
    ----------
    memory, root
        As above.
    slot
        The index in the words of the pool.
    reference
        What is written.
    """
    if slot < 0:
        return reference
    memory.words[slot] = reference
    return root


@njit(cache=True)
def store(memory: Any, root: Any, row: Any, column: Any, value: Any, geometry: Any) -> Any:
    """Store an entry, or replace its value; return the root and how many entries there are more: 0 or 1.

    Parameters
    ----------
    memory, root, geometry
        As above.
    row, column, value
        The entry.
    """
    words = memory.words
    if root == NULL:
        return chain(memory, geometry.levels - 1, row, column, value, geometry), 1
    slot, reference = np.int64(-1), np.int64(root)
    for level in range(geometry.levels - 1, 0, -1):
        reference = owned(memory, reference, level, geometry)
        root = linked(memory, slot, reference, root)
        coordinate = coordinate_in(row, column, level, geometry.bits)
        place, result = find(memory, words, reference, coordinate, geometry)
        if not result:
            child = chain(memory, level - 1, row, column, value, geometry)
            now = put(memory, words, reference, coordinate, child, geometry, geometry.dense_inner)
            return linked(memory, slot, now, root), 1
        slot = first_slot_of(memory, words, reference) + place
        reference = np.int64(words[slot])
    reference = owned(memory, reference, 0, geometry)
    root = linked(memory, slot, reference, root)
    coordinate = coordinate_in(row, column, 0, geometry.bits)
    place, result = find(memory, memory.values, reference, coordinate, geometry)
    if result:
        now = change(memory, reference, place, value, geometry)
    else:
        now = put(memory, memory.values, reference, coordinate, value, geometry, geometry.dense_leaf)
    return linked(memory, slot, now, root), 0 if result else 1


@njit(cache=True)
def remove(memory: Any, root: Any, row: Any, column: Any, geometry: Any, path: Any, slot_of: Any) -> Any:
    """Remove an entry that is stored, with the nodes that have none then; return the root.

    Parameters
    ----------
    memory, root, geometry
        As above.
    row, column
        Its position.
    path, slot_of
        int64 of D each, to work in.
    """
    words = memory.words
    slot, reference = np.int64(-1), np.int64(root)
    for level in range(geometry.levels - 1, -1, -1):
        reference = owned(memory, reference, level, geometry)
        root = linked(memory, slot, reference, root)
        path[level], slot_of[level] = reference, slot
        if level > 0:
            coordinate = coordinate_in(row, column, level, geometry.bits)
            place, _ = find(memory, words, reference, coordinate, geometry)
            slot = first_slot_of(memory, words, reference) + place
            reference = np.int64(words[slot])
    for level in range(geometry.levels):
        reference = path[level]
        if words[address(reference)] == 1:
            free_node(memory, reference, level, geometry.node_size)
            continue
        coordinate = coordinate_in(row, column, level, geometry.bits)
        if level == 0:
            now = take(memory, memory.values, reference, coordinate, geometry, geometry.dense_leaf)
        else:
            now = take(memory, words, reference, coordinate, geometry, geometry.dense_inner)
        return linked(memory, slot_of[level], now, root)
    return np.int64(NULL)


@njit(cache=True)
def store_all(
    memory: Any, root: Any, geometry: Any, rows: Any, columns: Any, values: Any, begin: Any, room: Any
) -> Any:
    """Store entries one by one, as long as there is room for one more.

    Parameters
    ----------
    memory, root, geometry
        As above.
    rows, columns, values
        The entries.
    begin
        The first of them.
    room
        Words that one may take.

    Returns
    -------
    tuple
        The root, the first entry that is not stored yet, and how many there are more.
    """
    more = 0
    for index in range(begin, len(rows)):
        if memory.state[USED] + room > len(memory.words):
            return np.int64(root), index, more
        root, one = store(memory, root, rows[index], columns[index], values[index], geometry)
        more += one
    return np.int64(root), len(rows), more


@njit(cache=True)
def remove_all(memory: Any, root: Any, geometry: Any, rows: Any, columns: Any, begin: Any, room: Any) -> Any:
    """Remove entries, as `store_all` stores them, those that are stored; return as it does.

    Parameters
    ----------
    memory, root, geometry
        As above.
    rows, columns
        int64: the positions.
    begin
        The first of them to remove.
    room
        Words that one edit may take.
    """
    path, slot_of = np.zeros(geometry.levels, np.int64), np.zeros(geometry.levels, np.int64)
    more = 0
    for index in range(begin, len(rows)):
        if memory.state[USED] + room > len(memory.words):
            return np.int64(root), index, more
        if look_up(memory, root, rows[index], columns[index], geometry) >= 0:
            root = remove(memory, root, rows[index], columns[index], geometry, path, slot_of)
            more -= 1
    return np.int64(root), len(rows), more


@njit(cache=True)
def look_up_all(memory: Any, root: Any, geometry: Any, rows: Any, columns: Any) -> Any:
    """Return int64 indices of values in `memory.values`, -1 where no entry is stored.

    Parameters
    ----------
    memory, root, geometry
        As above.
    rows, columns
        int64: the positions.
    """
    result = np.empty(len(rows), np.int64)
    for index in range(len(rows)):
        result[index] = look_up(memory, root, rows[index], columns[index], geometry)
    return result
