"""Floating-point arithmetic of RISC-V on bit patterns: IEEE 754 binary32 and binary64, bit for bit.

Patterns are int64: a binary32 is in the low 32 bits, what is above is ignored in operands and 0 in results.
``bits`` is 32 or 64, ``rounding`` a number of :data:`NEAREST` and its kin, ``flags`` the exceptions so far
(fflags). Every operation that can raise one returns ``(result, flags)`` with its own added. A NaN that
results is the canonical one, and tininess is detected after rounding (RISC-V unprivileged specification,
chapters "F" and "D"; the estimates: chapter "V").

Numba compiles these functions; integers wrap to 64 bits. Rounding to nearest, the host's operation is used
where the result is well inside the normal range: then inexact is the only flag it can raise, and whether it
does is known from the error of the operation, which the host computes exactly.
"""

from __future__ import annotations

from typing import Any

import numpy as np

NEAREST, TOWARDS_ZERO, DOWN, UP, NEAREST_AWAY = range(5)
"""Rounding modes as in frm."""
TO_ODD = 6
"""Rounding mode of vfncvt.rod; reserved in frm."""
INEXACT, UNDERFLOW, OVERFLOW, DIVIDE_BY_ZERO, INVALID = 1, 2, 4, 8, 16
"""Bits of fflags."""

SMALL_S, LARGE_S = np.float32(2.0**-90), np.float32(2.0**120)
SMALL_D, LARGE_D = 2.0**-900, 2.0**1000
"""Results between these magnitudes, and the errors of their operations, neither underflow nor overflow."""
TOP = 61
"""Significands that are worked on have their highest bit here; bits that are lost are ored into bit 0."""
LOW_WORD = (1 << 62) - 1
"""Wide significands are pairs of words of 62 bits."""


# ------------------------------------------------------------------------------------------------ patterns


def float_s(a: Any) -> Any:
    """Return the float32 of a pattern."""
    return np.int32(a).view(np.float32)


def float_d(a: Any) -> Any:
    """Return the float64 of a pattern."""
    return np.int64(a).view(np.float64)


def pattern_s(x: Any) -> Any:
    """Return the pattern of a float32."""
    return np.int64(np.float32(x).view(np.int32)) & 0xFFFFFFFF


def pattern_d(x: Any) -> Any:
    """Return the pattern of a float64."""
    return np.int64(np.float64(x).view(np.int64))


def fraction_bits(bits: Any) -> Any:
    """Return how many bits of the significand are stored."""
    return 23 if bits == 32 else 52


def bias(bits: Any) -> Any:
    """Return what the stored exponent is too large by."""
    return 127 if bits == 32 else 1023


def infinity(bits: Any) -> Any:
    """Return the pattern of +infinity."""
    return 0x7F800000 if bits == 32 else 0x7FF0000000000000


def nan(bits: Any) -> Any:
    """Return the pattern of the canonical NaN."""
    return 0x7FC00000 if bits == 32 else 0x7FF8000000000000


def magnitude(a: Any, bits: Any) -> Any:
    """Return a pattern without its sign."""
    return a & (0x7FFFFFFF if bits == 32 else 0x7FFFFFFFFFFFFFFF)


def sign(a: Any, bits: Any) -> Any:
    """Return the sign bit, 0 or 1."""
    return (a >> (bits - 1)) & 1


def signed(negative: Any, a: Any, bits: Any) -> Any:
    """Return a magnitude with a sign bit."""
    return (negative << (bits - 1)) | a


def negated(a: Any, bits: Any) -> Any:
    """Return a pattern with the other sign, which turns an operation into its negative kin."""
    return a ^ (1 << (bits - 1))


def is_nan(a: Any, bits: Any) -> Any:
    """Whether it is a NaN."""
    return magnitude(a, bits) > infinity(bits)


def is_signalling(a: Any, bits: Any) -> Any:
    """Whether it is a NaN that raises INVALID."""
    return is_nan(a, bits) and (a >> (fraction_bits(bits) - 1)) & 1 == 0


