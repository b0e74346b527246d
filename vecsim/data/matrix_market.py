"""Matrix Market files (coordinate and array), read by SciPy behind checks of what they announce."""

import io
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.io
import scipy.sparse

from vecsim.data.matrix import Matrix, assemble, check_size
from vecsim.errors import UserError

BANNER = b"%%MatrixMarket"
FIELDS = ("real", "integer", "unsigned-integer", "pattern", "complex", "double")
SYMMETRIES = ("general", "symmetric", "skew-symmetric", "hermitian")
NUMBER_BYTES = b"0123456789eE+-. \t\r\n"
# Numbers on a line that holds one value of each field.
VALUES = {"pattern": 0, "complex": 2}
# A coordinate entry has two indices, a dense one a value: with line ends at least this many bytes.
MIN_ENTRY_BYTES = {"coordinate": 4, "array": 2}


@dataclass(frozen=True)
class _Header:
    """What a file announces; `line` is the number of the size line, `body` where the entries begin."""

    layout: str
    field: str
    symmetry: str
    rows: int
    columns: int
    entries: int
    line: int
    body: int


def parse_matrix_market(name: str, source: str, data: bytes) -> Matrix:
    """Read the text of a Matrix Market file.

    Pattern matrices get ones, complex ones their real part (with a warning); symmetric, skew-symmetric
    and Hermitian ones are expanded. Explicit zeros of a coordinate file are kept; a dense file has none,
    its zeros are no entries.

    Parameters
    ----------
    name, source
        As in `Matrix`.
    data
        The unpacked contents.

    Raises
    ------
    UserError
        Naming `source` and, where known, the line: not Matrix Market, a malformed header, more or fewer
        entries than announced, an index out of range, not a number, not finite, an empty matrix.
    """
    header = _parse_header(source, data)
    check_size(source, header.rows, header.columns, header.entries)
    _check_length(source, header, data)
    data = _plain_numbers(source, header, data)
    try:
        # SciPy insists on the banner's spelling but not on that of the words behind it.
        parsed: Any = scipy.io.mmread(io.BytesIO(BANNER + data[len(BANNER) :]))
    except (ValueError, OverflowError, MemoryError, TypeError) as error:
        raise UserError(f"{source}{_explain(header, data, error)}") from None
    return assemble(name, source, _as_coordinates(parsed))


def _parse_header(source: str, data: bytes) -> _Header:
    end = _line_end(data, 0)
    words = data[:end].decode("latin-1").split()
    if not words or words[0].lower() != BANNER.decode().lower():
        raise UserError(f"{source}, line 1: not a Matrix Market file, it must begin with {BANNER.decode()}")
    layout, field, symmetry = _banner_words(source, [word.lower() for word in words[1:]])

    line = 1
    while end < len(data):
        start, end = end, _line_end(data, end)
        line += 1
        text = data[start:end].decode("latin-1").strip()
        if text and not text.startswith("%"):
            rows, columns, entries = _sizes(f"{source}, line {line}", layout, symmetry, text)
            return _Header(layout, field, symmetry, rows, columns, entries, line, end)
    raise UserError(f"{source}: the file ends before the line with its rows and columns")


def _line_end(data: bytes, start: int) -> int:
    end = data.find(b"\n", start)
    return len(data) if end < 0 else end + 1


def _banner_words(source: str, words: list[str]) -> tuple[str, str, str]:
    if len(words) != 4 or words[0] != "matrix" or words[1] not in MIN_ENTRY_BYTES:
        raise UserError(
            f"{source}, line 1: the header must read '{BANNER.decode()} matrix coordinate FIELD SYMMETRY' "
            f"(or array), not '{' '.join(words)}' behind the banner"
        )
    layout, field, symmetry = words[1:]
    if field not in FIELDS:
        raise UserError(f"{source}, line 1: unknown field '{field}': use one of {', '.join(FIELDS[:-1])}")
    if symmetry not in SYMMETRIES:
        raise UserError(
            f"{source}, line 1: unknown symmetry '{symmetry}': use one of {', '.join(SYMMETRIES)}"
        )
    if layout == "array" and field == "pattern":
        raise UserError(f"{source}, line 1: an array file cannot be of field 'pattern', it needs values")
    return layout, field, symmetry


