"""What the kernels of compound entries compile to for compute capability 9.0."""

import re

import numpy as np
import pytest
from numba import types

from gpu.compound import QUATERNION, UNIT_QUATERNION, blocks
from gpu.compound.component_layout import AOS, SOA, ComponentLayout
from gpu.compound.outer_layout import slicing_of
from gpu.compound.product_kernel import form_of, product_kernel
from gpu.compound.schedule import Schedule
from gpu.runtime.cuda import cuda

HOPPER = (9, 0)


def ptx(entry, real, outer, inner, schedule):
    form, slicing = form_of(entry, real, schedule), slicing_of(outer, schedule.threads_per_row)
    kernel = product_kernel(entry, real, slicing, False, inner, AOS, form)
    one = {np.float32: types.float32, np.float64: types.float64}[real][::1]
    unsigned = types.uint32[::1]
    arrays = (one, types.int8[::1], unsigned, unsigned, unsigned, unsigned, unsigned)
    signature = (*arrays, *[types.int64] * 5, unsigned, one, one)
    return cuda.compile_ptx(kernel.py_func, signature, cc=HOPPER)[0]


@pytest.mark.parametrize(
    ("real", "inner", "load", "count"),
    [
        (np.float32, AOS, "v4.f32", 4),
        (np.float64, AOS, "v2.f64", 8),
        (np.float64, ComponentLayout(None, 2), "v2.f64", 8),
        (np.float32, SOA, "f32", 16),
    ],
)
def test_a_quaternion_takes_as_few_loads_as_its_layout_allows(real, inner, load, count):
    text = ptx(QUATERNION, real, "sliced-32", inner, Schedule())
    assert len(re.findall(rf"ld\.global\.L1::no_allocate\.{load}", text)) == count
    assert not re.search(r"(div|rem)\.[su]64|\.local", text)
    assert bool(re.search(r"\.f64", text)) == (real is np.float64)


@pytest.mark.parametrize("entry", [UNIT_QUATERNION, blocks(6)], ids=lambda entry: entry.name)
def test_float32_stays_float32(entry):
    text = ptx(entry, np.float32, "csr", SOA, Schedule("dynamic", 128, 4, 4))
    assert not re.search(r"\.f64|\.local", text)
    assert "atom" in text
