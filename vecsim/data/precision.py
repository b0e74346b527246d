"""Matrix values in the width that the machine has."""

from typing import Any, Literal

import numpy as np

from vecsim.errors import UserError

ADVICE = "use 64-bit values (--value-bits 64; value_bits=64 in Python)"
"""What to do about values that 32 bits cannot hold, in every message about them."""


def value_bytes(bits: int, option: str = "value_bits") -> Literal[4, 8]:
    """Give the bytes of a matrix value of 32 or 64 bits; UserError, naming the option, for other widths."""
    if bits == 32:
        return 4
    if bits == 64:
        return 8
    raise UserError(f"{option} {bits}: a matrix value has 32 or 64 bits")


def values_as(matrix: Any, value_bytes: Literal[4, 8]) -> tuple[Any, tuple[str, ...]]:
    """Round the values of a matrix to 4 or 8 bytes.

    Parameters
    ----------
    matrix
        scipy.sparse.csr_array of float32 or float64; not changed. Complex values are refused.
    value_bytes
        4 for float32, 8 for float64.

    Returns
    -------
    matrix
        csr_array of that type on the same index arrays; `matrix` itself if it has the type already.
    warnings
        A line if non-zero values became zero or lost digits because they are too small for float32.

    Raises
    ------
    UserError
        If a finite value is too large for float32, naming its place; if values are complex.

    Examples
    --------
    >>> import vecsim
    >>> values, warnings = vecsim.values_as(vecsim.load("laplace2d-3").csr, 4)
    >>> values.dtype, warnings
    (dtype('float32'), ())
    """
    if value_bytes not in (4, 8):
        raise UserError(f"a value has 4 or 8 bytes, not {value_bytes}")
    if matrix.dtype.kind == "c":
        raise UserError("the matrix has complex values: load it without complex=True, or give its real part")
    dtype = np.dtype(f"f{value_bytes}")
    if matrix.dtype == dtype:
        return matrix, ()
    with np.errstate(over="ignore", under="ignore"):
        values = matrix.data.astype(dtype)
    overflown = np.isinf(values) & np.isfinite(matrix.data)
    if overflown.any():
        first = int(np.argmax(overflown))
        row = int(np.searchsorted(matrix.indptr, first, side="right"))
        raise UserError(
            f"the value {matrix.data[first]} in row {row}, column {matrix.indices[first] + 1} "
            f"is too large for 32 bits ({np.count_nonzero(overflown)} such values): {ADVICE}"
        )
    small = (np.abs(values) < np.finfo(dtype).tiny) & (matrix.data != 0)
    rounded = type(matrix)((values, matrix.indices, matrix.indptr), shape=matrix.shape)
    if value_bytes == 8 or not small.any():
        return rounded, ()
    zeros = np.count_nonzero(values[small] == 0)
    warning = (
        f"{np.count_nonzero(small)} values are too small for 32 bits: {zeros} became zero, "
        f"the others lost digits; {ADVICE}"
    )
    return rounded, (warning,)
