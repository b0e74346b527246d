"""The lists of nodes of a sum: leaves of both operands merged, where nodes begin, parents of nodes.

A node is known by its key: its places in its ancestors, that in the root highest, 256 row + column each (2 b
bits each, b = log2 of d). Nodes of a level are listed by rising keys, so that the children of a node
are neighbours in the order in which the node has them, and the key of a parent is that of its child, shifted.
"""

import functools
from typing import Any

import numpy as np

from gpu.hisparse.node_shapes import KIND_BITS, shape_of, units
from gpu.runtime.cuda import cuda, device_function
from gpu.runtime.launches import let_next_begin, wait_for_previous

RUN = 16
"""Nodes that a thread counts."""
RECORD = 4
"""Words of a pair of leaves: reference and entries of A's, and of B's; 0 where there is none."""


@device_function
def _before(keys: Any, number: Any, key: Any) -> Any:
    """Return how many of the rising keys are less."""
    low, high = np.int64(0), np.int64(number)
    while low < high:
        middle = (low + high) >> 1
        if keys[middle] < key:
            low = middle + 1
        else:
            high = middle
    return low


@cuda.jit
def merge_kernel(first_keys, first_leaves, first_number, second_keys, second_leaves, second_number,
                 pairs, keys):  # fmt: skip
    """Merge the leaves of A and B, a leaf a thread; one that both have takes two pairs, the second empty.

    Parameters
    ----------
    first_keys, second_keys
        int64, rising.
    first_leaves, second_leaves
        uint32 of 2 a leaf: reference and entries.
    first_number, second_number
        How many there are.
    pairs
        uint32 of 4 for each leaf of both, see `RECORD`.
    keys
        int64, as many.
    """
    at = np.int64(cuda.grid(1))
    let_next_begin()
    wait_for_previous()
    if at < first_number:
        key = first_keys[at]
        other = _before(second_keys, second_number, key)
        pair = at + other
        keys[pair] = key
        pairs[RECORD * pair] = first_leaves[2 * at]
        pairs[RECORD * pair + 1] = first_leaves[2 * at + 1]
        both = other < second_number and second_keys[min(other, second_number - 1)] == key
        pairs[RECORD * pair + 2] = second_leaves[2 * other] if both else np.uint32(0)
        pairs[RECORD * pair + 3] = second_leaves[2 * other + 1] if both else np.uint32(0)
    elif at < first_number + second_number:
        own = at - first_number
        key = second_keys[own]
        other = _before(first_keys, first_number, key)
        both = other < first_number and first_keys[min(other, first_number - 1)] == key
        pair = own + other + (1 if both else 0)
        keys[pair] = key
        pairs[RECORD * pair] = np.uint32(0)
        pairs[RECORD * pair + 1] = np.uint32(0)
        pairs[RECORD * pair + 2] = np.uint32(0) if both else second_leaves[2 * own]
        pairs[RECORD * pair + 3] = np.uint32(0) if both else second_leaves[2 * own + 1]


@functools.cache
def weigh_kernel(width: int, node_size: int) -> Any:
    """Make the kernel that adds up sizes, nodes and entries of runs of nodes.

    Parameters
    ----------
    width
        Bytes of a slot.
    node_size
        d.
    """
    unit_count = units(width, node_size)

    @cuda.jit
    def kernel(shapes, number, runs, totals):
        """Take a run a thread.

        Parameters
        ----------
        shapes
            int32, of which the first `number` count.
        number
            int32 of 1.
        runs
            How many there are.
        totals
            int32: units of 16 bytes of each run, then nodes of each, then entries of each.
        """
        run = np.int64(cuda.grid(1))
        let_next_begin()
        wait_for_previous()
        if run < runs:
            size, nodes, entries = np.int32(0), np.int32(0), np.int32(0)
            end = min((run + 1) * RUN, np.int64(number[0]))
            for at in range(run * RUN, end):
                shape = shapes[at]
                size = np.int32(size + unit_count(shape))
                nodes = np.int32(nodes + (1 if shape != 0 else 0))
                entries = np.int32(entries + (shape >> KIND_BITS))
            totals[run] = size
            totals[runs + run] = nodes
            totals[2 * runs + run] = entries

    return kernel


