"""Elliptic operators, small ones against their definition, written again as plain loops."""

from math import exp

import numpy as np
import pytest
from dense_matrices import on_grid, same_entries

from vecsim.data.families.elliptic import convection_diffusion, convection_diffusion_cube, pde


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
