"""The calibration behind the preset vs2003, as it was written by ``vecsim calibrate`` and kept with the code.

The CSV files in ``kept/`` are those of that report. They are never edited: a new calibration replaces them.
"""

from __future__ import annotations

import csv
import io
from importlib import resources

from experiments.hism.calibration.appendices import HEADINGS, NAME, appendix
from experiments.report.item import Appendix

SHOWN = ("sensitivity", "shares", "frontier", "single-changes", "candidates", "choices", "provenance")
"""The tables that stand in the report of the paper, in this order."""


def appendices() -> tuple[Appendix, ...]:
    """Give the tables that the report of the paper shows."""
    return tuple(table(name) for name in SHOWN)


def table(name: str) -> Appendix:
    """Give one of the tables.

    Parameters
    ----------
    name
        One of :data:`HEADINGS`.
    """
    assert name in HEADINGS
    file = resources.files(__package__) / "kept" / f"{NAME}-{name}.csv"
    columns, *rows = csv.reader(io.StringIO(file.read_text(encoding="utf-8")))
    return appendix(name, columns, rows)
