"""The mistakes of a text: all are reported, and none that another one explains."""

from __future__ import annotations

import re
from bisect import insort
from collections.abc import Mapping

from isa.text.conditions import CONDITIONAL
from isa.text.directives import Directive
from isa.text.places import Place
from isa.text.syntax import Problem
from vecsim.support.errors import AssemblyError

MOST = 20
"""Mistakes that are described; the others are counted."""

_LABEL = re.compile(r"\s*([A-Za-z_.$][\w.$]*|[0-9]+)\s*:")
_DIRECTIVE = re.compile(r"\s*(\.[A-Za-z_]\w*)\s*([A-Za-z_][A-Za-z0-9_.]*)?")
_SECTIONS = {".text", ".data"}


class TextMistakes:
    """Mistakes in the order of the text, a message for each name that is not known."""

    def __init__(self, directives: Mapping[str, Directive]) -> None:
        self._directives = directives
        self._first: list[tuple[tuple[int, ...], int, int, AssemblyError]] = []
        self._seen: set[tuple[str, int, int, str]] = set()
        """A line may stand for two instructions, and a text may be included twice."""
        self._explained: set[str] = set()
        """Names that are not reported as unknown; a section stands for what must not be outside it."""
        self._any_name = False
        """Whether any name may be one that a line with a mistake would have defined."""

    def add(self, place: Place, problem: Problem) -> None:
        """Record a mistake in a line, unless an earlier one explains it."""
        if problem.cause:
            if self._any_name or problem.cause in self._explained:
                return
            self._explained.add(problem.cause)
        mistake = place.source.name, place.number, problem.column, problem.reason
        if mistake in self._seen:
            return
        self._seen.add(mistake)
        reason = problem.reason + (f" (included by {place.way})" if place.way else "")
        error = AssemblyError(place.source.name, place.number, problem.column, place.text, reason)
        insort(self._first, (place.order, problem.column, len(self._seen), error))
        del self._first[MOST:]

    def lose(self, line: str) -> str:
        """Note that a line is not read, and with it what it defines; return its directive, if it has one."""
        position = 0
        while label := _LABEL.match(line, position):
            self._explained.add(label[1])
            position = label.end()
        match = _DIRECTIVE.match(line, position)
        if match is None:
            return ""
        directive, name = match[1], match[2]
        if directive in (".equ", ".default", ".reg") and name:
            self._explained.add(name)
        self._any_name |= directive in (".include", ".if")
        if directive not in self._directives or directive in (*_SECTIONS, ".section"):
            self._explained |= _SECTIONS
        if directive not in self._directives or directive in CONDITIONAL:
            self._explained |= {".if", ".endif"}
        return directive

    def begin_section(self) -> None:
        """Note that from here on the section is known."""
        self._explained -= _SECTIONS

    def raise_all(self) -> None:
        """Raise AssemblyError if there is a mistake."""
        if self._first:
            first, *following = (error for *_, error in self._first)
            raise first.followed_by(following, len(self._seen) - len(self._first))
