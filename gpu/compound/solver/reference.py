"""Preconditioned conjugate gradients by NumPy and SciPy: what the device is compared with."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gpu.compound.compound_matrix import CompoundMatrix
from gpu.compound.solver.block_diagonal import as_scalars, preconditioner
from vecsim.support.errors import UserError

TOLERANCE = 1e-8
MOST_ITERATIONS = 10_000


@dataclass(frozen=True, eq=False)
class Solution:
    """What a solve gives.

    Attributes
    ----------
    x
        (n, C): the elements.
    residuals
        |b - A x| / |b| before the first iteration and after each.
    converged
        Whether the last one is no more than the tolerance.
    """

    x: NDArray[Any]
    residuals: NDArray[np.float64]
    converged: bool

    @property
    def iterations(self) -> int:
        """How many were needed."""
        return len(self.residuals) - 1


def solve_on_the_host(
    matrix: CompoundMatrix,
    b: NDArray[Any],
    *,
    tolerance: float = TOLERANCE,
    most_iterations: int = MOST_ITERATIONS,
    preconditioned: bool = True,
    watch: Callable[[int, float], None] = lambda iteration, residual: None,
) -> Solution:
    """Solve A x = b by preconditioned conjugate gradients from x = 0 (Hestenes and Stiefel 1952).

    Parameters
    ----------
    matrix
        n x n entries, positive definite: x . A y is a scalar product, component by component.
    b
        (n, C).
    tolerance
        Of the residual, relative to b.
    most_iterations
        After this many it ends without having converged.
    preconditioned
        Whether by the inverse of the block diagonal.
    watch
        Is called with each iteration and its residual.

    Raises
    ------
    UserError
        The matrix is not square, has no diagonal to invert, or is not positive definite; or b does not fit.
    """
    b = checked_right_side(matrix, b)
    inverse = preconditioner(matrix, wanted=preconditioned)
    scalars = as_scalars(matrix)
    x, r = np.zeros_like(b), b.copy()
    norm = float(np.linalg.norm(b))
    residuals = [1.0 if norm else 0.0]
    z = inverse @ r
    p, rz = z, float(np.vdot(r, z))
    while residuals[-1] > tolerance and len(residuals) <= most_iterations:
        q = (scalars @ p.ravel()).reshape(b.shape)
        curvature = float(np.vdot(p, q))
        require_positive(curvature, rz, len(residuals))
        alpha = rz / curvature
        x, r = x + alpha * p, r - alpha * q
        residuals.append(float(np.linalg.norm(r)) / norm)
        watch(len(residuals) - 1, residuals[-1])
        z = inverse @ r
        rz, before = float(np.vdot(r, z)), rz
        p = z + rz / before * p
    return Solution(x, np.array(residuals), residuals[-1] <= tolerance)


def checked_right_side(matrix: CompoundMatrix, b: Any) -> NDArray[np.float64]:
    """Return b as float64 of (n, C).

    Raises
    ------
    UserError
        It does not fit the matrix, or is not finite.
    """
    wanted = (matrix.shape[0], len(matrix.entry.vector))
    result = np.asarray(b)
    if result.shape != wanted or result.dtype.kind not in "biuf":
        raise UserError(f"b must be an array of {wanted} real numbers, not of {result.shape} {result.dtype}")
    if not np.isfinite(result).all():
        raise UserError("b must be finite")
    return result.astype(np.float64)


def require_positive(curvature: float, rz: float, iteration: int) -> None:
    """Raise UserError unless p . A p and r . z are above 0, as those of positive definite matrices.

    Parameters
    ----------
    curvature, rz
        The two.
    iteration
        For the message.
    """
    if not (curvature > 0 and rz > 0):
        raise UserError(
            f"iteration {iteration}: p . A p is {curvature:.3g} and r . z {rz:.3g}, both must be above 0: "
            "the matrix, or its diagonal, is not positive definite"
        )
