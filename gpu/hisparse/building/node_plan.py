"""Where the nodes of a tree begin, from its leaves up, level by level; then its pool and its inner nodes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from gpu.hisparse.building.node_kernels import parent_shapes_kernel, place_kernel, weigh_kernel
from gpu.hisparse.building.node_writing import NODE_THREADS, inner_kernel
from gpu.hisparse.device_pool import DevicePool
from gpu.hisparse.device_tree import DeviceTree, Leaves
from gpu.hisparse.node_layout import REFERENCE_BYTES, UNIT_WORDS, dense_from, node_bits
from gpu.runtime.launches import Launch, blocks_of, run
from gpu.runtime.memory import all_or_nothing, empty, upload
from gpu.sorting.prefix_sums import SCAN_THREADS, offsets_kernel
from gpu.sorting.runs import RUN, count_parents_kernel, parents_kernel


@dataclass(frozen=True, eq=False)
class LevelNodes:
    """Room for the nodes of a level, or for as many as there can be.

    `shapes`, `own_keys` and `references` are those of all that may be nodes; `keys` and `nodes` of those that
    are, and `slots` say which of all these are; of inner nodes, `firsts` are their first children.
    """

    shapes: Any
    own_keys: Any
    references: Any
    keys: Any
    nodes: Any
    slots: Any
    firsts: Any

    @classmethod
    def of(cls, bound: int, shapes: Any = None, own_keys: Any = None) -> LevelNodes:
        """Make room for this many; shapes and keys may be there already."""
        return cls(
            empty(bound, np.int32) if shapes is None else shapes,
            empty(bound, np.int64) if own_keys is None else own_keys,
            empty(bound, np.uint32),
            empty(bound, np.int64),
            empty(2 * bound, np.uint32),
            empty(bound, np.int32),
            empty(bound + 1, np.int32),
        )


class NodePlan:
    """The nodes of a tree by the shapes and keys of its leaves, with room for the work.

    Parameters
    ----------
    bounds
        The most nodes of each level, leaves first.
    node_size, dtype
        Of the tree.
    shapes, keys
        int32 and int64 device arrays: what the leaves are, 0 for no leaf, by rising keys. Without them there
        is room for them in `leaves`.
    sources
        uint32 device array: the references of leaves that the pool has already, 0 of others. Without it
        all leaves are new.
    used
        Words of the pool before the first new node.

    Raises
    ------
    OutOfDeviceMemoryError
        The device has too little memory.

    Attributes
    ----------
    leaves
        The level of the leaves.
    placing
        What finds out where the nodes begin, once the leaves are known. It can be repeated.
    """

    def __init__(
        self, bounds: list[int], node_size: int, dtype: np.dtype[Any], shapes: Any = None, keys: Any = None,
        *, sources: Any = None, used: int = UNIT_WORDS,
    ) -> None:  # fmt: skip
        self._bounds, self._node_size, self._dtype = bounds, node_size, dtype
        self._sources, self._used = sources, used
        self._bits, self._runs = node_bits(node_size), [-(-bound // RUN) for bound in bounds]
        all_or_nothing(lambda: self._allocate(shapes, keys))
        self.leaves = self._levels[0]
        self.placing = self._place(0)
        for level in range(1, len(bounds)):
            self.placing += [*self._find_parents(level), *self._place(level)]

    def _allocate(self, shapes: Any, keys: Any) -> None:
        levels, most = len(self._bounds), max(self._runs)
        inner = map(LevelNodes.of, self._bounds[1:])
        self._levels = [LevelNodes.of(self._bounds[0], shapes, keys), *inner]
        self._totals, self._offsets = empty(3 * most, np.int32), empty(3 * most + 3, np.int32)
        # One array to be read at once: where levels begin; nodes of each; entries of each.
        begin = self._used // UNIT_WORDS
        self._state = upload(np.array([begin] + [0] * (3 * levels), np.int32))
        self._bases, self._numbers = self._state[: levels + 1], self._state[levels + 1 : 2 * levels + 1]
        self._entries = self._state[2 * levels + 1 :]
        self._considered = [upload(np.array([bound], np.int32)) for bound in self._bounds]

    def _alone(self, kernel: Any, threads: int, *arguments: Any) -> Launch:
        return Launch(kernel, *blocks_of(threads), arguments, np.float64)

    def _scan(self, runs: int, lists: int) -> Launch:
        return Launch(offsets_kernel, lists, SCAN_THREADS, (self._totals, runs, self._offsets), np.float64)

    def _find_parents(self, level: int) -> list[Launch]:
        below, own, runs = self._levels[level - 1], self._levels[level], self._runs[level - 1]
        parents = self._considered[level]
        children = below.keys, self._numbers, level - 1, 2 * self._bits
        return [
            self._alone(count_parents_kernel, runs, *children, runs, self._totals),
            self._scan(runs, 1),
            self._alone(
                parents_kernel, runs, *children, self._offsets, runs, own.own_keys, own.firsts, parents
            ),
            self._alone(
                parent_shapes_kernel,
                self._bounds[level],
                *(own.firsts, parents, dense_from(self._node_size, REFERENCE_BYTES), own.shapes),
            ),
        ]

    def _place(self, level: int) -> list[Launch]:
        width = self._dtype.itemsize if level == 0 else REFERENCE_BYTES
        own, runs, number = self._levels[level], self._runs[level], self._considered[level]
        is_sharing = level == 0 and self._sources is not None
        sizes = width, self._node_size, is_sharing
        sources = self._sources if is_sharing else own.references
        return [
            self._alone(weigh_kernel(*sizes), runs, own.shapes, sources, number, runs, self._totals),
            self._scan(runs, 3),
            self._alone(
                place_kernel(*sizes),
                runs,
                *(own.shapes, sources, own.own_keys, number, self._offsets, runs, self._bases, level),
                self._numbers,
                *(own.references, own.keys, own.nodes, own.slots, self._entries),
            ),
        ]

    def place(self, stream: Any = 0) -> None:
        """Put `placing` on a stream."""
        run(self.placing, stream)

    def new_words(self, stream: Any = 0) -> int:
        """Wait for `placing`, and return how many words the new nodes take.

        Parameters
        ----------
        stream
            0, or an object of Numba or cuda.core.
        """
        if stream:
            stream.synchronize()
        levels = len(self._levels)
        return int(self._state[levels : levels + 1].copy_to_host()[0]) * UNIT_WORDS - self._used

    def empty_tree(self, shape: tuple[int, int], stream: Any = 0, spare: int = 0) -> DeviceTree:
        """Wait for `placing` and allocate a pool, exactly as large as it will be.

        Parameters
        ----------
        shape
            Rows and columns of the content.
        stream
            0, or an object of Numba or cuda.core.
        spare
            Words that the pool has more.

        Raises
        ------
        UserError
            The nodes would take more than 16 GiB.
        OutOfDeviceMemoryError
            The device has too little memory.
        """
        return self.tree_in(DevicePool.of(UNIT_WORDS + self.new_words(stream), spare), 0, shape)

    def tree_in(self, pool: DevicePool, begin: int, shape: tuple[int, int]) -> DeviceTree:
        """Return the tree in a pool that has room for it; `new_words` comes first.

        Parameters
        ----------
        pool
            Its new nodes are the last that were appended.
        begin
            As of `DeviceTree`.
        shape
            Rows and columns of the content.
        """
        levels, state = len(self._levels), self._state.copy_to_host().tolist()
        numbers, entries = tuple(state[levels + 1 : 2 * levels + 1]), state[2 * levels + 1]
        root = int(self._levels[-1].nodes[:1].copy_to_host()[0]) if numbers[-1] else 0
        leaves = Leaves(self.leaves.keys, self.leaves.nodes, numbers[0])
        return DeviceTree(pool, begin, pool.used, root, shape, levels, numbers, entries, self._node_size,
                          self._dtype, leaves)  # fmt: skip

    def inner_writing(self, result: DeviceTree) -> list[Launch]:
        """Return the launches that write all nodes above the leaves into what `empty_tree` made."""
        writing, kernel = [], inner_kernel(self._bits)
        for level in range(1, len(self._levels)):
            below, own = self._levels[level - 1], self._levels[level]
            arguments = [below.keys, below.nodes, own.firsts, self._considered[level], own.shapes]
            arguments += [own.references, result.words, result.halves]
            writing.append(Launch(kernel, result.level_nodes[level], NODE_THREADS, arguments, np.float64))
        return writing

    def write_inner_nodes(self, result: DeviceTree, stream: Any = 0) -> None:
        """Write all nodes above the leaves, and wait for the stream if one is given."""
        run(self.inner_writing(result), stream)
        if stream:
            stream.synchronize()


def most_nodes(leaves: int, shape: tuple[int, int], node_size: int, levels: int) -> list[int]:
    """Return the most nodes of each level of a tree with this many leaves: no more than there are places.

    Parameters
    ----------
    leaves
        How many there are.
    shape, node_size, levels
        Of the tree.
    """
    sides = [node_size ** (level + 1) for level in range(levels)]
    return [min(leaves, -(-shape[0] // side) * -(-shape[1] // side)) for side in sides]
