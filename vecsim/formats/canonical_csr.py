"""Sorted CSR without duplicates: what every format is made from."""

from typing import Any

import numpy as np
import scipy.sparse
from numpy.typing import NDArray

from vecsim.errors import UserError
from vecsim.formats.array_types import IntArray
from vecsim.formats.thread_count import as_many_threads_as_pay

MAX_COUNT = 2**31 - 1
"""Images and formats address entries and elements with signed 32-bit integers."""


def canonical_csr(matrix: Any, dtype: Any = None) -> Any:
    """Give a sparse matrix as sorted CSR without duplicates.

    A matrix that is so already is not copied: the result shares its arrays. So who keeps them, or writes into
    them, copies them first; what is made of them before the caller goes on need not.

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
        If `matrix` is not a real two-dimensional sparse matrix or too large to count in 32 bits.
    ValueError
        If its index arrays are inconsistent (from SciPy).
    """
    check_matrix(matrix)
    # Converted before anything is summed: 8-bit integers would overflow and booleans saturate.
    if dtype is None:
        dtype = np.float32 if matrix.dtype == np.float32 else np.float64
    if matrix.format == "csr":
        if _is_canonical(matrix):
            return _sharing(matrix, dtype)
        matrix.check_format(full_check=True)
        csr = scipy.sparse.csr_array(matrix.astype(dtype, copy=True))
    else:
        csr = scipy.sparse.csr_array(matrix.astype(dtype, copy=False).tocsr())
    csr.has_canonical_format = False
    csr.sum_duplicates()
    return _sharing(csr, dtype)


def _is_canonical(csr: Any) -> bool:
    """Return whether pointers rise, and columns lie within the matrix and rise within each row."""
    from vecsim.formats.canonical_order import is_canonical

    rows, columns = csr.shape
    indptr, indices = csr.indptr, csr.indices
    if len(indptr) != rows + 1 or indptr[0] != 0 or indptr[-1] > min(len(indices), len(csr.data)):
        return False
    with as_many_threads_as_pay(csr.nnz + rows):
        return bool(is_canonical(indptr, indices, columns))


def _sharing(csr: Any, dtype: Any) -> Any:
    """Give a canonical matrix with these values and 32-bit indices; arrays that have them are shared."""
    nnz = int(csr.indptr[-1])
    made = scipy.sparse.csr_array(
        (
            csr.data[:nnz].astype(dtype, copy=False),
            csr.indices[:nnz].astype(np.int32, copy=False),
            csr.indptr.astype(np.int32, copy=False),
        ),
        shape=csr.shape,
    )
    made.has_canonical_format = True
    return made


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
        raise UserError("the matrix has complex values: give its real part (matrix.real)")
    if max(*matrix.shape, matrix.nnz) > MAX_COUNT:
        raise UserError(
            f"a matrix of {matrix.shape[0]} x {matrix.shape[1]} with {matrix.nnz} entries cannot be counted "
            f"in 32 bits: rows, columns and entries must each be at most {MAX_COUNT}"
        )


def rows_of_csr(rowptr: NDArray[np.integer[Any]]) -> IntArray:
    """Return the row of each entry, int64, from row pointers."""
    return np.repeat(np.arange(len(rowptr) - 1, dtype=np.int64), np.diff(rowptr))
