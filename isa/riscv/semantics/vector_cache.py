"""Xhism with the vector cache of CHiSM: s slices of s elements, to which products add as to a group.

The slice is the number in an integer register, modulo s. What a slice holds is unspecified after a change of
s or of the width of elements.
"""

from __future__ import annotations

from typing import Any

from isa.riscv.semantics.memory import load32, load64, store32, store64, store_trap
from isa.riscv.semantics.vector_elements import ILLEGAL, NONE, aligned, first_element, signed
from isa.riscv.semantics.vector_floats import is_float_type
from isa.riscv.semantics.vector_sparse import is_block_type, sum_with, trap_of_load
from isa.riscv.state import (
    ADDRESSES,
    BASE,
    FFLAGS,
    LMUL,
    RD,
    RS1,
    RS2,
    RS3,
    SEW,
    VL,
    VLMAX,
)


def load_slice(hart: Any, row: Any) -> Any:
    """Load vl elements of a slice of the cache (LDC)."""
    code, control, memory, cache = hart.code, hart.control, hart.memory, hart.cache
    if not is_block_type(hart):
        return ILLEGAL
    sew, address = control[SEW], hart.x[code[row, RS1]]
    step = sew >> 3
    trap = trap_of_load(hart, address, control[VL] * step)
    if trap != NONE:
        return trap
    at, to = address - control[BASE], _place(hart, hart.x[code[row, RS2]])
    for _ in range(control[VL]):
        if sew == 32:
            store32(cache, to, load32(memory, at))
        else:
            store64(cache, to, load64(memory, at))
        at += step
        to += step
    return NONE


def store_slice(hart: Any, row: Any) -> Any:
    """Store vl elements of a slice of the cache (STC)."""
    code, control, memory, cache = hart.code, hart.control, hart.memory, hart.cache
    if not is_block_type(hart):
        return ILLEGAL
    sew, address = control[SEW], hart.x[code[row, RS1]]
    step = sew >> 3
    if control[VL] > 0:
        for end in (address, address + control[VL] * step - 1):
            trap = store_trap(hart, end, 1)
            if trap != NONE:
                return trap
    to, at = address - control[BASE], _place(hart, hart.x[code[row, RS2]])
    for _ in range(control[VL]):
        if sew == 32:
            store32(memory, to, load32(cache, at))
        else:
            store64(memory, to, load64(cache, at))
        at += step
        to += step
    return NONE


def multiply_into_slice(hart: Any, row: Any) -> Any:
    """Multiply vl entries with elements of vs3, and add to elements of a slice (BMIPAC)."""
    code, control, cache = hart.code, hart.control, hart.cache
    lmul = control[LMUL]
    groups = aligned(code[row, RD], lmul) and aligned(code[row, RS2], lmul) and aligned(code[row, RS3], lmul)
    if not is_block_type(hart) or not is_float_type(hart) or not groups:
        return ILLEGAL
    sew, s, flags = control[SEW], control[VLMAX], control[FFLAGS]
    x, y = first_element(hart, code[row, RD], sew), _place(hart, hart.x[code[row, RS1]])
    v, p = first_element(hart, code[row, RS2], sew), first_element(hart, code[row, RS3], sew)
    for k in range(control[VL]):
        position = signed(hart, p + k, sew)
        to, column = (position >> 16) & (s - 1), position & (s - 1)
        at = y + to * (sew >> 3)
        if sew == 32:
            total, flags = sum_with(hart, load32(cache, at), v + k, x + column, flags)
            store32(cache, at, total)
        else:
            total, flags = sum_with(hart, load64(cache, at), v + k, x + column, flags)
            store64(cache, at, total)
        hart.addresses[k] = to
    control[ADDRESSES], control[FFLAGS] = control[VL], flags
    return NONE


def _place(hart: Any, slice_: Any) -> Any:
    """Return the byte of the cache at which a slice begins."""
    s = hart.control[VLMAX]
    return (slice_ & (s - 1)) * s * (hart.control[SEW] >> 3)
