"""Permutations: moves of single elements and whole registers, slides, gathers among registers, compress."""

from __future__ import annotations

from typing import Any

from isa.riscv.semantics.vector_elements import (
    FORM_BITS,
    ILLEGAL,
    NONE,
    VV,
    VX,
    active,
    aligned,
    below,
    disjoint,
    executes,
    first_element,
    mask_bit,
    put,
    scalar,
    signed,
    single_width,
    unsigned,
)
from isa.riscv.semantics.vector_integer import FORMS
from isa.riscv.state import LMUL, OPERATION, RD, RS1, RS2, SEW, VL, VLEN, VLMAX, VM

UP, DOWN = range(2)
"""Operations of :func:`slide` and :func:`slide_by_one`."""
GATHER, GATHER_16 = range(2)
"""Operations of :func:`gather`: indices of the width of the elements, or of 16 bits."""
TO_SCALAR, FROM_SCALAR = range(2)
"""Operations of :func:`move_element`."""


def move_element(hart: Any, row: Any) -> Any:
    """Move between element 0 and a scalar register (vmv.x.s, vmv.s.x)."""
    code, control = hart.code, hart.control
    sew, d = control[SEW], code[row, RD]
    if not executes(hart):
        return ILLEGAL
    if code[row, OPERATION] == TO_SCALAR:
        hart.x[d] = signed(hart, first_element(hart, code[row, RS2], sew), sew)
    elif control[VL] > 0:
        put(hart, first_element(hart, d, sew), sew, hart.x[code[row, RS1]])
    return NONE


def move_registers(hart: Any, row: Any) -> Any:
    """Copy 1, 2, 4 or 8 registers, whatever vl; the operation is the logarithm of their number."""
    code, control = hart.code, hart.control
    operation, d, s2 = code[row, OPERATION], code[row, RD], code[row, RS2]
    if not executes(hart) or not aligned(d, operation) or not aligned(s2, operation):
        return ILLEGAL
    length = control[VLEN] >> 3
    for k in range(length << operation):
        hart.v8[d * length + k] = hart.v8[s2 * length + k]
    return NONE


def slide(hart: Any, row: Any) -> Any:
    """Move elements up or down by a number of places (.vx, .vi)."""
    code, control = hart.code, hart.control
    operation, form = code[row, OPERATION] >> FORM_BITS, code[row, OPERATION] & FORMS
    if not single_width(hart, row, form) or (operation == UP and code[row, RD] == code[row, RS2]):
        return ILLEGAL
    sew, vm, vlmax, places = control[SEW], code[row, VM], control[VLMAX], scalar(hart, row, form)
    d, s2 = first_element(hart, code[row, RD], sew), first_element(hart, code[row, RS2], sew)
    if not below(places, vlmax):
        places = vlmax  # as far as any larger number
    for i in range(places if operation == UP else 0, control[VL]):
        if active(hart, vm, i):
            if operation == UP:
                value = signed(hart, s2 + i - places, sew)
            else:
                value = signed(hart, s2 + i + places, sew) if i + places < vlmax else 0
            put(hart, d + i, sew, value)
    return NONE


def slide_by_one(hart: Any, row: Any) -> Any:
    """Move elements by one place and fill the free one from a scalar register (vslide1up, vslide1down)."""
    code, operation = hart.code, hart.code[row, OPERATION] >> FORM_BITS
    if not single_width(hart, row, VX) or (operation == UP and code[row, RD] == code[row, RS2]):
        return ILLEGAL
    slide_in(hart, row, operation, hart.x[code[row, RS1]])
    return NONE


def slide_in(hart: Any, row: Any, operation: Any, filler: Any) -> None:
    """Move elements by one place; the bits of ``filler`` take the free one."""
    code, control = hart.code, hart.control
    sew, vm, vl = control[SEW], code[row, VM], control[VL]
    d, s2 = first_element(hart, code[row, RD], sew), first_element(hart, code[row, RS2], sew)
    for i in range(vl):
        if active(hart, vm, i):
            if operation == UP:
                value = signed(hart, s2 + i - 1, sew) if i > 0 else filler
            else:
                value = signed(hart, s2 + i + 1, sew) if i < vl - 1 else filler
            put(hart, d + i, sew, value)


def gather(hart: Any, row: Any) -> Any:
    """Read elements by their number; one beyond the group is 0 (vrgather, vrgatherei16)."""
    code, control = hart.code, hart.control
    operation, form = code[row, OPERATION] >> FORM_BITS, code[row, OPERATION] & FORMS
    sew, lmul, vm, vlmax = control[SEW], control[LMUL], code[row, VM], control[VLMAX]
    d, s2, s1 = code[row, RD], code[row, RS2], code[row, RS1]
    if not single_width(hart, row, VX) or d == s2:
        return ILLEGAL
    width, index_lmul = sew, lmul
    if operation == GATHER_16:
        width, index_lmul = 16, lmul + (sew < 16) - (sew > 16) - (sew > 32)
    if form == VV and (
        not -3 <= index_lmul <= 3 or not aligned(s1, index_lmul) or not disjoint(d, lmul, s1, index_lmul)
    ):
        return ILLEGAL
    d, s2, s1 = first_element(hart, d, sew), first_element(hart, s2, sew), first_element(hart, s1, width)
    index = scalar(hart, row, form)
    for i in range(control[VL]):
        if active(hart, vm, i):
            if form == VV:
                index = unsigned(hart, s1 + i, width)
            put(hart, d + i, sew, signed(hart, s2 + index, sew) if below(index, vlmax) else 0)
    return NONE


def compress(hart: Any, row: Any) -> Any:
    """Put the elements whose bit in vs1 is set next to each other."""
    code, control = hart.code, hart.control
    sew, lmul, d, s2, s1 = control[SEW], control[LMUL], code[row, RD], code[row, RS2], code[row, RS1]
    if not executes(hart) or not aligned(d, lmul) or not aligned(s2, lmul):
        return ILLEGAL
    if d == s2 or not disjoint(d, lmul, s1, 0):
        return ILLEGAL
    d, s2 = first_element(hart, d, sew), first_element(hart, s2, sew)
    for i in range(control[VL]):
        if mask_bit(hart, s1, i) != 0:
            put(hart, d, sew, signed(hart, s2 + i, sew))
            d += 1
    return NONE
