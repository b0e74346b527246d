"""A HiSparse matrix on the device as it is on the host: its pool, and the list of its leaves."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gpu.hisparse.container import HiSparse
from gpu.hisparse.memory import USED
from gpu.hisparse.node_layout import DEFAULT_NODE_SIZE, UNIT_WORDS, node_bits
from gpu.hisparse.pool import Pool
from gpu.hisparse.tree import Tree
from gpu.runtime.cuda import require_gpu
from gpu.runtime.memory import all_or_nothing, upload


@dataclass(frozen=True, eq=False)
class Leaves:
    """The leaves of a tree in the order of their keys (`gpu.hisparse.sum.directory_kernels`).

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

    def turned(self, bits: int) -> Leaves:
        """Give those of the transpose, sorted on the host."""
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
class DeviceHiSparse:
    """A HiSparse matrix on the device, byte for byte as on the host; what `gpu.add` takes and gives.

    Attributes
    ----------
    words
        uint32 device array: the pool.
    root
        The reference to the root; 0 without entries.
    content_shape
        Rows and columns of the nodes, before any transposition.
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
        Of the content.
    transposed, scale
        Its state, as of `gpu.hisparse.container.HiSparse`.
    """

    words: Any
    root: int
    content_shape: tuple[int, int]
    levels: int
    level_nodes: tuple[int, ...]
    nnz: int
    node_size: int
    dtype: np.dtype[Any]
    leaves: Leaves
    transposed: bool = False
    scale: float = 1.0
    _turned: list[Leaves] = field(default_factory=list, repr=False)

    @classmethod
    def from_hisparse(cls, matrix: HiSparse) -> DeviceHiSparse:
        """Upload the pool of a matrix, which may hold other matrices too.

        Parameters
        ----------
        matrix
            The matrix.

        Raises
        ------
        UserError
            There is no GPU, or it has too little memory.
        """
        require_gpu()
        tree = matrix.content
        bits, found = node_bits(matrix.node_size), tree.nodes[0]
        keys = np.zeros(len(found.references), np.int64)
        for level in range(tree.levels - 1):
            mask = matrix.node_size - 1
            rows, columns = found.rows >> bits * level & mask, found.columns >> bits * level & mask
            keys |= (rows << bits | columns) << 2 * bits * level
        nodes = np.column_stack((found.references, found.counts.astype(np.uint32)))
        words, leaves = all_or_nothing(
            lambda: (upload(tree.pool.words), Leaves.of(keys, nodes.astype(np.uint32).ravel()))
        )
        numbers = tuple(len(each.references) for each in tree.nodes)
        return cls(words, tree.root, tree.shape, tree.levels, numbers, tree.nnz, matrix.node_size,
                   matrix.dtype, leaves, matrix.transposed, matrix.scale)  # fmt: skip

    @classmethod
    def from_coo(
        cls, rows: Any, columns: Any, values: Any, shape: tuple[int, int], *,
        node_size: int = DEFAULT_NODE_SIZE, stream: Any = 0,
    ) -> DeviceHiSparse:  # fmt: skip
        """Convert unsorted COO on the device: `gpu.hisparse.building.from_coo.hisparse_from_coo`.

        Parameters
        ----------
        rows, columns, values, shape, node_size, stream
            As there.
        """
        from gpu.hisparse.building.from_coo import hisparse_from_coo

        return hisparse_from_coo(rows, columns, values, shape, node_size=node_size, stream=stream)

    def insert(self, rows: Any, columns: Any, values: Any, *, stream: Any = 0) -> DeviceHiSparse:
        """Give the matrix with more entries, or new values of some: `gpu.hisparse.edit.edits.edited`.

        Parameters
        ----------
        rows, columns, values, stream
            As there.
        """
        return self._edited("insert", rows, columns, values, stream)

    def set(self, rows: Any, columns: Any, values: Any, *, stream: Any = 0) -> DeviceHiSparse:
        """Give the matrix with new values of stored entries: `gpu.hisparse.edit.edits.edited`.

        Parameters
        ----------
        rows, columns, values, stream
            As there.
        """
        return self._edited("set", rows, columns, values, stream)

    def delete(self, rows: Any, columns: Any, *, stream: Any = 0) -> DeviceHiSparse:
        """Give the matrix without some stored entries: `gpu.hisparse.edit.edits.edited`.

        Parameters
        ----------
        rows, columns, stream
            As there.
        """
        return self._edited("delete", rows, columns, None, stream)

    def _edited(self, how: str, rows: Any, columns: Any, values: Any, stream: Any) -> DeviceHiSparse:
        from gpu.hisparse.edit.edits import edited

        return edited(self, how, rows, columns, values, stream=stream)

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns, after transposition."""
        rows, columns = self.content_shape
        return (columns, rows) if self.transposed else (rows, columns)

    @property
    def T(self) -> DeviceHiSparse:
        """The transpose, of the same nodes."""
        return replace(self, transposed=not self.transposed)

    @property
    def nbytes(self) -> int:
        """Bytes of the pool and of the lists of leaves on the device."""
        lists = [self.leaves, *self._turned]
        return int(self.words.nbytes + sum(each.keys.nbytes + each.nodes.nbytes for each in lists))

    @cached_property
    def halves(self) -> Any:
        """The pool as coordinates."""
        return self.words.view(np.uint16)

    @cached_property
    def values(self) -> Any:
        """The pool as values."""
        return self.words.view(self.dtype)

    def leaves_in_order(self, turned: bool) -> Leaves:
        """Give the leaves of the content or, turned, of its transpose; these are sorted once, on the host."""
        if not turned:
            return self.leaves
        if not self._turned:
            self._turned.append(self.leaves.turned(node_bits(self.node_size)))
        return self._turned[0]

    def to_hisparse(self) -> HiSparse:
        """Copy it to the host."""
        words = self.words.copy_to_host()
        pool = Pool(self.node_size, self.dtype, len(words) - UNIT_WORDS)
        pool.memory.words[: len(words)] = words
        pool.memory.state[USED] = len(words)
        tree = Tree(pool, self.root, self.content_shape, self.levels, self.nnz)
        return HiSparse(tree, self.transposed, self.scale)

    def __repr__(self) -> str:
        rows, columns = self.shape
        return f"<{rows} x {columns} HiSparse matrix of {self.nnz} {self.dtype} entries on the device>"
