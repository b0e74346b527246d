"""Panels of bars, a group for each matrix and a bar for each method."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TypeVar

from experiments.report.item import Panel

T = TypeVar("T")
K = TypeVar("K")


def bars(
    title: str,
    groups: Iterable[T],
    category: Callable[[T], str],
    series: Mapping[str, K],
    height: Callable[[T, K], float | None],
    absent: Callable[[T, K], str] | None = None,
) -> Panel:
    """Make a panel.

    Parameters
    ----------
    title
        What it says above.
    groups
        The things below the axis.
    category
        Labels one of them.
    series
        What the bars of a group are of, by their names in the legend.
    height, absent
        Of a thing and a series: the height; what stands in its place where there is none.
    """
    things = tuple(groups)
    heights = {name: tuple(height(thing, key) for thing in things) for name, key in series.items()}
    words = (
        {name: tuple(absent(thing, key) for thing in things) for name, key in series.items()}
        if absent
        else {}
    )
    return Panel(title, tuple(map(category, things)), heights, words)
