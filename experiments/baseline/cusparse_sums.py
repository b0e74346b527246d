"""The baseline of sums: csrgeam2 and Csr2cscEx2 of cuSPARSE, with buffers made once.

csrgeam2 has a symbolic call, which counts the entries of the sum and writes its row pointers, and a numeric
one. The number of entries and the factors lie on the device, so that no call waits for the host.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from ctypes import POINTER, c_int, c_size_t, c_void_p
from functools import partial
from typing import Any, Self

import numpy as np

from experiments.baseline.cusparse_formats import VALUE_TYPES
from experiments.baseline.cusparse_library import BASE_ZERO, LEAST_BYTES, Cusparse, Operation
from experiments.baseline.device_memory import DeviceMemory
from gpu.runtime.cuda_driver import Handle, Stream

POINTERS_ON_HOST, POINTERS_ON_DEVICE = 0, 1
NUMERIC = 1
"""CUSPARSE_ACTION_NUMERIC: values are moved too."""
CSR2CSC_DEFAULT = 1

_SIZES = [c_int] * 2
_MATRIX = [c_void_p, c_int, *[c_void_p] * 3]
"""Descriptor, entries, values, pointers, columns."""
_PATTERN = [c_void_p, c_int, *[c_void_p] * 2]
_SUM = [c_void_p, *_SIZES, c_void_p, *_MATRIX, c_void_p, *_MATRIX, *[c_void_p] * 4]
_CONVERSION = [c_void_p, *[c_int] * 3, *[c_void_p] * 6, *[c_int] * 4]
PROTOTYPES: dict[str, list[Any]] = {
    "cusparseSetPointerMode": [c_void_p, c_int],
    "cusparseCreateMatDescr": [POINTER(c_void_p)],
    "cusparseDestroyMatDescr": [c_void_p],
    "cusparseXcsrgeam2Nnz": [c_void_p, *_SIZES, *_PATTERN, *_PATTERN, *[c_void_p] * 4],
    "cusparseCsr2cscEx2_bufferSize": [*_CONVERSION, POINTER(c_size_t)],
    "cusparseCsr2cscEx2": [*_CONVERSION, c_void_p],
    **{
        f"cusparse{letter}csrgeam2{end}": [*_SUM, last]
        for letter in "SD"
        for end, last in (("", c_void_p), ("_bufferSizeExt", POINTER(c_size_t)))
    },
}
"""The arguments of each function, as cusparse.h declares them."""


class PlacedCsr(Handle):
    """A canonical CSR matrix of SciPy on the device, or room for one.

    Parameters
    ----------
    shape, nnz, dtype
        Of the matrix.
    csr
        Its content, if it has one already.
    """

    def __init__(self, shape: tuple[int, int], nnz: int, dtype: Any, csr: Any = None) -> None:
        self.shape, self.nnz, self.dtype = shape, nnz, np.dtype(dtype)
        with ExitStack() as open_:
            sizes = 4 * (shape[0] + 1), 4 * nnz, self.dtype.itemsize * nnz
            self.pointers, self.columns, self.values = (
                open_.enter_context(DeviceMemory(max(size, LEAST_BYTES))) for size in sizes
            )
            if csr is not None:
                self.pointers.write(csr.indptr.astype(np.int32, copy=False))
                self.columns.write(csr.indices.astype(np.int32, copy=False))
                self.values.write(csr.data)
            self._resources = open_.pop_all()

    @classmethod
    def holding(cls, csr: Any) -> Self:
        """Copy a SciPy CSR matrix to the device."""
        return cls(csr.shape, csr.nnz, csr.dtype, csr)

    def arrays(self) -> tuple[Any, Any, Any]:
        """Copy pointers, columns and values to the host."""
        return (
            self.pointers.read(self.shape[0] + 1, np.int32),
            self.columns.read(self.nnz, np.int32),
            self.values.read(self.nnz, self.dtype),
        )

    def close(self) -> None:
        """Free everything."""
        self._resources.close()


class SparseSum(Operation):
    """C = alpha A + beta B by csrgeam2, ready to be enqueued; C is allocated as large as it will be.

    Parameters
    ----------
    first, second
        A and B, of one shape and type.
    alpha, beta
        The factors.

    Attributes
    ----------
    result
        C, once both calls have run.

    Raises
    ------
    CusparseError
        This version of cuSPARSE refuses, or has no csrgeam2.
    OutOfDeviceMemoryError
        The device has too little memory; all that was allocated is freed.
    """

    def __init__(self, first: PlacedCsr, second: PlacedCsr, alpha: float = 1.0, beta: float = 1.0) -> None:
        super().__init__(PROTOTYPES)
        self._first, self._second = first, second
        self._letter = "S" if first.dtype == np.float32 else "D"
        self._opened(lambda open_: self._open(np.array([alpha, beta], first.dtype), open_))

    def _open(self, factors: Any, open_: ExitStack) -> None:
        self._descriptor = self._library.create("cusparseCreateMatDescr")
        open_.callback(self._library.call, "cusparseDestroyMatDescr", self._descriptor)
        self._factors = open_.enter_context(DeviceMemory.holding(factors))
        self._count = open_.enter_context(DeviceMemory.holding(np.zeros(4, np.int32)))
        self.result = PlacedCsr(self._first.shape, 0, self._first.dtype)
        self._buffer, _ = self._buffer_for(open_, partial(self._numeric, "_bufferSizeExt"))
        with Stream() as stream:
            self.symbolic(stream)
            stream.synchronize()
        nnz = int(self._count.read(1, np.int32)[0])
        self.result.close()
        self.result = open_.enter_context(PlacedCsr(self._first.shape, nnz, self._first.dtype))

    def symbolic(self, stream: Stream) -> None:
        """Put the count of the entries, and C's row pointers, on a stream."""
        self._on(stream)
        patterns = [
            argument
            for each in (self._first, self._second)
            for argument in (self._descriptor, each.nnz, each.pointers.address, each.columns.address)
        ]
        with _pointers_on_device(self._library):
            self._library.call(
                "cusparseXcsrgeam2Nnz",
                self._library.handle,
                *self._first.shape,
                *patterns,
                self._descriptor,
                self.result.pointers.address,
                self._count.address,
                self._buffer.address,
            )

    def numeric(self, stream: Stream) -> None:
        """Put the columns and values of C on a stream."""
        self._on(stream)
        self._numeric("", self._buffer.address)

    def enqueue(self, stream: Stream) -> None:
        """Put both calls on a stream."""
        self.symbolic(stream)
        self.numeric(stream)

    def _numeric(self, end: str, last: Any) -> None:
        item = self._first.dtype.itemsize
        operands = [
            argument
            for place, each in enumerate((self._first, self._second))
            for argument in (
                self._factors.address + place * item,
                self._descriptor,
                each.nnz,
                *_addresses(each),
            )
        ]
        with _pointers_on_device(self._library):
            self._library.call(
                f"cusparse{self._letter}csrgeam2{end}",
                self._library.handle,
                *self._first.shape,
                *operands,
                self._descriptor,
                *_addresses(self.result),
                last,
            )


