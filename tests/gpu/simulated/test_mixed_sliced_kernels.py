"""What is special about the product of the sliced format with two index widths."""

import numpy as np
import pytest
import scipy.sparse
from product_cases import THREADS, allowed, relative_error
from tiers import one_combination_in

from gpu.formats.mixed_sliced import plan
from gpu.formats.mixed_sliced.container import MixedSliced
from gpu.formats.mixed_sliced.product import MixedSlicedProduct
from gpu.formats.mixed_sliced.slicing import MixedSlicing
from gpu.runtime.cuda import cuda

SLICINGS = [
    MixedSlicing(steps=1, most_threads_per_row=64),
    MixedSlicing(steps=2, most_threads_per_row=128, wide=2),
    MixedSlicing(steps=3, wide=4, sorting_window=9, most_threads_per_row=64),
    MixedSlicing(hubs=True, sorting_window=None, steps=2, thread_lengths=False, most_threads_per_row=64),
    MixedSlicing(hubs=True, sorting_window=20, steps=2, wide=2, most_threads_per_row=32),
]


def launched(kernel, x, rows, *, alpha=1, beta=0, y=None):
    y = cuda.to_device(np.full(rows, np.nan, dtype=x.dtype) if y is None else y)
    kernel.launch(cuda.to_device(x), y, x.dtype.type(alpha), x.dtype.type(beta), 0)
    return y.copy_to_host()


def rows_of(lengths, dtype, columns):
    rng = np.random.default_rng(4)
    row = np.repeat(np.arange(len(lengths)), lengths)
    column = np.concatenate([rng.permutation(columns)[:count] for count in lengths])
    values = rng.standard_normal(len(row)).astype(dtype)
    return scipy.sparse.csr_array(
        scipy.sparse.coo_array((values, (row, column)), shape=(len(lengths), columns))
    )


@pytest.mark.parametrize(
    ("dtype", "slicing"),
    one_combination_in(4, (np.float32, np.float64), SLICINGS),
    ids=lambda each: repr(each)[13:70],
)
def test_threads_by_length_and_pieces(slicing, dtype):
    matrix = rows_of(np.r_[np.arange(20), 400, 3], dtype, 400)
    built = MixedSliced.from_scipy(matrix, slicing=slicing)
    assert slicing.most_threads_per_row in built.threads_per_row and built.threads_per_row.min() < 32
    assert len(built.split_rows) == 1
    x = np.linspace(-1, 1, matrix.shape[1]).astype(dtype)
    y = launched(MixedSlicedProduct(built, THREADS), x, matrix.shape[0])
    assert relative_error(y, matrix, x) <= allowed(matrix)


@pytest.mark.parametrize(("threads", "thread_lengths"), one_combination_in(3, (128, 64), (False, True)))
def test_warps_of_a_block_share_a_row(thread_lengths, threads):
    # Rows of one, two and four warps; in blocks of 128 some blocks have rows of either kind.
    matrix = rows_of([3, 130, 40, 500, 65, 0, 70, 128, 1, 90], np.float64, 500)
    slicing = MixedSlicing(steps=4, most_threads_per_row=128, thread_lengths=thread_lengths)
    built = MixedSliced.from_scipy(matrix, slicing=slicing)
    built.check()
    assert sorted(set(built.threads_per_row.tolist()) - {1, 2, 4, 8, 16}) == [32, 64, 128]
    assert not len(built.split_rows)
    x = np.linspace(-1, 1, 500)
    kernel = MixedSlicedProduct(built, threads)
    y = launched(kernel, x, 10, alpha=2, beta=-1, y=np.arange(10.0))
    np.testing.assert_allclose(y, 2 * (matrix @ x) - np.arange(10), atol=1e-12)
    np.testing.assert_array_equal(y, launched(kernel, x, 10, alpha=2, beta=-1, y=np.arange(10.0)))


@pytest.mark.parametrize("at_once", [1, 2, 8])
def test_groups_loaded_before_x_may_be_read(at_once):
    matrix = rows_of([3, 30, 7, 1, 0, 12], np.float64, 40)
    built = MixedSliced.from_scipy(matrix, slicing=MixedSlicing(steps=4))
    x = np.linspace(-1, 1, 40)
    y = launched(MixedSlicedProduct(built, THREADS, at_once=at_once), x, 6)
    np.testing.assert_allclose(y, matrix @ x, atol=1e-12)


@pytest.mark.parametrize("hubs", [False, pytest.param(True, marks=pytest.mark.ci)])
def test_far_columns(hubs, monkeypatch):
    # A simulated thread copies a hub, so take fewer than 16 bits can tell apart: tests/formats has as many.
    monkeypatch.setattr(plan, "NEAR_COLUMNS", 1_000)
    rng = np.random.default_rng(8)
    row = np.repeat(np.arange(22), 1000)
    column = rng.permutation(150_000)[: len(row)]
    matrix = scipy.sparse.csr_array(
        scipy.sparse.coo_array((rng.standard_normal(len(row)), (row, column)), shape=(22, 150_000))
    )
    built = MixedSliced.from_scipy(matrix, slicing=MixedSlicing(hubs=hubs, steps=60))
    assert built.near_columns.any() and built.far_columns.any()
    x = rng.standard_normal(150_000)
    x[np.setdiff1d(np.arange(150_000), matrix.indices)] = np.nan
    y = launched(MixedSlicedProduct(built, THREADS), x, 22)
    assert relative_error(y, matrix, np.nan_to_num(x)) <= allowed(matrix)
