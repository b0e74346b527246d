"""What the kernels of BiELL and of counting compile to for compute capability 9.0."""

import re

import numpy as np
import pytest
from numba import types

from experiments.papers.pellr.warp_iterations import counting_kernel
from gpu.formats.biell.product import biell_kernel
from gpu.runtime.cuda import cuda

HOPPER = (9, 0)
U32, WHOLE = types.uint32[::1], types.int64


@pytest.mark.parametrize(("real", "one"), [(np.float32, types.float32), (np.float64, types.float64)])
def test_biell_has_no_division_and_no_local_memory(real, one):
    vector = one[::1]
    signature = (vector, U32, U32, U32, WHOLE, vector, vector, one, one)
    text = cuda.compile_ptx(biell_kernel(real).py_func, signature, cc=HOPPER)[0]
    assert not re.search(r"(div|rem)\.[su]64|\.local", text)
    assert "shfl" in text
    assert bool(re.search(r"\.f64", text)) == (real is np.float64)


def test_counting_votes():
    text = cuda.compile_ptx(counting_kernel().py_func, (U32, WHOLE, WHOLE, types.int64[::1]), cc=HOPPER)[0]
    assert "vote" in text
