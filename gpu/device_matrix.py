"""A matrix on the device, as callers see it."""

import copy
import importlib
import json
from collections.abc import Callable
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gpu.entry_places import EntryPlaces, EntrySource
from gpu.formats.sliced.slicing import Slicing
from gpu.runtime.borrowed_vectors import borrowed_vector
from gpu.runtime.cuda import SIMULATED
from gpu.runtime.memory import upload
from gpu.runtime.vectors import is_on_device, shape_of, stream_for, stream_of, swapped
from gpu.vector_products import (
    REAL_NUMBERS,
    Product,
    VectorProducts,
    array_of,
    check_factor,
    host_array,
    is_factor,
    of_type,
)
from vecsim.results.atomic_files import replaced_file
from vecsim.support.errors import UserError


@dataclass(eq=False)
class Kept:
    """What a matrix makes when it is first needed, shared by all views of it.

    Attributes
    ----------
    places
        What `update_values` needs.
    diagonal
        What `diagonal` needs.
    transposed
        The matrix of the transpose.
    solver
        What `gpu.solve` needs.
    """

    places: EntryPlaces | None = None
    diagonal: EntryPlaces | None = None
    transposed: "DeviceMatrix | None" = None
    solver: Any = None


class DeviceMatrix(VectorProducts):
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
    kept
        What was made when it was first needed.

    Notes
    -----
    A sum runs in the same order in every run, so results are equal to the last bit, unless `KERNELS` marks
    the format. Products of one matrix on several streams run one after the other, and after new values: the
    matrix has one room for what they need. Threads of the host may share a matrix. Graphs that were captured
    are the caller's to order.
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
        super().__init__(product, shape=shape, dtype=dtype, format=format, nnz=nnz)
        self._source, self._again, self._arrangement = source, again, arrangement
        self.kept = Kept()
        # The matrix that this one is the transpose of, in views that `T` returns.
        self._back: DeviceMatrix | None = None

    @property
    def nbytes(self) -> int:
        """Bytes on the device: of all arrays, with what is kept for later calls and a transposed copy."""
        arrays = [array for each in self._both() for array in each._arrays()]
        # What both have is there once.
        return sum(int(array.nbytes) for array in {id(array): array for array in arrays}.values())

    def _arrays(self) -> list[Any]:
        kept = self.kept
        places = [array for each in (kept.places, kept.diagonal) if each for array in each.device_arrays]
        own = [kept.diagonal.values] if kept.diagonal else []
        solver = kept.solver.device_arrays if kept.solver else []
        return [*self._product.device_arrays, *places, *own, *solver, *self._room.values()]

    def _both(self) -> "list[DeviceMatrix]":
        """Return this matrix and its transpose, where there is one."""
        other = self._back or self.kept.transposed
        return [self] if other is None else [self, other]

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

    def __mul__(self, factor: complex) -> "DeviceMatrix":
        """Return this matrix times a number. Both have the same arrays, also after `update_values`."""
        if not is_factor(factor, is_complex=self._is_complex):
            return NotImplemented
        check_factor("the factor", factor, is_complex=self._is_complex)
        scaled, is_real = copy.copy(self), isinstance(factor, REAL_NUMBERS)
        scaled._scale = self._scale * (float(factor.real) if is_real else complex(factor))
        return scaled

    __rmul__ = __mul__

    def __rmatmul__(self, x: Any) -> Any:
        """Return x times this matrix: the product of `T` with a vector, or with each row of an array."""
        x = array_of(x)
        shape, (rows, columns) = shape_of(x), self.shape
        if len(shape) not in (1, 2) or shape[-1] != rows:
            raise UserError(
                f"x has shape {shape}, x @ M with a {rows} x {columns} matrix needs ({rows},) or (k, {rows})"
            )
        if len(shape) == 1:
            return self._one_way().matvec(x)
        return swapped(self._one_way().matmat(swapped(x), stream=stream_for(None, x)))

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
        other = self._one_way()
        # Copies, so that the two do not keep each other alive: memory is freed when the last name goes.
        if self._back is None:
            other._back = copy.copy(self)
        return other

    def _one_way(self) -> "DeviceMatrix":
        """Return what `T` does, which may not know this matrix."""
        transposed = self._back or self.kept.transposed
        if transposed is None:
            _, again = self._required_source()
            transposed = again(self._entries().T, dtype=self.dtype)
            self.keep_transposed(transposed)
        other = copy.copy(transposed)
        other._scale = self._scale
        return other

    def keep_transposed(self, transposed: "DeviceMatrix") -> None:
        """Take a matrix as `T`: of the same entries, or a copy of them."""
        if self._source is not None and transposed._source is not None:
            transposed._source = self._source.transposed(transposed._source)
        self.kept.transposed = transposed

    def _required_source(self) -> tuple[EntrySource, Callable[..., "DeviceMatrix"]]:
        if self._source is None or self._again is None:
            raise UserError(f"the entries of this matrix in {self.format} are not known: use gpu.prepare")
        return self._source, self._again

    def _entries(self) -> Any:
        """Return SciPy's CSR with the present values, without the factor."""
        source, _ = self._required_source()
        # New values may still be in flight on another stream.
        self._order.begin(0)
        csr = source.csr(self.stored_values)
        self._order.end(0)
        return csr

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
            csr = self._back._entries().T.tocsr()
        else:
            csr = self._entries()
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
        _, again = own._required_source()
        options = getattr(again, "keywords", {})
        other = own.kept.transposed
        made = other is not None and not own.transposes_itself
        choices = {
            **options,
            "format": own._arrangement or own.format,
            "transpose": (other._arrangement or other.format) if other is not None and made else False,
        }
        views = {"scale": self._scale, "is_transposed": self._back is not None}
        return own._entries(), choices, views

    def diagonal(self) -> NDArray[Any]:
        """Return the elements on the main diagonal, in NumPy; 0 where none is stored.

        The first call converts the pattern again and keeps 4 bytes and an element a row on the device; later
        ones copy only the diagonal. It waits for the device.

        Raises
        ------
        UserError
            If this matrix was not made by `gpu.prepare`.
        """
        with self.lock:
            there = self.stored_diagonal()
            if there is None:
                result: NDArray[Any] = self.to_scipy().diagonal()
                return result
            own: NDArray[Any] = there.copy_to_host()[: min(self.shape)]
        own *= self.dtype.type(self._scale)
        return own

    def stored_diagonal(self) -> Any:
        """Put the elements on the main diagonal, without the factor, on the default stream.

        Returns
        -------
        device array
            Which the matrix keeps; None where the format has no way to it on the device.
        """
        kept, source = self.kept, self._source
        if source is None or source.convert is None:
            return None
        self._require_device()
        if kept.diagonal is None:
            kept.diagonal = source.diagonal()
        self._order.begin(0)
        kept.diagonal.write(self.stored_values, 0)
        self._order.end(0)
        return kept.diagonal.values

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
            if each.kept.places is None:
                source = each._source
                if source is None or not source.updatable:
                    raise UserError(
                        f"the values of a matrix in {each.format} cannot be replaced: prepare a SciPy matrix "
                        "in auto, or in a format that it may take"
                    )
                each.kept.places = source.places(each.stored_values)

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
        with self.lock:
            self.prepare_new_values()
            new, stream, there = self._new_values(data, stream)
            for each in self._both():
                if each.kept.places is not None:
                    each._order.begin(stream)
                    each.kept.places.write(new, stream)
                    each._order.end(stream)
            if not there and stream:
                stream.synchronize()

    def _new_values(self, data: Any, stream: Any) -> tuple[Any, Any, bool]:
        """Return values on the device, the stream that they are used on, and whether they were there."""
        plain = None
        if not (SIMULATED or self._is_complex):
            plain = borrowed_vector(data, self.nnz, self.dtype, self.device)
        if plain is not None:
            new, current = plain
            return new, current if stream is None else stream_of(stream), True
        self._require_device()
        stream = stream_for(stream, data)
        if is_on_device(data):
            return self.device_vector("data", data, self.nnz, stream), stream, True
        given = host_array(data, "data")
        self._check("data", given, self.nnz, check_type=False)
        return upload(of_type(given, self.dtype, "data")), stream, False

    def rmatvec(
        self, x: Any, *, out: Any = None, alpha: complex = 1.0, beta: complex = 0.0, stream: Any = None
    ) -> Any:
        """Return ``alpha A^H x + beta out``, with x of M and out of N elements.

        For a real matrix it is `matvec` of `T`. For a complex one the transpose is conjugated, as solvers of
        SciPy and CuPy expect it; it takes no `out` and no `stream`, and no x of Numba or by DLPack alone.

        Parameters
        ----------
        x, out
            Vectors of M and N elements.
        alpha, beta, stream
            As of `matvec`.
        """
        if not self._is_complex:
            return self._one_way().matvec(x, out=out, alpha=alpha, beta=beta, stream=stream)
        self._check_factors(alpha, beta, out)
        x = array_of(x)
        if out is not None or stream is not None or not hasattr(x, "conj"):
            raise UserError(
                "rmatvec of a complex matrix takes no out or stream, and x with conj(): use M.T.matvec"
            )
        return self._adjoint(x, partial(self.T.matvec, alpha=np.conj(alpha)))

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
            matvec=self.matvec,
            rmatvec=self.rmatvec,
            matmat=self.matmat,
            rmatmat=lambda x: self._adjoint(x, self.T.matmat),
            dtype=self.dtype,
        )

    def _adjoint(self, x: Any, multiply: Callable[[Any], Any]) -> Any:
        """Multiply by the conjugate transpose, as linear operators have it."""
        return multiply(x.conj()).conj() if self._is_complex else multiply(x)


CHOICES = {"format", "transpose", "deterministic", "threads_per_block", "scale", "is_transposed"}
"""What a written matrix says of how it was prepared."""


def unknown_choice(choices: dict[str, Any]) -> str:
    """Return what is wrong with the choices of a written matrix; empty if nothing is."""
    unknown = sorted(set(choices) - CHOICES)
    return f"unknown choice {unknown[0]!r}: another version wrote it" if unknown else ""


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

    Raises
    ------
    UserError
        If another version wrote it; as of `gpu.prepare`.
    """
    if unknown := unknown_choice(choices):
        raise UserError(f"the matrix cannot be restored: {unknown}")
    built = again(csr, **choices) * scale
    return built.T if is_transposed else built
