"""What the benchmark of named families computes without a GPU."""

import numpy as np

from benchmarks import named_families
from benchmarks.choice_matrices import COMPOSED, NAMED


def test_small_matrices_come_first():
    sizes = [named_families._size(recipe) for recipe in sorted(NAMED, key=named_families._size)]
    assert sizes == sorted(sizes) and sizes[0] < 100 and sizes[-1] == 20_000_000


def test_the_error_is_relative_to_the_sum_of_absolute_products():
    y, expected, scale = np.array([1.5, 0.0, -2.0]), np.array([1.0, 0.0, -2.0]), np.array([10.0, 0.0, 4.0])
    assert named_families._error(y, expected, scale) == 0.05
    assert named_families._error(np.zeros(0), np.zeros(0), np.zeros(0)) == 0


def test_the_named_recipes_are_published_families_and_none_of_the_composed():
    assert len({recipe.family for recipe in NAMED}) == 15
    assert not {recipe.name for recipe in NAMED} & {recipe.name for recipe in COMPOSED}
