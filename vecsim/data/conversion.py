"""From what a caller has, a name, a SciPy matrix or an array, to a `Matrix`."""

import os
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
import scipy.sparse

from vecsim.data.loading import load
from vecsim.data.matrix import Matrix
from vecsim.formats.canonical_csr import canonical_with_losses, place_of
from vecsim.support.errors import UserError
from vecsim.support.number_conversion import require_real, to_floats

MatrixLike: TypeAlias = "Matrix | str | os.PathLike[str] | npt.NDArray[Any] | Any"
"""A `Matrix`; a name, a path or an address, as `load` takes it; a SciPy sparse matrix; an array (m, n)."""

OBJECT = "Python"
"""The source of a matrix that came from no file."""

UNNAMED = "matrix"
"""What reports call a matrix that came without a name."""


def is_given_by_values(matrix: MatrixLike) -> bool:
    """Return whether a caller gave the values themselves, in a type of his choice."""
    return not isinstance(matrix, Matrix | str | os.PathLike)


def as_matrix(matrix: MatrixLike) -> Matrix:
    """Return what a caller has as a `Matrix`.

    Parameters
    ----------
    matrix
        See `MatrixLike`. Of an array, the elements that are not zero are the entries; of a SciPy matrix all
        that it stores, duplicates summed. Any real type; float32 stays float32, all others become float64.

    Returns
    -------
    Matrix
        A `Matrix` is given back as it is.

    Raises
    ------
    UserError
        Values that are complex, NaN, infinite or no numbers; more than 2**31 - 1 entries; something else than
        a matrix; or as `load` does.
    """
    if isinstance(matrix, Matrix):
        return matrix
    if isinstance(matrix, str | os.PathLike):
        return load(matrix)
    lost: list[str] = []
    if isinstance(matrix, np.ndarray) and matrix.ndim == 2:
        require_real(matrix.dtype, "the matrix")
        dtype = np.float32 if matrix.dtype == np.float32 else np.float64
        columns = max(matrix.shape[1], 1)
        values, lost = to_floats(matrix.reshape(-1), dtype, lambda at: place_of(*divmod(at, columns)))
        matrix = scipy.sparse.coo_array(values.reshape(matrix.shape))
    elif scipy.sparse.issparse(matrix):
        require_real(matrix.dtype, "the matrix")
    else:
        raise UserError(
            f"a matrix must be a vecsim.Matrix, a SciPy sparse matrix, an array of two dimensions or a name, "
            f"not {_kind(matrix)}"
        )
    csr, more = canonical_with_losses(matrix)
    finite = np.isfinite(csr.data)
    if not finite.all():
        first = int(np.argmin(finite))
        row = int(np.searchsorted(csr.indptr, first, side="right"))
        raise UserError(
            f"the entry in row {row}, column {csr.indices[first] + 1} is {csr.data[first]}: "
            "values must be finite"
        )
    return Matrix(UNNAMED, csr, OBJECT, (*lost, *more))


def _kind(matrix: object) -> str:
    if isinstance(matrix, np.ndarray):
        return f"an array of {matrix.ndim} dimension{'' if matrix.ndim == 1 else 's'}"
    return type(matrix).__name__
