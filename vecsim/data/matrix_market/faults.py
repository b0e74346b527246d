"""What is wrong with a line, or lost of its numbers, in words with its place. Plain loops: it is rare."""

import io
import re
from typing import Any

from vecsim.data.matrix_market.grammar import INDEX, INTEGER, NATURAL, REAL, fields_of
from vecsim.data.matrix_market.header import Header
from vecsim.support.errors import UserError
from vecsim.support.suggestions import amount, shown

_WORD = re.compile(rb"[^ \t]+")
_SPELLED = {
    INDEX: re.compile(rb"\d+"),
    NATURAL: re.compile(rb"\+?\d+"),
    INTEGER: re.compile(rb"[+-]?\d+"),
    REAL: re.compile(rb"[+-]?(\d+\.?\d*|\.\d+)([eEdD][+-]?\d+|[+-]\d+)?"),
}
_CALLED = {INDEX: "an index", NATURAL: "a natural number", INTEGER: "an integer", REAL: "a number"}
_NOT_FINITE = re.compile(rb"[+-]?(nan|inf|infinity)", re.IGNORECASE)
_RANGES = {NATURAL: (0, 2**64 - 1), INTEGER: (-(2**63), 2**63 - 1)}
_MOST_DIGITS = 20
"""Python refuses to convert thousands of digits; no number in these ranges has more, but for leading
zeros."""


def at_byte(source: str, header: Header, data: bytes, place: int) -> UserError:
    """Return the error of the line around the byte of the file at which the scan stopped.

    Parameters
    ----------
    source, header, data
        The file: its name, its header, all of its bytes.
    place
        The byte, counted from 0.
    """
    start = data.rfind(b"\n", header.body, place) + 1 or header.body
    end = data.find(b"\n", place)
    number = header.line + 1 + data.count(b"\n", header.body, start)
    result = _fault_in(header, data[start : len(data) if end < 0 else end])
    column, reason = result or (place - start + 1, "a byte that cannot stand here")
    return _error(source, number, column, reason)


def of_entry(source: str, header: Header, data: bytes, entry: int, reason: str = "") -> UserError:
    """Return the error of an entry: what is wrong with its line, or otherwise the reason given.

    Parameters
    ----------
    source, header, data
        The file: its name, its header, all of its bytes.
    entry
        The entry, counted from 0.
    reason
        What is wrong if its line does not tell.
    """
    for number, line in enumerate(io.BytesIO(data[header.body :]), header.line + 1):
        if line.strip():
            if entry == 0:
                column = len(line) - len(line.lstrip()) + 1
                return _error(source, number, *(_fault_in(header, line) or (column, reason)))
            entry -= 1
    return UserError(f"{source}: {reason}")


def out_of_range(source: str, header: Header, data: bytes, body_line: int | None) -> UserError:
    """Find the number that is out of its range.

    Parameters
    ----------
    source, header, data
        The file.
    body_line
        The line after the header, from 1, on which it probably is: it is looked at first.
    """
    lines = io.BytesIO(data[header.body :])
    if body_line is not None:
        likely = data[header.body :].split(b"\n", body_line)[body_line - 1 : body_line]
        result = _fault_in(header, likely[0]) if likely else None
        if result:
            return _error(source, header.line + body_line, *result)
    for number, line in enumerate(lines, header.line + 1):
        result = _fault_in(header, line) if line.strip() else None
        if result:
            return _error(source, number, *result)
    return UserError(f"{source}: is not a valid Matrix Market file; fetch it again")


def _error(source: str, number: int, column: int, reason: str) -> UserError:
    return UserError(f"{source}, line {number}, column {column}: {reason}")


def _fault_in(header: Header, line: bytes) -> tuple[int, str] | None:
    """Return the column of what is wrong with a line and the reason; None if nothing is."""
    line = line.removesuffix(b"\n").removesuffix(b"\r")
    words = list(_WORD.finditer(line))
    fields = fields_of(header)
    bounds = (("row", header.rows), ("column", header.columns)) if header.layout == "coordinate" else ()
    for place, (word, kind) in enumerate(zip(words, fields, strict=False)):
        name, count = bounds[place] if kind == INDEX else ("", 0)
        reason = _reason(word[0], kind, name, count)
        if reason:
            return word.start() + 1, f"'{shown(word[0])}' is {reason}"
    if len(words) == len(fields):
        return None
    column = words[len(fields)].start() if len(words) > len(fields) else len(line.rstrip())
    return (
        column + 1,
        f"a line of this file must give {_contents(header)}, not {amount(len(words), 'number')}",
    )


def _reason(word: bytes, kind: str, name: str, count: int) -> str:
    """Return why a word is not what must stand there; empty if it is.

    Parameters
    ----------
    word
        As it stands in the file.
    kind
        What is needed.
    name, count
        Of an index: of what, and how many there are.
    """
    if kind == REAL and _NOT_FINITE.fullmatch(word):
        return "no value: values must be finite 64-bit numbers"
    if not _SPELLED[kind].fullmatch(word):
        return f"not {_CALLED[kind]}" if _SPELLED[REAL].fullmatch(word) else "not a number"
    if kind == REAL:
        return ""
    digits = word.lstrip(b"+-").lstrip(b"0") or b"0"
    number = int(digits[: _MOST_DIGITS + 1]) * (-1 if word.startswith(b"-") else 1)
    low, high = (1, count) if kind == INDEX else _RANGES[kind]
    if low <= number <= high:
        return ""
    if kind == INDEX:
        return f"out of bounds: {name}s run from 1 to {count}"
    return f"out of range: {_CALLED[kind]} lies in {low} .. {high} here"


def _contents(header: Header) -> str:
    names = {0: (), 1: (f"{header.field} value",), 2: ("real part", "imaginary part")}[header.values]
    return ", ".join((*(("row", "column") if header.layout == "coordinate" else ()), *names))


_CANDIDATE = re.compile(rb"[^ \t\r\n]*(?:-0*(?:[2-9]\d\d|\d{4,})|0{100})[^ \t\r\n]*")
"""Every word below 1e-323 is of this form: its exponent is -200 or less, or a hundred zeros lead it."""
_NOT_ZERO = re.compile(rb"[+-]?[\d.]*[1-9]")


def lost(source: str, lines: Any, first_line: int) -> list[str]:
    """Return a line about such numbers, if there are some.

    Parameters
    ----------
    source
        What messages call the file.
    lines
        Its lines after the header, numbers spelled as C does.
    first_line
        The number of the first of them.
    """
    lost = [
        result
        for result in _CANDIDATE.finditer(lines)
        if _NOT_ZERO.match(result[0]) and float(bytes(result[0])) == 0
    ]
    if not lost:
        return []
    number = first_line + bytes(lines[: lost[0].start()]).count(b"\n")
    what = amount(len(lost), "value")
    return [
        f"{source}, line {number}: {what} too small for 64 bits became zero, the first is {shown(lost[0][0])}"
    ]
