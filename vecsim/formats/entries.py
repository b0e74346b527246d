"""What every format can do that knows where its entries stand and what they are."""

from abc import ABC, abstractmethod
from typing import Any

from numpy.typing import ArrayLike

from vecsim.formats.coordinates import FloatArray, IntArray, Shape, csr_from_coordinates, product


class Entries(ABC):
    """A matrix as the entries that it stores, whatever the order and whatever stands beside them."""

    shape: Shape
    """Rows M and columns N."""
    values: FloatArray
    """float32 or float64 of nnz, in storage order, unless `entry_values` says otherwise."""

    @abstractmethod
    def coordinates(self) -> tuple[IntArray, IntArray]:
        """Return row and column of each entry, int64, in storage order."""

    def entry_values(self) -> FloatArray:
        """Return the values that belong to `coordinates`."""
        return self.values

    @property
    def nnz(self) -> int:
        """Stored entries, explicit zeros included."""
        return len(self.values)

    def to_scipy(self) -> Any:
        """Return the matrix as scipy.sparse.csr_array, with the same values, zeros and type."""
        return csr_from_coordinates(self.shape, *self.coordinates(), self.entry_values())

    def matvec(self, x: ArrayLike) -> FloatArray:
        """Return the product with the vector `x` of N elements, in the type of the values.

        Raises
        ------
        ValueError
            If `x` has another length.
        """
        return product(self.shape, *self.coordinates(), self.entry_values(), x)
