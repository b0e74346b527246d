"""What the kernels of HBP compile to for compute capability 9.0, without a GPU."""

import re

import numpy as np
import pytest
from numba import types

from gpu.hbp import active_product as hbp_active
from gpu.hbp import product as hbp
from gpu.hbp.building import counted_order, filling, probed_order, row_counts, slots
from gpu.runtime.cuda import cuda
from gpu.sorting import prefix_sums

HOPPER = (9, 0)
U8, U16, I32, WHOLE = types.uint8[::1], types.uint16[::1], types.int32[::1], types.int64
REALS = {np.float32: types.float32, np.float64: types.float64}


def compiled(kernel, *signature):
    return cuda.compile_ptx(kernel.py_func, signature, cc=HOPPER)[0]


@pytest.mark.parametrize("direct", [False, True])
@pytest.mark.parametrize("real", REALS)
def test_the_repaired_product_adds_in_its_type_and_spills_nothing(real, direct):
    one, vector = REALS[real], REALS[real][::1]
    arrays = (U16, vector, U8, I32, I32, I32, I32, I32)
    kernel = hbp_active.pieces_kernel(real, 4096, direct)
    pieces = compiled(kernel, *arrays, WHOLE, WHOLE, vector, vector, one)
    adding = compiled(hbp_active.add_sums_kernel(real), vector, I32, I32, WHOLE, vector, one)
    for text in (pieces, adding):
        assert ("f64" in text) == (real == np.float64)
        assert ".local" not in text
    assert "fma.rn" in pieces
    assert ("red.global.add" in pieces or "atom.global.add" in pieces) == direct


@pytest.mark.parametrize("direct", [False, True])
@pytest.mark.parametrize("real", REALS)
def test_the_published_product_adds_in_its_type_and_spills_nothing(real, direct):
    one, vector = REALS[real], REALS[real][::1]
    arrays, sizes = (I32, vector, I32, I32, I32, I32), (WHOLE,) * 6
    text = compiled(hbp.blocks_kernel(real, 4096, direct), *arrays, *sizes, I32, vector, vector, one)
    adding = compiled(hbp.combine_kernel(real), vector, WHOLE, WHOLE, WHOLE, I32, vector, one, one)
    for each in (text, adding):
        assert ("f64" in each) == (real == np.float64)
        assert ".local" not in each
    assert "fma.rn" in text


DIVISION = r"\b(rem|div)\.[su](32|64)"


def test_a_hash_of_any_numbers_divides():
    kernel = counted_order.counted_order_kernel(512, "hash")
    assert re.search(DIVISION, compiled(kernel, I32, *(WHOLE,) * 6, I32))


@pytest.mark.parametrize("method", counted_order.BY_COUNTING)
def test_orders_stay_in_shared_memory_and_need_no_atomic(method):
    kernel = counted_order.counted_order_kernel(512, method, divides=True)
    text = compiled(kernel, I32, *(WHOLE,) * 6, I32)
    assert not re.search(DIVISION, text)
    assert ".local" not in text
    assert "match.any.sync" in text
    assert "atom" not in text
    assert "bar.sync" not in text
    assert counted_order.warps_that_count(512, method) == counted_order.ORDER_THREADS // 32
    assert counted_order.warps_that_count(5856, method) == 1


@pytest.mark.parametrize("divides", [False, True])
@pytest.mark.parametrize("method", probed_order.PROBING)
def test_the_published_table_is_filled_with_native_atomics_in_shared_memory(method, divides):
    text = compiled(probed_order.probing_kernel(512, method, divides), I32, *(WHOLE,) * 6, I32)
    assert ("atom.shared.cas.b32" if method == "probing" else "atom.shared.and.b32") in text
    assert bool(re.search(DIVISION, text)) != divides
    assert ".local" not in text
    assert probed_order.threads_that_probe(512) == 512


def test_groups_are_cut_by_a_warp():
    text = compiled(counted_order.cut_kernel(512), I32, I32, U8)
    assert ".local" not in text
    assert "bar.sync" not in text


@pytest.mark.parametrize("kernel", [prefix_sums.totals_kernel, prefix_sums.places_kernel])
def test_all_counts_of_a_thread_are_loaded_together_once_they_may_be_read(kernel):
    arrays = (I32, I32) if kernel is prefix_sums.places_kernel else (I32,)
    text = compiled(kernel, I32, WHOLE, *arrays)
    loads = [actual.start() for actual in re.finditer(r"ld\.global\.b32", text)]
    assert len(loads) == prefix_sums.OF_THREAD
    assert text.index("griddepcontrol.wait") < loads[0]
    assert loads[-1] < text.index("shfl.sync")
    assert ".local" not in text


def test_the_other_kernels_of_the_conversion_are_compiled():
    sizes = (WHOLE,) * 6
    compiled(row_counts.row_counts_kernel, I32, I32, *sizes[:5], I32, I32)
    compiled(row_counts.lengths_kernel, I32, WHOLE, WHOLE, I32)
    compiled(row_counts.over_kernel, I32, WHOLE, WHOLE, I32)
    compiled(counted_order.repeat_kernel, I32, WHOLE, WHOLE, WHOLE, I32)
    compiled(filling.weigh_groups_kernel, I32, I32, WHOLE, WHOLE, I32, I32)
    vector = types.float64[::1]
    arrays = (I32, vector, I32, I32, I32, WHOLE, WHOLE, I32, I32, vector, I32)
    assert ".local" not in compiled(filling.fill_groups_kernel, *arrays)


def test_the_kernels_of_the_repaired_form_are_compiled():
    w, i64, vector = WHOLE, types.int64[::1], types.float32[::1]
    compiled(slots.narrow_kernel, i64, w, I32)
    compiled(slots.mark_kernel, I32, I32, w, w, w, I32)
    compiled(slots.begin_kernel, I32, I32, w, w, I32)
    compiled(slots.weigh_kernel, I32, w, I32, w, w, w, I32, I32, I32)
    matrix, out = (I32, I32, vector, w, I32, w, w, w, w), (I32, I32, i64, i64, I32, vector)
    compiled(slots.emit_kernel, *matrix, I32, I32, I32, *out)
    compiled(slots.key_kernel, I32, w, w, w, w, w, w, i64, I32)
    compiled(slots.block_groups_kernel, I32, w, I32)
    compiled(slots.group_kernel, i64, I32, w, I32, w, w, I32, I32)
    compiled(slots.group_entries_kernel, I32, I32, I32, w, U8, I32)
    text = compiled(slots.fill_kernel, I32, vector, I32, I32, I32, I32, I32, w, w, U16, vector)
    assert ".local" not in text
    assert "f64" not in text
