"""Executions of user-defined semantics in Python that come to an end, whatever loops they have.

Counting every line is slow. Loops over ``range`` are counted by their turns where there are no others.
"""

from __future__ import annotations

import dis
import sys
import types
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from vecsim.engines.rebinding import named_values
from vecsim.engines.user_code import is_ours
from vecsim.engines.user_numbers import Range

MOST_LINES = 5_000
"""Lines that an execution may take, of few elements; one that takes more says nothing."""
_FINITE = (int, float, bool, range, zip, enumerate, reversed, np.float32, np.float64)
"""Types that no endless loop comes of; functions that are called are looked at, too."""


class TooLongError(BaseException):
    """Ends an execution that takes too many lines."""


class ManyTurnsError(BaseException):
    """Ends an execution whose lines have to be counted."""


@contextmanager
def few_lines() -> Iterator[None]:
    """End what takes too many lines.

    Raises
    ------
    TooLongError
        It takes more than `MOST_LINES`.
    """
    lines = 0

    def called(frame: types.FrameType, event: str, argument: Any) -> Any:
        return None if is_ours(frame.f_code.co_filename) else counted

    def counted(frame: types.FrameType, event: str, argument: Any) -> Any:
        nonlocal lines
        lines += event == "line"
        if lines > MOST_LINES:
            raise TooLongError
        return counted

    before = sys.gettrace()
    sys.settrace(called)
    try:
        yield
    finally:
        sys.settrace(before)


class Turns:
    """A replacement of ``range`` that counts the turns of loops over it."""

    def __init__(self) -> None:
        self._left = MOST_LINES

    def __call__(self, *ends: Any) -> Range:
        """Return a range.

        Raises
        ------
        ManyTurnsError
            All ranges since `begin` may have more than `MOST_LINES` turns.
        """
        result = Range(*ends)
        self._left -= len(result) + 1
        if self._left < 0:
            raise ManyTurnsError
        return result

    @contextmanager
    def begin(self) -> Iterator[None]:
        """Begin to count."""
        self._left = MOST_LINES
        yield


def loops_over_ranges(functions: Iterable[types.FunctionType]) -> bool:
    """Return whether a user's functions have no loops but those over ranges and what else has an end."""
    users = [each for each in functions if not is_ours(each.__code__.co_filename)]
    return not any(_has_while(each.__code__) or any(map(_may_be_endless, _values(each))) for each in users)


def _values(function: types.FunctionType) -> list[Any]:
    return [named.value for named in named_values(function)]


def _has_while(code: types.CodeType) -> bool:
    """Return whether code jumps back to anything but the next turn of a ``for``."""
    steps = list(dis.get_instructions(code))
    at = {step.offset: step for step in steps}
    for step in steps:
        if step.opcode in dis.hasjrel and step.argval <= step.offset and at[step.argval].opname != "FOR_ITER":
            return True
    return any(_has_while(part) for part in code.co_consts if isinstance(part, types.CodeType))


def _may_be_endless(value: object) -> bool:
    if isinstance(value, type):
        return value not in _FINITE and not issubclass(value, Exception)
    if isinstance(value, types.BuiltinFunctionType):
        return value is iter
    plain = (int, float, str, tuple, types.FunctionType, types.ModuleType, np.generic, np.ufunc)
    return not isinstance(value, plain)
