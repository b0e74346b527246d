"""The float nearest to an exact number, by a search among all floats; it shares nothing with `vecsim`."""

from __future__ import annotations

import struct
from fractions import Fraction

CODES = {4: "<f", 8: "<d"}
LARGEST = {4: 0x7F7FFFFF, 8: 0x7FEFFFFFFFFFFFFF}
"""The bits of the largest finite number. Bits of floats rise as the floats do, and infinity follows."""


def of_bits(bits: int, size: int) -> Fraction:
    """The exact value of a float that is not negative."""
    return Fraction(struct.unpack(CODES[size], bits.to_bytes(size, "little"))[0])


def nearest_bits(exact: Fraction, size: int, *, negative: bool = False) -> int | None:
    """The bits of the float nearest to a number, ties to even; None if that is infinity.

    A zero is negative if it is asked for.
    """
    largest, target = LARGEST[size], abs(exact)
    low, high = 0, largest
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if of_bits(middle, size) <= target else (low, middle - 1)
    below = of_bits(low, size)
    step = below - of_bits(low - 1, size) if low == largest else of_bits(low + 1, size) - below
    past_middle = target - below - step / 2
    bits = low + (past_middle > 0 or (past_middle == 0 and low % 2 == 1))
    if bits > largest:
        return None
    return bits | ((negative or exact < 0) << 8 * size - 1)
