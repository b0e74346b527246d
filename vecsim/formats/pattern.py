"""The pattern of a matrix: where its entries stand, and how long its rows are, without their values."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any, Self

import numpy as np
from numba import njit, prange
from numpy.typing import NDArray

from vecsim.formats.array_types import IntArray, Shape
from vecsim.formats.representable import ALWAYS_MADE_BYTES, MAX_GROWTH
from vecsim.formats.thread_count import as_many_threads_as_pay

PARTS = 64
"""Of the rows, which threads share."""


@dataclass(frozen=True, eq=False)
class Pattern:
    """The pattern of a matrix, with what conversions ask of it, each counted once when first asked.

    Attributes
    ----------
    shape
        Rows M and columns N.
    indptr, indices
        Of the sorted CSR matrix without duplicates.
    value_bytes
        4 or 8.
    """

    shape: Shape
    indptr: NDArray[np.integer[Any]]
    indices: NDArray[np.integer[Any]]
    value_bytes: int

    @classmethod
    def of(cls, csr: Any) -> Self:
        """Take the pattern of a sorted SciPy CSR matrix without duplicates, as it is."""
        return cls((int(csr.shape[0]), int(csr.shape[1])), csr.indptr, csr.indices, csr.data.dtype.itemsize)

    @property
    def nnz(self) -> int:
        """Stored entries."""
        return len(self.indices)

    @cached_property
    def lengths(self) -> IntArray:
        """Entries of each row."""
        return np.diff(self.indptr).astype(np.int64)

    @cached_property
    def _longest(self) -> tuple[int, int]:
        with as_many_threads_as_pay(self.shape[0]):
            longest, filled = _longest_row(self.indptr)
        return int(longest), int(filled)

    @property
    def longest(self) -> int:
        """Entries of the longest row."""
        return self._longest[0]

    @property
    def filled_rows(self) -> int:
        """Rows with an entry."""
        return self._longest[1]

    @property
    def mean(self) -> float:
        """Entries a row."""
        return self.nnz / max(1, self.shape[0])

    @property
    def crs_bytes(self) -> int:
        """Bytes in CRS."""
        return self.nnz * (self.value_bytes + 4) + 4 * (self.shape[0] + 1)

    def allows(self, stored_bytes: float) -> bool:
        """Return whether a format may take this many bytes: four times CRS, or a MiB."""
        return stored_bytes <= max(ALWAYS_MADE_BYTES, MAX_GROWTH * self.crs_bytes)


@njit(parallel=True, cache=True)
def _longest_row(indptr: Any) -> Any:
    """Return the entries of the longest row, and the rows that have an entry."""
    rows = len(indptr) - 1
    result = np.zeros((PARTS, 2), np.int64)
    for part in prange(PARTS):
        most: Any = np.int64(0)
        filled: Any = 0
        for row in range(part * rows // PARTS, (part + 1) * rows // PARTS):
            length = np.int64(indptr[row + 1]) - np.int64(indptr[row])
            most = max(most, length)
            filled += length > 0
        result[part, 0], result[part, 1] = most, filled
    return result[:, 0].max(), result[:, 1].sum()
