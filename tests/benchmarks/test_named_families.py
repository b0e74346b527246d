"""What the benchmark of named families computes without a GPU."""

from concurrent.futures import Future

import numpy as np

from benchmarks import named_families
from benchmarks.choice_matrices import COMPOSED, NAMED


def test_the_largest_of_each_family_come_first_then_the_smallest():
    recipes = named_families.by_rounds(NAMED)
    assert sorted(recipes, key=NAMED.index) == list(NAMED)
    first, second = recipes[:15], recipes[15:30]
    assert len({recipe.family for recipe in first}) == len({recipe.family for recipe in second}) == 15
    size = {recipe.family: named_families._size(recipe) for recipe in first}
    assert all(named_families._size(recipe) <= size[recipe.family] for recipe in recipes)
    assert list(size.values()) == sorted(size.values())


def test_matrices_are_generated_in_advance_in_their_order():
    submitted = []

    class Pool:
        def submit(self, make, number):
            submitted.append(number)
            future = Future()
            future.set_result(number)
            return future

    recipes = [NAMED[number] for number in (5, 3, 8, 1)]
    matrices = named_families._generated(Pool(), recipes, 2)
    assert (next(matrices), submitted) == (5, [5, 3, 8])
    assert [*matrices] == [3, 8, 1]


def test_the_error_is_relative_to_the_sum_of_absolute_products():
    y, expected, scale = np.array([1.5, 0.0, -2.0]), np.array([1.0, 0.0, -2.0]), np.array([10.0, 0.0, 4.0])
    assert named_families._error(y, expected, scale) == 0.05
    assert named_families._error(np.zeros(0), np.zeros(0), np.zeros(0)) == 0


def test_the_named_recipes_are_published_families_and_none_of_the_composed():
    assert len({recipe.family for recipe in NAMED}) == 15
    assert not {recipe.name for recipe in NAMED} & {recipe.name for recipe in COMPOSED}
