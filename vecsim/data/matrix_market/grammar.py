"""The grammar of the lines after the header, as a table for a finite automaton.

SciPy's reader stops in a number at the first byte that it does not know and takes what it has, so that
``1.2.3`` becomes 1.2. Therefore each byte goes through this automaton first (`scanning`).

A line gives row and column (coordinate) and the values that its field has, separated by blanks or tabs; it
may be blank, and end with CR LF. An index has digits alone. A real number is what Fortran or C prints: sign,
digits, point, an exponent after E or D, or after its sign alone (``1.5-100``: Fortran leaves the letter out
where the exponent has three digits).
"""

from functools import cache

import numpy as np
from numpy.typing import NDArray

from vecsim.data.matrix_market.header import Header

INDEX, NATURAL, INTEGER, REAL = "index", "natural", "integer", "real"

_DIGIT, _PLUS, _MINUS, _POINT, _E, _D, _BLANK, NEWLINE, _RETURN, _OTHER = range(10)
"""Classes of bytes: the columns of the table."""
CLASSES = 16
_SPELLED = {
    b"0123456789": _DIGIT,
    b"+": _PLUS,
    b"-": _MINUS,
    b".": _POINT,
    b"eE": _E,
    b"dD": _D,
    b" \t": _BLANK,
    b"\n": NEWLINE,
    b"\r": _RETURN,
}
CLASS_OF_BYTE = np.full(256, _OTHER, np.uint8)
for _letters, _class in _SPELLED.items():
    CLASS_OF_BYTE[list(_letters)] = _class

ENTRY, LEADING_PLUS, LETTER_D, BARE_EXPONENT = 1, 2, 4, 8
"""Effects of a step, as bits."""
FAULT, START = 0, 1


def fields_of(header: Header) -> tuple[str, ...]:
    """Return the kinds of the words on a line."""
    value = {"integer": INTEGER, "unsigned-integer": NATURAL}.get(header.field, REAL)
    indices = (INDEX, INDEX) if header.layout == "coordinate" else ()
    return (*indices, *[value] * header.values)


class _Automaton:
    """The table while it is built: from each state, by the class of a byte, the next state and effects."""

    def __init__(self) -> None:
        self.steps: list[list[int]] = [[FAULT] * CLASSES]
        self.effects: list[list[int]] = [[0] * CLASSES]

    def state(self) -> int:
        self.steps.append([FAULT] * CLASSES)
        self.effects.append([0] * CLASSES)
        return len(self.steps) - 1

    def step(self, start: int, class_: int, end: int, effect: int = 0) -> None:
        """Let a byte of a class lead from a state to another.

        Parameters
        ----------
        start, end
            The states.
        class_
            The class of the byte.
        effect
            What else it does, as bits: ``ENTRY`` and others.
        """
        self.steps[start][class_] = end
        self.effects[start][class_] = effect


@cache
def tables(fields: tuple[str, ...]) -> tuple[NDArray[np.int32], NDArray[np.uint8]]:
    """Return the next state and the effects by state and class; states are numbered by their place."""
    result = _Automaton()
    start = result.state()
    assert start == START
    before, ends = start, [start]
    for place, kind in enumerate(fields):
        result.step(before, _BLANK, before)
        ends = _number(result, before, kind)
        after = result.state()
        for end in ends:
            result.step(end, _BLANK, after)
        result.step(after, _BLANK, after)
        ends.append(after)
        before = after
        if place < len(fields) - 1:
            ends = []
    carriage_return = result.state()
    for end in ends:
        result.step(end, NEWLINE, start, ENTRY)
        result.step(end, _RETURN, carriage_return)
    result.step(carriage_return, NEWLINE, start, ENTRY)
    # A blank line is no entry.
    blank_return = result.state()
    result.step(start, NEWLINE, start)
    result.step(start, _RETURN, blank_return)
    result.step(blank_return, NEWLINE, start)
    steps = np.array(result.steps, np.int32) * CLASSES
    return steps.ravel(), np.array(result.effects, np.uint8).ravel()


def _number(result: _Automaton, before: int, kind: str) -> list[int]:
    """Add a number of a kind; return the states in which it may end."""
    digits = result.state()
    result.step(before, _DIGIT, digits)
    result.step(digits, _DIGIT, digits)
    if kind == INDEX:
        return [digits]
    signed = result.state()
    result.step(before, _PLUS, signed, LEADING_PLUS)
    if kind != NATURAL:
        result.step(before, _MINUS, signed)
    result.step(signed, _DIGIT, digits)
    if kind != REAL:
        return [digits]
    point, fraction = result.state(), result.state()
    for start in (before, signed):
        result.step(start, _POINT, point)
    result.step(digits, _POINT, fraction)
    result.step(point, _DIGIT, fraction)
    result.step(fraction, _DIGIT, fraction)
    letter, sign, exponent = result.state(), result.state(), result.state()
    for start in (digits, fraction):
        result.step(start, _E, letter)
        result.step(start, _D, letter, LETTER_D)
        for class_ in (_PLUS, _MINUS):
            result.step(start, class_, sign, BARE_EXPONENT)
    for class_ in (_PLUS, _MINUS):
        result.step(letter, class_, sign)
    for start in (letter, sign, exponent):
        result.step(start, _DIGIT, exponent)
    return [digits, fraction, exponent]