def _nan_of(signalling: Any, bits: Any, flags: Any) -> Any:
    return nan(bits), (flags | INVALID if signalling else flags)


def _highest(n: Any) -> Any:
    """Return the number of the highest bit set; n > 0."""
    high = n >> 32
    return ((pattern_d(float(high if high else n))) >> 52) - (1023 - 32 if high else 1023)


def _parts(m: Any, bits: Any) -> Any:
    """Return exponent and significand of a magnitude that is finite and not 0."""
    stored = fraction_bits(bits)
    exponent, fraction = m >> stored, m & ((1 << stored) - 1)
    if exponent == 0:
        top = _highest(fraction)
        return top + 1 - stored - bias(bits), fraction << (TOP - top)
    return exponent - bias(bits), (fraction | (1 << stored)) << (TOP - stored)


def _shifted(significand: Any, n: Any) -> Any:
    """Shift right by n >= 0 bits, those lost ored into bit 0."""
    if n > 62:
        return 1 if significand else 0
    return (significand >> n) | (1 if significand & ((1 << n) - 1) else 0)


def _away(negative: Any, rounding: Any) -> Any:
    """Whether a directed rounding mode increases the magnitude."""
    return (rounding == UP and negative == 0) or (rounding == DOWN and negative != 0)


def rounded(negative: Any, exponent: Any, significand: Any, bits: Any, rounding: Any, flags: Any) -> Any:
    """Round ``significand * 2**(exponent - TOP)`` to a pattern; the significand has bit TOP set."""
    stored = fraction_bits(bits)
    drop = TOP - stored
    lost = (1 << drop) - 1
    nearest = rounding in (NEAREST, NEAREST_AWAY)
    increment = 0
    if nearest:
        increment = 1 << (drop - 1)
    elif _away(negative, rounding):
        increment = lost
    exponent += bias(bits)
    tiny = False
    if exponent < 1:
        tiny = exponent < 0 or significand + increment < 1 << (TOP + 1)
        significand = _shifted(significand, 1 - exponent)
        exponent = 1
    lost &= significand
    kept = (significand + increment) >> drop
    if lost and rounding == TO_ODD:
        kept |= 1
    if rounding == NEAREST and lost == increment:
        kept &= -2
    result = ((exponent - 1) << stored) + kept
    if exponent > 2 * bias(bits) or result >= infinity(bits):
        result = infinity(bits) if nearest or increment else infinity(bits) - 1
        flags |= OVERFLOW | INEXACT
    elif lost:
        flags |= (INEXACT | UNDERFLOW) if tiny else INEXACT
    return signed(negative, result, bits), flags


# ------------------------------------------------------------------------------- sum, product, fused product


def fused_s(x: Any, y: Any, z: Any) -> Any:
    """Return ``x * y + z`` rounded once, of float32; NaN where the host cannot (then integers do).

    An engine puts the host's instruction in its place.
    """
    return np.float32(np.nan)


def fused_d(x: Any, y: Any, z: Any) -> Any:
    """Return ``x * y + z`` rounded once, of float64, as :func:`fused_s`."""
    return np.float64(np.nan)


def _exact_sum(x: Any, y: Any, s: Any) -> Any:
    """Whether ``x + y`` is s, which it has been rounded to (Knuth's two-sum)."""
    part = s - x
    return (x - (s - part)) + (y - part) == 0


def _product(a: Any, b: Any) -> Any:
    """Multiply two significands into two words, the highest bit in bit 60 or 61 of the first."""
    half = (1 << 31) - 1
    high, low = (a >> 31) * (b >> 31), (a & half) * (b & half)
    middle = (a >> 31) * (b & half) + (a & half) * (b >> 31)
    low += (middle & half) << 31
    return high + (middle >> 31) + (low >> 62), low & LOW_WORD


