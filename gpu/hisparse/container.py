"""HiSparse: a tree of nodes of d x d entries, sparse or dense, in one memory pool."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

from gpu.hisparse.invariants import check_tree
from gpu.hisparse.node_layout import DEFAULT_NODE_SIZE, DENSE, REFERENCE_BYTES
from gpu.hisparse.nodes import entries_of
from gpu.hisparse.tree import Tree
from vecsim.formats import storage
from vecsim.formats.array_types import FloatArray, IntArray, Shape
from vecsim.formats.base import FormatBase
from vecsim.formats.canonical_csr import canonical_csr
from vecsim.formats.invariants import require
from vecsim.support.errors import UserError

if TYPE_CHECKING:
    from gpu.hisparse.editor import Editor


@dataclass(frozen=True, eq=False, repr=False)
class HiSparse(FormatBase):
    """A matrix in the HiSparse format (Derler et al., ICS 2017, section 3).

    A leaf has the entries of d x d positions, an inner node the children at d x d places; only
    nodes with entries are stored. A node may be the child of several nodes, also of other matrices: editing
    (`gpu.hisparse.editor.Editor`) copies what it changes and shares the rest. Whether the content
    is transposed and what it is multiplied with is kept next to it, so `T` and `scaled` copy nothing.

    The pool is one array of 32-bit words, `content.pool.words`, in the byte order of the machine. Words 0 to
    3 belong to no node. A node begins and ends at a multiple of 16 bytes. A reference to it is a uint32: the
    index of its first word, which is a multiple of 4, plus its type: 0 dense, 1 COO1, 2 COO2, 3 COO4; the
    reference 0 leads to no node. So the pool may have 16 GiB.

    A slot is what a node has for each entry: a value in a leaf, w = 4 or 8 bytes; a reference to a child in
    an inner node, w = 4 bytes. n is the number of entries. A sparse node with one is COO1, with two COO2,
    with more COO4, padded to m entries, the next multiple of X = 1, 2 or 4.

    ===================  =====================================================================================
    bytes                of a sparse node
    ===================  =====================================================================================
    0 .. 3               n, uint32
    4 .. 7               how many slots and matrices refer to the node, uint32; only editing asks
    8 .. 7 + 2 m         coordinates, uint16 each: 256 row + column within the node, rising
    v .. v + w m - 1     slots, in the same order; v is the next multiple of min(16, X w)
    ===================  =====================================================================================

    ===================  =====================================================================================
    bytes                of a dense node
    ===================  =====================================================================================
    0 .. 7               n and the number of references, as above
    8 .. 15              0
    16 .. 15 + w d^2     slots, row by row; without an entry -0.0 in a leaf, 0 in an inner node
    ===================  =====================================================================================

    Padding repeats the last coordinate, with slots of 0; all other bytes are 0. So the first 16 bytes of a
    sparse node hold n and four coordinates, and each 16 bytes after them eight coordinates; a thread that
    loads 8 bytes of coordinates finds the slots of these four entries in 16 bytes (w = 4), or in 32 (w = 8).

    A dense leaf that has d^2 entries has no slot without one. In others -0.0 is no entry, so that a stored
    -0.0 keeps a leaf sparse; it is the one number that adds nothing to any sum. Otherwise a node is dense
    where that takes less bytes. Positions beyond the matrix, in nodes at its edge, have no entry.

    A product is transposed and scaled as the matrix is; the sum of a row runs in the order of `triplets`.

    A matrix and those edited from it have one pool, which is not to be used by several threads at once: not
    even to read one matrix while another is edited. A copied or pickled matrix is a matrix like any other;
    those that are pickled together share nodes as before, and their pool is stored whole.

    Attributes
    ----------
    content
        The nodes, with the shape before any transposition.
    transposed
        Whether rows and columns are exchanged.
    scale
        What every value is multiplied with when it is read, rounded to the type of the values.
    shape
        Rows M and columns N, after transposition.
    """

    accountings: ClassVar[tuple[str, ...]] = (storage.IMAGE,)

    content: Tree
    transposed: bool = False
    scale: float = 1.0
    shape: Shape = field(init=False)

    def __post_init__(self) -> None:
        rows, columns = self.content.shape
        object.__setattr__(self, "shape", (columns, rows) if self.transposed else (rows, columns))

    @classmethod
    def from_scipy(cls, matrix: Any, *, node_size: int = DEFAULT_NODE_SIZE) -> Self:
        """Convert a SciPy sparse matrix, in compiled loops over all cores.

        Parameters
        ----------
        matrix
            Any sparse matrix or array; duplicates are summed, explicit zeros kept.
        node_size
            d, a power of two from 4 to 256.

        Raises
        ------
        UserError
            If the node size is not possible, the matrix not real, not of two dimensions or too large, or its
            nodes would take more than 16 GiB.
        """
        from gpu.hisparse.conversion import pool_of

        csr = canonical_csr(matrix)
        pool, root, levels = pool_of(csr, node_size)
        return cls(Tree(pool, root, (int(csr.shape[0]), int(csr.shape[1])), levels, int(csr.nnz)))

    @property
    def T(self) -> Self:
        """The transpose, of the same nodes."""
        return replace(self, transposed=not self.transposed)

    def astype(self, dtype: Any) -> Self:
        """Return the matrix with values of another type, in new nodes: their size depends on the type.

        Parameters
        ----------
        dtype
            float32 or float64.
        """
        if np.dtype(dtype) == self.dtype:
            return self
        plain = replace(self, transposed=False, scale=1.0).to_scipy()
        result = type(self).from_scipy(canonical_csr(plain, dtype), node_size=self.node_size)
        return replace(result, transposed=self.transposed, scale=self.scale)

    def scaled(self, factor: float) -> Self:
        """Return the matrix times a number, of the same nodes.

        Raises
        ------
        UserError
            If the product of the factor and the present scale is not a finite number of the type of the
            values.
        """
        scale = self.scale * float(factor)
        with np.errstate(over="ignore"):
            if not math.isfinite(self.dtype.type(scale)):
                raise UserError(f"a scale of {scale} is not possible: a finite {self.dtype} number is needed")
        return replace(self, scale=scale)

    def editor(self) -> "Editor":
        """Return what edits this matrix into another: it inserts, deletes and sets entries.

        This matrix stays as it is; the two share every node that is not edited.

        Raises
        ------
        UserError
            If the matrix is scaled.
        """
        from gpu.hisparse.editor import Editor

        return Editor(self)

    @property
    def node_size(self) -> int:
        """d, the side of a node."""
        return self.content.pool.node_size

    @property
    def levels(self) -> int:
        """D, the levels of the tree: 1 if its root is a leaf."""
        return self.content.levels

    @property
    def nnz(self) -> int:
        """Stored entries, explicit zeros included, padding not."""
        return self.content.nnz

    @property
    def dtype(self) -> np.dtype[Any]:
        """Type of the values: float32 or float64."""
        return self.content.pool.dtype

    def structure(self) -> Mapping[str, object]:
        """Return the side of a node, and of each level, leaves first: nodes, dense ones, and their entries.

        A node that is in several places is counted once.
        """
        levels = [nodes.distinct() for nodes in self.content.nodes]
        return {
            "node_size": self.node_size,
            "level_arrays": tuple(len(nodes.references) for nodes in levels),
            "level_dense_arrays": tuple(int(np.count_nonzero(nodes.kinds == DENSE)) for nodes in levels),
            "level_entries": tuple(int(nodes.counts.sum()) for nodes in levels),
        }

    def overview(self) -> dict[str, object]:
        """Return size, type, state and bytes of the matrix, by name."""
        return {**super().overview(), "transposed": self.transposed, "scale": self.scale}

    def triplets(self) -> tuple[IntArray, IntArray, FloatArray]:
        """Return row, column (int64) and value of each entry, leaf by leaf, those of a leaf by its rows.

        Rows and columns are exchanged if the matrix is transposed, the order is not; values are scaled.
        """
        pool = self.content.pool
        rows, columns, values = entries_of(pool.memory, self.content.nodes[0], self.content.geometry.bits)
        if self.scale != 1:
            values *= values.dtype.type(self.scale)
        return (columns, rows, values) if self.transposed else (rows, columns, values)

    def check(self) -> None:
        """Check every invariant of the format.

        Raises
        ------
        ValueError
            Naming the first one that is broken.
        """
        require(math.isfinite(self.scale), "scale must be a finite number")
        check_tree(self.content)

    def storage(self, accounting: str) -> int:
        """Return the bytes of its nodes, each once in however many places it is: ``image``.

        Raises
        ------
        UserError
            If another accounting is asked for.
        """
        storage.require_accounting(accounting, self.accountings)
        widths = (self.dtype.itemsize, *(REFERENCE_BYTES,) * (self.levels - 1))
        return sum(
            int(nodes.distinct().sizes(self.node_size, width).sum())
            for nodes, width in zip(self.content.nodes, widths, strict=True)
        )
