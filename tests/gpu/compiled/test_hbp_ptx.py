"""What the kernels of HBP compile to for compute capability 9.0, without a GPU."""

import numpy as np
import pytest
from numba import types

from gpu.formats import hbp_active
from gpu.runtime.cuda import cuda

HOPPER = (9, 0)
U8, U16, I32, WHOLE = types.uint8[::1], types.uint16[::1], types.int32[::1], types.int64
REALS = {np.float32: types.float32, np.float64: types.float64}


def compiled(kernel, *signature):
    return cuda.compile_ptx(kernel.py_func, signature, cc=HOPPER)[0]


@pytest.mark.parametrize("real", REALS)
def test_the_repaired_product_adds_in_its_type_and_spills_nothing(real):
    one, vector = REALS[real], REALS[real][::1]
    arrays = (U16, vector, U8, I32, I32, I32, I32, I32)
    kernel = hbp_active.pieces_kernel(real, 4096)
    pieces = compiled(kernel, *arrays, WHOLE, WHOLE, vector, vector)
    adding = compiled(hbp_active.add_sums_kernel(real), vector, I32, I32, WHOLE, vector, one)
    for text in (pieces, adding):
        assert ("f64" in text) == (real == np.float64)
        assert ".local" not in text
    assert "fma.rn" in pieces
