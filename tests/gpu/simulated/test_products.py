import numpy as np
import pytest
import scipy.sparse
from hypothesis import given, settings
from product_cases import ARRANGEMENTS, THREADS, allowed, relative_error, tiny_matrices

import gpu

FORMATS = [*gpu.KERNELS, "auto", *ARRANGEMENTS]
every_format = pytest.mark.parametrize(
    "format", FORMATS, ids=lambda f: f if isinstance(f, str) else repr(f)[8:40]
)
few = settings(max_examples=8)


@every_format
@few
@given(matrix=tiny_matrices())
def test_product_of_any_matrix(format, matrix):
    made = gpu.prepare(matrix, format, threads_per_block=THREADS)
    x = np.linspace(-1, 2, matrix.shape[1]).astype(matrix.dtype)
    y = made @ x
    assert y.dtype == matrix.dtype
    assert relative_error(y, matrix, x) <= allowed(matrix)
    np.testing.assert_array_equal(made @ x, y)

    y0 = np.linspace(3, -1, matrix.shape[0]).astype(matrix.dtype)
    y = made.matvec(x, out=y0.copy(), alpha=-2, beta=0.5)
    assert relative_error(y, matrix, x, -2, 0.5, y0) <= allowed(matrix)


@every_format
@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_nan_in_x_reaches_the_rows_of_its_column_alone(format, bad):
    rng = np.random.default_rng(11)
    matrix = scipy.sparse.random_array((37, 21), density=0.15, rng=rng, format="csr")
    made = gpu.prepare(matrix, format, threads_per_block=THREADS)
    for column in (0, 20):
        x = np.ones(21)
        x[column] = bad
        reached = np.zeros(37, dtype=bool)
        reached[matrix[:, [column]].nonzero()[0]] = True
        np.testing.assert_array_equal(~np.isfinite(made @ x), reached)


@every_format
def test_beta_zero_never_reads_y(format):
    matrix = scipy.sparse.csr_array(np.triu(np.ones((9, 9))) * (np.arange(9) != 4)[:, None])
    made = gpu.prepare(matrix, format, threads_per_block=THREADS)
    y = made.matvec(np.ones(9), out=np.full(9, np.nan))
    np.testing.assert_array_equal(y, matrix @ np.ones(9))


@pytest.mark.parametrize("format", ["crs-split", "coo", ARRANGEMENTS[0]], ids=str)
def test_a_row_longer_than_several_pieces(format):
    matrix = scipy.sparse.csr_array(np.vstack([np.zeros(700), np.arange(700.0) % 5 + 1, np.ones(700)]))
    y = gpu.prepare(matrix, format, threads_per_block=THREADS) @ np.ones(700)
    np.testing.assert_array_equal(y, [0, 2100, 700])


@pytest.mark.parametrize("shape", [(0, 0), (0, 4), (4, 0), (4, 4)])
@every_format
def test_matrices_without_entries(format, shape):
    made = gpu.prepare(scipy.sparse.csr_array(shape), format, threads_per_block=THREADS)
    np.testing.assert_array_equal(made @ np.ones(shape[1]), np.zeros(shape[0]))
    y = made.matvec(np.ones(shape[1]), out=np.ones(shape[0]), beta=2)
    np.testing.assert_array_equal(y, np.full(shape[0], 2.0))
