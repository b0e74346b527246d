"""What the kernels of sums compile to. Needs NVIDIA's compiler, but no GPU."""

import re

import numpy as np
import pytest
from numba import types

from gpu.runtime.cuda import cuda
from gpu.sums import bucket_counting, bucket_sorting
from gpu.sums.merge_kernels import count_kernel, sum_kernel
from gpu.sums.scattered_transposition import order_kernel

HOPPER = (9, 0)
I32, U8, I64, WHOLE = types.int32[::1], types.uint8[::1], types.int64[::1], types.int64
REALS = {np.float32: types.float32, np.float64: types.float64}


@pytest.mark.parametrize("real", REALS)
@pytest.mark.parametrize("drop_zeros", [False, True])
def test_passes_have_no_atomics_and_keep_all_in_registers(real, drop_zeros):
    one, vector = REALS[real], REALS[real][::1]
    given = (I32, I32, vector, I32, I32, vector, WHOLE, I32, U8, I32)
    for kernel, more in ((count_kernel, ()), (sum_kernel, (I32, I32, vector))):
        signature = (*given, *more, one, one)
        actual = cuda.compile_ptx(kernel(real, drop_zeros).py_func, signature, cc=HOPPER)[0]
        assert not re.search(r"\batom\.|\bred\.|\.local|(div|rem)\.[su]64", actual)
        assert not re.search(r"\bfma\.", actual), "products are rounded before they are added"


def test_columns_are_ordered_without_atomics():
    signature = (types.float64[::1], I64, I32, WHOLE, I32, I32, types.float64[::1])
    actual = cuda.compile_ptx(order_kernel(32, 3).py_func, signature, cc=HOPPER)[0]
    assert not re.search(r"\batom\.|\bred\.|\.local", actual)


@pytest.mark.parametrize("real", REALS)
def test_entries_sorted_by_buckets_stay_in_registers_and_shared_memory(real):
    vector, u16, u32 = REALS[real][::1], types.uint16[::1], types.uint32[::1]
    given = (I32, I32, vector, WHOLE, WHOLE, I32, WHOLE, WHOLE, WHOLE, I32, I32, u32, I32, u16, vector)
    ordered = (I32, u16, vector, WHOLE, WHOLE, WHOLE, I32, I32, I32, vector)
    counted = (I32, WHOLE, WHOLE, WHOLE, WHOLE, I32, u32, I32)
    for kernel, signature in (
        (bucket_counting.count_kernel(1024), counted),
        (bucket_sorting.partition_kernel(real, 1024), given),
        *((bucket_sorting.order_kernel(real, each), ordered) for each in bucket_sorting.ORDER_EACH),
    ):
        actual = cuda.compile_ptx(kernel.py_func, signature, cc=HOPPER)[0]
        shared = re.findall(r"\.shared [^;]*\[(\d+)\]", actual)
        assert sum(map(int, shared)) <= 48 << 10
        assert not re.search(r"\.local|(div|rem)\.[su]64", actual)