class SparseTransposition(Operation):
    """The transpose of a CSR matrix by Csr2cscEx2, ready to be enqueued.

    Parameters
    ----------
    matrix
        The matrix.

    Attributes
    ----------
    result
        Its transpose, once the call has run.
    """

    def __init__(self, matrix: PlacedCsr) -> None:
        super().__init__(PROTOTYPES)
        self._matrix = matrix
        self._opened(self._open)

    def _open(self, open_: ExitStack) -> None:
        matrix = self._matrix
        self.result = open_.enter_context(PlacedCsr(matrix.shape[::-1], matrix.nnz, matrix.dtype))
        self._buffer, _ = self._buffer_for(open_, partial(self._call, "cusparseCsr2cscEx2_bufferSize"))

    def enqueue(self, stream: Stream) -> None:
        """Put the conversion on a stream."""
        self._on(stream)
        self._call("cusparseCsr2cscEx2", self._buffer.address)

    def _call(self, name: str, last: Any) -> None:
        transposed = self.result
        self._library.call(
            name,
            self._library.handle,
            *self._matrix.shape,
            self._matrix.nnz,
            *_addresses(self._matrix),
            transposed.values.address,
            transposed.pointers.address,
            transposed.columns.address,
            VALUE_TYPES[self._matrix.dtype.name],
            NUMERIC,
            BASE_ZERO,
            CSR2CSC_DEFAULT,
            last,
        )


def _addresses(matrix: PlacedCsr) -> list[int]:
    return [matrix.values.address, matrix.pointers.address, matrix.columns.address]


@contextmanager
def _pointers_on_device(library: Cusparse) -> Iterator[None]:
    """While this is open, factors and counts lie on the device; the handle is shared with the products."""
    library.call("cusparseSetPointerMode", library.handle, POINTERS_ON_DEVICE)
    try:
        yield
    finally:
        library.call("cusparseSetPointerMode", library.handle, POINTERS_ON_HOST)
