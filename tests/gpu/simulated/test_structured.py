"""Diagonals, deltas and dense blocks where the random tiny matrices of the other tests do not reach."""

import numpy as np
import pytest
import scipy.sparse
from product_cases import THREADS, allowed, relative_error

import gpu
from gpu.formats.sliced_diagonals.container import SlicedDiagonals
from gpu.formats.sliced_diagonals.product import DiagonalProduct
from gpu.runtime.cuda import cuda


def banded(rows, offsets, dtype=np.float64):
    rng = np.random.default_rng(rows)
    diagonals = [rng.standard_normal(rows - abs(offset)) for offset in offsets]
    matrix = scipy.sparse.csr_array(
        scipy.sparse.diags_array(diagonals, offsets=offsets, shape=(rows, rows)), dtype=dtype
    )
    matrix.sort_indices()
    return matrix


def vector(length, dtype):
    return np.linspace(-1, 2, length).astype(dtype)


# Slices with all rows on all diagonals and others, several batches of steps, a last slice that is cut.
@pytest.mark.parametrize("rounds", [1, 2, 3])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("offsets", [range(-1, 2), range(-7, 6), (-40, -1, 0, 31, 64)])
def test_rounds_and_batches_of_diagonals(offsets, dtype, rounds):
    matrix = banded(150, list(offsets), dtype)
    host = SlicedDiagonals.from_scipy(matrix)
    product = DiagonalProduct(host, THREADS, plan=(4, rounds))
    x, y = vector(150, dtype), cuda.to_device(np.full(150, np.nan, dtype))
    product.launch(cuda.to_device(x), y, dtype(1), dtype(0), 0)
    assert relative_error(y.copy_to_host(), matrix, x) <= allowed(matrix)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("apart", [1, 20, 70, 300, 5000])
def test_deltas_of_every_width(apart, dtype):
    rng = np.random.default_rng(apart)
    columns = np.cumsum(rng.geometric(1 / apart, (70, 30)), axis=1).ravel()
    matrix = scipy.sparse.coo_array(
        (rng.standard_normal(70 * 30), (np.repeat(np.arange(70), 30), columns)), shape=(70, columns.max() + 1)
    ).astype(dtype)
    x = vector(matrix.shape[1], dtype)
    y = gpu.prepare(matrix, "sliced-deltas", threads_per_block=THREADS) @ x
    assert relative_error(y, matrix, x) <= allowed(matrix)


@pytest.mark.parametrize("holes", [0, 25])
@pytest.mark.parametrize("block", [2, 3, 4])
def test_dense_blocks_with_and_without_holes(block, holes):
    rng = np.random.default_rng(block)
    matrix = scipy.sparse.kron(banded(37, [-9, -1, 0, 2]), np.ones((block, block))).tocsr()
    matrix.data[rng.choice(matrix.nnz, holes, replace=False)] = 0
    matrix.eliminate_zeros()
    # The last row and column of blocks are cut.
    matrix = scipy.sparse.csr_array(matrix[:-1, :-1])
    built = gpu.prepare(matrix, f"sell-c-sigma-blocks-{block}", threads_per_block=THREADS)
    x = vector(matrix.shape[1], np.float64)
    assert relative_error(built @ x, matrix, x) <= allowed(matrix)
    x[5] = np.nan
    reached = np.zeros(matrix.shape[0], dtype=bool)
    reached[matrix[:, [5]].nonzero()[0]] = True
    np.testing.assert_array_equal(np.isnan(built @ x), reached)
