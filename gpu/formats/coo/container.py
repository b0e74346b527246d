"""Coordinate storage: row, column and value of each entry, by row and column."""

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from vecsim.formats.array_types import FloatArray, IntArray, Shape
from vecsim.formats.base import StoredAsArrays
from vecsim.formats.canonical_csr import canonical_csr
from vecsim.formats.invariants import check_range, require


@dataclass(frozen=True, eq=False, repr=False)
class COO(StoredAsArrays):
    """A matrix as a list of its entries.

    Attributes
    ----------
    shape
        Rows M and columns N.
    rows, columns
        int32 of nnz: where each entry stands; entries by rising row, those of a row by rising column.
    values
        float32 or float64 of nnz.
    """

    shape: Shape
    rows: NDArray[np.int32]
    columns: NDArray[np.int32]
    values: FloatArray

    @classmethod
    def from_scipy(cls, matrix: Any, *, copy: bool = True) -> Self:
        """Convert a SciPy sparse matrix.

        Parameters
        ----------
        matrix
            Any sparse matrix or array; duplicates are summed, explicit zeros kept.
        copy
            Whether its arrays are copied even where they could be shared, as in `CRS.from_scipy`.

        Raises
        ------
        UserError
            If it is not a real matrix of two dimensions, or too large.
        """
        csr = canonical_csr(matrix)
        return cls(
            shape=(int(csr.shape[0]), int(csr.shape[1])),
            rows=np.repeat(np.arange(csr.shape[0], dtype=np.int32), np.diff(csr.indptr)),
            columns=csr.indices.astype(np.int32, copy=copy),
            values=csr.data.copy() if copy else csr.data,
        )

    def coordinates(self) -> tuple[IntArray, IntArray]:
        """Return row and column of each entry, int64, in storage order."""
        return self.rows.astype(np.int64), self.columns.astype(np.int64)

    def check(self) -> None:
        """Check every invariant of the format.

        Raises
        ------
        ValueError
            Naming the first one that is broken.
        """
        for name, array, limit in (
            ("rows", self.rows, self.shape[0]),
            ("columns", self.columns, self.shape[1]),
        ):
            require(len(array) == self.nnz, f"{name} and values must be equally long")
            check_range(name, array, limit)
        down, right = np.diff(self.rows), np.diff(self.columns)
        require((down >= 0).all(), "rows must never fall")
        require(((down > 0) | (right > 0)).all(), "columns must rise within a row")
