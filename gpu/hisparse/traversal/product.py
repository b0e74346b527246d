"""The product of HiSparse as its paper executes it: it walks down the tree each time (sections 4 and 5).

The pool is multiplied as it lies, and nothing is laid out beforehand. Entries are added to y by atomics, so
the last bits differ from run to run.

The paper's controller starts kernels from the device. Numba cannot, so there are two stand-ins for it, and a
third schedule that shows what scheduling costs:

- ``controller``: blocks of threads stand by, and one that controls gives them parts of queues
  (`gpu.hisparse.traversal.scheduling`);
- ``levels``: a launch for the inner nodes of each level and one for the leaves, whose blocks draw nodes by
  tickets;
- ``filled``: the queues of leaves are filled once, by ``levels``; a product multiplies what is in them.

What bounds a traversal is the stream of the pool, 2 bytes of coordinates and 4 or 8 of value an entry, 16
bytes of an item a node, written and read, and its count; and one atomic addition to y for each entry. On an
H100 (float64, d = 256, 3 TB/s) ``controller`` takes 3.4 times as long as the stream alone on hexahedra-58,
4.6 times on triangles-1440, 9.5 times on localised-7M. ``filled`` takes hardly less there: atomic additions
bound both.
"""

from __future__ import annotations

import copy
from typing import Any, Literal, NamedTuple

import numpy as np

from gpu.hisparse.device_hisparse import DeviceHiSparse
from gpu.hisparse.node_layout import node_bits
from gpu.hisparse.traversal.kernels import (
    RESIDENT,
    begin_kernel,
    controlled_kernel,
    level_kernel,
    rewind_kernel,
    sizes_kernel,
)
from gpu.hisparse.traversal.queues import (
    FEW,
    ITEM,
    LEAF_QUEUES,
    MOST,
    MOST_FEW,
    QUEUES,
    THREADS,
    TINY,
)
from gpu.hisparse.traversal.scheduling import COUNTERS, ORDER
from gpu.runtime.cuda import SIMULATED
from gpu.runtime.device_info import shared_memory
from gpu.runtime.launches import ALPHA, BETA, Launch, LaunchedInTurn, X, Y, blocks_of, launch
from gpu.runtime.memory import all_or_nothing, upload, zeros

Schedule = Literal["controller", "levels", "filled"]
SCHEDULES: tuple[Schedule, ...] = ("controller", "levels", "filled")


class QueueState(NamedTuple):
    """The queues of a matrix on the device, see `gpu.hisparse.traversal.kernels.level_kernel`."""

    counters: Any
    heads: Any
    tails: Any
    limits: Any
    firsts: Any
    items: Any
    orders: Any


class HiSparseTraversal(LaunchedInTurn):
    """The launches of a product of HiSparse by traversal of its tree on the device.

    Products of the same object must not overlap: they share the queues.

    Parameters
    ----------
    matrix
        The matrix.
    schedule
        See above.

    Attributes
    ----------
    transposed
        The product of the transpose, of the same pool and queues; it has no attribute `transposed`.
    state
        The queues.
    """

    def __init__(self, matrix: DeviceHiSparse, schedule: Schedule = "controller") -> None:
        tree = matrix.content
        self._tree, self._schedule = tree, schedule
        self._real: Any = tree.dtype.type
        self.scale = self._real(matrix.scale)
        self._bits, inner = node_bits(tree.node_size), sum(tree.level_nodes[1:])
        sizes = [*self._leaf_sizes(), *[inner] * (QUEUES - LEAF_QUEUES)]
        self._root_queue = self._queue_of_root()
        self.state = all_or_nothing(lambda: _empty_queues(sizes, tree.level_nodes[0] + inner))
        self.device_arrays = [tree.words, *self.state]
        if schedule == "filled":
            nothing = zeros(1, self._real)
            for each in [self._begin(0), *self._by_levels(False)[:-1]]:
                each(nothing, nothing, self._real(1), self._real(1), 0)
        self.launches = self._launches(matrix.transposed)
        self.transposed = copy.copy(self)
        self.transposed.launches = self._launches(not matrix.transposed)

    def _leaf_sizes(self) -> list[int]:
        """Return how many leaves each queue will have."""
        leaves, sizes = self._tree.leaves, zeros(QUEUES, np.int32)
        launch(sizes_kernel, leaves.number, (leaves.nodes, leaves.number, sizes), 0)
        return [int(each) for each in sizes.copy_to_host()[:LEAF_QUEUES]]

    def _queue_of_root(self) -> int:
        tree = self._tree
        kind = tree.root & 3
        if not tree.root:
            return TINY
        count = int(tree.words[tree.root & ~3 : (tree.root & ~3) + 1].copy_to_host()[0])
        if tree.levels > 1:
            return FEW + (2 if kind == 0 else int(count > MOST_FEW))
        return LEAF_QUEUES - 1 if kind == 0 else int(np.searchsorted(MOST, count))

    def _begin(self, rows: int) -> Launch:
        root = self._tree.root, self._root_queue, self._tree.levels - 1
        arguments = (*self.state[:-1], *root, Y, rows, BETA)
        return Launch(begin_kernel(self._real), *blocks_of(max(rows, QUEUES)), arguments, self._real)

    def _launches(self, is_transposed: bool) -> list[Launch]:
        rows = self._tree.shape[int(is_transposed)]
        if self._schedule == "levels":
            return [self._begin(rows), *self._by_levels(is_transposed)]
        if self._schedule == "filled":
            rewinding = self.state.heads, Y, rows, BETA
            rewind = Launch(rewind_kernel(self._real), *blocks_of(max(rows, QUEUES)), rewinding, self._real)
            return [rewind, self._by_levels(is_transposed)[-1]]
        counters, heads, tails, _, firsts, items, orders = self.state
        arguments = (self._tree.words, self._tree.values, counters, heads, tails, firsts, items, orders,
                     X, Y, ALPHA)  # fmt: skip
        kernel = controlled_kernel(self._real, self._bits, is_transposed)
        blocks = 1 if SIMULATED else _standing_by()
        return [self._begin(rows), Launch(kernel, blocks, THREADS, arguments, self._real)]

    def _by_levels(self, is_transposed: bool) -> list[Launch]:
        kernel = level_kernel(self._real, self._bits, is_transposed)
        counters, heads, tails, limits, firsts, items, _ = self.state
        results = []
        for level in range(self._tree.levels - 1, -1, -1):
            queues = (FEW, QUEUES - 1) if level else (TINY, LEAF_QUEUES - 1)
            arguments = (self._tree.words, self._tree.values, counters, heads, tails, limits, *queues, firsts,
                         items, X, Y, ALPHA)  # fmt: skip
            results.append(
                Launch(kernel, RESIDENT if SIMULATED else _standing_by(), THREADS, arguments, self._real)
            )
        return results


def _standing_by() -> int:
    """Return how many blocks of threads the device runs at a time."""
    return RESIDENT * shared_memory()[0]


def _empty_queues(sizes: list[int], nodes: int) -> QueueState:
    """Make room for items of each queue, and for an order with each node; tags of items are 0."""
    firsts = np.cumsum([0, *sizes])
    heads, tails, limits = (zeros(QUEUES, np.int32) for _ in range(3))
    items = zeros(ITEM * (int(firsts[-1]) + 1), np.int32)
    orders = zeros(ORDER * (nodes + 1), np.int32)
    return QueueState(zeros(COUNTERS, np.int32), heads, tails, limits, upload(firsts[:-1]), items, orders)
