"""ELLPACK-R and PELLR: rows over several batches of steps, in one slice and in slices taken in two orders."""

import numpy as np
import pytest
import scipy.sparse
from product_cases import THREADS

import gpu
from experiments.gpu_bench.methods import Launched
from gpu.format_registry import FORMATS
from gpu.formats.sliced.container import Sliced
from gpu.formats.sliced.ellpack_r import STEPS_AT_ONCE, EllpackRProduct
from gpu.formats.sliced.slicing import Slicing

# Rows that end before, with and after a batch and the one after it, spread over two warps; none at the end.
LENGTHS = [
    0,
    1,
    STEPS_AT_ONCE - 1,
    STEPS_AT_ONCE,
    STEPS_AT_ONCE + 1,
    2 * STEPS_AT_ONCE + 3,
    3 * STEPS_AT_ONCE,
]
LENGTHS = [*LENGTHS, *[2] * 30, *reversed(LENGTHS), 0]


def matrix_of(lengths, columns=60):
    rng = np.random.default_rng(5)
    rows = np.repeat(np.arange(len(lengths)), lengths)
    places = np.concatenate([rng.choice(columns, length, replace=False) for length in lengths])
    values = rng.integers(-9, 9, len(rows)).astype(np.float64)
    return scipy.sparse.coo_array((values, (rows, places)), shape=(len(lengths), columns)).tocsr()


@pytest.mark.parametrize("format", ["ellpack-r", "pellr", "pellr-near"])
def test_rows_over_several_batches_sum_exactly(format):
    matrix = matrix_of(LENGTHS)
    x = np.arange(60.0) % 11 - 5
    results = gpu.prepare(matrix, format, threads_per_block=THREADS)
    assert isinstance(results._product, EllpackRProduct)
    np.testing.assert_array_equal(results @ x, matrix @ x)
    y = results.matvec(x, out=np.ones(len(LENGTHS)), alpha=3, beta=-2)
    np.testing.assert_array_equal(y, 3 * (matrix @ x) - 2)


def test_both_orders_have_the_same_arrays_and_bits():
    matrix = matrix_of(LENGTHS)
    sorted_, near = (
        EllpackRProduct(FORMATS["pellr"].from_scipy(matrix), THREADS, near=near) for near in (False, True)
    )
    for one, other in zip(sorted_.device_arrays[:-1], near.device_arrays[:-1], strict=True):
        np.testing.assert_array_equal(one.copy_to_host(), other.copy_to_host())
    assert sorted(near.device_arrays[-1].copy_to_host()) == [0, 1]
    x = np.random.default_rng(1).standard_normal(60)
    results = [gpu.prepare(matrix, name, threads_per_block=THREADS) for name in ("pellr", "pellr-near")]
    np.testing.assert_array_equal(results[0] @ x, results[1] @ x)


def test_elements_of_x_after_a_row_are_not_read():
    # Column 0 stands in no row; padding would be multiplied by what stands there.
    matrix = matrix_of(LENGTHS)
    matrix = scipy.sparse.csr_array(
        (matrix.data, matrix.indices + 1, matrix.indptr), shape=(len(LENGTHS), 61)
    )
    x = np.ones(61)
    x[0] = np.nan
    for name in ("ellpack-r", "pellr", "pellr-near"):
        results = gpu.prepare(matrix, name, threads_per_block=THREADS)
        np.testing.assert_array_equal(results @ x, matrix[:, 1:] @ x[1:])
    by_warp = EllpackRProduct(FORMATS["pellr"].from_scipy(matrix), THREADS, by_warp=True)
    np.testing.assert_array_equal(Launched(by_warp, x, len(LENGTHS)).result(), matrix[:, 1:] @ x[1:])


@pytest.mark.parametrize("slice_height", [None, 32])
def test_pellr_as_published_in_one_slice_and_with_a_length_a_warp(slice_height):
    matrix = matrix_of(LENGTHS)
    x = np.arange(60.0) % 11 - 5
    slicing = Slicing(slice_height=slice_height, sorting_window=None, row_lengths=True)
    stored = Sliced.from_scipy(matrix, slicing=slicing)
    results = {}
    for by_warp in (False, True):
        placed = Launched(EllpackRProduct(stored, THREADS, by_warp=by_warp), x, len(LENGTHS))
        results[by_warp] = placed.nbytes
        np.testing.assert_array_equal(placed.result(), matrix @ x)
    # 45 rows: 64 lengths, or one for each of the two warps.
    assert results[False] - results[True] == 4 * (64 - 2)


def test_other_arrangements_do_not_belong_to_it():
    for slicing in (
        Slicing(),
        Slicing(row_lengths=True, threads_per_row=2),
        Slicing(row_lengths=True, slice_height=8),
    ):
        with pytest.raises(ValueError, match="threads_per_row 1"):
            EllpackRProduct(Sliced.from_scipy(matrix_of([1, 2]), slicing=slicing), THREADS)
