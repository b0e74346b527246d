"""C = alpha op(A) + beta op(B) of HiSparse matrices on the device: count, place, write, level by level.

The lists of the leaves of A and B are merged, which stands for walking down both trees together: a tree is
known by its leaves. Then the first pass counts the entries of each leaf of the sum; from these follow,
level by level, the sizes of all nodes and where each begins. The sum is allocated as large as it is,
and the second pass writes the nodes of all levels. Offsets are sums, not tickets of an allocator as in the
paper (section 6), so that the pool is the same, byte for byte, in every run.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from gpu.hisparse.building.node_kernels import parent_shapes_kernel, place_kernel, weigh_kernel
from gpu.hisparse.building.node_writing import NODE_THREADS, inner_kernel
from gpu.hisparse.device_tree import DeviceTree, Leaves
from gpu.hisparse.node_layout import REFERENCE_BYTES, UNIT_WORDS, dense_from, node_bits
from gpu.hisparse.pool import MAX_WORDS
from gpu.hisparse.sum.leaf_counting import count_kernel
from gpu.hisparse.sum.leaf_pairs import RECORD, merge_kernel
from gpu.hisparse.sum.leaf_places import LEAF_THREADS
from gpu.hisparse.sum.leaf_writing import window_for, write_kernel
from gpu.runtime.cuda import SIMULATED, cuda
from gpu.runtime.launches import ALPHA, BETA, Launch, blocks_of, launches_of
from gpu.runtime.memory import all_or_nothing, empty, upload
from gpu.sorting.prefix_sums import SCAN_THREADS, offsets_kernel
from gpu.sorting.runs import RUN, count_parents_kernel, parents_kernel
from vecsim.support.errors import UserError

PAIRS_AT_ONCE = 4
"""Pairs of leaves that a block counts one behind the other, where there are many."""
MANY_PAIRS = 8 if SIMULATED else 40_000
"""Blocks of one pair each are several times as many as are resident."""


@dataclass(frozen=True, eq=False)
class _Level:
    """Room for the nodes of a level of the sum, or for as many as there can be.

    `shapes` and `references` are those of all pairs of leaves, or of inner nodes; `keys` and `nodes` of those
    that there are, `slots` say which of all they are; of inner nodes, `firsts` are their first children.
    """

    shapes: Any
    references: Any
    keys: Any
    nodes: Any
    slots: Any
    firsts: Any
    own_keys: Any


class TreeSum:
    """alpha A + beta B of two matrices, with room for the work, ready to be enqueued.

    `count` comes first; `empty` waits for it and allocates the sum; `into` gives what writes it. While the
    entries of A and B stay where they are, all can be repeated with other values, as long as no product
    becomes -0.0 or, with `drop_zeros`, 0.

    Parameters
    ----------
    first, second
        A and B, as the nodes have them: their states are not looked at.
    turned
        Whether A, and B, are transposed.
    drop_zeros
        Whether entries of A that are 0 after multiplication are left out; then B must be empty.
    """

    def __init__(
        self,
        first: DeviceTree,
        second: DeviceTree,
        turned: tuple[bool, bool] = (False, False),
        *,
        drop_zeros: bool = False,
    ) -> None:
        self._turned, self._drop = turned, drop_zeros
        self._shape = first.shape[::-1] if turned[0] else first.shape
        self._operands = first, second
        self._real: Any = first.dtype.type
        self._bits, self.levels = node_bits(first.node_size), first.levels
        self._bounds = [one + two for one, two in zip(first.level_nodes, second.level_nodes, strict=True)]
        all_or_nothing(self._allocate)
        self.counting = [*self._count_leaves(), *self._place(0)]
        for level in range(1, self.levels):
            self.counting += [*self._find_parents(level), *self._place(level)]

    def _allocate(self) -> None:
        self._pairs = empty(RECORD * self._bounds[0], np.uint32)
        self._levels = [
            _Level(
                empty(bound, np.int32),
                empty(bound, np.uint32),
                empty(bound, np.int64),
                empty(2 * bound, np.uint32),
                empty(bound, np.int32),
                empty(bound + 1, np.int32),
                empty(bound, np.int64),
            )
            for bound in self._bounds
        ]
        self._runs = [-(-bound // RUN) for bound in self._bounds]
        most = max(self._runs)
        self._totals, self._offsets = empty(3 * most, np.int32), empty(3 * most + 3, np.int32)
        # One array to be read at once: where levels begin; nodes of each; entries of each.
        self._state = upload(np.array([1] + [0] * (3 * self.levels), np.int32))
        ends = self.levels + 1, 2 * self.levels + 1
        self._bases = self._state[: ends[0]]
        self._numbers, self._entries = self._state[ends[0] : ends[1]], self._state[ends[1] :]
        self._considered = [upload(np.array([bound], np.int32)) for bound in self._bounds]

    def _alone(self, kernel: Any, threads: int, *arguments: Any) -> Launch:
        return Launch(kernel, *blocks_of(threads), arguments, self._real)

    def _scan(self, runs: int, lists: int) -> Launch:
        return Launch(offsets_kernel, lists, SCAN_THREADS, (self._totals, runs, self._offsets), self._real)

    def _count_leaves(self) -> list[Launch]:
        first, second = self._operands
        one, two = (each.leaves_in_order(way) for each, way in zip(self._operands, self._turned, strict=True))
        level = self._levels[0]
        kernel = count_kernel(
            self._real,
            self._bits,
            self._turned,
            self._drop,
            dense_from(1 << self._bits, first.dtype.itemsize),
        )
        # About half of the pairs are empty.
        at_once = PAIRS_AT_ONCE if self._bounds[0] > MANY_PAIRS else 1
        self._pools = [first.halves, first.values, second.halves, second.values]
        return [
            self._alone(
                merge_kernel,
                self._bounds[0],
                *(one.keys, one.nodes, one.number, two.keys, two.nodes, two.number),
                *(self._pairs, level.own_keys),
            ),
            *launches_of(
                kernel,
                -(-self._bounds[0] // at_once),
                LEAF_THREADS,
                [self._pairs, *self._pools, level.shapes, self._bounds[0], at_once, ALPHA, BETA],
                self._real,
            ),
        ]

    def _find_parents(self, level: int) -> list[Launch]:
        below, own, runs = self._levels[level - 1], self._levels[level], self._runs[level - 1]
        number, parents = self._numbers, self._considered[level]
        return [
            self._alone(
                count_parents_kernel,
                runs,
                *(below.keys, number, level - 1, 2 * self._bits, runs, self._totals),
            ),
            self._scan(runs, 1),
            self._alone(
                parents_kernel,
                runs,
                *(below.keys, number, level - 1, 2 * self._bits, self._offsets, runs),
                *(own.own_keys, own.firsts, parents),
            ),
            self._alone(
                parent_shapes_kernel,
                self._bounds[level],
                *(own.firsts, parents, dense_from(1 << self._bits, REFERENCE_BYTES), own.shapes),
            ),
        ]

    def _place(self, level: int) -> list[Launch]:
        width = self._operands[0].dtype.itemsize if level == 0 else REFERENCE_BYTES
        own, runs, number = self._levels[level], self._runs[level], self._considered[level]
        sizes = width, 1 << self._bits
        return [
            self._alone(weigh_kernel(*sizes), runs, own.shapes, number, runs, self._totals),
            self._scan(runs, 3),
            self._alone(
                place_kernel(*sizes),
                runs,
                *(own.shapes, own.own_keys, number, self._offsets, runs, self._bases, level, self._numbers),
                *(own.references, own.keys, own.nodes, own.slots, self._entries),
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
        if stream:
            stream.synchronize()
        state = self._state.copy_to_host().astype(np.int64)
        units, numbers = int(state[self.levels]), state[self.levels + 1 : 2 * self.levels + 1]
        size = units * UNIT_WORDS
        if size > MAX_WORDS:
            raise UserError(f"the nodes of the sum would take {4 * size:,} bytes: use CSR matrices")
        words = all_or_nothing(lambda: cuda.device_array(max(UNIT_WORDS, size), np.uint32))
        words[:UNIT_WORDS].copy_to_device(np.zeros(UNIT_WORDS, np.uint32))
        root = int(self._levels[-1].nodes[:1].copy_to_host()[0]) if numbers[-1] else 0
        leaves = Leaves(self._levels[0].keys, self._levels[0].nodes, int(numbers[0]))
        like, nodes = self._operands[0], tuple(int(each) for each in numbers)
        return DeviceTree(words, root, self._shape, self.levels, nodes,
                              int(state[2 * self.levels + 1]), like.node_size, like.dtype,
                              leaves)  # fmt: skip

    def into(self, result: DeviceTree) -> list[Launch]:
        """Give the launches that write the sum into what `empty` gave."""
        if not result.root:
            return []
        writing = [self._write_leaves(result)]
        for level in range(1, self.levels):
            below, own = self._levels[level - 1], self._levels[level]
            arguments = [below.keys, below.nodes, own.firsts, self._considered[level], own.shapes]
            arguments += [own.references, result.words, result.halves]
            kernel = inner_kernel(self._bits)
            writing.append(Launch(kernel, result.level_nodes[level], NODE_THREADS, arguments, self._real))
        return writing

    def _write_leaves(self, result: DeviceTree) -> Launch:
        leaves, number = self._levels[0], result.level_nodes[0]
        window = window_for(sum(each.nnz for each in self._operands) / number, self._turned)
        return Launch(
            write_kernel(self._real, self._bits, self._turned, self._drop, window),
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
