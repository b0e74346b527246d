"""Harwell-Boeing and Rutherford-Boeing files: columns in fixed-width Fortran lines.

Read here, not by ``scipy.io.hb_read``: that one takes only real unsymmetric matrices without right-hand
sides and no F format, which leaves out most of the collection (symmetric, pattern, complex).
"""

import re
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse
from numpy.typing import NDArray

from vecsim.data.matrix import Matrix, assemble, check_size
from vecsim.errors import UserError

SUFFIXES = frozenset({".rb", ".hb", ".rsa", ".rua", ".rza", ".rra", ".psa", ".pua", ".pra", ".pza",
                      ".csa", ".cua", ".cha", ".cza", ".cra", ".isa", ".iua", ".iza", ".ira"})  # fmt: skip

_FORMAT = re.compile(r"(?:\d*P,?)?(\d*)([IFEDG])(\d+)", re.IGNORECASE)
# A Fortran exponent may be written with D, or with its sign alone when it has three digits.
_BARE_EXPONENT = re.compile(r"(?<=[\d.])([+-]\d+)$")


@dataclass(frozen=True)
class _Header:
    """The fixed-width header; a block is (lines, fields in a line, width of a field)."""

    kind: str
    rows: int
    columns: int
    entries: int
    pointers: tuple[int, int, int]
    indices: tuple[int, int, int]
    values: tuple[int, int, int]
    first_line: int


def parse_harwell_boeing(name: str, source: str, data: bytes) -> Matrix:
    """Read the text of an assembled Harwell-Boeing or Rutherford-Boeing file.

    Real, integer, pattern (ones) and complex (real part) values; unsymmetric and rectangular as they
    are, symmetric, skew-symmetric and Hermitian expanded. Right-hand sides are ignored.

    Parameters
    ----------
    name, source
        As in `Matrix`.
    data
        The unpacked contents.

    Raises
    ------
    UserError
        Naming `source` and the line: a malformed header, an elemental matrix, a cut-off file, not a
        number, pointers or row indices out of range, not finite, an empty matrix.
    """
    lines = data.decode("latin-1").splitlines()
    header = _parse_header(source, lines)
    check_size(source, header.rows, header.columns, header.entries)
    line = header.first_line
    pointers = _integers(source, lines, line, header.pointers, header.columns + 1)
    line += header.pointers[0]
    rows = _integers(source, lines, line, header.indices, header.entries)
    line += header.indices[0]
    values = _values(source, lines, line, header)

    if pointers[0] != 1 or pointers[-1] != header.entries + 1 or np.any(np.diff(pointers) < 0):
        raise UserError(f"{source}: column pointers must rise from 1 to {header.entries + 1}")
    if rows.min() < 1 or rows.max() > header.rows:
        raise UserError(f"{source}: row indices must lie in 1 .. {header.rows}")
    columns = np.repeat(np.arange(header.columns), np.diff(pointers))
    return assemble(name, source, _expand(header, rows - 1, columns, values))


def _parse_header(source: str, lines: list[str]) -> _Header:
    if len(lines) < 4:
        raise UserError(
            f"{source}: a Harwell-Boeing file begins with at least 4 lines, this has {len(lines)}"
        )
    counts = _header_integers(source, 2, lines[1], 0, 5)
    kind = lines[2][:3].upper()
    if not re.fullmatch(r"[RCPI][USHZR][AE]", kind):
        raise UserError(f"{source}, line 3: unknown matrix type '{kind}', expected one like RUA or PSA")
    if kind[2] == "E":
        raise UserError(f"{source}, line 3: an elemental matrix ({kind}) is not supported: assemble it first")
    rows, columns, entries = _header_integers(source, 3, lines[2], 14, 3)
    symmetric = kind[1] in "SHZ"
    if symmetric and rows != columns:
        raise UserError(f"{source}, line 3: a matrix of type {kind} must be square, not {rows} x {columns}")

    pointers = (counts[1], *_field_format(source, lines[3][:16], "I"))
    indices = (counts[2], *_field_format(source, lines[3][16:32], "I"))
    values = (0, 1, 1) if kind[0] == "P" else (counts[3], *_field_format(source, lines[3][32:52], "IFEDG"))
    # A fifth header line describes right-hand sides, which follow the matrix and are not needed.
    return _Header(kind, rows, columns, entries, pointers, indices, values, 5 if counts[4] > 0 else 4)


