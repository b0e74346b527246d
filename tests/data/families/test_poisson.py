"""Laplacians on grids, small ones against their definition, written again as plain loops."""

import numpy as np
import pytest
from dense_matrices import on_grid, same_entries

from vecsim.data.families.poisson import (
    laplace1d,
    laplace2d,
    laplace3d,
    nested_cubes,
    nine_point,
    nine_point_pattern,
    twenty_seven_point,
)


def star(step):
    distance = sum(map(abs, step))
    return {0: 2 * len(step), 1: -1}.get(distance)


def box(step):
    if max(map(abs, step)) > 1:
        return None
    return -1 if any(step) else 3 ** len(step) - 1


@pytest.mark.parametrize(
    ("make", "dimensions", "value"),
    [
        (laplace1d, 1, star),
        (laplace2d, 2, star),
        (laplace3d, 3, star),
        (nine_point, 2, box),
        (twenty_seven_point, 3, box),
    ],
)
@pytest.mark.parametrize("points", [1, 2, 3, 4])
def test_poisson(make, dimensions, value, points):
    same_entries(make(points), on_grid((points,) * dimensions, lambda _, step: value(step)))


def test_nested_cubes():
    points = 6

    def conductivity(node):
        if all(k in (2, 3) for k in node):
            return 1e6
        return 100 if all(1 <= k <= 4 for k in node) else 0.01

    def coefficient(node, step):
        other = tuple(np.add(node, step))
        if any(step):
            return -conductivity(max(node, other)) if sum(map(abs, step)) == 1 else None
        number = 36 * node[0] + 6 * node[1] + node[2]
        after = [number + k for k in (1, 6, 36) if number + k < 216]
        return 3 * conductivity(node) + sum(conductivity((k // 36, k // 6 % 6, k % 6)) for k in after)

    same_entries(nested_cubes(points), on_grid((points,) * 3, coefficient), 1e-12)


def test_nine_point_pattern():
    same_entries(nine_point_pattern(3), nine_point(3).toarray() != 0)


def test_laplace2d_entry_by_entry():
    expected = [[4, -1, -1, 0], [-1, 4, 0, -1], [-1, 0, 4, -1], [0, -1, -1, 4]]
    np.testing.assert_array_equal(laplace2d(2).toarray(), expected)
