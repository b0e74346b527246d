"""Speed against one thing varied, and what matters most."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import numpy as np

from experiments.report.comparison import Comparison
from experiments.report.item import Item
from experiments.report.parameter_charts import LineChart, Range, RangeChart
from experiments.whatif.explain.cells import Cells, Floats, comparable, number, overall
from experiments.whatif.explain.effects import CONFIDENCE, not_ranked
from experiments.whatif.explain.surface import Surface
from experiments.whatif.sweep.specification import OPTION
from vecsim.support.suggestions import counted

FEWEST_MATRICES = 4
"""Of fewer neither an interval nor a line through them says anything."""
NO_RESULT = "no result"


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
        columns = {program: median}
        if not cells.is_of_texts:
            bands[program] = tuple(
                None if np.isnan(a) else (float(a), float(b)) for a, b in zip(low, high, strict=True)
            )
            columns |= {f"{program}, lower quartile": low, f"{program}, upper quartile": high}
        columns |= {f"{program}, {cells.time}": overall(means)}
        rows += [
            Comparison(value, message, "", number(float(column[at])), absent=NO_RESULT)
            for message, column in columns.items()
            for at, value in enumerate(values)
        ]
    title = f"Speed against {name}"
    chart = LineChart(
        title=title,
        value_label=cells.speed,
        category_label=name,
        categories=values,
        series=series,
        bands=bands,
        description=f"Lines: {title.lower()}, for each program"
        f"{'' if cells.is_of_texts else ', in a band of half of the matrices'}.",
    )
    summary = (
        "Runs in a million cycles: the geometric mean over everything else that was varied."
        if cells.is_of_texts
        else "Non-zeros a cycle, for each matrix the geometric mean over everything else that was varied: "
        f"the median of {counted(len(cells.matrices), 'matrix')} and, as a band, their quartiles. "
        "Cycles a non-zero are geometric means over the matrices, too."
    )
    gaps = tuple(_refused(cells).values())
    return Item(file_name(name), title, summary, tuple(rows), chart, gaps=gaps)


def _quartiles(speeds: Floats) -> Floats:
    if not speeds.shape[-1]:
        return np.full((3, len(speeds)), np.nan)
    return np.asarray(np.quantile(speeds, (0.25, 0.5, 0.75), axis=-1))


def what_matters(cells: Cells) -> Item:
    """Show how far each thing varied moves the speed, what moves it farthest first: a tornado diagram.

    Where not every combination was tried, effects are those of a fitted surface, with their intervals, and
    programs that it does not fit are left out (`experiments.whatif.explain.effects`).
    """
    refused = _refused(cells)
    ranked = [program for program in cells.programs if program not in refused]
    bars = {name: _bars(cells, name, ranked) for name in cells.several}
    order = sorted(cells.several, key=lambda name: -max(map(_length, bars[name].values()), default=0.0))
    rows = []
    for name, program in itertools.product(order, cells.programs):
        interval = _interval(cells, program, name) if program in ranked else None
        label = f"{name.removeprefix(OPTION)}: {program}"
        rows += _rows(
            label, bars[name].get(program), interval, "not ranked" if program in refused else NO_RESULT
        )
    rows += [
        Comparison(program, message, "", value)
        for program, model in zip(cells.programs, cells.fits, strict=True)
        if model is not None and model.surface is not None
        for message, value in _quality(model.surface).items()
    ]
    panels = {program: tuple(bars[name].get(program) for name in order) for program in ranked}
    title = "What matters most"
    chart = RangeChart(
        title=title,
        value_label="relative speed",
        labels=tuple(name.removeprefix(OPTION) for name in order),
        panels=panels,
        description="Bars: from the slowest to the fastest value of each thing varied, the longest first.",
    )
    gaps = tuple(refused.values())
    return Item(
        "sweep-what-matters", title, _summary(cells), tuple(rows), chart if ranked else None, gaps=gaps
    )


def _quality(surface: Surface) -> dict[str, float]:
    """Return how well a surface fits."""
    return {
        "R2 of the fitted surface": surface.explained,
        "R2, each sample predicted from the others": max(surface.predicted, 0.0),
        "error of such a prediction, as a factor": float(np.exp(surface.error)),
    }


def _refused(cells: Cells) -> dict[str, str]:
    """Return the programs whose effects cannot be separated, each with a sentence on the reason."""
    return {
        program: not_ranked(program, model)
        for program, model in zip(cells.programs, cells.fits, strict=True)
        if model is not None and model.refusal
    }


def _summary(cells: Cells) -> str:
    message = (
        "For each thing that was varied the speed with its slowest and with its fastest value, over that of "
        f"all values together (one at a time: of the machine as it is). Geometric means over {cells.over}"
        "everything else that was varied; the values stand at the ends of the bars."
    )
    if all(model is None for model in cells.fits):
        if len(cells.matrices) < FEWEST_MATRICES:
            return message
        return (
            f"{message} Intervals, in brackets, are those of the mean over matrices like these, with "
            f"{CONFIDENCE:.0%} confidence each."
        )
    return (
        f"{message} Not every combination was tried, so effects are separated by a surface fitted to the "
        f"logarithm of the cycles. Its intervals, in brackets, hold together with {CONFIDENCE:.0%} "
        "confidence; two things whose intervals overlap cannot be ranked."
    )


def _bars(cells: Cells, name: str, programs: Sequence[str]) -> dict[str, Range]:
    """Return the slowest and the fastest value of a thing for each program that has two with a result."""
    result = {}
    for program in programs:
        speeds = _speeds(cells, cells.programs.index(program), name)
        known = [at for at, speed in enumerate(speeds) if not np.isnan(speed)]
        if len(known) > 1:
            low, high = (pick(known, key=lambda at: speeds[at]) for pick in (min, max))
            message, fastest = cells.varied[name], cells.varied[name][high]
            if (interval := _interval(cells, program, name)) is not None:
                fastest += f" ({interval[0]:.2f} to {interval[1]:.2f} times)"
            result[program] = Range(float(speeds[low]), float(speeds[high]), message[low], fastest)
    return result


def _interval(cells: Cells, program: str, name: str) -> tuple[float, float] | None:
    """Return the interval of the ratio of speeds with the fastest and the slowest value of a thing.

    It is that of the fitted surface. Without one, of the mean over matrices like these, by Student's t.
    """
    place = cells.programs.index(program)
    model = cells.fits[place]
    if model is not None:
        return model.effects[name].low, model.effects[name].high
    logs = np.log(comparable(cells.means(place, (name,))))
    known = logs[~np.isnan(logs).any(axis=1)]
    matrices = known.shape[1]
    if len(known) < 2 or matrices < FEWEST_MATRICES:
        return None
    of = known.mean(axis=1)
    ratios = known[of.argmax()] - known[of.argmin()]
    from scipy.stats import t

    half = t.ppf((1 + CONFIDENCE) / 2, matrices - 1) * ratios.std(ddof=1) / np.sqrt(matrices)
    return float(np.exp(ratios.mean() - half)), float(np.exp(ratios.mean() + half))


def _rows(
    label: str, bar: Range | None, interval: tuple[float, float] | None, absent: str
) -> list[Comparison]:
    note = f"slowest {bar.low_label}, fastest {bar.high_label.partition(' (')[0]}" if bar else ""
    numbers = {
        "fastest / slowest": _length(bar) if bar else None,
        "slowest": bar.low if bar else None,
        "fastest": bar.high if bar else None,
    }
    if interval is not None:
        low, high = interval
        numbers |= {"fastest / slowest, at least": low, "fastest / slowest, at most": high}
    return [
        Comparison(label, message, "", value, note=note, absent=absent) for message, value in numbers.items()
    ]


def _length(bar: Range) -> float:
    return bar.high / bar.low


def _speeds(cells: Cells, program: int, name: str) -> Floats:
    """Return speeds with the values of a thing, over that of all together or of the machine as it is."""
    model = cells.fits[program]
    if model is not None:
        return np.exp(-model.effects[name].levels)
    means, base = cells.means(program, (name,)), cells.unchanged(program)
    if np.isnan(base).all():
        result = overall(comparable(means))
        return np.asarray(
            np.exp(np.nanmean(np.log(result))) / result if not np.isnan(result).all() else result
        )
    together = overall(comparable(np.vstack([base, means])))
    return np.asarray(together[0] / together[1:])
