"""The file of golden cycles: a row for each matrix of the suite on each preset."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable
from dataclasses import dataclass, fields
from pathlib import Path

from vecsim.results.atomic_files import write_file

FILE = Path(__file__).with_name("cycles.csv")
PRESETS = ("vs2003", "t0", "wide")


@dataclass(frozen=True)
class Row:
    """What the five programs took on one matrix and one preset.

    Attributes
    ----------
    name, matrix
        Of the suite's member, and its `vecsim.results.digests.matrix_sha256` with float32 values.
    preset
        The machine.
    crs, jd, bbcs, hism, chism
        Cycles.
    results
        The first 16 digits of the SHA-256 of instructions executed and bytes of y, over the five programs.
    """

    name: str
    matrix: str
    preset: str
    crs: int
    jd: int
    bbcs: int
    hism: int
    chism: int
    results: str

    @property
    def key(self) -> tuple[str, str]:
        """Its key: the matrix itself, not its name, and the preset."""
        return self.matrix, self.preset


def read() -> list[Row]:
    """Return the rows of the file, in its order."""
    with FILE.open(encoding="ascii", newline="") as file:
        return [
            Row(**{f.name: int(row[f.name]) if f.type == "int" else row[f.name] for f in fields(Row)})
            for row in csv.DictReader(file)
        ]


def write(rows: Iterable[Row]) -> None:
    """Write the file again."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow([field.name for field in fields(Row)])
    writer.writerows([getattr(row, field.name) for field in fields(Row)] for row in rows)
    write_file(FILE, text.getvalue().encode("ascii"))
