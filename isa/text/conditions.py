"""Conditional assembly: which lines count."""

from __future__ import annotations

from dataclasses import dataclass

from isa.text.places import Place
from isa.text.syntax import Name, Problem

CONDITIONAL = (".if", ".else", ".endif")
"""The directives that say which lines count."""


@dataclass
class _Frame:
    place: Place
    column: int
    outer: bool
    taken: bool
    in_else: bool = False


class Conditions:
    """The open ``.if`` directives."""

    def __init__(self) -> None:
        self._frames: list[_Frame] = []
        self._texts: list[int] = []
        """Of each text in flight, how many were open before it."""

    @property
    def active(self) -> bool:
        """True where lines are assembled."""
        if not self._frames:
            return True
        frame = self._frames[-1]
        return frame.outer and frame.taken != frame.in_else

    def open(self, place: Place, name: Name, taken: bool) -> None:
        """``.if`` with its value; the value of one in lines that do not count is not asked for."""
        self._frames.append(_Frame(place, name.column, self.active, taken))

    def skip(self, place: Place) -> None:
        """``.if`` with a mistake: neither its lines nor those of its .else count."""
        self._frames.append(_Frame(place, 1, outer=False, taken=False))

    def turn(self, name: Name) -> None:
        """``.else``; Problem if there is no .if or a second .else."""
        if not self._own:
            raise Problem(name.column, ".else without .if: write .if before it", ".if")
        if self._frames[-1].in_else:
            raise Problem(
                name.column,
                f"second .else of the .if in line {self._frames[-1].place.number}: write at most one",
            )
        self._frames[-1].in_else = True

    def close(self, name: Name) -> None:
        """``.endif``; Problem if there is no .if."""
        if not self._own:
            raise Problem(name.column, ".endif without .if: write .if before it", ".if")
        self._frames.pop()

    def begin(self) -> None:
        """Begin a text, which closes what it opens."""
        self._texts.append(len(self._frames))

    def end(self) -> tuple[Place, int] | None:
        """End a text; return place and column of an ``.if`` that it did not close."""
        frame = self._frames[-1] if self._own else None
        del self._frames[self._texts.pop() :]
        return None if frame is None else (frame.place, frame.column)

    @property
    def _own(self) -> bool:
        """Whether the text in flight has an open ``.if``."""
        return len(self._frames) > self._texts[-1]
