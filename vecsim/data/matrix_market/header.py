"""What a Matrix Market file announces: banner, comments, size line."""

import re
from dataclasses import dataclass

from vecsim.support.errors import UserError
from vecsim.support.suggestions import shown

BANNER = b"%%MatrixMarket"
FIELDS = ("real", "integer", "unsigned-integer", "pattern", "complex", "double")
"""By the definition; "unsigned-integer" and "double" are extensions that other programs write."""
SYMMETRIES = ("general", "symmetric", "skew-symmetric", "hermitian")
LAYOUTS = ("coordinate", "array")

_SIZE = re.compile(rb"[+-]?\d{1,18}")
"""More digits than any size that can be used: Python refuses to convert thousands of them."""
_BLANKS = b" \t"
_WORDS = re.compile(rb"[^ \t]+")


@dataclass(frozen=True)
class Header:
    """What a file announces.

    Attributes
    ----------
    layout, field, symmetry
        The words of the banner, in lower case.
    rows, columns
        Of the matrix.
    entries
        Lines that hold an entry: of a symmetric matrix only the stored part.
    line
        Number of the size line, from 1.
    body
        Bytes before the first line after it.
    """

    layout: str
    field: str
    symmetry: str
    rows: int
    columns: int
    entries: int
    line: int
    body: int

    @property
    def values(self) -> int:
        """How many values a line gives: none, one, or real and imaginary part."""
        return {"pattern": 0, "complex": 2}.get(self.field, 1)


def parse_header(source: str, data: bytes) -> Header:
    """Read banner and size line.

    Parameters
    ----------
    source
        What messages call the file.
    data
        Its bytes, or enough of them to hold the size line.

    Raises
    ------
    UserError
        Naming `source` and the line: not Matrix Market, a word that the definition does not know, a field
        with a symmetry that it cannot have, no size line, or a malformed one.
    """
    end = _line_end(data, 0)
    words = [word.decode("latin-1").lower() for word in _WORDS.findall(_without_end(data[:end]))]
    if not data[:1] == b"%" or not words or words[0] != BANNER.decode().lower():
        raise UserError(f"{source}, line 1: not a Matrix Market file, it must begin with {BANNER.decode()}")
    layout, field, symmetry = _banner_words(source, words[1:])
    line = 1
    while end < len(data):
        start, end = end, _line_end(data, end)
        line += 1
        text = _without_end(data[start:end]).strip(_BLANKS)
        # A comment begins in the first column.
        if text and data[start : start + 1] != b"%":
            rows, columns, entries = _sizes(f"{source}, line {line}", layout, symmetry, text)
            return Header(layout, field, symmetry, rows, columns, entries, line, end)
    raise UserError(f"{source}: a line with rows and columns must be among the first {len(data):,} bytes")


def _line_end(data: bytes, start: int) -> int:
    end = data.find(b"\n", start)
    return len(data) if end < 0 else end + 1


def _without_end(line: bytes) -> bytes:
    return line.removesuffix(b"\n").removesuffix(b"\r")


def _banner_words(source: str, words: list[str]) -> tuple[str, str, str]:
    where = f"{source}, line 1"
    if len(words) != 4 or words[0] != "matrix" or words[1] not in LAYOUTS:
        raise UserError(
            f"{where}: the header must read '{BANNER.decode()} matrix coordinate FIELD SYMMETRY' "
            f"(or array), not '{shown(' '.join(words), 60)}' after the banner"
        )
    layout, field, symmetry = words[1:]
    if field not in FIELDS:
        raise UserError(f"{where}: unknown field '{shown(field)}': use one of {', '.join(FIELDS[:-1])}")
    if symmetry not in SYMMETRIES:
        raise UserError(f"{where}: unknown symmetry '{shown(symmetry)}': use one of {', '.join(SYMMETRIES)}")
    if layout == "array" and field == "pattern":
        raise UserError(f"{where}: an array file cannot be of field 'pattern', it needs values")
    if symmetry == "hermitian" and field != "complex":
        raise UserError(f"{where}: a {field} matrix cannot be hermitian: call it symmetric")
    if symmetry == "skew-symmetric" and field in ("pattern", "unsigned-integer"):
        raise UserError(f"{where}: a skew-symmetric matrix needs values with a sign, not field '{field}'")
    return layout, field, symmetry


def _sizes(where: str, layout: str, symmetry: str, text: bytes) -> tuple[int, int, int]:
    names = ("rows", "columns", "entries") if layout == "coordinate" else ("rows", "columns")
    words = _WORDS.findall(text)
    if len(words) != len(names) or not all(map(_SIZE.fullmatch, words)):
        raise UserError(f"{where}: the size line must give {', '.join(names)}, not '{shown(text, 60)}'")
    rows, columns = int(words[0]), int(words[1])
    if symmetry != "general" and rows != columns:
        raise UserError(f"{where}: a {symmetry} matrix must be square, not {rows} x {columns}")
    if layout == "coordinate":
        return rows, columns, int(words[2])
    if symmetry == "general":
        return rows, columns, rows * columns
    # Below the diagonal only, where the diagonal of a skew-symmetric matrix is zero and left out.
    return rows, columns, rows * (rows + (-1 if symmetry == "skew-symmetric" else 1)) // 2
