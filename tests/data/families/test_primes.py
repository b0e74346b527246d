"""Trefethen's matrices of primes, small ones against their definition, written again as plain loops."""

import numpy as np

from vecsim.data.families.primes import trefethen, trefethen_minor


def test_trefethen_entry_by_entry():
    expected = [
        [2, 1, 1, 0, 1],
        [1, 3, 1, 1, 0],
        [1, 1, 5, 1, 1],
        [0, 1, 1, 7, 1],
        [1, 0, 1, 1, 11],
    ]
    np.testing.assert_array_equal(trefethen(5).toarray(), expected)
    np.testing.assert_array_equal(trefethen_minor(4).toarray(), np.array(expected)[1:, 1:])
    assert trefethen(20000).data.max() == 224737
