"""The product of a matrix with compound entries by NumPy, from the declaration of its entries."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from gpu.compound.compound_matrix import CompoundMatrix
from vecsim.support.errors import UserError


def reference_product(matrix: CompoundMatrix, x: NDArray[Any], real: Any = np.float64) -> NDArray[Any]:
    """Multiply: each row starts with zero and adds its products in their order.

    Parameters
    ----------
    matrix
        M x N entries.
    x
        N elements, an array of (N, components).
    real
        The type that is computed in.

    Returns
    -------
    numpy.ndarray
        (M, components) of `real`.

    Raises
    ------
    UserError
        If x does not fit.
    """
    x = checked_vector(matrix, x)
    entry = matrix.entry
    gathered = [x[matrix.indices, component].astype(real) for component in range(x.shape[1])]
    products = entry.multiplied([each.astype(real) for each in matrix.components], gathered)
    totals = [np.full(matrix.shape[0], zero, dtype=real) for zero in entry.zero]
    lengths = np.diff(matrix.indptr)
    rows = np.flatnonzero(lengths)
    number = 0
    while len(rows):
        at = matrix.indptr[rows] + number
        sums = entry.added([each[rows] for each in totals], [each[at] for each in products])
        for total, sum_ in zip(totals, sums, strict=True):
            total[rows] = sum_
        number += 1
        rows = rows[lengths[rows] > number]
    return np.stack(totals, axis=1)


def checked_vector(matrix: Any, x: Any) -> NDArray[Any]:
    """Return x as an array of (N, components), for a matrix with its `shape` and `entry`.

    Raises
    ------
    UserError
        If it is not one.
    """
    wanted = (matrix.shape[1], len(matrix.entry.vector))
    result = np.asarray(x)
    if result.shape != wanted or result.dtype.kind not in "biuf":
        raise UserError(
            f"x of {matrix.entry.name} elements must be an array of {wanted} real numbers, "
            f"not {result.shape} "
            f"{result.dtype}"
        )
    return result
