"""Parsed lines: kept for the next program of the same text, so nobody may change them."""

import dataclasses
from pathlib import Path

import pytest

from isa.assembler import assemble
from isa.text.syntax import parse_line

PROGRAMS = sorted((Path(__file__).parents[2] / "programs").glob("*/*.s"))
LINES = [
    "",
    "one: two: lw x1, %lo(N + 4)(x5)  # comment",
    ".float -1.5, nan, 2",
    "li x3, ~(1 << 4) | -N",
    *(line for path in PROGRAMS for line in path.read_text(encoding="utf-8").splitlines()),
]


def unchangeable(value):
    """Return whether a value is plain and nothing in it can be changed."""
    if isinstance(value, tuple):
        return all(map(unchangeable, value))
    if dataclasses.is_dataclass(value):
        return value.__dataclass_params__.frozen and all(map(unchangeable, vars(value).values()))
    return value is None or type(value) in (int, float, str)


def test_a_parsed_line_cannot_be_changed():
    assert len(PROGRAMS) > 2 * 5 + 2  # the five products in both schedules, transpositions, the course
    for line in LINES:
        assert unchangeable(parse_line(line)), line
    assert not unchangeable(([],))


def test_the_same_text_is_parsed_once():
    assert parse_line("add x1, x2, x3") is parse_line("add x1, x2, x3")


@pytest.mark.parametrize("number", [5, 7])
def test_a_kept_line_means_what_the_symbols_of_each_program_say(number):
    text = "start: .if N - 5\nli x1, N\n.else\nnop\n.endif"
    words = assemble(text, symbols={"N": number}).words
    expected = "nop" if number == 5 else f"li x1, {number}"
    assert words.tolist() == assemble(expected).words.tolist()