def _header_integers(source: str, number: int, line: str, start: int, count: int) -> list[int]:
    fields = [line[start + 14 * i : start + 14 * (i + 1)].strip() for i in range(count)]
    try:
        # Rutherford-Boeing files leave out the last counts.
        return [int(field or "0") for field in fields]
    except ValueError:
        raise UserError(
            f"{source}, line {number}: the header must have integers in fields of 14 characters, "
            f"got '{line.strip()[:70]}'"
        ) from None


def _field_format(source: str, text: str, letters: str) -> tuple[int, int]:
    match = _FORMAT.search(text)
    if match is None or match[2].upper() not in letters or int(match[3]) == 0:
        raise UserError(f"{source}, line 4: '{text.strip()}' is not a Fortran format of type {letters}")
    return max(int(match[1] or "1"), 1), int(match[3])


def _fields(
    source: str, lines: list[str], first: int, block: tuple[int, int, int], count: int
) -> list[tuple[int, str]]:
    # Each field with the number of its line, for messages.
    extent, repeat, width = block
    found = []
    for number in range(first, min(first + extent, len(lines))):
        line = lines[number].rstrip()
        used = min(repeat, -(-len(line) // width))
        found += [(number + 1, line[width * i : width * (i + 1)].strip()) for i in range(used)]
    if len(found) < count:
        raise UserError(
            f"{source}, lines {first + 1} to {first + extent}: {count} numbers were announced, "
            f"but the file holds {len(found)}: it was cut off"
        )
    return found[:count]


def _integers(
    source: str, lines: list[str], first: int, block: tuple[int, int, int], count: int
) -> NDArray[np.int64]:
    fields = _fields(source, lines, first, block, count)
    try:
        return np.array([int(text) for _, text in fields], dtype=np.int64)
    except (ValueError, OverflowError):
        raise _not_a_number(source, fields, int) from None


def _values(source: str, lines: list[str], first: int, header: _Header) -> NDArray[np.float64]:
    if header.kind[0] == "P":
        return np.ones(header.entries)
    parts = 2 if header.kind[0] == "C" else 1
    fields = _fields(source, lines, first, header.values, parts * header.entries)
    try:
        return np.array([_fortran_float(text) for _, text in fields])
    except ValueError:
        raise _not_a_number(source, fields, _fortran_float) from None


def _fortran_float(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return float(_BARE_EXPONENT.sub(r"e\1", text.upper().replace("D", "E")))


def _not_a_number(source: str, fields: list[tuple[int, str]], parse: Any) -> UserError:
    for number, text in fields:
        try:
            parse(text)
        except ValueError:
            return UserError(f"{source}, line {number}: '{text[:40]}' is not a number")
    return UserError(f"{source}: a number is too large")


def _expand(
    header: _Header, rows: NDArray[np.int64], columns: NDArray[np.int64], values: NDArray[np.float64]
) -> Any:
    kind, symmetry = header.kind[0], header.kind[1]
    data: Any = values[0::2] + 1j * values[1::2] if kind == "C" else values
    if symmetry in "SHZ":
        mirrored = rows != columns
        image = {"S": data, "H": np.conj(data), "Z": -data}[symmetry]
        rows, columns = (
            np.concatenate((rows, columns[mirrored])),
            np.concatenate((columns, rows[mirrored])),
        )
        data = np.concatenate((data, image[mirrored]))
    return scipy.sparse.coo_array((data, (rows, columns)), shape=(header.rows, header.columns))
