"""Matrix values in the width that the machine has."""

from typing import Any, Literal

import numpy as np
import scipy.sparse

from vecsim.formats.canonical_csr import place_in_csr
from vecsim.support.arguments import shown, whole
from vecsim.support.errors import UserError
from vecsim.support.number_conversion import to_floats
from vecsim.support.suggestions import counted

ADVICE = "use 64-bit values (--value-bits 64; value_bits=64 in Python)"
"""What to do about values that 32 bits cannot hold, in every message about them."""


def value_bytes(bits: int, option: str = "value_bits") -> Literal[4, 8]:
    """Return the bytes of a matrix value of 32 or 64 bits; UserError, naming the option, for other widths."""
    number = whole(option, bits)
    if number == 32:
        return 4
    if number == 64:
        return 8
    raise UserError(f"{option} {number}: a matrix value must have 32 or 64 bits")


def values_as(matrix: Any, value_bytes: Literal[4, 8]) -> tuple[Any, tuple[str, ...]]:
    """Round the values of a matrix to 4 or 8 bytes, by the rule of `vecsim.support.number_conversion`.

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
        A line if values became zero or lost digits because they are too small for float32, and one if the
        values are whole numbers and some were rounded.

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
    if not scipy.sparse.issparse(matrix) or matrix.format != "csr":
        raise UserError(f"a scipy.sparse.csr_array is needed, not {type(matrix).__name__}")
    if not isinstance(value_bytes, int | np.integer) or value_bytes not in (4, 8):
        raise UserError(f"a value must have 4 or 8 bytes, not {shown(value_bytes)}")
    if matrix.dtype.kind == "c":
        raise UserError("the matrix has complex values: load it without complex=True, or use its real part")
    dtype = np.dtype(f"f{value_bytes}")
    if matrix.dtype == dtype:
        return matrix, ()
    values, lost = to_floats(matrix.data, dtype, place_in_csr(matrix), ADVICE)
    return type(matrix)((values, matrix.indices, matrix.indptr), shape=matrix.shape), tuple(lost)


def rounding(given: Any, rounded: Any) -> tuple[str, ...]:
    """Return a line if values of a matrix are others than those that were given.

    Parameters
    ----------
    given, rounded
        csr_array of the same entries, before and after `values_as`.
    """
    count = np.count_nonzero(rounded.data != given.data)
    if not count:
        return ()
    return (f"{count:,} of {counted(rounded.nnz, 'value')} were rounded to 32 bits; {ADVICE}",)
