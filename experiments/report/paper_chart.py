"""The picture of a table: bars of the paper's numbers next to ours."""

from __future__ import annotations

from collections.abc import Sequence

from experiments.report.comparison import Comparison
from experiments.report.item import BarChart, Panel


def paper_beside_ours(
    title: str, value_label: str, rows: Sequence[Comparison], *, logarithmic: bool = False
) -> BarChart:
    """Return a chart of the numbers that a paper prints, with a panel for each quantity.

    Parameters
    ----------
    title, value_label, logarithmic
        As in :class:`BarChart`.
    rows
        Those without a number of the paper are left out.
    """
    printed = [row for row in rows if row.paper]
    quantities = dict.fromkeys(row.quantity for row in printed)
    return BarChart(
        title,
        value_label,
        tuple(
            _panel(quantity, [row for row in printed if row.quantity == quantity]) for quantity in quantities
        ),
        description=f"{title}: for each of {', '.join(quantities)}, the paper's numbers next to ours",
        logarithmic=logarithmic,
    )


def _panel(quantity: str, rows: Sequence[Comparison]) -> Panel:
    return Panel(
        quantity,
        tuple(row.row.replace(" vs ", "\nvs ") for row in rows),
        {"paper": tuple(float(row.paper) for row in rows), "ours": tuple(row.ours for row in rows)},
    )
