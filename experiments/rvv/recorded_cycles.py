"""The recorded cycles of the study, which are the same on every host."""

from __future__ import annotations

import csv
from collections.abc import Iterable
from dataclasses import astuple, fields
from pathlib import Path

from experiments.rvv.cases import MATRICES, Cycles

FILE = Path(__file__).parent / "recorded" / "cycles.csv"


def recorded() -> list[Cycles]:
    """Return all that is recorded; nothing before the first measurement."""
    if not FILE.exists():
        return []
    with FILE.open(encoding="utf-8", newline="") as file:
        rows = csv.DictReader(file)
        return [
            Cycles(
                row["matrix"],
                row["machine"],
                row["product"],
                *(int(row[name]) for name in ("vlen", "lmul", "nnz", "cycles")),
            )
            for row in rows
        ]


def write(cycles: Iterable[Cycles]) -> None:
    """Write the file, in the order of the study's matrices."""
    FILE.parent.mkdir(exist_ok=True)
    with FILE.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(field.name for field in fields(Cycles))
        order = sorted(cycles, key=lambda each: MATRICES.index(each.matrix))
        writer.writerows(astuple(each) for each in order)
