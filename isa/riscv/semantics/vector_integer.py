"""Integer arithmetic of vectors: add, logic, shift, multiply, divide, compare, carry, widen, narrow."""

from __future__ import annotations

from typing import Any

import numpy as np

from isa.riscv.semantics.vector_elements import (
    FORM_BITS,
    ILLEGAL,
    NONE,
    VV,
    active,
    aligned,
    apart,
    below,
    executes,
    first_element,
    mask_bit,
    narrowing,
    put,
    put_mask_bit,
    scalar,
    shifted,
    sign_extended,
    signed,
    single_width,
    spares_mask,
    to_mask,
    unsigned,
    widening,
    zero_extended,
)
from isa.riscv.state import LMUL, OPERATION, RD, RS1, RS2, SEW, VL, VM

FORMS = (1 << FORM_BITS) - 1

ADD, SUBTRACT, REVERSE_SUBTRACT, AND, OR, XOR, SHIFT_LEFT, SHIFT_RIGHT, SHIFT_ARITHMETIC = range(9)
MINIMUM, MAXIMUM, MINIMUM_UNSIGNED, MAXIMUM_UNSIGNED = range(9, 13)
"""Operations of :func:`integer`."""
MULTIPLY, MULTIPLY_HIGH, MULTIPLY_HIGH_UNSIGNED, MULTIPLY_HIGH_MIXED = range(4)
DIVIDE, DIVIDE_UNSIGNED, REMAINDER, REMAINDER_UNSIGNED = range(4, 8)
"""Operations of :func:`multiply`."""
ACCUMULATE, SUBTRACT_PRODUCT, MULTIPLY_ADD, MULTIPLY_SUBTRACT = range(4)
"""Operations of :func:`multiply_add`: vmacc, vnmsac, vmadd, vnmsub."""
EQUAL, UNEQUAL, LESS, LESS_UNSIGNED, LESS_EQUAL, LESS_EQUAL_UNSIGNED, GREATER, GREATER_UNSIGNED = range(8)
"""Operations of :func:`compare`."""
ADD_CARRY, SUBTRACT_BORROW, MERGE, MOVE = range(4)
"""Operations of :func:`with_mask`."""
CARRY, BORROW = range(2)
"""Operations of :func:`carry_out`."""
WIDE_ADD, WIDE_SUBTRACT, WIDE_MULTIPLY, WIDE_ACCUMULATE = range(4)
"""Operations of :func:`widen`, times 8; the flags that follow are added."""
UNSIGNED_1, UNSIGNED_2, WIDE_SOURCE = 1, 2, 4
"""Flags of :func:`widen`: the second operand and vs2 are zero-extended; vs2 is wide already."""
NARROW_LOGICAL, NARROW_ARITHMETIC = range(2)
"""Operations of :func:`narrow_shift`."""


def integer(hart: Any, row: Any) -> Any:
    """Add, subtract, combine by bits, shift, and take the smaller or larger (.vv, .vx, .vi)."""
    code, control = hart.code, hart.control
    operation, form = code[row, OPERATION] >> FORM_BITS, code[row, OPERATION] & FORMS
    if not single_width(hart, row, form):
        return ILLEGAL
    sew, vm = control[SEW], code[row, VM]
    d, s2 = first_element(hart, code[row, RD], sew), first_element(hart, code[row, RS2], sew)
    s1, b = first_element(hart, code[row, RS1], sew), sign_extended(scalar(hart, row, form), sew)
    for i in range(control[VL]):
        if active(hart, vm, i):
            if form == VV:
                b = signed(hart, s1 + i, sew)
            put(hart, d + i, sew, _integer(operation, signed(hart, s2 + i, sew), b, sew))
    return NONE