def soft_fused(a: Any, b: Any, c: Any, bits: Any, rounding: Any, flags: Any) -> Any:
    """Return ``a * b + c``, in integers."""
    top = infinity(bits)
    m, n, o = magnitude(a, bits), magnitude(b, bits), magnitude(c, bits)
    negative, sign_c = sign(a, bits) ^ sign(b, bits), sign(c, bits)
    undefined = (m == top and n == 0) or (m == 0 and n == top)
    if undefined or m > top or n > top or o > top:
        signalling = is_signalling(a, bits) or is_signalling(b, bits) or is_signalling(c, bits)
        return _nan_of(undefined or signalling, bits, flags)
    if m == top or n == top:
        if o == top and negative != sign_c:
            return _nan_of(True, bits, flags)
        return signed(negative, top, bits), flags
    zero = signed(negative if negative == sign_c else int(rounding == DOWN), 0, bits)
    if m == 0 or n == 0:
        return (zero if o == 0 else signed(sign_c, o, bits)), flags
    if o == top:
        return signed(sign_c, o, bits), flags
    exponent_a, a = _parts(m, bits)
    exponent_b, b = _parts(n, bits)
    exponent = exponent_a + exponent_b + 1
    high, low = _product(a, b)
    if high < 1 << TOP:
        high, low = (high << 1) | (low >> 61), (low << 1) & LOW_WORD
        exponent -= 1
    if o != 0:
        exponent_c, c = _parts(o, bits)
        if exponent_c > exponent or (exponent_c == exponent and c > high):
            small, lower = _aligned(high, low, exponent_c - exponent)
            high, low, exponent = c, 0, exponent_c
            negative, sign_c = sign_c, negative
        else:
            small, lower = _aligned(c, 0, exponent - exponent_c)
        if negative == sign_c:
            low += lower
            high += small + (low >> 62)
            low &= LOW_WORD
            if high >> 62:
                high, exponent = _shifted(high, 1), exponent + 1
        else:
            low -= lower
            high -= small
            if low < 0:
                low, high = low + LOW_WORD + 1, high - 1
            if high == 0:
                if low == 0:
                    return zero, flags
                high, low, exponent = low, 0, exponent - 62
            shift = TOP - _highest(high)
            if shift:
                high = (high << shift) | (low >> (62 - shift))
                low, exponent = (low << shift) & LOW_WORD, exponent - shift
    return rounded(negative, exponent, high | int(low != 0), bits, rounding, flags)


def _aligned(high: Any, low: Any, n: Any) -> Any:
    """Shift two words right by n >= 0 bits, those lost ored into the lowest bit."""
    if n >= 124:
        return 0, 1
    if n >= 62:
        return 0, _shifted(high, n - 62) | int(low != 0)
    if n == 0:
        return high, low
    return high >> n, _shifted(low, n) | ((high << (62 - n)) & LOW_WORD)


def add(a: Any, b: Any, bits: Any, rounding: Any, flags: Any) -> Any:
    """Return ``a + b``; ``a - b`` with b :func:`negated`."""
    if rounding == NEAREST:
        if bits == 32:
            s = float_s(a) + float_s(b)
            if abs(s) < LARGE_S:
                exact = flags & INEXACT != 0 or _exact_sum(float_s(a), float_s(b), s)
                return pattern_s(s), (flags if exact else flags | INEXACT)
        else:
            d = float_d(a) + float_d(b)
            if abs(d) < LARGE_D:
                exact = flags & INEXACT != 0 or _exact_sum(float_d(a), float_d(b), d)
                return pattern_d(d), (flags if exact else flags | INEXACT)
    return soft_fused(a, bias(bits) << fraction_bits(bits), b, bits, rounding, flags)


