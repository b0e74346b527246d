"""Wathen's matrices, small ones against their definition, written again as plain loops."""

from itertools import product

import numpy as np
import pytest

from vecsim.data.families.serendipity import wathen


def test_wathen_integrates_products_of_shape_functions():
    # Top right, then against the clock round the square [-1, 1]^2.
    at = [(1, 1), (0, 1), (-1, 1), (-1, 0), (-1, -1), (0, -1), (1, -1), (1, 0)]

    def shape(node, x, y):
        a, b = at[node]
        if a and b:
            return (1 + a * x) * (1 + b * y) * (a * x + b * y - 1) / 4
        return (1 - x * x) * (1 + b * y) / 2 if b else (1 + a * x) * (1 - y * y) / 2

    gauss = [(-(0.6**0.5), 5 / 9), (0.0, 8 / 9), (0.6**0.5, 5 / 9)]
    expected = np.zeros((8, 8))
    for i, j in product(range(8), repeat=2):
        expected[i, j] = sum(u * v * shape(i, x, y) * shape(j, x, y) for x, u in gauss for y, v in gauss)
    # The nodes row by row: three, two, three.
    order = [4, 5, 6, 3, 7, 2, 1, 0]
    np.testing.assert_allclose(wathen(1).toarray(), expected[np.ix_(order, order)], atol=1e-14)
    large = wathen(7)
    assert large.shape[0] == 3 * 49 + 28 + 1
    assert large.sum() == pytest.approx(4 * 49)
    assert abs(large - large.T).max() == 0
