"""From the text of a Matrix Market file to a matrix."""

import io
import re
from typing import Any

import numpy as np
import scipy.io
from numpy.typing import NDArray

from vecsim.data.limits import require_memory
from vecsim.data.matrix import Matrix, assemble, check_size
from vecsim.data.matrix_market import faults
from vecsim.data.matrix_market.grammar import BARE_EXPONENT, LEADING_PLUS, LETTER_D
from vecsim.data.matrix_market.header import BANNER, Header, parse_header
from vecsim.data.symmetry import (
    GENERAL,
    SKEW_SYMMETRIC,
    expanded,
    first_misplaced,
    most_entries,
    why_misplaced,
)
from vecsim.formats.canonical_csr import place_of
from vecsim.support.errors import UserError
from vecsim.support.number_conversion import to_floats
from vecsim.support.suggestions import counted

LINE_BYTES = 1024
"""Most bytes of a line, by the definition of the format."""

_ANY_SIZE = 2**31 - 1
"""SciPy checks indices against these; ours are compared with the file's own, so that messages are our own."""
_LINE = re.compile(r"Line (\d+):")
_HEADER_LINES = 2


def most_bytes(source: str, head: bytes) -> int:
    """Return how many bytes a file can have by its header.

    Parameters
    ----------
    source
        What messages call the file.
    head
        Its beginning, with the whole header.

    Raises
    ------
    UserError
        As `parse_matrix_market`, as far as the header tells.
    """
    header = parse_header(source, head)
    check_size(source, header.rows, header.columns, header.entries)
    require_memory(source, header.rows, header.columns, most_entries(header.symmetry, header.entries))
    return header.body + LINE_BYTES * (header.entries + 1)


def parse_matrix_market(name: str, source: str, data: bytes, *, keep_complex: bool = False) -> Matrix:
    """Read the text of a Matrix Market file.

    Pattern matrices get ones; symmetric, skew-symmetric and Hermitian ones are expanded. Explicit zeros of a
    coordinate file are kept; a dense file has none, its zeros are no entries.

    Parameters
    ----------
    name, source
        As in `Matrix`.
    data
        The unpacked contents.
    keep_complex
        Whether complex values are kept; otherwise their real part is taken, with a warning.

    Raises
    ------
    UserError
        Naming `source` and, where known, line and column. The file is not Matrix Market or its header is
        malformed; a word is not a number of the declared field, or a line has more or fewer of them than it
        must; there are more or fewer entries than announced; an entry is out of range, not finite, or where
        the symmetry allows none; the matrix is empty or exceeds the memory.
    """
    from vecsim.data.matrix_market.scanning import scan

    header = parse_header(source, data)
    check_size(source, header.rows, header.columns, header.entries)
    result = scan(header, np.frombuffer(data, np.uint8, offset=header.body))
    at_end = header.body + result.fault == len(data)
    if result.fault >= 0 and not (at_end and result.entries + 1 < header.entries):
        raise faults.at_byte(source, header, data, header.body + result.fault)
    if result.entries != header.entries:
        remedy = "the file was cut off" if result.entries < header.entries else "correct one of the two"
        raise UserError(
            f"{source}, line {header.line}: {counted(header.entries, 'entry')} announced, but "
            f"{counted(result.entries, 'line')} found: {remedy}"
        )
    require_memory(source, header.rows, header.columns, most_entries(header.symmetry, header.entries))
    rows, columns, values, lost = _entries(source, header, data, result.spellings)
    misplaced = first_misplaced(header.symmetry, rows, columns, values)
    if misplaced is not None:
        reason = why_misplaced(header.symmetry, int(rows[misplaced]) + 1, int(columns[misplaced]) + 1)
        raise faults.of_entry(source, header, data, misplaced, reason)
    if header.layout == "array":
        held = np.flatnonzero(values)
        rows, columns, values = rows[held], columns[held], values[held]
    shape = (header.rows, header.columns)
    coo = expanded(header.symmetry, shape, rows, columns, values)
    return assemble(name, source, coo, tuple(lost), keep_complex=keep_complex)


def _entries(
    source: str, header: Header, data: bytes, spellings: int
) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any], list[str]]:
    """Return rows and columns, from 0, and values of all stored entries, and what values lost."""
    coordinate = header.layout == "coordinate"
    field = "real" if header.field == "double" else header.field
    sizes = f"{_ANY_SIZE} {_ANY_SIZE} {header.entries}" if coordinate else f"{header.entries} 1"
    # A header of our own: SciPy must not expand, nor find sizes in it that we did not. The line end after
    # the last line is needed; without it SciPy reads beyond the text.
    head = f"{BANNER.decode()} matrix {header.layout} {field} general\n{sizes}\n".encode("ascii")
    body = _respelled(memoryview(data)[header.body :], spellings)
    text = b"".join((head, body, b"\n"))
    try:
        parsed: Any = scipy.io.mmread(io.BytesIO(text))
    except (ValueError, OverflowError) as error:
        line = _LINE.match(str(error))
        raise faults.out_of_range(
            source, header, data, int(line[1]) - _HEADER_LINES if line else None
        ) from None
    values = parsed.data if coordinate else np.ravel(parsed)
    rows, columns = (parsed.row, parsed.col) if coordinate else _packed(header)
    beyond = (rows >= header.rows) | (columns >= header.columns)
    if beyond.any():
        raise faults.of_entry(source, header, data, int(np.argmax(beyond)))
    if values.dtype.kind in "iu":  # before symmetry: the negative of the least integer is none
        values, lost = to_floats(values, np.float64, lambda at: place_of(rows[at], columns[at]))
        return rows, columns, values, [f"{source}: {line}" for line in lost]
    has_zeros = header.values > 0 and not values.view(np.float64).all()
    return rows, columns, values, faults.lost(source, body, header.line + 1) if has_zeros else []


def _respelled(body: memoryview, spellings: int) -> bytes | memoryview:
    """Return the lines with numbers as SciPy knows them."""
    text: Any = body
    if spellings & LETTER_D:
        text = bytes(text).translate(bytes.maketrans(b"Dd", b"Ee"))
    if spellings & BARE_EXPONENT:
        text = re.sub(rb"(?<=[\d.])(?=[+-])", b"E", text)
    if spellings & LEADING_PLUS:
        text = re.sub(rb"(?<![Ee])\+", b"", text)
    return text  # type: ignore[no-any-return]


def _packed(header: Header) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Return rows and columns of the values of a dense file: column by column, of half a matrix below."""
    count = np.arange(header.columns, dtype=np.int32)
    if header.symmetry == GENERAL:
        return np.tile(np.arange(header.rows, dtype=np.int32), header.columns), np.repeat(count, header.rows)
    first = count + (1 if header.symmetry == SKEW_SYMMETRIC else 0)
    lengths = header.rows - first
    starts = np.cumsum(lengths, dtype=np.int64) - lengths
    rows = np.arange(header.entries)
    rows -= np.repeat(starts - first, lengths)
    return rows.astype(np.int32), np.repeat(count, lengths)
