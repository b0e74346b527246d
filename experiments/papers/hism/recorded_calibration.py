"""The tables of the recorded calibration, as files and rows, without the code of the calibration."""

from __future__ import annotations

import csv
import io
from importlib import resources

NAME = "hism-calibration"
"""What the names of all files of a calibration begin with."""


def file(name: str) -> io.StringIO:
    """Return the CSV file of one of the tables; `name` is the end of its name, without the suffix."""
    path = resources.files(__package__) / "calibration/tables" / f"{NAME}-{name}.csv"
    return io.StringIO(path.read_text(encoding="utf-8"))


def rows(name: str) -> list[dict[str, str]]:
    """Return the rows of one of the tables, by column."""
    return list(csv.DictReader(file(name)))
