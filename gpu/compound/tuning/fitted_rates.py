"""What each count of `gpu.compound.tuning.product_costs` costs, fitted to measured times.

Few numbers, none negative, for all matrices: what they say of a matrix unlike all others is still sensible.
"""

from collections.abc import Sequence

import numpy as np
import scipy.optimize
from numpy.typing import NDArray

STEEPNESS = 2.0
"""A variant that takes r times the best of its matrix weighs r^-2: the order of the good ones counts."""
LEAST_WEIGHT = 0.03
"""Beside that: slow variants say what the costs are."""
SHORTEST_US = 1e-3
"""No product is faster."""


def weights_of(times: NDArray[np.float64]) -> NDArray[np.float64]:
    """Give what times of one matrix weigh in a fit.

    Parameters
    ----------
    times
        Microseconds, or any other unit.
    """
    return np.asarray((times / times.min()) ** -STEEPNESS + LEAST_WEIGHT)


def fitted_rates(
    counts: Sequence[NDArray[np.float64]], times: Sequence[NDArray[np.float64]]
) -> NDArray[np.float64]:
    """Fit times as sums of counts at rates of 0 or more, by the least squares of relative errors.

    Parameters
    ----------
    counts
        For each matrix float64 of (variants, costs).
    times
        For each matrix the microseconds of the variants. All matrices weigh the same.

    Returns
    -------
    float64, microseconds for one of each cost
    """
    weights = [weights_of(each) for each in times]
    roots = [np.sqrt(each / each.sum()) for each in weights]
    relative = [(root / us)[:, None] * count for root, us, count in zip(roots, times, counts, strict=True)]
    rates, _ = scipy.optimize.nnls(np.concatenate(relative), np.concatenate(roots))
    return np.asarray(rates, np.float64)


def shares_of_time(
    counts: NDArray[np.float64], rates: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Give the times that rates predict, and what share of a time each cost is.

    Parameters
    ----------
    counts
        (variants, costs).
    rates
        Of `fitted_rates`.

    Returns
    -------
    times
        float64, microseconds, above 0.
    shares
        float64 of (variants, costs).
    """
    parts = counts * rates
    times = np.maximum(parts.sum(axis=1), SHORTEST_US)
    return times, parts / times[:, None]
