"""Averages, and what they are without one of their matrices."""

import pytest

from experiments.papers.kit.numbers import Average, average, judged, mean_ratio, spread


def test_a_mean_that_one_matrix_makes_shows_it():
    mean = mean_ratio({"a": 1.0, "b": 1.0, "c": 64.0})
    assert mean is not None
    assert (mean.value, *mean.without_one) == pytest.approx((4.0, 1.0, 8.0))
    assert (mean.least_without, mean.greatest_without) == ("c", "a")
    assert str(mean) == "4.00 (1.00 without c to 8.00 without a)"
    assert spread({"a": 1.0, "b": 1.0, "c": 64.0}).endswith("on average, 1.00 (a) to 64.00 (c)")


def test_any_average_can_be_taken_without_one():
    times = {"a": (1.0, 2.0), "b": (1.0, 10.0)}
    quotient = average(times, lambda pairs: sum(slow for _, slow in pairs) / sum(fast for fast, _ in pairs))
    assert quotient == Average(6.0, 2.0, 10.0, "b", "a")


def test_of_a_single_matrix_and_of_none():
    assert mean_ratio({"a": 2.0}) == Average(pytest.approx(2.0), pytest.approx(2.0), pytest.approx(2.0))
    assert str(mean_ratio({"a": 2.0})) == "2.00"
    assert mean_ratio({}) is None


def test_a_claim_that_one_matrix_decides_is_not_judged():
    def large(numbers):
        return sum(numbers) > 10

    assert judged({"a": 9, "b": 9, "c": 9}, large) == (True, "")
    assert judged({"a": 1, "b": 1}, large) == (False, "")
    assert judged({"a": 11}, large) == (True, "")
    assert judged({"a": 11, "b": 0}, large) == (None, "; this holds, but not without a")
    undecided = judged({"a": 13, "b": -2, "c": -2}, large)
    assert undecided == (None, "; this fails, but not without b or without c")
