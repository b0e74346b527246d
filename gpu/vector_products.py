"""Products of a matrix on the device with vectors of the host or the device."""

import threading
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Protocol

import numpy as np

from gpu.runtime.borrowed_vectors import Borrowed, Elements, borrowed
from gpu.runtime.columns import Columns, copy_strided
from gpu.runtime.cuda import SIMULATED
from gpu.runtime.launches import LaunchedInTurn, handle_of
from gpu.runtime.memory import empty, upload
from gpu.runtime.stream_order import StreamOrder
from gpu.runtime.vectors import (
    as_device_array,
    as_kind_of,
    current_device,
    device_number,
    host_view,
    is_on_device,
    like,
    shape_of,
    span,
    stream_for,
    stream_of,
)
from vecsim.support.errors import UserError
from vecsim.support.number_conversion import require_real, to_floats

REAL_NUMBERS = (int, float, np.integer, np.floating)
"""Types of the factors of a real matrix."""
LARGEST = int(np.finfo(np.float64).max)
"""Of the whole numbers that are finite as a float."""


class Product(Protocol):
    """What each format offers: its arrays on the device and the launches of its product."""

    @property
    def device_arrays(self) -> Sequence[Any]:
        """All arrays on the device."""

    def launch(self, x: Any, y: Any, alpha: Any, beta: Any, stream: Any) -> None:
        """Put ``y = alpha A x + beta y`` on the stream.

        Parameters
        ----------
        x, y
            Contiguous device vectors of Numba, of N and M elements.
        alpha, beta
            Scalars of the real type; with beta 0, y is not read.
        stream
            0, or an object of Numba or cuda.core.
        """


