"""What the kernels compile to for compute capability 9.0. Needs NVIDIA's compiler, but no GPU."""

import re
from types import SimpleNamespace

import numpy as np
import pytest
from numba import types

from gpu.formats.coo.product import coo_kernel
from gpu.formats.crs.product import crs_kernel
from gpu.formats.sliced.product import sliced_kernel
from gpu.formats.sliced_deltas.product import delta_kernel
from gpu.formats.sliced_diagonals.product import diagonal_kernel
from gpu.kernel_parts.loads import LOADS
from gpu.kernel_parts.row_results import piece_sums, scaled
from gpu.kernel_parts.several_vectors import Share
from gpu.runtime.cuda import cuda
from gpu.runtime.kernel_sequence import let_next_begin, wait_for_previous

HOPPER = (9, 0)
U16, U32, WHOLE = types.uint16[::1], types.uint32[::1], types.int64
COLUMNS = (WHOLE, WHOLE, WHOLE)
REALS = {np.float32: types.float32, np.float64: types.float64}


def ptx(kernel, *signature):
    return cuda.compile_ptx(kernel.py_func, signature, cc=HOPPER)[0]


def sliced(real, **changes):
    arrangement = {
        "height": 32,
        "threads_per_row": 1,
        "wide": 1,
        "index_bits": 32,
        "base_per_step": False,
        "row_lengths": False,
        "permuted": False,
    } | changes
    one, vector = REALS[real], REALS[real][::1]
    columns = U16 if arrangement["index_bits"] == 16 else U32
    kernel = sliced_kernel(real, **arrangement)
    arrays = (vector, columns, U32, U16, U32, U32, U32)
    return ptx(kernel, *arrays, WHOLE, WHOLE, vector, vector, vector, one, one, *COLUMNS)


def deltas(real, **arrangement):
    one, vector = REALS[real], REALS[real][::1]
    arrays = (vector, U32, U32, U32, U32, U32)
    return ptx(delta_kernel(real, **arrangement), *arrays, WHOLE, WHOLE, vector, vector, one, one, *COLUMNS)


def diagonals(real, **arrangement):
    one, vector = REALS[real], REALS[real][::1]
    arrays = (vector, types.int32[::1], U32, U32, U32)
    return ptx(
        diagonal_kernel(real, **arrangement), *arrays, WHOLE, WHOLE, vector, vector, one, one, *COLUMNS
    )


@pytest.mark.parametrize(
    ("real", "wide", "index_bits", "loads"),
    [
        (np.float32, 4, 32, [".v4.f32", ".v4.b32"]),
        (np.float32, 4, 16, [".v4.f32", ".v4.b16"]),
        (np.float64, 2, 32, [".v2.f64", ".v2.b32"]),
        # 256 bits are two instructions.
        (np.float64, 4, 16, [".v2.f64", ".v4.b16"]),
    ],
)
def test_wide_kernels_load_wide_and_leave_the_cache_to_x(real, wide, index_bits, loads):
    text = sliced(real, wide=wide, index_bits=index_bits)
    for load in loads:
        assert f"ld.global.nc.L1::no_allocate{load}" in text
    values = "f64" if real == np.float64 else "f32"
    assert f"no_allocate.{values}" not in text
    # x, which another kernel may write until then.
    assert text.index("griddepcontrol.wait") < text.index(f"ld.global.{values}")


def test_float32_kernels_compute_in_float32():
    one, vector = types.float32, types.float32[::1]
    real = np.float32
    for text in (
        sliced(real),
        sliced(
            real,
            threads_per_row=4,
            wide=4,
            index_bits=16,
            base_per_step=True,
            row_lengths=True,
            permuted=True,
        ),
        sliced(real, height=None),
        sliced(real, block=3, masked=True),
        deltas(real, bits=8, permuted=True),
        diagonals(real, rounds=2),
        ptx(
            crs_kernel(real, 8, True), U32, U32, vector, U32, WHOLE, WHOLE, *[vector] * 3, one, one, *COLUMNS
        ),
        ptx(coo_kernel(real, 16), U32, U32, vector, WHOLE, vector, vector, vector, one),
        ptx(piece_sums(real), vector, U32, U32, U32, vector, one, one),
        ptx(scaled(real, early=False, without_l1=False), vector, one),
    ):
        assert "f32" in text
        assert not re.search(r"\.f64", text)


@pytest.mark.parametrize("real", REALS)
def test_no_division_and_no_local_memory_in_the_sliced_kernels(real):
    for text in (
        sliced(real, threads_per_row=2, wide=2, permuted=True),
        sliced(real, block=3, masked=True),
        deltas(real, bits=10, permuted=False),
        diagonals(real),
    ):
        assert not re.search(r"(div|rem)\.[su](32|64)|\.local", text)


@pytest.mark.parametrize("real", REALS)
def test_several_vectors_are_loaded_and_stored_16_bytes_at_once(real):
    width, name = (4, "f32") if real == np.float32 else (2, "f64")
    share = Share(width, loads=2, parts=8)
    for text in (
        sliced(real, block=3, masked=True, share=share),
        deltas(real, bits=10, permuted=False, share=share),
        diagonals(real, share=share),
    ):
        assert not re.search(r"(div|rem)\.[su](32|64)|\.local", text)
        assert f"ld.global.v{width}.{name}" in text
        assert f"st.global.v{width}.{name}" in text


@pytest.mark.parametrize("real", REALS)
def test_all_loads_of_a_batch_stand_before_its_additions(real):
    for text, at_once in (
        (sliced(real), 4),
        (sliced(real, block=3), 12),
        (deltas(real, bits=8, permuted=False), 8),
        (diagonals(real, steps_at_once=4), 4),
    ):
        # The values of the first batch and the elements of x that they are multiplied with.
        before = text[: text.index("fma.rn")]
        name = "f64" if real == np.float64 else "f32"
        assert len(re.findall(rf"ld\.global\S*\.{name} ", before)) >= 2 * at_once


def test_waiting_for_the_previous_kernel_stands_between_the_matrix_and_the_vectors():
    def kernel(values, columns, x, y):
        thread = cuda.grid(1)
        let_next_begin()
        value, column = load_1(values, thread), load_1(columns, thread)
        wait_for_previous()
        y[thread] = value[0] * x[column[0]]

    load_1 = LOADS[1]
    real = types.float64[::1]
    text = ptx(SimpleNamespace(py_func=kernel), real, U32, real, real)
    order = [
        "griddepcontrol.launch_dependents",
        "ld.global.nc",
        "griddepcontrol.wait",
        "ld.global.f64",
        "st.global",
    ]
    places = [text.index(each) for each in order]
    assert places == sorted(places)
    assert "ld.global.nc" not in text[text.index("griddepcontrol.wait") :]


def test_the_first_batch_is_loaded_by_what_stays_before_the_wait():
    # The assembler moves ld.global.nc after the wait, to save registers.
    for text, count in (
        (sliced(np.float64), 4),
        (sliced(np.float64, height=4, threads_per_row=8), 8),
        (deltas(np.float64, bits=8, permuted=False), 8),
    ):
        values = "ld.global.L1::no_allocate.f64"
        assert text.count(values) == count
        assert "griddepcontrol.wait" in text[text.rindex(values) :]
