"""IEEE 754 in rational numbers: what soft float is compared with."""

from __future__ import annotations

from fractions import Fraction
from math import isqrt
from typing import NamedTuple

NEAREST, TOWARDS_ZERO, DOWN, UP, AWAY = range(5)
ODD = 6
NX, UF, OF, DZ, NV = 1, 2, 4, 8, 16


class Format(NamedTuple):
    """A binary format: bits, those of the stored fraction, the largest exponent."""

    bits: int
    stored: int
    largest: int

    @property
    def infinity(self) -> int:
        """Its pattern."""
        return (2 * self.largest + 1) << self.stored

    @property
    def nan(self) -> int:
        """The canonical one."""
        return self.infinity | 1 << (self.stored - 1)


FORMATS = {32: Format(32, 23, 127), 64: Format(64, 52, 1023)}


class Unpacked(NamedTuple):
    """A pattern's kind ("nan", "signalling", "infinity", "finite"), sign and value."""

    kind: str
    negative: bool
    value: Fraction


def unpacked(pattern: int, form: Format) -> Unpacked:
    """Return what a pattern means."""
    negative = bool(pattern >> (form.bits - 1))
    m = pattern & ((1 << (form.bits - 1)) - 1)
    exponent, fraction = m >> form.stored, m & ((1 << form.stored) - 1)
    if m > form.infinity:
        quiet = fraction >> (form.stored - 1)
        return Unpacked("nan" if quiet else "signalling", negative, Fraction(0))
    if m == form.infinity:
        return Unpacked("infinity", negative, Fraction(0))
    if exponent:
        fraction += 1 << form.stored
    value = fraction * Fraction(2) ** (max(exponent, 1) - form.largest - form.stored)
    return Unpacked("finite", negative, -value if negative else value)


def to_integer_by(value: Fraction, rounding: int) -> int:
    """Round a number to an integer."""
    low = value.numerator // value.denominator
    rest = value - low
    if rest == 0:
        return low
    if rounding == ODD:
        return low if low & 1 else low + 1
    if rounding == TOWARDS_ZERO:
        return low if value > 0 else low + 1
    if rounding in (DOWN, UP):
        return low if rounding == DOWN else low + 1
    if rest * 2 == 1:
        if rounding == NEAREST:
            return low + (low & 1)
        return low + 1 if value > 0 else low
    return low + (rest * 2 > 1)


def packed(value: Fraction, form: Format, rounding: int, negative_zero: bool = False) -> tuple[int, int]:
    """Return the pattern and the flags of an exact result."""
    sign = 1 << (form.bits - 1)
    if value == 0:
        return (sign if negative_zero else 0), 0
    top = abs(value)
    exponent = top.numerator.bit_length() - top.denominator.bit_length()
    exponent -= Fraction(2) ** exponent > top
    quantum = Fraction(2) ** (max(exponent, 1 - form.largest) - form.stored)
    result = to_integer_by(value / quantum, rounding) * quantum
    unbounded = Fraction(2) ** (exponent - form.stored)
    tiny = abs(to_integer_by(value / unbounded, rounding)) * unbounded < Fraction(2) ** (1 - form.largest)
    flags = 0 if result == value else NX | (UF if tiny else 0)
    magnitude = abs(result)
    if magnitude >= Fraction(2) ** (form.largest + 1):
        to_infinity = rounding in (NEAREST, AWAY) or rounding == (DOWN if value < 0 else UP)
        return (sign if value < 0 else 0) | (form.infinity - (not to_infinity)), OF | NX
    quantum = Fraction(2) ** (1 - form.largest - form.stored)
    pattern, step = 0, magnitude / quantum
    assert step.denominator == 1
    steps = step.numerator
    shift = max(steps.bit_length() - form.stored - 1, 0)
    pattern = (shift << form.stored) + (steps >> shift)
    return (sign if value < 0 else 0) | pattern, flags


def _nan(form: Format, signalling: bool) -> tuple[int, int]:
    return form.nan, NV if signalling else 0


def fused(a: int, b: int, c: int, bits: int, rounding: int) -> tuple[int, int]:
    """``a * b + c``."""
    form = FORMATS[bits]
    x, y, z = (unpacked(each, form) for each in (a, b, c))
    kinds = [x.kind, y.kind, z.kind]
    undefined = "infinity" in kinds[:2] and any(u.kind == "finite" and u.value == 0 for u in (x, y))
    if undefined or "nan" in kinds or "signalling" in kinds:
        return _nan(form, undefined or "signalling" in kinds)
    negative, sign = x.negative != y.negative, 1 << (bits - 1)
    if "infinity" in kinds[:2]:
        if z.kind == "infinity" and z.negative != negative:
            return _nan(form, True)
        return form.infinity | (sign if negative else 0), 0
    if z.kind == "infinity":
        return c, 0
    zero = negative if negative == z.negative else rounding == DOWN
    return packed(x.value * y.value + z.value, form, rounding, zero)


