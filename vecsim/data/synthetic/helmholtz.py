"""The Helmholtz equation on a grid: complex matrices of waves that leave the grid."""

from functools import reduce
from typing import Any

import numpy as np
import scipy.sparse

from vecsim.support.errors import UserError

POINTS_PER_WAVELENGTH = 10.0
LAYER_SHARE, ABSORPTION = 0.1, 1.0
"""The layer that absorbs waves, as a share of the grid at each end, and the imaginary part of the stretching
at its outer end."""


def helmholtz(points: int, dimensions: int = 3) -> Any:
    """Return -Laplace u - k^2 u by second differences, with a perfectly matched layer at all ends.

    In the layer the coordinates are stretched by a complex factor whose imaginary part grows by the square of
    the depth, so that waves leave without coming back (J.-P. Berenger, Journal of Computational
    Physics 114(2), 1994). There are 10 points in a wavelength.

    Parameters
    ----------
    points
        Along each side of the unit cube, 4 or more.
    dimensions
        1 to 3.

    Returns
    -------
    scipy.sparse.csr_array
        complex128 of points^dimensions rows and 2 dimensions + 1 entries in most; sorted 32-bit indices.

    Raises
    ------
    UserError
        If there are fewer points, or other dimensions.
    """
    if points < 4 or dimensions not in (1, 2, 3):
        raise UserError(
            f"{points} points in {dimensions} dimensions are not possible: use 4 or more in 1 to 3"
        )
    spacing = 1 / (points + 1)
    wave = 2 * np.pi / (POINTS_PER_WAVELENGTH * spacing)
    line = _second_difference(points, spacing)
    one = scipy.sparse.eye_array(points, format="csr")
    terms = [
        reduce(scipy.sparse.kron, [line if axis == other else one for other in range(dimensions)])
        for axis in range(dimensions)
    ]
    size = points**dimensions
    matrix = sum(terms[1:], terms[0]) - wave**2 * scipy.sparse.eye_array(size)
    csr = scipy.sparse.csr_array(matrix, dtype=np.complex128)
    csr.sum_duplicates()
    return csr


def _second_difference(points: int, spacing: float) -> Any:
    """Return -d/dx (1/s) d/dx / s on a line whose ends are 0, s the stretching; tridiagonal."""
    at = np.arange(points) + 1.0
    whole = _stretching(at * spacing)
    half = _stretching((np.arange(points + 1) + 0.5) * spacing)
    beside = -1 / half[1:-1] / spacing**2
    diagonal = (1 / half[:-1] + 1 / half[1:]) / spacing**2
    flux = scipy.sparse.diags_array([beside, diagonal, beside], offsets=[-1, 0, 1])
    return scipy.sparse.csr_array(scipy.sparse.diags_array(1 / whole) @ flux)


def _stretching(x: Any) -> Any:
    depth = np.maximum(0, np.maximum(LAYER_SHARE - x, x - (1 - LAYER_SHARE))) / LAYER_SHARE
    return 1 + 1j * ABSORPTION * depth**2
