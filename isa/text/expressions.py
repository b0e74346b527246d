"""The value of an expression: integers of at most 64 bits with the operators of C."""

from __future__ import annotations

import operator
from collections.abc import Callable
from dataclasses import dataclass

from isa.text.syntax import (
    Argument,
    Binary,
    Float,
    Group,
    Half,
    Memory,
    Name,
    Number,
    Problem,
    Text,
    Unary,
    too_deep,
)

LIMIT = 1 << 63
WORD_RANGE = (-(1 << 31), (1 << 32) - 1)
"""What 32 bits hold, read as signed or as unsigned."""

UPPER_SHIFT = 13
"""lui shifts by this much, so that addi can add the rest as a positive immediate."""


def _divide(a: int, b: int) -> int:
    quotient = abs(a) // abs(b)
    return quotient if (a < 0) == (b < 0) else -quotient


def _remainder(a: int, b: int) -> int:
    return a - b * _divide(a, b)


_BINARY: dict[str, Callable[[int, int], int]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": _divide,
    "%": _remainder,
    "<<": operator.lshift,
    ">>": operator.rshift,
    "&": operator.and_,
    "|": operator.or_,
    "^": operator.xor,
}
_UNARY: dict[str, Callable[[int], int]] = {"+": operator.pos, "-": operator.neg, "~": operator.invert}


def _half(part: str, value: int, column: int) -> int:
    in_range(value, WORD_RANGE, "value", column)
    if part == "lo":
        return value & ((1 << UPPER_SHIFT) - 1)
    return (value & 0xFFFFFFFF) >> UPPER_SHIFT


@dataclass(frozen=True)
class Evaluation:
    """How expressions get their values.

    Attributes
    ----------
    lookup
        The value of a symbol; raises Problem if there is none.
    half
        ``(part, value, column)``: what an operator such as ``%hi`` makes of a value.
    most
        The largest value.
    """

    lookup: Callable[[Name], int]
    half: Callable[[str, int, int], int] = _half
    most: int = LIMIT - 1

    def value(self, node: Argument) -> int:
        """Return the value of an expression, as :func:`evaluate` does."""
        try:
            return self._value(node)
        except RecursionError:
            raise too_deep(node) from None

    def _value(self, node: Argument) -> int:
        match node:
            case Number(value):
                return self._bounded(value, node.column)
            case Name():
                return self.lookup(node)
            case Group(inner):
                return self._value(inner)
            case Half(part, inner):
                return self.half(part, self._value(inner), node.column)
            case Unary(sign, operand):
                return self._bounded(_UNARY[sign](self._value(operand)), node.column)
            case Binary(sign, left, right):
                return self._binary(sign, self._value(left), self._value(right), node.column)
            case Memory():
                raise Problem(node.column, "a memory operand where a number is needed")
            case Float():
                raise Problem(node.column, "a floating-point number where an integer is needed")
            case Text():
                raise Problem(node.column, "a text where a number is needed")

    def _binary(self, sign: str, left: int, right: int, column: int) -> int:
        if sign in "/%" and right == 0:
            raise Problem(column, "division by zero: the divisor must not be 0")
        if sign in ("<<", ">>") and not 0 <= right < 64:
            raise Problem(column, f"shift by {right}; it must be from 0 to 63")
        return self._bounded(_BINARY[sign](left, right), column)

    def _bounded(self, value: int, column: int) -> int:
        if not -LIMIT <= value <= self.most:
            raise Problem(column, "the value does not fit 64 bits: use a smaller one")
        return value


def evaluate(node: Argument, lookup: Callable[[Name], int]) -> int:
    """Return the value of an expression.

    Division truncates towards zero and the remainder has the sign of the dividend, as in C. ``%hi(e)``
    and ``%lo(e)`` are the operands of lui and addi that together make the 32-bit value e.

    Parameters
    ----------
    node
        A parsed argument.
    lookup
        The value of a symbol; raises Problem if there is none.

    Raises
    ------
    Problem
        No integer, an undefined symbol, a division by zero, a shift outside 0 to 63, a value over 64 bits.
    """
    return Evaluation(lookup).value(node)


def in_range(value: int, limits: tuple[int, int], what: str, column: int) -> int:
    """Return a value if it is in range.

    Parameters
    ----------
    value
        What was evaluated.
    limits
        The smallest and the largest value that are right.
    what
        What it is, for the message.
    column
        Its column.

    Raises
    ------
    Problem
        It is out of range; the message names the range.
    """
    low, high = limits
    if not low <= value <= high:
        raise Problem(column, f"{what} {value} must be from {low} to {high}")
    return value
