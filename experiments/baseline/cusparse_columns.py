"""The baseline of sums of products: real matrices of one pattern, each times its own few columns, by SpMM.

Quaternions are four real matrices (Hamilton's decomposition). Each multiplies a quaternion vector as a dense
matrix of four columns.
"""

from __future__ import annotations

import ctypes
from contextlib import ExitStack
from ctypes import POINTER, c_int, c_int64, c_size_t, c_void_p
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from experiments.baseline.cusparse import ORDERS, memory_of, sparse_descriptor
from experiments.baseline.cusparse_formats import VALUE_TYPES, Order, StoredMatrix
from experiments.baseline.cusparse_library import Cusparse, Operation
from experiments.baseline.device_memory import DeviceMemory
from gpu.runtime.cuda_driver import Stream
from vecsim.support.errors import UserError

ALGORITHMS: dict[Order, int] = {"column": 4, "row": 6}
"""CUSPARSE_SPMM_CSR_ALG1 and CUSPARSE_SPMM_CSR_ALG2: for each order the one that NVIDIA recommends."""
METHODS: dict[str, tuple[Order, int]] = {
    "csr_alg1 column": ("column", 4),
    "csr_alg1 row": ("row", 4),
    "csr_alg2 row": ("row", 6),
    "csr_alg3 row": ("row", 12),
}
"""What one product with several vectors is compared with: orders and algorithms."""

_PRODUCT = [c_void_p, *[c_int] * 2, *[c_void_p] * 5, *[c_int] * 2]
"""Handle, both operations, alpha, matrix, X, beta, Y, type of the computation, algorithm."""
PROTOTYPES: dict[str, list[Any]] = {
    "cusparseCreateDnMat": [POINTER(c_void_p), *[c_int64] * 3, c_void_p, *[c_int] * 2],
    "cusparseDestroyDnMat": [c_void_p],
    "cusparseSpMM_bufferSize": [*_PRODUCT, POINTER(c_size_t)],
    "cusparseSpMM_preprocess": [*_PRODUCT, c_void_p],
    "cusparseSpMM": [*_PRODUCT, c_void_p],
}
"""The arguments of each function, as cusparse.h declares them."""


class ColumnProducts(Operation):
    """Y = A_0 X_0 + A_1 X_1 + ..., ready to be enqueued.

    Parameters
    ----------
    stored
        The matrices: CSR of one pattern, values one matrix after the other, a multiple of nnz.
    columns
        Of each X and of Y.
    order
        How X and Y lie.
    algorithm
        The number of cusparseSpMMAlg_t; that of `ALGORITHMS` without it.
    library
        cuSPARSE; by default that of this process.

    Attributes
    ----------
    nbytes
        Bytes on the device: matrices, one pattern and buffers, without vectors.

    Raises
    ------
    OutOfDeviceMemoryError
        The device has too little memory; all that was allocated is freed.
    CusparseError
        This version of cuSPARSE refuses; all that was allocated is freed.
    """

    def __init__(
        self,
        stored: StoredMatrix,
        columns: int,
        order: Order = "row",
        *,
        algorithm: int | None = None,
        library: Cusparse | None = None,
    ) -> None:
        super().__init__(PROTOTYPES, library)
        self._algorithm = ALGORITHMS[order] if algorithm is None else algorithm
        self._columns, self._order = columns, order
        self._dtype = stored.values.dtype
        kind = ctypes.c_float if self._dtype == np.float32 else ctypes.c_double
        self._one, self._zero = kind(1), kind(0)
        self._opened(lambda open_: self._open(stored, open_))

    def _open(self, stored: StoredMatrix, open_: ExitStack) -> None:
        pattern = [open_.enter_context(memory_of(each)) for each in (stored.offsets, stored.columns)]
        rows, width = stored.shape
        self._y, y = self._dense(rows, open_)
        self._y_count = rows * self._columns
        self._x: list[DeviceMemory] = []
        self._terms: list[tuple[Any, Any, Any, Any, DeviceMemory]] = []
        self.nbytes = stored.offsets.nbytes + stored.columns.nbytes
        for values in stored.values.reshape(-1, max(1, stored.nnz)):
            own = open_.enter_context(memory_of(values))
            addresses = [*(array.address for array in pattern), own.address]
            one = replace(stored, values=values)
            matrix = sparse_descriptor(self._library, one, addresses)
            open_.callback(self._library.call, "cusparseDestroySpMat", matrix)
            memory, x = self._dense(width, open_)
            beta = self._one if self._x else self._zero
            asking = partial(self._call, "cusparseSpMM_bufferSize", matrix, x, beta, y)
            buffer, size = self._buffer_for(open_, asking)
            self._call("cusparseSpMM_preprocess", matrix, x, beta, y, buffer.address)
            self._x.append(memory)
            self._x_count = width * self._columns
            self._terms.append((matrix, x, beta, y, buffer))
            self.nbytes += values.nbytes + size

    def _dense(self, rows: int, open_: ExitStack) -> tuple[DeviceMemory, Any]:
        memory = open_.enter_context(memory_of(np.zeros(rows * self._columns, self._dtype)))
        leading = self._columns if self._order == "row" else rows
        sizes = (rows, self._columns, max(1, leading))
        how = (VALUE_TYPES[self._dtype.name], ORDERS[self._order])
        result = self._library.create("cusparseCreateDnMat", *sizes, memory.address, *how)
        open_.callback(self._library.call, "cusparseDestroyDnMat", result)
        return memory, result

    def _call(self, name: str, matrix: Any, x: Any, beta: Any, y: Any, last: Any) -> None:
        self._library.call(
            name,
            self._library.handle,
            *(0, 0),
            ctypes.addressof(self._one),
            matrix,
            x,
            ctypes.addressof(beta),
            y,
            VALUE_TYPES[self._dtype.name],
            self._algorithm,
            last,
        )

    def enqueue(self, stream: Stream) -> None:
        """Put all products on a stream; it may be under capture."""
        self._on(stream)
        for matrix, x, beta, y, buffer in self._terms:
            self._call("cusparseSpMM", matrix, x, beta, y, buffer.address)

    def write_x(self, x: NDArray[Any]) -> None:
        """Copy all X to the device, one after the other, each in the order of this product."""
        if x.shape != (len(self._x) * self._x_count,) or x.dtype != self._dtype:
            raise UserError(f"{len(self._x)} times {self._x_count} {self._dtype} are needed")
        for memory, each in zip(self._x, x.reshape(len(self._x), -1), strict=True):
            memory.write(np.ascontiguousarray(each))

    def read_y(self) -> NDArray[Any]:
        """Copy Y from the device when all its work is done, in the order of this product."""
        return self._y.read(self._y_count, self._dtype)
