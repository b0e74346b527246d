"""Numbers in another type: every one that is lost is refused or counted, judged by exact fractions."""

from __future__ import annotations

import math
import re
from fractions import Fraction

import numpy as np
import pytest
import scipy.sparse
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

import vecsim
from tests.tiers import examples
from vecsim.data import as_matrix
from vecsim.formats.canonical_csr import canonical_csr
from vecsim.support.errors import MatrixWarning, UserError
from vecsim.support.number_conversion import to_floats, to_integers

TYPES = ("i1", "u1", "i2", "u4", "i4", "i8", "u8", "?", "f2", "f4", "f8", ">f8", ">i8", "g")
EDGES = [
    0,
    1,
    -1,
    -(2**31),
    2**24,
    2**24 + 1,
    2**53,
    2**53 + 1,
    -(2**53) - 3,
    2**63 - 1,
    -(2**63),
    2**63,
    2**64 - 1,
]
REALS = [
    0.0,
    -0.0,
    0.1,
    1e39,
    -1e39,
    1e300,
    3.4028235677973366e38,
    1e-46,
    1e-40,
    2.0**-149,
    1e-320,
    math.inf,
    math.nan,
]


def values():
    """Arrays of every type, with numbers at the ends of other types among them."""

    def of(name):
        dtype = np.dtype(name)
        if dtype.kind in "iu":
            limits = np.iinfo(dtype)
            edges = [edge for edge in EDGES if limits.min <= edge <= limits.max]
            elements = st.integers(int(limits.min), int(limits.max)) | st.sampled_from(edges)
        elif dtype.kind == "b":
            elements = st.booleans()
        else:
            width = 8 * min(dtype.itemsize, 8)
            held = [each for each in (*REALS, *map(float, EDGES)) if dtype != "f2" or abs(each) < 1000]
            with np.errstate(over="ignore"):
                fitting = [float(dtype.type(each)) for each in held] if width < 64 else held
            elements = st.floats(width=width) | st.sampled_from(fitting)
        return arrays(dtype, st.integers(0, 6), elements=elements)

    return st.sampled_from(TYPES).flatmap(of)


def exact(value):
    """A number as a fraction; None if it is infinite or no number."""
    if isinstance(value, np.integer | np.bool_):
        return Fraction(int(value))
    return Fraction(*value.as_integer_ratio()) if np.isfinite(value) else None


def counted(lines, what):
    """How many numbers the lines of a kind say are lost."""
    [count, *more] = [re.match(r"(\d+) ", line)[1] for line in lines if what in line] or ["0"]
    assert not more
    return int(count)


@examples(300)
@given(values(), st.sampled_from([np.float32, np.float64]))
def test_floats_hold_the_numbers_or_say_what_they_lose(given_values, dtype):
    before = given_values.copy()
    numbers = [exact(each) for each in given_values]
    finite = [each for each in numbers if each is not None]
    largest = np.finfo(dtype).max
    # The middle between the largest number and what would follow it: from there on infinity is nearer.
    limit = Fraction(float(largest)) + Fraction(float(largest - np.nextafter(largest, dtype(0)))) / 2
    if any(abs(each) >= limit for each in finite):
        with pytest.raises(UserError, match=r"at 0*\d+ is too large"):
            to_floats(given_values, dtype, "at {}".format)
        return
    built, lines = to_floats(given_values, dtype, "at {}".format)
    np.testing.assert_array_equal(given_values, before)
    assert built.dtype == dtype
    pairs = [(one, exact(other)) for one, other in zip(numbers, built, strict=True) if one is not None]
    tiny = Fraction(float(np.finfo(dtype).tiny))
    assert counted(lines, "too small") == sum(a != b and abs(b) < tiny for a, b in pairs)
    whole = all(each is None or each.denominator == 1 for each in numbers)
    rounded = sum(a != b for a, b in pairs)
    assert counted(lines, "whole number") == (rounded if whole else 0)
    for one, other in pairs:
        # Above the largest number there is none to which it could have a distance.
        step = Fraction(float(np.spacing(min(dtype(abs(other)), np.nextafter(largest, dtype(0))))))
        assert abs(one - other) <= step / 2


