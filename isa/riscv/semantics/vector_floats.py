"""Floating-point arithmetic of vectors: elements of 32 and 64 bits, rounded as ``frm`` says.

A reserved rounding mode is refused by all of them, even those that do not round.
"""

from __future__ import annotations

from typing import Any

from isa.riscv.semantics.floats import read
from isa.riscv.semantics.soft_float import (
    INEXACT,
    NEAREST,
    NEAREST_AWAY,
    add,
    classify,
    divide,
    equal,
    float_s,
    fused,
    fused_is_known_s,
    fused_s,
    less,
    less_or_equal,
    magnitude,
    maximum,
    minimum,
    multiply,
    negated,
    pattern_s,
    reciprocal_estimate,
    root_estimate,
    sign,
    square_root,
    widen,
)
from isa.riscv.semantics.soft_float import signed as with_sign
from isa.riscv.semantics.vector_elements import (
    FORM_BITS,
    ILLEGAL,
    NONE,
    VV,
    VX,
    active,
    first_element,
    put,
    put_mask_bit,
    signed,
    single_width,
    to_mask,
    widening,
)
from isa.riscv.semantics.vector_integer import FORMS
from isa.riscv.state import FFLAGS, FRM, OPERATION, RD, RS1, RS2, SEW, VL, VM

ADD, SUBTRACT, REVERSE_SUBTRACT, MULTIPLY, DIVIDE, REVERSE_DIVIDE = range(6)
"""Operations of :func:`arithmetic`."""
NEGATE_PRODUCT, NEGATE_ADDEND, OVER_FACTOR = 1, 2, 4
"""Flags that make up the operations of :func:`multiply_add`; OVER_FACTOR: the destination is a factor, and
vs2 the addend."""
SIGN_S = 1 << 31
"""The sign bit of a float32."""
MINIMUM, MAXIMUM, COPY_SIGN, NEGATE_SIGN, XOR_SIGN = range(5)
"""Operations of :func:`choose`."""
EQUAL, UNEQUAL, LESS, LESS_EQUAL, GREATER, GREATER_EQUAL = range(6)
"""Operations of :func:`compare`."""
SQUARE_ROOT, ROOT_ESTIMATE, RECIPROCAL_ESTIMATE, CLASS = range(4)
"""Operations of :func:`unary`."""
WIDE_ADD, WIDE_SUBTRACT, WIDE_MULTIPLY, WIDE_MULTIPLY_ADD = range(4)
"""Operations of :func:`widened`, times 8; the flags of :func:`multiply_add` or WIDE_SOURCE are added."""
WIDE_SOURCE = 4
"""vs2 is wide already."""


def is_float_type(hart: Any) -> Any:
    """Return whether elements are floats that there are, and the rounding mode is one."""
    return hart.control[SEW] >= 32 and hart.control[FRM] <= NEAREST_AWAY


def arithmetic(hart: Any, row: Any) -> Any:
    """Add, subtract, multiply and divide (.vv, .vf)."""
    code, control = hart.code, hart.control
    operation, form = code[row, OPERATION] >> FORM_BITS, code[row, OPERATION] & FORMS
    if not is_float_type(hart) or not single_width(hart, row, form):
        return ILLEGAL
    sew, vm, mode, flags = control[SEW], code[row, VM], control[FRM], control[FFLAGS]
    d, s2 = first_element(hart, code[row, RD], sew), first_element(hart, code[row, RS2], sew)
    s1, b = first_element(hart, code[row, RS1], sew), read(hart, code[row, RS1], sew)
    for i in range(control[VL]):
        if active(hart, vm, i):
            if form == VV:
                b = signed(hart, s1 + i, sew)
            a = signed(hart, s2 + i, sew)
            if operation == ADD:
                result, flags = add(a, b, sew, mode, flags)
            elif operation == SUBTRACT:
                result, flags = add(a, negated(b, sew), sew, mode, flags)
            elif operation == REVERSE_SUBTRACT:
                result, flags = add(b, negated(a, sew), sew, mode, flags)
            elif operation == MULTIPLY:
                result, flags = multiply(a, b, sew, mode, flags)
            elif operation == DIVIDE:
                result, flags = divide(a, b, sew, mode, flags)
            else:
                result, flags = divide(b, a, sew, mode, flags)
            put(hart, d + i, sew, result)
    control[FFLAGS] = flags
    return NONE