def _sizes(where: str, layout: str, symmetry: str, text: str) -> tuple[int, int, int]:
    names = ("rows", "columns", "entries") if layout == "coordinate" else ("rows", "columns")
    try:
        sizes = [int(word) for word in text.split()]
    except ValueError:
        sizes = []
    if len(sizes) != len(names):
        raise UserError(f"{where}: the size line must give {', '.join(names)}, not '{text[:60]}'")
    rows, columns = sizes[:2]
    if symmetry != "general" and rows != columns:
        raise UserError(f"{where}: a {symmetry} matrix must be square, not {rows} x {columns}")
    if layout == "coordinate":
        return rows, columns, sizes[2]
    if symmetry == "general":
        return rows, columns, rows * columns
    # Below the diagonal only, where the diagonal of a skew-symmetric matrix is zero and left out.
    return rows, columns, rows * (rows + (-1 if symmetry == "skew-symmetric" else 1)) // 2


def _check_length(source: str, header: _Header, data: bytes) -> None:
    # Before SciPy allocates what the header announces: a file of a few bytes can announce any size.
    # The last line may lack its end.
    possible = (len(data) - header.body + 1) // MIN_ENTRY_BYTES[header.layout]
    if header.entries > possible:
        raise UserError(f"{source}{_counts(header, _count_entries(header, data))}")


def _plain_numbers(source: str, header: _Header, data: bytes) -> bytes:
    # SciPy stops reading a number at the first byte it does not know and takes what it has: a Fortran
    # exponent (1.5D+02) would silently become 1.5, as would any typing error behind a digit.
    body = memoryview(data)[header.body :].tobytes()
    first = body.split(b"\n", 1)[0].split()
    expected = VALUES.get(header.field, 1) + (2 if header.layout == "coordinate" else 0)
    if len(first) > expected:
        raise UserError(
            f"{source}, line {header.line + 1}: a line of this file must give {expected} numbers "
            f"({header.layout} {header.field}), not {len(first)}"
        )
    strange = body.translate(None, NUMBER_BYTES)
    if not strange:
        return data
    if not strange.strip(b"dD"):
        body = body.replace(b"D", b"E").replace(b"d", b"e")
    for number, line in enumerate(body.split(b"\n"), header.line + 1):
        for word in line.split():
            if not _is_number(word):
                raise UserError(f"{source}, line {number}: '{word.decode('latin-1')[:40]}' is not a number")
    return data[: header.body] + body


def _is_number(word: bytes) -> bool:
    try:
        float(word)
    except ValueError:
        return False
    return b"_" not in word


def _counts(header: _Header, counted: int) -> str:
    remedy = "the file was cut off" if counted < header.entries else "correct one of the two"
    return (
        f", line {header.line}: {header.entries} entries are announced, but {counted} lines follow: {remedy}"
    )


def _count_entries(header: _Header, data: bytes) -> int:
    return sum(1 for line in io.BytesIO(data[header.body :]) if line.strip())


def _explain(header: _Header, data: bytes, error: Exception) -> str:
    # A wrong count is the cause worth naming, wherever SciPy happened to stumble over it.
    counted = _count_entries(header, data)
    if counted != header.entries:
        return _counts(header, counted)
    text = str(error)
    if not text.startswith("Line "):
        return f": cannot be read as Matrix Market: {text or type(error).__name__}"
    place, _, cause = text.partition(":")
    number = int(place.removeprefix("Line "))
    lines = data.splitlines()
    given = lines[number - 1].decode("latin-1").strip() if 0 < number <= len(lines) else ""
    return f", line {number}: {_advice(cause.strip(' .'), header)}, got '{given[:60]}'"


def _advice(cause: str, header: _Header) -> str:
    if "out of bounds" in cause:
        return f"{cause}: rows run from 1 to {header.rows}, columns from 1 to {header.columns}"
    if header.layout == "array":
        return f"{cause}: a line must give one {header.field} value"
    values = {"pattern": "", "complex": ", real and imaginary part"}.get(
        header.field, f", {header.field} value"
    )
    return f"{cause}: a line must give row, column{values}"


def _as_coordinates(parsed: Any) -> Any:
    if scipy.sparse.issparse(parsed):
        return scipy.sparse.coo_array(parsed)
    dense = np.atleast_2d(np.asarray(parsed))
    return scipy.sparse.coo_array(dense)
