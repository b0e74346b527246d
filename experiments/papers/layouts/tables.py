"""Tables 1 to 6: the best layout of each matrix, and what tuning layouts gains over schedules alone."""

from __future__ import annotations

from collections.abc import Iterator

from experiments.papers.kit.numbers import mean_ratio
from experiments.papers.layouts import claims, table_claims
from experiments.papers.layouts.printed import BY_LAYOUTS, GPUS, TABLES, PrintedTable
from experiments.papers.layouts.results import (
    OURS,
    PAPERS,
    SCOPES,
    MatrixRecord,
    Results,
    SearchRecord,
)
from experiments.papers.layouts.texts import ABSENT, reading_of
from experiments.report.comparison import Comparison
from experiments.report.item import Item

GAINS = {PAPERS: "gain, as the paper", OURS: "gain, ours"}
SHARE = "plain reads of as many bytes, % of the time"


def make(results: Results, number: int) -> Item:
    """Make the item of a table.

    Parameters
    ----------
    results
        What was measured.
    number
        1 to 6.
    """
    printed = next(each for each in TABLES if each.number == number)
    rows = [
        Comparison(name, f"gain on {gpu}", tuned.speedup, None, tuned.layout, "the paper's GPU")
        for name, of_gpus in printed.matrices.items()
        for gpu, tuned in zip(GPUS, of_gpus, strict=True)
    ]
    rows += [row for each in results.of(printed.entry) for row in _rows(results, each, printed.dtype)]
    rows += [*_means(results, printed)]
    if printed.number == 5:
        rows += _up_to(results)
    return results.item(
        f"layouts-table{number}",
        f"Table {number}: {printed.entry} entries, {printed.dtype}",
        "The time of the best schedule in the natural layout over that of the best layout and schedule, and "
        "which that is: among the paper's layouts and schedules, and among all of this project's, with "
        "sorted rows, 16-bit columns and several threads a row.",
        tuple(rows),
        verdicts=table_claims.of_table(results, number),
        notes=reading_of(results),
    )


def _rows(results: Results, matrix: MatrixRecord, dtype: str) -> Iterator[Comparison]:
    for scope, quantity in GAINS.items():
        match = results.search(matrix.name, dtype, scope.joint)
        note = "" if match is None else _said(match)
        yield Comparison(matrix.label, quantity, "", results.gain(matrix.name, dtype, scope), note, ABSENT)
    share = results.share(matrix.name, dtype)
    if share is not None:
        yield Comparison(matrix.label, SHARE, "", share)


def _means(results: Results, printed: PrintedTable) -> Iterator[Comparison]:
    """Yield geometric means over the large matrices, with their leave-one-out ranges."""
    for scope in SCOPES:
        gains = results.gains(printed.entry, printed.dtype, scope, large=True)
        mean = mean_ratio(gains)
        if mean is not None:
            label = f"geometric mean of the {len(gains)} large matrices"
            yield Comparison(label, GAINS[scope], "", mean.value, without_one=mean.without_one)


def _up_to(results: Results) -> list[Comparison]:
    """Return the gain that the abstract prints, the greatest of the tables, and the largest gain here."""
    gains = {
        f"{name}, {printed.dtype}": value
        for printed in TABLES
        for name, value in results.gains(printed.entry, printed.dtype, PAPERS).items()
    }
    label = "gain of all tables, up to (abstract)"
    note = f"that of the K2000; on the GP100 the tables have up to {_most_on('GP100'):.2f}"
    value, which, absent = claims.greatest(gains)
    return [
        Comparison(label, "times", str(BY_LAYOUTS), None, note, "the paper's GPU", implied=True),
        Comparison("gain of all tables, up to: here", "times", "", value, which, absent),
    ]


def _most_on(gpu: str) -> float:
    """Return the largest gain that the tables print for one of their GPUs."""
    cells = (of_gpus[GPUS.index(gpu)] for table in TABLES for of_gpus in table.matrices.values())
    return max(float(cell.speedup) for cell in cells)


def _said(match: SearchRecord) -> str:
    cut = "" if match.complete else "; cut: the time was over before all were measured"
    return f"{match.layout}, {match.schedule}, {match.median_us:.1f} us; {match.variants} variants{cut}"
