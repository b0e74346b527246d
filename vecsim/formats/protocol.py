"""What formats offer: all of them the way from SciPy and back and a product, some an image and insertion."""

from collections.abc import Mapping
from typing import Any, ClassVar, Protocol, Self, runtime_checkable

import numpy as np
from numpy.typing import ArrayLike

from vecsim.formats.array_types import FloatArray, IntArray, Shape
from vecsim.formats.image import Image, Layout
from vecsim.formats.insertion import Insertion, Steps


@runtime_checkable
class Format(Protocol):
    """A matrix in a sparse format: a frozen record of NumPy arrays.

    Attributes
    ----------
    accountings
        The storage accountings that it knows, of `vecsim.formats.ACCOUNTINGS`.
    """

    accountings: ClassVar[tuple[str, ...]]

    @classmethod
    def from_scipy(cls, *args: Any, **options: Any) -> Self:
        """Convert a SciPy sparse matrix, the one positional argument; options are the format's own.

        Any sparse matrix or array will do: duplicates are summed, explicit zeros kept, and values become
        float64 unless they are float32. The matrix is left as it was.

        Raises
        ------
        UserError
            If it is not a real matrix of two dimensions, or too large; or an option is not possible.
        NotRepresentableError
            If the format cannot hold it in reasonable space.
        """

    @property
    def shape(self) -> Shape:
        """Rows M and columns N."""

    @property
    def dtype(self) -> np.dtype[Any]:
        """Type of the values: float32 or float64."""

    @property
    def nnz(self) -> int:
        """Stored entries of the matrix, explicit zeros included, padding not."""

    def to_scipy(self) -> Any:
        """Return the matrix as scipy.sparse.csr_array, sorted, with the same values, zeros and type."""

    def matvec(self, x: ArrayLike) -> FloatArray:
        """Return the product y = A x, of M elements in the type of the values.

        Raises
        ------
        ValueError
            If `x` is not a real vector with one element a column.
        """

    def check(self) -> None:
        """Check every invariant of the format.

        Raises
        ------
        ValueError
            Naming the first one that is broken.
        """

    def storage(self, accounting: str) -> int:
        """Return the bytes that the matrix takes, by one of `accountings`.

        Raises
        ------
        UserError
            If it is another.
        """

    def structure(self) -> Mapping[str, object]:
        """Return what else can be counted of the matrix in this format, by name: numbers, or one a level."""


@runtime_checkable
class FormatWithImage(Format, Protocol):
    """A format that the simulated machine can read."""

    def image(self, layout: Layout) -> Image:
        """Build the memory image, with the symbols that a program finds it by.

        Raises
        ------
        UserError
            If it does not fit the address space.
        """


@runtime_checkable
class FormatWithInsertion(Format, Protocol):
    """A format that takes up single elements; what counts as a step stands in `vecsim.formats.insertion`."""

    def insert(self, row: int, column: int, value: float) -> Insertion[Any]:
        """Insert an element, or replace its value where the position is stored already.

        Raises
        ------
        UserError
            If the position lies outside the matrix or the value cannot be stored.
        """

    def insertion_steps(self, rows: ArrayLike, columns: ArrayLike) -> tuple[Steps[IntArray], ...]:
        """Count the steps of inserting single elements, each into this very matrix, by part of the format.

        Raises
        ------
        UserError
            If the vectors are no positions of the matrix.
        """
