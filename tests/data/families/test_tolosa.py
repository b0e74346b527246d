"""The Tolosa matrices, small ones against their definition, written again as plain loops."""

from itertools import product

import numpy as np
from dense_matrices import same_entries

from vecsim.data import load_builtin
from vecsim.data.families.tolosa import tolosa


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
    """N counts modes beside the eighteen of the block of numbers: with none it is the collection's."""
    smallest = load_builtin("tolosa-0").csr
    assert smallest.shape == (90, 90)
    assert (smallest != load_builtin("tols90").csr).nnz == 0
