"""Averages over matrices, how much a single matrix decides them, and how texts say them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from experiments.papers.kit.results import NOT_MEASURED

T = TypeVar("T")


@dataclass(frozen=True)
class Average:
    """An average over matrices, and its leave-one-out range.

    Attributes
    ----------
    value
        Over all of them.
    least, greatest
        The least and the greatest average if one matrix is left out; both `value` of a single matrix.
    least_without, greatest_without
        The matrix that is then left out; empty of a single matrix.
    """

    value: float
    least: float
    greatest: float
    least_without: str = ""
    greatest_without: str = ""

    @property
    def without_one(self) -> tuple[float, float]:
        """Return the range, for `Comparison.without_one`."""
        return self.least, self.greatest

    def __str__(self) -> str:
        """Return the average with its range."""
        if not self.least_without:
            return f"{self.value:.2f}"
        return (
            f"{self.value:.2f} ({self.least:.2f} without {self.least_without} to {self.greatest:.2f} without "
            f"{self.greatest_without})"
        )


def average(values: Mapping[str, T], of: Callable[[list[T]], float]) -> Average | None:
    """Average values with any function, and again with each one left out; None of nothing.

    Parameters
    ----------
    values
        By the name of the matrix.
    of
        Returns the average of a list that is not empty, such as the quotient of the means of pairs of times.
    """
    if not values:
        return None
    whole = of(list(values.values()))
    if len(values) == 1:
        return Average(whole, whole, whole)
    left = {name: of([values[other] for other in values if other != name]) for name in values}
    low, high = min(left, key=lambda name: left[name]), max(left, key=lambda name: left[name])
    return Average(whole, left[low], left[high], low, high)


def judged(values: Mapping[str, T], holds: Callable[[list[T]], bool]) -> tuple[bool | None, str]:
    """Judge a claim about a set of matrices; None, and why, if it changes with one of them left out.

    Parameters
    ----------
    values
        By the name of the matrix.
    holds
        Whether the claim holds of a list that is not empty.
    """
    whole = holds(list(values.values()))
    left = {name: [values[other] for other in values if other != name] for name in values}
    changed = [name for name, others in left.items() if others and holds(others) != whole]
    if not changed:
        return whole, ""
    return None, f"; this {'holds' if whole else 'fails'}, but not without {' or without '.join(changed)}"


def geometric_mean(numbers: Iterable[float]) -> float | None:
    """Return the geometric mean; None of nothing."""
    result = list(numbers)
    return float(np.exp(np.mean(np.log(result)))) if result else None


def mean_ratio(ratios: Mapping[str, float]) -> Average | None:
    """Return the geometric mean of ratios, by the name of the matrix, with its range; None of nothing."""
    return average(ratios, lambda numbers: geometric_mean(numbers) or 0.0)


def spread(ratios: Mapping[str, float]) -> str:
    """Return the geometric mean with its range, minimum and maximum, and the names of their matrices."""
    mean = mean_ratio(ratios)
    if mean is None:
        return NOT_MEASURED
    low, high = min(ratios, key=lambda name: ratios[name]), max(ratios, key=lambda name: ratios[name])
    return f"{mean} on average, {ratios[low]:.2f} ({low}) to {ratios[high]:.2f} ({high})"


def rank_correlation(first: Sequence[float], second: Sequence[float]) -> float | None:
    """Return Spearman's rank correlation; None where fewer than three pairs or equal numbers leave none."""
    from scipy.stats import spearmanr

    if len(first) < 3 or len(set(first)) < 2 or len(set(second)) < 2:
        return None
    return float(spearmanr(first, second).statistic)
