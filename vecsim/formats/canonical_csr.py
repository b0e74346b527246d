"""Sorted CSR without duplicates: what every format is made from."""

import operator
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse
from numba import njit, prange
from numpy.typing import NDArray

from vecsim.formats.array_types import IntArray
from vecsim.formats.thread_count import as_many_threads_as_pay
from vecsim.support.errors import MatrixWarning, UserError
from vecsim.support.number_conversion import require_real, to_floats

PARTS = 64
"""Of the rows, each looked at by one thread."""


@njit(parallel=True, cache=True)
def is_canonical(indptr: Any, indices: Any, columns: int) -> Any:
    """Return whether pointers never fall, and columns lie in 0 .. columns - 1 and rise within each row.

    The last pointer must not lie beyond the end of `indices`, the first must be 0.
    """
    rows = len(indptr) - 1
    last = np.int64(indptr[rows])
    wrong = np.zeros(PARTS, np.int64)
    for part in prange(PARTS):
        for row in range(part * rows // PARTS, (part + 1) * rows // PARTS):
            begin, end = np.int64(indptr[row]), np.int64(indptr[row + 1])
            if begin < 0 or begin > end or end > last:
                wrong[part] = 1
                break
            before: Any = np.int64(-1)
            faults = 0
            for place in range(begin, end):
                column = np.int64(indices[place])
                faults += column <= before
                before = column
            if faults > 0 or before >= columns:
                wrong[part] = 1
                break
    return wrong.max() == 0


MAX_COUNT = 2**31 - 1
"""Images and formats address entries and elements with signed 32-bit integers."""


def canonical_csr(matrix: Any, dtype: Any = None) -> Any:
    """Return a sparse matrix as sorted CSR without duplicates.

    A matrix that is so already is not copied: the result shares its arrays. So who keeps them, or writes into
    them, copies them first; what is made of them before the caller goes on need not. A `MatrixWarning` says
    what the values lose in the type of the result.

    Parameters
    ----------
    matrix
        Any SciPy sparse matrix or array of two dimensions; it is left as it was.
    dtype
        float32 or float64, of the values. Without it float32 stays float32, all others become float64.

    Returns
    -------
    scipy.sparse.csr_array
        With 32-bit indices. Duplicates are summed (in the type of the result), explicit zeros kept, as far as
        the given format stores them.

    Raises
    ------
    UserError
        If `matrix` is not a real two-dimensional sparse matrix or too large to count in 32 bits; if a finite
        value, or a sum of duplicates, would become infinite; if its index arrays are inconsistent.
    """
    csr, lost = canonical_with_losses(matrix, dtype)
    for line in lost:
        warnings.warn(line, MatrixWarning, stacklevel=3)
    return csr


def canonical_with_losses(matrix: Any, dtype: Any = None) -> tuple[Any, list[str]]:
    """Return what `canonical_csr` does, and its warnings (`vecsim.support.number_conversion`)."""
    check_matrix(matrix)
    if dtype is None:
        dtype = np.float32 if matrix.dtype == np.float32 else np.float64
    canonical = matrix.format == "csr" and _is_canonical(matrix)
    if not canonical:
        require_consistent(matrix)
    # Converted before anything is summed: 8-bit integers would overflow and booleans saturate.
    typed, lost = _typed(matrix, dtype)
    if canonical:
        return _sharing(typed), lost
    csr = scipy.sparse.csr_array(typed, copy=True) if typed.format == "csr" else typed.tocsr()
    csr = scipy.sparse.csr_array(csr)
    csr.has_canonical_format = False
    csr.sum_duplicates()
    if csr.nnz < typed.nnz:
        _require_finite_sums(csr, typed)
    return _sharing(csr), lost


def _typed(matrix: Any, dtype: Any) -> tuple[Any, list[str]]:
    """Return a matrix with values of a type and the same index arrays, and what they lose."""
    if matrix.dtype == dtype:
        return matrix, []
    if matrix.format not in ("csr", "csc", "coo"):
        matrix = matrix.tocoo(copy=False)
    if matrix.format == "coo":
        values, lost = to_floats(matrix.data, dtype, lambda at: place_of(matrix.row[at], matrix.col[at]))
        return scipy.sparse.coo_array((values, (matrix.row, matrix.col)), shape=matrix.shape), lost
    values, lost = to_floats(matrix.data, dtype, place_in_csr(matrix))
    return type(matrix)((values, matrix.indices, matrix.indptr), shape=matrix.shape), lost


def place_in_csr(matrix: Any) -> Callable[[int], str]:
    """Return what says where an entry of a matrix in CSR or CSC is, counted from 1."""

    def place(at: int) -> str:
        line, other = int(np.searchsorted(matrix.indptr, at, side="right")) - 1, int(matrix.indices[at])
        return place_of(line, other) if matrix.format == "csr" else place_of(other, line)

    return place


def place_of(row: int, column: int) -> str:
    """Return where an entry is, counted from 1; its place counts from 0."""
    return f"in row {row + 1}, column {column + 1}"


def _require_finite_sums(csr: Any, typed: Any) -> None:
    infinite = np.isinf(csr.data)
    if infinite.any() and not np.isinf(typed.data).any():
        place = place_in_csr(csr)(int(np.argmax(infinite)))
        bits = 8 * csr.dtype.itemsize
        raise UserError(
            f"the sum of the duplicate entries {place} is too large for {bits} bits; use smaller values"
        )


def _is_canonical(csr: Any) -> bool:
    """Return whether pointers rise, and columns lie within the matrix and rise within each row."""
    from vecsim.formats.canonical_csr import is_canonical

    rows, columns = csr.shape
    indptr, indices = csr.indptr, csr.indices
    if len(indptr) != rows + 1 or indptr[0] != 0 or csr.data.ndim != 1:
        return False
    if indptr[-1] > min(len(indices), len(csr.data)):
        return False
    with as_many_threads_as_pay(csr.nnz + rows):
        return bool(is_canonical(indptr, indices, columns))


def _sharing(csr: Any) -> Any:
    """Return a canonical matrix with 32-bit indices; arrays that are so already are shared."""
    nnz = int(csr.indptr[-1])
    result = scipy.sparse.csr_array(
        (
            csr.data[:nnz],
            csr.indices[:nnz].astype(np.int32, copy=False),
            csr.indptr.astype(np.int32, copy=False),
        ),
        shape=csr.shape,
    )
    result.has_canonical_format = True
    return result


def check_matrix(matrix: Any) -> None:
    """Check that a matrix can be converted, without reading or making anything of its size.

    Raises
    ------
    UserError
        If it is not a real two-dimensional sparse matrix or too large to count in 32 bits.
    """
    if not scipy.sparse.issparse(matrix) or len(matrix.shape) != 2:
        raise UserError(f"a two-dimensional SciPy sparse matrix is needed, not {type(matrix).__name__}")
    if matrix.dtype.kind == "c":
        raise UserError("the matrix has complex values: use its real part (matrix.real)")
    require_real(matrix.dtype, "the matrix")
    require_countable(matrix)


def require_countable(matrix: Any) -> None:
    """Raise UserError where rows, columns or entries are too many for 32 bits."""
    if max(*matrix.shape, matrix.nnz) > MAX_COUNT:
        raise UserError(
            f"a matrix of {matrix.shape[0]} x {matrix.shape[1]} with {matrix.nnz} entries cannot be counted "
            f"in 32 bits: rows, columns and entries must each be at most {MAX_COUNT}"
        )


def checked_shape(shape: Any) -> tuple[int, int]:
    """Return rows and columns; `UserError` if it is none, or they cannot be counted in 32 bits."""
    try:
        rows, columns = (operator.index(each) for each in shape)
    except (TypeError, ValueError):
        raise UserError(f"shape {shape!r} is not possible: use two whole numbers") from None
    if not 0 <= min(rows, columns) <= max(rows, columns) <= MAX_COUNT:
        raise UserError(f"shape {shape!r} is not possible: use numbers from 0 to {MAX_COUNT}")
    return rows, columns


def require_consistent(matrix: Any) -> None:
    """Raise UserError where an index lies outside of the matrix, or pointers fall: SciPy converts it unseen.

    Parameters
    ----------
    matrix
        Of SciPy, in any of its formats.
    """
    try:
        if matrix.format in ("csr", "csc", "bsr"):
            matrix.check_format(full_check=True)
    except ValueError as error:
        raise UserError(f"the arrays of the matrix do not fit together: {error}") from None
    if matrix.format == "coo" and matrix.nnz:
        for name, indices, length in zip(("row", "column"), matrix.coords, matrix.shape, strict=True):
            for index in (int(indices.min()), int(indices.max())):
                if not 0 <= index < length:
                    raise UserError(f"an entry is in {name} {index}, which must be in 0 .. {length - 1}")


def rows_of_csr(rowptr: NDArray[np.integer[Any]]) -> IntArray:
    """Return the row of each entry, int64, from row pointers."""
    return np.repeat(np.arange(len(rowptr) - 1, dtype=np.int64), np.diff(rowptr))
