"""Charts by Matplotlib, as SVG and PNG: bars here, the other kinds in separate modules."""

from __future__ import annotations

import io
import textwrap
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import matplotlib
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.backends.backend_svg import FigureCanvasSVG
from matplotlib.figure import Figure

from experiments.report import boxes, heat, lines, pattern, ranges, scatter
from experiments.report.comparison import NOT_FOUND
from experiments.report.drawing import (
    COLOURS,
    FONT,
    LETTER,
    TEXT_POINTS,
    drawable,
    number_logarithmic,
    plain,
    titled,
    write_legend,
    write_near,
)
from experiments.report.item import BarChart, Chart, Panel, PatternChart, ScatterChart
from experiments.report.number_tables import three_digits
from experiments.report.parameter_charts import BoxChart, HeatChart, LineChart, RangeChart

DPI = 160
BAR_INCHES = 0.19
AXIS_INCHES = 1.0
"""Width of what stands left of the bars."""
PANEL_INCHES = 3.2
"""Height of a panel."""
LEAST_INCHES, MOST_INCHES = 3.4, 14.0
"""Width of a panel at least, and of a picture at most."""
GROUP_SHARE = 0.84
"""Share of a group's width that its bars take."""
TITLE_POINTS, NUMBER_POINTS = 11, 7
SETTINGS: dict[Any, Any] = {
    "font.family": FONT,
    "font.size": TEXT_POINTS,
    # A name is no formula, whatever dollar signs are in it.
    "text.parse_math": False,
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
        plot = _figure(drawable(chart))
        plot.draw_without_rendering()
        plot.set_layout_engine("none")  # everything has its place, for both files
        png = _printed(FigureCanvasAgg(plot), "print_png", metadata={"Software": None})
        return Picture(_printed(FigureCanvasSVG(plot), "print_svg", metadata={"Date": None}), png)


def _figure(chart: Chart) -> Figure:
    match chart:
        case BarChart():
            return figure(chart)
        case ScatterChart():
            return scatter.figure(chart)
        case LineChart():
            return lines.figure(chart)
        case RangeChart():
            return ranges.figure(chart)
        case BoxChart():
            return boxes.figure(chart)
        case HeatChart():
            return heat.figure(chart)
        case PatternChart():
            return pattern.figure(chart)


def _printed(canvas: object, method: str, **how: object) -> bytes:
    content = io.BytesIO()
    getattr(canvas, method)(content, **how)
    return content.getvalue()


def figure(chart: BarChart) -> Figure:
    """Make a chart of bars as a figure of Matplotlib."""
    inches = _panel_inches(chart)
    across = _panels_across(len(chart.panels), inches)
    down = -(-len(chart.panels) // across)
    width = inches * across
    title = textwrap.fill(chart.title, int(72 * width / (TITLE_POINTS * LETTER)))
    height = 0.7 + 0.2 * title.count("\n") + PANEL_INCHES * down
    plot = Figure(figsize=(width, height), layout="constrained")
    axes = plot.subplots(down, across, squeeze=False)
    common = _common(chart)
    for place, panel in zip(axes.flat, chart.panels, strict=True):
        _draw(place, panel, chart, common, inches)
    for row in axes:
        row[0].set_ylabel(chart.value_label)
    for place in axes[-1]:
        place.set_xlabel(chart.category_label)
    titled(plot, title)
    write_legend(plot, axes.flat, width)
    return plot


def _panel_inches(chart: BarChart) -> float:
    """Return the width of a panel in which every bar has room for its number."""
    bars = max(len(panel.series) * len(panel.categories) for panel in chart.panels)
    letters = max(
        len(panel.categories) * (1 + max(len(line) for each in panel.categories for line in each.split("\n")))
        for panel in chart.panels
    )
    needed = AXIS_INCHES + max(bars * BAR_INCHES / GROUP_SHARE, letters * TEXT_POINTS * LETTER / 72)
    return min(MOST_INCHES, max(LEAST_INCHES, needed))


def _fitted(categories: Sequence[str], inches: float) -> list[str]:
    """Break labels of groups where they would run into each other."""
    letters = max(1, int(72 * (inches - AXIS_INCHES) / len(categories) / (TEXT_POINTS * LETTER)) - 1)
    return [
        "\n".join(part for line in each.split("\n") for part in textwrap.wrap(line, letters))
        for each in categories
    ]


def _panels_across(panels: int, inches: float) -> int:
    """Return how many panels stand side by side, so that no place stays empty."""
    return next((n for n in (3, 2) if panels % n == 0 and n * inches <= MOST_INCHES), 1)


@dataclass(frozen=True)
class _Common:
    """What all panels of a chart share.

    Attributes
    ----------
    limits
        Lowest and highest number on the axis.
    base
        Where bars begin.
    colours
        By series.
    written
        Writes the height of a bar.
    """

    limits: tuple[float, float]
    base: float
    colours: Mapping[str, str]
    written: Callable[[float], str]


def _common(chart: BarChart) -> _Common:
    heights = [
        height
        for panel in chart.panels
        for bars in panel.series.values()
        for height in bars
        if height is not None
    ]
    limits = _limits(chart, heights)
    base = chart.bars_from if chart.logarithmic and chart.bars_from is not None else limits[0]
    names = dict.fromkeys(name for panel in chart.panels for name in panel.series)
    counts = all(height == int(height) for height in heights)
    return _Common(
        limits,
        base,
        {name: COLOURS[number % len(COLOURS)] for number, name in enumerate(names)},
        "{:,.0f}".format if counts else three_digits,
    )


def _limits(chart: BarChart, heights: Sequence[float]) -> tuple[float, float]:
    """Leave room above the bars, and below those that hang, for the numbers."""
    if not chart.logarithmic:
        return 0.0, 1.2 * max(heights, default=1.0) or 1.0
    base = [] if chart.bars_from is None else [chart.bars_from]
    lowest, highest = min([*heights, *base], default=1.0), max([*heights, *base], default=1.0)
    room = (highest / lowest) ** 0.28 + 0.2
    hanging = chart.bars_from is not None and lowest < chart.bars_from
    return lowest / (room if hanging else 1.4), highest * room


def _draw(place: Axes, panel: Panel, chart: BarChart, common: _Common, inches: float) -> None:
    width = GROUP_SHARE / len(panel.series)
    foot, top = common.limits
    if chart.logarithmic:
        place.set_yscale("log")
        number_logarithmic(place.yaxis, top / foot)
    for number, (name, heights) in enumerate(panel.series.items()):
        shift = (number - (len(panel.series) - 1) / 2) * width
        at = [category + shift for category in range(len(heights))]
        lengths = [0.0 if height is None else height - common.base for height in heights]
        place.bar(at, lengths, width * 0.94, bottom=common.base, label=name, color=common.colours[name])
        _write_heights(place, at, heights, common)
    _write_missing(place, panel)
    if chart.reference is not None:
        label = chart.reference_label or None
        line = place.axhline(chart.reference, label=label, color="#444444", linewidth=0.8, zorder=0)
        line.set_linestyle((0, (4, 3)))
    for after in chart.separators:
        place.axvline(after - 0.5, color="#999999", linewidth=0.8)
    place.set_title(panel.title, loc="left", fontsize=TEXT_POINTS + 1)
    place.set_xticks(range(len(panel.categories)), _fitted(panel.categories, inches))
    place.set_xlim(-0.6, len(panel.categories) - 0.4)
    place.set_ylim(foot, top)
    place.tick_params(axis="x", length=0)
    plain(place, "y")


def _write_heights(
    place: Axes, at: Sequence[float], heights: Sequence[float | None], common: _Common
) -> None:
    for position, height in zip(at, heights, strict=True):
        if height is not None:
            down = height < common.base
            shift, side = (-2, "top") if down else (2, "bottom")
            _write_upright(place, common.written(height), (position, height), shift, va=side, color="#333333")


def _write_missing(place: Axes, panel: Panel) -> None:
    """Write what is missing where a group has no bar at all, and mark single missing bars."""
    for category in range(len(panel.categories)):
        heights = [bars[category] for bars in panel.series.values()]
        words = [panel.absent[name][category] if name in panel.absent else NOT_FOUND for name in panel.series]
        if all(height is None for height in heights) and len(set(words)) == 1:
            _write_at_foot(place, category, words[0])
        else:
            width = GROUP_SHARE / len(heights)
            for number, height in enumerate(heights):
                if height is None:
                    _write_at_foot(place, category + (number - (len(heights) - 1) / 2) * width, words[number])


def _write_at_foot(place: Axes, position: float, text: str) -> None:
    foot = place.get_xaxis_transform()
    _write_upright(place, text, (position, 0.0), 3, va="bottom", color="#666666", xycoords=foot)


def _write_upright(place: Axes, text: str, at: tuple[float, float], above: float, **style: Any) -> None:
    write_near(place, text, at, (0, above), rotation=90, ha="center", fontsize=NUMBER_POINTS, **style)
