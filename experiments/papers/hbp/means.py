"""Rows with a mean over matrices and what it is without one of them."""

from __future__ import annotations

from collections.abc import Mapping

from experiments.papers.kit.numbers import mean_ratio
from experiments.papers.kit.results import NOT_MEASURED
from experiments.report.comparison import Comparison


def mean_row(
    what: str, ratios: Mapping[str, float], *, paper: str = "", of: str = "", note: str = ""
) -> Comparison:
    """Return the geometric mean of ratios, with its leave-one-out range and the matrices that make it.

    Parameters
    ----------
    what
        What they are ratios of, the label of the row.
    ratios
        By the name of the matrix.
    paper
        As of `Comparison`.
    of
        Which matrices they are; empty for all.
    note
        What is said before the range.
    """
    mean = mean_ratio(ratios)
    range_ = (
        f"least without {mean.least_without}, greatest without {mean.greatest_without}"
        if mean and mean.least_without
        else ""
    )
    return Comparison(
        what,
        f"geometric mean, {of}" if of else "geometric mean",
        paper,
        mean.value if mean else None,
        "; ".join(filter(None, (note, range_))),
        NOT_MEASURED,
        without_one=mean.without_one if mean else None,
    )


def greatest_row(what: str, ratios: Mapping[str, float], *, paper: str = "") -> Comparison:
    """Return the greatest ratio, with its matrix.

    Parameters
    ----------
    what, ratios, paper
        As of `mean_row`.
    """
    most = max(ratios, key=lambda name: ratios[name], default="")
    return Comparison(what, "greatest", paper, ratios.get(most), most, NOT_MEASURED)
