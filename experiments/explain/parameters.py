"""Speed against one thing varied, and what matters most."""

from __future__ import annotations

import itertools

import numpy as np

from experiments.comparison import Comparison
from experiments.explain.cells import OPTION, Cells, Floats, comparable, number, overall
from experiments.report.item import Item
from experiments.report.parameter_charts import LineChart, Range, RangeChart

NO_RESULT = "no result"
SPEED = "non-zeros a cycle"


def file_name(*names: str) -> str:
    """Name the files of what shows some things varied."""
    return "-".join(("sweep", *(name.removeprefix(OPTION) for name in names)))


def against(cells: Cells, name: str) -> Item:
    """Show speed against one thing varied: the medians of the matrices, and their quartiles."""
    values = cells.varied[name]
    series: dict[str, tuple[float | None, ...]] = {}
    bands = {}
    rows = []
    for place, program in enumerate(cells.programs):
        means = comparable(cells.means(place, (name,)))
        low, median, high = _quartiles(1 / means)
        series[program] = tuple(map(number, median))
        bands[program] = tuple(
            None if np.isnan(a) else (float(a), float(b)) for a, b in zip(low, high, strict=True)
        )
        columns = {
            program: median,
            f"{program}, lower quartile": low,
            f"{program}, upper quartile": high,
            f"{program}, cycles a non-zero": overall(means),
        }
        rows += [
            Comparison(value, told, "", number(float(column[at])), absent=NO_RESULT)
            for told, column in columns.items()
            for at, value in enumerate(values)
        ]
    title = f"Speed against {name}"
    chart = LineChart(
        title=title,
        value_label=SPEED,
        category_label=name,
        categories=values,
        series=series,
        bands=bands,
        description=f"Lines: {title.lower()}, for each program, in a band of half of the matrices.",
    )
    summary = (
        "Non-zeros a cycle, for each matrix the geometric mean over everything else that was varied: the "
        f"median of {len(cells.matrices)} matrices and, as a band, their quartiles. Cycles a non-zero are "
        "geometric means over the matrices, too."
    )
    return Item(file_name(name), title, summary, tuple(rows), chart)


def _quartiles(speeds: Floats) -> Floats:
    if not speeds.shape[-1]:
        return np.full((3, len(speeds)), np.nan)
    return np.asarray(np.quantile(speeds, (0.25, 0.5, 0.75), axis=-1))


def what_matters(cells: Cells) -> Item:
    """Show how far each thing varied moves the speed, what moves it farthest first: a tornado diagram."""
    bars: dict[str, dict[str, Range]] = {name: {} for name in cells.several}
    rows = []
    for name, (place, program) in itertools.product(cells.several, enumerate(cells.programs)):
        speeds = _speeds(cells, place, name)
        known = [at for at, speed in enumerate(speeds) if not np.isnan(speed)]
        if len(known) > 1:
            low, high = (pick(known, key=lambda at: speeds[at]) for pick in (min, max))
            bars[name][program] = Range(
                float(speeds[low]), float(speeds[high]), cells.varied[name][low], cells.varied[name][high]
            )
    order = sorted(cells.several, key=lambda name: -max(map(_length, bars[name].values()), default=0.0))
    for name, program in itertools.product(order, cells.programs):
        bar = bars[name].get(program)
        label = name.removeprefix(OPTION)
        for told, value in (
            ("fastest / slowest", _length(bar) if bar else None),
            ("slowest", bar.low if bar else None),
            ("fastest", bar.high if bar else None),
        ):
            note = f"slowest {bar.low_label}, fastest {bar.high_label}" if bar else ""
            rows.append(Comparison(f"{label}: {program}", told, "", value, note=note, absent=NO_RESULT))
    labels = tuple(name.removeprefix(OPTION) for name in order)
    panels = {program: tuple(bars[name].get(program) for name in order) for program in cells.programs}
    title = "What matters most"
    chart = RangeChart(
        title=title,
        value_label="relative speed",
        labels=labels,
        panels=panels,
        description="Bars: from the slowest to the fastest value of each thing varied, the longest first.",
    )
    summary = (
        "For each thing that was varied the speed with its slowest and with its fastest value, over that of "
        "all values together (one at a time: of the machine as it is). Geometric means over all matrices and "
        "everything else that was varied; the values stand at the ends of the bars."
    )
    return Item("sweep-what-matters", title, summary, tuple(rows), chart)


def _length(bar: Range) -> float:
    return bar.high / bar.low


def _speeds(cells: Cells, program: int, name: str) -> Floats:
    """Give speeds with the values of a thing, over that of all together or of the machine as it is."""
    means, base = cells.means(program, (name,)), cells.unchanged(program)
    if np.isnan(base).all():
        found = overall(comparable(means))
        return np.asarray(np.exp(np.nanmean(np.log(found))) / found if not np.isnan(found).all() else found)
    together = overall(comparable(np.vstack([base, means])))
    return np.asarray(together[0] / together[1:])
