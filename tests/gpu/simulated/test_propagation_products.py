"""Propagation blocking in the simulator, where a block of threads runs alone: it does what others would.

The first block that waits for the ring does all of a super-block; those after it find it done. Few
super-blocks wait for nothing: then blocks multiply first and those that add find all products.
"""

import numpy as np
import pytest
import scipy.sparse
from hypothesis import given
from hypothesis import strategies as st
from product_cases import THREADS, allowed, relative_error, tiny_matrices
from tiers import examples

import gpu
from gpu.formats.propagation import Arrangement, PropagationProduct
from gpu.formats.propagation.container import PropagationBlocks
from gpu.runtime.cuda import cuda
from vecsim.support.errors import UserError


def multiplied(product, rows, x, alpha=1.0, beta=0.0, y0=None):
    """Launch a product and return y; every counter must be 0 again."""
    real = x.dtype.type
    y = cuda.to_device(np.full(rows, np.nan, real) if y0 is None else y0)
    product.launch(cuda.to_device(x), y, real(alpha), real(beta), 0)
    assert not product.counters.copy_to_host().any()
    return y.copy_to_host()


def whole_numbers(rows, columns, density):
    rng = np.random.default_rng(5)
    dense = np.where(rng.random((rows, columns)) < density, rng.integers(1, 9, (rows, columns)), 0)
    return scipy.sparse.csr_array(dense.astype(np.float64))


@pytest.mark.parametrize(
    ("of_super", "ring", "supers"),
    [(1000, 3, 1), (80, 3, 3), pytest.param(40, 2, 5, marks=pytest.mark.ci)],
    ids=["one", "few", "many"],
)
def test_more_super_blocks_than_the_ring_holds_or_fewer(of_super, ring, supers):
    matrix = whole_numbers(30, 20, 0.3)
    stored = PropagationBlocks.from_scipy(matrix, parts=2, bin_entries=24, super_entries=of_super)
    assert stored.super_blocks >= supers
    assert (stored.super_blocks > ring) == (supers > ring)
    assert stored.bins > stored.super_blocks
    product = PropagationProduct(stored, THREADS, arrangement=Arrangement(ring=ring))
    x = np.arange(20.0)
    np.testing.assert_array_equal(multiplied(product, 30, x), matrix @ x)
    y0 = np.arange(30.0)
    np.testing.assert_array_equal(multiplied(product, 30, x, 2, 3, y0), 2 * (matrix @ x) + 3 * y0)


def test_more_parts_than_blocks_that_multiply():
    matrix = whole_numbers(16, 40, 0.2)
    stored = PropagationBlocks.from_scipy(matrix, parts=5, widest_part=9, super_entries=64)
    assert stored.parts >= 5
    product = PropagationProduct(stored, THREADS)
    assert product.multiplying == 2
    x = np.arange(40.0)
    np.testing.assert_array_equal(multiplied(product, 16, x), matrix @ x)


@pytest.mark.parametrize("batch", [1, 2])
def test_bins_of_several_batches_of_groups_and_rows(batch):
    """200 rows and 300 groups, more than 64 threads have at once."""
    matrix = whole_numbers(200, 12, 0.5)
    stored = PropagationBlocks.from_scipy(matrix, parts=2, bin_entries=1600)
    assert stored.bins == 1 and np.diff(stored.bin_groups)[0] > 4 * THREADS
    product = PropagationProduct(stored, THREADS, arrangement=Arrangement(batch=batch))
    x = np.arange(12.0)
    np.testing.assert_array_equal(multiplied(product, 200, x), matrix @ x)


def test_a_dense_row_among_empty_ones():
    dense = np.zeros((9, 90))
    dense[4] = np.arange(1, 91)
    dense[[0, 8], 3] = 1
    matrix = scipy.sparse.csr_array(dense)
    stored = PropagationBlocks.from_scipy(matrix, parts=3, bin_entries=40, super_entries=40)
    assert (stored.bin_rows[:, 0] == 4).sum() >= 3
    product = PropagationProduct(stored, THREADS)
    x, y0 = np.arange(90.0), np.ones(9)
    np.testing.assert_array_equal(multiplied(product, 9, x), matrix @ x)
    np.testing.assert_array_equal(multiplied(product, 9, x, 2, 3, y0), 2 * (matrix @ x) + 3)


@pytest.mark.ci
def test_two_products_have_equal_bits():
    matrix = scipy.sparse.random_array((30, 30), density=0.3, rng=3, format="csr", dtype=np.float64)
    for dtype in (np.float32, np.float64):
        stored = PropagationBlocks.from_scipy(
            matrix.astype(dtype), parts=3, bin_entries=64, super_entries=128
        )
        product = PropagationProduct(stored, THREADS)
        x = np.random.default_rng(8).standard_normal(30).astype(dtype)
        first = multiplied(product, 30, x)
        np.testing.assert_array_equal(first, multiplied(product, 30, x))
        assert relative_error(first, matrix.astype(dtype), x) <= allowed(matrix.astype(dtype))


@examples(8)
@given(
    matrix=tiny_matrices(),
    parts=st.integers(1, 4),
    of_bin=st.integers(16, 60),
    of_super=st.integers(30, 90),
    factors=st.sampled_from([(1, 0), (-2, 0.5)]),
)
def test_any_matrix_in_small_bins(matrix, parts, of_bin, of_super, factors):
    stored = PropagationBlocks.from_scipy(matrix, parts=parts, bin_entries=of_bin, super_entries=of_super)
    built = gpu.prepare(stored, threads_per_block=THREADS)
    assert built.format == "propagation"
    x = np.linspace(-1, 2, matrix.shape[1]).astype(matrix.dtype)
    alpha, beta = factors
    y0 = np.linspace(3, -1, matrix.shape[0]).astype(matrix.dtype) if beta else None
    out = np.full(matrix.shape[0], np.nan, matrix.dtype) if y0 is None else y0.copy()
    y = built.matvec(x, out=out, alpha=alpha, beta=beta)
    assert relative_error(y, matrix, x, alpha, beta, y0) <= allowed(matrix)


def test_what_padding_multiplies_reaches_no_row():
    matrix = scipy.sparse.csr_array(np.array([[0.0, 1, 0], [1, 0, 0]]))
    y = gpu.prepare(PropagationBlocks.from_scipy(matrix, parts=1)) @ np.array([np.nan, 2, np.inf])
    np.testing.assert_array_equal(y, [2, np.nan])


def test_a_ring_of_one_is_refused():
    stored = PropagationBlocks.from_scipy(scipy.sparse.eye_array(4, format="csr"))
    with pytest.raises(UserError, match="a ring of 1 super-blocks is not possible: use 2 or more"):
        PropagationProduct(stored, THREADS, arrangement=Arrangement(ring=1))
