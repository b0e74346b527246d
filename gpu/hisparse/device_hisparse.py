"""A HiSparse matrix on the device as it is on the host: a tree, and its state."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from gpu.hisparse.building.from_coo import tree_from_coo
from gpu.hisparse.container import HiSparse
from gpu.hisparse.device_tree import DeviceTree
from gpu.hisparse.edit.compaction import compacted
from gpu.hisparse.edit.edits import edited
from gpu.hisparse.node_layout import DEFAULT_NODE_SIZE, REFERENCE_BYTES
from gpu.runtime.cuda import require_gpu
from vecsim.support.errors import UserError


@dataclass(frozen=True, eq=False)
class DeviceHiSparse:
    """A HiSparse matrix on the device: what `gpu.add` takes and gives, and `gpu.prepare` multiplies.

    Attributes
    ----------
    content
        The nodes, with the shape before any transposition.
    transposed, scale
        Its state, as of `gpu.hisparse.container.HiSparse`.
    """

    content: DeviceTree
    transposed: bool = False
    scale: float = 1.0

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
            There is no GPU, it has too little memory, or the matrix is another.
        """
        require_gpu()
        if not isinstance(matrix, HiSparse):
            raise UserError(f"a HiSparse matrix is needed, not {type(matrix).__name__}: use from_coo")
        return cls(DeviceTree.from_host(matrix.content), matrix.transposed, matrix.scale)

    @classmethod
    def from_coo(
        cls, rows: Any, columns: Any, values: Any, shape: tuple[int, int], *,
        node_size: int = DEFAULT_NODE_SIZE, stream: Any = 0,
    ) -> DeviceHiSparse:  # fmt: skip
        """Convert unsorted COO on the device: `gpu.hisparse.building.from_coo.tree_from_coo`.

        Parameters
        ----------
        rows, columns, values, shape, node_size, stream
            As there.
        """
        return cls(tree_from_coo(rows, columns, values, shape, node_size, stream))

    def insert(self, rows: Any, columns: Any, values: Any, *, stream: Any = 0) -> DeviceHiSparse:
        """Return the matrix with more entries, or new values of some: `gpu.hisparse.edit.edits.edited`.

        Both matrices share the leaves that stay as they are, as after the edits below.

        Parameters
        ----------
        rows, columns, values, stream
            As there.
        """
        return self._edited("insert", rows, columns, values, stream)

    def set(self, rows: Any, columns: Any, values: Any, *, stream: Any = 0) -> DeviceHiSparse:
        """Return the matrix with new values of stored entries: `gpu.hisparse.edit.edits.edited`.

        Parameters
        ----------
        rows, columns, values, stream
            As there.
        """
        return self._edited("set", rows, columns, values, stream)

    def delete(self, rows: Any, columns: Any, *, stream: Any = 0) -> DeviceHiSparse:
        """Return the matrix without some stored entries: `gpu.hisparse.edit.edits.edited`.

        Parameters
        ----------
        rows, columns, stream
            As there.
        """
        return self._edited("delete", rows, columns, None, stream)

    def _edited(self, how: str, rows: Any, columns: Any, values: Any, stream: Any) -> DeviceHiSparse:
        if self.scale != 1:
            raise UserError(f"a matrix with the scale {self.scale:g} cannot be edited: use one with scale 1")
        places = (columns, rows) if self.transposed else (rows, columns)
        return replace(self, content=edited(self.content, how, *places, values, stream))

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns, after transposition."""
        rows, columns = self.content.shape
        return (columns, rows) if self.transposed else (rows, columns)

    @property
    def T(self) -> DeviceHiSparse:
        """The transpose, of the same nodes."""
        return replace(self, transposed=not self.transposed)

    @property
    def nnz(self) -> int:
        """Entries, explicit zeros included."""
        return self.content.nnz

    @property
    def dtype(self) -> np.dtype[Any]:
        """Type of the values: float32 or float64."""
        return self.content.dtype

    @property
    def node_size(self) -> int:
        """d, the side of a node."""
        return self.content.node_size

    @property
    def nbytes(self) -> int:
        """Bytes of the pool, which matrices edited from each other share, and of the lists of leaves."""
        return self.content.nbytes

    @property
    def added_nbytes(self) -> int:
        """Bytes of the nodes that were written for it: of an edited matrix, those that it does not share."""
        return REFERENCE_BYTES * (self.content.end - self.content.begin)

    def to_hisparse(self) -> HiSparse:
        """Copy it to the host, without nodes of other matrices."""
        content = compacted(self.content) if self.content.begin else self.content
        return HiSparse(content.to_host(), self.transposed, self.scale)

    def to_scipy(self) -> Any:
        """Copy it to the host as `gpu.hisparse.container.HiSparse.to_scipy` gives it."""
        return self.to_hisparse().to_scipy()

    # NumPy's and CuPy's arrays leave `x @ matrix` to this class, too.
    __array_ufunc__ = None

    def __matmul__(self, x: Any) -> Any:
        raise UserError("a DeviceHiSparse is not multiplied: use gpu.prepare(matrix) @ x")

    __rmatmul__ = __matmul__

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self).from_hisparse, (self.to_hisparse(),)

    def __repr__(self) -> str:
        rows, columns = self.shape
        return f"<{rows} x {columns} HiSparse matrix of {self.nnz} {self.dtype} entries on the device>"
