"""The random walk, small ones against their definition, written again as plain loops."""

import numpy as np

from vecsim.data.families.random_walk import random_walk


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
