"""A kernel compiled once and assembled again for fewer registers."""

import struct

import numpy as np
import pytest
from numba import types

from gpu.compound import blocks
from gpu.compound.component_layout import AOS
from gpu.compound.outer_layout import slicing_of
from gpu.compound.product_kernel import form_of, product_kernel
from gpu.compound.schedule import Schedule
from gpu.runtime.kernel_cache import assembled_again

HOPPER = (9, 0)


REGISTERS = bytes((0x04, 0x2F, 0x08, 0x00))
"""Begins the record of a kernel's registers in machine code: its symbol and their number follow."""


def registers_of(library):
    """Read the registers of a thread from the machine code of one kernel."""
    code = library.get_cubin(cc=HOPPER)
    code = bytes(getattr(code, "code", code))
    return struct.unpack_from("<I", code, code.index(REGISTERS) + 8)[0]


@pytest.fixture
def compiled(monkeypatch):
    from numba.cuda.codegen import CUDACodeLibrary
    from numba.cuda.dispatcher import _Kernel

    monkeypatch.setattr(CUDACodeLibrary, "_ensure_cc", lambda self, cc: cc or HOPPER)
    entry, schedule = blocks(3), Schedule("static", 256, 8)
    form = form_of(entry, np.float64, schedule)
    kernel = product_kernel(entry, np.float64, slicing_of("sliced-32", 1), False, AOS, AOS, form)
    real, unsigned = types.float64[::1], types.uint32[::1]
    signature = (real, types.int8[::1], *[unsigned] * 5, *[types.int64] * 5, unsigned, real, real)
    return _Kernel(kernel.py_func, signature)


def test_fewer_registers_without_compiling_again(compiled, monkeypatch):
    most = registers_of(compiled._codelibrary)
    monkeypatch.setattr("numba.cuda.cudadrv.nvvm.compile_ir", lambda *_, **__: pytest.fail("compiled again"))
    limited = assembled_again(compiled, 64)
    assert registers_of(limited._codelibrary) <= 64 < most
    assert registers_of(compiled._codelibrary) == most
