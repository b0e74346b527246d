import numpy as np
import pytest
import scipy.sparse
from hypothesis import given
from hypothesis import strategies as st
from product_cases import THREADS, allowed, every_format, relative_error, tiny_matrices
from tiers import examples

import gpu

few = examples(3)


@every_format
@few
@given(matrix=tiny_matrices(), factors=st.sampled_from([(1, 0), (-2, 0.5), (3, 0)]))
def test_product_of_any_matrix(format, matrix, factors):
    built = gpu.prepare(matrix, format, threads_per_block=THREADS)
    x = np.linspace(-1, 2, matrix.shape[1]).astype(matrix.dtype)
    alpha, beta = factors
    # What beta 0 multiplies must not be read.
    y0 = np.linspace(3, -1, matrix.shape[0]).astype(matrix.dtype) if beta else None
    out = np.full(matrix.shape[0], np.nan, matrix.dtype) if y0 is None else y0.copy()
    y = built.matvec(x, out=out, alpha=alpha, beta=beta)
    assert y.dtype == matrix.dtype
    assert relative_error(y, matrix, x, alpha, beta, y0) <= allowed(matrix)


@pytest.mark.parametrize(
    "format",
    ["coo", *(pytest.param(name, marks=pytest.mark.ci) for name in ("auto", "crs-split", "sell-hubs"))],
)
def test_a_product_is_the_same_again(format):
    matrix = np.random.default_rng(3).standard_normal((12, 25))
    built = gpu.prepare(scipy.sparse.csr_array(matrix), format, threads_per_block=THREADS)
    x = np.linspace(-1, 2, 25)
    np.testing.assert_array_equal(built @ x, built @ x)
