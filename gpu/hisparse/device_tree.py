"""The content of a HiSparse matrix on the device: its pool, byte for byte as on the host, and its leaves."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gpu.hisparse.device_pool import DevicePool
from gpu.hisparse.memory import USED
from gpu.hisparse.node_layout import UNIT_WORDS, node_bits
from gpu.hisparse.pool import Pool
from gpu.hisparse.tree import Tree
from gpu.runtime.memory import all_or_nothing, upload


@dataclass(frozen=True, eq=False)
class Leaves:
    """The leaves of a tree in the order of their keys (`gpu.hisparse.building.node_kernels`).

    Attributes
    ----------
    keys
        int64 on the device.
    nodes
        uint32 of 2 a leaf on the device: reference and entries.
    number
        How many there are.
    """

    keys: Any
    nodes: Any
    number: int

    @classmethod
    def of(cls, keys: NDArray[np.int64], nodes: NDArray[np.uint32]) -> Leaves:
        """Upload them."""
        return cls(upload(keys), upload(nodes), len(keys))

    @classmethod
    def none(cls) -> Leaves:
        """Return those of a tree without entries."""
        return cls.of(np.zeros(0, np.int64), np.zeros(0, np.uint32))

    @property
    def nbytes(self) -> int:
        """Bytes of both arrays on the device."""
        return int(self.keys.nbytes + self.nodes.nbytes)

    def transposed(self, bits: int) -> Leaves:
        """Return those of the transpose, sorted on the host."""
        keys = self.keys.copy_to_host()[: self.number]
        exchanged = np.zeros_like(keys)
        mask = (1 << bits) - 1
        for level in range(63 // (2 * bits)):
            place = keys >> 2 * bits * level
            exchanged |= ((place & mask) << bits | (place >> bits) & mask) << 2 * bits * level
        order = np.argsort(exchanged)
        nodes = self.nodes.copy_to_host()[: 2 * self.number].reshape(-1, 2)
        return Leaves.of(exchanged[order], nodes[order].ravel())


@dataclass(frozen=True, eq=False)
class DeviceTree:
    """What `gpu.hisparse.tree.Tree` is on the host; a matrix shares it with its transpose.

    Attributes
    ----------
    pool
        What contains the nodes, those of other trees too.
    begin, end
        The words of the pool that were written for it. A tree that was edited from another shares all nodes
        before `begin` with that one; of other trees `begin` is 0.
    root
        The reference to the root; 0 without entries.
    shape
        Rows and columns, before any transposition.
    levels
        D.
    level_nodes
        Nodes of each level, leaves first, at each of their places.
    nnz
        Entries, explicit zeros included.
    node_size
        d.
    dtype
        Of the values.
    leaves
        In their order.
    """

    pool: DevicePool
    begin: int
    end: int
    root: int
    shape: tuple[int, int]
    levels: int
    level_nodes: tuple[int, ...]
    nnz: int
    node_size: int
    dtype: np.dtype[Any]
    leaves: Leaves
    _transposed: list[Leaves] = field(default_factory=list, repr=False)

    def __post_init__(self) -> None:
        self.pool.trees.add(self)

    @classmethod
    def from_host(cls, tree: Tree) -> DeviceTree:
        """Upload the pool of a tree, which may hold others too, and list its leaves.

        Parameters
        ----------
        tree
            The tree.

        Raises
        ------
        OutOfDeviceMemoryError
            The device has too little memory.
        """
        pool, result = tree.pool, tree.nodes[0]
        bits, mask = node_bits(pool.node_size), pool.node_size - 1
        keys = np.zeros(len(result.references), np.int64)
        for level in range(tree.levels - 1):
            rows, columns = result.rows >> bits * level & mask, result.columns >> bits * level & mask
            keys |= (rows << bits | columns) << 2 * bits * level
        nodes = np.column_stack((result.references, result.counts.astype(np.uint32)))
        words, leaves = all_or_nothing(
            lambda: (upload(pool.words), Leaves.of(keys, nodes.astype(np.uint32).ravel()))
        )
        numbers = tuple(len(each.references) for each in tree.nodes)
        size = int(pool.words.size)
        return cls(
            DevicePool(words, size),
            0,
            size,
            tree.root,
            tree.shape,
            tree.levels,
            numbers,
            tree.nnz,
            pool.node_size,
            pool.dtype,
            leaves,
        )

    @classmethod
    def without_entries(
        cls, shape: tuple[int, int], node_size: int, dtype: np.dtype[Any], levels: int, spare: int = 0
    ) -> DeviceTree:
        """Make the tree of a matrix without entries.

        Parameters
        ----------
        shape, node_size, dtype, levels
            As of `DeviceTree`.
        spare
            Words that its pool has room for.
        """
        pool = DevicePool.of(UNIT_WORDS, spare)
        return cls(pool, 0, UNIT_WORDS, 0, shape, levels, (0,) * levels, 0, node_size, dtype, Leaves.none())

    @property
    def words(self) -> Any:
        """The pool as it is now, a uint32 device array."""
        return self.pool.words

    @property
    def nbytes(self) -> int:
        """Bytes of the pool and of the lists of leaves on the device."""
        return int(self.words.nbytes) + sum(each.nbytes for each in (self.leaves, *self._transposed))

    @property
    def halves(self) -> Any:
        """The pool as coordinates."""
        return self.words.view(np.uint16)

    @property
    def values(self) -> Any:
        """The pool as values."""
        return self.words.view(self.dtype)

    def leaves_in_order(self, transposed: bool) -> Leaves:
        """Return the leaves or, turned, those of the transpose; these are sorted once, on the host."""
        if not transposed:
            return self.leaves
        if not self._transposed:
            self._transposed.append(self.leaves.transposed(node_bits(self.node_size)))
        return self._transposed[0]

    def to_host(self) -> Tree:
        """Copy a tree that shares no nodes with another to the host.

        Raises
        ------
        ValueError
            It shares nodes: `gpu.hisparse.edit.compaction.compacted` copies it first.
        """
        if self.begin:
            raise ValueError("the tree shares nodes with another one: copy it by `compacted` first")
        words = self.words[: self.end].copy_to_host()
        pool = Pool(self.node_size, self.dtype, len(words) - UNIT_WORDS)
        pool.memory.words[: len(words)] = words
        pool.memory.state[USED] = len(words)
        return Tree(pool, self.root, self.shape, self.levels, self.nnz)
