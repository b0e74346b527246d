"""Reductions of integers, and what masks are for: logic among them, counts, first bits, positions."""

from __future__ import annotations

from typing import Any

import numpy as np

from isa.riscv.semantics.vector_elements import (
    FORM_BITS,
    ILLEGAL,
    NONE,
    active,
    aligned,
    below,
    disjoint,
    executes,
    first_element,
    mask_bit,
    put,
    put_mask_bit,
    signed,
    spares_mask,
    zero_extended,
)
from isa.riscv.state import LMUL, OPERATION, RD, RS1, RS2, SEW, VL, VM

SUM, AND, OR, XOR, MINIMUM, MINIMUM_UNSIGNED, MAXIMUM, MAXIMUM_UNSIGNED, WIDE_SUM, WIDE_SUM_UNSIGNED = range(
    10
)
"""Operations of :func:`reduce`."""
MASK_AND, MASK_NAND, MASK_ANDN, MASK_XOR, MASK_OR, MASK_NOR, MASK_ORN, MASK_XNOR = range(8)
"""Operations of :func:`combine_masks`."""
BEFORE_FIRST, UP_TO_FIRST, ONLY_FIRST = range(3)
"""Operations of :func:`mark_first`: vmsbf, vmsif, vmsof."""
COUNT, FIRST = range(2)
"""Operations of :func:`mask_to_scalar`."""
IOTA, IDENTITY = range(2)
"""Operations of :func:`number_elements`."""


def reduce(hart: Any, row: Any) -> Any:
    """Combine all active elements of vs2 and the first of vs1."""
    code, control = hart.code, hart.control
    operation, sew, vm = code[row, OPERATION] >> FORM_BITS, control[SEW], code[row, VM]
    wide = operation >= WIDE_SUM
    if not executes(hart) or (wide and sew == 64) or not aligned(code[row, RS2], control[LMUL]):
        return ILLEGAL
    width, s2 = 2 * sew if wide else sew, first_element(hart, code[row, RS2], sew)
    result = signed(hart, first_element(hart, code[row, RS1], width), width)
    for i in range(control[VL]):
        if active(hart, vm, i):
            a = signed(hart, s2 + i, sew)
            result = _reduced(
                operation, result, zero_extended(a, sew) if operation == WIDE_SUM_UNSIGNED else a
            )
    if control[VL] > 0:
        put(hart, first_element(hart, code[row, RD], width), width, result)
    return NONE


def _reduced(operation: Any, result: Any, a: Any) -> Any:
    if operation == SUM or operation >= WIDE_SUM:
        return result + a
    if operation == AND:
        return result & a
    if operation == OR:
        return result | a
    if operation == XOR:
        return result ^ a
    if operation == MINIMUM:
        return min(result, a)
    if operation == MAXIMUM:
        return max(result, a)
    if operation == MINIMUM_UNSIGNED:
        return a if below(a, result) else result
    return result if below(a, result) else a


def combine_masks(hart: Any, row: Any) -> Any:
    """Combine two masks bit by bit."""
    code, control = hart.code, hart.control
    operation, d, s2, s1 = code[row, OPERATION] >> FORM_BITS, code[row, RD], code[row, RS2], code[row, RS1]
    if not executes(hart):
        return ILLEGAL
    for i in range(control[VL]):
        a, b = mask_bit(hart, s2, i), mask_bit(hart, s1, i)
        if operation in (MASK_ANDN, MASK_ORN):
            b ^= 1
        if operation <= MASK_ANDN:
            bit = a & b
        elif operation in (MASK_XOR, MASK_XNOR):
            bit = a ^ b
        else:
            bit = a | b
        if operation in (MASK_NAND, MASK_NOR, MASK_XNOR):
            bit ^= 1
        put_mask_bit(hart, d, i, bit)
    return NONE


def mark_first(hart: Any, row: Any) -> Any:
    """Set the bits before, up to, or at the first set bit."""
    code, control = hart.code, hart.control
    operation, d, s2, vm = code[row, OPERATION], code[row, RD], code[row, RS2], code[row, VM]
    if not executes(hart) or d == s2 or not spares_mask(hart, row):
        return ILLEGAL
    met = False
    for i in range(control[VL]):
        if active(hart, vm, i):
            first = not met and mask_bit(hart, s2, i) != 0
            met = met or first
            bit = first if operation == ONLY_FIRST else not met or (first and operation == UP_TO_FIRST)
            put_mask_bit(hart, d, i, np.int64(bit))
    return NONE


def mask_to_scalar(hart: Any, row: Any) -> Any:
    """Count the bits of a mask, or find the first."""
    code, control = hart.code, hart.control
    s2, vm = code[row, RS2], code[row, VM]
    if not executes(hart):
        return ILLEGAL
    count, first = 0, -1
    for i in range(control[VL]):
        if active(hart, vm, i) and mask_bit(hart, s2, i) != 0:
            count += 1
            if first < 0:
                first = i
    hart.x[code[row, RD]] = count if code[row, OPERATION] == COUNT else first
    return NONE


def number_elements(hart: Any, row: Any) -> Any:
    """Write each element's index, or how many bits of a mask are set before it."""
    code, control = hart.code, hart.control
    sew, lmul, vm, d, s2 = control[SEW], control[LMUL], code[row, VM], code[row, RD], code[row, RS2]
    iota = code[row, OPERATION] == IOTA
    if not executes(hart) or not spares_mask(hart, row) or not aligned(d, lmul):
        return ILLEGAL
    if iota and not disjoint(d, lmul, s2, 0):
        return ILLEGAL
    first, count = first_element(hart, d, sew), 0
    for i in range(control[VL]):
        if active(hart, vm, i):
            put(hart, first + i, sew, count if iota else i)
            if iota and mask_bit(hart, s2, i) != 0:
                count += 1
    return NONE
