"""The four or five header lines: sizes, type and formats."""

import re
from dataclasses import dataclass
from itertools import product

from vecsim.data.harwell_boeing.formats import Format, parse_format
from vecsim.data.matrix import check_size
from vecsim.data.symmetry import GENERAL, HERMITIAN, SKEW_SYMMETRIC, SYMMETRIC
from vecsim.support.errors import UserError
from vecsim.support.suggestions import counted, shown

ASSEMBLED = frozenset({".rb", ".hb", *map(".{}{}a".format, *zip(*product("rcpi", "ushzr"), strict=True))})
"""Suffixes of files that can be read; most name the type of the matrix."""
SUFFIXES = ASSEMBLED | {f"{suffix[:-1]}e" for suffix in ASSEMBLED if suffix.endswith("a")}
"""With those of elemental matrices, which are refused by that name."""

_TYPE = re.compile(r"[RCPI][USHZR][AE]")
_SYMMETRIES = {"U": GENERAL, "R": GENERAL, "S": SYMMETRIC, "Z": SKEW_SYMMETRIC, "H": HERMITIAN}
_COUNT = re.compile(rb" *([+-]?\d{1,14}) *|")
_COUNT_WIDTH = 14
_BELONGS = {2: "the numbers of lines", 3: "the matrix type and the sizes", 4: "the formats of the numbers"}
"""What a line of the header has."""


@dataclass(frozen=True)
class Block:
    """Numbers that fill lines: how many, in which format, from which line on (counted from 0)."""

    count: int
    format: Format
    first: int

    @property
    def lines(self) -> int:
        """Lines that they fill."""
        return self.format.lines(self.count)

    def place(self, number: int) -> tuple[int, int]:
        """Return line and column, each from 1, of a number's field."""
        field = self.format.place(number)
        return self.first + field.line + 1, field.column + 1


@dataclass(frozen=True)
class Header:
    """What a file announces.

    Attributes
    ----------
    kind
        R real, C complex, P pattern, I integer.
    symmetry
        As `vecsim.data.symmetry` names it.
    rows, columns, entries
        Of the stored part.
    pointers, indices, values
        The blocks of numbers; a pattern has no values.
    lines
        Of the whole file, by its header.
    """

    kind: str
    symmetry: str
    rows: int
    columns: int
    entries: int
    pointers: Block
    indices: Block
    values: Block | None
    lines: int


def parse_header(source: str, lines: list[bytes]) -> Header:
    """Read the header.

    Parameters
    ----------
    source
        What messages call the file.
    lines
        Of the file, without their ends; at least those of the header.

    Raises
    ------
    UserError
        Naming `source` and the line.
    """
    if len(lines) < 4:
        raise UserError(
            f"{source}: a Harwell-Boeing file begins with at least 4 lines, this has {len(lines)}"
        )
    for number, what in _BELONGS.items():
        if not lines[number - 1].strip(b" \t\0"):
            raise UserError(
                f"{source}, line {number}: is blank, but must have {what} in a Harwell-Boeing file"
            )
    _, *announced, right_hand_sides = _counts(source, 2, lines[1], 0, 5)
    kind = lines[2][:3].decode("latin-1").upper()
    if not _TYPE.fullmatch(kind):
        raise UserError(
            f"{source}, line 3: unknown matrix type '{shown(kind)}', expected one like RUA or PSA"
        )
    if kind[2] == "E":
        raise UserError(f"{source}, line 3: an elemental matrix ({kind}) is not supported: assemble it first")
    if not lines[2][_COUNT_WIDTH:].strip(b" "):
        raise UserError(
            f"{source}, line 3: no sizes follow the matrix type {kind}; rows, columns and entries must"
        )
    rows, columns, entries = _counts(source, 3, lines[2], _COUNT_WIDTH, 3)
    check_size(source, rows, columns, entries)
    symmetry = _SYMMETRIES[kind[1]]
    if symmetry != GENERAL and rows != columns:
        raise UserError(f"{source}, line 3: a matrix of type {kind} must be square, not {rows} x {columns}")

    # A fifth header line describes right-hand sides, which follow the matrix and are not needed.
    first = 5 if right_hand_sides > 0 else 4
    line = lines[3].decode("latin-1")
    pointers = Block(columns + 1, _format(source, line, (0, 16), "I"), first)
    indices = Block(entries, _format(source, line, (16, 32), "I"), first + announced[0])
    values = None
    if kind[0] != "P":
        count = 2 * entries if kind[0] == "C" else entries
        values = Block(
            count, _format(source, line, (32, 52), "a number"), first + announced[0] + announced[1]
        )
    needed = (pointers.lines, indices.lines, values.lines if values else 0)
    for name, said, filled in zip(
        ("column pointers", "row indices", "values"), announced, needed, strict=True
    ):
        if said != filled:
            raise UserError(
                f"{source}, line 2: {counted(said, 'line')} of {name} announced, but "
                f"lines 3 and 4 need {filled}"
            )
    total = first + sum(announced) + max(right_hand_sides, 0)
    return Header(kind[0], symmetry, rows, columns, entries, pointers, indices, values, total)


def _counts(source: str, number: int, line: bytes, start: int, count: int) -> list[int]:
    fields = [line[at : at + _COUNT_WIDTH] for at in range(start, start + count * _COUNT_WIDTH, _COUNT_WIDTH)]
    matched = [_COUNT.fullmatch(field.rstrip(b" ")) for field in fields]
    if None in matched:
        raise UserError(
            f"{source}, line {number}: the header must have integers in fields of 14 characters, "
            f"got '{shown(line.strip(b' '), 70)}'"
        )
    # Rutherford-Boeing files leave out the last counts.
    return [int(match[1] or b"0") for match in matched if match]


def _format(source: str, line: str, columns: tuple[int, int], wanted: str) -> Format:
    text = line[slice(*columns)]
    if not text.strip():
        raise UserError(
            f"{source}, line 4: columns {columns[0] + 1} to {columns[1]} are blank, but must have a Fortran "
            f"format of {wanted}, such as (16I5)"
        )
    matched = parse_format(text)
    letters = set() if matched is None else matched.letters
    # Integers alone, or none among other numbers.
    if matched is None or ("I" in letters and len(letters) > 1) or (wanted == "I" and letters != {"I"}):
        raise UserError(
            f"{source}, line 4: '{shown(text.strip())}' is not a Fortran format of {wanted}, such as (16I5)"
        )
    return matched
