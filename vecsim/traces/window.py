"""The cycles of a run that a trace shows."""

from __future__ import annotations

from dataclasses import dataclass

from vecsim.support.errors import UserError


@dataclass(frozen=True)
class Window:
    """The cycles from ``begin`` on and before ``end``; None: to the end of the run."""

    begin: int = 0
    end: int | None = None

    @property
    def last(self) -> int:
        """The end, or a cycle that no run comes to."""
        return 1 << 62 if self.end is None else self.end


WHOLE = Window()
"""All of a run."""


def read_window(text: str) -> Window:
    """Read ``FROM:TO``, cycles; either may be left out.

    Raises
    ------
    UserError
        It is not of that form, or no cycle is in it.

    Examples
    --------
    >>> read_window("1000:1500"), read_window("2000:")
    (Window(begin=1000, end=1500), Window(begin=2000, end=None))
    """
    begin, colon, end = (part.strip() for part in text.partition(":"))
    if not colon or not all(part == "" or (part.isascii() and part.isdigit()) for part in (begin, end)):
        raise UserError(f"--window {text}: write it as FROM:TO in cycles, such as 1000:1500, or 1000:")
    result = Window(int(begin or 0), int(end) if end else None)
    if result.begin >= result.last:
        raise UserError(f"--window {text}: has no cycle; FROM must be less than TO")
    return result
