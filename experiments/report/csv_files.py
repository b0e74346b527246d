"""The CSV files of a report: every number, for programs."""

from __future__ import annotations

from collections.abc import Iterable

from experiments.report.comparison import Comparison
from experiments.report.item import Table, Verdict
from experiments.report.number_tables import number_text
from vecsim.support.shown_text import csv_text

COLUMNS = (
    "row",
    "quantity",
    "paper",
    "ours",
    "difference_percent",
    "outcome",
    "kind",
    "least_without_one",
    "greatest_without_one",
    "note",
)
"""Columns of the file of every item."""


def comparisons_csv(rows: Iterable[Comparison]) -> str:
    """Write the rows of an item: `ours` with six significant digits, empty where there is no number."""
    of_rows = (
        (
            r.row,
            r.quantity,
            r.paper,
            number_text(r.ours, "{:.6g}"),
            number_text(r.difference_percent, "{:.2f}"),
            r.outcome or "",
            _kind(r) if r.paper else "",
            *(number_text(mean, "{:.6g}") for mean in r.without_one or (None, None)),
            r.note,
        )
        for r in rows
    )
    return csv_text([COLUMNS, *of_rows])


def _kind(of: Comparison | Verdict) -> str:
    return f"{of.kind}, implied by others" if of.implied else of.kind


def values_csv(rows: Iterable[Comparison]) -> str:
    """Write the rows of an item that has no printed numbers next to its own."""
    values = ((r.row, r.quantity, number_text(r.ours, "{:.6g}"), r.note) for r in rows)
    return csv_text([("row", "quantity", "value", "note"), *values])


def verdicts_csv(verdicts: Iterable[Verdict]) -> str:
    """Write claims with what becomes of them, and the numbers after."""
    rows = ((v.claim, v.outcome, _kind(v), v.detail) for v in verdicts)
    return csv_text([("claim", "outcome", "kind", "detail"), *rows])


def table_csv(table: Table) -> str:
    """Write a table as it is."""
    return csv_text([table.columns, *table.rows])
