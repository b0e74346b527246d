"""Pictures of numbers that vary: lines, ranges around a line, boxes of statistics, and fields of colour."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

Spread = tuple[float, float] | None
"""Lower and upper end; None where there is no number."""


@dataclass(frozen=True)
class LineChart:
    """Numbers over the values of one thing, with their spread; the axis up is logarithmic.

    Attributes
    ----------
    title
        What it says above.
    value_label, category_label
        What the axes are, with their units.
    categories
        The values, evenly spaced.
    series
        Numbers by the name of the series, one for each value.
    bands
        Around each of them, by the name of the series.
    description
        What it shows, for those who cannot see it.
    """

    title: str
    value_label: str
    category_label: str
    categories: tuple[str, ...]
    series: Mapping[str, tuple[float | None, ...]]
    bands: Mapping[str, tuple[Spread, ...]]
    description: str


@dataclass(frozen=True)
class Range:
    """A bar from one number to another, with what stands at its ends."""

    low: float
    high: float
    low_label: str
    high_label: str


@dataclass(frozen=True)
class RangeChart:
    """Bars across around a line at 1, the longest first, in panels side by side; logarithmic.

    Attributes
    ----------
    title
        What it says above all panels.
    value_label
        What the axis across is.
    labels
        Of the bars, from the top.
    panels
        For each panel, by its title, a bar for each label; None for none.
    description
        What it shows, for those who cannot see it.
    """

    title: str
    value_label: str
    labels: tuple[str, ...]
    panels: Mapping[str, tuple[Range | None, ...]]
    description: str


Five = tuple[float, float, float, float, float]
"""Least, lower quartile, median, upper quartile, greatest."""


@dataclass(frozen=True)
class BoxChart:
    """Boxes from the lower to the upper quartile with a line at the median, and lines to the extremes.

    Attributes
    ----------
    title
        What it says above.
    value_label
        What the axis up is, with its unit.
    boxes
        By their labels, from the left.
    description
        What it shows, for those who cannot see it.
    """

    title: str
    value_label: str
    boxes: Mapping[str, Five]
    description: str


@dataclass(frozen=True)
class HeatChart:
    """Fields of numbers over the values of two things, in panels side by side with one scale of colours.

    Attributes
    ----------
    title
        What it says above all panels.
    value_label
        What the numbers are, with their unit.
    x_label, y_label
        The things.
    columns, rows
        Their values; rows from the foot.
    panels
        For each panel, by its title, rows of numbers; None where there is no number.
    description
        What it shows, for those who cannot see it.
    """

    title: str
    value_label: str
    x_label: str
    y_label: str
    columns: tuple[str, ...]
    rows: tuple[str, ...]
    panels: Mapping[str, tuple[tuple[float | None, ...], ...]] = field(default_factory=dict)
    description: str = ""
