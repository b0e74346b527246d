"""All mistakes of one input at once: checks go on after the first, and what failed is raised together."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import ParamSpec, TypeVar

from vecsim.support.errors import UserError, UserErrors

MOST_MISTAKES = 50
"""Mistakes of one kind that are listed."""

_Result = TypeVar("_Result")
_Arguments = ParamSpec("_Arguments")


class Mistakes:
    """The mistakes of one input, a line each."""

    def __init__(self) -> None:
        self._lines: dict[str, None] = {}

    def add(self, line: str) -> None:
        """Record a mistake; the same line counts once."""
        self._lines[line] = None

    def add_first(self, lines: Iterable[str]) -> None:
        """Record the first `MOST_MISTAKES` of any number."""
        for number, line in enumerate(lines):
            if number == MOST_MISTAKES:
                self.add(f"has more such mistakes; only the first {MOST_MISTAKES} are listed")
                return
            self.add(line)

    def attempt(
        self, call: Callable[_Arguments, _Result], *arguments: _Arguments.args, **named: _Arguments.kwargs
    ) -> _Result | None:
        """Call something; record its `UserError` and return None if it raises one."""
        try:
            return call(*arguments, **named)
        except UserErrors as error:
            self._lines |= dict.fromkeys(error.lines)
        except UserError as error:
            self.add(str(error))
        return None

    def raise_all(self, where: str = "") -> None:
        """Raise what was recorded, if anything was.

        Parameters
        ----------
        where
            What each line begins with.

        Raises
        ------
        UserError
            One mistake; `UserErrors` if there are several.
        """
        lines = [f"{where}{line}" for line in self._lines]
        if len(lines) == 1:
            raise UserError(lines[0])
        if lines:
            raise UserErrors(*lines)
