"""Scalar floating-point instructions: their operands in ``Hart.f``, rounding modes and flags.

A function stands for a family of rows; the operation of a row is ``2 * number + wide``, wide being 1 for
binary64.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from isa.riscv.declaration import Trap
from isa.riscv.semantics.memory import load32, load64, load_trap, store32, store64, store_trap
from isa.riscv.semantics.soft_float import (
    NEAREST_AWAY,
    add,
    classify,
    divide,
    equal,
    fused,
    less,
    less_or_equal,
    magnitude,
    maximum,
    minimum,
    multiply,
    nan,
    narrow,
    negated,
    sign,
    signed,
    square_root,
    widen,
)
from isa.riscv.semantics.soft_float import from_integer as integer_to_float
from isa.riscv.semantics.soft_float import to_integer as float_to_integer
from isa.riscv.state import BASE, FFLAGS, FRM, IMMEDIATE, OPERATION, RD, ROUNDING, RS1, RS2, RS3

NONE, ILLEGAL = int(Trap.NONE), int(Trap.ILLEGAL)
DYNAMIC = 7
"""A rounding mode in an instruction: that in frm."""

ADD, SUBTRACT, MULTIPLY, DIVIDE, SQUARE_ROOT = range(5)
MULTIPLY_ADD, MULTIPLY_SUBTRACT, NEGATIVE_MULTIPLY_SUBTRACT, NEGATIVE_MULTIPLY_ADD = range(5, 9)
"""Numbers of :func:`arithmetic`."""
COPY_SIGN, NEGATE_SIGN, XOR_SIGN, MINIMUM, MAXIMUM = range(5)
"""Numbers of :func:`choose`."""
EQUAL, LESS, LESS_OR_EQUAL, CLASS = range(4)
"""Numbers of :func:`test`."""
TO_WORD, TO_UNSIGNED_WORD, TO_LONG, TO_UNSIGNED_LONG = range(4)
FROM_WORD, FROM_UNSIGNED_WORD, FROM_LONG, FROM_UNSIGNED_LONG = range(4)
"""Numbers of :func:`to_integer` and :func:`from_integer`; unsigned ones are odd."""


def rounding_mode(hart: Any, row: Any) -> Any:
    """Return the rounding mode of an instruction; over 4 if there is no such mode."""
    mode = hart.code[row, ROUNDING]
    return hart.control[FRM] if mode == DYNAMIC else mode


def read(hart: Any, number: Any, bits: Any) -> Any:
    """Return the pattern in a register; of 32 bits that are not boxed in ones the canonical NaN."""
    value = np.int64(hart.f[number])
    if bits == 32:
        return value & 0xFFFFFFFF if value >> 32 == -1 else nan(32)
    return value


def write(hart: Any, number: Any, value: Any, bits: Any) -> None:
    """Write a pattern to a register, 32 bits boxed in ones."""
    hart.f[number] = np.uint64(value | (-1 << 32) if bits == 32 else value)


def _bits(operation: Any) -> Any:
    return 64 if operation & 1 else 32


def arithmetic(hart: Any, row: Any) -> Any:
    """Compute rd from two or three operands, or from one, and round."""
    code, flags = hart.code, hart.control[FFLAGS]
    operation, mode = code[row, OPERATION], rounding_mode(hart, row)
    if mode > NEAREST_AWAY:
        return ILLEGAL
    bits = _bits(operation)
    operation >>= 1
    a, b = read(hart, code[row, RS1], bits), read(hart, code[row, RS2], bits)
    if operation in (ADD, SUBTRACT):
        if operation == SUBTRACT:
            b = negated(b, bits)
        result, flags = add(a, b, bits, mode, flags)
    elif operation == MULTIPLY:
        result, flags = multiply(a, b, bits, mode, flags)
    elif operation == DIVIDE:
        result, flags = divide(a, b, bits, mode, flags)
    elif operation == SQUARE_ROOT:
        result, flags = square_root(a, bits, mode, flags)
    else:
        c = read(hart, code[row, RS3], bits)
        if operation >= NEGATIVE_MULTIPLY_SUBTRACT:
            a = negated(a, bits)
        if operation in (MULTIPLY_SUBTRACT, NEGATIVE_MULTIPLY_ADD):
            c = negated(c, bits)
        result, flags = fused(a, b, c, bits, mode, flags)
    write(hart, code[row, RD], result, bits)
    hart.control[FFLAGS] = flags
    return NONE


def choose(hart: Any, row: Any) -> Any:
    """Write one of two operands, or the first with another sign."""
    code, flags = hart.code, hart.control[FFLAGS]
    bits, operation = _bits(code[row, OPERATION]), code[row, OPERATION] >> 1
    a, b = read(hart, code[row, RS1], bits), read(hart, code[row, RS2], bits)
    if operation == MINIMUM:
        result, flags = minimum(a, b, bits, flags)
    elif operation == MAXIMUM:
        result, flags = maximum(a, b, bits, flags)
    else:
        negative = sign(b, bits)
        if operation == NEGATE_SIGN:
            negative ^= 1
        elif operation == XOR_SIGN:
            negative ^= sign(a, bits)
        result = signed(negative, magnitude(a, bits), bits)
    write(hart, code[row, RD], result, bits)
    hart.control[FFLAGS] = flags
    return NONE


def test(hart: Any, row: Any) -> Any:
    """Write the result of a comparison, or the class, to an integer register."""
    code, flags = hart.code, hart.control[FFLAGS]
    bits, operation = _bits(code[row, OPERATION]), code[row, OPERATION] >> 1
    a, b = read(hart, code[row, RS1], bits), read(hart, code[row, RS2], bits)
    if operation == EQUAL:
        result, flags = equal(a, b, bits, flags)
    elif operation == LESS:
        result, flags = less(a, b, bits, flags)
    elif operation == LESS_OR_EQUAL:
        result, flags = less_or_equal(a, b, bits, flags)
    else:
        result = classify(a, bits)
    hart.x[code[row, RD]] = result
    hart.control[FFLAGS] = flags
    return NONE


def to_integer(hart: Any, row: Any) -> Any:
    """Convert a float to an integer; one of 32 bits is sign-extended, even if it is unsigned."""
    code, mode = hart.code, rounding_mode(hart, row)
    if mode > NEAREST_AWAY:
        return ILLEGAL
    bits, operation = _bits(code[row, OPERATION]), code[row, OPERATION] >> 1
    size = 64 if operation >= TO_LONG else 32
    a = read(hart, code[row, RS1], bits)
    result, flags = float_to_integer(a, size, operation & 1, bits, mode, hart.control[FFLAGS])
    hart.x[code[row, RD]] = np.int64(np.int32(result)) if size == 32 else result
    hart.control[FFLAGS] = flags
    return NONE


def from_integer(hart: Any, row: Any) -> Any:
    """Convert an integer, or the low 32 bits of one, to a float."""
    code, mode = hart.code, rounding_mode(hart, row)
    if mode > NEAREST_AWAY:
        return ILLEGAL
    bits, operation = _bits(code[row, OPERATION]), code[row, OPERATION] >> 1
    value = hart.x[code[row, RS1]]
    if operation == FROM_WORD:
        value = np.int64(np.int32(value))
    elif operation == FROM_UNSIGNED_WORD:
        value &= 0xFFFFFFFF
    result, flags = integer_to_float(value, operation & 1, bits, mode, hart.control[FFLAGS])
    write(hart, code[row, RD], result, bits)
    hart.control[FFLAGS] = flags
    return NONE


def between_formats(hart: Any, row: Any) -> Any:
    """Convert to the other format; the operation is that of the result."""
    code, mode = hart.code, rounding_mode(hart, row)
    if mode > NEAREST_AWAY:
        return ILLEGAL
    if _bits(code[row, OPERATION]) == 64:
        result, flags = widen(read(hart, code[row, RS1], 32), hart.control[FFLAGS])
        write(hart, code[row, RD], result, 64)
    else:
        result, flags = narrow(read(hart, code[row, RS1], 64), mode, hart.control[FFLAGS])
        write(hart, code[row, RD], result, 32)
    hart.control[FFLAGS] = flags
    return NONE


def to_bits(hart: Any, row: Any) -> Any:
    """Move the bits of a float to an integer register; 32 are sign-extended."""
    code = hart.code
    value = np.int64(hart.f[code[row, RS1]])
    hart.x[code[row, RD]] = value if code[row, OPERATION] else np.int64(np.int32(value))
    return NONE


def from_bits(hart: Any, row: Any) -> Any:
    """Move the bits of an integer register, or the low 32, to a float register."""
    code = hart.code
    value = hart.x[code[row, RS1]]
    if code[row, OPERATION] == 0:
        value &= 0xFFFFFFFF
    write(hart, code[row, RD], value, _bits(code[row, OPERATION]))
    return NONE


def load(hart: Any, row: Any) -> Any:
    """Load a float at rs1 plus the immediate."""
    code = hart.code
    bits = _bits(code[row, OPERATION])
    address = hart.x[code[row, RS1]] + code[row, IMMEDIATE]
    trap = load_trap(hart, address, bits >> 3)
    if trap == NONE:
        place = address - hart.control[BASE]
        value = load32(hart.memory, place) if bits == 32 else load64(hart.memory, place)
        write(hart, code[row, RD], value, bits)
    return trap


def store(hart: Any, row: Any) -> Any:
    """Store a float, or the low 32 bits of the register, at rs1 plus the immediate."""
    code = hart.code
    bits = _bits(code[row, OPERATION])
    address = hart.x[code[row, RS1]] + code[row, IMMEDIATE]
    trap = store_trap(hart, address, bits >> 3)
    if trap == NONE:
        place, value = address - hart.control[BASE], np.int64(hart.f[code[row, RS2]])
        if bits == 32:
            store32(hart.memory, place, value)
        else:
            store64(hart.memory, place, value)
    return trap
