import math

import numpy as np
import pytest
from crosscheck_cases import checked, numbers
from scipy.stats import kendalltau, spearmanr

from experiments.crosscheck.ranks import correlation, explained_by, of_ratios, orders, ratios, sides, spearman


def test_rank_correlations_are_scipys():
    rng = np.random.default_rng(6)
    first, second = rng.integers(0, 9, 30), rng.random(30)
    second += first / 5
    actual = correlation(first, second)
    assert actual.count == 30
    assert actual.spearman == pytest.approx(spearmanr(first, second).statistic)
    assert actual.kendall == pytest.approx(kendalltau(first, second).statistic)
    assert -1 <= actual.low < actual.spearman < actual.high <= 1
    assert correlation(first, second) == actual


def test_the_interval_narrows_with_the_number_of_things():
    rng = np.random.default_rng(1)
    widths = []
    for count in (15, 400):
        first = rng.random(count)
        actual = correlation(first, first + rng.random(count))
        widths.append(actual.high - actual.low)
    assert widths[1] < widths[0] / 2


def test_same_and_reversed_orders():
    assert correlation([1, 2, 3, 4], [10, 20, 25, 99]).spearman == 1
    assert correlation([1, 2, 3, 4], [4, 3, 2, 1]).kendall == -1


@pytest.mark.parametrize("second", [[], [3.0], [2.0, 2.0, 2.0]])
def test_no_order_has_no_correlation(second):
    first = list(range(len(second)))
    assert math.isnan(spearman(first, second))
    assert math.isnan(correlation(first, second).spearman)


def test_ratios_by_hand(results):
    actual = ratios(results.matrices, "jd", "crs")
    assert [(ratio.matrix.name, ratio.cycles, ratio.time) for ratio in actual] == [
        ("gre_185", 0.8, 0.75),
        ("memplus", 0.6, 0.5),
        ("mine", 0.4, 0.25),
    ]
    assert of_ratios(actual).spearman == 1
    assert of_ratios(ratios(results.matrices, "bbcs", "crs")).spearman == -1


def test_chism_is_compared_with_the_times_of_hism(results):
    actual = ratios(results.matrices, "chism", "crs")
    assert [(ratio.cycles, ratio.time) for ratio in actual] == [(0.3, 0.5), (0.2, 1.25), (0.1, 2.0)]


def test_sides_by_hand(results):
    counted = sides(ratios(results.matrices, "hism", "crs"))
    assert (counted.same, counted.other, counted.alike) == (1, 2, 0)
    equal = checked("equal", numbers(10, 5, 5, 5, 5), numbers(2.0, 2.05, 1.0, 1.0))
    assert sides(ratios([equal], "jd", "crs")).alike == 1


def test_what_was_not_timed_is_left_out(results):
    untimed = checked("untimed", numbers(1, 1, 1, 1, 1), numbers(1.0, None, 1.0, 1.0))
    every = [*results.matrices, untimed]
    assert len(ratios(every, "jd", "crs")) == 3
    assert len(ratios(every, "hism", "crs")) == 4
    assert len(orders(every, ("crs", "jd"))) == 3


def test_orders_by_hand(results):
    actual = orders(results.matrices, ("crs", "jd", "bbcs", "hism"))
    first, second, last = actual
    assert (first.fastest_by_cycles, first.fastest_on_gpu) == ("hism", "hism")
    assert first.lost == 1
    # Cycles: hism bbcs jd crs; times: jd crs hism bbcs; one pair of six stands as it should.
    assert second.kendall == pytest.approx((2 - 4) / 6)
    assert second.lost == 2.5
    assert (last.fastest_by_cycles, last.fastest_on_gpu) == ("hism", "jd")
    assert last.lost == 8


def test_a_feature_with_each_world(results):
    actual = ratios(results.matrices, "hism", "crs")
    by_cycles, by_time = explained_by(actual, lambda each: {"gre_185": 1, "memplus": 2, "mine": 3}[each.name])
    assert by_cycles == pytest.approx(np.corrcoef([1, 2, 3], [1.5, 3, 1.5])[0, 1])
    assert by_time == 1
