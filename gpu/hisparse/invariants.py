"""Checks that the nodes of a tree are what the format says."""

from typing import Any

import numpy as np
from numba import njit

from gpu.hisparse.memory import USED, Memory, address, first_slot_of
from gpu.hisparse.node_layout import (
    DENSE,
    FIRST_COORDINATE,
    NULL,
    REFERENCE_BYTES,
    TYPE_MASK,
    UNIT_WORDS,
    is_absent,
    level_count,
    padded,
    sparse_type,
)
from gpu.hisparse.nodes import Nodes, children_of, entries_of, is_entry, root_alone
from gpu.hisparse.tree import Tree
from vecsim.formats.invariants import check_range, require

_SOUND, _TYPE, _COORDINATES, _PADDING, _COUNT, _CHILD = range(6)
_BROKEN = {
    _TYPE: "a node must be dense where that is smaller, otherwise COO1, COO2 or COO4 by its entries",
    _COORDINATES: "coordinates must rise and lie within their node",
    _PADDING: "padding must repeat the last coordinate, with slots of 0",
    _COUNT: "a dense node must count its entries",
    _CHILD: "a sparse inner node must have no slot without a child",
}


def check_tree(tree: Tree) -> None:
    """Check every invariant of the nodes of a tree.

    Raises
    ------
    ValueError
        Naming the first one that is broken.
    """
    memory = tree.pool.memory
    wanted = level_count(max(tree.shape), tree.pool.node_size)
    require(tree.levels == wanted, f"the matrix needs {wanted} levels, has {tree.levels}")
    require((tree.root == NULL) == (tree.nnz == 0), "a matrix must have no root if it has no entries")
    bits = tree.geometry.bits
    # Level by level: what is not sound is not followed.
    nodes = root_alone(memory, tree.root)
    _check_level(tree, tree.levels - 1, nodes, nodes)
    for level in reversed(range(tree.levels - 1)):
        leading = children_of(memory, nodes.distinct(), bits)
        nodes = children_of(memory, nodes, bits)
        _check_level(tree, level, nodes, leading)
    entries = int(nodes.counts.sum())
    require(entries == tree.nnz, f"leaves must have {tree.nnz} entries, have {entries}")
    rows, columns, _ = entries_of(memory, nodes, bits)
    check_range("rows of entries", rows, tree.shape[0])
    check_range("columns of entries", columns, tree.shape[1])


def _check_level(tree: Tree, level: int, nodes: Nodes, leading: Nodes) -> None:
    """Check the nodes of a level; `leading` has each as often as slots of distinct parents lead to it."""
    pool, geometry, name = tree.pool, tree.geometry, f"level {level}"
    memory = pool.memory
    slots = memory.values if level == 0 else memory.words
    distinct = nodes.distinct()
    in_range = (distinct.counts > 0) & (distinct.counts <= geometry.node_size**2)
    require(in_range.all(), f"{name}: nodes must have 1 .. {geometry.node_size**2} entries")
    begins = (distinct.references & ~np.uint32(TYPE_MASK)).astype(np.int64)
    ends = begins + distinct.sizes(geometry.node_size, slots.itemsize) // REFERENCE_BYTES
    inside = (begins >= UNIT_WORDS).all() and (ends <= memory.state[USED]).all()
    require(inside, f"{name}: nodes must be within the pool")
    order = np.argsort(begins)
    require((ends[order][:-1] <= begins[order][1:]).all(), f"{name}: nodes must not overlap")
    known, counted = np.unique(leading.references, return_counts=True)
    stored = memory.words[(known & ~np.uint32(TYPE_MASK)) + np.uint32(1)]
    require((stored >= counted).all(), f"{name}: nodes must count all references to them")
    dense_from = geometry.dense_inner if level else geometry.dense_leaf
    broken = int(_first_broken(memory, slots, distinct.references, geometry.node_size, dense_from))
    require(broken == _SOUND, f"{name}: {_BROKEN.get(broken)}")


@njit(cache=True)
def _first_broken(memory: Memory, slots: Any, references: Any, node_size: int, dense_from: int) -> Any:
    """Return which invariant the first unsound node breaks; `_SOUND` if all are sound.

    Parameters
    ----------
    memory, slots
        The arrays, and that of the slots among them.
    references
        uint32: the nodes.
    node_size
        d.
    dense_from
        Entries from which on they should be dense.
    """
    inner = slots.dtype == memory.words.dtype
    for number in range(len(references)):
        reference = np.int64(references[number])
        at, kind = address(reference), reference & TYPE_MASK
        count = np.int64(memory.words[at])
        base = first_slot_of(memory, slots, reference)
        if kind == DENSE:
            entries = 0
            for place in range(node_size * node_size):
                entries += is_entry(memory, slots, reference, place, node_size)
            if count < dense_from:
                return _TYPE
            if entries != count:
                return _COUNT
            continue
        negative_zeros = 0
        for place in range(count):
            coordinate = np.int64(memory.halves[2 * at + FIRST_COORDINATE // 2 + place])
            before = np.int64(memory.halves[2 * at + FIRST_COORDINATE // 2 + place - 1]) if place > 0 else -1
            if coordinate <= before or coordinate >> 8 >= node_size or coordinate & 255 >= node_size:
                return _COORDINATES
            if inner and slots[base + place] == NULL:
                return _CHILD
            negative_zeros += not inner and is_absent(slots[base + place])
        excused = negative_zeros > 0 and count < node_size * node_size
        if kind != sparse_type(count) or (count >= dense_from and not excused):
            return _TYPE
        last = memory.halves[2 * at + FIRST_COORDINATE // 2 + count - 1]
        for place in range(count, np.int64(padded(count))):
            if memory.halves[2 * at + FIRST_COORDINATE // 2 + place] != last or slots[base + place] != 0:
                return _PADDING
    return _SOUND
