"""Elliptic operators, small ones against their definition, written again as plain loops."""

import csv
from itertools import product
from math import cos, exp, pi, sin

import numpy as np
import pytest
from dense_matrices import on_grid, same_entries

from vecsim.data import load_builtin
from vecsim.data.families.nep import (
    boundary_problem,
    brusselator,
    brusselator_wave,
    convection_diffusion,
    convection_diffusion_cube,
    grcar,
    ising,
    olmstead,
    pde,
    random_walk,
    tolosa,
    tubular_reactor,
)


def test_pde_entry_by_entry():
    # Two points side by side: x = 1/3 and 2/3, y = 1/2; mesh widths 1/3 and 1/2, so their ratio is 9/4.
    matrix = pde(2, 1).toarray()
    middle, drift = 9 / 4 * np.exp(-1 / 4), 3 / 4 / 2 * (20 * (5 / 6) + 20 * (7 / 6))
    corner = 9 / 4 * (np.exp(-1 / 12) + np.exp(-1 / 4)) + np.exp(1 / 12) + np.exp(1 / 4)
    assert matrix[0, 0] == pytest.approx(corner + 1 / 4 / (1 + 1 / 3 + 1 / 2))
    # Transposed, as in the files of the collection.
    assert matrix[0, 1] == pytest.approx(-(middle + drift))
    assert matrix[1, 0] == pytest.approx(-middle + drift)


def test_pde_by_loops():
    points_x, points_y = 3, 4
    hx, hy = 1 / 4, 1 / 5

    def coefficient(node, step):
        y, x = hy * (node[0] + 1), hx * (node[1] + 1)
        if step == (0, 0):
            neighbours = [coefficient(node, other) for other in ((0, -1), (0, 1), (-1, 0), (1, 0))]
            # What the neighbours take in diffusion, without their drift, and the term in u itself.
            drift = [20 * (x + k * hx + y) + 20 * (x + y) for k in (-1, 1)]
            diffusion = -sum(neighbours) + hy * hy / (2 * hx) * (drift[1] - drift[0])
            return diffusion + hy * hy / (1 + x + y)
        if step in ((0, 1), (0, -1)):
            p = exp(-(x + step[1] * hx / 2) * y)
            drift = 20 * (x + step[1] * hx + y) + 20 * (x + y)
            return hy * hy * (-p / hx**2 + step[1] * drift / (2 * hx))
        return -exp(x * (y + step[0] * hy / 2)) if step in ((1, 0), (-1, 0)) else None

    # Rows of the definition are columns of the collection's files.
    same_entries(pde(points_x, points_y), on_grid((points_y, points_x), coefficient).T, 1e-12)


def test_convection_diffusion():
    h, p1, p2, p3 = 1 / 4, 1, 2, 30

    def coefficient(_, step):
        return {
            (0, 0): 4 - p3 * h * h,
            (0, -1): -1 + p1 * h,
            (0, 1): -1 - p1 * h,
            (-1, 0): -1 + p2 * h,
            (1, 0): -1 - p2 * h,
        }.get(step)

    same_entries(convection_diffusion(3, p1, p2, p3), on_grid((3, 3), coefficient))


def test_convection_diffusion_in_a_cube():
    h = 1 / 4

    def coefficient(_, step):
        if not any(step):
            return 6 - 30 * h * h
        if sum(map(abs, step)) > 1:
            return None
        z, y, x = step
        return -1 - h * (25 * x + 50 * y + 75 * z)

    same_entries(convection_diffusion_cube(3), on_grid((3, 3, 3), coefficient))


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


def test_grcar_entry_by_entry():
    expected = [
        [1, 1, 1, 1, 0],
        [-1, 1, 1, 1, 1],
        [0, -1, 1, 1, 1],
        [0, 0, -1, 1, 1],
        [0, 0, 0, -1, 1],
    ]
    same_entries(grcar(5), np.array(expected))
    same_entries(grcar(2), np.array([[1, 1], [-1, 1]]))


def test_ising_is_the_product_of_rotations():
    pairs, angle = 3, pi / 4
    k, shifted = np.zeros((6, 6)), np.zeros((6, 6))
    for pair in range(pairs):
        one, two, three = 2 * pair, 2 * pair + 1, (2 * pair + 2) % 6
        for matrix, a, b in ((k, one, two), (shifted, two, three)):
            matrix[a, a] = matrix[b, b] = cos(angle)
            matrix[a, b], matrix[b, a] = sin(angle), -sin(angle)
    same_entries(ising(pairs), k @ shifted, 1e-12)


def test_boundary_problem_entry_by_entry():
    expected = [
        [-2, 1, 0, 0, 0, 0],
        [1, -2, 1, 0, 0, 0],
        [0, 1, -2, 1, 0, 0],
        [0, 0, 1, -2, 1, 0],
        [0, 0, 0, 1, -2, 1],
        [4, -1, 0, 0.01, -0.04, 0.03],
    ]
    same_entries(boundary_problem(6), np.array(expected))


def test_random_walk_entry_by_entry():
    # Nodes (i, j): 00 01 02 10 11 20; columns are where a step starts.
    expected = [
        [0, 1 / 2, 0, 1 / 2, 0, 0],
        [1 / 2, 0, 1, 0, 1 / 2, 0],
        [0, 1 / 4, 0, 0, 0, 0],
        [1 / 2, 0, 0, 0, 1 / 2, 1],
        [0, 1 / 4, 0, 1 / 4, 0, 0],
        [0, 0, 0, 1 / 4, 0, 0],
    ]
    np.testing.assert_array_equal(random_walk(2).toarray(), expected)


def test_random_walk_is_a_walk():
    walk = random_walk(37)
    assert walk.shape == (38 * 39 // 2,) * 2
    assert walk.nnz == 2 * 37 * 38
    np.testing.assert_allclose(walk.sum(axis=0), 1)


def test_tolosa_by_loops():
    small = tolosa(0).toarray()
    m = 21
    expected = np.zeros((5 * m, 5 * m))
    for k in range(m):
        expected[k, m + k] = 1
        for block, beta in ((2, -12.098), (3, -24.196), (4, -36.294)):
            expected[block * m + k, m + k] = 1
            expected[block * m + k, block * m + k] = beta
    for i, j, block in product(range(18), range(18), range(5)):
        expected[m + i, block * m + j] = small[18 + i, block * 18 + j]
    c1 = 0.299 / 3
    c2 = 0.001 - c1
    for i in (1, 2, 3):
        omega, alpha = 150 + 6 * i, c1 * i + c2
        expected[m + 17 + i, 17 + i] = -(omega**2)
        expected[m + 17 + i, m + 17 + i] = -2 * alpha * omega
    same_entries(tolosa(3), expected, 1e-12)


def test_the_smallest_has_no_further_modes_and_is_tols90():
    """N counts modes next to the eighteen of the block of numbers: with none it is the collection's."""
    smallest = load_builtin("tolosa-0").csr
    assert smallest.shape == (90, 90)
    assert (smallest != load_builtin("tols90").csr).nnz == 0
