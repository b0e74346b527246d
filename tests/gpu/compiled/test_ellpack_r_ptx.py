"""What the kernels of ELLPACK-R and PELLR compile to for compute capability 9.0."""

import re

import numpy as np
import pytest
from numba import types

from gpu.formats.sliced.ellpack_r import STEPS_AT_ONCE, ellpack_r_kernel
from gpu.runtime.cuda import cuda

HOPPER = (9, 0)
U32, WHOLE = types.uint32[::1], types.int64


@pytest.mark.parametrize(("real", "one"), [(np.float32, types.float32), (np.float64, types.float64)])
@pytest.mark.parametrize(("ordered", "by_warp"), [(False, False), (True, False), (False, True)])
def test_two_batches_of_columns_are_in_flight_before_it_waits(real, one, ordered, by_warp):
    vector = one[::1]
    how = {"single": by_warp, "permuted": True, "ordered": ordered, "by_warp": by_warp}
    kernel = ellpack_r_kernel(real, steps=STEPS_AT_ONCE, **how)
    signature = (vector, U32, U32, U32, U32, U32, WHOLE, WHOLE, vector, vector, one, one)
    text = cuda.compile_ptx(kernel.py_func, signature, cc=HOPPER)[0]
    assert not re.search(r"(div|rem)\.[su]64|\.local", text)
    assert bool(re.search(r"\.f64", text)) == (real is np.float64)
    before = text[: text.index("griddepcontrol.wait")]
    letter = f"f{8 * np.dtype(real).itemsize}"
    assert len(re.findall(r"ld\.global\.L1::no_allocate\.b32", before)) == 2 * STEPS_AT_ONCE
    assert len(re.findall(rf"ld\.global\.L1::no_allocate\.{letter}", before)) == STEPS_AT_ONCE
