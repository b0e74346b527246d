"""What Numba compiles and nothing but the simulator reaches; the other files of this folder interpret it.

That the formats themselves are right when they are compiled is seen in test_compiled_formats.py.
"""

import numpy as np
import pytest
import scipy.sparse
from product_cases import THREADS, allowed, relative_error

import gpu
from gpu.choice.structure import Structure
from gpu.kernel_registry import KERNELS


def matrix_of_every_kind(dtype):
    """Empty rows, a full row, a block, a band, and entries anywhere."""
    rng = np.random.default_rng(1)
    dense = np.where(rng.random((70, 150)) < 0.05, rng.uniform(-1, 1, (70, 150)), 0)
    dense[::7] = 0
    dense[3] = 1
    dense[20:32, 40:52] = 2
    dense[np.arange(40, 60), np.arange(80, 100)] = 3
    return scipy.sparse.csr_array(dense.astype(dtype))


@pytest.mark.ci
@pytest.mark.parametrize("format", ["auto", "crs-adaptive", "pellr-near"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_products_of_what_compiled_code_converts(format, dtype):
    matrix = matrix_of_every_kind(dtype)
    x = np.linspace(-1, 2, matrix.shape[1]).astype(dtype)
    y = gpu.prepare(matrix, format, threads_per_block=THREADS) @ x
    assert relative_error(y, matrix, x) <= allowed(matrix)


@pytest.mark.nightly
@pytest.mark.parametrize("name", [name for name, kernel in KERNELS.items() if kernel.work])
def test_work_is_the_same_for_both_types_but_for_the_bytes(name):
    double, single = (
        KERNELS[name].work(Structure.of(matrix_of_every_kind(dtype))) for dtype in (np.float64, np.float32)
    )
    assert (double is None) == (single is None)
    if double is not None:
        assert double.chain == single.chain
        assert double.stored_bytes > single.stored_bytes
