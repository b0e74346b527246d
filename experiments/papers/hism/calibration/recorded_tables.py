"""The calibration after the preset vs2003, as it was written by ``vecsim calibrate`` and kept with the code.

The CSV files in ``tables/`` are those of that report. They are never edited: a new calibration replaces them.
"""

from __future__ import annotations

import csv
from collections.abc import Mapping
from dataclasses import replace

from experiments.code_fingerprint import code_fingerprint
from experiments.papers.hism.calibration.headings import appendix
from experiments.papers.hism.recorded_calibration import file, rows
from experiments.papers.hism.table2 import PRINTED
from experiments.report.item import Appendix

OTHER_CODE = (
    "The search was made on {made}, with another version of the code that decides cycles than the rest of "
    "this report: its numbers are those of the machine and the programs of that day."
)
SAME_AVERAGES = (
    "The search was made on {made}, with another version of the code. The six averages over all matrices "
    "that this report computes again are the same, to every digit shown."
)
SHOWN = (
    "standards",
    "conclusions-by-standard",
    "spread",
    "groups",
    "candidates",
    "sensitivity",
    "shares",
    "least",
    "single-changes",
    "choices",
    "provenance",
)
"""The tables that the report of the paper shows, in this order."""
WITH = {
    "plain": "with plain programs",
    "pipelined": "with pipelined ones",
    "as proposed": "with those of this report",
}
"""What the table of standards calls them, in words."""
HEADLINE = "CHiSM vs CRS"


def appendices(averages: Mapping[str, float] | None = None) -> tuple[Appendix, ...]:
    """Return the tables that the report of the paper shows; the first says if they are of other code.

    Parameters
    ----------
    averages
        Over all matrices, by row of Table 2, as they are now on the proposed machine; None if not known.
    """
    first, *others = map(table, SHOWN)
    messages = _of_other_code(code_fingerprint(), averages)
    return replace(first, paragraphs=(*messages, *first.paragraphs)), *others


def _of_other_code(now: str, averages: Mapping[str, float] | None) -> tuple[str, ...]:
    messages = {row["what"]: row["which"] for row in rows("provenance")}
    if now.startswith(messages["code that decides cycles"]):
        return ()
    searched = {row["row"]: row["proposed machine"] for row in rows("spread")}
    if averages and all(f"{ours:.3f}" == searched[name] for name, ours in averages.items()):
        return (SAME_AVERAGES.format(made=messages["made"]),)
    return (OTHER_CODE.format(made=messages["made"]),)


def by_standard() -> tuple[str, str]:
    """Return two sentences on what depends on how programs are written: conclusions, and the headline."""
    recorded = rows("standards")
    messages = [f"{row['conclusions that hold']} of {row['of']} {WITH[row['programs']]}" for row in recorded]
    times = [f"{float(row[f'{HEADLINE}, all']):.2f} {WITH[row['programs']]}" for row in recorded]
    return (
        "How the programs are written decides some of it: on vs2003 the paper's conclusions hold "
        f"{'; '.join(messages)}.",
        f"So does its headline, CHiSM {PRINTED[HEADLINE][0]} times as fast as CRS: it is {', '.join(times)}.",
    )


def table(name: str) -> Appendix:
    """Return one of the tables.

    Parameters
    ----------
    name
        One of :data:`experiments.papers.hism.calibration.headings.HEADINGS`.
    """
    columns, *cells = csv.reader(file(name))
    return appendix(name, columns, cells)
