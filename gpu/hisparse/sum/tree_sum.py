"""C = alpha op(A) + beta op(B) of HiSparse matrices on the device: count, place, write, level by level.

The lists of the leaves of A and B are merged, which stands for walking down both trees together: a tree is
known by its leaves. Then the first pass counts the entries of each leaf of the sum; from these follow,
level by level, the sizes of all nodes and where each begins. The sum is allocated as large as it is,
and the second pass writes the nodes of all levels. Offsets are sums, not tickets of an allocator as in the
paper (section 6), so that the pool is the same, byte for byte, in every run.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from gpu.hisparse.building.node_plan import NodePlan
from gpu.hisparse.device_tree import DeviceTree
from gpu.hisparse.node_layout import dense_from, node_bits
from gpu.hisparse.sum.leaf_counting import count_kernel
from gpu.hisparse.sum.leaf_places import LEAF_THREADS, RECORD, merge_kernel
from gpu.hisparse.sum.leaf_writing import window_for, write_kernel
from gpu.runtime.cuda import SIMULATED
from gpu.runtime.launches import ALPHA, BETA, Launch, blocks_of, launches_of
from gpu.runtime.memory import all_or_nothing, empty

PAIRS_AT_ONCE = 4
"""Pairs of leaves that a block counts one after the other, where there are many."""
MANY_PAIRS = 8 if SIMULATED else 40_000
"""Blocks of one pair each are several times as many as are resident."""


class TreeSum:
    """alpha A + beta B of two matrices, with room for the work, ready to be enqueued.

    `count` comes first; `empty` waits for it and allocates the sum; `into` gives what writes it. While the
    entries of A and B stay where they are, all can be repeated with other values, as long as no product
    becomes -0.0 or, with `drop_zeros`, 0.

    Parameters
    ----------
    first, second
        A and B, as the nodes have them: their states are not looked at.
    transposed
        Whether A, and B, are transposed.
    drop_zeros
        Whether entries of A that are 0 after multiplication are left out; then B must be empty.
    """

    def __init__(
        self,
        first: DeviceTree,
        second: DeviceTree,
        transposed: tuple[bool, bool] = (False, False),
        *,
        drop_zeros: bool = False,
    ) -> None:
        self._transposed, self._drop = transposed, drop_zeros
        self._shape = first.shape[::-1] if transposed[0] else first.shape
        self._operands = first, second
        self._real: Any = first.dtype.type
        self._bits = node_bits(first.node_size)
        bounds = [one + two for one, two in zip(first.level_nodes, second.level_nodes, strict=True)]
        self._bound, self.plan = bounds[0], NodePlan(bounds, first.node_size, first.dtype)
        self._pairs = all_or_nothing(lambda: empty(RECORD * self._bound, np.uint32))
        self.counting = [*self._count_leaves(), *self.plan.placing]

    def _count_leaves(self) -> list[Launch]:
        first, second = self._operands
        one, two = (
            each.leaves_in_order(way) for each, way in zip(self._operands, self._transposed, strict=True)
        )
        kernel = count_kernel(
            self._real,
            self._bits,
            self._transposed,
            self._drop,
            dense_from(1 << self._bits, first.dtype.itemsize),
        )
        # About half of the pairs are empty.
        at_once = PAIRS_AT_ONCE if self._bound > MANY_PAIRS else 1
        self._pools = [first.halves, first.values, second.halves, second.values]
        lists = one.keys, one.nodes, one.number, two.keys, two.nodes, two.number
        merging = (*lists, self._pairs, self.plan.leaves.own_keys)
        return [
            Launch(merge_kernel, *blocks_of(self._bound), merging, self._real),
            *launches_of(
                kernel,
                -(-self._bound // at_once),
                LEAF_THREADS,
                [self._pairs, *self._pools, self.plan.leaves.shapes, self._bound, at_once, ALPHA, BETA],
                self._real,
            ),
        ]

    def _run(self, launches: list[Launch], alpha: float, beta: float, stream: Any) -> None:
        for each in launches:
            each(None, None, self._real(alpha), self._real(beta), stream)

    def count(self, alpha: float = 1.0, beta: float = 1.0, stream: Any = 0) -> None:
        """Put the first pass on a stream: the sizes of all nodes, and where they begin.

        Parameters
        ----------
        alpha, beta
            The factors, without the scales of the operands.
        stream
            0, or an object of Numba or cuda.core.
        """
        self._run(self.counting, alpha, beta, stream)

    def empty(self, stream: Any = 0) -> DeviceTree:
        """Wait for `count` and allocate the sum, exactly as large as it will be.

        Raises
        ------
        UserError
            Its nodes would take more than 16 GiB.
        OutOfDeviceMemoryError
            The device has too little memory.
        """
        return self.plan.empty_tree(self._shape, stream)

    def into(self, result: DeviceTree) -> list[Launch]:
        """Return the launches that write the sum into what `empty` gave."""
        if not result.root:
            return []
        return [self._write_leaves(result), *self.plan.inner_writing(result)]

    def _write_leaves(self, result: DeviceTree) -> Launch:
        leaves, number = self.plan.leaves, result.level_nodes[0]
        window = window_for(sum(each.nnz for each in self._operands) / number, self._transposed)
        return Launch(
            write_kernel(self._real, self._bits, self._transposed, self._drop, window),
            number,
            LEAF_THREADS,
            [self._pairs, leaves.slots, leaves.references, leaves.shapes, *self._pools,
             result.words, result.halves, result.values, ALPHA, BETA],
            self._real,
        )  # fmt: skip

    def write(self, launches: list[Launch], alpha: float = 1.0, beta: float = 1.0, stream: Any = 0) -> None:
        """Put what `into` gave on a stream.

        Parameters
        ----------
        launches
            Of `into`.
        alpha, beta
            The factors that were counted with.
        stream
            0, or an object of Numba or cuda.core.
        """
        self._run(launches, alpha, beta, stream)
