"""The product of a complex matrix, as `gpu.prepare` wants it, by the kernels of compound entries."""

import functools
from typing import Any

import numpy as np
import scipy.sparse

from gpu.compound.compound_matrix import CompoundMatrix
from gpu.compound.device_compound import CompoundProduct, Layout, PlacedMatrix
from gpu.compound.schedule import Schedule
from gpu.runtime.cuda import SIMULATED, cuda
from gpu.runtime.kernel_sequence import begin_in_sequence
from gpu.runtime.launches import Launch, address_of_array, blocks_of
from gpu.runtime.memory import empty
from vecsim.formats import NotRepresentableError
from vecsim.formats.canonical_csr import require_consistent, require_countable
from vecsim.support.errors import UserError

COMPLEX_TYPES = (np.dtype(np.complex64), np.dtype(np.complex128))
MOST_PADDING = 1.25
"""Slices of 32 rows are taken up to this many places an entry."""
ALIGNED = 16
"""Bytes: kernels of compound entries load so much at once."""


@functools.cache
def combining_kernel(real: Any, with_beta: bool) -> Any:
    """Make the kernel ``y = alpha t + beta y`` for complex numbers, real and imaginary parts in turn.

    Parameters
    ----------
    real
        np.float32 or np.float64, of a part.
    with_beta
        Whether y is read.
    """

    @cuda.jit
    def kernel(t, y, rows, alpha_re, alpha_im, beta_re, beta_im):
        """Combine an element a thread.

        Parameters
        ----------
        t, y
            real of 2 M.
        rows
            M.
        alpha_re, alpha_im, beta_re, beta_im
            Scalars of the real type.
        """
        begin_in_sequence()
        at = 2 * np.int64(cuda.grid(1))
        if at < 2 * rows:
            re = alpha_re * t[at] - alpha_im * t[at + 1]
            im = alpha_re * t[at + 1] + alpha_im * t[at]
            if with_beta:
                before_re, before_im = y[at], y[at + 1]
                re += beta_re * before_re - beta_im * before_im
                im += beta_re * before_im + beta_im * before_re
            y[at], y[at + 1] = re, im

    return kernel


class ComplexProduct:
    """A complex matrix on the device, and the launches of its product.

    Parameters
    ----------
    matrix
        SciPy's sorted CSR, complex64 or complex128.
    threads_per_block
        A multiple of 32.

    Attributes
    ----------
    device_arrays
        All arrays on the device.
    values
        Of them, the parts of the entries at their places: real, then imaginary.
    stored
        int32, one a place: the number of the entry, or -1.
    """

    def __init__(self, matrix: Any, threads_per_block: int) -> None:
        compound = CompoundMatrix.from_complex(matrix)
        lengths = np.diff(matrix.indptr)
        mean = int(lengths.mean()) if len(lengths) else 0
        self._rows = matrix.shape[0]
        self._real: Any = compound.dtype.type
        outers = ("sliced-32-short", "sliced-32") if _padding(lengths) <= MOST_PADDING else ("csr",)
        threads_per_row = 1 if len(outers) > 1 else 1 << min(5, max(0, mean.bit_length() - 2))
        placed = _placed(compound, outers, threads_per_row)
        schedule = Schedule(threads_per_block=threads_per_block, threads_per_row=threads_per_row)
        self._product = CompoundProduct(placed, schedule)
        self.values, self.stored = placed.arrays[0], placed.pattern.sources
        # What is added to y, and an x that does not begin at whole 16 bytes.
        self._room = {"t": empty(2 * self._rows, self._real)}
        self._columns = matrix.shape[1]

    @property
    def device_arrays(self) -> list[Any]:
        """All arrays on the device, with the room for sums."""
        return [*self._product.device_arrays, *self._room.values()]

    def launch(self, x: Any, y: Any, alpha: Any, beta: Any, stream: Any) -> None:
        """Put ``y = alpha A x + beta y`` on the stream.

        Parameters
        ----------
        x, y
            Contiguous complex device vectors of Numba.
        alpha, beta
            Complex scalars; with beta 0, y is not read.
        stream
            0, or an object of Numba or cuda.core.
        """
        one, zero = self._real(1), self._real(0)
        x, y = x.view(self._real), y.view(self._real)
        if not _is_aligned(x):
            x = self._aligned(x, stream)
        whole = alpha == 1 and beta == 0 and _is_aligned(y)
        self._product.launch(x, y if whole else self._room["t"], one, zero, stream)
        if not whole:
            self._combine(self._room["t"], y, alpha, beta, stream)

    def _aligned(self, x: Any, stream: Any) -> Any:
        if "x" not in self._room:
            self._room["x"] = empty(2 * self._columns, self._real)
        if self._columns:
            self._combine(x, self._room["x"], 1, 0, stream, self._columns)
        return self._room["x"]

    def _combine(
        self, t: Any, y: Any, alpha: complex, beta: complex, stream: Any, rows: int | None = None
    ) -> None:
        count = self._rows if rows is None else rows
        numbers = (self._real(part) for each in (alpha, beta) for part in (each.real, each.imag))
        kernel, arguments = combining_kernel(self._real, bool(beta != 0)), [t, y, count, *numbers]
        Launch(kernel, *blocks_of(count), arguments, self._real)(t, y, 0, 0, stream)


def complex_csr(matrix: Any, dtype: Any) -> Any:
    """Return a matrix as sorted complex CSR without duplicates; its arrays are new where they change.

    Parameters
    ----------
    matrix
        A SciPy sparse matrix.
    dtype
        complex64 or complex128; None takes that of the matrix.

    Raises
    ------
    UserError
        If the type is another, or the matrix is too large to count in 32 bits or inconsistent.
    """
    require_countable(matrix)
    require_consistent(matrix)
    wanted = np.dtype(matrix.dtype if dtype is None else dtype).newbyteorder("=")
    if wanted not in COMPLEX_TYPES:
        raise UserError(f"dtype {wanted} is not possible for complex values: use complex64 or complex128")
    csr = scipy.sparse.csr_array(matrix, dtype=wanted)
    if not csr.has_canonical_format:
        csr = csr.copy()
        csr.sum_duplicates()
    return csr


def _padding(lengths: Any) -> float:
    """Return the places of slices of 32 rows over the entries."""
    padded = np.zeros(-(-len(lengths) // 32) * 32, np.int64)
    padded[: len(lengths)] = lengths
    return float(32 * padded.reshape(-1, 32).max(axis=1, initial=0).sum() / max(1, lengths.sum()))


def _placed(matrix: CompoundMatrix, outers: tuple[str, ...], threads_per_row: int) -> PlacedMatrix:
    for outer in outers[:-1]:
        try:
            return PlacedMatrix(matrix, Layout(outer), threads_per_row)
        except NotRepresentableError:
            continue
    return PlacedMatrix(matrix, Layout(outers[-1]), threads_per_row)


def _is_aligned(array: Any) -> bool:
    return SIMULATED or address_of_array(array) % ALIGNED == 0
