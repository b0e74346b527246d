"""Xhism: LDB and BMIPA on HiSM, LDS and MIPA on BBCS (:mod:`isa.semantics.sparse` names the papers).

The section size s is VLMAX, so it follows from VLEN, SEW and LMUL. Elements are floats of 32 or 64 bits. A
position has the width of an element: the column in bits 15 to 0, and in bits 31 to 16 the row (LDB), or
the flags END_OF_ROW and ZERO_ROW (LDS). Columns and rows are taken modulo s. Products and sums are rounded
one after the other as ``frm`` says. No entry after ``vl`` is loaded, and elements after it stay as they are.
"""

from __future__ import annotations

from typing import Any

from isa.riscv.semantics.memory import load8, load16, load32, load64, load_trap
from isa.riscv.semantics.soft_float import add, multiply
from isa.riscv.semantics.vector_elements import (
    ILLEGAL,
    NONE,
    aligned,
    disjoint,
    executes,
    first_element,
    put,
    signed,
)
from isa.riscv.semantics.vector_floats import is_float_type
from isa.riscv.state import (
    ADDRESSES,
    BASE,
    FFLAGS,
    FRM,
    LMUL,
    OPERATION,
    RD,
    ROWCOUNT,
    ROWPTR,
    RS1,
    RS2,
    RS3,
    SEW,
    VL,
    VLMAX,
)

BYTE, HALF = 1, 2
"""Operations of :func:`load_block`: bytes of a column, and of a row."""
END_OF_ROW = 1 << 16
ZERO_ROW = 1 << 17
"""Flags of a position of LDS: the entry ends its row; its value is how many empty rows follow."""
NARROW_SECTION = 64
"""The largest section whose descriptors, log2(s) + 2 bits, fit a byte."""


def load_block(hart: Any, row: Any) -> Any:
    """Load vl entries of a value, a column and a row (LDB)."""
    code, control, memory = hart.code, hart.control, hart.memory
    size, d, p = code[row, OPERATION], code[row, RD], code[row, RS3]
    if not is_block_type(hart) or not _are_apart(hart, d, p):
        return ILLEGAL
    sew, address = control[SEW], hart.x[code[row, RS1]]
    value = sew >> 3
    step = value + 2 * size
    trap = trap_of_load(hart, address, control[VL] * step)
    if trap != NONE:
        return trap
    d, p, at = first_element(hart, d, sew), first_element(hart, p, sew), address - control[BASE]
    for k in range(control[VL]):
        put(hart, d + k, sew, _loaded(memory, at, sew))
        position = load32(memory, at + value)
        if size == BYTE:
            position = load8(memory, at + value) | load8(memory, at + value + 1) << 16
        put(hart, p + k, sew, position)
        at += step
    return NONE


def load_section(hart: Any, row: Any) -> Any:
    """Load vl entries of a value and a descriptor, and the rows that they touch (LDS).

    ``rowptr`` is the row of the first entry, and afterwards that of the next; ``rowcount`` is how many rows.
    """
    code, control, memory = hart.code, hart.control, hart.memory
    d, p, r = code[row, RD], code[row, RS3], code[row, RS2]
    if not is_block_type(hart) or not _are_apart(hart, d, p):
        return ILLEGAL
    if not _are_apart(hart, d, r) or not _are_apart(hart, p, r):
        return ILLEGAL
    sew, s, address = control[SEW], control[VLMAX], hart.x[code[row, RS1]]
    value = sew >> 3
    step = value + (1 if s <= NARROW_SECTION else 2)
    trap = trap_of_load(hart, address, control[VL] * step)
    if trap != NONE:
        return trap
    d, p, at = first_element(hart, d, sew), first_element(hart, p, sew), address - control[BASE]
    r, current, rows, is_open = first_element(hart, r, sew), control[ROWPTR], 0, False
    for k in range(control[VL]):
        put(hart, d + k, sew, _loaded(memory, at, sew))
        descriptor = load8(memory, at + value) if s <= NARROW_SECTION else load16(memory, at + value)
        flags = descriptor // s & 3
        put(hart, p + k, sew, (descriptor & (s - 1)) | flags * END_OF_ROW)
        if flags & 2 != 0:
            current += load32(memory, at)
        else:
            if not is_open:
                put(hart, r + rows, sew, current)
                rows += 1
            is_open = flags == 0
            current += flags & 1
        at += step
    control[ROWPTR], control[ROWCOUNT] = current, rows
    return NONE


