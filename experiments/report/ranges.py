"""Pictures of bars across around a line at 1 (tornado diagrams), as figures of Matplotlib."""

from __future__ import annotations

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from experiments.report.drawing import (
    COLOURS,
    number_logarithmic,
    panels,
    plain,
    titled,
    undermost,
    write_near,
)
from experiments.report.parameter_charts import Range, RangeChart

PANEL_INCHES, BAR_INCHES = 3.6, 0.3
SLOWER, FASTER = COLOURS[6], COLOURS[1]
ROOM = 0.6
"""Part of the reach of all bars, in logarithms, that is left next to them for the labels."""


def figure(chart: RangeChart) -> Figure:
    """Make a chart of bars around a line as a figure of Matplotlib."""
    height = 1.0 + BAR_INCHES * len(chart.labels)
    plot, axes = panels(len(chart.panels), (PANEL_INCHES, height), (1.2, 0.5), sharey=True)
    ends = [end for bars in chart.panels.values() for bar in bars if bar for end in (bar.low, bar.high)]
    lowest, highest = min([1.0, *ends]), max([1.0, *ends])
    room = max((highest / lowest) ** ROOM, 1.1)
    for place, (title, bars) in zip(axes.flat, chart.panels.items(), strict=False):
        place.set_xscale("log")
        place.set_xlim(lowest / room, highest * room)
        number_logarithmic(place.xaxis, highest / lowest)
        _draw(place, bars)
        place.set_title(title, loc="left", fontsize=10)
    axes[0][0].set_yticks(range(len(chart.labels)), chart.labels)
    axes[0][0].set_ylim(len(chart.labels) - 0.4, -0.6)
    for place in undermost(axes):
        place.set_xlabel(chart.value_label)
    titled(plot, chart.title)
    return plot


def _draw(place: Axes, bars: tuple[Range | None, ...]) -> None:
    for row, bar in enumerate(bars):
        if bar is None:
            continue
        if bar.low == bar.high:
            continue
        for end, colour in ((bar.low, SLOWER), (bar.high, FASTER)):
            place.barh(row, end - 1.0, 0.62, left=1.0, color=colour)
        for end, label, side, shift in (
            (min(bar.low, 1.0), bar.low_label, "right", -3),
            (max(bar.high, 1.0), bar.high_label, "left", 3),
        ):
            write_near(place, label, (end, row), (shift, 0), ha=side, va="center", fontsize=6.5)
    place.axvline(1.0, color="#444444", linewidth=0.8)
    place.tick_params(axis="y", length=0)
    plain(place, "x", without=("top", "right", "left"))
