"""Operations on two numbers or one that scalar and vector instructions share.

They obey what semantics must obey to be compiled (docs/engines.md).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

LARGEST = 0x7FFFFFFF
SMALLEST = -0x80000000


def quotient(a: Any, b: Any) -> Any:
    """Divide integers, rounding towards zero; -1 where b is 0 (as RISC-V does)."""
    if b == 0:
        return -1
    result = abs(a) // abs(b)
    return result if (a < 0) == (b < 0) else -result


def remainder(a: Any, b: Any) -> Any:
    """Return what the quotient leaves over, with the sign of a; a where b is 0."""
    if b == 0:
        return a
    result = abs(a) % abs(b)
    return result if a >= 0 else -result


def divided(a: Any, b: Any) -> Any:
    """``a / b`` of floats, by IEEE 754: no error where b is 0."""
    return a / b


def divides(a: Any, b: Any) -> Any:
    """``b / a`` of floats."""
    return b / a


def subtracted_from(a: Any, b: Any) -> Any:
    """``b - a``."""
    return b - a


def less_than(a: Any, b: Any) -> Any:
    """1 if a < b, signed, otherwise 0."""
    return 1 if a < b else 0


def lesser(a: Any, b: Any) -> Any:
    """Return the lesser, as IEEE 754-2019 defines minimum: NaN if either is, and -0 is less than +0."""
    if a != a:
        return a
    if a == 0 and b == 0:
        return -(-a - b)  # -0 unless both are +0
    return a if a < b else b


def greater(a: Any, b: Any) -> Any:
    """Return the greater, as IEEE 754-2019 defines maximum: NaN if either is, and +0 is greater than -0."""
    if a != a:
        return a
    if a == 0 and b == 0:
        return a + b  # +0 unless both are -0
    return a if a > b else b


def truncated(a: Any) -> Any:
    """Return a float as an int32, rounded towards zero; the nearest that there is, the largest of NaN."""
    if not a < 2147483648.0:
        return LARGEST
    if a < -2147483648.0:
        return SMALLEST
    return int(a)


def at_least(a: Any, b: Any) -> Any:
    """Return whether a >= b; False of NaN."""
    return a >= b


def shift_left(a: Any, count: Any) -> Any:
    """Shift left by the low five bits of ``count``."""
    return (a & 0xFFFFFFFF) << (count & 31)


def shift_right(a: Any, count: Any) -> Any:
    """Shift right, filling with zeros, by the low five bits of ``count``."""
    return (a & 0xFFFFFFFF) >> (count & 31)


def shift_right_arithmetic(a: Any, count: Any) -> Any:
    """Shift right, filling with the sign, by the low five bits of ``count``."""
    return a >> (count & 31)


CONVERTED: dict[str, Callable[[Any], Any]] = {"w": truncated, "s": np.float32, "d": np.float64}
"""What makes a number of the type of a suffix."""
CONVERSIONS = (
    ("s.w", "int32 as float32"),
    ("d.w", "int32 as float64"),
    ("w.s", "float32 as int32, rounded towards zero; the nearest that there is"),
    ("w.d", "float64 as int32, rounded towards zero; the nearest that there is"),
    ("s.d", "float64 as float32"),
    ("d.s", "float32 as float64"),
)
"""Suffixes of conversions: of the result and of the operand."""
