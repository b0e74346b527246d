"""How far a product is from the exact one, and how far rounding alone can take it.

One measure holds for the simulated programs, the GPU and the comparison of both:

    max_i |y_i - r_i| / (|alpha| |A| |x| + |beta| |y0|)_i

with r = alpha A x + beta y0 in float64, from the values as they are stored in the format's own type. What
underflow may cost is forgiven: the least positive number of the type for each entry of a row.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from .coordinates import FloatArray

UNIT_ROUNDOFF = {np.dtype(np.float32): 2.0**-24, np.dtype(np.float64): 2.0**-53}
"""u: the largest relative error of one rounding, by the type of the values."""


def relative_error(
    matrix: Any,
    x: FloatArray,
    y: FloatArray,
    *,
    alpha: float = 1.0,
    beta: float = 0.0,
    y0: FloatArray | None = None,
) -> float:
    """Return the error of a product `y`, the largest over its elements.

    Parameters
    ----------
    matrix
        SciPy sparse matrix A, M x N.
    x, y, y0
        Vectors of N, M and M elements; `y0` is read if `beta` is not 0.
    alpha, beta
        Factors of A x and of y0.

    Returns
    -------
    float
        0 where everything is exact; infinity if an element differs that has nothing but zeros to sum; NaN if
        y has one.
    """
    wide, factors = matrix.astype(np.float64), x.astype(np.float64)
    exact = alpha * (wide @ factors)
    scale = abs(alpha) * (abs(wide) @ np.abs(factors))
    if beta != 0 and y0 is not None:
        exact = exact + beta * y0.astype(np.float64)
        scale = scale + np.abs(beta * y0.astype(np.float64))
    return _largest_share(matrix, y.astype(np.float64) - exact, scale, y.dtype)


def disagreement(matrix: Any, x: FloatArray, first: FloatArray, second: FloatArray) -> float:
    """Return how far two products of the same matrix and x lie apart, by the same measure."""
    scale = abs(matrix.astype(np.float64)) @ np.abs(x.astype(np.float64))
    return _largest_share(matrix, first.astype(np.float64) - second.astype(np.float64), scale, first.dtype)


def rounding_bound(matrix: Any, dtype: Any) -> float:
    """Return the error that a product of this type may have, in whatever order its rows are summed.

    Each y_i is a sum of as many products as its row has entries, n_i. Every term goes through one rounding
    as a product and through at most n_i - 1 in sums, however the row is cut into partial sums (adding an
    empty one is exact). So the error is at most n u / (1 - n u), n the longest row and u the unit roundoff,
    underflow apart. Two such results differ by at most twice that; so does a float64 result from the r of
    `relative_error`, which is computed in float64 too.
    """
    longest = float(np.diff(matrix.tocsr().indptr).max(initial=0))
    rounded = longest * UNIT_ROUNDOFF[np.dtype(dtype)]
    return rounded / (1 - rounded)


def _largest_share(
    matrix: Any, differences: NDArray[np.float64], scale: NDArray[np.float64], dtype: Any
) -> float:
    """Return max |differences| / scale; no difference is no error, whatever the scale."""
    entries = np.diff(matrix.tocsr().indptr)
    sizes = np.abs(differences) - entries * float(np.finfo(dtype).smallest_subnormal)
    some = ~(sizes <= 0)
    with np.errstate(divide="ignore"):
        return float((sizes[some] / scale[some]).max(initial=0.0))
