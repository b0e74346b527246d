"""What the kernels of HiSparse compile to. Needs NVIDIA's compiler, but no GPU."""

import re

import numpy as np
import pytest
from numba import types

from gpu.hisparse.product.kernels import stripe_kernel, stripe_sums
from gpu.hisparse.traversal.kernels import controlled_kernel
from gpu.runtime.cuda import cuda

HOPPER = (9, 0)
U32, WHOLE = types.uint32[::1], types.int64
REALS = {np.float32: types.float32, np.float64: types.float64}


def text(real, transposed):
    one, vector = REALS[real], REALS[real][::1]
    signature = (U32, U32, U32, vector, WHOLE, vector, vector, vector, one, one, WHOLE, WHOLE)
    kernel = stripe_kernel(real, 8, 4, transposed)
    return cuda.compile_ptx(kernel.py_func, signature, cc=HOPPER)[0]


@pytest.mark.parametrize("real", REALS)
@pytest.mark.parametrize("transposed", [False, True])
def test_values_come_in_loads_of_16_bytes_and_nothing_is_atomic(real, transposed):
    actual = text(real, transposed)
    wide = "v4.f32" if real is np.float32 else "v2.f64"
    assert f"ld.global.nc.L1::no_allocate.{wide}" in actual
    assert not re.search(r"\batom\.|\bred\.|\.local|(div|rem)\.[su]64", actual)


@pytest.mark.parametrize("real", REALS)
def test_a_traversal_loads_four_entries_and_adds_each_atomically(real):
    integers, places = types.int32[::1], types.int64[::1]
    one, vector = REALS[real], REALS[real][::1]
    signature = (U32, vector, *3 * (integers,), places, integers, integers, vector, vector, one)
    actual = cuda.compile_ptx(controlled_kernel(real, 7, False).py_func, signature, cc=HOPPER)[0]
    name = "f32" if real is np.float32 else "f64"
    assert re.search(rf"ld\.global\.nc\.v{4 if real is np.float32 else 2}\.[bfu]{name[1:]}", actual)
    assert re.search(rf"(red|atom)[.a-z]*\.add\.{name}", actual)
    # Items and orders are read past the L1 cache, after their flags.
    assert "ld.acquire.gpu.global" in actual and "ld.global.cg" in actual and ".local" not in actual


def test_float32_kernels_compute_in_float32():
    sums = stripe_sums(np.float32, 8)
    vector, one = types.float32[::1], types.float32
    signature = (vector, U32, WHOLE, WHOLE, vector, one, one, WHOLE, WHOLE)
    for actual in (text(np.float32, False), cuda.compile_ptx(sums.py_func, signature, cc=HOPPER)[0]):
        assert not re.search(r"\.f64\b", actual)
