"""Pictures of fields of colour over two things, as figures of Matplotlib."""

from __future__ import annotations

import numpy as np
from matplotlib.colors import LogNorm
from matplotlib.figure import Figure

from experiments.report.drawing import number_logarithmic, panels, titled, undermost
from experiments.report.number_tables import three_digits
from experiments.report.parameter_charts import HeatChart

CELL_INCHES = (0.52, 0.34)
LEAST_INCHES = (2.4, 1.6)
MOST_WRITTEN = 150
"""Fields with more places have no numbers in them."""


def figure(chart: HeatChart) -> Figure:
    """Make a chart of fields as a figure of Matplotlib."""
    width = max(LEAST_INCHES[0], CELL_INCHES[0] * len(chart.columns))
    height = max(LEAST_INCHES[1], CELL_INCHES[1] * len(chart.rows))
    inches = width + 0.4, height + 0.6
    plot, axes = panels(len(chart.panels), inches, (1.6, 0.9), sharex=True, sharey=True)
    fields = {name: np.array(rows, dtype=float) for name, rows in chart.panels.items()}
    known = np.concatenate([field[~np.isnan(field)] for field in fields.values()])
    lowest, highest = (float(known.min()), float(known.max())) if known.size else (1.0, 1.0)
    top = max(highest, lowest * 1.01)
    norm = LogNorm(lowest, top)
    shades = None
    for place, (name, field) in zip(axes.flat, fields.items(), strict=False):
        shades = place.imshow(field, norm=norm, cmap="cividis", aspect="auto", origin="lower")
        if field.size <= MOST_WRITTEN:
            for (row, column), value in np.ndenumerate(field):
                text = "-" if np.isnan(value) else three_digits(float(value))
                light = not np.isnan(value) and norm(value) > 0.55
                place.text(
                    column, row, text, ha="center", va="center", fontsize=6.5, color="k" if light else "w"
                )
        place.set_facecolor("#777777")
        place.set_title(name, loc="left", fontsize=10)
        place.set_xticks(range(len(chart.columns)), chart.columns)
        place.set_yticks(range(len(chart.rows)), chart.rows)
        place.tick_params(length=0)
    for place in axes[:, 0]:
        place.set_ylabel(chart.y_label)
    for last in undermost(axes):
        last.set_xlabel(chart.x_label)
        last.tick_params(labelbottom=True)
    if shades is not None:
        bar = plot.colorbar(shades, ax=axes, label=chart.value_label, shrink=0.8)
        number_logarithmic(bar.ax.yaxis, top / lowest)
    titled(plot, chart.title)
    return plot