def multiply(a: Any, b: Any, bits: Any, rounding: Any, flags: Any) -> Any:
    """Return ``a * b``."""
    if rounding == NEAREST:
        if bits == 32:
            x, y = float_s(a), float_s(b)
            s = x * y
            if SMALL_S < abs(s) < LARGE_S:
                exact = flags & INEXACT != 0 or np.float64(x) * np.float64(y) == np.float64(s)
                return pattern_s(s), (flags if exact else flags | INEXACT)
        else:
            v, w = float_d(a), float_d(b)
            d = v * w
            if SMALL_D < abs(d) < LARGE_D:
                if flags & INEXACT:
                    return pattern_d(d), flags
                error = fused_d(v, w, -d)
                if error == error:
                    return pattern_d(d), (flags if error == 0 else flags | INEXACT)
    zero = signed(sign(a, bits) ^ sign(b, bits), 0, bits)
    return soft_fused(a, b, zero, bits, rounding, flags)


def fused_is_known_s(x: Any, y: Any, z: Any, s: Any) -> Any:
    """Return whether what the host gives for ``x * y + z`` is the result, and whether it is exact.

    Parameters
    ----------
    x, y, z
        float32.
    s
        What the host gives.
    """
    p = np.float64(x) * np.float64(y)
    q = p + np.float64(z)
    exact = (q == np.float64(s)) & _exact_sum(p, np.float64(z), q)
    return exact | ((abs(s) > SMALL_S) & (abs(s) < LARGE_S)), exact


def fused(a: Any, b: Any, c: Any, bits: Any, rounding: Any, flags: Any) -> Any:
    """Return ``a * b + c`` rounded once; the other three signs with a or c :func:`negated`."""
    if rounding == NEAREST:
        if bits == 32:
            s = fused_s(float_s(a), float_s(b), float_s(c))
            if SMALL_S < abs(s) < LARGE_S:
                if flags & INEXACT:
                    return pattern_s(s), flags
                p = np.float64(float_s(a)) * np.float64(float_s(b))
                q = p + np.float64(float_s(c))
                exact = q == np.float64(s) and _exact_sum(p, np.float64(float_s(c)), q)
                return pattern_s(s), (flags if exact else flags | INEXACT)
        else:
            d = fused_d(float_d(a), float_d(b), float_d(c))
            if SMALL_D < abs(d) < LARGE_D:
                if flags & INEXACT:
                    return pattern_d(d), flags
                v = float_d(a) * float_d(b)
                if SMALL_D < abs(v) < LARGE_D and fused_d(float_d(a), float_d(b), -v) == 0:
                    exact = _exact_sum(v, float_d(c), d)
                    return pattern_d(d), (flags if exact else flags | INEXACT)
    return soft_fused(a, b, c, bits, rounding, flags)


# --------------------------------------------------------------------------------- quotient and square root


def soft_divide(a: Any, b: Any, bits: Any, rounding: Any, flags: Any) -> Any:
    """Return ``a / b``, in integers but for an estimate."""
    top = infinity(bits)
    m, n, negative = magnitude(a, bits), magnitude(b, bits), sign(a, bits) ^ sign(b, bits)
    if m > top or n > top:
        return _nan_of(is_signalling(a, bits) or is_signalling(b, bits), bits, flags)
    if (m == top and n == top) or (m == 0 and n == 0):
        return _nan_of(True, bits, flags)
    if m == top or n == 0:
        return signed(negative, top, bits), (flags if m == top else flags | DIVIDE_BY_ZERO)
    if m == 0 or n == top:
        return signed(negative, 0, bits), flags
    exponent, a = _parts(m, bits)
    exponent_b, b = _parts(n, bits)
    a, b, exponent = a >> 9, b >> 9, exponent - exponent_b
    if a < b:
        a, exponent = a << 1, exponent - 1
    # The host rounds the quotient of two integers of 53 bits to 53 bits; the remainder says on which side.
    quotient = int(float(a) / float(b) * 2.0**52)
    return rounded(negative, exponent, _nudged(quotient, (a << 52) - quotient * b), bits, rounding, flags)