def _integer(operation: Any, a: Any, b: Any, sew: Any) -> Any:
    if operation == ADD:
        return a + b
    if operation == SUBTRACT:
        return a - b
    if operation == REVERSE_SUBTRACT:
        return b - a
    if operation == AND:
        return a & b
    if operation == OR:
        return a | b
    if operation == XOR:
        return a ^ b
    if operation == SHIFT_LEFT:
        return a << (b & (sew - 1))
    if operation == SHIFT_RIGHT:
        return shifted(zero_extended(a, sew), b & (sew - 1))
    if operation == SHIFT_ARITHMETIC:
        return a >> (b & (sew - 1))
    if operation == MINIMUM:
        return min(a, b)
    if operation == MAXIMUM:
        return max(a, b)
    # Sign extension keeps the order of unsigned numbers.
    if operation == MINIMUM_UNSIGNED:
        return a if below(a, b) else b
    return b if below(a, b) else a


def multiply(hart: Any, row: Any) -> Any:
    """Multiply for the low or high half, and divide (.vv, .vx)."""
    code, control = hart.code, hart.control
    operation, form = code[row, OPERATION] >> FORM_BITS, code[row, OPERATION] & FORMS
    if not single_width(hart, row, form):
        return ILLEGAL
    sew, vm = control[SEW], code[row, VM]
    d, s2 = first_element(hart, code[row, RD], sew), first_element(hart, code[row, RS2], sew)
    s1, b = first_element(hart, code[row, RS1], sew), sign_extended(scalar(hart, row, form), sew)
    for i in range(control[VL]):
        if active(hart, vm, i):
            if form == VV:
                b = signed(hart, s1 + i, sew)
            a = signed(hart, s2 + i, sew)
            if operation == MULTIPLY:
                put(hart, d + i, sew, a * b)
            elif operation < DIVIDE:
                put(hart, d + i, sew, _high(operation, a, b, sew))
            else:
                put(hart, d + i, sew, _divided(operation, a, b, sew))
    return NONE


def _high(operation: Any, a: Any, b: Any, sew: Any) -> Any:
    """Return the high half of a product."""
    if operation != MULTIPLY_HIGH:
        b = zero_extended(b, sew)
    if operation == MULTIPLY_HIGH_UNSIGNED:
        a = zero_extended(a, sew)
    if sew < 64:
        return shifted(a * b, sew)  # what is beyond the low 64 bits is cut off
    high = high_unsigned(a, b)
    if operation != MULTIPLY_HIGH_UNSIGNED and a < 0:
        high -= b
    if operation == MULTIPLY_HIGH and b < 0:
        high -= a
    return high


def high_unsigned(a: Any, b: Any) -> Any:
    """Return the high 64 bits of the product of two int64 taken as unsigned."""
    a0, a1 = a & 0xFFFFFFFF, shifted(a, 32)
    b0, b1 = b & 0xFFFFFFFF, shifted(b, 32)
    middle = a1 * b0 + shifted(a0 * b0, 32)
    other = a0 * b1 + (middle & 0xFFFFFFFF)
    return a1 * b1 + shifted(middle, 32) + shifted(other, 32)


