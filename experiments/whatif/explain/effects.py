"""The effect of each thing varied apart from all others, where a design does not try every combination.

In a Latin hypercube the samples of one value differ in all else, so a mean over them mixes effects. An
additive model of the logarithm of the cycles separates them: matrices cancel out, each value of each thing
has a coefficient, and least squares give it with its uncertainty.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from vecsim.support.suggestions import counted

if TYPE_CHECKING:
    from experiments.whatif.explain.cells import Cells

LEAST_EXPLAINED = 0.8
"""Share of the variance that the model must explain before its effects are ranked."""
LEAST_FREEDOM = 5
"""Samples more than coefficients, at least, before effects are ranked."""
CONFIDENCE = 0.95
"""That all intervals of a program hold together."""
_CURVE = 3
"""Degree of the polynomial in the logarithm of a number that has too many values for one coefficient each."""
_ROUNDING = 1e-9
"""Least half-width of an interval, in the logarithm."""

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Effect:
    """What the values of one thing do to the cycles of a program.

    Attributes
    ----------
    levels
        float64, for each value: the logarithm of the factor on the cycles, 0 in the mean of the values; NaN
        of a value without a sample.
    ratio
        Cycles with the slowest value over those with the fastest.
    low, high
        The interval of this ratio.
    """

    levels: Floats
    ratio: float
    low: float
    high: float


@dataclass(frozen=True, eq=False)
class Fit:
    """The additive model of a program.

    Attributes
    ----------
    effects
        By the name of the thing varied.
    explained
        Share of the variance of the logarithm of the cycles, adjusted for the number of coefficients.
    samples, freedom
        Points of the design, and how many more they are than coefficients; 0 if effects cannot be separated.
    """

    effects: Mapping[str, Effect]
    explained: float
    samples: int
    freedom: int

    @property
    def refusal(self) -> str:
        """Why its effects are not ranked; empty if they are."""
        if self.freedom < LEAST_FREEDOM:
            return f"{counted(self.samples, 'sample')} are too few to separate {len(self.effects)} things"
        if self.explained < LEAST_EXPLAINED:
            return (
                f"independent effects explain {self.explained:.0%} of the variance of the logarithm of the "
                f"cycles, {LEAST_EXPLAINED:.0%} are needed"
            )
        return ""


def fit(cells: Cells, program: int) -> Fit | None:
    """Fit the additive model of a program.

    Parameters
    ----------
    cells
        Of the sweep.
    program
        Its place in ``cells.programs``.

    Returns
    -------
    Fit or None
        None where means over all else are right as they are: every combination has a result, or one thing
        was varied at a time.
    """
    names = cells.several
    places, logs = _samples(cells, program)
    if len(names) < 2 or not len(places) or (places < 0).any():
        return None
    present = [np.unique(column) for column in places.T]
    if len(places) == np.prod([len(each) for each in present]):
        return None
    if not len(logs):
        return _inseparable(cells, len(places))
    bases = _bases(
        [[cells.varied[name][at] for at in each] for name, each in zip(names, present, strict=True)],
        len(logs),
    )
    columns = [
        basis[np.searchsorted(each, column)]
        for basis, each, column in zip(bases, present, places.T, strict=True)
    ]
    return _fitted(cells, present, bases, np.column_stack([np.ones(len(logs)), *columns]), logs)


def _samples(cells: Cells, program: int) -> tuple[Ints, Floats]:
    """Return the places of the values of each sample, and the mean logarithm of its cycles a non-zero.

    The mean is over the matrices that have a result in every sample; without any there are no logarithms.
    """
    chosen = cells.program == program
    points = np.column_stack([cells.place[name][chosen] for name in cells.several])
    unique, which = np.unique(points, axis=0, return_inverse=True)
    table = np.full((len(unique), len(cells.matrices)), np.nan)
    table[which.reshape(-1), cells.matrix[chosen]] = np.log(cells.per_nnz[chosen])
    whole = table[:, ~np.isnan(table).any(axis=0)]
    return unique, np.asarray(whole.mean(axis=1)) if whole.shape[1] else np.zeros(0)


def _bases(values: list[list[str]], samples: int) -> list[Floats]:
    """Return for each thing the coefficients' factors of its values: a coefficient a value, or a curve.

    Numbers with most values get a curve, as long as there are more coefficients than half of the samples.
    """
    results = [np.eye(len(each))[:, 1:] for each in values]
    while sum(basis.shape[1] for basis in results) + 1 > samples / 2:
        most = max(range(len(results)), key=lambda k: results[k].shape[1] if _numeric(values[k]) else 0)
        if results[most].shape[1] <= _CURVE or not _numeric(values[most]):
            break
        numbers = np.array(list(map(float, values[most])))
        scale = np.log(numbers) if (numbers > 0).all() else numbers
        scale = (scale - scale.mean()) / scale.std()
        results[most] = np.column_stack([scale**power for power in range(1, _CURVE + 1)])
    return results


def _numeric(values: list[str]) -> bool:
    try:
        return all(np.isfinite(float(value)) for value in values)
    except ValueError:
        return False


def _fitted(cells: Cells, present: list[Ints], bases: list[Floats], matrix: Floats, logs: Floats) -> Fit:
    names, samples = cells.several, len(logs)
    results, _, rank, _ = np.linalg.lstsq(matrix, logs, rcond=None)
    coefficients: Floats = np.asarray(results)
    freedom = samples - int(rank) if rank == matrix.shape[1] else 0
    left = float(np.sum((logs - matrix @ coefficients) ** 2))
    spread = float(np.sum((logs - logs.mean()) ** 2))
    if freedom <= 0:
        return _inseparable(cells, samples)
    explained = 1 - (left / freedom) / (spread / (samples - 1)) if spread > _ROUNDING**2 else 1.0
    covariance: Floats = np.asarray(left / freedom * np.linalg.inv(matrix.T @ matrix))
    effects, first = {}, 1
    for name, each, basis in zip(names, present, bases, strict=True):
        own = slice(first, first + basis.shape[1])
        first = own.stop
        effects[name] = _effect(
            len(cells.varied[name]), each, basis, coefficients[own], covariance[own, own], freedom, len(names)
        )
    return Fit(effects, explained, samples, freedom)


def _inseparable(cells: Cells, samples: int) -> Fit:
    unknown = {
        name: Effect(np.full(len(cells.varied[name]), np.nan), 1.0, 1.0, np.inf) for name in cells.several
    }
    return Fit(unknown, 0.0, samples, 0)


def _effect(
    values: int,
    present: Ints,
    basis: Floats,
    coefficients: Floats,
    covariance: Floats,
    freedom: int,
    things: int,
) -> Effect:
    """Return the effect of a thing, with Scheffé's interval for all differences of two of its values."""
    from scipy.stats import f

    levels = np.full(values, np.nan)
    of = basis @ coefficients
    levels[present] = of - of.mean()
    size = basis.shape[1]
    if not size:
        return Effect(levels, 1.0, 1.0, 1.0)
    width = np.sqrt(size * f.ppf(1 - (1 - CONFIDENCE) / things, size, freedom))
    differences = of[:, None] - of[None, :]
    between = basis[:, None, :] - basis[None, :, :]
    errors = np.sqrt(np.maximum(np.einsum("ijk,kl,ijl->ij", between, covariance, between), 0))
    half = np.maximum(width * errors, _ROUNDING)
    low, high = max(float((differences - half).max()), 0.0), float((differences + half).max())
    return Effect(levels, float(np.exp(differences.max())), float(np.exp(low)), float(np.exp(high)))
