"""Compiled loops over the entries of a CSR matrix: into which leaves they fall, and into these."""

from typing import Any

import numpy as np
from numba import njit

from vecsim.formats.hisparse.memory import address, first_slot_of, pad
from vecsim.formats.hisparse.node_layout import (
    DENSE,
    FIRST_COORDINATE,
    FIRST_DENSE_SLOT,
    NULL,
    REFERENCE_BYTES,
    TYPE_MASK,
)

GOLDEN = 2654435769
"""2^32 over the golden ratio: multiplied with it, neighbours fall far apart."""


@njit(cache=True)
def place_in(keys: Any, block: Any, direct: bool) -> Any:
    """Return where a table has a block column, or where it may be put.

    Parameters
    ----------
    keys
        The table: block columns, -1 where there is none; as many as a power of two.
    block
        The block column.
    direct
        Whether there is a place for every block column.
    """
    if direct:
        return block
    mask = len(keys) - 1
    place = ((block * GOLDEN & 0xFFFFFFFF) >> 8) & mask
    while keys[place] != -1 and keys[place] != block:
        place = (place + 1) & mask
    return place


@njit(nogil=True, cache=True)
def find_leaves(
    stripes: Any,
    indptr: Any,
    indices: Any,
    bits: int,
    starts: Any,
    size: int,
    direct: bool,
    columns: Any,
    counts: Any,
    found: Any,
) -> None:
    """Count the entries of each leaf, stripe by stripe of d rows; leaves of a stripe as they are first met.

    Parameters
    ----------
    stripes
        int64 of 2: the first stripe, and the one behind the last.
    indptr, indices
        The matrix, sorted CSR without duplicates.
    bits
        log2 of d.
    starts
        int64 of stripes + 1: places before each stripe, one a leaf that it may have at most.
    size, direct
        Of the table, as `place_in` has it.
    columns, counts
        What is written at these places: int32 block columns and entries.
    found
        What is written: int64 leaves of each stripe.
    """
    rows = len(indptr) - 1
    keys = np.full(size, -1, np.int32)
    leaf_at = np.empty(size, np.int64)
    touched = np.empty(size, np.int64)
    for stripe in range(stripes[0], stripes[1]):
        first = np.int64(indptr[stripe << bits])
        last = np.int64(indptr[min((stripe + 1) << bits, rows)])
        leaves: Any = np.int64(0)
        leaf: Any = np.int64(0)
        before: Any = np.int64(-1)
        for entry in range(first, last):
            block = np.int64(indices[entry]) >> bits
            if block != before:
                before = block
                place = place_in(keys, block, direct)
                if keys[place] == -1:
                    keys[place] = block
                    touched[leaves] = place
                    leaf_at[place] = starts[stripe] + leaves
                    columns[starts[stripe] + leaves] = block
                    counts[starts[stripe] + leaves] = 0
                    leaves += 1
                leaf = leaf_at[place]
            counts[leaf] += 1
        for index in range(leaves):
            keys[touched[index]] = -1
        found[stripe] = leaves


@njit(cache=True)
def begin_leaf(memory: Any, reference: Any, count: Any, node_size: Any) -> None:
    """Write the head of a leaf, and its absent entries if it is dense."""
    at = address(reference)
    memory.words[at] = count
    memory.words[at + 1] = 1
    if np.int64(reference) & TYPE_MASK == DENSE:
        base = first_slot_of(memory, memory.values, reference)
        memory.values[base : base + node_size * node_size] = -0.0