@functools.cache
def place_kernel(width: int, node_size: int) -> Any:
    """Make the kernel that says where each node begins in the pool; the parameters are of `weigh_kernel`.

    Parameters
    ----------
    width, node_size
        As there.
    """
    unit_count = units(width, node_size)

    @cuda.jit
    def kernel(shapes, keys, number, offsets, runs, bases, level, numbers, places, kept_keys, kept_nodes,
               kept_slots, entries):  # fmt: skip
        """Take a run a thread.

        Parameters
        ----------
        shapes, keys, number
            The nodes: int32, int64, int32 of 1.
        offsets
            int32, three times runs + 1: units, nodes and entries before each run.
        runs
            How many there are.
        bases
            int32, one a level and one: where it begins in the pool, in units of 16 bytes; the next is set.
        level
            Which, leaves being 0.
        numbers
            int32, one a level: nodes, which is set.
        places
            uint32, one a node of `shapes`: its reference, 0 where there is none.
        kept_keys, kept_nodes
            int64, and uint32 of 2: keys, references and entries of those that there are.
        kept_slots
            int32: which node of `shapes` each of these is.
        entries
            int32, one a level: entries of all its nodes, which is set.
        """
        run = np.int64(cuda.grid(1))
        let_next_begin()
        wait_for_previous()
        if run < runs:
            unit = np.int64(bases[level]) + offsets[run]
            node = np.int64(offsets[runs + 1 + run])
            end = min((run + 1) * RUN, np.int64(number[0]))
            for at in range(run * RUN, end):
                shape = shapes[at]
                if shape == 0:
                    places[at] = np.uint32(0)
                else:
                    reference = np.uint32(unit * 4 + (shape & 3))
                    places[at] = reference
                    kept_keys[node] = keys[at]
                    kept_slots[node] = np.int32(at)
                    kept_nodes[2 * node] = reference
                    kept_nodes[2 * node + 1] = np.uint32(shape >> KIND_BITS)
                    node += 1
                    unit += unit_count(shape)
        if run == 0:
            bases[level + 1] = bases[level] + offsets[runs]
            numbers[level] = offsets[2 * runs + 1]
            entries[level] = offsets[3 * runs + 2]

    return kernel


@cuda.jit
def count_parents_kernel(keys, number, level, bits, runs, totals):
    """Count those of a run of nodes that are the first of a parent, a run a thread.

    Parameters
    ----------
    keys
        int64, rising.
    number, level
        int32, one a level, and the level of the nodes: how many there are.
    bits
        Of the place in a parent.
    runs
        How many there are.
    totals
        int32, one a run.
    """
    run = np.int64(cuda.grid(1))
    let_next_begin()
    wait_for_previous()
    if run < runs:
        found = np.int32(0)
        for at in range(run * RUN, min((run + 1) * RUN, np.int64(number[level]))):
            if at == 0 or keys[at] >> bits != keys[max(at - 1, 0)] >> bits:
                found = np.int32(found + 1)
        totals[run] = found


@cuda.jit
def parents_kernel(keys, number, level, bits, offsets, runs, parent_keys, firsts, parents):
    """List the parents of nodes, a run of nodes a thread; parameters not here are of `count_parents_kernel`.

    Parameters
    ----------
    keys, number, level, bits
        As there.
    offsets
        int32 of runs + 1: parents that begin before each run.
    runs
        As there.
    parent_keys
        int64: what is written.
    firsts
        int32 of one more: the first child of each, then the number of children.
    parents
        int32 of 1: their number.
    """
    run = np.int64(cuda.grid(1))
    let_next_begin()
    wait_for_previous()
    if run < runs:
        parent = np.int64(offsets[run])
        for at in range(run * RUN, min((run + 1) * RUN, np.int64(number[level]))):
            key = keys[at] >> bits
            if at == 0 or key != keys[max(at - 1, 0)] >> bits:
                parent_keys[parent] = key
                firsts[parent] = np.int32(at)
                parent += 1
    if run == 0:
        firsts[offsets[runs]] = number[level]
        parents[0] = offsets[runs]


@cuda.jit
def parent_shapes_kernel(firsts, parents, dense_from, shapes):
    """Say how large parents are, one a thread.

    Parameters
    ----------
    firsts, parents
        Of `parents_kernel`.
    dense_from
        Children from which on a node is dense.
    shapes
        int32, what is written.
    """
    at = np.int64(cuda.grid(1))
    let_next_begin()
    wait_for_previous()
    if at < parents[0]:
        count = np.int32(firsts[at + 1] - firsts[at])
        shapes[at] = shape_of(count, count >= dense_from)
