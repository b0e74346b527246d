"""How certain it is which of two programs is faster, where some combinations of values were computed.

A Gaussian process through the logarithms of the ratios that are known predicts all others with a standard
deviation. How many of these a prediction is away from the threshold says how certain its side is (the
function U of B. Echard, N. Gayton and M. Lemaire 2011, "AK-MCS"). Simulations have no noise, so the process
passes through what is known. Its deviations are widened where they were too small for the known values, each
predicted from all others.
"""

from __future__ import annotations

import itertools
import warnings
from collections.abc import Mapping, Sequence
from importlib import import_module

import numpy as np
import numpy.typing as npt

from experiments.whatif.sweep.attributes import Value
from vecsim.support.errors import UserError

Floats = npt.NDArray[np.float64]

CERTAIN = 3.0
"""Standard deviations from the threshold at which a side counts as certain: wrong in 0.13 % of cases."""
MOST_COMBINATIONS = 20_000
"""Of values, at most: predictions are made for all of them."""
_NUGGET = 1e-8
"""Added to the variances, so that matrices stay regular."""
_LENGTHS = (0.05, 5.0)
"""Correlation lengths of the process, in widths of an axis."""


def positions(factors: Mapping[str, Sequence[Value]]) -> Floats:
    """Return where each combination of values is, float64, a row each; axes from 0 to 1.

    Numbers are on a logarithmic scale if all are positive. Other values have an axis each.
    """
    axes = [_axis(values) for values in factors.values()]
    return np.array([np.concatenate(rows) for rows in itertools.product(*axes)])


def _axis(values: Sequence[Value]) -> Floats:
    if any(isinstance(value, bool | str) for value in values):
        return np.eye(len(values))
    numbers = np.array(values, dtype=float)
    scale = np.log(numbers) if (numbers > 0).all() else numbers
    return np.asarray(((scale - scale.min()) / (np.ptp(scale) or 1.0))[:, None])


def certainty(of: Floats, known: Sequence[int], values: Sequence[float]) -> tuple[Floats, Floats]:
    """Return for each combination its predicted value, and how many deviations that is below 0.

    Parameters
    ----------
    of
        float64, `positions`.
    known, values
        Which are computed, and their values.

    Returns
    -------
    float64, float64
        The second is negative above 0, and infinite where the value is known.

    Raises
    ------
    UserError
        Scikit-learn is not installed.
    """
    try:
        process = import_module("sklearn.gaussian_process")
        kernels = import_module("sklearn.gaussian_process.kernels")
    except ImportError as error:
        raise UserError(
            f"an adaptive sweep needs scikit-learn ({error}): pip install 'vecsim[statistics]'"
        ) from None
    results = np.array(values, dtype=float)
    scale = float(results.std()) or float(abs(results[0])) or 1.0
    scaled = (results - results.mean()) / scale
    kernel = kernels.ConstantKernel(1.0, (1e-3, 1e3)) * kernels.Matern([0.3] * of.shape[1], _LENGTHS, nu=1.5)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # lengths at their bounds, which are meant
        model = process.GaussianProcessRegressor(kernel, alpha=_NUGGET).fit(of[known], scaled)
        mean, deviation = model.predict(of, return_std=True)
    inverse = np.linalg.inv(model.kernel_(of[known]) + _NUGGET * np.eye(len(known)))
    left_out = inverse @ scaled / np.sqrt(np.diagonal(inverse))
    widened = deviation * max(1.0, float(np.sqrt(np.mean(left_out**2))))
    predicted = np.asarray(mean * scale + results.mean())
    below = np.asarray(-predicted / np.maximum(widened * scale, _NUGGET))
    predicted[known] = results
    below[known] = np.where(results < 0, np.inf, -np.inf)
    return predicted, below
