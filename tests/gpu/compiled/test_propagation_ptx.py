"""What the kernel of propagation blocking compiles to for compute capability 9.0, without a GPU."""

import re

import numpy as np
import pytest
from numba import types

from gpu.formats.propagation.arrangement import Arrangement
from gpu.formats.propagation.kernel import propagation_kernel
from gpu.runtime.cuda import cuda

HOPPER = (9, 0)
U16, U32, I32, WHOLE = types.uint16[::1], types.uint32[::1], types.int32[::1], types.int64
REALS = {np.float32: types.float32, np.float64: types.float64}


def text(real, arrangement):
    one, vector = REALS[real], REALS[real][::1]
    multiplying = (vector, U32, U32, I32, I32, I32, WHOLE, WHOLE, WHOLE)
    adding = (U32, U16, U16, U16, U32, WHOLE)
    signature = (*multiplying, *adding, vector, WHOLE, WHOLE, I32, vector, vector, vector, one, one)
    return cuda.compile_ptx(propagation_kernel(real, arrangement).py_func, signature, cc=HOPPER)[0]


@pytest.mark.parametrize("real", REALS)
@pytest.mark.parametrize("passing", [False, True])
def test_products_pass_in_wide_accesses_and_nothing_is_added_by_atomics(real, passing):
    actual = text(real, Arrangement(passing=passing))
    wide = "v4.f32" if real is np.float32 else "v2.f64"
    assert f"ld.global.cg.{wide}" in actual
    assert f"st.global.{wide}" in actual
    hint = ".L2::cache_hint" if passing else ""
    assert f"ld.global.nc.L1::no_allocate{hint}.{wide}" in actual
    assert not re.search(r"\b(atom|red)\.\S*f(32|64)|\.local|(div|rem)\.[su]64", actual)
    assert ("f64" in actual) == (real is np.float64)
    assert "ld.acquire.gpu.global" in actual
    assert "red.release.gpu.global.add.s32" in actual
