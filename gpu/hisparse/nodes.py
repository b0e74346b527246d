"""The nodes of a tree level by level, from the root down, with their places in the matrix."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numba import njit

from gpu.hisparse.memory import USED, Geometry, Memory, address, first_slot_of
from gpu.hisparse.node_layout import (
    DENSE,
    FIRST_COORDINATE,
    NULL,
    REFERENCE_BYTES,
    TYPE_MASK,
    dense_words,
    is_absent,
    sparse_words,
)
from vecsim.formats.array_types import FloatArray, IntArray, UIntArray
from vecsim.formats.invariants import require


@dataclass(frozen=True, eq=False)
class Nodes:
    """The nodes of one level in the order of their paths: by their parents, those of one by rows.

    A node that is in several places is listed as often.

    Attributes
    ----------
    references
        uint32: the first word in the pool, plus the type.
    rows, columns
        int64: the place of each, counted in nodes of this level.
    counts
        int64: entries of each: non-zeros of a leaf, children of an inner node.
    """

    references: UIntArray
    rows: IntArray
    columns: IntArray
    counts: IntArray

    @property
    def kinds(self) -> UIntArray:
        """The type of each: 0 dense, 1, 2 and 3 COO1, COO2 and COO4."""
        return self.references & np.uint32(TYPE_MASK)

    def sizes(self, node_size: int, width: int) -> IntArray:
        """Return the bytes of each, with slots of `width` bytes."""
        words: IntArray = np.where(
            self.kinds == DENSE, dense_words(node_size, width), sparse_words(self.counts, width)
        )
        return words * REFERENCE_BYTES

    def distinct(self) -> "Nodes":
        """Return each node once, at the first of its places."""
        _, first = np.unique(self.references, return_index=True)
        first.sort()
        return Nodes(self.references[first], self.rows[first], self.columns[first], self.counts[first])


def levels_of(memory: Memory, root: int, geometry: Geometry) -> tuple[Nodes, ...]:
    """Return the nodes of every level, that of the leaves first.

    Parameters
    ----------
    memory
        The arrays of the pool.
    root
        The reference to the root; 0 for a tree without nodes.
    geometry
        That of the tree.
    """
    results = [root_alone(memory, root)]
    for _ in range(1, geometry.levels):
        results.append(children_of(memory, results[-1], geometry.bits))
    return tuple(reversed(results))


def root_alone(memory: Memory, root: int) -> Nodes:
    """Return the nodes of the highest level: the root, or none if it is 0."""
    zero = np.zeros(int(root != NULL), np.int64)
    references = np.full(len(zero), root, np.uint32)
    return Nodes(references, zero, zero, _counts(memory, references))


def children_of(memory: Memory, nodes: Nodes, bits: int) -> Nodes:
    """Return the children of inner nodes; the parameters are those of `entries_of`."""
    rows, columns, references = _expanded(memory, memory.words, nodes, bits)
    return Nodes(references, rows, columns, _counts(memory, references))


def entries_of(memory: Memory, leaves: Nodes, bits: int) -> tuple[IntArray, IntArray, FloatArray]:
    """Return row, column (int64) and value of each entry of some leaves, leaf by leaf, each by rows.

    Parameters
    ----------
    memory
        The arrays of the pool.
    leaves
        Of the tree.
    bits
        log2 of d.
    """
    return _expanded(memory, memory.values, leaves, bits)


def _expanded(memory: Memory, slots: Any, nodes: Nodes, bits: int) -> tuple[IntArray, IntArray, Any]:
    total = int(nodes.counts.sum())
    rows, columns, results = (
        np.empty(total, np.int64),
        np.empty(total, np.int64),
        np.empty(total, slots.dtype),
    )
    _expand(memory, slots, nodes.references, nodes.rows, nodes.columns, bits, rows, columns, results)
    return rows, columns, results


def _counts(memory: Memory, references: UIntArray) -> IntArray:
    beyond = (references >= memory.state[USED]).any()
    require(not beyond, "a reference leads beyond the end of the pool")
    counts: IntArray = memory.words[references & ~np.uint32(TYPE_MASK)].astype(np.int64)
    return counts


@njit(cache=True)
def is_entry(memory: Any, slots: Any, reference: Any, place: Any, node_size: Any) -> Any:
    """Return whether a slot of a dense node holds an entry.

    Parameters
    ----------
    memory, slots
        The arrays, and that of the slots among them.
    reference, place
        The node, and the number of the slot in it.
    node_size
        d.
    """
    slot = slots[first_slot_of(memory, slots, reference) + place]
    if slots.dtype == memory.words.dtype:
        return slot != NULL
    full = np.int64(memory.words[address(reference)]) == node_size * node_size
    return full or not is_absent(slot)


@njit(cache=True)
def _expand(
    memory: Any,
    slots: Any,
    references: Any,
    rows: Any,
    columns: Any,
    bits: int,
    below_rows: Any,
    below_columns: Any,
    below: Any,
) -> None:
    """Write place and slot of each entry of some nodes of a level.

    Parameters
    ----------
    memory, slots
        The arrays, and that of the slots among them.
    references, rows, columns
        The nodes and their places.
    bits
        log2 of d.
    below_rows, below_columns, below
        What is written: as many as the nodes have entries.
    """
    mask = (1 << bits) - 1
    written = 0
    for node in range(len(references)):
        reference = np.int64(references[node])
        row, column = rows[node] << bits, columns[node] << bits
        base = first_slot_of(memory, slots, reference)
        if reference & TYPE_MASK == DENSE:
            for place in range(1 << 2 * bits):
                if is_entry(memory, slots, reference, place, 1 << bits):
                    below_rows[written] = row + (place >> bits)
                    below_columns[written] = column + (place & mask)
                    below[written] = slots[base + place]
                    written += 1
        else:
            first = 2 * address(reference) + FIRST_COORDINATE // 2
            for place in range(np.int64(memory.words[address(reference)])):
                coordinate = np.int64(memory.halves[first + place])
                below_rows[written] = row + (coordinate >> 8)
                below_columns[written] = column + (coordinate & 255)
                below[written] = slots[base + place]
                written += 1
