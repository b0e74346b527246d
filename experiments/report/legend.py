"""What the colours of a picture mean, below it, in as many columns as fit."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure

TEXT_POINTS = 9
LETTER = 0.62
"""Width of a letter as a share of its size, on average."""
KEY_POINTS = 46
"""Width of a key of the legend with the room around it."""


def write_legend(drawn: Figure, axes: Iterable[Axes], inches: float) -> None:
    """Write each label of the panels once.

    Parameters
    ----------
    drawn, axes
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
    drawn.legend(handles.values(), handles.keys(), loc="outside lower left", ncols=columns, frameon=False)
