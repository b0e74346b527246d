"""How far a product is from the exact one, and how far rounding alone can take it.

One measure holds for the simulated programs, the GPU and the comparison of both:

    max_i |y_i - r_i| / (|alpha| |A| |x| + |beta| |y0|)_i

with r = alpha A x + beta y0 in float64, from the values as they are stored in the format's own type. What
underflow may cost is forgiven: the least positive number of the type for each entry of a row.
"""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vecsim.formats.array_types import FloatArray, IntArray

UNIT_ROUNDOFF = {np.dtype(np.float32): 2.0**-24, np.dtype(np.float64): 2.0**-53}
"""u: the largest relative error of one rounding, by the type of the values."""
_ROWS_AT_ONCE = 1 << 17
"""So few that a core's cache holds much of them through all steps of the measure, this many that threads
seldom wait for the interpreter."""


@dataclass(frozen=True, eq=False)
class ExactProduct:
    """A product of M rows in float64, with what errors are measured by.

    Attributes
    ----------
    x
        The vector that was multiplied, in the type it came in.
    y
        r = alpha A x + beta y0, float64 of M.
    scale
        |alpha| |A| |x| + |beta| |y0|, float64 of M.
    entries
        Stored entries of each row, integers of M.
    """

    x: FloatArray
    y: NDArray[np.float64]
    scale: NDArray[np.float64]
    entries: IntArray

    def error(self, y: FloatArray) -> float:
        """Return the error of a product `y` of M elements, the largest over its elements.

        Returns
        -------
        float
            0 where everything is exact; infinity if an element differs that has nothing but zeros to sum; NaN
            if y has one.
        """
        return self._largest_share(self.y, y)

    def disagreement(self, first: FloatArray, second: FloatArray) -> float:
        """Return how far two products of M elements lie apart, by the same measure."""
        return self._largest_share(first, second)

    def _largest_share(self, first: FloatArray, second: FloatArray) -> float:
        """Return max |second - first| / scale; underflow is that of the second one's type."""
        forgiven = float(np.finfo(second.dtype).smallest_subnormal)

        def of_rows(begin: int) -> Any:
            rows = slice(begin, begin + _ROWS_AT_ONCE)
            sizes = np.abs(second[rows].astype(np.float64) - first[rows])
            sizes -= self.entries[rows] * forgiven
            with np.errstate(divide="ignore", invalid="ignore"):
                shares = sizes / self.scale[rows]
            shares[sizes <= 0] = 0  # no difference is no error, whatever the scale
            return shares.max(initial=0.0)

        begins = range(0, len(self.y), _ROWS_AT_ONCE)
        if len(begins) <= 1:
            return float(of_rows(0))
        with ThreadPoolExecutor() as pool:
            return float(np.max(list(pool.map(of_rows, begins))))


def exact_product(
    matrix: Any, x: FloatArray, *, alpha: float = 1.0, beta: float = 0.0, y0: FloatArray | None = None
) -> ExactProduct:
    """Multiply in float64, and return what the errors of products are measured by.

    Parameters
    ----------
    matrix
        SciPy sparse matrix A, M x N.
    x, y0
        Vectors of N and M elements; `y0` is read if `beta` is not 0.
    alpha, beta
        Factors of A x and of y0.
    """
    wide, factors = _in_float64(matrix), x.astype(np.float64)
    exact = alpha * (wide @ factors)
    scale = abs(alpha) * (_with_values(wide, np.abs(wide.data)) @ np.abs(factors))
    if beta != 0 and y0 is not None:
        exact = exact + beta * y0.astype(np.float64)
        scale = scale + np.abs(beta * y0.astype(np.float64))
    return ExactProduct(x, exact, scale, _entries(matrix))


def relative_error(
    matrix: Any,
    x: FloatArray,
    y: FloatArray,
    *,
    alpha: float = 1.0,
    beta: float = 0.0,
    y0: FloatArray | None = None,
) -> float:
    """Return the error of a product `y`; see `exact_product` and `ExactProduct.error`.

    Parameters
    ----------
    matrix, x, alpha, beta, y0
        As for `exact_product`.
    y
        (M,) float32 or float64: the product to be judged.
    """
    return exact_product(matrix, x, alpha=alpha, beta=beta, y0=y0).error(y)


def disagreement(matrix: Any, x: FloatArray, first: FloatArray, second: FloatArray) -> float:
    """Return how far two products of the same matrix and x lie apart, by the same measure.

    Parameters
    ----------
    matrix
        Any SciPy sparse matrix, M x N.
    x
        (N,) float32 or float64.
    first, second
        (M,) float32 or float64: the products.
    """
    return exact_product(matrix, x).disagreement(first, second)


def rounding_bound(matrix: Any, dtype: Any) -> float:
    """Return the error that a product of this type may have, in whatever order its rows are summed.

    Each y_i is a sum of as many products as its row has entries, n_i. Every term goes through one rounding
    as a product and through at most n_i - 1 in sums, however the row is cut into partial sums (adding an
    empty one is exact). So the error is at most n u / (1 - n u), n the longest row and u the unit roundoff,
    underflow apart. Two such results differ by at most twice that; so does a float64 result from the r of
    `relative_error`, which is computed in float64 too.
    """
    longest = float(_entries(matrix).max(initial=0))
    rounded = longest * UNIT_ROUNDOFF[np.dtype(dtype)]
    return rounded / (1 - rounded)


def _in_float64(matrix: Any) -> Any:
    """Return a matrix with float64 values, by rows or by columns."""
    if matrix.format in ("csr", "csc"):
        return _with_values(matrix, matrix.data.astype(np.float64, copy=False))
    return matrix.astype(np.float64).tocsr()


def _with_values(matrix: Any, values: FloatArray) -> Any:
    """Return a matrix by rows or by columns with other values, and the same index arrays."""
    return type(matrix)((values, matrix.indices, matrix.indptr), shape=matrix.shape)


def _entries(matrix: Any) -> IntArray:
    """Return the stored entries of each row."""
    if matrix.format == "csc":
        return np.bincount(matrix.indices, minlength=matrix.shape[0])
    return np.asarray(np.diff(matrix.tocsr().indptr))
