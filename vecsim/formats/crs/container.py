"""Compressed Row Storage: rows one after the other, with a pointer to where each begins."""

from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from vecsim.formats import storage
from vecsim.formats.array_types import FloatArray, IntArray, Shape
from vecsim.formats.base import FormatBase
from vecsim.formats.canonical_csr import canonical_csr, rows_of_csr
from vecsim.formats.crs.insertion import INSERTION
from vecsim.formats.image import Image, Layout, image_of_arrays, int32, value_field
from vecsim.formats.insertion import Insertion, Steps
from vecsim.formats.invariants import check_pointers, check_range, require


@dataclass(frozen=True, eq=False, repr=False)
class CRS(FormatBase):
    """A matrix in Compressed Row Storage (HiSM paper, section 3).

    Attributes
    ----------
    shape
        Rows M and columns N.
    rowptr
        int32 of M + 1: where each row begins in the other two, then nnz.
    colidx
        int32 of nnz: column of each entry, rising within a row.
    values
        float32 or float64 of nnz.
    """

    accountings: ClassVar[tuple[str, ...]] = storage.ACCOUNTINGS

    shape: Shape
    rowptr: NDArray[np.int32]
    colidx: NDArray[np.int32]
    values: FloatArray

    @classmethod
    def from_scipy(cls, matrix: Any, *, copy: bool = True) -> Self:
        """Convert a SciPy sparse matrix.

        Parameters
        ----------
        matrix
            Any sparse matrix or array; duplicates are summed, explicit zeros kept.
        copy
            Whether its arrays are copied even where they could be shared: without, what is later written
            into the matrix may be found here, too.

        Raises
        ------
        UserError
            If it is not a real matrix of two dimensions, or too large.
        """
        csr = canonical_csr(matrix)
        return cls(
            shape=(int(csr.shape[0]), int(csr.shape[1])),
            rowptr=csr.indptr.astype(np.int32, copy=copy),
            colidx=csr.indices.astype(np.int32, copy=copy),
            values=csr.data.copy() if copy else csr.data,
        )

    def coordinates(self) -> tuple[IntArray, IntArray]:
        """Return row and column of each entry, int64, in storage order."""
        return rows_of_csr(self.rowptr), self.colidx.astype(np.int64)

    def insert(self, row: int, column: int, value: float) -> "Insertion[CRS]":
        """Insert an element, or replace its value where the position is stored already.

        The entry joins its row by rising column; all entries after it, and the pointers of all rows
        after, move on by one.

        Parameters
        ----------
        row, column
            The position, counted from 0.
        value
            A finite real number; it is rounded to the type of the matrix.

        Returns
        -------
        Insertion
            The new matrix and the steps it took, counted as `insertion_steps` says. This matrix is left as
            it was; the two share the arrays that did not change.

        Raises
        ------
        UserError
            If the position lies outside the matrix or the value cannot be stored.
        """
        return INSERTION.insert(self, row, column, value)

    def insertion_steps(self, rows: ArrayLike, columns: ArrayLike) -> tuple[Steps[IntArray]]:
        """Count the steps of inserting single elements, each into this very matrix.

        Compared are the columns of the row's entries from its first, up to one that is not smaller than
        the new. Displaced are the later entries of the row, and after it the entries of all later rows.
        Updated are the pointers to where the later rows begin, and the end. A position that is stored
        costs its comparisons alone.

        What a comparison, a displacement and an update are stands in `vecsim.formats.insertion`.

        Parameters
        ----------
        rows, columns
            Positions, counted from 0: vectors of integers, equally long.

        Returns
        -------
        tuple of Steps
            One part; each count is int64, one a position.

        Raises
        ------
        UserError
            If the vectors are no such positions.
        """
        return INSERTION.count(self, rows, columns)

    def check(self) -> None:
        """Check every invariant of the format.

        Raises
        ------
        ValueError
            Naming the first one that is broken.
        """
        check_pointers("rowptr", self.rowptr, self.shape[0], self.nnz)
        require(len(self.colidx) == self.nnz, "colidx and values must be equally long")
        check_range("colidx", self.colidx, self.shape[1])
        rows, columns = self.coordinates()
        rising = (np.diff(columns) > 0) | (np.diff(rows) > 0)
        require(rising.all(), "colidx must rise within a row")

    def image(self, layout: Layout) -> Image:
        """Build the memory image.

        Symbols: ROWS, COLS, NNZ; the addresses ROWPTR (int32, element offsets), COLIDX (int32, element
        indices into x) and VALUES.

        Raises
        ------
        UserError
            If it does not fit the address space.
        """
        arrays = [
            ("ROWPTR", int32(self.rowptr)),
            ("COLIDX", int32(self.colidx)),
            ("VALUES", value_field(layout, self.values)),
        ]
        sizes = {"ROWS": self.shape[0], "COLS": self.shape[1], "NNZ": self.nnz}
        return image_of_arrays(layout, arrays, sizes)

    def storage(self, accounting: str) -> int:
        """Return the bytes the matrix takes by a named accounting of `vecsim.formats.storage`."""
        return storage.crs_bytes(
            accounting, rows=self.shape[0], nnz=self.nnz, value_bytes=self.values.dtype.itemsize
        )
