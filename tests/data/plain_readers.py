"""Matrix Market and Harwell-Boeing again, slow and plain, from the definitions of the formats.

They share nothing with `vecsim.data` and judge what it reads: a file is right if they take it. One
character after the other, no regular expressions, exact decimals. Beyond the definition a file must have
rows, columns, entries and finite values.

Matrix Market: R. Boisvert, R. Pozo, K. Remington, NISTIR 5935, 1996; "integer" in 64 bits, as every reader
has it, "unsigned-integer" and "double" as SciPy writes them. Harwell-Boeing: I. S. Duff, R. G. Grimes,
J. G. Lewis, 1992, with fields by ISO/IEC 1539-1 (13.7.2), but neither blank fields nor blanks in numbers.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from decimal import Decimal

from tests.data.plain_formats import DIGITS, Edit, NoFormat, fields, letters

MOST_ROWS = 2**27


class Refused(Exception):
    """The file is none of this format; the text says why."""


@dataclass
class Plain:
    """A matrix: its size, and the values at each place (row, column), from 0, in the order of the file."""

    rows: int
    columns: int
    entries: dict[tuple[int, int], list[float]] = field(default_factory=lambda: defaultdict(list))

    def add(self, row: int, column: int, value: float, symmetry: str, image: float | None = None) -> None:
        """Add an entry, and its mirror image where there is one."""
        if symmetry != "general":
            refuse_unless(row >= column, "above the diagonal")
        if symmetry == "skew-symmetric":
            refuse_unless(row != column, "on the diagonal of a skew-symmetric matrix")
        self.entries[row, column].append(value)
        if symmetry != "general" and row != column:
            mirrored = -value if symmetry == "skew-symmetric" else value
            self.entries[column, row].append(mirrored)

    def checked(self) -> Plain:
        """Refuse what is no matrix to multiply with."""
        refuse_unless(min(self.rows, self.columns) > 0 and self.entries, "an empty matrix")
        for values in self.entries.values():
            refuse_unless(all(abs(value) < float("inf") for value in values), "not finite")
        return self


def refuse_unless(condition: object, why: str) -> None:
    if not condition:
        raise Refused(why)


# Numbers.


class Letters:
    """A word, read letter by letter."""

    def __init__(self, word: str) -> None:
        self.word = word
        self.place = 0

    def next_in(self, letters: str) -> str:
        """Take the next letter if it is one of these; nothing else."""
        letter = self.word[self.place : self.place + 1]
        if letter and letter in letters:
            self.place += 1
            return letter
        return ""

    def all_in(self, letters: str) -> str:
        """Take letters as long as they are some of these."""
        taken = ""
        while letter := self.next_in(letters):
            taken += letter
        return taken

    def at_end(self) -> bool:
        return self.place == len(self.word)


def integer_of(word: str, signs: str) -> int:
    letters = Letters(word)
    sign = letters.next_in(signs)
    digits = letters.all_in(DIGITS)
    refuse_unless(digits and letters.at_end(), "not an integer")
    refuse_unless(len(digits.lstrip("0")) < 25, "not an integer of 64 bits")
    value = int(digits.lstrip("0") or "0")
    return -value if sign == "-" else value


@dataclass
class Real:
    """A number as it is written: digits before and after the point, and what stands in the exponent."""

    sign: str
    whole: str
    point: str
    fraction: str
    exponent: int | None

    def value(self, power: int = 0) -> float:
        """Return the nearest number of 64 bits to what is written times 10 to a power."""
        digits = (self.whole + self.fraction).lstrip("0") or "0"
        power += (self.exponent or 0) - len(self.fraction)
        if digits == "0" or power + len(digits) < -400:
            return float(self.sign + "0")
        if power + len(digits) > 400:
            return float(self.sign + "inf")
        # The digits are exact in a Decimal, and float rounds once.
        return float(Decimal((int(self.sign == "-"), tuple(map(int, digits)), power)))


def real_of(word: str, blanks_in_exponent: bool = False) -> Real:
    letters = Letters(word)
    sign = letters.next_in("+-")
    whole = letters.all_in(DIGITS)
    point = letters.next_in(".")
    fraction = letters.all_in(DIGITS) if point else ""
    refuse_unless(whole or fraction, "no digits")
    exponent = None
    if not letters.at_end():
        letter = letters.next_in("EeDd")
        if letter and blanks_in_exponent:
            letters.all_in(" ")
        exponent_sign = letters.next_in("+-")
        refuse_unless(letter or exponent_sign, "not a number")
        digits = letters.all_in(DIGITS)
        refuse_unless(digits and letters.at_end(), "no exponent")
        digits = digits.lstrip("0") or "0"
        exponent = 10**9 if len(digits) > 9 else int(digits)
        if exponent_sign == "-":
            exponent = -exponent
    return Real(sign, whole, point, fraction, exponent)


# Matrix Market.

FIELDS = {
    "real": ("general", "symmetric", "skew-symmetric"),
    "double": ("general", "symmetric", "skew-symmetric"),
    "integer": ("general", "symmetric", "skew-symmetric"),
    "unsigned-integer": ("general", "symmetric"),
    "complex": ("general", "symmetric", "skew-symmetric", "hermitian"),
    "pattern": ("general", "symmetric"),
}


def words_of(line: str) -> list[str]:
    return [word for word in line.replace("\t", " ").split(" ") if word]


def matrix_market(data: bytes) -> Plain:
    """Read a Matrix Market file.

    Raises
    ------
    Refused
        If it is none.
    """
    lines = [line[:-1] if line.endswith("\r") else line for line in data.decode("latin-1").split("\n")]
    words = words_of(lines[0]) if lines[0].startswith("%") else []
    refuse_unless(len(words) == 5, "no banner")
    banner, thing, layout, kind, symmetry = map(str.lower, words)
    refuse_unless(banner == "%%matrixmarket" and thing == "matrix", "no banner")
    refuse_unless(layout in ("coordinate", "array") and symmetry in FIELDS.get(kind, ()), "unknown words")
    refuse_unless(layout == "coordinate" or kind != "pattern", "a dense pattern")
    place = 1
    while place < len(lines) and (lines[place].startswith("%") or not words_of(lines[place])):
        place += 1
    refuse_unless(place < len(lines), "no sizes")
    sizes = [integer_of(word, "+-") for word in words_of(lines[place])]
    refuse_unless(len(sizes) == (3 if layout == "coordinate" else 2), "not the sizes")
    rows, columns = sizes[:2]
    refuse_unless(min(sizes) > 0 and max(rows, columns) <= MOST_ROWS, "no usable size")
    refuse_unless(symmetry == "general" or rows == columns, "not square")
    entries = [words_of(line) for line in lines[place + 1 :]]
    entries = [words for words in entries if words]
    matrix = Plain(rows, columns)
    if layout == "coordinate":
        refuse_unless(len(entries) == sizes[2], "another number of entries")
        for words in entries:
            refuse_unless(len(words) == 2 + VALUES[kind], "another number of words")
            row, column = integer_of(words[0], ""), integer_of(words[1], "")
            refuse_unless(1 <= row <= rows and 1 <= column <= columns, "out of bounds")
            value = value_of(kind, words[2:])
            refuse_unless(symmetry != "hermitian" or row != column or value.imag == 0, "not real")
            matrix.add(row - 1, column - 1, value.real, symmetry)
            refuse_unless(abs(value.imag) < float("inf"), "not finite")
        return matrix.checked()
    skipped = 1 if symmetry == "skew-symmetric" else 0
    stored = rows * columns if symmetry == "general" else rows * (rows + 1 - 2 * skipped) // 2
    refuse_unless(len(entries) == stored, "another number of entries")
    first = [0 if symmetry == "general" else column + skipped for column in range(columns)]
    remaining = iter(entries)
    for column in range(columns):
        for row in range(first[column], rows):
            words = next(remaining)
            refuse_unless(len(words) == VALUES[kind], "another number of words")
            value = value_of(kind, words)
            refuse_unless(symmetry != "hermitian" or row != column or value.imag == 0, "not real")
            refuse_unless(abs(value.real) < float("inf") and abs(value.imag) < float("inf"), "not finite")
            if value != 0:
                matrix.add(row, column, value.real, symmetry)
    return matrix.checked()


VALUES = {"pattern": 0, "complex": 2, "real": 1, "double": 1, "integer": 1, "unsigned-integer": 1}


def value_of(kind: str, words: list[str]) -> complex:
    if kind == "pattern":
        return 1
    if kind == "integer":
        value = integer_of(words[0], "+-")
        refuse_unless(-(2**63) <= value < 2**63, "not in 64 bits")
        return float(value)
    if kind == "unsigned-integer":
        value = integer_of(words[0], "+")
        refuse_unless(value < 2**64, "not in 64 bits")
        return float(value)
    parts = [real_of(word).value() for word in words]
    return complex(*parts)


# Harwell-Boeing.


def fields_of(text: str, count: int, integers: bool) -> tuple[list[Edit], int]:
    """Return the fields of this many numbers in a format, and the lines that they fill."""
    try:
        actual, lines = fields(text, count)
        used = letters(text)
    except NoFormat as why:
        raise Refused(str(why)) from None
    refuse_unless("I" not in used or len(used) == 1, "integers among other numbers")
    refuse_unless(not integers or used == {"I"}, "indices are integers")
    return actual, lines


def harwell_boeing(data: bytes) -> Plain:
    """Read an assembled Harwell-Boeing or Rutherford-Boeing file.

    Raises
    ------
    Refused
        If it is none.
    """
    lines = [line[:-1] if line.endswith("\r") else line for line in data.decode("latin-1").split("\n")]
    if lines and not lines[-1]:
        lines.pop()
    refuse_unless(len(lines) >= 4, "no header")
    counts = [card_number(lines[1], 14 * k) for k in range(5)]
    kind = lines[2][:3].upper()
    refuse_unless(len(kind) == 3 and kind[0] in "RCPI" and kind[1] in "USHZR" and kind[2] == "A", "type")
    rows, columns, count = (card_number(lines[2], 14 + 14 * k) for k in range(3))
    refuse_unless(min(rows, columns, count) > 0 and max(rows, columns) <= MOST_ROWS, "no usable size")
    symmetry = {"S": "symmetric", "H": "hermitian", "Z": "skew-symmetric"}.get(kind[1], "general")
    refuse_unless(symmetry == "general" or rows == columns, "not square")
    refuse_unless(max(columns, count) < len(data), "cut off: a number has a character")
    layouts = [
        fields_of(lines[3][:16], columns + 1, True),
        fields_of(lines[3][16:32], count, True),
        ([], 0) if kind[0] == "P" else fields_of(lines[3][32:52], count * (1 + (kind[0] == "C")), False),
    ]
    place = 5 if counts[4] > 0 else 4
    blocks: list[list[str]] = []
    for announced, (edits, needed) in zip(counts[1:4], layouts, strict=True):
        refuse_unless(announced == needed, "another number of lines")
        refuse_unless(place + needed <= len(lines), "cut off")
        blocks.append([lines[place + e.line][e.column : e.column + e.width] for e in edits])
        place += needed
    pointers = [card_integer(text) for text in blocks[0]]
    indices = [card_integer(text) for text in blocks[1]]
    values = [card_value(text, edit) for text, edit in zip(blocks[2], layouts[2][0], strict=True)]
    values = values or [1.0] * count
    refuse_unless(pointers[0] == 1 and pointers[-1] == count + 1, "pointers")
    refuse_unless(pointers == sorted(pointers), "pointers")
    matrix = Plain(rows, columns)
    for column in range(columns):
        for k in range(pointers[column] - 1, pointers[column + 1] - 1):
            refuse_unless(1 <= indices[k] <= rows, "out of bounds")
            value = complex(values[2 * k], values[2 * k + 1]) if kind[0] == "C" else values[k]
            row = indices[k] - 1
            refuse_unless(symmetry != "hermitian" or row != column or value.imag == 0, "not real")
            refuse_unless(abs(value.imag) < float("inf"), "not finite")
            matrix.add(row, column, value.real, symmetry)
    return matrix.checked()


def card_number(line: str, place: int) -> int:
    """Read an integer of the header, 14 columns wide; one left out is 0."""
    text = line[place : place + 14].strip(" ")
    return integer_of(text, "+-") if text else 0


def card_integer(text: str) -> int:
    value = integer_of(text.strip(" "), "+-")
    refuse_unless(abs(value) < 10**18, "too large")
    return value


def card_value(text: str, edit: Edit) -> float:
    if edit.letter == "I":
        return float(card_integer(text))
    number = real_of(text.strip(" "), blanks_in_exponent=True)
    power = 0 if number.point else -edit.decimals
    if number.exponent is None:
        power -= edit.scale
    return number.value(power)
