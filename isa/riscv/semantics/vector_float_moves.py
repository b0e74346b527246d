"""Floats of vectors: conversions, reductions, and moves to and from float registers."""

from __future__ import annotations

from typing import Any

from isa.riscv.semantics.floats import read, write
from isa.riscv.semantics.soft_float import (
    INVALID,
    NEAREST_AWAY,
    TO_ODD,
    TOWARDS_ZERO,
    add,
    from_integer,
    is_nan,
    is_signalling,
    maximum,
    minimum,
    nan,
    narrow,
    to_integer,
    widen,
)
from isa.riscv.semantics.vector_elements import (
    FORM_BITS,
    ILLEGAL,
    NONE,
    VX,
    active,
    aligned,
    executes,
    first_element,
    mask_bit,
    narrowing,
    put,
    signed,
    single_width,
    unsigned,
    widening,
)
from isa.riscv.semantics.vector_floats import is_float_type
from isa.riscv.semantics.vector_permutations import UP, slide_in
from isa.riscv.state import FFLAGS, FRM, LMUL, OPERATION, RD, RS1, RS2, SEW, VL, VM

SAME, WIDER, NARROWER = range(3)
"""What :func:`convert` does to the width, times 16."""
TO_UNSIGNED, TO_SIGNED, FROM_UNSIGNED, FROM_SIGNED, TO_FLOAT, TO_FLOAT_ODD, TRUNCATE_UNSIGNED, TRUNCATE = (
    range(8)
)
"""Conversions, as the low bits of rs1 in the encoding."""
SUM, MINIMUM, MAXIMUM, ORDERED_SUM, WIDE_SUM, WIDE_ORDERED_SUM = range(6)
"""Operations of :func:`reduce`."""
TO_SCALAR, FROM_SCALAR, COPY, MERGE = range(4)
"""Operations of :func:`move`."""


def convert(hart: Any, row: Any) -> Any:
    """Convert between floats and integers of the same width, and to and from half of it."""
    code, control = hart.code, hart.control
    operation, mode, sew, flags = code[row, OPERATION] & 15, control[FRM], control[SEW], control[FFLAGS]
    change, vm = code[row, OPERATION] >> 4, code[row, VM]
    if change == SAME:
        source = target = sew
        legal = single_width(hart, row, VX)
    elif change == WIDER:
        source, target = sew, 2 * sew
        legal = widening(hart, row, VX, False)
    else:
        source, target = 2 * sew, sew
        legal = narrowing(hart, row, VX)
    from_integers = operation in (FROM_UNSIGNED, FROM_SIGNED)
    from_floats = operation in (TO_FLOAT, TO_FLOAT_ODD)
    least_float = min(source, target) if from_floats else target if from_integers else source
    if not legal or least_float < 32 or mode > NEAREST_AWAY:
        return ILLEGAL
    if operation >= TRUNCATE_UNSIGNED:
        mode = TOWARDS_ZERO
    elif operation == TO_FLOAT_ODD:
        mode = TO_ODD
    is_unsigned = operation in (TO_UNSIGNED, FROM_UNSIGNED, TRUNCATE_UNSIGNED)
    d, s2 = first_element(hart, code[row, RD], target), first_element(hart, code[row, RS2], source)
    for i in range(control[VL]):
        if active(hart, vm, i):
            a = signed(hart, s2 + i, source)
            if from_integers:
                if is_unsigned:
                    a = unsigned(hart, s2 + i, source)
                result, flags = from_integer(a, is_unsigned, target, mode, flags)
            elif not from_floats:
                result, flags = to_integer(a, target, is_unsigned, source, mode, flags)
            elif change == WIDER:
                result, flags = widen(a, flags)
            else:
                result, flags = narrow(a, mode, flags)
            put(hart, d + i, target, result)
    control[FFLAGS] = flags
    return NONE


def reduce(hart: Any, row: Any) -> Any:
    """Combine all active elements of vs2 and the first of vs1, one after the other.

    The specification leaves the order of the unordered sums open; this is the one that Spike takes. Of no
    elements they give a NaN as the canonical one, where the ordered ones copy.
    """
    code, control = hart.code, hart.control
    operation, mode, sew, vm = code[row, OPERATION] >> FORM_BITS, control[FRM], control[SEW], code[row, VM]
    wide, flags = operation >= WIDE_SUM, control[FFLAGS]
    if not is_float_type(hart) or not executes(hart) or (wide and sew == 64):
        return ILLEGAL
    if not aligned(code[row, RS2], control[LMUL]):
        return ILLEGAL
    width, s2, empty = 2 * sew if wide else sew, first_element(hart, code[row, RS2], sew), True
    result = signed(hart, first_element(hart, code[row, RS1], width), width)
    for i in range(control[VL]):
        if active(hart, vm, i):
            a, empty = signed(hart, s2 + i, sew), False
            if wide:
                a, flags = widen(a, flags)
            if operation == MINIMUM:
                result, flags = minimum(result, a, width, flags)
            elif operation == MAXIMUM:
                result, flags = maximum(result, a, width, flags)
            else:
                result, flags = add(result, a, width, mode, flags)
    if control[VL] > 0:
        if empty and operation in (SUM, WIDE_SUM) and is_nan(result, width):
            if is_signalling(result, width):
                flags |= INVALID
            result = nan(width)
        put(hart, first_element(hart, code[row, RD], width), width, result)
    control[FFLAGS] = flags
    return NONE


def move(hart: Any, row: Any) -> Any:
    """Move between a float register and element 0, or to all elements, or to those where v0 is set."""
    code, control = hart.code, hart.control
    operation, sew, d, s2 = code[row, OPERATION] >> FORM_BITS, control[SEW], code[row, RD], code[row, RS2]
    if not is_float_type(hart) or not executes(hart):
        return ILLEGAL
    if operation == TO_SCALAR:
        write(hart, d, signed(hart, first_element(hart, s2, sew), sew), sew)
        return NONE
    value = read(hart, code[row, RS1], sew)
    if operation == FROM_SCALAR:
        if control[VL] > 0:
            put(hart, first_element(hart, d, sew), sew, value)
        return NONE
    if not single_width(hart, row, VX):
        return ILLEGAL
    d, s2 = first_element(hart, d, sew), first_element(hart, s2, sew)
    for i in range(control[VL]):
        if operation == COPY or mask_bit(hart, 0, i) != 0:
            put(hart, d + i, sew, value)
        else:
            put(hart, d + i, sew, signed(hart, s2 + i, sew))
    return NONE


def slide_by_one(hart: Any, row: Any) -> Any:
    """Move elements by one place and fill the free one from a float register."""
    code, operation = hart.code, hart.code[row, OPERATION] >> FORM_BITS
    if not is_float_type(hart) or not single_width(hart, row, VX):
        return ILLEGAL
    if operation == UP and code[row, RD] == code[row, RS2]:
        return ILLEGAL
    slide_in(hart, row, operation, read(hart, code[row, RS1], hart.control[SEW]))
    return NONE
