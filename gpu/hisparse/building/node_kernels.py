"""Where the nodes of a level begin in the pool, and how large their parents are.

A node is known by its key: its places in its ancestors, that in the root highest, 256 row + column each (2 b
bits each, b = log2 of d). Nodes of a level are listed by rising keys, so that the children of a node
are neighbours in the order in which the node has them, and the key of a parent is that of its child, shifted.
"""

import functools
from typing import Any

import numpy as np

from gpu.hisparse.node_shapes import KIND_BITS, shape_of, units
from gpu.runtime.cuda import cuda, device_function
from gpu.runtime.kernel_sequence import begin_in_sequence
from gpu.sorting.runs import RUN


def _new_units(width: int, node_size: int, sharing: bool) -> Any:
    """Make ``new_units(shape, sources, at)``: units of 16 bytes of a node, 0 of one that is there already."""
    unit_count = units(width, node_size)

    @device_function
    def of_new(shape: Any, sources: Any, at: Any) -> Any:
        return np.int32(0) if sources[at] != 0 else unit_count(shape)

    @device_function
    def of_all(shape: Any, sources: Any, at: Any) -> Any:
        return unit_count(shape)

    return of_new if sharing else of_all


@functools.cache
def weigh_kernel(width: int, node_size: int, sharing: bool) -> Any:
    """Make the kernel that adds up sizes, nodes and entries of runs of nodes.

    Parameters
    ----------
    width
        Bytes of a slot.
    node_size
        d.
    sharing
        Whether some nodes are in the pool already.
    """
    new_units = _new_units(width, node_size, sharing)

    @cuda.jit
    def kernel(shapes, sources, number, runs, totals):
        """Take a run a thread.

        Parameters
        ----------
        shapes
            int32; only the first `number` count.
        sources
            uint32, if some nodes are shared: the reference of each that is there already, 0 of others.
        number
            int32 of 1.
        runs
            How many there are.
        totals
            int32: units of 16 bytes of each run, then nodes of each, then entries of each.
        """
        run = np.int64(cuda.grid(1))
        begin_in_sequence()
        if run < runs:
            size, nodes, entries = np.int32(0), np.int32(0), np.int32(0)
            end = min((run + 1) * RUN, np.int64(number[0]))
            for at in range(run * RUN, end):
                shape = shapes[at]
                size = np.int32(size + new_units(shape, sources, at))
                nodes = np.int32(nodes + (1 if shape != 0 else 0))
                entries = np.int32(entries + (shape >> KIND_BITS))
            totals[run] = size
            totals[runs + run] = nodes
            totals[2 * runs + run] = entries

    return kernel


@functools.cache
def place_kernel(width: int, node_size: int, sharing: bool) -> Any:
    """Make the kernel that says where each node begins in the pool; the parameters are of `weigh_kernel`.

    Parameters
    ----------
    width, node_size, sharing
        As there.
    """
    new_units = _new_units(width, node_size, sharing)

    @cuda.jit
    def kernel(shapes, sources, keys, number, offsets, runs, bases, level, numbers, places, kept_keys,
               kept_nodes, kept_slots, entries):  # fmt: skip
        """Take a run a thread.

        Parameters
        ----------
        shapes, sources, keys, number
            The nodes: int32, uint32, int64, int32 of 1.
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
        begin_in_sequence()
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
                    if sharing and sources[at] != 0:
                        reference = sources[at]
                    places[at] = reference
                    kept_keys[node] = keys[at]
                    kept_slots[node] = np.int32(at)
                    kept_nodes[2 * node] = reference
                    kept_nodes[2 * node + 1] = np.uint32(shape >> KIND_BITS)
                    node += 1
                    unit += new_units(shape, sources, at)
        if run == 0:
            bases[level + 1] = bases[level] + offsets[runs]
            numbers[level] = offsets[2 * runs + 1]
            entries[level] = offsets[3 * runs + 2]

    return kernel


@cuda.jit
def parent_shapes_kernel(firsts, parents, dense_from, shapes):
    """Store how large parents are, one a thread.

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
    begin_in_sequence()
    if at < parents[0]:
        count = np.int32(firsts[at + 1] - firsts[at])
        shapes[at] = shape_of(count, count >= dense_from)