def multiply_block(hart: Any, row: Any) -> Any:
    """Multiply vl entries with elements of vs1, and add to elements of vd (BMIPA)."""
    code, control = hart.code, hart.control
    if not _multiplies(hart, row):
        return ILLEGAL
    sew, s, flags = control[SEW], control[VLMAX], control[FFLAGS]
    y, x = first_element(hart, code[row, RD], sew), first_element(hart, code[row, RS1], sew)
    v, p = first_element(hart, code[row, RS2], sew), first_element(hart, code[row, RS3], sew)
    for k in range(control[VL]):
        position = signed(hart, p + k, sew)
        to, column = (position >> 16) & (s - 1), position & (s - 1)
        total, flags = sum_with(hart, signed(hart, y + to, sew), v + k, x + column, flags)
        put(hart, y + to, sew, total)
        hart.addresses[k] = to
    control[ADDRESSES], control[FFLAGS] = control[VL], flags
    return NONE


def multiply_section(hart: Any, row: Any) -> Any:
    """Do the same with sums that follow each other in vd, one for each row of a section (MIPA)."""
    code, control = hart.code, hart.control
    if not _multiplies(hart, row):
        return ILLEGAL
    sew, s, flags = control[SEW], control[VLMAX], control[FFLAGS]
    y, x = first_element(hart, code[row, RD], sew), first_element(hart, code[row, RS1], sew)
    v, p, to = first_element(hart, code[row, RS2], sew), first_element(hart, code[row, RS3], sew), 0
    for k in range(control[VL]):
        position = signed(hart, p + k, sew)
        hart.addresses[k] = -1
        if position & ZERO_ROW == 0:
            column = position & (s - 1)
            total, flags = sum_with(hart, signed(hart, y + to, sew), v + k, x + column, flags)
            put(hart, y + to, sew, total)
            hart.addresses[k] = to
            to = (to + (position >> 16 & 1)) & (s - 1)
    control[ADDRESSES], control[FFLAGS] = control[VL], flags
    return NONE


def sum_with(hart: Any, before: Any, value: Any, x: Any, flags: Any) -> Any:
    """Return the sum with the product of two elements of registers, and the flags of floats.

    Parameters
    ----------
    before
        What the product is added to.
    value, x
        The numbers of the elements.
    flags
        The flags of floats before.
    """
    sew, mode = hart.control[SEW], hart.control[FRM]
    product, flags = multiply(signed(hart, value, sew), signed(hart, x, sew), sew, mode, flags)
    return add(before, product, sew, mode, flags)


def is_block_type(hart: Any) -> Any:
    """Return whether elements are floats that there are."""
    return executes(hart) and hart.control[SEW] >= 32


def _are_apart(hart: Any, a: Any, b: Any) -> Any:
    """Return whether two operands are groups of registers, and share none."""
    lmul = hart.control[LMUL]
    return aligned(a, lmul) and aligned(b, lmul) and disjoint(a, lmul, b, lmul)


def _multiplies(hart: Any, row: Any) -> Any:
    """Check a product: what is added to is none of the others."""
    code = hart.code
    y = code[row, RD]
    return (
        executes(hart)
        and is_float_type(hart)
        and _are_apart(hart, y, code[row, RS1])
        and _are_apart(hart, y, code[row, RS2])
        and _are_apart(hart, y, code[row, RS3])
    )


def trap_of_load(hart: Any, address: Any, size: Any) -> Any:
    """Return the trap of a load of bytes in a row; NONE if all are in memory."""
    if size == 0:
        return NONE
    trap = load_trap(hart, address, 1)
    return trap if trap != NONE else load_trap(hart, address + size - 1, 1)


def _loaded(memory: Any, place: Any, sew: Any) -> Any:
    return load32(memory, place) if sew == 32 else load64(memory, place)
