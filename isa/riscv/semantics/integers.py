"""What integer instructions compute: functions of int64 values, which wrap around.

Unsigned values are int64 values with the same bits.
"""

from __future__ import annotations

from typing import Any

import numpy as np

WORD = 0xFFFFFFFF
BYTES_OF_01 = 0x0101010101010101
BITS = 64


def unsigned(a: Any) -> Any:
    """Return the bits of a value as an unsigned number."""
    return np.uint64(a)


def sign_extended_32(a: Any) -> Any:
    """Return the low 32 bits as a signed number."""
    return np.int64(np.int32(a))


def sign_extended_16(a: Any) -> Any:
    """Return the low 16 bits as a signed number."""
    return np.int64(np.int16(a))


def sign_extended_8(a: Any) -> Any:
    """Return the low 8 bits as a signed number."""
    return np.int64(np.int8(a))


def zero_extended_16(a: Any) -> Any:
    """Return the low 16 bits as an unsigned number."""
    return a & 0xFFFF


def add(a: Any, b: Any) -> Any:
    """Add."""
    return a + b


def sub(a: Any, b: Any) -> Any:
    """Subtract."""
    return a - b


def and_(a: Any, b: Any) -> Any:
    """And of all bits."""
    return a & b


def or_(a: Any, b: Any) -> Any:
    """Or of all bits."""
    return a | b


def xor(a: Any, b: Any) -> Any:
    """Exclusive or of all bits."""
    return a ^ b


def andn(a: Any, b: Any) -> Any:
    """And with inverted bits."""
    return a & ~b


def orn(a: Any, b: Any) -> Any:
    """Or with inverted bits."""
    return a | ~b


def xnor(a: Any, b: Any) -> Any:
    """Inverted exclusive or."""
    return ~(a ^ b)


def less(a: Any, b: Any) -> Any:
    """Return 1 if a < b, otherwise 0."""
    return np.int64(a < b)


def less_unsigned(a: Any, b: Any) -> Any:
    """Return 1 if a < b as unsigned numbers, otherwise 0."""
    return np.int64(unsigned(a) < unsigned(b))


def sll(a: Any, b: Any) -> Any:
    """Shift left by the low 6 bits of b."""
    return a << (b & 63)


def srl(a: Any, b: Any) -> Any:
    """Shift right by the low 6 bits of b, zeros from the left."""
    return np.int64(unsigned(a) >> unsigned(b & 63))


def sra(a: Any, b: Any) -> Any:
    """Shift right by the low 6 bits of b, signs from the left."""
    return a >> (b & 63)


def addw(a: Any, b: Any) -> Any:
    """Add 32-bit numbers."""
    return sign_extended_32(a + b)


def subw(a: Any, b: Any) -> Any:
    """Subtract 32-bit numbers."""
    return sign_extended_32(a - b)


def sllw(a: Any, b: Any) -> Any:
    """Shift a 32-bit number left by the low 5 bits of b."""
    return sign_extended_32(a << (b & 31))


def srlw(a: Any, b: Any) -> Any:
    """Shift a 32-bit number right by the low 5 bits of b, zeros from the left."""
    return sign_extended_32((a & WORD) >> (b & 31))


def sraw(a: Any, b: Any) -> Any:
    """Shift a 32-bit number right by the low 5 bits of b, signs from the left."""
    return sign_extended_32(a) >> (b & 31)


def mul(a: Any, b: Any) -> Any:
    """Return the low 64 bits of the product."""
    return a * b


def mulw(a: Any, b: Any) -> Any:
    """Return the low 32 bits of the product."""
    return sign_extended_32(a * b)


def mulhu(a: Any, b: Any) -> Any:
    """Return the high 64 bits of the product of unsigned numbers."""
    a_low, a_high = a & WORD, srl(a, 32)
    b_low, b_high = b & WORD, srl(b, 32)
    low = srl(a_low * b_low, 32)
    first = a_high * b_low + low
    second = a_low * b_high + (first & WORD)
    return a_high * b_high + srl(first, 32) + srl(second, 32)


def mulh(a: Any, b: Any) -> Any:
    """Return the high 64 bits of the product of signed numbers."""
    return mulhu(a, b) - ((a >> 63) & b) - ((b >> 63) & a)


def mulhsu(a: Any, b: Any) -> Any:
    """Return the high 64 bits of the product of a signed and an unsigned number."""
    return mulhu(a, b) - ((a >> 63) & b)


