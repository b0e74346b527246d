"""Pictures of where matrices have entries, as figures of Matplotlib."""

from __future__ import annotations

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from experiments.report.drawing import COLOURS, panels, titled
from experiments.report.item import PatternChart, PatternPanel

PANEL_INCHES = 3.0


def figure(chart: PatternChart) -> Figure:
    """Make a chart of patterns as a figure of Matplotlib."""
    plot, axes = panels(len(chart.panels), (PANEL_INCHES, PANEL_INCHES + 0.3), (0.4, 0.6))
    for place, panel in zip(axes.flat, chart.panels, strict=False):
        _draw(place, panel)
    titled(plot, chart.title)
    return plot


def _draw(place: Axes, panel: PatternPanel) -> None:
    texts = panel.texts or ("",) * len(panel.entries)
    for (row, column), text in zip(panel.entries, texts, strict=True):
        opacity = 0.35 if text else 1.0
        place.add_patch(Rectangle((column, row), 1, 1, color=COLOURS[0], alpha=opacity, linewidth=0))
        if text:
            place.text(column + 0.5, row + 0.5, text, ha="center", va="center", fontsize=7)
    for at in range(0, panel.side + 1, panel.step if panel.side > panel.step else 1):
        place.axhline(at, color="#999999", linewidth=0.6)
        place.axvline(at, color="#999999", linewidth=0.6)
    place.set_xlim(0, panel.side)
    place.set_ylim(panel.side, 0)
    place.set_aspect("equal")
    place.set_xticks([])
    place.set_yticks([])
    place.set_title(panel.title, fontsize=9)
