"""Pictures of points over logarithmic axes, as figures of Matplotlib."""

from __future__ import annotations

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from experiments.report.axes import number_logarithmic
from experiments.report.colours import COLOURS
from experiments.report.item import ScatterChart, ScatterPanel

ACROSS = 3
"""Panels side by side."""
PANEL_INCHES = 3.1
MARKERS = ("o", "D", "^", "s", "v")
ROOM = 1.15
"""Factor by which an axis goes on beyond the outermost points."""


def figure(chart: ScatterChart) -> Figure:
    """Make a chart of points as a figure of Matplotlib."""
    across = min(ACROSS, len(chart.panels))
    down = -(-len(chart.panels) // across)
    size = (0.6 + PANEL_INCHES * across, 0.9 + PANEL_INCHES * down)
    drawn = Figure(figsize=size, layout="constrained")
    axes = drawn.subplots(down, across, squeeze=False)
    for place, panel in zip(axes.flat, chart.panels, strict=False):
        _draw(place, panel, chart)
    for place in axes.flat[len(chart.panels) :]:
        place.set_visible(False)
    for place in axes[:, 0]:
        place.set_ylabel(chart.y_label)
    for column in axes.T:
        [place for place in column if place.get_visible()][-1].set_xlabel(chart.x_label)
    drawn.suptitle(chart.title, x=0.01, ha="left", fontsize=11)
    handles, labels = axes.flat[0].get_legend_handles_labels()
    drawn.legend(handles, labels, loc="outside lower left", ncols=len(labels), frameon=False)
    return drawn


def _draw(place: Axes, panel: ScatterPanel, chart: ScatterChart) -> None:
    place.set_xscale("log")
    place.set_yscale("log")
    for number, (name, points) in enumerate(panel.series.items()):
        place.scatter(
            [x for x, _ in points],
            [y for _, y in points],
            s=16,
            marker=MARKERS[number % len(MARKERS)],
            color=COLOURS[(number + 1) % len(COLOURS)],
            alpha=0.8,
            linewidths=0,
            label=name,
        )
    if chart.reference is not None:
        place.axhline(chart.reference, color="#444444", linewidth=0.8, zorder=0)
        place.axvline(chart.reference, color="#444444", linewidth=0.8, zorder=0)
        place.axline((1, 1), (10, 10), color="#999999", linewidth=0.8, linestyle=(0, (4, 3)), zorder=0)
    _scale(place, panel, chart.reference)
    for point, text in panel.labels.items():
        _write(place, point, text)
    place.set_title(panel.title, fontsize=9)
    place.spines[["top", "right"]].set_visible(False)
    place.grid(color="#dddddd", linewidth=0.6)
    place.set_axisbelow(True)


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


def _scale(place: Axes, panel: ScatterPanel, reference: float | None) -> None:
    """Let both axes reach over all points, with numbers at 1, 2 and 5, or at powers of ten alone."""
    more = [] if reference is None else [reference]
    for axis, limit, side in ((place.xaxis, place.set_xlim, 0), (place.yaxis, place.set_ylim, 1)):
        found = [point[side] for points in panel.series.values() for point in points] + more
        low, high = min(found, default=1.0), max(found, default=1.0)
        limit(low / ROOM, high * ROOM)
        number_logarithmic(axis, high / low)
