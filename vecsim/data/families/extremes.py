"""Shapes at the ends of what a format may meet: a diagonal, an arrowhead, a full matrix."""

from typing import Any

import numpy as np

from vecsim.data.families.assembly import csr


def diagonal(size: int) -> Any:
    """Return 1, 2, ..., `size` on the diagonal, in shape a lumped mass matrix."""
    node = np.arange(size)
    return csr((size, size), [node], [node], [node + 1])


def arrowhead(size: int) -> Any:
    """Return `size` in the corner, 2 on the rest of the diagonal, -1 in the first row and column.

    An arrowhead: a full row among rows of two entries makes the most jagged diagonals.
    """
    node = np.arange(1, size)
    first = np.zeros_like(node)
    corner = np.array([0])
    return csr(
        (size, size), [corner, node, first, node], [corner, node, node, first], [max(size, 2), 2, -1, -1]
    )


def hilbert(size: int) -> Any:
    """Return the Hilbert matrix, 1 / (i + j - 1): no entry is zero. Source: D. Hilbert, 1894."""
    row, column = np.indices((size, size))
    return csr((size, size), [row], [column], [1 / (row + column + 1.0)])
