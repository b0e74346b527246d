"""Panels in rows, plain frames, and logarithmic axes with numbers that can be read: 0.5, 1, 2."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.figure import Figure
from matplotlib.ticker import LogLocator, NullFormatter, StrMethodFormatter

DECADES_ALONE = 1000
"""How far an axis must reach, as a factor, for powers of ten to be numbers enough."""


ACROSS = 3
"""Panels side by side."""


def in_rows(count: int) -> tuple[int, int]:
    """Return how many panels stand one below the other, and side by side."""
    across = min(ACROSS, count)
    return -(-count // across), across


def titled(drawn: Figure, title: str) -> None:
    """Write the title of a figure to the left, where a narrow screen begins."""
    drawn.suptitle(title, x=0.01, ha="left", fontsize=11)


def plain(
    place: Axes, grid: Literal["x", "y", "both"] = "both", *, without: Sequence[str] = ("top", "right")
) -> None:
    """Draw grey lines behind, and no frame on some sides."""
    place.spines[list(without)].set_visible(False)
    place.grid(axis=grid, color="#dddddd", linewidth=0.6)
    place.set_axisbelow(True)


def number_logarithmic(axis: Axis, reach: float) -> None:
    """Put numbers at 1, 2 and 5 of each decade of a logarithmic axis, or at powers of ten alone.

    Parameters
    ----------
    axis
        Its scale is logarithmic already.
    reach
        The highest number on it over the lowest.
    """
    axis.set_major_locator(LogLocator(base=10, subs=(1.0,) if reach > DECADES_ALONE else (1, 2, 5)))
    axis.set_major_formatter(StrMethodFormatter("{x:g}"))
    axis.set_minor_formatter(NullFormatter())