def divu(a: Any, b: Any) -> Any:
    """Divide unsigned numbers; all ones if b is 0."""
    if b == 0:
        return np.int64(-1)
    return np.int64(unsigned(a) // unsigned(b))


def remu(a: Any, b: Any) -> Any:
    """Return the remainder of unsigned numbers; a if b is 0."""
    if b == 0:
        return a
    return np.int64(unsigned(a) % unsigned(b))


def _magnitude(a: Any) -> Any:
    return -a if a < 0 else a


def div(a: Any, b: Any) -> Any:
    """Divide, rounded towards 0; -1 if b is 0."""
    if b == 0:
        return np.int64(-1)
    quotient = divu(_magnitude(a), _magnitude(b))
    return -quotient if (a < 0) != (b < 0) else quotient


def rem(a: Any, b: Any) -> Any:
    """Return the remainder, with the sign of a; a if b is 0."""
    if b == 0:
        return a
    remainder = remu(_magnitude(a), _magnitude(b))
    return -remainder if a < 0 else remainder


def divw(a: Any, b: Any) -> Any:
    """Divide 32-bit numbers."""
    return sign_extended_32(div(sign_extended_32(a), sign_extended_32(b)))


def divuw(a: Any, b: Any) -> Any:
    """Divide unsigned 32-bit numbers."""
    return sign_extended_32(divu(a & WORD, b & WORD))


def remw(a: Any, b: Any) -> Any:
    """Return the remainder of 32-bit numbers."""
    return sign_extended_32(rem(sign_extended_32(a), sign_extended_32(b)))


def remuw(a: Any, b: Any) -> Any:
    """Return the remainder of unsigned 32-bit numbers."""
    return sign_extended_32(remu(a & WORD, b & WORD))


def smaller(a: Any, b: Any) -> Any:
    """Return the smaller number."""
    return a if a < b else b


def larger(a: Any, b: Any) -> Any:
    """Return the larger number."""
    return b if a < b else a


def smaller_unsigned(a: Any, b: Any) -> Any:
    """Return the smaller of unsigned numbers."""
    return a if unsigned(a) < unsigned(b) else b


def larger_unsigned(a: Any, b: Any) -> Any:
    """Return the larger of unsigned numbers."""
    return b if unsigned(a) < unsigned(b) else a


def sh1add(a: Any, b: Any) -> Any:
    """Add 2 a and b."""
    return (a << 1) + b


def sh2add(a: Any, b: Any) -> Any:
    """Add 4 a and b."""
    return (a << 2) + b


def sh3add(a: Any, b: Any) -> Any:
    """Add 8 a and b."""
    return (a << 3) + b


def add_uw(a: Any, b: Any) -> Any:
    """Add the unsigned word a and b."""
    return (a & WORD) + b


def sh1add_uw(a: Any, b: Any) -> Any:
    """Add 2 times the unsigned word a and b."""
    return ((a & WORD) << 1) + b


def sh2add_uw(a: Any, b: Any) -> Any:
    """Add 4 times the unsigned word a and b."""
    return ((a & WORD) << 2) + b


def sh3add_uw(a: Any, b: Any) -> Any:
    """Add 8 times the unsigned word a and b."""
    return ((a & WORD) << 3) + b


def slli_uw(a: Any, b: Any) -> Any:
    """Shift the unsigned word a left."""
    return (a & WORD) << b


def rol(a: Any, b: Any) -> Any:
    """Rotate left by the low 6 bits of b."""
    return sll(a, b) | srl(a, -b)


def ror(a: Any, b: Any) -> Any:
    """Rotate right by the low 6 bits of b."""
    return srl(a, b) | sll(a, -b)


def rolw(a: Any, b: Any) -> Any:
    """Rotate a 32-bit number left by the low 5 bits of b."""
    return sllw(a, b) | srlw(a, -b)


def rorw(a: Any, b: Any) -> Any:
    """Rotate a 32-bit number right by the low 5 bits of b."""
    return srlw(a, b) | sllw(a, -b)


def cpop(a: Any) -> Any:
    """Count the ones."""
    pairs = a - (srl(a, 1) & 0x5555555555555555)
    fours = (pairs & 0x3333333333333333) + (srl(pairs, 2) & 0x3333333333333333)
    eights = (fours + srl(fours, 4)) & 0x0F0F0F0F0F0F0F0F
    return srl(eights * BYTES_OF_01, 56)


def clz(a: Any) -> Any:
    """Count the zeros above the topmost one; 64 if there is none."""
    a |= srl(a, 1)
    a |= srl(a, 2)
    a |= srl(a, 4)
    a |= srl(a, 8)
    a |= srl(a, 16)
    a |= srl(a, 32)
    return cpop(~a)


def ctz(a: Any) -> Any:
    """Count the zeros below the lowest one; 64 if there is none."""
    return cpop(~a & (a - 1))


def cpopw(a: Any) -> Any:
    """Count the ones of a 32-bit number."""
    return cpop(a & WORD)


def clzw(a: Any) -> Any:
    """Count the zeros above the topmost one of a 32-bit number; 32 if there is none."""
    return clz(a & WORD) - 32


def ctzw(a: Any) -> Any:
    """Count the zeros below the lowest one of a 32-bit number; 32 if there is none."""
    return ctz(a | 1 << 32)


def orc_b(a: Any) -> Any:
    """Set all bits of each byte that is not 0."""
    a |= srl(a, 4) & 0x0F0F0F0F0F0F0F0F
    a |= srl(a, 2) & 0x3F3F3F3F3F3F3F3F
    a |= srl(a, 1) & 0x7F7F7F7F7F7F7F7F
    return (a & BYTES_OF_01) * 0xFF


def rev8(a: Any) -> Any:
    """Reverse the bytes."""
    a = srl(a, 8) & 0x00FF00FF00FF00FF | (a & 0x00FF00FF00FF00FF) << 8
    a = srl(a, 16) & 0x0000FFFF0000FFFF | (a & 0x0000FFFF0000FFFF) << 16
    return srl(a, 32) | a << 32
