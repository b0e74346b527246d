"""Figure 7, the structure of memplus as far as numbers tell it, and the printed row statistics."""

from __future__ import annotations

from experiments.papers.pellr.results import MatrixRecord, Results
from experiments.papers.pellr.texts import SPELLED
from experiments.report.comparison import Comparison
from experiments.report.item import BarChart, Item, Panel, Verdict

SUMMARY = (
    "The paper shows memplus as a picture of dots and prints statistics of some row lengths: sigma is their "
    "standard deviation, the range the longest minus the shortest row. Here the lengths of the rows of "
    "memplus, and these statistics of every matrix that they are printed for."
)
TABLE_1 = "The paper's Table 1 is a picture that its text does not hold"
LONG = 64
"""Entries from which on a row of memplus, 7 entries on average, is long."""


def make(results: Results) -> Item:
    """Make the item."""
    printed = [matrix for matrix in results.sets["alone"] if matrix.printed]
    memplus = next((matrix for matrix in results.sets["alone"] if matrix.name == "memplus"), None)
    return results.item(
        "pellr-fig7",
        "Figure 7: the structure of memplus, and the row statistics",
        SUMMARY,
        tuple(row for matrix in printed for row in _rows(matrix)),
        chart=None if memplus is None else _chart(memplus),
        verdicts=(
            *(() if memplus is None else _verdicts(memplus)),
            Verdict("Table 1: the statistics of twenty matrices", None, TABLE_1),
        ),
        notes=(f"{TABLE_1}; twelve of the twenty are named in the text.",),
    )


def _rows(matrix: MatrixRecord) -> list[Comparison]:
    statistics = {
        "sigma": matrix.sigma,
        "mean": matrix.mean,
        "range": float(matrix.longest - matrix.shortest),
    }
    if matrix.group != "stand-in":
        return [
            Comparison(matrix.stands_for, SPELLED[name], f"{value:g}", statistics[name], measure="counted")
            for name, value in matrix.printed.items()
        ]
    return [
        Comparison(
            matrix.stands_for,
            SPELLED[name],
            f"{value:g}",
            None,
            f"its stand-in {matrix.name} has {statistics[name]:.3g}; {matrix.note}",
            "not available",
            measure="counted",
        )
        for name, value in matrix.printed.items()
    ]


def _chart(memplus: MatrixRecord) -> BarChart:
    return BarChart(
        title="Row lengths of memplus",
        value_label="rows",
        panels=(
            Panel(
                "",
                _bins(memplus),
                {"rows": tuple(map(_positive, memplus.histogram))},
                {"rows": ("none",) * len(memplus.histogram)},
            ),
        ),
        category_label="entries of a row",
        description="Histogram of the row lengths of memplus: nearly all rows are short",
        logarithmic=True,
        bars_from=None,
    )


def _bins(matrix: MatrixRecord) -> tuple[str, ...]:
    names = ["0", "1"] + [f"{2**k}-\n{2 ** (k + 1) - 1}" for k in range(1, len(matrix.histogram))]
    return tuple(names[: len(matrix.histogram)])


def _positive(count: int) -> float | None:
    return float(count) if count else None


def _verdicts(memplus: MatrixRecord) -> list[Verdict]:
    # Bin k holds rows of 2^(k-1) to 2^k - 1 entries.
    long = sum(memplus.histogram[LONG.bit_length() :])
    return [
        Verdict(
            "Only few rows of memplus have many non-zeros",
            long < 0.02 * memplus.rows,
            f"{long:,} of {memplus.rows:,} rows have {LONG} or more entries, the longest {memplus.longest}",
        ),
        Verdict(
            "Many dots of memplus are on the diagonal, at the upper and at the left side",
            memplus.diagonal_share > 0.1 and min(memplus.upper_share, memplus.left_share) > 0.15,
            f"{memplus.diagonal_share:.0%} of the entries on the diagonal, {memplus.upper_share:.0%} in the "
            f"first tenth of the rows, {memplus.left_share:.0%} in the first tenth of the columns",
        ),
    ]
