"""Rank correlations (Spearman), also without the ranks of further quantities, and what they say of claims."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from experiments.report.item import Verdict

SIGNIFICANT = 0.05
"""Probability from which on a correlation counts as chance."""


@dataclass(frozen=True)
class Correlation:
    """A rank correlation.

    Attributes
    ----------
    rank
        -1 to 1.
    chance
        Probability of at least such a one without any relation.
    """

    rank: float
    chance: float

    @property
    def is_chance(self) -> bool:
        """Whether it is not significant."""
        return self.chance > SIGNIFICANT

    def __str__(self) -> str:
        """Both numbers."""
        return f"{self.rank:+.2f} (p = {self.chance:.3g})"


def rank_correlation(
    first: Sequence[float], second: Sequence[float], removed: Sequence[Sequence[float]] = ()
) -> Correlation:
    """Return the rank correlation of two quantities, 0 by chance if one of them does not vary.

    Parameters
    ----------
    first, second
        Numbers of the same things, more than two and the number of quantities in `removed`.
    removed
        Quantities whose ranks are removed from those of both, by a linear fit (partial rank correlation).
    """
    from scipy.stats import rankdata, t

    ranks = np.column_stack([np.ones(len(first)), *map(rankdata, removed)])
    rest = []
    for numbers in map(rankdata, (first, second)):
        fitted = ranks @ np.linalg.lstsq(ranks, numbers, rcond=None)[0]
        rest.append(numbers - fitted)
    size = np.linalg.norm(rest[0]) * np.linalg.norm(rest[1])
    if size < 1e-9 * len(first):
        return Correlation(0.0, 1.0)
    rank = float(np.clip(rest[0] @ rest[1] / size, -1, 1))
    freedom = len(first) - 2 - len(removed)
    if abs(rank) > 1 - 1e-12:
        return Correlation(rank, 0.0)
    return Correlation(rank, float(2 * t.sf(abs(rank) * (freedom / (1 - rank**2)) ** 0.5, freedom)))


def indication(claim: str, indicator: Sequence[float], numbers: Sequence[float], words: str) -> Verdict:
    """Check that numbers grow with an indicator: their rank correlation is positive and significant.

    Parameters
    ----------
    claim
        In words.
    indicator, numbers
        Of the same matrices.
    words
        What the two are.
    """
    if len(indicator) < 3:
        return Verdict(claim, None, "fewer than three matrices are available")
    result = rank_correlation(indicator, numbers)
    detail = f"rank correlation of {words}: {result} on {len(indicator)} matrices"
    return Verdict(claim, result.rank > 0 and not result.is_chance, detail)
