"""A surface through samples: the logarithm of cycles as a sum of terms of one thing and of two.

Three surfaces are fitted by least squares: a coefficient for each value of each thing, the same with products
of two things, and the second-order surface of G. E. P. Box and K. B. Wilson 1951, squares and products. The
one that predicts each sample best from all others is chosen: the least sum of squares of these errors
("PRESS", D. M. Allen 1974). All terms have a mean of 0 over the values of each of their things, so that the
term of one thing is its effect in the mean over all others.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

LEAST_FREEDOM = 5
"""Samples more than coefficients, at least."""
_CURVE = 3
"""Degree of the polynomial in the logarithm of a number that has too many values for one coefficient each."""
_SQUARE = 2
"""Degree in the second-order surface."""
_ROUNDING = 1e-9
"""Differences of logarithms below which nothing is left to explain."""
_STRUCTURE = 0.001
"""Probability, of all tests of structure together, below which residuals count as structured."""
_TOO_HIGH = 1 - 1e-9
"""Leverage from which a sample decides its own coefficient, and cannot be predicted from the others."""


@dataclass(frozen=True, eq=False)
class Term:
    """A summand of a surface.

    Attributes
    ----------
    things
        Places of the one or two things that it depends on.
    basis
        float64, an axis for the values of each of them and one for the coefficients; NaN for a value without
        a sample.
    """

    things: tuple[int, ...]
    basis: Floats

    @property
    def size(self) -> int:
        """How many coefficients it has."""
        return int(self.basis.shape[-1])

    def columns(self, places: Ints) -> Floats:
        """Return the factors of its coefficients, float64, a row for each sample; see `Surface.predict`."""
        return np.asarray(self.basis[tuple(places[:, thing] for thing in self.things)])


@dataclass(frozen=True, eq=False)
class Surface:
    """A fitted surface.

    Attributes
    ----------
    terms
        Its summands after the constant, those of one thing first.
    coefficients
        float64, of the constant and of the terms, a column for each response.
    covariance
        float64, of the coefficients of the mean of the responses, by the estimate HC3 of J. G. MacKinnon and
        H. White 1985, which takes the error of each sample's prediction as its standard deviation; at least
        that of all residuals together. It stays right where the surface bends otherwise than the truth.
    freedom
        Samples more than coefficients.
    explained
        Share of the variance of the mean of the responses, adjusted for the number of coefficients.
    predicted
        The same, of each sample predicted from all others; minus infinity if that cannot be done.
    error
        Root of the mean square of these predictions' errors, in the logarithm.
    structure
        What the residuals still depend on: the place of a thing, -1 for the prediction itself; None if
        nothing is seen.
    """

    terms: tuple[Term, ...]
    coefficients: Floats
    covariance: Floats
    freedom: int
    explained: float
    predicted: float
    error: float
    structure: int | None

    @property
    def mean(self) -> Floats:
        """Coefficients of the mean of the responses."""
        return np.asarray(self.coefficients.mean(axis=1))

    def parts(self) -> Iterator[tuple[Term, slice]]:
        """Return each term with the places of its coefficients."""
        first = 1
        for term in self.terms:
            yield term, slice(first, first + term.size)
            first += term.size

    def field(self, first: int, second: int) -> Floats:
        """Return the mean response for the values of two things, float64, in the mean over all others."""
        mean = self.mean
        result = np.full((self._values(first), self._values(second)), mean[0])
        for term, own in self.parts():
            if set(term.things) <= {first, second}:
                levels = np.asarray(term.basis @ mean[own])
                if len(term.things) > 1:
                    result += levels if term.things == (first, second) else levels.T
                else:
                    result += levels[:, None] if term.things == (first,) else levels[None, :]
        return result

    def _values(self, thing: int) -> int:
        return next(len(term.basis) for term in self.terms if term.things == (thing,))


def fit_surface(values: Sequence[Sequence[str]], places: Ints, logs: Floats) -> Surface | None:
    """Fit the surface that predicts best.

    Parameters
    ----------
    values
        Of each thing, as texts.
    places
        int64, for each sample and thing the place of its value.
    logs
        float64, for each sample its responses, a column each; what is judged is their mean.

    Returns
    -------
    Surface or None
        None if there are too few samples to separate even effects that add up.
    """
    samples = len(logs)
    single = _singles(values, places, samples)
    present = [np.unique(column) for column in places.T]
    bent, scores = (
        [_full(_curve(each, of, degree), each) for each, of in zip(values, present, strict=True)]
        for degree in (_SQUARE, 1)
    )
    both = [
        Term((j, k), _products(scores[j], scores[k]))
        for j, k in itertools.combinations(range(len(values)), 2)
    ]
    squares = [Term((k,), basis) for k, basis in enumerate(bent)]
    surfaces = [
        surface
        for terms in (single, [*single, *both], [*squares, *both])
        if samples - 1 - sum(term.size for term in terms) >= LEAST_FREEDOM
        if (surface := _fitted(tuple(terms), places, logs)) is not None
    ]
    return max(surfaces, key=lambda each: each.predicted, default=None)


def _products(first: Floats, second: Floats) -> Floats:
    """Return the products of the columns of two bases, for each pair of values."""
    both = np.einsum("ap,bq->abpq", first, second)
    return np.asarray(both.reshape(len(first), len(second), -1))


def _singles(values: Sequence[Sequence[str]], places: Ints, samples: int) -> list[Term]:
    """Return the terms of single things: a coefficient for each value, or a curve.

    Numbers with most values get a curve, as long as there are more coefficients than half of the samples.
    """
    present = [np.unique(column) for column in places.T]
    results = [_levels(each) for each in present]
    while sum(basis.shape[1] for basis in results) + 1 > samples / 2:
        numeric = [_numbers(values[k], present[k]) is not None for k in range(len(values))]
        most = max(range(len(results)), key=lambda k: results[k].shape[1] if numeric[k] else 0)
        if results[most].shape[1] <= _CURVE or not numeric[most]:
            break
        results[most] = _curve(values[most], present[most], _CURVE)[0]
    return [
        Term((k,), _full((basis, each), values[k]))
        for k, (basis, each) in enumerate(zip(results, present, strict=True))
    ]


def _levels(present: Ints) -> Floats:
    basis = np.eye(len(present))[:, 1:]
    return np.asarray(basis - basis.mean(axis=0))


def _curve(values: Sequence[str], present: Ints, degree: int) -> tuple[Floats, Ints]:
    """Return powers of a number, each with a mean of 0, or a coefficient for each value of other things."""
    numbers = _numbers(values, present)
    if numbers is None or len(present) <= degree:
        return _levels(present), present
    scale = np.log(numbers) if (numbers > 0).all() else numbers
    scale = (scale - scale.mean()) / scale.std()
    powers = np.column_stack([scale**power for power in range(1, degree + 1)])
    return np.asarray(powers - powers.mean(axis=0)), present


def _numbers(values: Sequence[str], present: Ints) -> Floats | None:
    try:
        numbers = np.array([float(values[at]) for at in present])
    except ValueError:
        return None
    return numbers if np.isfinite(numbers).all() else None


def _full(basis: tuple[Floats, Ints], values: Sequence[str]) -> Floats:
    """Put rows at the places of the values that have samples, NaN at the others."""
    rows, present = basis
    result = np.full((len(values), rows.shape[1]), np.nan)
    result[present] = rows
    return result


def design_of(terms: Sequence[Term], places: Ints) -> Floats:
    """Return the factors of the constant and of the coefficients of terms, a row for each sample."""
    return np.column_stack([np.ones(len(places)), *(term.columns(places) for term in terms)])


def _fitted(terms: tuple[Term, ...], places: Ints, logs: Floats) -> Surface | None:
    """Fit a surface; None if its coefficients are not determined."""
    matrix = design_of(terms, places)
    samples, size = matrix.shape
    orthogonal, triangle = np.linalg.qr(matrix)
    if (scale := np.abs(np.diagonal(triangle))).min() < _ROUNDING * scale.max():
        return None
    inverse = np.linalg.inv(triangle) @ orthogonal.T
    mean = logs.mean(axis=1)
    fitted, centred = orthogonal @ (orthogonal.T @ mean), mean - mean.mean()
    residuals, freedom = mean - fitted, samples - size
    leverage = np.minimum(np.sum(orthogonal**2, axis=1), _TOO_HIGH)
    errors = residuals / (1 - leverage)
    variance, spread = float(residuals @ residuals) / freedom, float(centred @ centred)
    flat = spread <= samples * _ROUNDING**2
    each_predicted = bool((leverage < _TOO_HIGH).all())
    share = 1 - float(errors @ errors) / (spread / (1 - 1 / samples) ** 2) if not flat else 1.0
    return Surface(
        terms,
        np.asarray(inverse @ logs),
        np.asarray((inverse * np.maximum(errors**2, variance)) @ inverse.T),
        freedom,
        1.0 if flat else 1 - variance / (spread / (samples - 1)),
        share if each_predicted else -np.inf,
        float(np.sqrt(np.mean(errors**2))),
        _structure(places, orthogonal, fitted, residuals),
    )


def _structure(places: Ints, orthogonal: Floats, fitted: Floats, residuals: Floats) -> int | None:
    """Return what residuals still depend on, if that is no accident.

    Two tests, with Bonferroni's correction for their number: J. W. Tukey's of additivity (1949), whether the
    square of the prediction would explain more, and J. von Neumann's of neighbours (1941), whether residuals
    are alike where a thing has nearly the same value.
    """
    from scipy.special import ndtr, stdtr

    samples, freedom = len(residuals), len(residuals) - orthogonal.shape[1]
    if np.sqrt(np.mean(residuals**2)) < _ROUNDING:
        return None
    bend = fitted**2 - orthogonal @ (orthogonal.T @ fitted**2)
    probabilities = {}
    if (size := float(bend @ bend)) > _ROUNDING**2 * samples:
        slope = float(bend @ residuals) / size
        left = float(np.sum((residuals - slope * bend) ** 2)) / (freedom - 1)
        probabilities[-1] = 2 * float(
            stdtr(freedom - 1, -abs(slope) * np.sqrt(size / max(left, _ROUNDING**2)))
        )
    for thing, column in enumerate(places.T):
        ordered = residuals[np.argsort(column, kind="stable")]
        alike = float(ordered[1:] @ ordered[:-1]) / float(ordered @ ordered)
        probabilities[thing] = float(ndtr(-alike * np.sqrt(samples)))
    least = min(probabilities, key=lambda key: probabilities[key])
    return least if probabilities[least] < _STRUCTURE / len(probabilities) else None
