"""A CSR matrix on the device, as sums take and give it, and the check that it is canonical."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import scipy.sparse

from gpu.runtime.cuda import THREADS_PER_BLOCK, cuda, require_gpu
from gpu.runtime.launches import Launch, run
from gpu.runtime.memory import all_or_nothing, upload
from gpu.runtime.vectors import as_device_array, current_device, is_on_device
from vecsim.formats.canonical_csr import canonical_csr, checked_shape
from vecsim.support.errors import UserError


@cuda.jit
def canonical_kernel(pointers, columns, rows, width, entries, wrong):
    """Look at a row a thread.

    Parameters
    ----------
    pointers
        int32 of rows + 1.
    columns
        int32 of one an entry.
    rows, width, entries
        Rows, columns and entries of the matrix.
    wrong
        int32 of 1: becomes 1 if pointers do not rise, or the columns of a row do not ascend.
    """
    row = cuda.grid(1)
    if row < rows:
        at, end = np.int64(pointers[row]), np.int64(pointers[row + 1])
        if at < 0 or end < at or end > entries:
            wrong[0] = 1
        else:
            before = -1
            while at < end:
                column = columns[at]
                if column <= before or column >= width:
                    wrong[0] = 1
                before = column
                at += 1


REALS = (np.dtype(np.float32), np.dtype(np.float64))


@dataclass(frozen=True, eq=False)
class DeviceCsr:
    """A canonical CSR matrix on the device: columns ascend in each row, each once.

    Attributes
    ----------
    shape
        Rows and columns.
    nnz
        Stored entries.
    pointers
        int32 device array of rows + 1: where each row begins, then the number of entries.
    columns
        int32 device array, a column an entry; one element where there are no entries.
    values
        float32 or float64 device array, likewise.
    device
        The number of the GPU that it lies on.
    """

    shape: tuple[int, int]
    nnz: int
    pointers: Any
    columns: Any
    values: Any
    device: int

    @property
    def dtype(self) -> np.dtype[Any]:
        """Type of the values."""
        result: np.dtype[Any] = np.dtype(self.values.dtype)
        return result

    @property
    def nbytes(self) -> int:
        """Bytes of the three arrays on the device."""
        return int(self.pointers.nbytes + self.columns.nbytes + self.values.nbytes)

    @classmethod
    def from_scipy(cls, matrix: Any, dtype: Any = None) -> Self:
        """Upload a SciPy matrix; duplicates are summed, explicit zeros kept.

        Parameters
        ----------
        matrix
            Any SciPy sparse matrix or array.
        dtype
            float32 or float64; without it float32 stays, all others become float64.

        Raises
        ------
        UserError
            There is no GPU, the device has too little memory, or the matrix is not real or has more than
            2^31 - 1 rows, columns or entries.
        """
        require_gpu()
        if dtype is not None and np.dtype(dtype) not in REALS:
            raise UserError(f"dtype {np.dtype(dtype)} is not possible: use float32 or float64")
        csr = canonical_csr(matrix, None if dtype is None else np.dtype(dtype))
        arrays = csr.indptr.astype(np.int32, copy=False), csr.indices.astype(np.int32, copy=False), csr.data
        pointers, columns, values = all_or_nothing(lambda: [upload(array) for array in arrays])
        return cls(csr.shape, int(csr.nnz), pointers, columns, values, current_device())

    @classmethod
    def from_arrays(cls, pointers: Any, columns: Any, values: Any, shape: tuple[int, int]) -> Self:
        """Take three arrays of the device as they are, without a copy.

        Parameters
        ----------
        pointers, columns
            int32 device arrays of any library, of rows + 1 elements and of one an entry.
        values
            float32 or float64 device array of one an entry.
        shape
            Rows and columns.

        Raises
        ------
        UserError
            An array has another type or length, or the matrix is not canonical: columns must be within it
            and ascend in each row without duplicates. Nothing is sorted or summed here.
        """
        require_gpu()
        shape = checked_shape(shape)
        arrays = {"pointers": pointers, "columns": columns, "values": values}
        for name, each in arrays.items():
            if not is_on_device(each):
                raise UserError(f"{name} are on the host: use arrays on the device, or from_scipy")
        views = [as_device_array(each) for each in arrays.values()]
        nnz = _checked_arrays(views, shape)
        starts, places, entries = (view if view.size else upload(np.zeros(0, view.dtype)) for view in views)
        _require_canonical(starts, places, shape, nnz)
        return cls(shape, nnz, starts, places, entries, current_device())

    @classmethod
    def empty(cls, shape: tuple[int, int], nnz: int, dtype: Any) -> Self:
        """Allocate a matrix of this many entries, whose content is still to be written."""
        pointers, columns, values = all_or_nothing(
            lambda: [
                cuda.device_array(shape[0] + 1, np.int32),
                cuda.device_array(max(1, nnz), np.int32),
                cuda.device_array(max(1, nnz), dtype),
            ]
        )
        return cls(shape, nnz, pointers, columns, values, current_device())

    def to_scipy(self) -> Any:
        """Copy it to the host as a SciPy csr_array."""
        columns, values = self.columns.copy_to_host()[: self.nnz], self.values.copy_to_host()[: self.nnz]
        return scipy.sparse.csr_array((values, columns, self.pointers.copy_to_host()), shape=self.shape)

    # NumPy's and CuPy's arrays leave `x @ matrix` to this class, too.
    __array_ufunc__ = None

    def __matmul__(self, x: Any) -> Any:
        raise UserError("a DeviceCsr is not multiplied: use gpu.prepare(matrix, 'crs') @ x")

    __rmatmul__ = __matmul__

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self).from_scipy, (self.to_scipy(),)

    def __repr__(self) -> str:
        rows, columns = self.shape
        return f"<{rows} x {columns} CSR matrix of {self.nnz} {self.dtype} entries on the device>"


class TwoSteps:
    """Work on the device that counts before it places; its launches are there beforehand."""

    _counting: list[Launch]
    _placing: list[Launch]

    def count(self, stream: Any = 0) -> None:
        """Put the counting on a stream."""
        run(self._counting, stream)

    def place(self, stream: Any = 0) -> None:
        """Put what follows `count` on a stream, once for each time."""
        run(self._placing, stream)

    def launch(self, stream: Any = 0) -> None:
        """Put all of it on a stream."""
        self.count(stream)
        self.place(stream)


def operand(name: str, matrix: Any, dtype: Any = None) -> DeviceCsr:
    """Return an operand of a sum on the device.

    Parameters
    ----------
    name
        What errors call it.
    matrix
        A `DeviceCsr`; a SciPy matrix; or an object whose indptr, indices and data are device arrays, as
        CuPy's csr_matrix.
    dtype
        Of a SciPy matrix's values on the device.

    Raises
    ------
    UserError
        It is none of these, or not fit for a sum.
    """
    if isinstance(matrix, DeviceCsr):
        if matrix.device != current_device():
            raise UserError(
                f"{name} is on GPU {matrix.device}, the current one is {current_device()}: "
                f"use `with numba.cuda.gpus[{matrix.device}]:`"
            )
        return matrix
    if scipy.sparse.issparse(matrix):
        return DeviceCsr.from_scipy(matrix, dtype)
    pointers, columns, values = (getattr(matrix, part, None) for part in ("indptr", "indices", "data"))
    if getattr(matrix, "format", "csr") == "csr" and values is not None and is_on_device(values):
        return DeviceCsr.from_arrays(pointers, columns, values, matrix.shape)
    raise UserError(
        f"{name} is {type(matrix).__name__}: use a SciPy matrix, a gpu.DeviceCsr, or a CSR matrix whose "
        "indptr, indices and data are on the device"
    )


def _checked_arrays(views: list[Any], shape: tuple[int, int]) -> int:
    """Check types and lengths, and return the number of entries."""
    pointers, columns, values = views
    if pointers.dtype != np.int32 or columns.dtype != np.int32:
        raise UserError(f"pointers and columns must be int32, not {pointers.dtype} and {columns.dtype}")
    if np.dtype(values.dtype) not in REALS:
        raise UserError(f"values have type {values.dtype}: use float32 or float64")
    if pointers.shape != (shape[0] + 1,) or columns.shape != values.shape or len(columns.shape) != 1:
        raise UserError(
            f"pointers, columns and values have shapes {pointers.shape}, {columns.shape} and {values.shape}: "
            f"a matrix of {shape[0]} rows needs ({shape[0] + 1},) and one element an entry in the others"
        )
    if not all(view.is_c_contiguous() for view in views):
        raise UserError("pointers, columns and values must be contiguous")
    return int(columns.size)


def _require_canonical(pointers: Any, columns: Any, shape: tuple[int, int], nnz: int) -> None:
    """Raise unless pointers rise from 0 to nnz, and columns ascend within each row and the matrix."""
    ends = int(pointers[:1].copy_to_host()[0]), int(pointers[-1:].copy_to_host()[0])
    if ends != (0, nnz):
        raise UserError(f"pointers go from {ends[0]} to {ends[1]}: they must go from 0 to {nnz}")
    if not shape[0]:
        return
    wrong = upload(np.zeros(1, np.int32))
    blocks = -(-shape[0] // THREADS_PER_BLOCK)
    canonical_kernel[blocks, THREADS_PER_BLOCK](pointers, columns, shape[0], shape[1], nnz, wrong)
    row = int(wrong.copy_to_host()[0])
    if row:
        raise UserError(
            "the matrix is not canonical: columns must ascend in each row, and pointers must not fall; "
            "sort it and sum its duplicates first"
        )
