"""Wathen's mass matrix: eight-node elements on a square."""

from typing import Any

import numpy as np

from vecsim.data.finite_elements.assembly import assemble


def wathen(elements: int) -> Any:
    """Return the mass matrix of eight-node serendipity elements of unit density, `elements` a side.

    3 n^2 + 4 n + 1 nodes, corners and middles of edges, numbered row by row. Source: A. J. Wathen, IMA
    Journal of Numerical Analysis 7, 1987. Pattern and element are those of N. Higham's gallery, whose
    wathen100 has random densities; so that name is not claimed.
    """
    near = np.array([[6, -6, 2, -8], [-6, 32, -6, 20], [2, -6, 6, -6], [-8, 20, -6, 32]])
    across = np.array([[3, -8, 2, -6], [-8, 16, -8, 20], [2, -8, 3, -8], [-6, 20, -8, 16]])
    element = np.block([[near, across], [across.T, near]]) / 45.0
    row, column = (index.ravel() for index in np.indices((elements, elements)))
    # Between two rows of 2 n + 1 nodes lies one of n + 1.
    bottom = row * (3 * elements + 2) + 2 * column
    middle = row * (3 * elements + 2) + 2 * elements + 1 + column
    top = bottom + 3 * elements + 2
    nodes = np.stack([top + 2, top + 1, top, middle, bottom, bottom + 1, bottom + 2, middle + 1], axis=1)
    return assemble(nodes, element, 3 * elements**2 + 4 * elements + 1)