def _nudged(estimate: Any, remainder: Any) -> Any:
    """Return 53 bits rounded to nearest as a significand on the right side of them."""
    return (estimate << 9) + (1 if remainder > 0 else 0) - (1 if remainder < 0 else 0)


def divide(a: Any, b: Any, bits: Any, rounding: Any, flags: Any) -> Any:
    """Return ``a / b``."""
    if rounding == NEAREST and magnitude(b, bits) != 0:
        if bits == 32:
            x, y = float_s(a), float_s(b)
            s = x / y
            if SMALL_S < abs(s) < LARGE_S:
                exact = flags & INEXACT != 0 or np.float64(s) * np.float64(y) == np.float64(x)
                return pattern_s(s), (flags if exact else flags | INEXACT)
        elif flags & INEXACT:
            d = float_d(a) / float_d(b)
            if SMALL_D < abs(d) < LARGE_D:
                return pattern_d(d), flags
    return soft_divide(a, b, bits, rounding, flags)


def soft_square_root(a: Any, bits: Any, rounding: Any, flags: Any) -> Any:
    """Return the square root, in integers but for an estimate."""
    m = magnitude(a, bits)
    if m > infinity(bits):
        return _nan_of(is_signalling(a, bits), bits, flags)
    if m == 0:
        return signed(sign(a, bits), 0, bits), flags
    if sign(a, bits):
        return _nan_of(True, bits, flags)
    if m == infinity(bits):
        return m, flags
    exponent, a = _parts(m, bits)
    a >>= 9
    if exponent & 1:
        a <<= 1
    root = int(np.sqrt(float(a) * 2.0**-52) * 2.0**52)
    return rounded(0, exponent >> 1, _nudged(root, (a << 52) - root * root), bits, rounding, flags)


def square_root(a: Any, bits: Any, rounding: Any, flags: Any) -> Any:
    """Return the square root of a."""
    if rounding == NEAREST:
        if bits == 32:
            x = float_s(a)
            if SMALL_S < x < LARGE_S:
                s = np.sqrt(x)
                exact = flags & INEXACT != 0 or np.float64(s) * np.float64(s) == np.float64(x)
                return pattern_s(s), (flags if exact else flags | INEXACT)
        elif flags & INEXACT and SMALL_D < float_d(a) < LARGE_D:
            return pattern_d(np.sqrt(float_d(a))), flags
    return soft_square_root(a, bits, rounding, flags)


# ---------------------------------------------------------------------------------------------- conversions


def from_integer(n: Any, unsigned: Any, bits: Any, rounding: Any, flags: Any) -> Any:
    """Return an integer as a float; ``unsigned``: n is the pattern of a uint64 (not 0) or an int64 (0).

    An integer of fewer bits is extended by its kind before.
    """
    if n == 0:
        return 0, flags
    negative = 1 if n < 0 and unsigned == 0 else 0
    if negative:
        n = -n
    if n < 0:  # 2**63 and above
        return rounded(negative, 63, ((n >> 2) & LOW_WORD) | int(n & 3 != 0), bits, rounding, flags)
    top = _highest(n)
    significand = n << (TOP - top) if top <= TOP else _shifted(n, 1)
    return rounded(negative, top, significand, bits, rounding, flags)


