"""Soft float against rational arithmetic, in every rounding mode, and against NumPy."""

from __future__ import annotations

import random
from itertools import product

import exact_float
import numpy as np
import pytest
from compiled_soft_float import compute
from exact_float import AWAY, DOWN, DZ, FORMATS, NEAREST, NV, NX, ODD, OF, TOWARDS_ZERO, UP
from hypothesis import given
from hypothesis import strategies as st

MODES = (NEAREST, TOWARDS_ZERO, DOWN, UP, AWAY)
WIDTHS = (32, 64)
BINARY = ("add", "subtract", "multiply", "divide")


def edges(bits: int) -> list[int]:
    """Patterns around every border of a format, of both signs."""
    form = FORMATS[bits]
    one, step = form.largest << form.stored, 1 << form.stored
    positive = [
        *(0, 1, 3, step // 2, step - 1, step, step + 1),
        *(one - 1, one, one + 1, one + step // 2, one + step, one - step),
        *(form.infinity - 1, form.infinity - step, form.infinity, form.infinity + 1, form.nan, form.nan + 5),
    ]
    return positive + [each | 1 << (bits - 1) for each in positive]


def sample(chance: random.Random, bits: int, near: int | None = None) -> int:
    """Draw a pattern: any, one of the borders, or one whose exponent is near that of another."""
    form = FORMATS[bits]
    choice = chance.random()
    if choice < 0.1:
        return chance.choice(edges(bits))
    fraction = chance.choice((chance.getrandbits(form.stored), -1 << chance.randrange(form.stored)))
    fraction &= (1 << form.stored) - 1
    exponent = chance.randrange(2 * form.largest + 1)
    if near is not None and choice < 0.6:
        exponent = (near >> form.stored & (2 * form.largest + 1)) + chance.randint(-3, 3)
    elif choice < 0.8:
        exponent = form.largest + chance.randint(-form.stored, form.stored)
    exponent = min(max(exponent, 0), 2 * form.largest)
    return chance.getrandbits(1) << (bits - 1) | exponent << form.stored | fraction


def unsigned(results: object) -> list[int]:
    """Return patterns as numbers that are not negative."""
    return np.asarray(results).view(np.uint64).ravel().tolist()


def check(operation: str, bits: int, rounding: int, *operands: list[int], fma: bool = True) -> None:
    """Compare an operation on patterns with the rational one, for some flags before it."""
    expected = [
        getattr(exact_float, operation)(*each, bits, rounding) for each in zip(*operands, strict=True)
    ]
    for before in (0, NX, 31):
        results = compute(operation, bits, rounding, before, *operands, fma=fma)
        for got, flags, wanted, each in zip(
            unsigned(results.patterns),
            results.flags.tolist(),
            expected,
            zip(*operands, strict=True),
            strict=True,
        ):
            assert (hex(got), flags) == (hex(wanted[0]), wanted[1] | before), (
                f"{operation} of {[hex(x) for x in each]}, mode {rounding}"
            )


@pytest.mark.ci
@pytest.mark.parametrize("bits", WIDTHS)
@pytest.mark.parametrize("rounding", MODES)
def test_arithmetic_at_every_border(bits: int, rounding: int) -> None:
    """Every pair of border values."""
    left, right = (list(each) for each in zip(*product(edges(bits), repeat=2), strict=True))
    for operation in BINARY:
        check(operation, bits, rounding, left, right)
    check("square_root", bits, rounding, edges(bits))


@given(st.integers(0, 2**32), st.sampled_from(WIDTHS), st.sampled_from(MODES))
def test_arithmetic_is_exact_and_rounded_once(seed: int, bits: int, rounding: int) -> None:
    """Random operands, half of them with exponents near each other."""
    chance = random.Random(seed)
    left = [sample(chance, bits) for _ in range(50)]
    right = [sample(chance, bits, each) for each in left]
    for operation in BINARY:
        check(operation, bits, rounding, left, right)
    check("square_root", bits, rounding, left)


@given(st.integers(0, 2**32), st.sampled_from(WIDTHS), st.sampled_from(MODES))
def test_fused_multiply_add_rounds_once(seed: int, bits: int, rounding: int) -> None:
    """The addend is often near the product, so that bits cancel."""
    chance = random.Random(seed)
    left = [sample(chance, bits) for _ in range(80)]
    right = [sample(chance, bits) for _ in left]
    near = [
        exact_float.multiply(a, b, bits, NEAREST)[0] ^ chance.choice((0, 1)) << (bits - 1)
        for a, b in zip(left, right, strict=True)
    ]
    addend = [chance.choice((each, sample(chance, bits, each))) for each in near]
    check("fused", bits, rounding, left, right, addend)


@pytest.mark.parametrize("bits", WIDTHS)
def test_fused_multiply_add_at_borders(bits: int) -> None:
    """Every third triple of border values, and every sign."""
    triples = list(product(edges(bits), repeat=3))[::7]
    check("fused", bits, DOWN, *(list(each) for each in zip(*triples, strict=True)))


@pytest.mark.nightly
@given(st.integers(0, 2**32), st.sampled_from(WIDTHS))
def test_a_host_without_the_fused_instruction(seed: int, bits: int) -> None:
    """Integers do what it cannot."""
    chance = random.Random(seed)
    left, right, addend = ([sample(chance, bits) for _ in range(50)] for _ in range(3))
    for operation in BINARY:
        check(operation, bits, NEAREST, left, right, fma=False)
    check("fused", bits, NEAREST, left, right, addend, fma=False)


@given(st.integers(0, 2**32), st.sampled_from((*MODES, ODD)))
def test_narrowing(seed: int, rounding: int) -> None:
    """Binary64 to binary32, values near its borders as well; round to odd as well."""
    chance = random.Random(seed)
    values = [sample(chance, 64) for _ in range(60)] + edges(64)
    values += [unsigned(compute("widen", 32, 0, 0, [each]).patterns)[0] + 1 for each in edges(32)[:16]]
    expected = [exact_float.narrow(each, rounding) for each in values]
    results = compute("narrow", 64, rounding, 0, values)
    assert list(zip(unsigned(results.patterns), results.flags.tolist(), strict=True)) == expected


@given(st.integers(0, 2**32), st.sampled_from(WIDTHS), st.sampled_from(MODES))
def test_conversions_to_integers(seed: int, bits: int, rounding: int) -> None:
    """Saturation, and values next to integers and halves."""
    chance = random.Random(seed)
    values = edges(bits) + [sample(chance, bits) for _ in range(60)]
    for n in (0.5, 1.5, 2.5, 3.25, 2.0**15, 2.0**16, 2.0**31, 2.0**32, 2.0**63, 2.0**64):
        for sign in (n, -n):
            pattern = int(
                np.float64(sign).view(np.uint64) if bits == 64 else np.float32(sign).view(np.uint32)
            )
            values += [pattern - 1, pattern, pattern + 1]
    for size, kind in product((16, 32, 64), ("", "u")):
        results = compute(f"to_{kind}int{size}", bits, rounding, 0, values)
        for got, flags, each in zip(
            results.patterns.ravel().tolist(), results.flags.tolist(), values, strict=True
        ):
            wanted = exact_float.to_integer(each, size, kind == "u", bits, rounding)
            assert (got % 2**64, flags) == (wanted[0] % 2**64, wanted[1]), (hex(each), size, kind, rounding)


@given(st.integers(0, 2**64 - 1), st.sampled_from(WIDTHS), st.sampled_from(MODES), st.integers(0, 63))
def test_conversions_from_integers(n: int, bits: int, rounding: int, shift: int) -> None:
    """Integers of every length."""
    for value in (n >> shift, 2**64 - 1, 2**63, 2**63 - 1, 1 << shift, (1 << shift) - 1):
        for kind, number in (
            ("from_uint64", value),
            ("from_int64", value - 2**64 if value >> 63 else value),
        ):
            result = compute(kind, bits, rounding, 0, [value])
            wanted = exact_float.packed(exact_float.Fraction(number), FORMATS[bits], rounding)
            assert (unsigned(result.patterns)[0], int(result.flags[0])) == wanted


@pytest.mark.parametrize("bits", WIDTHS)
def test_comparisons_and_extremes(bits: int) -> None:
    """Every pair of border values: NaN, zeros of both signs, infinities."""
    form = FORMATS[bits]
    for a, b in product(edges(bits), repeat=2):
        x, y = exact_float.unpacked(a, form), exact_float.unpacked(b, form)
        values = [
            (float("-inf") if u.negative else float("inf")) if u.kind == "infinity" else u.value
            for u in (x, y)
        ]
        nans = [u.kind in ("nan", "signalling") for u in (x, y)]
        signalling = NV if "signalling" in (x.kind, y.kind) else 0
        wanted = {
            "equal": (int(not any(nans) and values[0] == values[1]), signalling),
            "less": (int(not any(nans) and values[0] < values[1]), NV if any(nans) else 0),
            "less_or_equal": (int(not any(nans) and values[0] <= values[1]), NV if any(nans) else 0),
        }
        order = (values[0], not x.negative) <= (values[1], not y.negative)
        numbers = [each for each, is_nan in zip((a, b), nans, strict=True) if not is_nan]
        lesser, greater = (a, b) if order else (b, a)
        if any(nans):
            lesser = greater = numbers[0] if numbers else form.nan
        wanted |= {"minimum": (lesser, signalling), "maximum": (greater, signalling)}
        for operation, expected in wanted.items():
            result = compute(operation, bits, 0, 0, [a], [b])
            got = unsigned(result.patterns)[0], int(result.flags[0])
            assert got == expected, (operation, hex(a), hex(b))


@pytest.mark.parametrize("bits", WIDTHS)
def test_classes(bits: int) -> None:
    """One value of each class, in the order of the bits of fclass."""
    form, sign = FORMATS[bits], 1 << (bits - 1)
    one = form.largest << form.stored
    each = [form.infinity | sign, one | sign, 1 | sign, sign, 0, 1, one, form.infinity, form.infinity + 1]
    classes = compute("classify", bits, 0, 0, [*each, form.nan]).patterns.tolist()
    assert classes == [1 << k for k in range(10)]


@pytest.mark.parametrize("bits", WIDTHS)
@pytest.mark.parametrize("operation", ["reciprocal_estimate", "root_estimate"])
def test_estimates_are_within_7_bits(bits: int, operation: str) -> None:
    """The specification's bound on the relative error: all leading bits, exponents of both parities."""
    form = FORMATS[bits]
    for exponent, leading in product((form.largest - 8, form.largest + 7), range(128)):
        for rest in (0, (1 << (form.stored - 7)) - 1):
            a = exponent << form.stored | leading << (form.stored - 7) | rest
            result = compute(operation, bits, 0, 0, [a])
            x, y = (exact_float.unpacked(p, form).value for p in (a, unsigned(result.patterns)[0]))
            error = x * y - 1 if operation == "reciprocal_estimate" else x * y * y - 1
            assert abs(error) < (2**-7 if operation == "reciprocal_estimate" else 2**-6)
            assert not result.flags[0]


def test_estimates_as_the_specification_lists_them() -> None:
    """Rows of the tables of the vector chapter, and its special operands."""
    one, form = 127 << 23, FORMATS[32]
    leading = [one | k << 16 for k in (0, 1, 63, 64, 127)]
    fractions = [each >> 16 & 127 for each in unsigned(compute("reciprocal_estimate", 32, 0, 0, leading)[0])]
    assert fractions == [127, 125, 43, 42, 0]
    roots = [2 << 23 | k << 17 for k in (0, 1, 63)] + [1 << 23 | k << 17 for k in (0, 1, 63)]
    assert [each >> 16 & 127 for each in unsigned(compute("root_estimate", 32, 0, 0, roots)[0])] == [
        *(52, 51, 0),
        *(127, 125, 53),
    ]
    sign = 1 << 31
    cases = {  # operand, mode: result, flags
        (0, NEAREST): (form.infinity, DZ),
        (sign, NEAREST): (form.infinity | sign, DZ),
        (form.infinity | sign, NEAREST): (sign, 0),
        (1, NEAREST): (form.infinity, OF | NX),
        (1, DOWN): (form.infinity - 1, OF | NX),
        (1 | sign, UP): ((form.infinity - 1) | sign, OF | NX),
        (1 << 22, NEAREST): (253 << 23 | 127 << 16, 0),
        (254 << 23, NEAREST): (0x003FC000, 0),
        (form.infinity + 1, NEAREST): (form.nan, NV),
    }
    for (operand, mode), wanted in cases.items():
        result = compute("reciprocal_estimate", 32, mode, 0, [operand])
        assert (unsigned(result.patterns)[0], int(result.flags[0])) == wanted, hex(operand)
    for operand, wanted in {
        0: (form.infinity, DZ),
        sign: (form.infinity | sign, DZ),
        one | sign: (form.nan, NV),
        form.nan: (form.nan, 0),
        form.infinity: (0, 0),
    }.items():
        result = compute("root_estimate", 32, 0, 0, [operand])
        assert (unsigned(result.patterns)[0], int(result.flags[0])) == wanted, hex(operand)


@pytest.mark.parametrize("bits", WIDTHS)
def test_nearest_is_what_numpy_computes(bits: int) -> None:
    """Many operands, in one call each."""
    kind, pattern = (np.float32, np.uint32) if bits == 32 else (np.float64, np.uint64)
    chance = np.random.default_rng(20250727)
    a, b = (chance.integers(0, 2**bits, 50_000, dtype=np.uint64).astype(pattern) for _ in range(2))
    b[::2] = a[::2] ^ b[::2] >> (bits // 3)
    x, y = a.view(kind), b.view(kind)
    with np.errstate(all="ignore"):
        expected = {
            "add": x + y,
            "subtract": x - y,
            "multiply": x * y,
            "divide": x / y,
            "square_root": np.sqrt(x),
        }
    for operation, result in expected.items():
        wanted = np.where(np.isnan(result), pattern(FORMATS[bits].nan), result.view(pattern))
        got = compute(operation, bits, NEAREST, 0, a.astype(np.uint64), b.astype(np.uint64))
        np.testing.assert_array_equal(got.patterns.astype(pattern), wanted)
