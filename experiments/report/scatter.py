"""Pictures of points over logarithmic axes, as figures of Matplotlib."""

from __future__ import annotations

from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from experiments.report.drawing import COLOURS, number_logarithmic, panels, plain, titled, write_near
from experiments.report.item import ScatterChart, ScatterPanel

PANEL_INCHES, ALONE_INCHES = 3.1, 5.0
"""Width of a panel among others, and of one alone."""
KEY_INCHES = 1.1
"""Width of a name in the legend."""
MARKERS = ("o", "D", "^", "s", "v")
MANY = 1000
"""Series of more points than this are plotted as one image, and not point by point."""
SMALL: dict[str, Any] = {"fontsize": 6, "color": "#333333"}
"""How texts within a panel look."""
ROOM = 1.15
"""Factor between the ends of an axis and the outermost points."""


def figure(chart: ScatterChart) -> Figure:
    """Make a chart of points as a figure of Matplotlib."""
    inches = PANEL_INCHES if len(chart.panels) > 1 else ALONE_INCHES
    plot, axes = panels(len(chart.panels), (inches, PANEL_INCHES), (0.6, 0.9))
    for place, panel in zip(axes.flat, chart.panels, strict=False):
        _draw(place, panel, chart)
    for place in axes[:, 0]:
        place.set_ylabel(chart.y_label)
    for number, place in enumerate(axes.flat[: len(chart.panels)]):
        if chart.x_labels:
            place.set_xlabel(chart.x_labels[number])
        elif number + axes.shape[1] >= len(chart.panels):
            place.set_xlabel(chart.x_label)
    titled(plot, chart.title)
    handles, labels = axes.flat[0].get_legend_handles_labels()
    columns = max(1, min(len(labels), int(plot.get_figwidth() / KEY_INCHES)))
    plot.legend(handles, labels, loc="outside lower left", ncols=columns, frameon=False)
    return plot


def _draw(place: Axes, panel: ScatterPanel, chart: ScatterChart) -> None:
    place.set_xscale("log")
    place.set_yscale("log")
    colours = {
        name: COLOURS[(number + chart.first_colour) % len(COLOURS)]
        for number, name in enumerate(panel.series)
    }
    for number, (name, points) in enumerate(panel.series.items()):
        place.scatter(
            [x for x, _ in points],
            [y for _, y in points],
            s=16,
            marker=MARKERS[number % len(MARKERS)],
            color=colours[name],
            alpha=0.8,
            linewidths=0,
            label=name,
            rasterized=len(points) > MANY,
        )
    for name, points in panel.lines.items():
        colour = colours.get(name, "#333333")
        place.plot([x for x, _ in points], [y for _, y in points], color=colour, linewidth=1.2)
    if chart.level is not None:
        place.axhline(chart.level, color="#444444", linewidth=0.8, zorder=0)
    if chart.reference is not None:
        place.axhline(chart.reference, color="#444444", linewidth=0.8, zorder=0)
        place.axvline(chart.reference, color="#444444", linewidth=0.8, zorder=0)
        place.axline((1, 1), (10, 10), color="#999999", linewidth=0.8, linestyle=(0, (4, 3)), zorder=0)
    _scale(place, panel, chart)
    for x, text in panel.marks.items():
        place.axvline(x, color="#999999", linewidth=0.8, linestyle=(0, (2, 2)))
        top = ("data", "axes fraction")
        write_near(place, text, (x, 1), (2, -2), xycoords=top, va="top", rotation=90, **SMALL)
    for point, text in panel.labels.items():
        _write_beside(place, point, text)
    place.set_title(panel.title, fontsize=9)
    plain(place)


def _write_beside(place: Axes, point: tuple[float, float], text: str) -> None:
    """Write next to a point, on the side that has more room."""
    low, high = place.get_xlim()
    left = point[0] > (low * high**2) ** (1 / 3)
    side, shift = ("right", -3) if left else ("left", 3)
    write_near(place, text, point, (shift, 3), ha=side, **SMALL)


def _scale(place: Axes, panel: ScatterPanel, chart: ScatterChart) -> None:
    """Let both axes reach over all points, with numbers at 1, 2 and 5, or at powers of ten alone."""
    lines = (chart.reference,), (chart.reference, chart.level)
    for axis, limit, side in ((place.xaxis, place.set_xlim, 0), (place.yaxis, place.set_ylim, 1)):
        results = [point[side] for points in panel.series.values() for point in points]
        results += [line for line in lines[side] if line is not None]
        low, high = min(results, default=1.0), max(results, default=1.0)
        limit(low / ROOM, high * ROOM)
        number_logarithmic(axis, high / low)
