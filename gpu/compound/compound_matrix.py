"""A sparse matrix with compound entries on the host, in CSR order."""

import hashlib
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import scipy.sparse
from numpy.typing import NDArray

from gpu.compound.entry_type import EntryType
from gpu.compound.standard_types import COMPLEX, blocks
from vecsim.formats.canonical_csr import canonical_csr
from vecsim.support.errors import MatrixWarning, UserError
from vecsim.support.number_conversion import to_floats

MOST = 2**31 - 1
"""Rows, columns and entries at most: 32 bits count them."""


@dataclass(frozen=True, eq=False)
class CompoundMatrix:
    """Rows of entries, their columns rising, and an array for each component of the entries.

    Attributes
    ----------
    entry
        What an entry is.
    shape
        Rows M and columns N of entries.
    indptr
        int32 of M + 1: the entry that each row begins with.
    indices
        int32 of nnz: the column of each entry.
    components
        An array of nnz for each component, in the order of the type: float32 or float64, all of one type, or
        the type of integers.
    """

    entry: EntryType
    shape: tuple[int, int]
    indptr: NDArray[np.int32]
    indices: NDArray[np.int32]
    components: tuple[NDArray[Any], ...]

    @property
    def sha256(self) -> str:
        """Digest of its entry type, its shape and its arrays."""
        result = hashlib.sha256(f"{self.entry.name} {self.shape}".encode())
        for array in (self.indptr, self.indices, *self.components):
            result.update(f" {array.dtype.str} ".encode() + array.tobytes())
        return result.hexdigest()

    @classmethod
    def from_arrays(
        cls, entry: EntryType, shape: tuple[int, int], indptr: Any, indices: Any, components: Sequence[Any]
    ) -> Self:
        """Make a matrix of arrays in CSR order, columns rising in each row.

        Parameters
        ----------
        entry, shape, indptr, indices
            As of the class.
        components
            An array for each component of the entries. Real ones become float64 unless all are float32.

        Raises
        ------
        UserError
            If the arrays do not fit the type, the shape or one another.
        """
        if len(components) != len(entry.entry):
            raise UserError(
                f"{entry.name} entries need {len(entry.entry)} arrays "
                f"({', '.join(name for name, _ in entry.entry)}), not {len(components)}"
            )
        arrays = [np.asarray(each) for each in components]
        single = all(arrays[number].dtype == np.float32 for number in entry.reals)
        real = np.dtype(np.float32 if single and entry.reals else np.float64)
        for number, array in enumerate(arrays):
            _check_component(entry, number, array, len(indices))
            wanted = entry.integer_type if number in entry.integers else real
            arrays[number] = np.ascontiguousarray(_converted(entry, number, array, wanted))
        pointers, columns = _integers("indptr", indptr), _integers("indices", indices)
        _check_pattern(shape, pointers, columns)
        return cls(
            entry,
            (int(shape[0]), int(shape[1])),
            np.ascontiguousarray(pointers, dtype=np.int32),
            np.ascontiguousarray(columns, dtype=np.int32),
            tuple(arrays),
        )

    @classmethod
    def from_complex(cls, matrix: Any) -> Self:
        """Make a complex matrix of a SciPy sparse matrix; complex64 becomes float32 components.

        Raises
        ------
        UserError
            If its values are no numbers, or it is too large.
        """
        if not scipy.sparse.issparse(matrix) or matrix.dtype.kind not in "biufc":
            raise UserError("a SciPy sparse matrix of numbers is needed")
        if matrix.dtype.kind == "c":
            shared = matrix.format == "csr" and not matrix.has_canonical_format
            csr = scipy.sparse.csr_array(matrix, copy=shared)
            csr.sum_duplicates()
        else:
            csr = canonical_csr(matrix)
        data = csr.data
        return cls.from_arrays(COMPLEX, csr.shape, csr.indptr, csr.indices, (data.real, data.imag))

    @classmethod
    def from_blocks(cls, matrix: Any, edge: int) -> Self:
        """Make a matrix of blocks of a real SciPy sparse matrix; blocks without an entry are left out.

        Parameters
        ----------
        matrix
            Its rows and columns are multiples of the edge.
        edge
            Rows and columns of a block, 2 to 6.

        Raises
        ------
        UserError
            If rows or columns are no multiple of the edge, the values are not real, or it is too large.
        """
        kind = blocks(edge)
        if not scipy.sparse.issparse(matrix) or matrix.dtype.kind not in "biuf":
            raise UserError("a SciPy sparse matrix of real numbers is needed")
        if matrix.shape[0] % edge or matrix.shape[1] % edge:
            raise UserError(
                f"a matrix of {matrix.shape[0]} x {matrix.shape[1]} cannot be divided into blocks "
                f"of {edge} x {edge}: use a divisor"
            )
        bsr = canonical_csr(matrix).tobsr(blocksize=(edge, edge))
        bsr.sort_indices()
        values = bsr.data.reshape(-1, edge * edge)
        shape = (matrix.shape[0] // edge, matrix.shape[1] // edge)
        return cls.from_arrays(kind, shape, bsr.indptr, bsr.indices, [*values.T])

    @property
    def nnz(self) -> int:
        """Compound entries."""
        return len(self.indices)

    @property
    def dtype(self) -> np.dtype[Any]:
        """The type of real components, float32 or float64; float64 where all are integers."""
        reals = self.entry.reals
        return self.components[reals[0]].dtype if reals else np.dtype(np.float64)

    def astype(self, real: Any) -> "CompoundMatrix":
        """Return it with real components of float32 or float64."""
        rounded = (
            array if number in self.entry.integers else _converted(self.entry, number, array, real)
            for number, array in enumerate(self.components)
        )
        return CompoundMatrix(self.entry, self.shape, self.indptr, self.indices, tuple(rounded))


def _converted(entry: EntryType, number: int, array: NDArray[Any], wanted: Any) -> NDArray[Any]:
    """Return a component in another type, by the rule of `vecsim.support.number_conversion`."""
    if np.dtype(wanted).kind != "f":
        return array.astype(wanted)  # its range has been checked
    values, lost = to_floats(array, wanted, lambda at: f"at entry {at} of {entry.entry[number][0]!r}")
    for line in lost:
        warnings.warn(line, MatrixWarning, stacklevel=4)
    return values


def _check_component(entry: EntryType, number: int, array: NDArray[Any], count: int) -> None:
    name = f"component {entry.entry[number][0]!r} of {entry.name} entries"
    if array.shape != (count,):
        raise UserError(f"{name}: an array of {count} elements is needed, not of shape {array.shape}")
    if number in entry.integers and array.dtype.kind not in "iu":
        raise UserError(f"{name}: integers are needed, not {array.dtype}")
    if number in entry.integers and count:
        limits = np.iinfo(entry.integer_type)
        if array.min() < limits.min or array.max() > limits.max:
            raise UserError(f"{name}: a value is outside {limits.min} to {limits.max}; use a wider type")
    if array.dtype.kind not in "biuf":
        raise UserError(f"{name}: real numbers are needed, not {array.dtype}")


def _integers(name: str, values: Any) -> NDArray[np.int64]:
    """Return an index array as signed integers, so that differences do not wrap around."""
    array = np.asarray(values)
    if array.size and array.dtype.kind not in "iu":
        raise UserError(f"{name}: integers are needed, not {array.dtype}")
    return array.astype(np.int64)  # what is too large becomes negative, and is refused so


def _check_pattern(shape: tuple[int, int], indptr: NDArray[Any], indices: NDArray[Any]) -> None:
    if len(shape) != 2 or not all(isinstance(size, int | np.integer) and size >= 0 for size in shape):
        raise UserError(f"the shape {shape} must be two integers, 0 or more")
    rows, columns = shape
    if max(rows, columns, len(indices)) > MOST:
        raise UserError(
            f"{rows} x {columns} with {len(indices)} entries is too large: at most 2^31 - 1 "
            "of each are possible"
        )
    if len(indptr) != rows + 1 or indptr[0] != 0 or indptr[-1] != len(indices) or (np.diff(indptr) < 0).any():
        raise UserError(f"indptr must have {rows + 1} numbers that rise from 0 to {len(indices)}")
    if len(indices) and (indices.min() < 0 or indices.max() >= columns):
        raise UserError(f"columns must be from 0 to {columns - 1}")
    falls = np.flatnonzero(np.diff(indices) <= 0) + 1
    if len(np.setdiff1d(falls, indptr)):
        raise UserError("columns must rise within each row, each of them once")
