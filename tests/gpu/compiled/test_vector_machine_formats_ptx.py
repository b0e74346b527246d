"""What the kernels of JD, BBCS and HiSM compile to. Needs NVIDIA's compiler, but no GPU."""

import re

import numpy as np
from numba import types

from gpu.formats.bbcs import product as bbcs
from gpu.formats.hism import product as hism
from gpu.formats.jd.product import jd_kernel, strip_sums
from gpu.kernel_parts.gathered_row_sums import row_sums
from gpu.kernel_parts.partial_row_sums import part_sums
from gpu.runtime.cuda import cuda

HOPPER = (9, 0)
U32, WHOLE = types.uint32[::1], types.int64
REALS = {np.float32: types.float32, np.float64: types.float64}


def texts(real):
    """The PTX of every kernel, by a name."""
    one, vector = REALS[real], REALS[real][::1]
    jd = (U32, U32, vector, U32, U32, vector, vector, vector, one, one)
    parts = (U32, U32, U32, U32, WHOLE, vector, vector)
    kernels = {
        "jd, a warp a strip": (jd_kernel(real, 256, 1), *jd),
        "jd, eight warps a strip": (jd_kernel(real, 256, 8), *jd),
        "strips of jd": (strip_sums(real, 256), vector, U32, U32, vector, one, one),
        "bbcs": (part_sums(real, bbcs.decoders(6, 1), 1, 0, 256), vector, *parts),
        "bbcs, wide sections": (part_sums(real, bbcs.decoders(9, 2), 2, 0, 256), vector, *parts),
        "hism": (part_sums(real, hism.decoders(1), 1, 1, 256), vector, *parts),
        "rows": (row_sums(real, 4), vector, U32, U32, WHOLE, vector, one, one),
    }
    return {
        name: cuda.compile_ptx(kernel.py_func, tuple(signature), cc=HOPPER)[0]
        for name, (kernel, *signature) in kernels.items()
    }


def test_float32_kernels_compute_in_float32():
    for name, text in texts(np.float32).items():
        assert ".f32" in text, name
        assert not re.search(r"\.f64", text), name


def test_no_division_and_no_local_memory():
    for name, text in texts(np.float64).items():
        assert not re.search(r"(div|rem)\.[su]64|\.local", text), name


def test_only_kernels_of_several_warps_use_shared_memory():
    actual = {name: "bar.sync" in text for name, text in texts(np.float32).items()}
    assert {name for name, waits in actual.items() if waits} == {"jd, eight warps a strip", "strips of jd"}
