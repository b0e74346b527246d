"""Variants that are chosen together, by hand."""

import numpy as np
import pytest

from gpu.compound.tuning.predictor import diverse_choice

ALIKE = np.array([[1.0, 1.1, 9.0, 3.0], [5.0, 5.1, 2.0, 3.0]])
"""Two predictions: the second variant is like the first, the third good where those are bad."""


@pytest.mark.parametrize(("count", "chosen"), [(0, []), (1, [0]), (2, [0, 2])])
def test_what_differs_comes_before_what_is_like_the_first(count, chosen):
    predictions = ALIKE[:, [0, 1, 2]]
    assert diverse_choice(predictions, count) == chosen


def test_the_first_has_the_least_mean():
    assert diverse_choice(ALIKE, 1) == [0]
    assert diverse_choice(ALIKE[:, ::-1], 1) == [0]  # both have 3 in the mean: the first given


def test_those_that_add_nothing_follow_by_their_means():
    assert diverse_choice(np.array([[1.0, 4.0, 2.0, 3.0]]), 9) == [0, 2, 3, 1]


def test_of_none_there_is_none():
    assert diverse_choice(np.zeros((3, 0)), 2) == []
