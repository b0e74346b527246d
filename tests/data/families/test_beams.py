"""Beams of finite elements, small ones against their definition, written again as plain loops."""

from itertools import product

import numpy as np
import pytest
from dense_matrices import same_entries

from vecsim.data.families.beams import clamped_beam, supported_beam, supported_beam_with_torsion, wathen


def flexure(h, stiffness):
    k = stiffness / h**3
    return k * np.array(
        [
            [12, 6 * h, -12, 6 * h],
            [6 * h, 4 * h**2, -6 * h, 2 * h**2],
            [-12, -6 * h, 12, -6 * h],
            [6 * h, 2 * h**2, -6 * h, 4 * h**2],
        ]
    )


def beam(elements, length, held, bars, stiffness):
    """Assemble element by element: bars, then deflection and rotation at every node; drop what is held."""
    h, unknowns = length / elements, len(bars) + 2
    whole = np.zeros((unknowns * (elements + 1),) * 2)
    for element in range(elements):
        start = unknowns * element
        for place, bar in enumerate(bars):
            ends = [start + place, start + place + unknowns]
            whole[np.ix_(ends, ends)] += bar / h * np.array([[1, -1], [-1, 1]])
        first = start + len(bars)
        ends = [first, first + 1, first + unknowns, first + unknowns + 1]
        whole[np.ix_(ends, ends)] += flexure(h, stiffness)
    last = unknowns * elements
    free = [k for k in range(len(whole)) if k not in held and k - last not in held]
    return whole[np.ix_(free, free)]


def test_beams_by_loops():
    same_entries(clamped_beam(4), beam(4, 10, (0, 1, 2), (1e4,), 1e5), 1e-12)
    same_entries(supported_beam(3), beam(3, 0.1, (0,), (), 0.009818), 1e-12)
    bars = (157080, 0.009817 / 1.29)
    same_entries(supported_beam_with_torsion(3), beam(3, 0.1, (0, 1, 2), bars, 0.009818), 1e-12)


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