def to_integer(a: Any, size: Any, unsigned: Any, bits: Any, rounding: Any, flags: Any) -> Any:
    """Return a float as an integer of ``size`` bits, extended to 64 by its kind.

    What does not fit raises INVALID alone and gives the nearest that does, a NaN the largest.
    """
    m, negative = magnitude(a, bits), sign(a, bits)
    if m == 0:
        return 0, flags
    if m > infinity(bits):
        negative = 0
    largest = (1 << (size - 1)) - 1
    if unsigned:
        largest = 0 if negative else (largest << 1) | 1
    elif negative:
        largest += 1
    saturated = -largest if negative else largest
    if m >= infinity(bits):
        return saturated, flags | INVALID
    exponent, significand = _parts(m, bits)
    if exponent > 63:
        return saturated, flags | INVALID
    lost = 0
    if exponent > 59:
        n = significand << (exponent - TOP) if exponent >= TOP else significand >> 1
    else:
        n = _shifted(significand, 59 - exponent)  # two bits of fraction: the half, and whether there is more
        lost, n = n & 3, n >> 2
        if rounding == NEAREST:
            n += 1 if lost == 3 or (lost == 2 and n & 1) else 0
        elif rounding == NEAREST_AWAY:
            n += lost >> 1
        elif lost and _away(negative, rounding):
            n += 1
        elif lost and rounding == TO_ODD:
            n |= 1
    lowest = -(1 << 62) - (1 << 62)
    if n ^ lowest > largest ^ lowest:  # as unsigned numbers
        return saturated, flags | INVALID
    return (-n if negative else n), (flags | INEXACT if lost else flags)


def widen(a: Any, flags: Any) -> Any:
    """Return a binary32 as a binary64."""
    if is_nan(a, 32):
        return _nan_of(is_signalling(a, 32), 64, flags)
    return pattern_d(np.float64(float_s(a))), flags


def narrow(a: Any, rounding: Any, flags: Any) -> Any:
    """Return a binary64 as a binary32."""
    if rounding == NEAREST:
        x = float_d(a)
        s = np.float32(x)
        if SMALL_S < abs(s) < LARGE_S:
            return pattern_s(s), (flags if np.float64(s) == x else flags | INEXACT)
    m, negative = magnitude(a, 64), sign(a, 64)
    if m > infinity(64):
        return _nan_of(is_signalling(a, 64), 32, flags)
    if m == 0 or m == infinity(64):
        return signed(negative, infinity(32) if m else 0, 32), flags
    exponent, significand = _parts(m, 64)
    return rounded(negative, exponent, significand, 32, rounding, flags)


# -------------------------------------------------------------------------------- comparisons and estimates


def _order(a: Any, bits: Any) -> Any:
    """Return an integer that orders floats as their values, -0 before +0."""
    return -1 - magnitude(a, bits) if sign(a, bits) else magnitude(a, bits)


def _either(a: Any, b: Any, bits: Any, flags: Any) -> Any:
    """Return flags, with INVALID if either operand is a signalling NaN."""
    return flags | INVALID if is_signalling(a, bits) or is_signalling(b, bits) else flags


def equal(a: Any, b: Any, bits: Any, flags: Any) -> Any:
    """Return 1 if a == b, otherwise 0: a quiet comparison."""
    if is_nan(a, bits) or is_nan(b, bits):
        return 0, _either(a, b, bits, flags)
    m, n = magnitude(a, bits), magnitude(b, bits)
    return int(m == n and (m == 0 or sign(a, bits) == sign(b, bits))), flags


def less(a: Any, b: Any, bits: Any, flags: Any) -> Any:
    """Return 1 if a < b, otherwise 0: any NaN raises INVALID."""
    if is_nan(a, bits) or is_nan(b, bits):
        return 0, flags | INVALID
    both_zero = magnitude(a | b, bits) == 0
    return int(_order(a, bits) < _order(b, bits) and not both_zero), flags


def less_or_equal(a: Any, b: Any, bits: Any, flags: Any) -> Any:
    """Return 1 if a <= b, otherwise 0: any NaN raises INVALID."""
    if is_nan(a, bits) or is_nan(b, bits):
        return 0, flags | INVALID
    both_zero = magnitude(a | b, bits) == 0
    return int(_order(a, bits) <= _order(b, bits) or both_zero), flags


def minimum(a: Any, b: Any, bits: Any, flags: Any) -> Any:
    """Return the lesser (minimumNumber of IEEE 754-2019): of a NaN and a number the number, -0 before +0."""
    flags = _either(a, b, bits, flags)
    if is_nan(a, bits):
        return (nan(bits) if is_nan(b, bits) else signed(sign(b, bits), magnitude(b, bits), bits)), flags
    if is_nan(b, bits) or _order(a, bits) < _order(b, bits):
        return signed(sign(a, bits), magnitude(a, bits), bits), flags
    return signed(sign(b, bits), magnitude(b, bits), bits), flags


