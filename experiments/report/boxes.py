"""Pictures of boxes around medians (box plots), as figures of Matplotlib."""

from __future__ import annotations

from matplotlib.figure import Figure

from experiments.report.drawing import COLOURS, plain, titled
from experiments.report.parameter_charts import BoxChart

HEIGHT, AXIS_INCHES, BOX_INCHES = 4.2, 1.6, 0.5
BOX_SHARE = 0.62
STATISTICS = ("whislo", "q1", "med", "q3", "whishi")
"""What Matplotlib calls the five numbers of a box."""


def figure(chart: BoxChart) -> Figure:
    """Make a box plot as a figure of Matplotlib, from statistics alone."""
    plot = Figure(figsize=(AXIS_INCHES + BOX_INCHES * len(chart.boxes), HEIGHT), layout="constrained")
    place = plot.subplots()
    place.bxp(
        [dict(zip(STATISTICS, box, strict=True)) for box in chart.boxes.values()],
        positions=range(len(chart.boxes)),
        widths=BOX_SHARE,
        showfliers=False,
        patch_artist=True,
        boxprops={"facecolor": COLOURS[5], "edgecolor": COLOURS[0]},
        medianprops={"color": COLOURS[0], "linewidth": 1.6},
    )
    place.set_xticks(range(len(chart.boxes)), list(chart.boxes), rotation=40, ha="right")
    place.set_ylim(bottom=0)
    place.set_ylabel(chart.value_label)
    place.tick_params(axis="x", length=0)
    plain(place, "y")
    titled(plot, chart.title)
    return plot