@njit(nogil=True, cache=True)
def fill_leaves(
    stripes: Any,
    indptr: Any,
    indices: Any,
    data: Any,
    bits: int,
    size: int,
    direct: bool,
    leaf_ptr: Any,
    columns: Any,
    counts: Any,
    references: Any,
    memory: Any,
) -> None:
    """Write all leaves of some stripes.

    Parameters
    ----------
    stripes
        int64 of 2: the first stripe, and the one behind the last.
    indptr, indices, data
        The matrix, sorted CSR without duplicates.
    bits
        log2 of d.
    size, direct
        Of the table, as `place_in` has it.
    leaf_ptr
        int64 of stripes + 1: the first leaf of each stripe, then their number.
    columns, counts, references
        Block column, entries and reference of each leaf.
    memory
        The arrays of the pool.
    """
    rows = len(indptr) - 1
    halves, values = memory.halves, memory.values
    node_size, mask = 1 << bits, (1 << bits) - 1
    keys = np.full(size, -1, np.int32)
    leaf_at = np.empty(size, np.int64)
    touched = np.empty(size, np.int64)
    # Of each leaf: the next coordinate, the next slot; -1 and the first slot of a dense one.
    coordinate_at = np.empty(size, np.int64)
    slot_at = np.empty(size, np.int64)
    for stripe in range(stripes[0], stripes[1]):
        leaves = leaf_ptr[stripe + 1] - leaf_ptr[stripe]
        for index in range(leaves):
            leaf = leaf_ptr[stripe] + index
            begin_leaf(memory, references[leaf], counts[leaf], node_size)
            place = place_in(keys, np.int64(columns[leaf]), direct)
            keys[place] = columns[leaf]
            leaf_at[place] = index
            touched[index] = place
            coordinate_at[index] = 2 * address(references[leaf]) + FIRST_COORDINATE // 2
            if np.int64(references[leaf]) & TYPE_MASK == DENSE:
                coordinate_at[index] = -1
            slot_at[index] = first_slot_of(memory, values, references[leaf])
        before: Any = np.int64(-1)
        leaf_index: Any = np.int64(0)
        for row in range(stripe << bits, min((stripe + 1) << bits, rows)):
            for entry in range(np.int64(indptr[row]), np.int64(indptr[row + 1])):
                column = np.int64(indices[entry])
                if column >> bits != before:
                    before = column >> bits
                    leaf_index = leaf_at[place_in(keys, before, direct)]
                at = coordinate_at[leaf_index]
                if at == -1:
                    values[slot_at[leaf_index] + ((row & mask) << bits) + (column & mask)] = data[entry]
                else:
                    halves[at] = (row & mask) << 8 | (column & mask)
                    coordinate_at[leaf_index] = at + 1
                    values[slot_at[leaf_index]] = data[entry]
                    slot_at[leaf_index] += 1
        for index in range(leaves):
            keys[touched[index]] = -1
            if coordinate_at[index] != -1:
                leaf = leaf_ptr[stripe] + index
                pad(memory, values, address(references[leaf]), np.int64(counts[leaf]))


@njit(cache=True)
def fill_inner_nodes(
    memory: Any, references: Any, first_child: Any, coordinates: Any, children: Any, bits: int
) -> None:
    """Write the nodes of a level above the leaves.

    Parameters
    ----------
    memory
        The arrays.
    references
        uint32: the nodes.
    first_child
        int64, one more: the first child of each, then their number.
    coordinates, children
        uint16 and uint32: the position of each child in its node, and the reference to it.
    bits
        log2 of d.
    """
    words, halves = memory.words, memory.halves
    for node in range(len(references)):
        at = address(references[node])
        count = first_child[node + 1] - first_child[node]
        words[at] = count
        words[at + 1] = 1
        if np.int64(references[node]) & TYPE_MASK == DENSE:
            base = at + FIRST_DENSE_SLOT // REFERENCE_BYTES
            words[base : base + (1 << 2 * bits)] = NULL
            for child in range(first_child[node], first_child[node + 1]):
                coordinate = np.int64(coordinates[child])
                words[base + ((coordinate >> 8) << bits) + (coordinate & 255)] = children[child]
        else:
            base = first_slot_of(memory, words, references[node])
            for place in range(count):
                child = first_child[node] + place
                halves[2 * at + FIRST_COORDINATE // 2 + place] = coordinates[child]
                words[base + place] = children[child]
            pad(memory, words, at, count)