def multiply_add(hart: Any, row: Any) -> Any:
    """Multiply and add, rounded once (.vv, .vf)."""
    code, control = hart.code, hart.control
    operation, form = code[row, OPERATION] >> FORM_BITS, code[row, OPERATION] & FORMS
    if not is_float_type(hart) or not single_width(hart, row, form):
        return ILLEGAL
    sew, vm, mode, flags = control[SEW], code[row, VM], control[FRM], control[FFLAGS]
    d, s2 = first_element(hart, code[row, RD], sew), first_element(hart, code[row, RS2], sew)
    s1, b = first_element(hart, code[row, RS1], sew), read(hart, code[row, RS1], sew)
    if sew == 32 and vm != 0 and mode == NEAREST:
        a, c = (d, s2) if operation & OVER_FACTOR else (s2, d)
        flip_a = SIGN_S if operation & NEGATE_PRODUCT else 0
        flip_c = SIGN_S if operation & NEGATE_ADDEND else 0
        known, flags = _fused_known(hart, form, d, a, flip_a, s1, b, c, flip_c, flags)
        if known:
            control[FFLAGS] = flags
            return NONE
    for i in range(control[VL]):
        if active(hart, vm, i):
            if form == VV:
                b = signed(hart, s1 + i, sew)
            a, c = signed(hart, s2 + i, sew), signed(hart, d + i, sew)
            if operation & OVER_FACTOR:
                a, c = c, a
            if operation & NEGATE_PRODUCT:
                a = negated(a, sew)
            if operation & NEGATE_ADDEND:
                c = negated(c, sew)
            result, flags = fused(a, b, c, sew, mode, flags)
            put(hart, d + i, sew, result)
    control[FFLAGS] = flags
    return NONE


def _fused_known(
    hart: Any,
    form: Any,
    d: Any,
    a: Any,
    flip_a: Any,
    s1: Any,
    b: Any,
    c: Any,
    flip_c: Any,
    flags: Any,
) -> Any:
    """Multiply and add float32 in loops that become vector code, if the host knows every result.

    Returns whether it does, and the flags. Otherwise nothing is written.
    """
    v, n, y = hart.v32, hart.control[VL], float_s(b)
    known, exact = True, True
    if form == VV:
        for i in range(n):
            x, y, z = float_s(v[a + i] ^ flip_a), float_s(v[s1 + i]), float_s(v[c + i] ^ flip_c)
            of_one, exact_one = fused_is_known_s(x, y, z, fused_s(x, y, z))
            known, exact = known & of_one, exact & exact_one
    else:
        for i in range(n):
            x, z = float_s(v[a + i] ^ flip_a), float_s(v[c + i] ^ flip_c)
            of_one, exact_one = fused_is_known_s(x, y, z, fused_s(x, y, z))
            known, exact = known & of_one, exact & exact_one
    if not known:
        return False, flags
    if form == VV:
        for i in range(n):
            x, y, z = float_s(v[a + i] ^ flip_a), float_s(v[s1 + i]), float_s(v[c + i] ^ flip_c)
            v[d + i] = pattern_s(fused_s(x, y, z))
    else:
        for i in range(n):
            x, z = float_s(v[a + i] ^ flip_a), float_s(v[c + i] ^ flip_c)
            v[d + i] = pattern_s(fused_s(x, y, z))
    return True, (flags if exact else flags | INEXACT)


def choose(hart: Any, row: Any) -> Any:
    """Take the smaller or larger, or vs2 with another sign (.vv, .vf)."""
    code, control = hart.code, hart.control
    operation, form = code[row, OPERATION] >> FORM_BITS, code[row, OPERATION] & FORMS
    if not is_float_type(hart) or not single_width(hart, row, form):
        return ILLEGAL
    sew, vm, flags = control[SEW], code[row, VM], control[FFLAGS]
    d, s2 = first_element(hart, code[row, RD], sew), first_element(hart, code[row, RS2], sew)
    s1, b = first_element(hart, code[row, RS1], sew), read(hart, code[row, RS1], sew)
    for i in range(control[VL]):
        if active(hart, vm, i):
            if form == VV:
                b = signed(hart, s1 + i, sew)
            a = signed(hart, s2 + i, sew)
            if operation == MINIMUM:
                result, flags = minimum(a, b, sew, flags)
            elif operation == MAXIMUM:
                result, flags = maximum(a, b, sew, flags)
            else:
                negative = sign(b, sew)
                if operation == NEGATE_SIGN:
                    negative ^= 1
                elif operation == XOR_SIGN:
                    negative ^= sign(a, sew)
                result = with_sign(negative, magnitude(a, sew), sew)
            put(hart, d + i, sew, result)
    control[FFLAGS] = flags
    return NONE


