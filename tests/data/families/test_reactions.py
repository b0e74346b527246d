"""Reactions with diffusion, small ones against their definition, written again as plain loops."""

import csv

import numpy as np
import pytest
from dense_matrices import same_entries

from vecsim.data.families.reactions import brusselator, brusselator_wave, olmstead, tubular_reactor


def test_olmstead_entry_by_entry():
    s = (3 / np.pi) ** 2
    expected = [
        [4.7 - 0.2 * s, -1.8 * s, 0.1 * s, 0.9 * s],
        [0.5, -0.5, 0, 0],
        [0.1 * s, 0.9 * s, 4.7 - 0.2 * s, -1.8 * s],
        [0, 0, 0.5, -0.5],
    ]
    same_entries(olmstead(2), np.array(expected), 1e-12)


def test_brusselator_wave_entry_by_entry():
    u, v = 0.008 * (3 / 0.51302) ** 2, 0.004 * (3 / 0.51302) ** 2
    expected = [
        [4.45 - 2 * u, u, 4, 0],
        [u, 4.45 - 2 * u, 0, 4],
        [-5.45, 0, -4 - 2 * v, v],
        [0, -5.45, v, -4 - 2 * v],
    ]
    same_entries(brusselator_wave(2), np.array(expected), 1e-12)


def test_brusselator_entry_by_entry():
    # Four points: 0 1 above 2 3, each with u and v; mesh width 1/3, L = 1/2.
    u, v = 0.004 * 36, 0.008 * 36
    expected = np.zeros((8, 8))
    for point in range(4):
        expected[2 * point : 2 * point + 2, 2 * point : 2 * point + 2] = [
            [4.45 - 4 * u, 4],
            [-5.45, -4 - 4 * v],
        ]
    for one, other in ((0, 1), (2, 3), (0, 2), (1, 3)):
        for a, b in ((one, other), (other, one)):
            expected[2 * a, 2 * b], expected[2 * a + 1, 2 * b + 1] = u, v
    same_entries(brusselator(2, 0.5), expected, 1e-12)


def test_tubular_reactor_is_at_its_steady_state():
    points = 21
    jacobian = tubular_reactor(points).toarray()
    h, peclet, b, d, gamma, beta = 1 / 20, 5, 0.5, 0.23, 25, 3.5
    # The rate of reaction heats (b times), the temperature quickens it: so both stand in the Jacobian.
    rate = [jacobian[2 * k + 1, 2 * k] / b for k in range(points)]
    t = [gamma / (gamma - np.log(rate[k] / d)) for k in range(points)]
    y = [-jacobian[2 * k, 2 * k + 1] / rate[k] * t[k] ** 2 / gamma for k in range(points)]

    def transport(u, k, inflow):
        before = u[1] - 2 * h * peclet * (u[0] - inflow) if k == 0 else u[k - 1]
        after = u[k - 1] if k == points - 1 else u[k + 1]
        return (before - 2 * u[k] + after) / (peclet * h * h) - (after - before) / (2 * h)

    for k in range(points):
        assert transport(y, k, 1) - y[k] * rate[k] == pytest.approx(0, abs=1e-9)
        heat = transport(t, k, 1) - beta * (t[k] - 1) + b * y[k] * rate[k]
        assert heat == pytest.approx(0, abs=1e-9)
        reaction = b * y[k] * rate[k] * gamma / t[k] ** 2
        at_the_inflow = 2 * h * peclet * (1 / (peclet * h * h) + 1 / (2 * h)) if k == 0 else 0
        diffusion = 2 / (peclet * h * h) + at_the_inflow
        assert jacobian[2 * k, 2 * k] == pytest.approx(-diffusion - rate[k])
        assert jacobian[2 * k + 1, 2 * k + 1] == pytest.approx(-diffusion - beta + reaction)


# From the collection's tub1000, which differs at the last point alone: rows and columns from 1.
TUB1000 = """
1,1,-1.00603771E+05
2,1,1.86625885E-01
3,1,5.00496987E+04
1,2,-8.14551509E+00
2,2,-1.00602825E+05
1,3,9.96003974E+04
4,3,1.87515627E-01
125,125,-9.96008966E+04
126,125,2.49556941E-01
125,126,-9.90951870E+00
126,126,-9.95989427E+04
970,969,8.07151261E-01
971,972,-1.38087580E+01
998,997,8.08191491E-01
999,997,9.96003974E+04
998,998,-9.95970068E+04
997,999,4.95506987E+04
"""


def test_tubular_reactor_agrees_with_entries_of_the_collections_file():
    matrix = tubular_reactor(500)
    for row, column, value in csv.reader(TUB1000.split()):
        # The file was computed in single precision.
        assert matrix[int(row) - 1, int(column) - 1] == pytest.approx(float(value), rel=4e-8)
