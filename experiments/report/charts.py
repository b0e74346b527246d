"""Charts drawn by Matplotlib, as SVG and PNG: bars here, points in `scatter`."""

from __future__ import annotations

import io
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import matplotlib
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.backends.backend_svg import FigureCanvasSVG
from matplotlib.figure import Figure

from experiments.comparison import NOT_AT_HAND
from experiments.report import scatter
from experiments.report.colours import COLOURS
from experiments.report.item import BarChart, Chart, Panel
from experiments.report.pivot import three_digits

DPI = 160
BAR_INCHES = 0.17
WIDE = 24
"""Bars of a panel from which on it has a line of its own."""
GROUP_SHARE = 0.84
"""Share of a group's width that its bars take."""
SETTINGS: dict[Any, Any] = {
    "font.family": "DejaVu Sans",
    "font.size": 9,
    "svg.fonttype": "path",
    # Same chart, same bytes.
    "svg.hashsalt": "vecsim",
    "figure.dpi": DPI,
}


@dataclass(frozen=True)
class Picture:
    """A chart as files.

    Attributes
    ----------
    svg
        Text is outlines in it, so that it looks the same everywhere.
    png
        160 dots an inch.
    """

    svg: bytes
    png: bytes


def draw(chart: Chart) -> Picture:
    """Draw a chart; the same chart gives the same bytes."""
    with matplotlib.rc_context(SETTINGS):
        drawn = figure(chart) if isinstance(chart, BarChart) else scatter.figure(chart)
        drawn.draw_without_rendering()
        drawn.set_layout_engine("none")  # everything has its place, for both files
        png = _printed(FigureCanvasAgg(drawn), "print_png", metadata={"Software": None})
        return Picture(_printed(FigureCanvasSVG(drawn), "print_svg", metadata={"Date": None}), png)


def _printed(canvas: object, method: str, **how: object) -> bytes:
    content = io.BytesIO()
    getattr(canvas, method)(content, **how)
    return content.getvalue()


def figure(chart: BarChart) -> Figure:
    """Lay a chart of bars out as a figure of Matplotlib."""
    bars = max(len(panel.series) * len(panel.categories) for panel in chart.panels)
    across = 1 if len(chart.panels) == 1 or bars > WIDE else 2
    down = -(-len(chart.panels) // across)
    width = min(14.0, max(3.6, 1.2 + bars * BAR_INCHES / GROUP_SHARE)) * across
    drawn = Figure(figsize=(width, 0.6 + 3.4 * down), layout="constrained")
    axes = drawn.subplots(down, across, squeeze=False)
    for place, panel in zip(axes.flat, chart.panels, strict=False):
        _draw(place, panel, chart)
    for place in axes.flat[len(chart.panels) :]:
        place.set_visible(False)
    for row in axes:
        row[0].set_ylabel(chart.value_label)
    drawn.suptitle(chart.title, fontsize=11)
    handles, labels = axes.flat[0].get_legend_handles_labels()
    drawn.legend(handles, labels, loc="outside lower center", ncols=len(labels), frameon=False)
    return drawn


def _draw(place: Axes, panel: Panel, chart: BarChart) -> None:
    width = GROUP_SHARE / len(panel.series)
    base = 1.0 if chart.logarithmic else 0.0
    if chart.logarithmic:
        place.set_yscale("log")
    for number, (name, heights) in enumerate(panel.series.items()):
        shift = (number - (len(panel.series) - 1) / 2) * width
        at = [category + shift for category in range(len(heights))]
        drawn = [0.0 if height is None else height - base for height in heights]
        place.bar(at, drawn, width * 0.94, bottom=base, label=name, color=COLOURS[number % len(COLOURS)])
        _write_heights(place, at, heights, base)
    _write_missing(place, panel)
    if chart.reference is not None:
        place.axhline(chart.reference, color="#444444", linewidth=0.8, linestyle=(0, (4, 3)), zorder=0)
    for after in chart.separators:
        place.axvline(after - 0.5, color="#999999", linewidth=0.8)
    place.set_title(panel.title, fontsize=10)
    place.set_xlabel(chart.category_label, fontsize=8)
    place.set_xticks(range(len(panel.categories)), panel.categories, fontsize=8)
    place.set_xlim(-0.6, len(panel.categories) - 0.4)
    place.set_ylim(*_limits(panel, chart.logarithmic))
    place.tick_params(axis="x", length=0)
    place.spines[["top", "right"]].set_visible(False)
    place.grid(axis="y", color="#dddddd", linewidth=0.6)
    place.set_axisbelow(True)


def _limits(panel: Panel, logarithmic: bool) -> tuple[float, float]:
    """Leave room above the bars, and below those that hang, for the numbers."""
    heights = [height for bars in panel.series.values() for height in bars if height is not None]
    highest = max(heights, default=1.0)
    if not logarithmic:
        return 0.0, 1.16 * highest or 1.0
    lowest, highest = min([1.0, *heights]), max(1.0, highest)
    room = (highest / lowest) ** 0.2 + 0.1
    return lowest / (room if lowest < 1 else 1.1), highest * room


def _write_heights(place: Axes, at: Sequence[float], heights: Sequence[float | None], base: float) -> None:
    for position, height in zip(at, heights, strict=True):
        if height is not None:
            down = height < base
            place.annotate(
                three_digits(height),
                (position, height),
                xytext=(0, -2 if down else 2),
                textcoords="offset points",
                rotation=90,
                ha="center",
                va="top" if down else "bottom",
                fontsize=6,
                color="#333333",
                in_layout=False,
            )


def _write_missing(place: Axes, panel: Panel) -> None:
    """Say so where a group has no bar at all, and mark single ones."""
    for category in range(len(panel.categories)):
        heights = [bars[category] for bars in panel.series.values()]
        words = [
            panel.absent[name][category] if name in panel.absent else NOT_AT_HAND for name in panel.series
        ]
        if all(height is None for height in heights) and len(set(words)) == 1:
            _write_at_foot(place, category, words[0])
        else:
            width = GROUP_SHARE / len(heights)
            for number, height in enumerate(heights):
                if height is None:
                    _write_at_foot(place, category + (number - (len(heights) - 1) / 2) * width, words[number])


def _write_at_foot(place: Axes, position: float, text: str) -> None:
    place.annotate(
        text,
        (position, 0.0),
        xycoords=place.get_xaxis_transform(),
        xytext=(0, 3),
        textcoords="offset points",
        rotation=90,
        ha="center",
        va="bottom",
        fontsize=7,
        color="#666666",
        in_layout=False,
    )
