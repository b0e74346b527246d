"""The baseline: products by cuSPARSE with everything done beforehand that can be.

Descriptors, buffer and preprocessing are made once, indices have 32 bits, and a product can be captured in a
graph. No number of this package compares with less.
"""

from __future__ import annotations

import ctypes
import time
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from experiments.baseline.cusparse_formats import (
    VALUE_TYPES,
    Order,
    StoredMatrix,
    to_bsr,
    to_coo,
    to_csr,
    to_sell,
)
from experiments.baseline.cusparse_library import (
    BASE_ZERO,
    INDEX_32,
    LEAST_BYTES,
    NOT_SUPPORTED,
    Cusparse,
    CusparseError,
    Operation,
)
from experiments.baseline.device_memory import DeviceMemory
from gpu.runtime.cuda_driver import Stream, synchronize
from vecsim.support.errors import UserError

ORDERS: dict[Order, int] = {"column": 1, "row": 2}
"""CUSPARSE_ORDER_COL and CUSPARSE_ORDER_ROW."""


@dataclass(frozen=True)
class Method:
    """A format of cuSPARSE with one of its algorithms.

    Attributes
    ----------
    algorithm
        The number of cusparseSpMVAlg_t.
    store
        Brings a SciPy matrix into the format.
    transposes
        Whether there is a transposed product.
    blocks
        Whether it pays only for matrices of dense blocks.
    """

    algorithm: int
    store: Callable[[Any], StoredMatrix]
    transposes: bool = True
    blocks: bool = False


def _sell(slice_size: int) -> Method:
    return Method(5, lambda matrix: to_sell(matrix, slice_size))


def _bsr(block: int, order: Order) -> Method:
    return Method(6, lambda matrix: to_bsr(matrix, block, order), transposes=False, blocks=True)


METHODS: dict[str, Method] = {
    "csr_alg1": Method(2, to_csr),
    "csr_alg2": Method(3, to_csr),
    "coo_alg1": Method(1, to_coo),
    "coo_alg2": Method(4, to_coo),
    "sell_16": _sell(16),
    "sell_32": _sell(32),
    "bsr_2_row": _bsr(2, "row"),
    "bsr_2_column": _bsr(2, "column"),
    "bsr_3_row": _bsr(3, "row"),
    "bsr_3_column": _bsr(3, "column"),
    "bsr_4_row": _bsr(4, "row"),
    "bsr_4_column": _bsr(4, "column"),
}
"""All methods by name."""


