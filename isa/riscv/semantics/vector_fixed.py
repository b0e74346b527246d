"""Fixed-point arithmetic: saturating, averaging, scaled multiply and shift, clip.

Rounding is that of ``vxrm``; whatever saturates sets ``vxsat``.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from isa.riscv.semantics.vector_elements import (
    FORM_BITS,
    ILLEGAL,
    NONE,
    VV,
    active,
    below,
    first_element,
    narrowing,
    put,
    scalar,
    shifted,
    sign_extended,
    signed,
    single_width,
    zero_extended,
)
from isa.riscv.semantics.vector_integer import FORMS, high_unsigned
from isa.riscv.state import OPERATION, RD, RS1, RS2, SEW, VL, VM, VXRM, VXSAT

SATURATING_ADD, SATURATING_ADD_UNSIGNED, SATURATING_SUBTRACT, SATURATING_SUBTRACT_UNSIGNED = range(4)
"""Operations of :func:`saturate`."""
AVERAGING_ADD, AVERAGING_ADD_UNSIGNED, AVERAGING_SUBTRACT, AVERAGING_SUBTRACT_UNSIGNED = range(4)
SCALED_SHIFT, SCALED_SHIFT_UNSIGNED, SCALED_MULTIPLY = range(4, 7)
"""Operations of :func:`scale`."""
CLIP, CLIP_UNSIGNED = range(2)
"""Operations of :func:`clip`."""
NEAREST_UP, NEAREST_EVEN, DOWN, ODD = range(4)
"""Rounding modes of ``vxrm``."""
MOST, LEAST = 0x7FFF_FFFF_FFFF_FFFF, -0x8000_0000_0000_0000


def saturate(hart: Any, row: Any) -> Any:
    """Add and subtract, held to the range of the elements (.vv, .vx, .vi)."""
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
            if operation in (SATURATING_ADD, SATURATING_SUBTRACT):
                exact, result = _held(operation, a, b, sew)
            else:
                exact, result = _held_unsigned(operation, zero_extended(a, sew), zero_extended(b, sew), sew)
            if not exact:
                control[VXSAT] = 1
            put(hart, d + i, sew, result)
    return NONE


def _held(operation: Any, a: Any, b: Any, sew: Any) -> Any:
    """Return whether the result is exact, and the result."""
    result = a + b if operation == SATURATING_ADD else a - b
    beyond = (result ^ a) & (result ^ b) if operation == SATURATING_ADD else (result ^ a) & (a ^ b)
    exact = beyond >= 0 if sew == 64 else sign_extended(result, sew) == result
    limit = (MOST if a >= 0 else LEAST) >> (64 - sew)
    return exact, result if exact else limit


def _held_unsigned(operation: Any, a: Any, b: Any, sew: Any) -> Any:
    if operation == SATURATING_SUBTRACT_UNSIGNED:
        exact = not below(a, b)
        return exact, a - b if exact else 0
    result = zero_extended(a + b, sew)
    exact = not below(result, a)
    return exact, result if exact else -1


def scale(hart: Any, row: Any) -> Any:
    """Average, shift right and multiply as fractions, rounded (.vv, .vx, .vi)."""
    code, control = hart.code, hart.control
    operation, form = code[row, OPERATION] >> FORM_BITS, code[row, OPERATION] & FORMS
    if not single_width(hart, row, form):
        return ILLEGAL
    sew, vm, mode = control[SEW], code[row, VM], control[VXRM]
    d, s2 = first_element(hart, code[row, RD], sew), first_element(hart, code[row, RS2], sew)
    s1, b = first_element(hart, code[row, RS1], sew), sign_extended(scalar(hart, row, form), sew)
    for i in range(control[VL]):
        if active(hart, vm, i):
            if form == VV:
                b = signed(hart, s1 + i, sew)
            a = signed(hart, s2 + i, sew)
            if operation == SCALED_MULTIPLY:
                least = LEAST >> (64 - sew)
                if a == least and b == least:
                    control[VXSAT] = 1
                    result = MOST >> (64 - sew)
                else:
                    result = _fraction_product(a, b, sew, mode)
            elif operation == SCALED_SHIFT:
                result = rounded_shift(a, b & (sew - 1), mode, True)
            elif operation == SCALED_SHIFT_UNSIGNED:
                result = rounded_shift(zero_extended(a, sew), b & (sew - 1), mode, False)
            else:
                result = _average(operation, a, b, sew, mode)
            put(hart, d + i, sew, result)
    return NONE


def rounded_shift(value: Any, count: Any, mode: Any, arithmetic: Any) -> Any:
    """Shift right, rounding what is shifted out."""
    result = value >> count if arithmetic else shifted(value, count)
    return result if count == 0 else result + _increment(value, count, mode)


def _increment(value: Any, count: Any, mode: Any) -> Any:
    """Return what rounding adds to a value whose last ``count`` bits (at least one) are cut off."""
    half = np.int64(1) << (count - 1)
    up = np.int64(value & half != 0)
    below_half, odd = value & (half - 1) != 0, value & (half << 1) != 0
    if mode == NEAREST_UP:
        return up
    if mode == NEAREST_EVEN:
        return up & np.int64(below_half or odd)
    if mode == ODD:
        return np.int64((up != 0 or below_half) and not odd)
    return np.int64(0)


def _average(operation: Any, a: Any, b: Any, sew: Any, mode: Any) -> Any:
    arithmetic = operation in (AVERAGING_ADD, AVERAGING_SUBTRACT)
    if not arithmetic:
        a, b = zero_extended(a, sew), zero_extended(b, sew)
    half_a, half_b = (a >> 1, b >> 1) if arithmetic else (shifted(a, 1), shifted(b, 1))
    last = (a ^ b) & 1
    if operation in (AVERAGING_ADD, AVERAGING_ADD_UNSIGNED):
        result = half_a + half_b + (a & b & 1)
    else:
        result = half_a - half_b - (~a & b & 1)
    return result + _increment(((result & 1) << 1) | last, 1, mode)


def _fraction_product(a: Any, b: Any, sew: Any, mode: Any) -> Any:
    """Multiply two numbers of sew - 1 bits after the point."""
    if sew < 64:
        return rounded_shift(a * b, sew - 1, mode, True)
    high = high_unsigned(a, b) - (b if a < 0 else 0) - (a if b < 0 else 0)
    low = a * b
    return ((high << 1) | shifted(low, 63)) + _increment(low, 63, mode)


def clip(hart: Any, row: Any) -> Any:
    """Shift right, rounded, into elements half as wide, held to their range (.wv, .wx, .wi)."""
    code, control = hart.code, hart.control
    operation, form = code[row, OPERATION] >> FORM_BITS, code[row, OPERATION] & FORMS
    if not narrowing(hart, row, form):
        return ILLEGAL
    sew, vm, mode = control[SEW], code[row, VM], control[VXRM]
    d, s2 = first_element(hart, code[row, RD], sew), first_element(hart, code[row, RS2], 2 * sew)
    s1, b = first_element(hart, code[row, RS1], sew), scalar(hart, row, form)
    most = (1 << sew) - 1 if operation == CLIP_UNSIGNED else (1 << (sew - 1)) - 1
    for i in range(control[VL]):
        if active(hart, vm, i):
            if form == VV:
                b = signed(hart, s1 + i, sew)
            a, count = signed(hart, s2 + i, 2 * sew), b & (2 * sew - 1)
            if operation == CLIP_UNSIGNED:
                a = rounded_shift(zero_extended(a, 2 * sew), count, mode, False)
                result = most if below(most, a) else a
            else:
                a = rounded_shift(a, count, mode, True)
                result = min(max(a, -most - 1), most)
            if result != a:
                control[VXSAT] = 1
            put(hart, d + i, sew, result)
    return NONE
