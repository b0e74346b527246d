"""Published cycles of RISC-V vector instructions, by width of elements and registers of a group.

The tables are those of github.com/camel-cdr/rvv-bench-results (MIT licence). They have the cycles of an
instruction where many of a kind follow each other, each on other registers as far as there are some.
"""

from __future__ import annotations

import csv
import math
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from vecsim.support.errors import UserError
from vecsim.support.input_files import InputKind, read_text

TABLES = Path(__file__).parent / "tables"
TABLE = InputKind("a table of cycles", 1 << 24)
CORES = ("saturn", "x280")
_INSTRUCTION = re.compile(r"[a-z][\w.]*( [^\n]+)?")
_COLUMN = re.compile(r"e(8|16|32|64)mf?([1248])")


class Entry(NamedTuple):
    """What was measured.

    Attributes
    ----------
    text
        The instruction, as the table has it.
    sew, lmul
        Bits of an element, registers of a group.
    full
        Whether vl is VLMAX, and not 1.
    cycles
        Of one instruction.
    """

    text: str
    sew: int
    lmul: int
    full: bool
    cycles: float

    @property
    def is_half(self) -> bool:
        """Whether it works on half-precision floats, which are not simulated."""
        return self.sew == 16 and self.text.startswith(("vf", "vmf")) and not self.text.startswith("vfirst")


def tables_of(core: str) -> list[Path]:
    """Return the tables of a core."""
    return sorted(TABLES.glob(f"{core}-*.csv"))


def entries(core: str) -> Iterator[Entry]:
    """Yield all that was measured of a core with whole registers."""
    for file in tables_of(core):
        yield from table(file)


def table(path: Path) -> Iterator[Entry]:
    """Yield the entries of a table with whole registers; vl is 1 where its name ends in ``-vl1``.

    Raises
    ------
    UserError
        It cannot be read, or has other columns.
    """
    rows = list(rows_of(path))
    names = list(rows[0][1]) if rows else []
    columns = [name for name in names if name != "instruction"]
    wrong = [name for name in columns if not _COLUMN.fullmatch(name)]
    if not columns or wrong or "instruction" not in names:
        raise UserError(f"{path}: columns must be instruction and widths such as e32m4{_found(wrong)}")
    for line, row in rows:
        if not _INSTRUCTION.fullmatch(row["instruction"]):
            raise UserError(
                f"{path}: line {line}: {row['instruction'][:40]!r} is no instruction with its operands"
            )
        for column in columns:
            sew, _, lmul = column[1:].partition("m")
            try:
                cycles = _number(row[column])
            except ValueError as error:
                raise UserError(f"{path}: line {line}: {column}: {error}") from None
            if lmul.isdigit() and cycles is not None:
                yield Entry(row["instruction"], int(sew), int(lmul), not path.stem.endswith("-vl1"), cycles)


def rows_of(path: Path) -> Iterator[tuple[int, dict[str, str]]]:
    """Yield the number of the line and the row of each line after the first of a file in CSV.

    Raises
    ------
    UserError
        It cannot be read, or a row has more or fewer columns than the first line names.
    """
    reader = csv.reader(read_text(path, TABLE).splitlines())
    try:
        names = next(reader, [])
        for row in reader:
            if len(row) != len(names):
                raise UserError(
                    f"{path}: line {reader.line_num}: it has {len(row)} columns, the first line {len(names)}"
                )
            yield reader.line_num, dict(zip(names, row, strict=True))
    except csv.Error as error:
        raise UserError(f"{path}: line {reader.line_num}: {error}") from None


def _found(wrong: list[str]) -> str:
    return f"; it has {wrong[0]}" if wrong else ""


def _number(text: str) -> float | None:
    """Return a number; None where the measurement was not possible or ended without one.

    Raises
    ------
    ValueError
        It is no number of cycles.
    """
    try:
        cycles = float(text)
    except ValueError:
        return None
    if not 0 < cycles < math.inf:
        raise ValueError(f"{text} are no cycles")
    return cycles