class SparseProduct(Operation):
    """y = alpha op(A) x + beta y, ready to be enqueued.

    Parameters
    ----------
    method
        A name of `METHODS`.
    stored
        The matrix in the format of the method, as its ``store`` gives it.
    shape
        Rows and columns of the matrix itself, without padding.
    transposed
        Whether op(A) is the transpose of A.
    alpha, beta
        The factors.
    library
        cuSPARSE; by default that of this process.

    Attributes
    ----------
    nbytes
        Bytes on the device: matrix and buffer, without x and y.
    preprocess_us
        How long the preprocessing took, microseconds; 0 if the format has none.

    Raises
    ------
    UserError
        The method has no transposed product.
    OutOfDeviceMemoryError
        The device has too little memory; all that was allocated is freed.
    CusparseError
        This version of cuSPARSE refuses; all that was allocated is freed.
    """

    def __init__(
        self,
        method: str,
        stored: StoredMatrix,
        shape: tuple[int, int],
        *,
        transposed: bool = False,
        alpha: float = 1.0,
        beta: float = 0.0,
        library: Cusparse | None = None,
    ) -> None:
        if transposed and not METHODS[method].transposes:
            raise UserError(f"cuSPARSE has no transposed product for {method}; use a transposed matrix")
        super().__init__({}, library)
        self._dtype = stored.values.dtype
        self._x_count, self._y_count = shape if transposed else shape[::-1]
        self._alpha, self._beta = _scalar(alpha, self._dtype), _scalar(beta, self._dtype)
        self._operation = int(transposed)
        self._algorithm = METHODS[method].algorithm
        self._opened(lambda open_: self._open(stored, transposed, open_))

    @property
    def addresses(self) -> tuple[int, int]:
        """Where x and y lie on the device."""
        return self._x.address, self._y.address

    def _open(self, stored: StoredMatrix, transposed: bool, open_: ExitStack) -> None:
        """Put matrix, vectors and buffer on the device and let cuSPARSE prepare."""
        arrays = [
            open_.enter_context(memory_of(each)) for each in (stored.offsets, stored.columns, stored.values)
        ]
        self._matrix = sparse_descriptor(self._library, stored, [array.address for array in arrays])
        open_.callback(self._library.call, "cusparseDestroySpMat", self._matrix)
        x_stored, y_stored = stored.shape if transposed else stored.shape[::-1]
        self._x, self._x_vector = self._vector(x_stored, open_)
        self._y, self._y_vector = self._vector(y_stored, open_)
        self._buffer, size = self._buffer_for(open_, partial(self._call, "cusparseSpMV_bufferSize"))
        self.nbytes = stored.nbytes + size
        self.preprocess_us = self._preprocess()

    def _vector(self, count: int, open_: ExitStack) -> tuple[DeviceMemory, ctypes.c_void_p]:
        memory = open_.enter_context(memory_of(np.zeros(count, self._dtype)))
        value_type = VALUE_TYPES[self._dtype.name]
        vector = self._library.create("cusparseCreateDnVec", count, memory.address, value_type)
        open_.callback(self._library.call, "cusparseDestroyDnVec", vector)
        return memory, vector

    def _preprocess(self) -> float:
        synchronize()
        start = time.perf_counter()
        try:
            self._call("cusparseSpMV_preprocess", self._buffer.address)
        except CusparseError as error:
            if error.status != NOT_SUPPORTED:
                raise
            return 0.0
        synchronize()
        return (time.perf_counter() - start) * 1e6

    def _call(self, name: str, last: Any) -> None:
        """Call one of the functions that describe the product; they differ in the last argument."""
        self._library.call(
            name,
            self._library.handle,
            self._operation,
            ctypes.addressof(self._alpha),
            self._matrix,
            self._x_vector,
            ctypes.addressof(self._beta),
            self._y_vector,
            VALUE_TYPES[self._dtype.name],
            self._algorithm,
            last,
        )

    def enqueue(self, stream: Stream) -> None:
        """Put the product on a stream; it may be under capture."""
        self._on(stream)
        self._call("cusparseSpMV", self._buffer.address)

    def write_x(self, x: npt.NDArray[Any]) -> None:
        """Copy x to the device."""
        self._x.write(_checked(x, self._x_count, self._dtype))

    def write_y(self, y: npt.NDArray[Any]) -> None:
        """Copy y to the device, for a beta other than 0."""
        self._y.write(_checked(y, self._y_count, self._dtype))

    def read_y(self) -> npt.NDArray[Any]:
        """Copy y from the device when all its work is done."""
        return self._y.read(self._y_count, self._dtype)


def _scalar(value: float, dtype: np.dtype[Any]) -> Any:
    """Return a real factor in the type of the values: of complex ones, its real and its imaginary part."""
    part = ctypes.c_float if dtype in (np.float32, np.complex64) else ctypes.c_double
    return (part * 2)(value, 0.0) if dtype.kind == "c" else part(value)


def memory_of(array: npt.NDArray[Any]) -> DeviceMemory:
    """Copy an array to the device; an empty one gets an address, too.

    Parameters
    ----------
    array
        Of the host.
    """
    return DeviceMemory.holding(array) if array.nbytes else DeviceMemory(LEAST_BYTES)


def sparse_descriptor(library: Cusparse, stored: StoredMatrix, addresses: list[int]) -> ctypes.c_void_p:
    """Describe a matrix to cuSPARSE.

    Parameters
    ----------
    library
        cuSPARSE.
    stored
        The matrix.
    addresses
        Of its offsets, columns and values on the device.
    """
    rows, columns = stored.shape
    value_type = VALUE_TYPES[stored.values.dtype.name]
    indices = (INDEX_32, INDEX_32, BASE_ZERO, value_type)
    if stored.format == "csr":
        return library.create("cusparseCreateCsr", rows, columns, stored.nnz, *addresses, *indices)
    if stored.format == "coo":
        return library.create("cusparseCreateCoo", rows, columns, stored.nnz, *addresses, *indices[1:])
    if stored.format == "sell":
        slices = (stored.nnz, stored.values.size, stored.slice_size)
        return library.create("cusparseCreateSlicedEll", rows, columns, *slices, *addresses, *indices)
    block = stored.block
    blocks = (rows // block, columns // block, stored.columns.size, block, block)
    return library.create("cusparseCreateBsr", *blocks, *addresses, *indices, ORDERS[stored.order])


def _checked(vector: npt.NDArray[Any], count: int, dtype: np.dtype[Any]) -> npt.NDArray[Any]:
    if vector.shape != (count,) or vector.dtype != dtype:
        raise UserError(f"a vector of {count} {dtype} is needed, not {vector.shape} of {vector.dtype}")
    return vector
