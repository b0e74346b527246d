import numpy as np
import pytest
import scipy.sparse

from vecsim.data import values_as
from vecsim.support.errors import UserError


def matrix(*values):
    return scipy.sparse.csr_array(np.array([[0.0] * len(values), values]))


def test_64_bits_leave_the_matrix_as_it_is():
    given = matrix(1e300, 1e-300)
    rounded, warnings = values_as(given, 8)
    assert rounded is given
    assert warnings == ()


def test_complex_values_are_refused():
    with pytest.raises(UserError, match="complex values"):
        values_as(matrix(1j), 8)


def test_32_bits_round_to_nearest_and_keep_explicit_zeros():
    given = matrix(0.1, 2.0)
    given.data[1] = 0.0
    rounded, warnings = values_as(given, 4)
    assert rounded.dtype == np.float32
    assert rounded.data.tolist() == [np.float32(0.1), 0.0]
    assert given.dtype == np.float64
    assert warnings == ()


def test_back_to_64_bits():
    rounded, warnings = values_as(values_as(matrix(0.1), 4)[0], 8)
    assert rounded.data.tolist() == [float(np.float32(0.1))]
    assert warnings == ()


def test_too_large_values_are_refused():
    with pytest.raises(UserError, match=r"1e\+39 in row 2, column 2 .*\(2 such values\).*--value-bits 64"):
        values_as(matrix(1.0, 1e39, -1e300), 4)


def test_too_small_values_warn():
    rounded, warnings = values_as(matrix(1.0, 1e-60, 1e-40), 4)
    assert rounded.nnz == 3
    assert len(warnings) == 1
    assert warnings[0].startswith(
        "2 values too small for 32 bits, the first 1e-60 in row 2, column 2: 1 became"
    )
    assert "--value-bits 64" in warnings[0]


def test_an_impossible_width_is_refused():
    with pytest.raises(UserError, match="4 or 8 bytes"):
        values_as(matrix(1.0), 2)
