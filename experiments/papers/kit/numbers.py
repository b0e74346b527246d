"""Averages of ratios, and how texts say them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from experiments.papers.kit.results import NOT_MEASURED


def geometric_mean(numbers: Iterable[float]) -> float | None:
    """Return the geometric mean; None of nothing."""
    result = list(numbers)
    return float(np.exp(np.mean(np.log(result)))) if result else None


def spread(ratios: Mapping[str, float]) -> str:
    """Return the geometric mean, minimum and maximum of ratios as text, with the names of their matrices."""
    mean = geometric_mean(ratios.values())
    if mean is None:
        return NOT_MEASURED
    low, high = min(ratios, key=lambda name: ratios[name]), max(ratios, key=lambda name: ratios[name])
    return f"{mean:.2f} on average, {ratios[low]:.2f} ({low}) to {ratios[high]:.2f} ({high})"


def rank_correlation(first: Sequence[float], second: Sequence[float]) -> float | None:
    """Return Spearman's rank correlation; None where fewer than three pairs or equal numbers leave none."""
    from scipy.stats import spearmanr

    if len(first) < 3 or len(set(first)) < 2 or len(set(second)) < 2:
        return None
    return float(spearmanr(first, second).statistic)
