"""Where programs change places as matrices change: rows that are longer, entries that lie closer together."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from math import exp, log

import numpy as np

from experiments.report.comparison import Comparison
from experiments.report.item import Item, ScatterChart, ScatterPanel
from experiments.report.number_tables import three_digits
from experiments.whatif.explain.cells import Cells, Floats
from experiments.whatif.explain.parameters import FEWEST_MATRICES

LEAST_REACH = 1.1
"""How far apart, as a factor, their features must lie for one."""


@dataclass(frozen=True)
class Trend:
    """A line through the logarithms of a feature and of a ratio of cycles, by least squares.

    Attributes
    ----------
    exponent
        Its slope: the ratio grows by this power of the feature.
    explained
        Share of the variance of the ratio's logarithm that it explains, 0 to 1; None if there is none.
    crossing
        The feature where it meets a ratio of 1; None if that is not among the matrices.
    ends
        Its two ends, feature and ratio.
    """

    exponent: float
    explained: float | None
    crossing: float | None
    ends: tuple[tuple[float, float], tuple[float, float]]


def trend(feature: Floats, ratio: Floats) -> Trend | None:
    """Lay a line through matrices; None if they are too few or too alike.

    Parameters
    ----------
    feature, ratio
        float64, positive, a matrix each.
    """
    across, up = np.log(feature), np.log(ratio)
    if len(across) < FEWEST_MATRICES or np.ptp(across) < log(LEAST_REACH):
        return None
    slope, height = map(float, np.polyfit(across, up, 1))
    left, spread = float(np.sum((up - slope * across - height) ** 2)), float(np.sum((up - up.mean()) ** 2))
    first, last = float(across.min()), float(across.max())
    place = -height / slope if slope else float("inf")
    at_ends = tuple((exp(x), exp(slope * x + height)) for x in (first, last))
    return Trend(
        slope,
        1 - left / spread if spread else None,
        exp(place) if first <= place <= last else None,
        (at_ends[0], at_ends[1]),
    )


def crossings(cells: Cells) -> Item:
    """Show how the programs compare by features of the matrices, and where the faster one changes."""
    means = {name: cells.means(place, ()) for place, name in enumerate(cells.programs)}
    rows = []
    for (feature, values), (base, each) in itertools.product(
        cells.features.items(), itertools.combinations(cells.programs, 2)
    ):
        result = _line(values, means[each] / means[base])
        crossing = result.crossing if result else None
        message = "" if crossing else "the line through the matrices does not cross 1 among them"
        row = f"{each} / {base}, by {feature}"
        rows += [
            Comparison(row, "exponent", "", result.exponent if result else None),
            Comparison(row, "share of the variance explained", "", result.explained if result else None),
            Comparison(row, "equal at", "", crossing, note=message, absent="nowhere"),
        ]
    base, *others = cells.programs
    title = f"Cycles next to those of {base}, by what the matrices are like"
    chart = ScatterChart(
        title=title,
        x_label="",
        x_labels=tuple(cells.features),
        y_label=f"cycles / cycles of {base}",
        panels=tuple(
            _panel(values, {each: means[each] / means[base] for each in others})
            for values in cells.features.values()
        ),
        description=f"Points: a matrix each, cycles of the other programs over those of {base}, with lines.",
        level=1.0,
    )
    summary = (
        "Each point is a matrix, geometric means over everything that was varied. A line is laid through the "
        "logarithms by least squares; where it meets 1 both take as long. Locality is the mean number of "
        "entries in the non-empty 32 x 32 squares, divided by 32."
    )
    return Item("sweep-crossings", title, summary, tuple(rows), chart)


def _there(values: Floats, ratio: Floats) -> tuple[Floats, Floats]:
    there = ~np.isnan(ratio) & (values > 0)
    return values[there], ratio[there]


def _line(values: Floats, ratio: Floats) -> Trend | None:
    return trend(*_there(values, ratio))


def _panel(values: Floats, ratios: dict[str, Floats]) -> ScatterPanel:
    lines = {name: _line(values, ratio) for name, ratio in ratios.items()}
    return ScatterPanel(
        "",
        {
            name: tuple((float(x), float(y)) for x, y in zip(*_there(values, ratio), strict=True))
            for name, ratio in ratios.items()
        },
        lines={name: line.ends for name, line in lines.items() if line},
        marks={
            line.crossing: f"{name}: {three_digits(line.crossing)}"
            for name, line in lines.items()
            if line and line.crossing
        },
    )
