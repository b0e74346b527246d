"""Rank correlations against SciPy and, without further ranks, against the textbook's formula."""

import numpy as np
import pytest
from scipy.stats import spearmanr

from experiments.papers.hism.rank_correlation import Correlation, indication, rank_correlation

RNG = np.random.default_rng(5)
FIRST, SECOND, THIRD = RNG.integers(0, 20, (3, 40)).astype(float)


def test_it_is_scipys_without_ranks_to_remove():
    expected = spearmanr(FIRST, SECOND)
    result = rank_correlation(FIRST, SECOND)
    assert (result.rank, result.chance) == pytest.approx((expected.statistic, expected.pvalue))
    assert rank_correlation([1, 1, 1], [1, 2, 3]) == Correlation(0.0, 1.0)
    assert rank_correlation([1, 2, 3], [10, 20, 40]) == Correlation(pytest.approx(1.0), 0.0)


def test_a_removed_quantity_counts_as_in_the_formula_of_partial_correlation():
    second = SECOND + FIRST
    ab, ac, bc = (spearmanr(*pair).statistic for pair in ((FIRST, second), (FIRST, THIRD), (second, THIRD)))
    expected = (ab - ac * bc) / ((1 - ac**2) * (1 - bc**2)) ** 0.5
    result = rank_correlation(FIRST, second, [THIRD])
    assert result.rank == pytest.approx(expected)
    assert rank_correlation(FIRST, second, [FIRST]) == Correlation(0.0, 1.0)


def test_an_indication_is_positive_and_not_by_chance():
    assert indication("claim", FIRST, FIRST + SECOND, "both").holds is True
    assert indication("claim", FIRST, -FIRST, "both").holds is False
    assert indication("claim", [1, 2, 3, 4], [1, 3, 2, 4], "both").holds is False
    assert indication("claim", [1, 2], [1, 2], "both").holds is None
