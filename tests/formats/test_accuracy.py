import math

import numpy as np
import pytest
import scipy.sparse

from vecsim.formats.accuracy import disagreement, exact_product, relative_error, rounding_bound

MATRIX = scipy.sparse.csr_array(np.array([[2.0, -1.0], [0.0, 1.0]]))
X = np.array([0.5, 0.75])
EXACT = np.array([0.25, 0.75])  # and |A| |x| is 1.75, 0.75


def test_relative_error_by_hand():
    assert relative_error(MATRIX, X, EXACT) == 0
    assert relative_error(MATRIX, X, np.array([0.6, 0.75])) == pytest.approx(0.2)
    # The larger of 0.02 and 0.2: every element counts by its own scale.
    assert relative_error(MATRIX, X, np.array([0.285, 0.6])) == pytest.approx(0.2)


def test_factors_and_the_vector_that_was_there():
    y0 = np.array([3.0, 4.0])
    exact = -2 * EXACT + 0.5 * y0  # and the scale is 3.5 + 1.5, 1.5 + 2
    assert relative_error(MATRIX, X, exact, alpha=-2, beta=0.5, y0=y0) == 0
    assert relative_error(MATRIX, X, exact + np.array([0.5, 0]), alpha=-2, beta=0.5, y0=y0) == pytest.approx(
        0.1
    )


def test_values_are_taken_as_stored():
    matrix = scipy.sparse.csr_array(np.array([[0.1]], np.float32))
    x = np.array([0.5], np.float32)
    assert relative_error(matrix, x, np.array([0.05])) > 1e-9
    assert relative_error(matrix, x, np.array([np.float32(0.05)])) == 0


def test_where_everything_is_zero():
    matrix = scipy.sparse.csr_array(np.zeros((2, 2)))
    assert relative_error(matrix, np.ones(2), np.zeros(2)) == 0
    assert relative_error(matrix, np.ones(2), np.array([0, 1e-30])) == math.inf


def test_no_rows_and_no_columns():
    assert relative_error(scipy.sparse.csr_array((0, 3)), np.ones(3), np.ones(0)) == 0
    for kind in (scipy.sparse.csr_array, scipy.sparse.coo_array, scipy.sparse.csc_array):
        assert relative_error(kind((1, 0)), np.ones(0), np.zeros(1)) == 0
    assert rounding_bound(scipy.sparse.csr_array((0, 3)), np.float32) == 0
    assert rounding_bound(scipy.sparse.csr_array((3, 0)), np.float64) == 0


def test_a_result_that_is_no_number_is_never_right():
    matrix = scipy.sparse.eye_array(2, format="csr")
    assert not relative_error(matrix, np.ones(2), np.array([1, np.nan])) <= 1e-5
    assert not disagreement(matrix, np.ones(2), np.array([1, np.nan]), np.ones(2)) <= 1e-5


def test_underflow_is_forgiven_and_nothing_else():
    matrix = scipy.sparse.csr_array(np.array([[1e-42, 1e-42], [1.0, 0.0]], np.float32))
    x = np.array([0.3, 0.7], np.float32)
    y = matrix @ x
    assert relative_error(matrix, x, y) <= 2**-24
    assert relative_error(matrix, x, y + np.array([1e-44, 0], np.float32)) > 1e-3


def test_the_largest_error_is_found_wherever_it_is():
    rows = 300_000  # more than one part of the vector
    exact = exact_product(scipy.sparse.eye_array(rows, format="csr"), np.ones(rows))
    assert exact.error(np.ones(rows)) == 0
    for row in (0, rows // 2, rows - 1):
        y = np.ones(rows)
        y[row] = 1.25
        assert exact.error(y) == 0.25
        y[0] = np.nan
        assert math.isnan(exact.error(y))


def test_a_transpose_has_the_entries_of_its_rows():
    matrix = scipy.sparse.csr_array(np.array([[1.0, 2.0, 0.0], [0.0, 3.0, 0.0]]))
    assert exact_product(matrix.T, np.ones(2)).entries.tolist() == [1, 2, 0]
    assert rounding_bound(matrix.T, np.float64) == rounding_bound(matrix.T.tocsr(), np.float64)


def test_disagreement_by_hand():
    assert disagreement(MATRIX, X, EXACT, EXACT) == 0
    assert disagreement(MATRIX, X, EXACT, EXACT + np.array([0.35, 0])) == pytest.approx(0.2)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_any_order_of_summation_stays_within_the_bound(dtype):
    rng = np.random.default_rng(3)
    matrix = scipy.sparse.csr_array(rng.standard_normal((40, 60)).astype(dtype))
    x = rng.standard_normal(60).astype(dtype)
    bound = rounding_bound(matrix, dtype)
    assert bound == pytest.approx(60 * 2.0 ** (-24 if dtype == np.float32 else -53), rel=1e-4)
    # Against an r of the same type, which has its own error.
    shown = bound if dtype == np.float32 else 2 * bound
    products = matrix.toarray() * x
    for _ in range(20):
        order = rng.permutation(60)
        one_by_one = np.zeros(40, dtype)
        for column in order:
            one_by_one += products[:, column]
        in_two = products[:, order[:31]].sum(axis=1) + products[:, order[31:]].sum(axis=1)
        for y in (one_by_one, in_two):
            assert 0 < relative_error(matrix, x, y) <= shown
        assert disagreement(matrix, x, one_by_one, in_two) <= 2 * bound
