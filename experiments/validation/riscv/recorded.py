"""The recorded comparison: by core and timing class, how many published entries a preset meets."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from pathlib import Path

from experiments.validation.riscv.comparison import Summary
from vecsim.results.atomic_files import write_file

RECORDED = Path(__file__).parents[1] / "recorded" / "riscv.csv"


def write(summaries: Mapping[str, Sequence[Summary]]) -> None:
    """Write the recorded file again."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["core", *Summary._fields])
    writer.writerows([core, *row] for core, rows in summaries.items() for row in rows)
    write_file(RECORDED, text.getvalue().encode("utf-8"))


def read() -> dict[str, list[Summary]]:
    """Return the summaries of the recorded file, by core."""
    result: dict[str, list[Summary]] = {}
    with RECORDED.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            summary = Summary(row["timing"], int(row["entries"]), int(row["met"]), row["cause"])
            result.setdefault(row["core"], []).append(summary)
    return result
