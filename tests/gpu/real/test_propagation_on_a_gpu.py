"""Propagation blocking on a GPU, where blocks of threads do wait for each other."""

import numpy as np
import pytest
import scipy.sparse

import gpu
from gpu.formats.propagation import Arrangement, PropagationProduct
from gpu.formats.propagation.container import PropagationBlocks
from gpu.runtime.cuda import cuda
from vecsim.data.synthetic import power_laws

SIZES = [
    {},
    {"parts": 7, "bin_entries": 512, "super_entries": 4096},
    {"parts": 300, "widest_part": 100, "super_entries": 20_000},
]


def small(dtype):
    """Whole numbers, so that sums are exact: power laws, a dense row, empty rows."""
    matrix = power_laws.hubs(
        20_000, 20_000, 12.0, row_exponent=2.0, column_exponent=2.0, dense_rows=1, dense_share=0.5
    )
    matrix.data[:] = np.random.default_rng(1).integers(1, 4, matrix.nnz)
    return scipy.sparse.csr_array(matrix.astype(dtype))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("sizes", SIZES, ids=["default", "many super-blocks", "many parts"])
@pytest.mark.parametrize("ring", [2, 3])
def test_small_products_in_every_size(dtype, sizes, ring):
    matrix = small(dtype)
    stored = PropagationBlocks.from_scipy(matrix, **sizes)
    assert stored.super_blocks > ring
    product = PropagationProduct(stored, 256, arrangement=Arrangement(ring=ring))
    x = (np.arange(matrix.shape[1]) % 5).astype(dtype)
    expected = matrix @ x
    device_x = cuda.to_device(x)
    for _ in range(50):
        y = cuda.to_device(np.full(matrix.shape[0], np.nan, dtype))
        product.launch(device_x, y, dtype(1), dtype(0), 0)
        np.testing.assert_array_equal(y.copy_to_host(), expected)
    assert not product.counters.copy_to_host().any()


def test_small_products_of_two_matrices_on_two_streams():
    matrix = small(np.float64)
    results = [gpu.prepare(matrix, "propagation") for _ in range(2)]
    streams = [cuda.stream() for _ in results]
    x = np.arange(matrix.shape[1]) % 5 * 1.0
    device_x = cuda.to_device(x)
    ys = [cuda.to_device(np.zeros(matrix.shape[0])) for _ in results]
    for _ in range(200):
        for each, stream, y in zip(results, streams, ys, strict=True):
            each.matvec(device_x, out=y, stream=stream)
    cuda.synchronize()
    for y in ys:
        np.testing.assert_array_equal(y.copy_to_host(), matrix @ x)
