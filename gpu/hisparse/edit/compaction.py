"""A tree on the device copied into a new pool, without what was edited away."""

from __future__ import annotations

from typing import Any

import numpy as np

from gpu.hisparse.building.node_plan import NodePlan
from gpu.hisparse.device_tree import DeviceTree
from gpu.hisparse.edit.edit_kernels import COPY_THREADS, copy_kernel, listed_kernel
from gpu.runtime.launches import enqueue, launch
from gpu.runtime.memory import all_or_nothing, empty


def compacted(tree: DeviceTree, spare: int = 0, stream: Any = 0) -> DeviceTree:
    """Return the same tree alone in a new pool. The bound is a copy of its nodes.

    Parameters
    ----------
    tree
        What is copied.
    spare
        Words that the pool has more.
    stream
        0, or an object of Numba or cuda.core; the tree is ready when this returns.

    Raises
    ------
    OutOfDeviceMemoryError
        The device has too little memory.
    """
    if not tree.leaves.number:
        return DeviceTree.without_entries(tree.shape, tree.node_size, tree.dtype, tree.levels, spare)
    plan, shapes, sources = _planned(tree, stream)
    result = plan.empty_tree(tree.shape, stream, spare)
    copying = copy_kernel(tree.dtype.itemsize, tree.node_size)
    arguments = (sources, shapes, plan.leaves.references, tree.words, result.words)
    enqueue(copying, (tree.leaves.number, COPY_THREADS), arguments, stream)
    plan.write_inner_nodes(result, stream)
    return result


def live_words(tree: DeviceTree, stream: Any = 0) -> int:
    """Return how many words the nodes of a tree take.

    Parameters
    ----------
    tree, stream
        As of `compacted`.
    """
    return _planned(tree, stream)[0].new_words(stream) if tree.leaves.number else 0


def _planned(tree: DeviceTree, stream: Any) -> tuple[NodePlan, Any, Any]:
    """Return where its nodes go in a new pool, with the shapes of its leaves, and where they are."""
    number = tree.leaves.number
    shapes, sources = all_or_nothing(lambda: (empty(number, np.int32), empty(number, np.uint32)))
    launch(listed_kernel, number, (tree.leaves.nodes, number, shapes, sources), stream)
    plan = NodePlan(list(tree.level_nodes), tree.node_size, tree.dtype, shapes, tree.leaves.keys)
    plan.place(stream)
    return plan, shapes, sources