def _divided(operation: Any, a: Any, b: Any, sew: Any) -> Any:
    """Divide, rounding to zero; by zero the quotient is all ones and the remainder the dividend."""
    quotient = operation in (DIVIDE, DIVIDE_UNSIGNED)
    if b == 0:
        return -1 if quotient else a
    if operation in (DIVIDE_UNSIGNED, REMAINDER_UNSIGNED):
        n, m = np.uint64(zero_extended(a, sew)), np.uint64(zero_extended(b, sew))
        return np.int64(n // m) if quotient else np.int64(n % m)
    # The magnitude of the least number is right as an unsigned one.
    n, m = np.uint64(-a if a < 0 else a), np.uint64(-b if b < 0 else b)
    if quotient:
        result = np.int64(n // m)
        return result if (a < 0) == (b < 0) else -result
    result = np.int64(n % m)
    return -result if a < 0 else result


def multiply_add(hart: Any, row: Any) -> Any:
    """Multiply and add or subtract, over the addend or over a factor (.vv, .vx)."""
    code, control = hart.code, hart.control
    operation, form = code[row, OPERATION] >> FORM_BITS, code[row, OPERATION] & FORMS
    if not single_width(hart, row, form):
        return ILLEGAL
    sew, vm = control[SEW], code[row, VM]
    d, s2 = first_element(hart, code[row, RD], sew), first_element(hart, code[row, RS2], sew)
    s1, b = first_element(hart, code[row, RS1], sew), scalar(hart, row, form)
    for i in range(control[VL]):
        if active(hart, vm, i):
            if form == VV:
                b = signed(hart, s1 + i, sew)
            a, old = signed(hart, s2 + i, sew), signed(hart, d + i, sew)
            if operation == ACCUMULATE:
                result = old + a * b
            elif operation == SUBTRACT_PRODUCT:
                result = old - a * b
            elif operation == MULTIPLY_ADD:
                result = a + old * b
            else:
                result = a - old * b
            put(hart, d + i, sew, result)
    return NONE


def compare(hart: Any, row: Any) -> Any:
    """Compare, giving a mask (.vv, .vx, .vi)."""
    code, control = hart.code, hart.control
    operation, form = code[row, OPERATION] >> FORM_BITS, code[row, OPERATION] & FORMS
    if not to_mask(hart, row, form):
        return ILLEGAL
    sew, vm, d = control[SEW], code[row, VM], code[row, RD]
    s2, s1 = first_element(hart, code[row, RS2], sew), first_element(hart, code[row, RS1], sew)
    b = sign_extended(scalar(hart, row, form), sew)
    for i in range(control[VL]):
        if active(hart, vm, i):
            if form == VV:
                b = signed(hart, s1 + i, sew)
            put_mask_bit(hart, d, i, np.int64(_compared(operation, signed(hart, s2 + i, sew), b)))
    return NONE


def _compared(operation: Any, a: Any, b: Any) -> Any:
    if operation == EQUAL:
        return a == b
    if operation == UNEQUAL:
        return a != b
    if operation == LESS:
        return a < b
    if operation == LESS_UNSIGNED:
        return below(a, b)
    if operation == LESS_EQUAL:
        return a <= b
    if operation == LESS_EQUAL_UNSIGNED:
        return not below(b, a)
    if operation == GREATER:
        return a > b
    return below(b, a)


def with_mask(hart: Any, row: Any) -> Any:
    """Add with carry, subtract with borrow, merge and move: v0 is an operand (.vvm, .vxm, .vim, .v.v ...)."""
    code, control = hart.code, hart.control
    operation, form = code[row, OPERATION] >> FORM_BITS, code[row, OPERATION] & FORMS
    if not single_width(hart, row, form):
        return ILLEGAL
    sew = control[SEW]
    d, s2 = first_element(hart, code[row, RD], sew), first_element(hart, code[row, RS2], sew)
    s1, b = first_element(hart, code[row, RS1], sew), scalar(hart, row, form)
    for i in range(control[VL]):
        if form == VV:
            b = signed(hart, s1 + i, sew)
        a, bit = signed(hart, s2 + i, sew), np.int64(mask_bit(hart, 0, i))
        if operation == ADD_CARRY:
            put(hart, d + i, sew, a + b + bit)
        elif operation == SUBTRACT_BORROW:
            put(hart, d + i, sew, a - b - bit)
        else:
            put(hart, d + i, sew, b if operation == MOVE or bit != 0 else a)
    return NONE


def carry_out(hart: Any, row: Any) -> Any:
    """Return the carry of a sum or the borrow of a difference as a mask (vmadc, vmsbc)."""
    code, control = hart.code, hart.control
    operation, form = code[row, OPERATION] >> FORM_BITS, code[row, OPERATION] & FORMS
    if not to_mask(hart, row, form):
        return ILLEGAL
    sew, d, without = control[SEW], code[row, RD], code[row, VM] != 0
    s2, s1 = first_element(hart, code[row, RS2], sew), first_element(hart, code[row, RS1], sew)
    b = zero_extended(scalar(hart, row, form), sew)
    for i in range(control[VL]):
        if form == VV:
            b = unsigned(hart, s1 + i, sew)
        a, bit = unsigned(hart, s2 + i, sew), np.int64(0 if without else mask_bit(hart, 0, i))
        if operation == BORROW:
            out = below(a, b) or (a == b and bit != 0)
        else:
            total = zero_extended(a + b, sew)
            out = below(total, a) or (bit != 0 and zero_extended(total + 1, sew) == 0)
        put_mask_bit(hart, d, i, np.int64(out))
    return NONE


def widen(hart: Any, row: Any) -> Any:
    """Add, subtract, multiply and multiply-add into elements twice as wide (.vv, .vx, .wv, .wx)."""
    code, control = hart.code, hart.control
    flags, form = code[row, OPERATION] >> FORM_BITS, code[row, OPERATION] & FORMS
    operation, wide_source = flags >> 3, flags & WIDE_SOURCE != 0
    if not widening(hart, row, form, wide_source):
        return ILLEGAL
    sew, vm = control[SEW], code[row, VM]
    width = 2 * sew if wide_source else sew
    d, s2 = first_element(hart, code[row, RD], 2 * sew), first_element(hart, code[row, RS2], width)
    s1, b = first_element(hart, code[row, RS1], sew), scalar(hart, row, form)
    for i in range(control[VL]):
        if active(hart, vm, i):
            a = signed(hart, s2 + i, width)
            b = signed(hart, s1 + i, sew) if form == VV else sign_extended(b, sew)
            if flags & UNSIGNED_2 != 0:
                a = zero_extended(a, width)
            if flags & UNSIGNED_1 != 0:
                b = zero_extended(b, sew)
            if operation == WIDE_ADD:
                result = a + b
            elif operation == WIDE_SUBTRACT:
                result = a - b
            elif operation == WIDE_MULTIPLY:
                result = a * b
            else:
                result = signed(hart, d + i, 2 * sew) + a * b
            put(hart, d + i, 2 * sew, result)
    return NONE


def narrow_shift(hart: Any, row: Any) -> Any:
    """Shift right into elements half as wide (.wv, .wx, .wi)."""
    code, control = hart.code, hart.control
    operation, form = code[row, OPERATION] >> FORM_BITS, code[row, OPERATION] & FORMS
    if not narrowing(hart, row, form):
        return ILLEGAL
    sew, vm = control[SEW], code[row, VM]
    d, s2 = first_element(hart, code[row, RD], sew), first_element(hart, code[row, RS2], 2 * sew)
    s1, b = first_element(hart, code[row, RS1], sew), scalar(hart, row, form)
    for i in range(control[VL]):
        if active(hart, vm, i):
            if form == VV:
                b = signed(hart, s1 + i, sew)
            a, count = signed(hart, s2 + i, 2 * sew), b & (2 * sew - 1)
            if operation == NARROW_LOGICAL:
                a = shifted(zero_extended(a, 2 * sew), count)
            else:
                a >>= count
            put(hart, d + i, sew, a)
    return NONE


def extend(hart: Any, row: Any) -> Any:
    """Extend elements of a half, a quarter or an eighth of the width.

    The operation is twice the logarithm of that part, plus 1 for signs.
    """
    code, control = hart.code, hart.control
    operation, sew, lmul, vm = code[row, OPERATION], control[SEW], control[LMUL], code[row, VM]
    part = operation >> 1
    width, d, s2 = sew >> part, code[row, RD], code[row, RS2]
    if not executes(hart) or width < 8 or d == s2 or not spares_mask(hart, row):
        return ILLEGAL
    if not aligned(d, lmul) or not aligned(s2, lmul - part) or not apart(d, lmul, s2, lmul - part):
        return ILLEGAL
    d, s2 = first_element(hart, d, sew), first_element(hart, s2, width)
    for i in range(control[VL]):
        if active(hart, vm, i):
            a = signed(hart, s2 + i, width)
            put(hart, d + i, sew, a if operation & 1 != 0 else zero_extended(a, width))
    return NONE
