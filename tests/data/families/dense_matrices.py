"""Dense matrices to compare members of a family with."""

from itertools import product

import numpy as np


def on_grid(shape, entry):
    """Return the dense matrix of a grid; `entry` returns a value for a node and a step, None for no entry."""
    nodes = list(product(*map(range, shape)))
    matrix = np.zeros((len(nodes), len(nodes)))
    for row, node in enumerate(nodes):
        for column, other in enumerate(nodes):
            value = entry(node, tuple(np.subtract(other, node)))
            if value is not None:
                matrix[row, column] = value
    return matrix


def same_entries(matrix, dense, rtol=0.0):
    """Check pattern and values: no entry where the dense matrix is zero."""
    assert matrix.nnz == np.count_nonzero(dense)
    np.testing.assert_allclose(matrix.toarray(), dense, rtol=rtol)
