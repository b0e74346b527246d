"""Matrices with constant diagonals, small ones against their definition, written again as plain loops."""

from math import cos, pi, sin

import numpy as np
from dense_matrices import same_entries

from vecsim.data.families.toeplitz import boundary_problem, grcar, ising


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
