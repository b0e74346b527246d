import numpy as np
import pytest
import scipy.sparse
from product_cases import ALL_FORMATS, ARRANGEMENTS, THREADS, every_format
from tiers import one_combination_in, one_in

import gpu


@every_format
def test_nan_and_infinity_in_x_reach_the_rows_of_their_columns_alone(format):
    rng = np.random.default_rng(11)
    matrix = scipy.sparse.random_array((19, 11), density=0.25, rng=rng, format="csr")
    built = gpu.prepare(matrix, format, threads_per_block=THREADS)
    x = np.ones(11)
    x[[0, 10]] = np.nan, np.inf
    reached = np.zeros(19, dtype=bool)
    reached[matrix[:, [0, 10]].nonzero()[0]] = True
    np.testing.assert_array_equal(~np.isfinite(built @ x), reached)


@pytest.mark.parametrize("format", one_in(2, ["crs-split", "coo", ARRANGEMENTS[0]]), ids=str)
def test_a_row_longer_than_several_pieces(format):
    matrix = scipy.sparse.csr_array(np.vstack([np.zeros(700), np.arange(700.0) % 5 + 1, np.ones(700)]))
    y = gpu.prepare(matrix, format, threads_per_block=THREADS) @ np.ones(700)
    np.testing.assert_array_equal(y, [0, 2100, 700])


@pytest.mark.parametrize(
    ("format", "shape"),
    one_combination_in(3, ALL_FORMATS, [(0, 0), (0, 4), (4, 0), (4, 4)]),
    ids=lambda each: each if isinstance(each, str) else repr(each)[-40:],
)
def test_matrices_without_entries(format, shape):
    built = gpu.prepare(scipy.sparse.csr_array(shape), format, threads_per_block=THREADS)
    np.testing.assert_array_equal(built @ np.ones(shape[1]), np.zeros(shape[0]))
    y = built.matvec(np.ones(shape[1]), out=np.ones(shape[0]), beta=2)
    np.testing.assert_array_equal(y, np.full(shape[0], 2.0))
