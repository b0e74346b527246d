"""A matrix on the device, as callers see it: products with vectors of the host or the device."""

from typing import Any, Protocol

import numpy as np

from isa.errors import UserError

from .memory import as_device_array, is_on_device, like, stream_of, upload


class Product(Protocol):
    """What each format offers: its arrays on the device and the launches of its product."""

    @property
    def device_arrays(self) -> list[Any]:
        """All arrays on the device."""

    def launch(self, x: Any, y: Any, alpha: Any, beta: Any, stream: Any) -> None:
        """Put ``y = alpha A x + beta y`` on the stream."""


class DeviceMatrix:
    """A sparse matrix on the device; `gpu.prepare` makes it.

    Attributes
    ----------
    shape
        Rows M and columns N.
    dtype
        float32 or float64: of the values, of x, of y and of every sum.
    format
        The name of its format.
    nnz
        Stored entries, without padding.
    nbytes
        Bytes that it takes on the device, room for the pieces of cut rows included.

    Notes
    -----
    A sum runs in the same order in every run, so results are equal to the last bit. Where rows are cut in
    pieces, the room for them belongs to the matrix: products of one matrix must not overlap on two streams.
    """

    def __init__(
        self, product: Product, *, shape: tuple[int, int], dtype: Any, format: str, nnz: int
    ) -> None:
        self._product = product
        self.shape = shape
        self.dtype = np.dtype(dtype)
        self.format = format
        self.nnz = nnz
        self.nbytes = sum(int(array.nbytes) for array in product.device_arrays)

    def __repr__(self) -> str:
        rows, columns = self.shape
        return (
            f"<{rows} x {columns} matrix of {self.nnz} {self.dtype} entries as {self.format} on the device>"
        )

    def __matmul__(self, x: Any) -> Any:
        return self.matvec(x)

    def matvec(
        self, x: Any, *, out: Any = None, alpha: float = 1.0, beta: float = 0.0, stream: Any = None
    ) -> Any:
        """Return ``alpha A x + beta out``.

        Parameters
        ----------
        x
            A vector of N elements of this dtype: of NumPy (or a list), or on the device, of any library whose
            arrays have ``__cuda_array_interface__`` (CuPy, torch, Numba). It is never copied on the device.
        out
            The vector y of M elements, of the same kind as x; it is overwritten and returned. Without it a
            new one of the kind of x is made. It must not share memory with x.
        alpha, beta
            Factors. With beta 0, `out` is never read; another beta needs it.
        stream
            Of Numba, CuPy, torch or cuda.core (a graph being built too), or its handle; the default stream
            without it. With device vectors nothing waits for the stream; with vectors of the host the
            result has arrived on return.

        Raises
        ------
        UserError
            If a vector has another shape, type or place, or `beta` is not 0 without `out`.
        """
        if out is None and beta != 0:
            raise UserError("beta other than 0 needs out, the vector that it multiplies")
        stream = stream_of(stream)
        if is_on_device(x):
            return self._on_device(x, out, alpha, beta, stream)
        if out is not None and is_on_device(out):
            raise UserError("out lies on the device and x on the host: give both in the same place")
        x = np.asarray(x)
        if x.dtype != self.dtype and not np.can_cast(x.dtype, self.dtype, "same_kind"):
            raise UserError(f"x has type {x.dtype}, which does not become {self.dtype}: give real numbers")
        self._check("x", x, self.shape[1], check_type=False)
        host = np.empty(self.shape[0], dtype=self.dtype) if out is None else out
        self._check("out", host, self.shape[0])
        y = upload(np.ascontiguousarray(host)) if beta != 0 else self._new_vector()
        self._launch(upload(x.astype(self.dtype, copy=False)), y, alpha, beta, stream)
        if stream:
            stream.synchronize()
        host[:] = y.copy_to_host()[: self.shape[0]]
        return host

    def aslinearoperator(self) -> Any:
        """Return it as scipy.sparse.linalg.LinearOperator, for vectors of the host."""
        from scipy.sparse.linalg import LinearOperator

        return LinearOperator(self.shape, matvec=lambda x: self.matvec(np.ravel(x)), dtype=self.dtype)

    def _new_vector(self) -> Any:
        from .cuda import cuda

        return cuda.device_array(max(1, self.shape[0]), dtype=self.dtype)

    def _on_device(self, x: Any, out: Any, alpha: float, beta: float, stream: Any) -> Any:
        if out is not None and not is_on_device(out):
            raise UserError("x lies on the device and out on the host: give both in the same place")
        result = like(x, self.shape[0]) if out is None else out
        device_x, device_y = as_device_array(x), as_device_array(result)
        self._check("x", device_x, self.shape[1])
        self._check("out", device_y, self.shape[0])
        if not device_x.is_c_contiguous() or not device_y.is_c_contiguous():
            raise UserError("x and out on the device must be contiguous: make a contiguous copy first")
        self._launch(device_x, device_y, alpha, beta, stream)
        return result

    def _launch(self, x: Any, y: Any, alpha: float, beta: float, stream: Any) -> None:
        if self.shape[0]:
            real = self.dtype.type
            self._product.launch(x, y, real(alpha), real(beta), stream)

    def _check(self, name: str, vector: Any, length: int, *, check_type: bool = True) -> None:
        if tuple(vector.shape) != (length,):
            raise UserError(
                f"{name} has shape {tuple(vector.shape)}, "
                f"a {self.shape[0]} x {self.shape[1]} matrix needs ({length},)"
            )
        if check_type and np.dtype(vector.dtype) != self.dtype:
            raise UserError(f"{name} has type {vector.dtype}, the matrix {self.dtype}: convert one of them")