def compare(hart: Any, row: Any) -> Any:
    """Compare, giving a mask (.vv, .vf)."""
    code, control = hart.code, hart.control
    operation, form = code[row, OPERATION] >> FORM_BITS, code[row, OPERATION] & FORMS
    if not is_float_type(hart) or not to_mask(hart, row, form):
        return ILLEGAL
    sew, vm, d, flags = control[SEW], code[row, VM], code[row, RD], control[FFLAGS]
    s2 = first_element(hart, code[row, RS2], sew)
    s1, b = first_element(hart, code[row, RS1], sew), read(hart, code[row, RS1], sew)
    for i in range(control[VL]):
        if active(hart, vm, i):
            if form == VV:
                b = signed(hart, s1 + i, sew)
            a = signed(hart, s2 + i, sew)
            if operation <= UNEQUAL:
                bit, flags = equal(a, b, sew, flags)
                bit ^= operation  # UNEQUAL is 1
            elif operation == LESS:
                bit, flags = less(a, b, sew, flags)
            elif operation == LESS_EQUAL:
                bit, flags = less_or_equal(a, b, sew, flags)
            elif operation == GREATER:
                bit, flags = less(b, a, sew, flags)
            else:
                bit, flags = less_or_equal(b, a, sew, flags)
            put_mask_bit(hart, d, i, bit)
    control[FFLAGS] = flags
    return NONE


def unary(hart: Any, row: Any) -> Any:
    """Take the square root, estimate it or the reciprocal, and classify."""
    code, control = hart.code, hart.control
    operation, mode, flags = code[row, OPERATION], control[FRM], control[FFLAGS]
    if not is_float_type(hart) or not single_width(hart, row, VX):
        return ILLEGAL
    sew, vm = control[SEW], code[row, VM]
    d, s2 = first_element(hart, code[row, RD], sew), first_element(hart, code[row, RS2], sew)
    for i in range(control[VL]):
        if active(hart, vm, i):
            a = signed(hart, s2 + i, sew)
            if operation == SQUARE_ROOT:
                result, flags = square_root(a, sew, mode, flags)
            elif operation == ROOT_ESTIMATE:
                result, flags = root_estimate(a, sew, flags)
            elif operation == RECIPROCAL_ESTIMATE:
                result, flags = reciprocal_estimate(a, sew, mode, flags)
            else:
                result = classify(a, sew)
            put(hart, d + i, sew, result)
    control[FFLAGS] = flags
    return NONE


def widened(hart: Any, row: Any) -> Any:
    """Add, subtract, multiply and multiply-add of binary32 into binary64 (.vv, .vf, .wv, .wf)."""
    code, control = hart.code, hart.control
    options, form = code[row, OPERATION] >> FORM_BITS, code[row, OPERATION] & FORMS
    operation, wide_source, mode = options >> 3, options & WIDE_SOURCE != 0, control[FRM]
    if control[SEW] != 32 or mode > NEAREST_AWAY or not widening(hart, row, form, wide_source):
        return ILLEGAL
    vm, flags, width = code[row, VM], control[FFLAGS], 64 if wide_source else 32
    d, s2 = first_element(hart, code[row, RD], 64), first_element(hart, code[row, RS2], width)
    s1, narrow = first_element(hart, code[row, RS1], 32), read(hart, code[row, RS1], 32)
    for i in range(control[VL]):
        if active(hart, vm, i):
            if form == VV:
                narrow = signed(hart, s1 + i, 32)
            a = signed(hart, s2 + i, width)
            if not wide_source:
                a, flags = widen(a, flags)
            b, flags = widen(narrow, flags)
            if operation == WIDE_ADD:
                result, flags = add(a, b, 64, mode, flags)
            elif operation == WIDE_SUBTRACT:
                result, flags = add(a, negated(b, 64), 64, mode, flags)
            elif operation == WIDE_MULTIPLY:
                result, flags = multiply(a, b, 64, mode, flags)
            else:
                c = hart.v64[d + i]
                if options & NEGATE_PRODUCT:
                    a = negated(a, 64)
                if options & NEGATE_ADDEND:
                    c = negated(c, 64)
                result, flags = fused(a, b, c, 64, mode, flags)
            hart.v64[d + i] = result
    control[FFLAGS] = flags
    return NONE
