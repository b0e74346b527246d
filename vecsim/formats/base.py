"""What follows for every format from where its entries stand: the way back to SciPy and the product."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import fields, is_dataclass, replace
from typing import Any, ClassVar, Self

import numpy as np
import scipy.sparse
from numpy.typing import ArrayLike

from vecsim.formats.array_types import FloatArray, IntArray, Shape
from vecsim.formats.invariants import check_range
from vecsim.formats.storage import IMAGE, require_accounting
from vecsim.support.overview import Overview
from vecsim.support.suggestions import counted


def with_type(built: Any, dtype: Any) -> Any:
    """Return a dataclass of arrays, and of such dataclasses, with its floating-point arrays in another type.

    Parameters
    ----------
    built
        Frozen; what does not change is shared.
    dtype
        float32 or float64.
    """
    changed = {}
    for each in fields(built):
        value = getattr(built, each.name)
        if isinstance(value, np.ndarray) and value.dtype.kind == "f":
            changed[each.name] = value.astype(dtype, copy=False)
        elif is_dataclass(value) and not isinstance(value, type):
            changed[each.name] = with_type(value, dtype)
    return replace(built, **changed) if changed else built


class FormatBase(Overview):
    """A matrix as its entries, whatever their order and whatever stands next to them."""

    accountings: ClassVar[tuple[str, ...]]
    """The storage accountings that it knows, of `vecsim.formats.storage.ACCOUNTINGS`."""
    shape: Shape
    """Rows M and columns N."""
    values: FloatArray
    """float32 or float64, as they are stored."""

    def coordinates(self) -> tuple[IntArray, IntArray]:
        """Return row and column of each entry, int64, in the order of `triplets`.

        A format says where its entries stand by this or by `triplets`.
        """
        rows, columns, _ = self.triplets()
        return rows, columns

    def triplets(self) -> tuple[IntArray, IntArray, FloatArray]:
        """Return row, column (int64) and value of each entry, in storage order, without padding."""
        return *self.coordinates(), self.values

    def check_coordinates(self) -> None:
        """Raise ValueError unless all entries stand within the matrix."""
        for name, places, extent in zip(("rows", "columns"), self.coordinates(), self.shape, strict=True):
            check_range(f"the {name} that the entries stand at", places, extent)

    @property
    def dtype(self) -> np.dtype[Any]:
        """Type of the values: float32 or float64."""
        return self.values.dtype

    @property
    def nnz(self) -> int:
        """Stored entries, explicit zeros included."""
        return len(self.values)

    def structure(self) -> Mapping[str, object]:
        """Return what else can be counted of the matrix in this format, by name: numbers, or one a level."""
        return {}

    def overview(self) -> dict[str, object]:
        """Return size, type and bytes of the matrix, by name."""
        return {
            "shape": (int(self.shape[0]), int(self.shape[1])),
            "nnz": int(self.nnz),
            "dtype": str(self.dtype),
            "bytes": {accounting: int(self.storage(accounting)) for accounting in self.accountings},
        }

    @abstractmethod
    def storage(self, accounting: str) -> int:
        """Return the bytes that the matrix takes, by one of `accountings`."""

    def astype(self, dtype: Any) -> Self:
        """Return the matrix as if it had been rounded to another type before its conversion.

        Parameters
        ----------
        dtype
            float32 or float64.
        """
        built: Self = with_type(self, dtype)
        return built

    def to_dict(self) -> dict[str, Any]:
        """Return size, type, bytes and `structure` as plain data, without the arrays."""
        result = {**self.overview(), **self.structure()}
        return {name: list(value) if isinstance(value, tuple) else value for name, value in result.items()}

    def to_scipy(self) -> Any:
        """Return the matrix as scipy.sparse.csr_array, sorted, with the same values, zeros and type."""
        rows, columns, values = self.triplets()
        csr = scipy.sparse.coo_array((values, (rows, columns)), shape=self.shape).tocsr()
        csr.sort_indices()
        return csr

    def matvec(self, x: ArrayLike) -> FloatArray:
        """Return the product y = A x, of M elements in the type of the values.

        Every product and every sum is rounded to that type; the sum of a row runs in the order in which its
        entries are stored.

        Parameters
        ----------
        x
            Real numbers, N of them.

        Raises
        ------
        ValueError
            If `x` is not a real vector with one element a column.
        """
        vector = np.asarray(x)
        if vector.shape != (self.shape[1],):
            raise ValueError(
                f"x has shape {vector.shape}, but must have one element for each of the "
                f"{counted(self.shape[1], 'column')}"
            )
        if vector.dtype.kind not in "biuf":
            raise ValueError(f"x has type {vector.dtype}, but real numbers are needed")
        rows, columns, values = self.triplets()
        y = np.zeros(self.shape[0], dtype=values.dtype)
        np.add.at(y, rows, values * vector.astype(values.dtype)[columns])
        return y


class StoredAsArrays(FormatBase):
    """A format that takes the bytes of its arrays: a frozen record that a product reads completely."""

    accountings: ClassVar[tuple[str, ...]] = (IMAGE,)

    @property
    def nbytes(self) -> int:
        """Bytes of all arrays, those of its parts among them."""
        record: Any = self
        values = (getattr(self, field.name) for field in fields(record))
        return sum(value.nbytes for value in values if isinstance(value, np.ndarray | StoredAsArrays))

    def storage(self, accounting: str) -> int:
        """Return the bytes the matrix takes: the ``image`` accounting, the sum of its arrays.

        Raises
        ------
        UserError
            If another accounting is asked for: the HiSM paper has no such format.
        """
        require_accounting(accounting, self.accountings)
        return self.nbytes
