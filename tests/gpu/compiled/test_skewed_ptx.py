"""What the kernels for skewed matrices compile to for compute capability 9.0, without a GPU."""

import re

import numpy as np
import pytest
from numba import types

from gpu.formats.crs.adaptive import arrangement_for, crs_adaptive_kernel
from gpu.formats.mixed_sliced.product import mixed_sliced_kernel
from gpu.kernel_parts.ordered_copies import ordered_copy
from gpu.runtime.cuda import cuda

HOPPER = (9, 0)
U8, U16, U32, WHOLE = types.uint8[::1], types.uint16[::1], types.uint32[::1], types.int64
COLUMNS = (WHOLE, WHOLE, WHOLE)
REALS = {np.float32: types.float32, np.float64: types.float64}


def mixed(real, **arrangement):
    one, vector = REALS[real], REALS[real][::1]
    matrix = (vector, U16, U32, U32, U32, U8, U8)
    signature = (*matrix, *COLUMNS, vector, vector, vector, vector, one, one, *COLUMNS)
    kernel = mixed_sliced_kernel(real, **{"far": True, "shared_rows": True} | arrangement)
    return cuda.compile_ptx(kernel.py_func, signature, cc=HOPPER)[0]


def adaptive(real, entries):
    one, vector = REALS[real], REALS[real][::1]
    signature = (U32, U32, U32, vector, vector, vector, vector, U32, U32, one, one)
    kernel = crs_adaptive_kernel(real, arrangement_for(entries, real(0).itemsize, 256))
    return cuda.compile_ptx(kernel.py_func, signature, cc=HOPPER)[0]


@pytest.mark.parametrize(("hubs", "thread_lengths"), [(False, True), (True, False)])
@pytest.mark.parametrize("wide", [1, 2])
@pytest.mark.parametrize("real", REALS)
def test_the_matrix_passes_l1_by_in_wide_loads(real, wide, hubs, thread_lengths):
    text = mixed(real, wide=wide, hubs=hubs, thread_lengths=thread_lengths)
    vector = f".v{wide}" if wide > 1 else ""
    for kind in ("f64" if real == np.float64 else "f32", "b16", "b32"):
        assert f"ld.global.nc.L1::no_allocate{vector}.{kind}" in text
    # Divisions would cost more than the entry itself.
    assert not re.search(r"(div|rem)\.[su](32|64)", text)
    assert not re.search(r"\.(ld|st)\.local|^\s*\.local", text, re.MULTILINE)


@pytest.mark.parametrize("at_once", [4, 8])
def test_the_first_entries_are_loaded_before_the_wait(at_once):
    text = mixed(np.float64, wide=1, hubs=False, thread_lengths=True, far=False, at_once=at_once)
    wait = text.index("griddepcontrol.wait")
    # Not ld.global.nc, which the assembler moves after it.
    assert text.count("ld.global.L1::no_allocate.f64", 0, wait) == at_once
    assert text.count("ld.global.L1::no_allocate.b16", 0, wait) == at_once
    # All elements of x are asked for before the first product.
    assert text.count("ld.global.f64", wait, text.index("fma.rn.f64", wait)) == at_once


SMALL, LARGE = 10**5, 10**7


@pytest.mark.parametrize("entries", [SMALL, LARGE])
@pytest.mark.parametrize("real", REALS)
def test_what_a_block_begins_with_is_loaded_before_the_wait(real, entries):
    text = adaptive(real, entries)
    chosen = arrangement_for(entries, real(0).itemsize, 256)
    loads = re.findall(r"ld\.global\.L1::no_allocate\S*|griddepcontrol\.wait", text)
    before = loads[: loads.index("griddepcontrol.wait")]
    # Those of float64 come two at a time at most.
    at_once = min(chosen.wide, 16 // real(0).itemsize)
    assert len(before) == len(loads) - 1 == chosen.entries // chosen.wide + chosen.entries // at_once
    assert not re.search(r"\.(ld|st)\.local|^\s*\.local", text, re.MULTILINE)
    assert not re.search(r"(div|rem)\.[su](32|64)", text)


@pytest.mark.parametrize("real", REALS)
def test_all_products_of_a_thread_are_gathered_together(real):
    text = adaptive(real, LARGE)
    begin, end = text.index("griddepcontrol.wait"), text.index("bar.sync")
    kind = "f64" if real == np.float64 else "f32"
    entries = arrangement_for(LARGE, real(0).itemsize, 256).entries
    gathers = [actual.start() for actual in re.finditer(rf"ld\.global\.{kind}", text[begin:end])]
    assert len(gathers) >= entries
    assert text.index("st.shared", begin) > begin + gathers[entries - 1]


def test_float32_kernels_compute_in_float32():
    vector = types.float32[::1]
    signature = (U32, WHOLE, vector, vector, WHOLE, vector, types.float32)
    copied = cuda.compile_ptx(ordered_copy(np.float32).py_func, signature, cc=HOPPER)[0]
    for text in (
        mixed(np.float32, wide=2, hubs=False, thread_lengths=True),
        adaptive(np.float32, LARGE),
        copied,
    ):
        assert "f32" in text
        assert not re.search(r"\.f64", text)
