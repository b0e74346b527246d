"""Sums are checked against SciPy's, which has no entries where operands cancel."""

import numpy as np
import pytest
import scipy.sparse

from experiments.hisparse.sum_measurement import difference


def test_equal_but_for_zeros():
    wanted = scipy.sparse.csr_array(np.array([[1.0, 0, 2], [0, 0, 4]]))
    found = scipy.sparse.csr_array(
        (np.array([1.0, 0, 2, 4]), np.array([0, 1, 2, 2]), np.array([0, 3, 4])), shape=(2, 3)
    )
    assert difference(found.copy(), wanted.copy()) == 0
    found.data[3] = 3
    assert difference(found.copy(), wanted.copy()) == pytest.approx(0.25)
    found.data[1] = 1
    assert difference(found, wanted.copy()) == float("inf")
    nothing = scipy.sparse.csr_array((2, 3))
    assert difference(nothing, nothing.copy()) == 0
