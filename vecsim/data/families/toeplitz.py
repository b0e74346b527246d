"""Constant along the diagonals, or nearly so: Grcar, the Ising model, an ordinary boundary problem."""

from typing import Any

import numpy as np

from vecsim.data.families.assembly import csr, stencil


def grcar(size: int) -> Any:
    """Return Grcar's matrix: -1 below the diagonal, 1 on it and on the three diagonals above.

    Source: J. F. Grcar, SAND89-8691, 1989, as MVMGRC in the NEP collection.
    """
    return stencil((size,), {(0,): 1, (-1,): -1, (1,): 1, (2,): 1, (3,): 1})


def ising(pairs: int) -> Any:
    """Return the transfer matrix K L of the Ising model, of order 2 `pairs`.

    K has the rotations by alpha on the diagonal, L those by beta, shifted by one and closed in the
    corners: alpha = beta = pi / 4. Source: B. Friedman, as MVMISG in the NEP collection.
    """
    alpha = beta = np.pi / 4
    rotation = np.array([[np.cos(alpha), np.sin(alpha)], [-np.sin(alpha), np.cos(alpha)]])
    size = 2 * pairs
    first = np.arange(0, size, 2)
    second = first + 1
    before, after = (first - 1) % size, (second + 1) % size
    # L has cos beta on the diagonal, in the first row of a pair -sin beta at its left, in the second
    # sin beta at its right.
    rows, columns, values = [], [], []
    for row, (c, s) in zip((first, second), rotation, strict=True):
        rows += [row, row, row, row]
        columns += [before, first, second, after]
        values += [-c * np.sin(beta), c * np.cos(beta), s * np.cos(beta), s * np.sin(beta)]
    return csr((size, size), rows, columns, values)


def boundary_problem(size: int) -> Any:
    """Return the left side of y'' + mu^2 y = 0, y(0) = 0, y'(0) + gamma y'(1) = 0 on `size` points.

    (1, -2, 1) in all rows but the last, which holds the boundary: 4, -1 in front, gamma, -4 gamma,
    3 gamma at the end; gamma = 0.01. Source: G. W. Stewart, as MVMODE in the NEP collection. Compared
    with: odepa400, the collection's index.
    """
    node = np.arange(size)
    rows = [node[:-1], node[1:-1], node[:-1], np.full(5, size - 1)]
    columns = [node[:-1], node[:-2], node[1:], np.array([0, 1, size - 3, size - 2, size - 1])]
    return csr((size, size), rows, columns, [-2, 1, 1, np.array([4, -1, 0.01, -0.04, 0.03])])