class VectorProducts:
    """What multiplies vectors; `DeviceMatrix` adds what knows the entries.

    Parameters
    ----------
    product
        On the device.
    shape, dtype, format, nnz
        As of `DeviceMatrix`; `ndim` is 2.

    Attributes
    ----------
    lock
        Of what the matrix has once for all who use it.
    """

    # NumPy and CuPy leave their operators to this class instead of going through an array by elements.
    __array_ufunc__ = None
    ndim = 2

    def __init__(
        self, product: Product, *, shape: tuple[int, int], dtype: Any, format: str, nnz: int
    ) -> None:
        self._product = product
        self._scale: complex = 1.0
        # Shared by all views of the matrix. Captured products use the copies of vectors again.
        self.lock = threading.RLock()
        self._room: dict[tuple[str, int], Any] = {}
        self._order = StreamOrder()
        self.shape = shape
        self.dtype = np.dtype(dtype)
        self.format = format
        self.nnz = nnz
        self.device = current_device()
        self._takes_places = isinstance(product, LaunchedInTurn) and not SIMULATED
        self._vectors = shape[1:], shape[:1]

    def _room_for(self, name: str, count: int, size: int) -> Any:
        if (name, count) not in self._room:
            self._room[name, count] = empty(size, self.dtype)
        return self._room[name, count]

    @property
    def _is_complex(self) -> bool:
        return bool(self.dtype.kind == "c")

    def __matmul__(self, x: Any) -> Any:
        shape = getattr(x, "shape", None)
        if shape is None:
            x = array_of(x)
            shape = shape_of(x)
        return self.matmat(x) if len(shape) == 2 else self.matvec(x)

    dot = __matmul__

    def __array__(self, *arguments: Any, **how: Any) -> Any:
        raise UserError("a matrix on the device is no array: use M.to_scipy() for its entries")

    def matvec(
        self, x: Any, *, out: Any = None, alpha: complex = 1.0, beta: complex = 0.0, stream: Any = None
    ) -> Any:
        """Return ``alpha A x + beta out``.

        Parameters
        ----------
        x
            A vector of N elements of this dtype: of NumPy (or a list), or on the device, of any library whose
            arrays have ``__cuda_array_interface__`` (CuPy, torch, Numba) or ``__dlpack__``. It may begin at
            any element of a larger array. One with other strides is copied into memory that the matrix keeps.
            One column, (N, 1), is multiplied as in `matmat`.
        out
            The vector y of M elements, in the same place as x; it is overwritten and returned. Without it a
            new one of the kind of x is made: of NumPy, CuPy, torch or Numba; Numba's for an x by DLPack
            alone. It must not share memory with x.
        alpha, beta
            Factors, real for real matrices. With beta 0, `out` is never read; another beta needs it.
        stream
            Of Numba, CuPy, torch or cuda.core (a graph being built too), or its handle. Without it the stream
            that x names by ``__cuda_array_interface__`` (CuPy's current one), or torch's current one. With
            device vectors the host waits for nothing. What is still to be done to x and out
            on other streams is awaited, by this stream, for arrays by DLPack alone; for others it is the
            caller's to order. So is a new result of CuPy or torch, whose memory their current stream may
            still use: give `out` with another stream. With vectors of the host the result has arrived on
            return.

        Raises
        ------
        UserError
            If a vector has another shape, type or place, or `beta` is not 0 without `out`.
        """
        self._check_factors(alpha, beta, out)
        if self._takes_places and (of := borrowed(x, out, self._vectors, self.dtype, self.device)):
            launched: Any = self._product
            self._launch_borrowed(launched.launch_at, of, alpha, beta, stream)
            return of.result
        if getattr(x, "shape", None) == (self.shape[1], 1):
            return self.matmat(x, out=out, alpha=alpha, beta=beta, stream=stream)
        stream = stream_for(stream, x)
        self._require_device()
        multiply = self._on_device if _is_there(x, out) else self._on_host
        with self.lock:
            return multiply(x, out, alpha, beta, stream)

    def matmat(
        self, x: Any, *, out: Any = None, alpha: complex = 1.0, beta: complex = 0.0, stream: Any = None
    ) -> Any:
        """Return ``alpha A X + beta out`` for several vectors, the columns of X; ``M @ X`` without factors.

        The formats of CRS, the sliced formats and ``hisparse`` read an entry once for several columns. Other
        formats multiply one column after the other, and have each result's bits as a product with it alone.

        Parameters
        ----------
        x
            An array of (N, k) of this dtype, of the host or on the device as in `matvec`. Columns that are
            multiplied one after the other and lie row by row are copied, into memory that the matrix keeps.
        out
            An array of (M, k) in the same place, contiguous row by row or column by column; it is overwritten
            and returned. Without it a new one is made, row by row.
        alpha, beta, stream
            As of `matvec`.

        Raises
        ------
        UserError
            An array has another shape, type or place, or `beta` is not 0 without `out`.
        """
        self._check_factors(alpha, beta, out)
        several = getattr(self._product, "launch_several", None) if self._takes_places else None
        shape: Any = getattr(x, "shape", ())
        if several is not None and len(shape) == 2 and shape[1] > 1:
            shapes = (self.shape[1], shape[1]), (self.shape[0], shape[1])
            if of := borrowed(x, out, shapes, self.dtype, self.device):
                launch = partial(several, size=shapes[0], by_columns=False)
                of = of._replace(x=Elements(*of.x), y=Elements(*of.y))
                if self._launch_borrowed(launch, of, alpha, beta, stream):
                    return of.result
        self._require_device()
        stream, there = stream_for(stream, x), _is_there(x, out)
        given = as_device_array(x, stream) if there else of_type(host_array(x), self.dtype)
        count = int(given.shape[1]) if len(given.shape) == 2 else 0
        self._check_many("x", given, (self.shape[1], count))
        size, result = (self.shape[0], count), out
        if out is None:
            result = like(x, size) if there else np.empty(size, self.dtype)
        target: Any = as_device_array(result, stream, written=True) if there else host_view(result)
        self._check_many("out", target, size)
        if not (count and self.shape[0]):
            return result
        with self.lock:
            self._order.begin(stream)
            if there:
                if not (target.is_c_contiguous() or target.is_f_contiguous()):
                    raise UserError("out on the device must be contiguous, row by row or column by column")
                given = self._contiguous("x", given, stream)
                self._check_apart(x, given, result, target)
                self._multiply_many(given, target, alpha, beta, stream)
                return result
            y = (
                upload(np.ascontiguousarray(target))
                if beta != 0
                else empty(size[0] * count, self.dtype).reshape(size)
            )
            # A device has no empty arrays.
            given = np.ascontiguousarray(given) if given.size else np.zeros((1, count), self.dtype)
            self._multiply_many(upload(given), y, alpha, beta, stream)
            if stream:
                stream.synchronize()
        target[:] = y.copy_to_host()
        return as_kind_of(x, result) if out is None else out

    def _launch_borrowed(
        self, launch: Callable[..., Any], of: Borrowed, alpha: complex, beta: complex, stream: Any
    ) -> Any:
        """Put a product on a stream, without one on the current one of the vectors' library."""
        handle = of.stream if stream is None else handle_of(stream_of(stream))
        with self.lock:
            self._order.begin(handle)
            result = launch(of.x, of.y, alpha=alpha * self._scale, beta=beta, stream=handle)
            self._order.end(handle)
        return result

    def _multiply_many(self, x: Any, y: Any, alpha: complex, beta: complex, stream: Any) -> None:
        """Multiply two-dimensional device arrays of Numba, several vectors at once where the format can."""
        if x.shape[1] == 1:
            self._launch(_flat(x), _flat(y), alpha, beta, stream)
            return
        real, several = self.dtype.type, getattr(self._product, "launch_several", None)
        count = x.shape[1]
        by_rows = x.is_c_contiguous() and y.is_c_contiguous()
        if several is not None and (by_rows or (x.is_f_contiguous() and y.is_f_contiguous())):
            order, factors = "C" if by_rows else "F", (real(alpha * self._scale), real(beta))
            flat = x.ravel(order=order), y.ravel(order=order)
            if several(*flat, tuple(x.shape), not by_rows, *factors, stream):
                self._order.end(stream)
                return
        sources = Columns(x, partial(self._room_for, "x", count), stream, read=True)
        results = Columns(y, partial(self._room_for, "y", count), stream, read=beta != 0)
        for column in range(count):
            self._launch(sources[column], results[column], alpha, beta, stream)
        results.write_back(stream)
        self._order.end(stream)

    def _check_many(self, name: str, array: Any, shape: tuple[int, int]) -> None:
        if tuple(array.shape) != shape:
            raise UserError(
                f"{name} has shape {tuple(array.shape)}, a {self.shape[0]} x {self.shape[1]} matrix needs "
                f"({shape[0]}, k)"
            )
        if np.dtype(array.dtype) != self.dtype:
            raise UserError(f"{name} has type {array.dtype}, the matrix {self.dtype}: convert one of them")

    def _check_factors(self, alpha: Any, beta: Any, out: Any) -> None:
        for name, factor in (("alpha", alpha), ("beta", beta)):
            if not isinstance(factor, float):
                check_factor(name, factor, is_complex=self._is_complex)
        if out is None and beta != 0:
            raise UserError("beta other than 0 needs out, which it multiplies")

    def _require_device(self) -> None:
        if current_device() != self.device:
            raise UserError(
                f"the matrix is on GPU {self.device}, the current one is {current_device()}: "
                f"use `with numba.cuda.gpus[{self.device}]:`"
            )

    def _on_host(self, x: Any, out: Any, alpha: complex, beta: complex, stream: Any) -> Any:
        vector = host_array(x)
        if vector.dtype != self.dtype and not np.can_cast(vector.dtype, self.dtype, "same_kind"):
            raise UserError(
                f"x has type {vector.dtype}, which cannot be converted to {self.dtype}: use real numbers"
            )
        self._check("x", vector, self.shape[1], check_type=False)
        host = np.empty(self.shape[0], dtype=self.dtype) if out is None else host_view(out)
        self._check("out", host, self.shape[0])
        y = upload(np.ascontiguousarray(host)) if beta != 0 else empty(self.shape[0], self.dtype)
        self._order.begin(stream)
        self._launch(upload(of_type(vector, self.dtype)), y, alpha, beta, stream)
        if stream:
            stream.synchronize()
        host[:] = y.copy_to_host()[: self.shape[0]]
        return as_kind_of(x, host) if out is None else out

    def _on_device(self, x: Any, out: Any, alpha: complex, beta: complex, stream: Any) -> Any:
        device_x = as_device_array(x, stream)
        self._check("x", device_x, self.shape[1])
        self._order.begin(stream)
        device_x = self._contiguous("x", device_x, stream)
        result = like(x, self.shape[0]) if out is None else out
        device_y = as_device_array(result, stream, written=True)
        self._check("out", device_y, self.shape[0])
        if not device_y.is_c_contiguous():
            raise UserError("out on the device must be contiguous: use another array")
        self._check_apart(x, device_x, result, device_y)
        self._launch(device_x, device_y, alpha, beta, stream)
        return result

    @property
    def scale(self) -> complex:
        """The factor of this view of the matrix."""
        return self._scale

    def device_vector(self, name: str, array: Any, length: int, stream: Any) -> Any:
        """View a caller's vector on the device as Numba's contiguous one; copy it where it is not.

        Parameters
        ----------
        name
            What errors call it.
        array
            Of any library.
        length
            Its elements.
        stream
            As `stream_for` returns it.

        Raises
        ------
        UserError
            It has another shape, type or place.
        """
        view = as_device_array(array, stream)
        self._check(name, view, length)
        self._check_place(name, array, view)
        return self._contiguous(name, view, stream)

    def _contiguous(self, name: str, view: Any, stream: Any) -> Any:
        """Return an array that is contiguous: itself, or a copy in memory that the matrix keeps."""
        if view.is_c_contiguous() or view.is_f_contiguous():
            return view
        self._check_place(name, view, view)
        room = self._room_for(f"strided {name}", int(view.size), int(view.size))
        copy_strided(view, room, stream)
        return room.reshape(view.shape)

    def _check_place(self, name: str, array: Any, view: Any) -> None:
        number = device_number(array, view)
        if number != self.device:
            raise UserError(f"{name} is on GPU {number}, the matrix on GPU {self.device}: copy it there")

    def _check_apart(self, x: Any, x_view: Any, out: Any, out_view: Any) -> None:
        """Check that both are on this device and share no memory there."""
        self._check_place("x", x, x_view)
        self._check_place("out", out, out_view)
        (x_begins, x_ends), (y_begins, y_ends) = span(x_view), span(out_view)
        if x_begins < y_ends and y_begins < x_ends:
            raise UserError("x and out share memory: use another array for out")

    def _launch(self, x: Any, y: Any, alpha: complex, beta: complex, stream: Any) -> None:
        if self.shape[0]:
            real = self.dtype.type
            self._product.launch(x, y, real(alpha * self._scale), real(beta), stream)
        self._order.end(stream)

    def _check(self, name: str, vector: Any, length: int, *, check_type: bool = True) -> None:
        if tuple(vector.shape) != (length,):
            raise UserError(
                f"{name} has shape {tuple(vector.shape)}, "
                f"a {self.shape[0]} x {self.shape[1]} matrix needs ({length},)"
            )
        if check_type and np.dtype(vector.dtype) != self.dtype:
            raise UserError(f"{name} has type {vector.dtype}, the matrix {self.dtype}: convert one of them")


