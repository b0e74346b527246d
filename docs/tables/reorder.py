"""Write the table of docs/programs.md on faster orders, from what `vecsim reorder` found.

python -m docs.tables.reorder
"""

from __future__ import annotations

import csv
import sys
from typing import NamedTuple

from docs.tables import marked
from docs.tables.markdown import table
from docs.tables.marked import ROOT

NAME = "reorder"
PAGES = (ROOT / "docs/programs.md",)
FILE = ROOT / "benchmarks" / "results" / "reorder-2026-11-26.csv"


class Row(NamedTuple):
    """A search: cycles of the fastest order over those of the program; orders that ran, and wrong ones."""

    program: str
    schedule: str
    machine: str
    ratio: float
    orders: int
    wrong: int


def main() -> int:
    """Write the part of the page."""
    marked.write(PAGES, NAME, PARTS_OF_PAGES, recorded())
    return 0


def recorded() -> tuple[Row, ...]:
    """Return the recorded searches."""
    with FILE.open(encoding="utf-8", newline="") as file:
        return tuple(
            Row(
                r["program"],
                r["schedule"],
                r["machine"],
                float(r["ratio"]),
                int(r["orders"]),
                int(r["wrong"]),
            )
            for r in csv.DictReader(file)
        )


def _ratios(rows: tuple[Row, ...]) -> str:
    of = {(row.program, row.schedule, row.machine): row.ratio for row in rows}
    pairs = dict.fromkeys((row.program, row.schedule) for row in rows)
    names = sorted({row.machine for row in rows})
    cells = [(*pair, *(f"{of[*pair, preset]:.3f}" for preset in names)) for pair in pairs]
    return table(("program", "schedule", *names), cells)


PARTS_OF_PAGES = {"ratios": _ratios}
"""Makes each part of the page."""

if __name__ == "__main__":
    sys.exit(main())
