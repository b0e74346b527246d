"""Jagged Diagonals: rows sorted by length, then the first entry of every row, the second of every row, ..."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from vecsim.formats import storage
from vecsim.formats.array_types import FloatArray, IntArray, Shape
from vecsim.formats.base import FormatBase
from vecsim.formats.canonical_csr import canonical_csr, rows_of_csr
from vecsim.formats.image import Image, Layout, image_of_arrays, int32, value_field
from vecsim.formats.insertion import Insertion, Steps
from vecsim.formats.invariants import check_pointers, check_range, require
from vecsim.formats.jd.insertion import INSERTION
from vecsim.formats.pointers import pointers_of


@dataclass(frozen=True, eq=False, repr=False)
class JD(FormatBase):
    """A matrix in Jagged Diagonal storage (HiSM paper, section 3).

    Attributes
    ----------
    shape
        Rows M and columns N.
    perm
        int32 of M: the row at each sorted position; by falling length, equal lengths by row.
    diag_ptr
        int32 of K + 1: where each jagged diagonal begins, then nnz; K is the longest row's length.
    colidx
        int32 of nnz: column of each entry, diagonal after diagonal.
    values
        float32 or float64 of nnz, in the same order.
    """

    accountings: ClassVar[tuple[str, ...]] = storage.ACCOUNTINGS

    shape: Shape
    perm: NDArray[np.int32]
    diag_ptr: NDArray[np.int32]
    colidx: NDArray[np.int32]
    values: FloatArray

    @classmethod
    def from_scipy(cls, matrix: Any) -> Self:
        """Convert a SciPy sparse matrix.

        Parameters
        ----------
        matrix
            Any sparse matrix or array; duplicates are summed, explicit zeros kept.

        Raises
        ------
        UserError
            If it is not a real matrix of two dimensions, or too large.
        """
        csr = canonical_csr(matrix)
        rows, columns = int(csr.shape[0]), int(csr.shape[1])
        lengths = np.diff(csr.indptr)
        perm = np.argsort(-lengths, kind="stable")
        position = np.empty(rows, dtype=np.int64)
        position[perm] = np.arange(rows)

        # Diagonal k has an entry of every row longer than k.
        diagonals = int(lengths.max(initial=0))
        diagonal_lengths = rows - np.cumsum(np.bincount(lengths, minlength=1)[:diagonals])
        diag_ptr = pointers_of(diagonal_lengths).astype(np.int32)

        row = rows_of_csr(csr.indptr)
        diagonal = np.arange(csr.nnz) - csr.indptr[row]
        place = diag_ptr[diagonal] + position[row]
        colidx = np.empty(csr.nnz, dtype=np.int32)
        colidx[place] = csr.indices
        values = np.empty_like(csr.data)
        values[place] = csr.data
        return cls((rows, columns), perm.astype(np.int32), diag_ptr, colidx, values)

    @property
    def diagonals(self) -> int:
        """K, the number of jagged diagonals: the length of the longest row."""
        return len(self.diag_ptr) - 1

    def structure(self) -> Mapping[str, int]:
        """Return the number of jagged diagonals."""
        return {"diagonals": self.diagonals}

    def coordinates(self) -> tuple[IntArray, IntArray]:
        """Return row and column of each entry, int64, in storage order."""
        lengths = np.diff(self.diag_ptr)
        position = np.arange(self.nnz) - np.repeat(self.diag_ptr[:-1], lengths)
        return self.perm[position].astype(np.int64), self.colidx.astype(np.int64)

    def insert(self, row: int, column: int, value: float) -> "Insertion[JD]":
        """Insert an element, or replace its value where the position is stored already.

        The element takes its place among the row's entries; each later one goes one diagonal on. The row,
        now longer, goes up in the permutation past those that it outgrows, keeping rows of equal length in
        order. A new longest row adds a diagonal.

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

    def insertion_steps(self, rows: ArrayLike, columns: ArrayLike) -> tuple[Steps[IntArray], Steps[IntArray]]:
        """Count the steps of inserting single elements, each into this very matrix.

        Permutation: compared are row numbers from the first until the row is found, then those of the
        rows that have the new length, from the last, until the new place is found; displaced are the row
        numbers between both places and the row's own. Diagonals: compared are the columns of the row's
        entries from its first, up to one that is not smaller than the new; displaced are, in the
        diagonals up to the one that grows, entries of the rows that step down and of the row itself,
        and after it the entries of all later diagonals; updated are the pointers to those and the end.
        A position that is stored costs the search for the row and the element alone.

        What a comparison, a displacement and an update are stands in `vecsim.formats.insertion`.

        Parameters
        ----------
        rows, columns
            Positions, counted from 0: vectors of integers, equally long.

        Returns
        -------
        tuple of Steps
            The permutation, then the diagonals; each count is int64, one a position.

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
        rows = self.shape[0]
        check_pointers("diag_ptr", self.diag_ptr, self.diagonals, self.nnz)
        require(len(self.colidx) == self.nnz, "colidx and values must be equally long")
        check_range("colidx", self.colidx, self.shape[1])
        check_range("perm", self.perm, rows)
        require(len(self.perm) == rows, f"perm must have {rows} elements, has {len(self.perm)}")
        require(len(np.unique(self.perm)) == rows, "perm must name each row once")

        diagonal_lengths = np.diff(self.diag_ptr)
        require((diagonal_lengths > 0).all(), "no jagged diagonal may be empty")
        require((np.diff(diagonal_lengths) <= 0).all(), "jagged diagonals must not grow")
        require((diagonal_lengths <= rows).all(), "no jagged diagonal may be longer than the matrix has rows")

        lengths = np.bincount(self.coordinates()[0], minlength=rows)[self.perm]
        stable = (np.diff(lengths) < 0) | (np.diff(self.perm) > 0)
        require(stable.all(), "rows of equal length must keep their order in perm")
        # Entry p of diagonal k + 1 lies right of entry p of diagonal k.
        later = np.arange(diagonal_lengths[0] if self.nnz else 0, self.nnz)
        earlier = later - np.repeat(diagonal_lengths[:-1], diagonal_lengths[1:])
        rising = self.colidx[later] > self.colidx[earlier]
        require(rising.all(), "colidx must rise along a row from diagonal to diagonal")

    def image(self, layout: Layout) -> Image:
        """Build the memory image.

        Symbols: ROWS, COLS, NNZ, DIAGONALS (K); the addresses DIAGPTR (int32, element offsets), COLIDX
        (int32, element indices into x), VALUES and PERM (int32).

        Raises
        ------
        UserError
            If it does not fit the address space.
        """
        arrays = [
            ("DIAGPTR", int32(self.diag_ptr)),
            ("COLIDX", int32(self.colidx)),
            ("VALUES", value_field(layout, self.values)),
            ("PERM", int32(self.perm)),
        ]
        sizes = {"ROWS": self.shape[0], "COLS": self.shape[1], "NNZ": self.nnz, "DIAGONALS": self.diagonals}
        return image_of_arrays(layout, arrays, sizes)

    def storage(self, accounting: str) -> int:
        """Return the bytes the matrix takes by a named accounting of `vecsim.formats.storage`."""
        return storage.jd_bytes(
            accounting,
            rows=self.shape[0],
            nnz=self.nnz,
            diagonals=self.diagonals,
            value_bytes=self.values.dtype.itemsize,
        )
