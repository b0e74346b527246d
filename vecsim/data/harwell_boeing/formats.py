"""Fortran formats of numbers: where each field lies, and how it is read (ISO/IEC 1539-1:2018, 13.3 to 13.8).

A format may have several descriptors, nested groups with repeat counts, positions (``1X``, ``T10``), scale
factors and slashes. At its end it goes on, in a new line, with its last group, or from its beginning if it
has none. Not taken is what would change what digits mean (``BZ``, ``DC``, rounding modes), and text.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain, repeat
from typing import Self, TypeAlias

from vecsim.data.harwell_boeing.fortran import Edit

MOST_STEPS = 20_000
"""Descriptors of a format, written out: no line has room for this many fields."""

_DATA = re.compile(r"(\d{0,4})(I|F|E[NS]?|D|G)(\d{1,4})(?:\.(\d{1,3})(E\d{1,3})?)?")
_WITH_EXPONENT = ("E", "EN", "ES", "G")
_WITHOUT_DECIMALS = ("I", "G")
_SCALE = re.compile(r"([+-]?\d{1,4})P")
_SPACE = re.compile(r"(\d{0,4})X|TR(\d{1,4})")
_TAB = re.compile(r"(TL?)(\d{1,4})")
_SLASH = re.compile(r"(\d{0,4})/")
_GROUP = re.compile(r"(\d{0,4})\(")
_NOTHING = re.compile(r":|SP|SS|S|BN|DP|RN|RP")
"""Descriptors that change nothing of what is read: signs of output, and what holds without them."""


class _NoFormatError(ValueError):
    """The text is no format of numbers."""


@dataclass(frozen=True)
class _Data:
    count: int
    letter: str
    width: int
    decimals: int


@dataclass(frozen=True)
class _Group:
    count: int
    items: "tuple[_Item, ...]"


@dataclass(frozen=True)
class _Scale:
    power: int


@dataclass(frozen=True)
class _Move:
    """To a column counted from 0, or by some columns."""

    to: int | None
    by: int = 0


@dataclass(frozen=True)
class _NewLines:
    count: int


_Item: TypeAlias = _Data | _Group | _Scale | _Move | _NewLines


@dataclass(frozen=True)
class Field:
    """A field: its line and column from where the format begins, how it is read, and lines skipped after."""

    line: int
    column: int
    edit: Edit
    skipped: int = 0


@dataclass(frozen=True)
class Pass:
    """The fields from the beginning of a format, or of its last group, to its end; and its lines."""

    fields: tuple[Field, ...]
    lines: int


@dataclass(frozen=True)
class Format:
    """A format: what it holds first, and what it goes on with as often as numbers are left."""

    first: Pass
    rest: Pass

    @property
    def letters(self) -> frozenset[str]:
        """The letters of its descriptors."""
        return frozenset(field.edit.letter for field in self.first.fields + self.rest.fields)

    def place(self, number: int) -> Field:
        """Return the field of a number, counted from 0, with its line from the beginning of all."""
        if number < len(self.first.fields):
            return self.first.fields[number]
        passes, place = divmod(number - len(self.first.fields), len(self.rest.fields))
        field = self.rest.fields[place]
        line = self.first.lines + passes * self.rest.lines + field.line
        return Field(line, field.column, field.edit, field.skipped)

    def lines(self, count: int) -> int:
        """Return how many lines this many numbers fill, at least one number."""
        last = self.place(count - 1)
        return last.line + 1 + last.skipped

    def fields(self, lines: Sequence[bytes], count: int) -> list[bytes]:
        """Return the fields of this many numbers, which lie in these lines."""
        result = _cut(self.first, lines, 0)
        for start in range(self.first.lines, len(lines), self.rest.lines):
            if len(result) >= count:
                break
            result += _cut(self.rest, lines, start)
        return result[:count]

    def edits(self) -> Iterator[Edit]:
        """Yield the descriptors of numbers in their order, without end."""
        rest = chain.from_iterable(repeat(self.rest.fields))
        return (field.edit for field in chain(self.first.fields, rest))


def _cut(part: Pass, lines: Sequence[bytes], start: int) -> list[bytes]:
    end = len(lines) - start
    return [
        lines[start + field.line][field.column : field.column + field.edit.width]
        for field in part.fields
        if field.line < end
    ]


@lru_cache(maxsize=64)
def parse_format(text: str) -> Format | None:
    """Read a format; None if it is none of numbers alone. Blanks and case do not count."""
    try:
        items = _Parser(text.replace(" ", "").upper()).whole()
        first = _Written.of(items, 0)
        groups = [number for number, item in enumerate(items) if isinstance(item, _Group)]
        rest = _Written.of(items[groups[-1] :] if groups else items, first.scale)
    except _NoFormatError:
        return None
    if not rest.fields:
        return None  # it would go on for ever
    return Format(first.whole, rest.whole)


class _Parser:
    """The items of a format, without blanks and in capitals."""

    def __init__(self, text: str) -> None:
        self._text, self._at = text, 0

    def whole(self) -> tuple[_Item, ...]:
        if not self._next("("):
            raise _NoFormatError
        items = self._items()
        if self._at != len(self._text):
            raise _NoFormatError
        return items

    def _items(self) -> tuple[_Item, ...]:
        """Read up to the closing parenthesis. Commas may be left out after P, and around slash and colon."""
        items: list[_Item] = []
        apart = True
        while True:
            begin = self._at
            item = self._item()
            written = self._text[begin : self._at]
            if not (apart or written in ("/", ":")):
                raise _NoFormatError
            items += item
            if self._next(")"):
                return tuple(items)
            comma = self._next(",")
            apart = comma or written[-1:] in ("P", "/", ":")

    def _item(self) -> list[_Item]:
        if match := self._match(_SCALE):
            return [_Scale(int(match[1]))]
        if match := self._match(_DATA):
            return [_data(match)]
        if match := self._match(_SPACE):
            return [_Move(None, int(match[1] or match[2] or "1"))]
        if match := self._match(_TAB):
            count = int(match[2])
            return [_Move(None, -count) if match[1] == "TL" else _Move(max(count, 1) - 1)]
        if match := self._match(_SLASH):
            return [_NewLines(int(match[1] or "1"))]
        if match := self._match(_GROUP):
            return [_Group(_positive(match[1] or "1"), self._items())]
        if self._match(_NOTHING):
            return []
        raise _NoFormatError

    def _match(self, pattern: re.Pattern[str]) -> re.Match[str] | None:
        match = pattern.match(self._text, self._at)
        if match:
            self._at = match.end()
        return match

    def _next(self, letter: str) -> bool:
        result = self._text.startswith(letter, self._at)
        self._at += result
        return result


def _data(match: re.Match[str]) -> _Data:
    count, letter, width, decimals, exponent = match.groups()
    if (decimals is None and letter not in _WITHOUT_DECIMALS) or (exponent and letter not in _WITH_EXPONENT):
        raise _NoFormatError
    implied = 0 if letter == "I" else int(decimals or 0)
    return _Data(_positive(count or "1"), letter, _positive(width), implied)


def _positive(digits: str) -> int:
    if int(digits) == 0:
        raise _NoFormatError
    return int(digits)


class _Written:
    """A format written out: every repetition in its place."""

    def __init__(self, scale: int) -> None:
        self.scale = scale
        self.fields: list[Field] = []
        self._line = self._column = self._steps = 0

    @classmethod
    def of(cls, items: Sequence[_Item], scale: int) -> Self:
        built = cls(scale)
        built._take(items)
        return built

    @property
    def whole(self) -> Pass:
        return Pass(tuple(self.fields), self._line + 1)

    def _take(self, items: Sequence[_Item]) -> None:
        for item in items:
            match item:
                case _Group(count, inner):
                    for _ in range(count):
                        self._step()
                        self._take(inner)
                case _Data(count, letter, width, decimals):
                    edit = Edit(letter, width, decimals, self.scale)
                    for _ in range(count):
                        self._step()
                        self.fields.append(Field(self._line, self._column, edit))
                        self._column += width
                case _Scale(power):
                    self.scale = power
                case _Move(to, by):
                    self._column = max(self._column + by, 0) if to is None else to
                case _NewLines(count):
                    self._new_lines(count)

    def _new_lines(self, count: int) -> None:
        self._line, self._column = self._line + count, 0
        if self.fields:
            last = self.fields[-1]
            self.fields[-1] = Field(last.line, last.column, last.edit, last.skipped + count)

    def _step(self) -> None:
        self._steps += 1
        if self._steps > MOST_STEPS:
            raise _NoFormatError