def maximum(a: Any, b: Any, bits: Any, flags: Any) -> Any:
    """Return the greater (maximumNumber), as :func:`minimum`."""
    flags = _either(a, b, bits, flags)
    if is_nan(a, bits):
        return (nan(bits) if is_nan(b, bits) else signed(sign(b, bits), magnitude(b, bits), bits)), flags
    if is_nan(b, bits) or _order(a, bits) > _order(b, bits):
        return signed(sign(a, bits), magnitude(a, bits), bits), flags
    return signed(sign(b, bits), magnitude(b, bits), bits), flags


def classify(a: Any, bits: Any) -> Any:
    """Return the mask of fclass, one bit of ten."""
    m, negative = magnitude(a, bits), sign(a, bits)
    if m > infinity(bits):
        return 0x100 if is_signalling(a, bits) else 0x200
    if m == infinity(bits):
        return 0x01 if negative else 0x80
    if m >> fraction_bits(bits):
        return 0x02 if negative else 0x40
    if m:
        return 0x04 if negative else 0x20
    return 0x08 if negative else 0x10


def reciprocal_estimate(a: Any, bits: Any, rounding: Any, flags: Any) -> Any:
    """Return 1 / a to 7 bits (vfrec7): of the middle of what shares its 7 leading bits, to nearest."""
    m, negative, stored, offset = magnitude(a, bits), sign(a, bits), fraction_bits(bits), bias(bits)
    if m > infinity(bits):
        return _nan_of(is_signalling(a, bits), bits, flags)
    if m == 0:
        return signed(negative, infinity(bits), bits), flags | DIVIDE_BY_ZERO
    if m == infinity(bits):
        return signed(negative, 0, bits), flags
    exponent, significand = _parts(m, bits)
    if exponent < -offset - 1:
        away = rounding in (NEAREST, NEAREST_AWAY) or _away(negative, rounding)
        return signed(negative, infinity(bits) - int(not away), bits), flags | OVERFLOW | INEXACT
    middle = 2 * ((significand >> (TOP - 7)) & 127) + 257
    fraction = ((2 * 65536 + middle) // (2 * middle) - 128) << (stored - 7)
    result = offset - 1 - exponent
    if result < 1:
        fraction, result = (fraction | (1 << stored)) >> (1 - result), 0
    return signed(negative, (result << stored) | fraction, bits), flags


def root_estimate(a: Any, bits: Any, flags: Any) -> Any:
    """Return 1 / sqrt(a) to 7 bits (vfrsqrt7), as :func:`reciprocal_estimate`."""
    m, negative, stored = magnitude(a, bits), sign(a, bits), fraction_bits(bits)
    if m > infinity(bits) or (negative and m):
        return _nan_of(m <= infinity(bits) or is_signalling(a, bits), bits, flags)
    if m == 0:
        return signed(negative, infinity(bits), bits), flags | DIVIDE_BY_ZERO
    if m == infinity(bits):
        return 0, flags
    exponent, significand = _parts(m, bits)
    middle = (((significand >> (TOP - 6)) & 63) + 64.5) / 64.0
    if exponent & 1:
        middle *= 2.0
    fraction = int(256.0 / np.sqrt(middle) + 0.5) - 128
    return ((bias(bits) - 1 - (exponent >> 1)) << stored) + (fraction << (stored - 7)), flags


SEPARATE = (
    soft_fused,
    soft_divide,
    soft_square_root,
    rounded,
    from_integer,
    to_integer,
    narrow,
    reciprocal_estimate,
    root_estimate,
)
"""Functions that should stay functions when they are compiled; the others are small and go into callers."""