@examples(200)
@given(values().filter(lambda array: array.dtype.kind in "iub"), st.sampled_from([8, 32]))
def test_integers_fit_or_are_refused(given_values, bits):
    numbers = [int(each) for each in given_values]
    outside = [each for each in numbers if not -(1 << bits - 1) <= each < 1 << bits]
    if outside:
        with pytest.raises(UserError, match=f"the number {outside[0]} at .* does not fit {bits} bits"):
            to_integers(given_values, bits, "at {}".format)
        return
    built = to_integers(given_values, bits, "at {}".format)
    assert [int(each) for each in built] == [each % (1 << bits) for each in numbers]


@pytest.mark.parametrize(
    ("large", "digits", "dtype"), [(2**24 + 1, 24, np.float32), (2**53 + 1, 53, np.float64)]
)
def test_the_first_whole_number_that_is_rounded_is_reported(large, digits, dtype):
    for wide in (np.int64, np.longdouble):
        _, [line] = to_floats(np.array([0, large], wide), dtype, "at {}".format)
        assert f"1 whole number rounded, the first {large}" in line
        assert f"hold all up to 2^{digits}" in line


LARGE = 2**53 + 1
FORMS = {
    "dense": np.asarray,
    **{name: getattr(scipy.sparse, f"{name}_array") for name in ("csr", "csc", "coo", "bsr", "lil")},
}


@pytest.mark.parametrize("form", FORMS)
def test_whole_numbers_that_a_matrix_rounds_are_reported(form):
    matrix = FORMS[form](np.array([[0, 5], [LARGE, 0]], np.int64))
    actual = as_matrix(matrix)
    assert actual.warnings == (
        f"1 whole number rounded, the first {LARGE} in row 2, column 1: 64 bits hold all up to 2^53",
    )
    with pytest.warns(MatrixWarning, match=f"the first {LARGE} in row 2, column 1"):
        vecsim.measure("crs", matrix, value_bits=64, engine="simpy")
    if form != "dense":
        with pytest.warns(MatrixWarning, match=f"the first {LARGE} in row 2, column 1"):
            canonical_csr(matrix)


@pytest.mark.parametrize("form", ["csr", "csc", "coo", "bsr"])
def test_values_and_sums_that_would_be_infinite_are_refused(form):
    matrix = FORMS[form](np.array([[0.0, 1.0], [1e300, 0.0]]))
    with pytest.raises(UserError, match=r"the value 1e\+300 in row 2, column 1 is too large for 32 bits"):
        canonical_csr(matrix, np.float32)
    twice = scipy.sparse.coo_array(([1.0, 1e308, 1e308], ([0, 1, 1], [0, 1, 1])))
    with pytest.raises(UserError, match=r"duplicate entries in row 2, column 2 is too large for 64 bits"):
        canonical_csr(twice)


def test_why_and_a_sweep_say_what_32_bits_lose(tmp_path):
    path = tmp_path / "small.mtx"
    path.write_text("%%MatrixMarket matrix coordinate real general\n2 2 2\n1 1 1e-60\n2 2 1\n")
    with pytest.warns(MatrixWarning, match="1 value too small for 32 bits, the first 1e-60"):
        vecsim.why("crs", str(path), engine="simpy")
    one = vecsim.Sweep((str(path),), programs=("crs",), engine="simpy")
    with pytest.warns(MatrixWarning, match="1 value too small for 32 bits, the first 1e-60"):
        vecsim.sweep(one, store=tmp_path / "store", jobs=1)


def test_a_signalling_nan_is_a_nan():
    [built], lines = to_floats(
        np.array([0x7FF0000000000001], np.uint64).view(np.float64), np.float32, "at {}".format
    )
    assert np.isnan(built)
    assert lines == []