def _is_there(x: Any, out: Any) -> bool:
    """Return whether x is on the device; `UserError` if out is in another place."""
    x_there = is_on_device(x)
    if out is not None and x_there != is_on_device(out):
        places = ("device", "host") if x_there else ("host", "device")
        raise UserError(f"x is on the {places[0]} and out on the {places[1]}: put both in the same place")
    return x_there


def is_factor(factor: Any, *, is_complex: bool = False) -> bool:
    """Return whether an object is a number that a matrix can be multiplied with."""
    return isinstance(factor, REAL_NUMBERS) or (
        is_complex and isinstance(factor, complex | np.complexfloating)
    )


def check_factor(name: str, factor: Any, *, is_complex: bool = False) -> None:
    """Raise UserError, which calls it `name`, where `is_factor` says no or it is infinite as a float."""
    if not is_factor(factor, is_complex=is_complex):
        kind = "number" if is_complex else "real number"
        raise UserError(f"{name} is a {type(factor).__name__}: use a {kind}")
    if isinstance(factor, int) and abs(factor) > LARGEST:
        raise UserError(f"{name} is too large for 64 bits: use a number up to {LARGEST:.1e}")


def array_of(x: Any) -> Any:
    """Return an array as it is, and anything else of the host as one of NumPy."""
    is_array = hasattr(x, "shape") and not hasattr(x, "tocsr")
    return x if is_array or is_on_device(x) else host_array(x)


