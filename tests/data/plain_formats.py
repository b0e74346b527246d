"""Fortran formats again, plain: an interpreter that goes through a format as a READ does.

It shares nothing with `vecsim.data`. By ISO/IEC 1539-1:2018, 13.3 to 13.8. Beyond the standard a format is
here one of numbers alone, and ``X`` may lack its count; ``BZ``, ``DC`` and rounding modes are refused.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

DIGITS = "0123456789"
MOST = 20_000
"""Descriptors until a number is read, at most."""


class NoFormat(Exception):
    """The text is no format; the text of the exception says why."""


@dataclass
class Edit:
    """A data edit descriptor, where its field lies, and the scale factor there."""

    line: int
    column: int
    letter: str
    width: int
    decimals: int
    scale: int


class Text:
    """What is left of a format."""

    def __init__(self, text: str) -> None:
        self.rest = "".join(c for c in text if c != " ").upper()

    def take(self, *words: str) -> str:
        """Take the first of these words that comes next; nothing else."""
        for word in words:
            if self.rest.startswith(word):
                self.rest = self.rest[len(word) :]
                return word
        return ""

    def number(self, most: int = 4) -> int | None:
        digits = ""
        while self.rest[:1] and self.rest[0] in DIGITS:
            digits, self.rest = digits + self.rest[0], self.rest[1:]
        if len(digits) > most:
            raise NoFormat("too large a number")
        return int(digits) if digits else None


def items_of(text: Text) -> list[tuple]:
    """Read items up to a closing parenthesis; the opening one has been taken."""
    items: list[tuple] = []
    while True:
        items.append(item_of(text))
        if text.take(")"):
            return items
        if text.take(","):
            continue
        following = text.rest[:1]
        if items[-1][0] not in ("P", "/", ":") and following not in ("/", ":"):
            raise NoFormat("a comma is missing")


def item_of(text: Text) -> tuple:
    sign = text.take("+", "-")
    count = text.number()
    if sign or (count is not None and text.rest[:1] == "P"):
        if count is None or not text.take("P"):
            raise NoFormat("a scale factor without P")
        return "P", -count if sign == "-" else count
    if text.take("("):
        if count == 0:
            raise NoFormat("no repetition")
        return "group", 1 if count is None else count, items_of(text)
    if text.take("/"):
        return "/", 1 if count is None else count
    if text.take("X"):
        return "move", 1 if count is None else count
    if count is None:
        word = text.take("TL", "TR", "T", ":", "SP", "SS", "S", "BN", "DP", "RN", "RP")
        if word[:1] == "T":
            where = text.number()
            if where is None:
                raise NoFormat("no column")
            return ("to", max(where, 1) - 1) if word == "T" else ("move", -where if word == "TL" else where)
        if word:
            return (":",) if word == ":" else ("nothing",)
    letter = text.take("I", "F", "EN", "ES", "E", "D", "G")
    width = text.number() if letter else None
    if not letter or not width or count == 0:
        raise NoFormat("no data edit descriptor")
    decimals = None
    if text.take("."):
        decimals = text.number(3)
        if decimals is None:
            raise NoFormat("no decimals")
        if letter in ("E", "EN", "ES", "G") and text.take("E") and text.number(3) is None:
            raise NoFormat("no width of an exponent")
    if decimals is None and letter not in ("I", "G"):
        raise NoFormat("no decimals")
    return "data", 1 if count is None else count, letter, width, 0 if letter == "I" else decimals or 0


def flat(items: list[tuple]) -> Iterator[tuple]:
    """Return the items with each repetition in its place."""
    for item in items:
        if item[0] == "group":
            for _ in range(item[1]):
                yield ("step",)
                yield from flat(item[2])
        elif item[0] == "data":
            for _ in range(item[1]):
                yield ("step",)
                yield item
        else:
            yield item


def parsed(text: str) -> list[tuple]:
    left = Text(text)
    if not left.take("("):
        raise NoFormat("no parenthesis")
    items = items_of(left)
    if left.rest:
        raise NoFormat("more after the format")
    return items


def letters(text: str) -> set[str]:
    """Return the letters of all data edit descriptors of a format."""

    def of(items: list[tuple]) -> set[str]:
        actual = set()
        for item in items:
            actual |= of(item[2]) if item[0] == "group" else {item[2]} if item[0] == "data" else set()
        return actual

    return of(parsed(text))


def fields(text: str, count: int) -> tuple[list[Edit], int]:
    """Return the fields of this many numbers, at least one, and how many lines a READ of them goes
    through."""
    items = parsed(text)
    groups = [place for place, item in enumerate(items) if item[0] == "group"]
    again = items[groups[-1] :] if groups else items
    for part in (items, again):
        if sum(item[0] == "step" for item, _ in zip(flat(part), range(10 * MOST), strict=False)) > MOST:
            raise NoFormat("too long")
    if not any(item[0] == "data" for item in flat(again)):
        raise NoFormat("no data where it goes on")
    actual: list[Edit] = []
    line = column = scale = 0
    part = items
    while True:
        for item in flat(part):
            if item[0] == "data":
                if len(actual) == count:
                    return actual, line + 1
                actual.append(Edit(line, column, item[2], item[3], item[4], scale))
                column += item[3]
            elif item[0] == "/":
                line, column = line + item[1], 0
            elif item[0] == "move":
                column = max(column + item[1], 0)
            elif item[0] == "to":
                column = item[1]
            elif item[0] == "P":
                scale = item[1]
        if len(actual) == count:
            return actual, line + 1
        line, column, part = line + 1, 0, again
