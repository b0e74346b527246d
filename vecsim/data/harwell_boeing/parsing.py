"""From the text of a Harwell-Boeing or Rutherford-Boeing file to a matrix."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vecsim.data.harwell_boeing.fortran import Edit
from vecsim.data.harwell_boeing.header import Block, Header, parse_header
from vecsim.data.limits import require_memory
from vecsim.data.matrix import Matrix, assemble
from vecsim.data.symmetry import expanded, first_misplaced, most_entries, why_misplaced
from vecsim.support.errors import UserError
from vecsim.support.number_conversion import to_floats
from vecsim.support.suggestions import amount, counted, shown

LINE_BYTES = 1024
"""More than a line of these formats has: they were made for cards of 80 columns."""


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
        As `parse_harwell_boeing`, as far as the header tells.
    """
    header = parse_header(source, _lines(head))
    require_memory(source, header.rows, header.columns, most_entries(header.symmetry, header.entries))
    return LINE_BYTES * (header.lines + 1)


def parse_harwell_boeing(name: str, source: str, data: bytes, *, keep_complex: bool = False) -> Matrix:
    """Read the text of an assembled Harwell-Boeing or Rutherford-Boeing file.

    Real, integer, pattern (ones) and complex values; unsymmetric and rectangular as they
    are, symmetric, skew-symmetric and Hermitian expanded. Right-hand sides are ignored.

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
        Naming `source`, line and column: a malformed header, an elemental matrix, a cut-off file, not a
        number, pointers or row indices out of range, an entry where the symmetry allows none, not finite, an
        empty matrix, one beyond the memory.
    """
    lines = _lines(data)
    header = parse_header(source, lines)
    _require_complete(source, header, lines)
    require_memory(source, header.rows, header.columns, most_entries(header.symmetry, header.entries))
    pointers = _integers(source, lines, header.pointers)
    rows = _integers(source, lines, header.indices)
    values, lost = _values(source, lines, header)
    if pointers[0] != 1 or pointers[-1] != header.entries + 1 or np.any(np.diff(pointers) < 0):
        raise UserError(f"{source}: column pointers must rise from 1 to {header.entries + 1}")
    outside = (rows < 1) | (rows > header.rows)
    if outside.any():
        raise _fault(source, lines, header.indices, int(np.argmax(outside)), _outside(header))
    columns = np.repeat(np.arange(header.columns), np.diff(pointers))
    misplaced = first_misplaced(header.symmetry, rows - 1, columns, values)
    if misplaced is not None:
        reason = why_misplaced(header.symmetry, int(rows[misplaced]), int(columns[misplaced]) + 1)
        raise _fault(source, lines, header.indices, misplaced, f"is wrong: {reason}")
    shape = (header.rows, header.columns)
    coo = expanded(header.symmetry, shape, rows - 1, columns, values)
    return assemble(name, source, coo, tuple(lost), keep_complex=keep_complex)


def _lines(data: bytes) -> list[bytes]:
    """Split at line ends alone: titles may hold what else a terminal would begin a line at."""
    lines = [line.removesuffix(b"\r") for line in data.split(b"\n")]
    return lines[:-1] if lines and not lines[-1] else lines


def _require_complete(source: str, header: Header, lines: list[bytes]) -> None:
    for block in (header.pointers, header.indices, header.values):
        if block is not None and block.first + block.lines > len(lines):
            raise UserError(
                f"{source}, lines {block.first + 1} to {block.first + block.lines}: "
                f"{counted(block.count, 'number')} announced, but the file ends with line "
                f"{len(lines)}; fetch it again"
            )


def _integers(source: str, lines: list[bytes], block: Block) -> NDArray[np.int64]:
    return np.array(_read(source, lines, block, Edit.integer), dtype=np.int64)


def _values(source: str, lines: list[bytes], header: Header) -> tuple[NDArray[Any], list[str]]:
    """Return the values, and a line for each kind of loss."""
    block = header.values
    if block is None:
        return np.ones(header.entries), []
    if "I" in block.format.letters:
        whole = _integers(source, lines, block)
        values, lost = to_floats(whole, np.float64, _place_in(block))
        lost = [f"{source}: {line}" for line in lost]
    else:
        values = np.array(_read(source, lines, block, Edit.real), dtype=np.float64)
        lost = _became_zero(source, lines, block, np.flatnonzero(values == 0).tolist())
    return (values.view(np.complex128) if header.kind == "C" else values), lost


def _place_in(block: Block) -> Callable[[int], str]:
    return lambda number: "in line {}, column {}".format(*block.place(number))


def _became_zero(source: str, lines: list[bytes], block: Block, zeros: list[int]) -> list[str]:
    """Return a line about fields that are read as zero and do not hold it, if there are some."""
    lost = [number for number in zeros if not _is_zero(lines, block, number)]
    if not lost:
        return []
    return [
        f"{source}: {amount(len(lost), 'value')} too small for 64 bits became zero, the first "
        f"{_place_in(block)(lost[0])} is {shown(_field(lines, block, lost[0]).strip())}"
    ]


def _is_zero(lines: list[bytes], block: Block, number: int) -> bool:
    return block.format.place(number).edit.is_zero(_field(lines, block, number))


def _read(source: str, lines: list[bytes], block: Block, convert: Callable[[Edit, bytes], Any]) -> list[Any]:
    """Convert the fields of a block, each as its descriptor says."""
    fields = block.format.fields(lines[block.first : block.first + block.lines], block.count)
    try:
        return [convert(edit, field) for edit, field in zip(block.format.edits(), fields, strict=False)]
    except ValueError:
        raise _first_fault(source, lines, block, fields, convert) from None


def _first_fault(
    source: str,
    lines: list[bytes],
    block: Block,
    fields: list[bytes],
    convert: Callable[[Edit, bytes], Any],
) -> UserError:
    """Find the field that cannot be converted."""
    for number, (edit, field) in enumerate(zip(block.format.edits(), fields, strict=False)):
        try:
            convert(edit, field)
        except ValueError as error:
            return _fault(source, lines, block, number, str(error))
    raise AssertionError("every field was converted")


def _field(lines: list[bytes], block: Block, number: int) -> bytes:
    field = block.format.place(number)
    line = lines[block.first + field.line]
    return line[field.column : field.column + field.edit.width]


def _fault(source: str, lines: list[bytes], block: Block, number: int, reason: str) -> UserError:
    """Word what is wrong with a number of a block."""
    line, column = block.place(number)
    field = _field(lines, block, number)
    if not field.strip(b" "):
        return UserError(
            f"{source}, line {line}, column {column}: a field is blank, but "
            f"{counted(block.count, 'number')} announced"
        )
    return UserError(f"{source}, line {line}, column {column}: '{shown(field.strip(b' '))}' {reason}")


def _outside(header: Header) -> str:
    return f"is out of bounds: row indices must be from 1 to {header.rows}"
