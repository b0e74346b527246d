"""Pictures of points over logarithmic axes, as figures of Matplotlib."""

from __future__ import annotations

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from experiments.report.drawing import COLOURS, in_rows, number_logarithmic, plain, titled
from experiments.report.item import ScatterChart, ScatterPanel

PANEL_INCHES, ALONE_INCHES = 3.1, 5.0
"""Width of a panel among others, and of one alone."""
KEY_INCHES = 1.1
"""Width of a name in the legend."""
MARKERS = ("o", "D", "^", "s", "v")
MANY = 1000
"""Points of a series that are drawn as dots of a picture, and not one by one."""
ROOM = 1.15
"""Factor by which an axis goes on beyond the outermost points."""


def figure(chart: ScatterChart) -> Figure:
    """Make a chart of points as a figure of Matplotlib."""
    down, across = in_rows(len(chart.panels))
    inches = PANEL_INCHES if len(chart.panels) > 1 else ALONE_INCHES
    size = (0.6 + inches * across, 0.9 + PANEL_INCHES * down)
    drawn = Figure(figsize=size, layout="constrained")
    axes = drawn.subplots(down, across, squeeze=False)
    for place, panel in zip(axes.flat, chart.panels, strict=False):
        _draw(place, panel, chart)
    for place in axes.flat[len(chart.panels) :]:
        place.set_visible(False)
    for place in axes[:, 0]:
        place.set_ylabel(chart.y_label)
    for number, place in enumerate(axes.flat[: len(chart.panels)]):
        if chart.x_labels:
            place.set_xlabel(chart.x_labels[number])
        elif number + across >= len(chart.panels):
            place.set_xlabel(chart.x_label)
    titled(drawn, chart.title)
    handles, labels = axes.flat[0].get_legend_handles_labels()
    columns = max(1, min(len(labels), int(size[0] / KEY_INCHES)))
    drawn.legend(handles, labels, loc="outside lower left", ncols=columns, frameon=False)
    return drawn


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
        place.annotate(
            text,
            (x, 1),
            xycoords=("data", "axes fraction"),
            xytext=(2, -2),
            textcoords="offset points",
            va="top",
            rotation=90,
            fontsize=6,
            color="#333333",
            in_layout=False,
        )
    for point, text in panel.labels.items():
        _write(place, point, text)
    place.set_title(panel.title, fontsize=9)
    plain(place)


def _write(place: Axes, point: tuple[float, float], text: str) -> None:
    """Write beside a point, on the side that has more room."""
    low, high = place.get_xlim()
    left = point[0] > (low * high**2) ** (1 / 3)
    place.annotate(
        text,
        point,
        xytext=(-3 if left else 3, 3),
        textcoords="offset points",
        ha="right" if left else "left",
        fontsize=6,
        color="#333333",
        in_layout=False,
    )


def _scale(place: Axes, panel: ScatterPanel, chart: ScatterChart) -> None:
    """Let both axes reach over all points, with numbers at 1, 2 and 5, or at powers of ten alone."""
    lines = (chart.reference,), (chart.reference, chart.level)
    for axis, limit, side in ((place.xaxis, place.set_xlim, 0), (place.yaxis, place.set_ylim, 1)):
        found = [point[side] for points in panel.series.values() for point in points]
        found += [line for line in lines[side] if line is not None]
        low, high = min(found, default=1.0), max(found, default=1.0)
        limit(low / ROOM, high * ROOM)
        number_logarithmic(axis, high / low)
