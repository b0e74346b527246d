"""Decimal text to floating point: rounded once, never to infinity, and to zero only where zero is written."""

from __future__ import annotations

import math
import struct
from decimal import Decimal

from vecsim.support.suggestions import shown

CODES = {4: "<f", 8: "<d"}
"""The struct code of a number, by its bytes."""
LARGEST = {4: "3.4028235e38", 8: "1.7976931348623157e308"}
SMALLEST = {4: "1.4e-45", 8: "4.9e-324"}
"""The smallest numbers above zero, which are subnormal."""


class OutOfRangeError(ValueError):
    """A number that the type cannot hold; the message says what its limits are."""


def nearest_float(text: str, size: int = 8) -> float:
    """Return the float32 or float64 nearest to a decimal number, ties to even.

    Parameters
    ----------
    text
        Digits with sign, point and exponent; or ``inf`` or ``nan``, which stay what they are.
    size
        Bytes of the result, 4 or 8.

    Raises
    ------
    OutOfRangeError
        It would be rounded to infinity, or to zero though it is not zero.
    ValueError
        The text is no number.
    """
    if "_" in text or not text.isascii():
        raise ValueError(
            f"{text!r} is not a number; write one without underscores, in ASCII"
        )  # float() takes both
    wide = float(text)
    if not math.isfinite(wide) and not any(c.isdigit() for c in text):
        return wide
    try:
        rounded = wide if size == 8 else _float32(wide, text)
    except OverflowError:
        rounded = math.inf
    if math.isinf(rounded):
        raise OutOfRangeError(
            f"{shown(text)} does not fit float{8 * size}: at most {LARGEST[size]} is possible"
        )
    if rounded == 0 and not _is_zero(text):
        least = f"the smallest number above 0 is {SMALLEST[size]}"
        raise OutOfRangeError(f"{shown(text)} would become 0 in float{8 * size}: {least}")
    return rounded


def finite_number(text: str) -> float:
    """Return the value of an option: a finite number, at least 0.

    Raises
    ------
    ValueError
        It is something else; the message is for the user.
    """
    try:
        value = nearest_float(text.strip())
    except OutOfRangeError:
        raise
    except ValueError:
        value = math.nan
    if not (math.isfinite(value) and value >= 0):
        raise ValueError(f"{shown(text)!r} must be a finite number of 0 or more")
    return value


def integer(text: str) -> int | None:
    """Read an integer, decimal or with 0x or 0b; None if it is none."""
    try:
        return int(text, 0)
    except ValueError:
        return None


def _float32(wide: float, text: str) -> float:
    """Return the float32 nearest to a decimal number whose nearest float64 is known.

    OverflowError if it is none. Rounding twice would err where the float64 lies in the middle of two float32.
    The neighbour with an odd last bit on the side of the exact number lies in no middle ("round to odd").
    """
    if math.isfinite(wide) and wide != 0 and not _is_odd(wide):
        exact, held = Decimal(text), Decimal(wide)
        if exact != held:
            wide = math.nextafter(wide, math.inf if exact > held else -math.inf)
    rounded: float = struct.unpack("<f", struct.pack("<f", wide))[0]
    return rounded


def _is_odd(wide: float) -> bool:
    return bool(struct.pack("<d", wide)[0] & 1)


def _is_zero(text: str) -> bool:
    mantissa = text.lower().partition("e")[0]
    return not any(c in "123456789" for c in mantissa)
