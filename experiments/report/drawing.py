"""What pictures share: panels and axes, colours, legends, and texts that Matplotlib can draw."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields, is_dataclass, replace
from functools import cache
from typing import Any, Literal, TypeVar, cast

from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.figure import Figure
from matplotlib.font_manager import findfont, get_font
from matplotlib.ticker import LogLocator, NullFormatter, StrMethodFormatter

from vecsim.support.shown_text import printable

DECADES_ALONE = 1000
"""How far an axis must reach, as a factor, for powers of ten to be numbers enough."""


ACROSS = 3
"""Panels side by side."""


def panels(
    count: int, inches: tuple[float, float], margin: tuple[float, float], **shared: Any
) -> tuple[Figure, Any]:
    """Return a figure with panels, and their axes in rows; places that are left over are not seen.

    Parameters
    ----------
    count
        How many panels.
    inches, margin
        Width and height of a panel, and of what stands next to all of them.
    shared
        Which axes panels have in common, as Matplotlib calls it.
    """
    across = min(ACROSS, count)
    down = -(-count // across)
    size = margin[0] + inches[0] * across, margin[1] + inches[1] * down
    plot = Figure(figsize=size, layout="constrained")
    axes = plot.subplots(down, across, squeeze=False, **shared)
    for place in axes.flat[count:]:
        place.set_visible(False)
    return plot, axes


def undermost(axes: Any) -> list[Axes]:
    """Return the lowest panel of each column."""
    return [[place for place in column if place.get_visible()][-1] for column in axes.T]


def write_near(
    place: Axes, text: str, at: tuple[float, float], shift: tuple[float, float], **style: Any
) -> None:
    """Write a text next to a point; it takes no room from the panel.

    Parameters
    ----------
    place, text
        The panel, and what is written into it.
    at
        The point, in the units of the axes.
    shift
        How far from there, in points of printing.
    style
        As of `Axes.annotate`.
    """
    place.annotate(text, at, xytext=shift, textcoords="offset points", in_layout=False, **style)


def titled(plot: Figure, title: str) -> None:
    """Write the title of a figure to the left, where a narrow screen begins."""
    plot.suptitle(title, x=0.01, ha="left", fontsize=11)


def plain(
    place: Axes, grid: Literal["x", "y", "both"] = "both", *, without: Sequence[str] = ("top", "right")
) -> None:
    """Draw grey lines after, and no frame on some sides."""
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


COLOURS = ("#4D4D4D", "#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#F0E442")
"""Okabe and Ito's colours, grey for their black: distinct for all kinds of colour vision."""


TEXT_POINTS = 9
LETTER = 0.62
"""Width of a letter as a share of its size, on average."""
KEY_POINTS = 46
"""Width of a key of the legend with the room around it."""


def write_legend(plot: Figure, axes: Iterable[Axes], inches: float) -> None:
    """Write each label of the panels once.

    Parameters
    ----------
    plot, axes
        The figure, and its panels.
    inches
        Its width.
    """
    handles: dict[str, Any] = {}
    for place in axes:
        for handle, label in zip(*place.get_legend_handles_labels(), strict=True):
            handles.setdefault(label, handle)
    column = KEY_POINTS + TEXT_POINTS * LETTER * max(map(len, handles), default=0)
    columns = max(1, min(len(handles), int(72 * inches / column)))
    plot.legend(handles.values(), handles.keys(), loc="outside lower left", ncols=columns, frameon=False)


FONT = "DejaVu Sans"
LONGEST_WORD = 48
"""Letters of a word in a picture; a longer one would leave no room for anything else."""
_LONG_WORD = re.compile(rf"\S{{{LONGEST_WORD + 1},}}")
_BEGIN, _END = 28, 16

T = TypeVar("T")


def drawable(chart: T) -> T:
    r"""Return a chart with letters that `FONT` lacks written as ``\u6f22``, and with long words cut."""
    result: Any = chart
    if isinstance(chart, str):
        result = _LONG_WORD.sub(lambda word: f"{word[0][:_BEGIN]}...{word[0][-_END:]}", _with_font(chart))
    elif is_dataclass(chart) and not isinstance(chart, type):
        result = replace(chart, **{each.name: drawable(getattr(chart, each.name)) for each in fields(chart)})
    elif isinstance(chart, Mapping):
        result = {}
        for key, value in chart.items():
            _add(result, drawable(key), drawable(value))
    elif isinstance(chart, tuple | list):
        result = type(chart)(drawable(each) for each in chart)
    return cast("T", result)


def _add(result: dict[Any, Any], key: Any, value: Any) -> None:
    """Add a value under a key; if the key is taken, under the key and a number."""
    name, number = key, 1
    while name in result:
        number += 1
        name = f"{key} ({number})"
    result[name] = value


def _with_font(text: str) -> str:
    if text.isascii() and text.isprintable():
        return text
    return "".join(c if c == "\n" or _has(c) else ascii(c)[1:-1] for c in printable(text))


@cache
def _has(letter: str) -> bool:
    return letter.isprintable() and get_font(findfont(FONT)).get_char_index(ord(letter)) > 0
