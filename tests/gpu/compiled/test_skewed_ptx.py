"""What the kernels for skewed matrices compile to for compute capability 9.0, without a GPU."""

import re
from types import SimpleNamespace

import numba.cuda.dispatcher
import numpy as np
import pytest
from numba import types

from gpu.crs_adaptive import crs_adaptive_kernel
from gpu.cuda import cuda
from gpu.mixed_sliced import hub_copy, mixed_sliced_kernel

HOPPER = (9, 0)
U8, U16, U32, WHOLE = types.uint8[::1], types.uint16[::1], types.uint32[::1], types.int64
REALS = {np.float32: types.float32, np.float64: types.float64}


@pytest.fixture(autouse=True)
def compiler(monkeypatch):
    # Device functions are compiled for the GPU at hand; let one be at hand.
    device = SimpleNamespace(compute_capability=HOPPER)
    monkeypatch.setattr(numba.cuda.dispatcher, "get_current_device", lambda: device)

    def nothing():
        pass

    try:
        cuda.compile_ptx(nothing, (), cc=HOPPER)
    except Exception as error:
        pytest.skip(f"NVIDIA's compiler is not at hand: {type(error).__name__}")


def mixed(real, **arrangement):
    one, vector = REALS[real], REALS[real][::1]
    matrix = (vector, U16, U32, U32, U32, U8, U32, U32, U8, U8)
    signature = (*matrix, WHOLE, WHOLE, vector, vector, vector, vector, one, one)
    kernel = mixed_sliced_kernel(real, **arrangement)
    return cuda.compile_ptx(kernel.py_func, signature, cc=HOPPER)[0]


def adaptive(real):
    one, vector = REALS[real], REALS[real][::1]
    signature = (U32, U32, U32, U32, U32, vector, vector, vector, vector, one, one)
    return cuda.compile_ptx(crs_adaptive_kernel(real, 256, 4).py_func, signature, cc=HOPPER)[0]


@pytest.mark.parametrize(("hubs", "lane_lengths"), [(False, True), (True, False)])
@pytest.mark.parametrize("wide", [1, 2])
@pytest.mark.parametrize("real", REALS)
def test_the_matrix_passes_l1_by_in_wide_loads(real, wide, hubs, lane_lengths):
    text = mixed(real, wide=wide, hubs=hubs, lane_lengths=lane_lengths)
    vector = f".v{wide}" if wide > 1 else ""
    for kind in ("f64" if real == np.float64 else "f32", "b16", "b32"):
        assert f"ld.global.nc.L1::no_allocate{vector}.{kind}" in text
    # Divisions would cost more than the entry itself.
    assert not re.search(r"(div|rem)\.[su](32|64)", text)
    assert not re.search(r"\.(ld|st)\.local|^\s*\.local", text, re.MULTILINE)


def test_all_products_of_a_thread_are_loaded_together():
    text = adaptive(np.float64)
    begin, end = text.index("no_allocate.f64"), text.index("bar.sync")
    assert text.count("ld.global.nc.L1::no_allocate.f64", begin - 40, end) == 4
    # The first product is stored behind the last load.
    assert text.index("st.shared") > text.rindex("ld.global.f64", begin, end)


def test_float32_kernels_compute_in_float32():
    vector = types.float32[::1]
    copied = cuda.compile_ptx(hub_copy(np.float32).py_func, (U32, WHOLE, vector, vector), cc=HOPPER)[0]
    for text in (mixed(np.float32, wide=2, hubs=False, lane_lengths=True), adaptive(np.float32), copied):
        assert "f32" in text
        assert not re.search(r"\.f64", text)