def add(a: int, b: int, bits: int, rounding: int) -> tuple[int, int]:
    """``a + b``."""
    form = FORMATS[bits]
    x, y = unpacked(a, form), unpacked(b, form)
    kinds = {x.kind, y.kind}
    opposite = x.kind == y.kind == "infinity" and x.negative != y.negative
    if opposite or kinds & {"nan", "signalling"}:
        return _nan(form, opposite or "signalling" in kinds)
    for each, pattern in ((x, a), (y, b)):
        if each.kind == "infinity":
            return pattern, 0
    zero = x.negative if x.negative == y.negative else rounding == DOWN
    return packed(x.value + y.value, form, rounding, zero)


def subtract(a: int, b: int, bits: int, rounding: int) -> tuple[int, int]:
    """``a - b``."""
    return add(a, b ^ 1 << (bits - 1), bits, rounding)


def multiply(a: int, b: int, bits: int, rounding: int) -> tuple[int, int]:
    """``a * b``."""
    form = FORMATS[bits]
    x, y = unpacked(a, form), unpacked(b, form)
    kinds, negative = {x.kind, y.kind}, x.negative != y.negative
    undefined = "infinity" in kinds and any(u.kind == "finite" and u.value == 0 for u in (x, y))
    if undefined or kinds & {"nan", "signalling"}:
        return _nan(form, undefined or "signalling" in kinds)
    if "infinity" in kinds:
        return form.infinity | (negative << (bits - 1)), 0
    return packed(x.value * y.value, form, rounding, negative)


def divide(a: int, b: int, bits: int, rounding: int) -> tuple[int, int]:
    """``a / b``."""
    form = FORMATS[bits]
    x, y = unpacked(a, form), unpacked(b, form)
    kinds, sign = {x.kind, y.kind}, (x.negative != y.negative) << (bits - 1)
    if kinds & {"nan", "signalling"}:
        return _nan(form, "signalling" in kinds)
    if x.kind == y.kind and (x.kind == "infinity" or x.value == y.value == 0):
        return _nan(form, True)
    if x.kind == "infinity":
        return form.infinity | sign, 0
    if y.kind == "infinity":
        return sign, 0
    if y.value == 0:
        return form.infinity | sign, DZ
    return packed(x.value / y.value, form, rounding, bool(sign))


def square_root(a: int, bits: int, rounding: int) -> tuple[int, int]:
    """Return the square root: 200 bits of it, and a little more if there is a rest."""
    form = FORMATS[bits]
    x = unpacked(a, form)
    if x.kind in ("nan", "signalling"):
        return _nan(form, x.kind == "signalling")
    if x.value < 0 or (x.kind == "infinity" and x.negative):
        return _nan(form, True)
    if x.kind == "infinity" or x.value == 0:
        return a, 0
    scaled = x.value * 4**1300
    assert scaled.denominator == 1
    root = isqrt(scaled.numerator)
    rest = Fraction(int(root * root != scaled.numerator), 3)
    return packed((root + rest) / 2**1300, form, rounding)


def narrow(a: int, rounding: int) -> tuple[int, int]:
    """Return a binary64 as a binary32."""
    x, form = unpacked(a, FORMATS[64]), FORMATS[32]
    if x.kind in ("nan", "signalling"):
        return _nan(form, x.kind == "signalling")
    if x.kind == "infinity":
        return form.infinity | (x.negative << 31), 0
    return packed(x.value, form, rounding, x.negative)


def to_integer(a: int, size: int, unsigned: bool, bits: int, rounding: int) -> tuple[int, int]:
    """Return a float as an integer, and the flags."""
    x = unpacked(a, FORMATS[bits])
    lowest, largest = (0, 2**size - 1) if unsigned else (-(2 ** (size - 1)), 2 ** (size - 1) - 1)
    if x.kind != "finite":
        return (lowest if x.kind == "infinity" and x.negative else largest), NV
    result = to_integer_by(x.value, rounding)
    if not lowest <= result <= largest:
        return (lowest if result < lowest else largest), NV
    return result, 0 if result == x.value else NX
