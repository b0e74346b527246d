"""A matrix on the device, as callers see it: products with vectors of the host or the device."""

import copy
import importlib
import json
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from gpu.entry_places import EntryPlaces, EntrySource
from gpu.formats.sliced.slicing import Slicing
from gpu.runtime.columns import Columns, copy_strided
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
    span,
    stream_for,
)
from vecsim.results.atomic_files import replaced_file
from vecsim.support.errors import UserError
from vecsim.support.number_conversion import require_real, to_floats


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


@dataclass(eq=False)
class _Kept:
    """What a matrix makes when it is first needed, shared by all views of it.

    Attributes
    ----------
    places
        What `update_values` needs.
    diagonal
        What `diagonal` needs.
    transposed
        The matrix of the transpose.
    room
        For copies of vectors. Captured products use them again.
    order
        Of its work on streams.
    """

    places: EntryPlaces | None = None
    diagonal: EntryPlaces | None = None
    transposed: "DeviceMatrix | None" = None
    room: dict[tuple[str, int], Any] = field(default_factory=dict)
    order: StreamOrder = field(default_factory=StreamOrder)


class DeviceMatrix:
    """A sparse matrix on the device; `gpu.prepare` makes it.

    Attributes
    ----------
    shape
        Rows M and columns N.
    dtype
        float32, float64, complex64 or complex128: of the values, of x, of y and of every sum.
    format
        The name of its format; what ``auto`` chose.
    nnz
        Stored entries, without padding.
    device
        The number of the GPU that it lies on.

    Notes
    -----
    A sum runs in the same order in every run, so results are equal to the last bit, unless `KERNELS` marks
    the format. Products of one matrix on several streams run one after the other, and after new values: the
    matrix has one room for what they need. Graphs that were captured are the caller's to order.
    """

    def __init__(
        self,
        product: Product,
        *,
        shape: tuple[int, int],
        dtype: Any,
        format: str,
        nnz: int,
        source: EntrySource | None = None,
        again: Callable[..., "DeviceMatrix"] | None = None,
        arrangement: Slicing | None = None,
    ) -> None:
        self._product = product
        self._source, self._again, self._arrangement = source, again, arrangement
        self._scale: complex = 1.0
        self._kept = _Kept()
        # The matrix that this one is the transpose of, in views that `T` returns.
        self._back: DeviceMatrix | None = None
        self.shape = shape
        self.dtype = np.dtype(dtype)
        self.format = format
        self.nnz = nnz
        self.device = current_device()

    @property
    def nbytes(self) -> int:
        """Bytes on the device: of all arrays, room for the pieces of cut rows and a transposed copy too."""
        arrays = [array for each in self._both() for array in each._arrays()]
        # What both have is there once.
        return sum(int(array.nbytes) for array in {id(array): array for array in arrays}.values())

    def _arrays(self) -> list[Any]:
        kept = self._kept
        places = [array for each in (kept.places, kept.diagonal) if each for array in each.device_arrays]
        own = [kept.diagonal.values] if kept.diagonal else []
        return [*self._product.device_arrays, *places, *own, *kept.room.values()]

    def _both(self) -> "list[DeviceMatrix]":
        """Return this matrix and its transpose, where there is one."""
        other = self._back or self._kept.transposed
        return [self] if other is None else [self, other]

    def _room_for(self, name: str, count: int, size: int) -> Any:
        room = self._kept.room
        if (name, count) not in room:
            room[name, count] = empty(size, self.dtype)
        return room[name, count]

    @property
    def _is_complex(self) -> bool:
        return bool(self.dtype.kind == "c")

    @property
    def transposes_itself(self) -> bool:
        """Whether `T` shares the entries of this matrix instead of a copy."""
        both = [{id(array) for array in each._product.device_arrays} for each in self._both()]
        return len(both) == 2 and not both[0].isdisjoint(both[1])

    def __repr__(self) -> str:
        rows, columns = self.shape
        return (
            f"<{rows} x {columns} matrix of {self.nnz} {self.dtype} entries as {self.format} on the device>"
        )

    def __matmul__(self, x: Any) -> Any:
        return self.matmat(x) if len(getattr(x, "shape", np.shape(x))) == 2 else self.matvec(x)

    def __mul__(self, factor: complex) -> "DeviceMatrix":
        """Return this matrix times a number. Both have the same arrays, also after `update_values`."""
        is_real = isinstance(factor, int | float | np.integer | np.floating)
        if not (is_real or (self._is_complex and isinstance(factor, complex | np.complexfloating))):
            return NotImplemented
        scaled = copy.copy(self)
        scaled._scale = self._scale * (float(factor.real) if is_real else complex(factor))
        return scaled

    __rmul__ = __mul__

    def __neg__(self) -> "DeviceMatrix":
        return self * -1.0

    @property
    def T(self) -> "DeviceMatrix":
        """The transposed matrix; its T is this one.

        It multiplies with the same copy where the format is ``hisparse``, and otherwise with a second one,
        which ``gpu.prepare(A, transpose=True)`` or the first use makes, in the format that ``auto`` takes.

        Raises
        ------
        OutOfDeviceMemoryError
            If the device has too little memory for the copy.
        UserError
            If this matrix was not made by `gpu.prepare`.
        """
        if self._back is not None:
            other = copy.copy(self._back)
        else:
            transposed = self._kept.transposed
            if transposed is None:
                source, again = self._required_source()
                transposed = again(source.csr(self.stored_values).T, dtype=self.dtype)
                self.keep_transposed(transposed)
            # Copies, so that the two do not keep each other alive: memory is freed when the last name goes.
            other = copy.copy(transposed)
            other._back = copy.copy(self)
        other._scale = self._scale
        return other

    def keep_transposed(self, transposed: "DeviceMatrix") -> None:
        """Take a matrix as `T`: of the same entries, or a copy of them."""
        if self._source is not None and transposed._source is not None:
            transposed._source = self._source.transposed(transposed._source)
        self._kept.transposed = transposed

    def _required_source(self) -> tuple[EntrySource, Callable[..., "DeviceMatrix"]]:
        if self._source is None or self._again is None:
            raise UserError(f"the entries of this matrix in {self.format} are not known: use gpu.prepare")
        return self._source, self._again

    def to_scipy(self) -> Any:
        """Return the matrix with its present values, as SciPy's csr_array, sorted and without duplicates.

        The values come from the device. A format that does not store them in this order is converted again
        on the host.

        Raises
        ------
        UserError
            If this matrix was not made by `gpu.prepare`.
        """
        if self._source is None and self._back is not None:
            csr = self._back._required_source()[0].csr(self._back.stored_values).T.tocsr()
        else:
            csr = self._required_source()[0].csr(self.stored_values)
        return csr if self._scale == 1 else csr * self.dtype.type(self._scale)

    def save(self, path: str | Path) -> None:
        """Write the matrix with its present values and its format into a file (.npz), for `gpu.load`.

        Parameters
        ----------
        path
            Of the file, which is replaced.

        Raises
        ------
        UserError
            If it cannot be written, or this matrix was not made by `gpu.prepare`.
        """
        csr, choices, views = self._recorded()
        if isinstance(choices["format"], Slicing):
            choices["format"] = asdict(choices["format"])
        views["scale"] = [self._scale.real, self._scale.imag]
        with replaced_file(Path(path)) as file:
            np.savez(
                file,
                values=csr.data,
                indices=csr.indices,
                indptr=csr.indptr,
                shape=np.array(csr.shape),
                choices=np.array(json.dumps(choices | views)),
            )

    def __copy__(self) -> "DeviceMatrix":
        # A view; without this `copy.copy` would go by `__reduce__`.
        view = object.__new__(type(self))
        view.__dict__.update(self.__dict__)
        return view

    def __reduce__(self) -> tuple[Any, ...]:
        csr, choices, views = self._recorded()
        _, again = self._both_ways()._required_source()
        return restored, (again, csr, choices, *views.values())

    def _both_ways(self) -> "DeviceMatrix":
        """Return the matrix that this one is a view of."""
        return self if self._back is None else self._back

    def _recorded(self) -> tuple[Any, dict[str, Any], dict[str, Any]]:
        """Return entries without the factor, arguments of `gpu.prepare`, and what the view adds."""
        own = self._both_ways()
        source, again = own._required_source()
        options = getattr(again, "keywords", {})
        other = own._kept.transposed
        made = other is not None and not own.transposes_itself
        choices = {
            **options,
            "format": own._arrangement or own.format,
            "transpose": (other._arrangement or other.format) if other is not None and made else False,
        }
        views = {"scale": self._scale, "is_transposed": self._back is not None}
        return source.csr(own.stored_values), choices, views

    def diagonal(self) -> NDArray[Any]:
        """Return the elements on the main diagonal, in NumPy; 0 where none is stored.

        The first call converts the pattern again and keeps 4 bytes and an element a row on the device; later
        ones copy only the diagonal. It waits for the device.

        Raises
        ------
        UserError
            If this matrix was not made by `gpu.prepare`.
        """
        kept, source = self._kept, self._source
        if source is None or source.convert is None:
            result: NDArray[Any] = self.to_scipy().diagonal()
            return result
        self._require_device()
        if kept.diagonal is None:
            kept.diagonal = source.diagonal()
        kept.order.begin(0)
        kept.diagonal.write(self.stored_values, 0)
        kept.order.end(0)
        own: NDArray[Any] = kept.diagonal.values.copy_to_host()[: kept.diagonal.nnz]
        own *= self.dtype.type(self._scale)
        return own

    @property
    def stored_values(self) -> Any:
        """The device array of its values, padding included; None where the format has several."""
        return getattr(self._product, "values", None)

    def prepare_new_values(self) -> None:
        """Do what the first `update_values` does first, for this matrix and its transpose.

        Raises
        ------
        UserError
            If the values of its format cannot be replaced.
        """
        for each in self._both():
            if each._kept.places is None:
                source = each._source
                if source is None or (source.convert is None and not source.in_order):
                    raise UserError(
                        f"the values of a matrix in {each.format} cannot be replaced: prepare a SciPy matrix "
                        "in auto, or in a format that it may take"
                    )
                each._kept.places = source.places(each.stored_values)

    def update_values(self, data: Any, *, stream: Any = None) -> None:
        """Replace the values of all entries, the pattern staying as it is; of the transposed copy too.

        The first call converts the pattern again, unless the matrix was prepared with ``updatable=True``.
        Later ones copy the values to their places.

        Parameters
        ----------
        data
            A vector of nnz elements of this dtype, of the host or the device as in `matvec`: the values in
            the order of ``scipy.sparse.csr_array(A)`` with sorted columns and without duplicates, where A is
            what was given to `gpu.prepare`. `M.T` takes the same order.
        stream
            As of `matvec`. Products on the same stream after this call have the new values.

        Raises
        ------
        UserError
            The values of the format cannot be replaced, or `data` has another shape, type or place.
        """
        self.prepare_new_values()
        self._require_device()
        stream, there = stream_for(stream, data), is_on_device(data)
        if there:
            new = as_device_array(data, stream)
            self._check("data", new, self.nnz)
            self._check_place("data", data, new)
            new = self._contiguous("data", new, stream)
        else:
            given = np.asarray(data)
            self._check("data", given, self.nnz, check_type=False)
            new = upload(_of_type(given, self.dtype, "data"))
        for each in self._both():
            if each._kept.places is not None:
                each._kept.order.begin(stream)
                each._kept.places.write(new, stream)
                each._kept.order.end(stream)
        if not there and stream:
            stream.synchronize()

    def rmatvec(
        self, x: Any, *, out: Any = None, alpha: complex = 1.0, beta: complex = 0.0, stream: Any = None
    ) -> Any:
        """Return ``alpha A^T x + beta out``: `matvec` of `T`, with x of M and out of N elements.

        Nothing is conjugated; ``aslinearoperator().rmatvec`` conjugates complex matrices, as SciPy has it.

        Parameters
        ----------
        x, out
            Vectors of M and N elements.
        alpha, beta, stream
            As of `matvec`.
        """
        return self.T.matvec(x, out=out, alpha=alpha, beta=beta, stream=stream)

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
        out
            The vector y of M elements, in the same place as x; it is overwritten and returned. Without it a
            new one of the kind of x is made: of NumPy, CuPy, torch or Numba; Numba's for an x by DLPack
            alone. It must not share memory with x.
        alpha, beta
            Factors, real for real matrices. With beta 0, `out` is never read; another beta needs it.
        stream
            Of Numba, CuPy, torch or cuda.core (a graph being built too), or its handle. Without it the stream
            that x names by ``__cuda_array_interface__`` (CuPy's current one), otherwise the default one. With
            device vectors the host waits for nothing. What is still to be done to x and out
            on other streams is awaited, by this stream, for arrays by DLPack alone; for others it is the
            caller's to order. With vectors of the host the result has arrived on return.

        Raises
        ------
        UserError
            If a vector has another shape, type or place, or `beta` is not 0 without `out`.
        """
        if out is None and beta != 0:
            raise UserError("beta other than 0 needs out, the vector that it multiplies")
        stream = stream_for(stream, x)
        x_there, out_there = is_on_device(x), out is not None and is_on_device(out)
        if out is not None and x_there != out_there:
            places = ("device", "host") if x_there else ("host", "device")
            raise UserError(f"x is on the {places[0]} and out on the {places[1]}: put both in the same place")
        self._require_device()
        if x_there:
            return self._on_device(x, out, alpha, beta, stream)
        return self._on_host(x, out, alpha, beta, stream)

    def matmat(
        self, x: Any, *, out: Any = None, alpha: complex = 1.0, beta: complex = 0.0, stream: Any = None
    ) -> Any:
        """Return ``alpha A X + beta out`` for several vectors, the columns of X; ``M @ X`` without factors.

        ``crs``, the sliced formats and ``hisparse`` read an entry once for several columns. Other
        formats, and matrices with rows in pieces, multiply one column after the other, and have each
        result's bits as a product with it alone.

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
        if out is None and beta != 0:
            raise UserError("beta other than 0 needs out, the array that it multiplies")
        self._require_device()
        stream, there = stream_for(stream, x), is_on_device(x)
        given = as_device_array(x, stream) if there else _of_type(np.asarray(x), self.dtype)
        count = int(given.shape[1]) if len(given.shape) == 2 else 0
        self._check_many("x", given, (self.shape[1], count))
        size, result = (self.shape[0], count), out
        if out is None:
            result = like(x, size) if there else np.empty(size, self.dtype)
        target: Any = as_device_array(result, stream) if there else host_view(result)
        self._check_many("out", target, size)
        if not (count and self.shape[0]):
            return result
        self._kept.order.begin(stream)
        if there:
            if not (target.is_c_contiguous() or target.is_f_contiguous()):
                raise UserError("out on the device must be contiguous, row by row or column by column")
            given = self._contiguous("x", given, stream)
            self._check_apart(x, given, result, target)
            self._multiply_many(given, target, alpha, beta, stream)
            return result
        y = upload(np.ascontiguousarray(target)) if beta != 0 else _empty(size, self.dtype)
        self._multiply_many(upload(np.ascontiguousarray(given)), y, alpha, beta, stream)
        if stream:
            stream.synchronize()
        target[:] = y.copy_to_host()
        return as_kind_of(x, result) if out is None else out

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
                self._kept.order.end(stream)
                return
        sources = Columns(x, partial(self._room_for, "x", count), stream, read=True)
        results = Columns(y, partial(self._room_for, "y", count), stream, read=beta != 0)
        for column in range(count):
            self._launch(sources[column], results[column], alpha, beta, stream)
        results.write_back(stream)
        self._kept.order.end(stream)

    def _check_many(self, name: str, array: Any, shape: tuple[int, int]) -> None:
        if tuple(array.shape) != shape:
            raise UserError(
                f"{name} has shape {tuple(array.shape)}, a {self.shape[0]} x {self.shape[1]} matrix needs "
                f"({shape[0]}, k)"
            )
        if np.dtype(array.dtype) != self.dtype:
            raise UserError(f"{name} has type {array.dtype}, the matrix {self.dtype}: convert one of them")

    def aslinearoperator(self, library: str = "scipy") -> Any:
        """Return it as a LinearOperator, for the solvers of SciPy or CuPy.

        The first use of its ``rmatvec`` or ``rmatmat`` makes the transposed copy, as that of `T` does.

        Parameters
        ----------
        library
            ``"scipy"`` for vectors of the host, ``"cupy"`` for those of CuPy.

        Raises
        ------
        UserError
            If the library is none of these, or not installed.
        """
        modules = {"scipy": "scipy.sparse.linalg", "cupy": "cupyx.scipy.sparse.linalg"}
        if library not in modules:
            raise UserError(f"library {library!r} has no linear operator here: use 'scipy' or 'cupy'")
        try:
            linalg = importlib.import_module(modules[library])
        except ImportError:
            raise UserError("CuPy is not installed: use library='scipy', or install CuPy") from None
        return linalg.LinearOperator(
            self.shape,
            matvec=lambda x: self.matvec(x.ravel()),
            rmatvec=lambda x: self._adjoint(x.ravel(), self.T.matvec),
            matmat=self.matmat,
            rmatmat=lambda x: self._adjoint(x, self.T.matmat),
            dtype=self.dtype,
        )

    def _adjoint(self, x: Any, multiply: Callable[[Any], Any]) -> Any:
        """Multiply by the conjugate transpose, as linear operators have it."""
        return multiply(x.conj()).conj() if self._is_complex else multiply(x)

    def _require_device(self) -> None:
        if current_device() != self.device:
            raise UserError(
                f"the matrix is on GPU {self.device}, the current one is {current_device()}: "
                f"use `with numba.cuda.gpus[{self.device}]:`"
            )

    def _on_host(self, x: Any, out: Any, alpha: complex, beta: complex, stream: Any) -> Any:
        vector = np.asarray(x)
        if vector.dtype != self.dtype and not np.can_cast(vector.dtype, self.dtype, "same_kind"):
            raise UserError(
                f"x has type {vector.dtype}, which cannot be converted to {self.dtype}: use real numbers"
            )
        self._check("x", vector, self.shape[1], check_type=False)
        host = np.empty(self.shape[0], dtype=self.dtype) if out is None else host_view(out)
        self._check("out", host, self.shape[0])
        y = upload(np.ascontiguousarray(host)) if beta != 0 else self._new_vector()
        self._kept.order.begin(stream)
        self._launch(upload(_of_type(vector, self.dtype)), y, alpha, beta, stream)
        if stream:
            stream.synchronize()
        host[:] = y.copy_to_host()[: self.shape[0]]
        return as_kind_of(x, host) if out is None else out

    def _new_vector(self) -> Any:
        from gpu.runtime.cuda import cuda

        return cuda.device_array(max(1, self.shape[0]), dtype=self.dtype)

    def _on_device(self, x: Any, out: Any, alpha: complex, beta: complex, stream: Any) -> Any:
        device_x = as_device_array(x, stream)
        self._check("x", device_x, self.shape[1])
        self._kept.order.begin(stream)
        device_x = self._contiguous("x", device_x, stream)
        result = like(x, self.shape[0]) if out is None else out
        device_y = as_device_array(result, stream)
        self._check("out", device_y, self.shape[0])
        if not device_y.is_c_contiguous():
            raise UserError("out on the device must be contiguous: use another array")
        self._check_apart(x, device_x, result, device_y)
        self._launch(device_x, device_y, alpha, beta, stream)
        return result

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
        self._kept.order.end(stream)

    def _check(self, name: str, vector: Any, length: int, *, check_type: bool = True) -> None:
        if tuple(vector.shape) != (length,):
            raise UserError(
                f"{name} has shape {tuple(vector.shape)}, "
                f"a {self.shape[0]} x {self.shape[1]} matrix needs ({length},)"
            )
        if check_type and np.dtype(vector.dtype) != self.dtype:
            raise UserError(f"{name} has type {vector.dtype}, the matrix {self.dtype}: convert one of them")


def restored(
    again: Callable[..., DeviceMatrix], csr: Any, choices: dict[str, Any], scale: complex, is_transposed: bool
) -> DeviceMatrix:
    """Prepare a matrix as it was when it was written.

    Parameters
    ----------
    again
        `gpu.prepare`.
    csr
        Its entries.
    choices
        The other arguments.
    scale
        Its factor.
    is_transposed
        Whether it was the `T` of this matrix.
    """
    built = again(csr, **choices) * scale
    return built.T if is_transposed else built


def _flat(array: Any) -> Any:
    """View a contiguous device array as a vector."""
    return array.ravel(order="C" if array.is_c_contiguous() else "F")


def _empty(shape: tuple[int, int], dtype: Any) -> Any:
    from gpu.runtime.cuda import cuda

    return cuda.device_array(shape, dtype)


def _of_type(x: Any, dtype: Any, name: str = "x") -> Any:
    """Return what the host has of x in the type of a matrix; `UserError` if that would be infinite."""
    if np.dtype(dtype).kind == "c":
        if x.dtype.kind not in "biufc":
            raise UserError(f"{name} has values of type {x.dtype}: use numbers")
        return x.astype(dtype, copy=False)
    require_real(x.dtype, name)
    # Of the digits that are lost nothing is said: those who multiply in float32 know that x is rounded.
    values, _ = to_floats(x.reshape(-1), dtype, f"at element {{}} of {name}".format)
    return values.reshape(x.shape)