def host_array(x: Any, name: str = "x") -> Any:
    """Return what the host has as an array of NumPy; `UserError` if it is none, sparse or masked."""
    if hasattr(x, "tocsr"):
        raise UserError(f"{name} is a sparse matrix: use an array, which its toarray() makes")
    if np.ma.is_masked(x):
        raise UserError(f"{name} has masked elements: fill them first")
    try:
        return np.asarray(x)
    except (TypeError, ValueError) as error:
        raise UserError(f"{name} is no array of numbers: {' '.join(str(error).split())}") from None


def _flat(array: Any) -> Any:
    """View a contiguous device array as a vector."""
    return array.ravel(order="C" if array.is_c_contiguous() else "F")


def of_type(x: Any, dtype: Any, name: str = "x") -> Any:
    """Return what the host has of x in the type of a matrix; `UserError` if that would be infinite."""
    if np.dtype(dtype).kind == "c":
        if x.dtype.kind not in "biufc":
            raise UserError(f"{name} has values of type {x.dtype}: use numbers")
        return x.astype(dtype, copy=False)
    require_real(x.dtype, name)
    # Of the digits that are lost nothing is said: those who multiply in float32 know that x is rounded.
    values, _ = to_floats(x.reshape(-1), dtype, f"at element {{}} of {name}".format)
    return values.reshape(x.shape)
