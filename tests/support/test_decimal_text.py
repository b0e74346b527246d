"""Decimal text is rounded once, to the nearest float: judged by fractions and a search of all floats."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from isa.assembler import assemble
from tests.data.plain_floats import nearest_bits, of_bits
from tests.tiers import examples
from vecsim.support.decimal_text import OutOfRangeError, nearest_float
from vecsim.support.errors import AssemblyError

TYPES = {4: np.float32, 8: np.float64}
DIRECTIVES = {4: ".float", 8: ".double"}


def expected_bits(text, size):
    """The bits of the float nearest to a number, ties to even; None if it does not fit."""
    exact = Fraction(text)
    bits = nearest_bits(exact, size, negative=text.startswith("-"))
    return None if bits is None or (exact and of_bits(bits % (1 << 8 * size - 1), size) == 0) else bits


@st.composite
def numbers(draw, size):
    """Decimal text: of any size, and on or close to the middle between two floats."""
    if draw(st.booleans()):
        text = f"{draw(st.integers(0, 10**40))}.{draw(st.integers(0, 10**30))}e{draw(st.integers(-420, 420))}"
    else:
        most = int(np.array(np.finfo(TYPES[size]).max).view(f"u{size}"))
        bits = draw(st.integers(0, most - 1) | st.integers(0, 100) | st.integers(most - 100, most - 1))
        middle = (of_bits(bits, size) + of_bits(bits + 1, size)) / 2
        # A binary fraction has as many decimals as binary digits after the point.
        places = max(middle.denominator.bit_length() - 1, 1)
        digits = str(int(middle * 10**places)).rjust(places + 1, "0")
        last = draw(st.sampled_from(["", "0000000001", "9"]))
        text = f"{digits[:-places]}.{digits[-places:]}{last}"
        if draw(st.booleans()):
            text = f"{int(digits) * 10 - draw(st.integers(0, 1))}e-{places + 1}"
    return draw(st.sampled_from(["", "-"])) + text


@pytest.mark.parametrize("size", [4, 8])
@examples(100)
@given(data=st.data())
def test_decimal_text_becomes_the_nearest_float(size, data):
    text = data.draw(numbers(size))
    check(text, size)


def check(text, size):
    """Compare the function and the directive with the exact search."""
    bits = expected_bits(text, size)
    source = f".data\n{DIRECTIVES[size]} {text}"
    if bits is None:
        with pytest.raises(OutOfRangeError):
            nearest_float(text, size)
        with pytest.raises(AssemblyError):
            assemble(source)
        return
    assert int(np.array(nearest_float(text, size), TYPES[size]).view(f"u{size}")) == bits
    assert int.from_bytes(assemble(source).data[0].content, "little") == bits


@pytest.mark.parametrize(
    "text",
    [
        "17.328679084777833",
        "8388609.4999999999999999999",
        "9007199791611905",  # an integer that float64 rounds to the middle between two float32
        "-9007199791611905",
        "3.4028235677973366e38",  # the middle between the largest float32 and infinity
        "3.40282356779733661637539395458142568447e38",
        "7.006492321624085e-46",  # half of the smallest float32
        "7.0064923216240853547e-46",
        "-0.0",
        "0e-999",
    ],
)
def test_numbers_that_were_wrong_or_are_at_an_end(text):
    check(text, 4)


@pytest.mark.parametrize(
    "text", ["1e999999999999", "-1e999999999999", "1e-999999999999", "9" * 100_000 + ".0"]
)
def test_huge_exponents_are_refused_at_once(text):
    with pytest.raises(OutOfRangeError) as caught:
        nearest_float(text, 4)
    assert len(str(caught.value)) < 160


@pytest.mark.parametrize("text", ["inf", "-inf", "nan", "-nan"])
def test_what_is_written_as_no_number_stays(text):
    [segment] = assemble(f".data\n.float {text}").data
    assert segment.content == np.float32(text).tobytes()


@pytest.mark.parametrize("text", ["1_0", "", "1e", "\uff11", "0x1p3"])
def test_other_text_is_no_number(text):
    with pytest.raises(ValueError, match=r"number|convert"):
        nearest_float(text)
