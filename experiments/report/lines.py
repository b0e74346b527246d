"""Pictures of lines with bands around them, as figures of Matplotlib."""

from __future__ import annotations

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from experiments.report.drawing import COLOURS, number_logarithmic, plain, titled, write_legend
from experiments.report.parameter_charts import LineChart

INCHES = (6.4, 4.0)
MARKERS = ("o", "s", "^", "D", "v")


def figure(chart: LineChart) -> Figure:
    """Make a chart of lines as a figure of Matplotlib."""
    plot = Figure(figsize=INCHES, layout="constrained")
    place = plot.subplots()
    place.set_yscale("log")
    for number, name in enumerate(chart.series):
        _draw(place, chart, name, number)
    matches = [y for each in chart.series.values() for y in each if y is not None]
    matches += [end for each in chart.bands.values() for band in each if band is not None for end in band]
    low, high = min(matches, default=1.0) / 1.1, max(matches, default=1.0) * 1.1
    place.set_ylim(low, high)
    number_logarithmic(place.yaxis, high / low)
    place.set_xticks(range(len(chart.categories)), chart.categories)
    if sum(map(len, chart.categories)) > 60:
        place.tick_params(axis="x", rotation=30)
    place.set_xlim(-0.3, len(chart.categories) - 0.7)
    place.set_xlabel(chart.category_label)
    place.set_ylabel(chart.value_label)
    plain(place)
    titled(plot, chart.title)
    write_legend(plot, [place], INCHES[0])
    return plot


def _draw(place: Axes, chart: LineChart, name: str, number: int) -> None:
    colour = COLOURS[number % len(COLOURS)]
    there = [(x, y) for x, y in enumerate(chart.series[name]) if y is not None]
    marker = MARKERS[number % len(MARKERS)]
    place.plot(
        [x for x, _ in there],
        [y for _, y in there],
        color=colour,
        marker=marker,
        markersize=4,
        linewidth=1.4,
        label=name,
    )
    bands = [(x, band) for x, band in enumerate(chart.bands.get(name, ())) if band is not None]
    if bands:
        lows, highs = [band[0] for _, band in bands], [band[1] for _, band in bands]
        place.fill_between([x for x, _ in bands], lows, highs, color=colour, alpha=0.13, linewidth=0)
