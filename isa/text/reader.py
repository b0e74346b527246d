"""Reads assembly text line by line, of any instruction set: files, conditions, and all mistakes at once."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from typing import TypeVar

from isa.text.conditions import CONDITIONAL, Conditions
from isa.text.directives import Directive, check_directive
from isa.text.expressions import in_range
from isa.text.inclusion import Inclusion
from isa.text.mistakes import TextMistakes
from isa.text.places import Place, Source
from isa.text.syntax import Argument, Name, Problem

_Result = TypeVar("_Result")


class TextReader(ABC):
    """The state between the lines of one text.

    Parameters
    ----------
    source
        The text that is assembled.
    files
        Opens those that it names.
    directives
        By name, those that the text may have.

    Attributes
    ----------
    place
        The line that is being read.
    """

    def __init__(self, source: Source, files: Inclusion, directives: Mapping[str, Directive]) -> None:
        self.files = files
        self.directives = directives
        self.place = Place(0, "", source)
        self.conditions = Conditions()
        self.mistakes = TextMistakes(directives)

    @abstractmethod
    def read_line(self) -> None:
        """Read the line at ``place``; Problem if it has a mistake."""

    @abstractmethod
    def is_true(self, directive: Name, condition: Argument) -> bool:
        """Return whether the lines after a directive count; Problem if the condition has no value yet."""

    @abstractmethod
    def pass_over(self, place: Place, directive: str) -> None:
        """Go on after a line that counts and has a mistake, such that no later line seems wrong for that."""

    def at(self, place: Place, read: Callable[[], _Result]) -> _Result | None:
        """Read a line; record what goes wrong, and return None then."""
        outer, self.place = self.place, place
        try:
            return read()
        except Problem as problem:
            self.mistakes.add(place, problem)
            return None
        finally:
            self.place = outer

    def read(self, source: Source, text: str) -> None:
        """Read all lines of a text."""
        lines = enumerate(text.split("\n"), 1)
        self.read_lines(Place(number, line.rstrip("\r"), source) for number, line in lines)

    def read_lines(self, places: Iterable[Place]) -> None:
        """Read lines that belong together: they close the conditions that they open."""
        self.conditions.begin()
        for place in places:
            if not self.at(place, self._is_read):
                self._pass_over(place)
        unclosed = self.conditions.end()
        if unclosed is not None:
            place, column = unclosed
            self.mistakes.add(place, Problem(column, ".if without .endif: add .endif", ".endif"))

    def _is_read(self) -> bool:
        self.read_line()
        return True

    def _pass_over(self, place: Place) -> None:
        directive = self.mistakes.lose(place.text)
        if directive.startswith(".if"):
            self.conditions.skip(place)
        elif directive in CONDITIONAL:
            name = Name(directive, 1)
            with suppress(Problem):
                self.conditions.turn(name) if directive == ".else" else self.conditions.close(name)
        elif self.conditions.active:
            self.pass_over(place, directive)

    def checked(self, name: Name, arguments: tuple[Argument, ...]) -> None:
        """Refuse a directive that there is not, or that has another number of arguments."""
        check_directive(name, arguments, self.directives)

    def conditional(self, name: Name, arguments: tuple[Argument, ...]) -> None:
        """Read a directive that says which lines count."""
        self.checked(name, arguments)
        if name.text == ".if":
            taken = self.conditions.active and self.is_true(name, arguments[0])
            self.conditions.open(self.place, name, taken)
        elif name.text == ".else":
            self.conditions.turn(name)
        else:
            self.conditions.close(name)

    def include(self, file: Argument) -> None:
        """Read the text that ``.include`` names."""
        self.read(*self.files.text_of(file, self.place))

    def included(self, file: Argument, part: tuple[Argument, ...], value: Callable[[Argument], int]) -> bytes:
        """Return the bytes that ``.incbin`` names, all of a file or a part; ``value`` evaluates."""
        content = self.files.bytes_of(file, self.place.source)
        size = len(content)
        numbers = [value(each) for each in part]
        first = in_range(numbers[0], (0, size), "first byte", part[0].column) if part else 0
        count = size - first
        if len(part) > 1:
            count = in_range(numbers[1], (0, size - first), "count of bytes", part[1].column)
        return content[first : first + count]
