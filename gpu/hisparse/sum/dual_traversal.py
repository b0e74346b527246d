"""C = alpha op(A) + beta op(B) as the paper adds: both trees are walked down together (section 6).

Pairs of nodes at the same place are in one queue of each level, nodes that only one operand has in another
one, the copy queue. A launch works off the queues of a level; it stands for the paper's controller
(`gpu.hisparse.traversal`). The memory of the sum is allocated beforehand, as much as both operands have, and
an atomic counter gives each node its place: pools differ from run to run, entries do not.

What bounds a sum is the stream of both pools and of that of the sum, and one atomic addition to the counter a
node. `gpu.hisparse.sum.tree_sum` merges the lists of leaves instead.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from gpu.hisparse.device_pool import DevicePool
from gpu.hisparse.device_tree import DeviceTree, Leaves
from gpu.hisparse.edit.compaction import live_words
from gpu.hisparse.node_layout import UNIT_WORDS, node_bits
from gpu.hisparse.sum.leaf_places import LEAF_THREADS
from gpu.hisparse.sum.pair_kernels import (
    LEAF_BITS,
    RESIDENT,
    ROOT_SLOT,
    begin_kernel,
    inner_kernel,
    leaves_kernel,
)
from gpu.hisparse.sum.pair_queues import COPIES, ITEM, PAIRS, PairQueue
from gpu.runtime.cuda import SIMULATED, cuda
from gpu.runtime.device_info import shared_memory
from gpu.runtime.kernel_sequence import begin_in_sequence
from gpu.runtime.launches import ALPHA, BETA, Launch, blocks_of, launch
from gpu.runtime.memory import all_or_nothing, empty, upload, zeros
from gpu.sorting.radix_sort import sort_pairs
from vecsim.support.errors import UserError

PADDING_UNITS = 2
"""Units of 16 bytes that a node of the sum may have more than both nodes that it is of."""


@cuda.jit
def picked_kernel(nodes, order, number, picked):
    """Bring references and entries of leaves into an order, a leaf a thread.

    Parameters
    ----------
    nodes, order, number
        uint32 of 2 a leaf, int32: which of them is where, and how many there are.
    picked
        uint32 of 2 a leaf: what is written.
    """
    at = np.int64(cuda.grid(1))
    begin_in_sequence()
    if at < number:
        picked[2 * at] = nodes[2 * np.int64(order[at])]
        picked[2 * at + 1] = nodes[2 * np.int64(order[at]) + 1]


class DualTraversalSum:
    """alpha A + beta B of two matrices, with room for the sum and for the work, ready to be enqueued.

    `run` can be repeated; `result` waits for it and gives the sum, which later runs overwrite.

    Parameters
    ----------
    first, second
        A and B, as the nodes have them: their states are not looked at.
    transposed
        Whether A, and B, are transposed.

    Raises
    ------
    OutOfDeviceMemoryError
        The device has too little memory.
    """

    def __init__(
        self, first: DeviceTree, second: DeviceTree, transposed: tuple[bool, bool] = (False, False)
    ) -> None:
        self._operands, self._transposed = (first, second), transposed
        self._shape = first.shape[::-1] if transposed[0] else first.shape
        self._real: Any = first.dtype.type
        self._bits = node_bits(first.node_size)
        self._bounds = [sum(pair) for pair in zip(first.level_nodes, second.level_nodes, strict=True)]
        words = sum(map(live_words, self._operands)) + PADDING_UNITS * UNIT_WORDS * sum(self._bounds)
        self._pool = DevicePool.of(UNIT_WORDS, words)
        all_or_nothing(self._allocate)
        self._launches = self._planned()

    def _allocate(self) -> None:
        levels = len(self._bounds)
        # The roots are a pair even if there is one only.
        self._queues = [
            [PairQueue(empty(ITEM * (bound + 1), np.uint32), empty(bound + 1, np.int64)) for _ in range(2)]
            for bound in self._bounds
        ]
        self._heads, self._tails = zeros(2 * levels, np.int32), zeros(2 * levels, np.int32)
        self._allocator = zeros(1, np.int64)
        bound = self._bounds[0] + 1
        self._leaf_keys, self._leaf_nodes = empty(bound, np.int64), empty(2 * bound, np.uint32)

    def _planned(self) -> list[Launch]:
        first, second = self._operands
        words, top = self._pool.words, len(self._bounds) - 1
        capacity = int(words.size) // UNIT_WORDS
        blocks = 1 if SIMULATED else RESIDENT * shared_memory()[0]
        queues = 2 * (top + 1)
        roots = (
            *self._queues[top][PAIRS],
            *self._queues[top][COPIES],
            2 * top,
            first.root,
            second.root,
            words,
        )
        results = [
            Launch(begin_kernel, *blocks_of(queues),
                   (self._heads, self._tails, queues, self._allocator, *roots), self._real)
        ]  # fmt: skip
        kernel = inner_kernel(self._bits, self._transposed)
        for level in range(top, 0, -1):
            own, below = self._queues[level], self._queues[level - 1]
            arguments = (*own[PAIRS], *own[COPIES], self._heads, self._tails, 2 * level, first.words,
                         second.words, words, words.view(np.uint16), self._allocator, capacity, *below[PAIRS],
                         *below[COPIES])  # fmt: skip
            results.append(Launch(kernel, blocks, LEAF_THREADS, arguments, self._real))
        own = self._queues[0]
        pools = [each for tree in self._operands for each in (tree.words, tree.halves, tree.values)]
        pools += [words, words.view(np.uint16), words.view(first.dtype)]
        arguments = (*own[PAIRS], *own[COPIES], self._heads, self._tails, *pools, self._allocator, capacity,
                     self._leaf_keys, self._leaf_nodes, ALPHA, BETA)  # fmt: skip
        kernel = leaves_kernel(self._real, self._bits, self._transposed)
        return [*results, Launch(kernel, blocks, LEAF_THREADS, arguments, self._real)]

    @property
    def nbytes(self) -> int:
        """Bytes of the room for the sum and for the work."""
        queues = [part for level in self._queues for queue in level for part in queue]
        arrays = [self._pool.words, self._leaf_keys, self._leaf_nodes, *queues]
        return sum(int(each.nbytes) for each in arrays)

    def run(self, alpha: float = 1.0, beta: float = 1.0, stream: Any = 0) -> None:
        """Put the sum on a stream.

        Parameters
        ----------
        alpha, beta
            The factors, without the scales of the operands.
        stream
            0, or an object of Numba or cuda.core.
        """
        for each in self._launches:
            each(None, None, self._real(alpha), self._real(beta), stream)

    def result(self, stream: Any = 0) -> DeviceTree:
        """Wait for `run`, and return the sum with its leaves in order.

        Parameters
        ----------
        stream
            Of `run`.

        Raises
        ------
        UserError
            The sum has no room in the memory of both operands: leaves with -0.0, which cannot be dense.
        """
        if stream:
            stream.synchronize()
        taken = int(self._allocator.copy_to_host()[0])
        used, number = (taken & ((1 << LEAF_BITS) - 1)) * UNIT_WORDS, taken >> LEAF_BITS
        if used > int(self._pool.words.size):
            raise UserError("the sum takes more memory than both matrices together: use gpu.add")
        root = int(self._pool.words[ROOT_SLOT : ROOT_SLOT + 1].copy_to_host()[0])
        self._pool.words[ROOT_SLOT : ROOT_SLOT + 1].copy_to_device(np.zeros(1, np.uint32))
        tails = self._tails.copy_to_host().reshape(-1, 2).sum(axis=1)
        first = self._operands[0]
        leaves = self._leaves_in_order(number, stream)
        entries = int(leaves.nodes.copy_to_host()[1 : 2 * number : 2].sum(dtype=np.int64)) if number else 0
        return DeviceTree(
            self._trimmed(used), 0, used, root, self._shape, first.levels, tuple(map(int, tails)), entries,
            first.node_size, first.dtype, leaves,
        )  # fmt: skip

    def _trimmed(self, used: int) -> DevicePool:
        """Return the pool with this number of used words."""
        return DevicePool(self._pool.words, used)

    def _leaves_in_order(self, number: int, stream: Any) -> Leaves:
        if not number:
            return Leaves.none()
        keys, nodes = empty(number, np.int64), empty(2 * number, np.uint32)
        keys.copy_to_device(self._leaf_keys[:number])
        order = upload(np.arange(number, dtype=np.int32))
        used = (1 << 2 * self._bits * max(1, len(self._bounds) - 1)) - 1
        keys, order = sort_pairs(keys, order, number, used, stream)
        launch(picked_kernel, number, (self._leaf_nodes, order, number, nodes), stream)
        if stream:
            stream.synchronize()
        return Leaves(keys, nodes, number)
