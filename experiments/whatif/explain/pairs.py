"""Two things varied together, those first whose effects depend on each other most."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from experiments.report.comparison import Comparison
from experiments.report.item import Item
from experiments.report.parameter_charts import HeatChart
from experiments.whatif.explain.cells import Cells, Floats, comparable, number, overall
from experiments.whatif.explain.parameters import NO_RESULT, file_name

MOST_PLACES = 400
"""Most combinations of the values of two things; larger pairs have no table."""
MOST_DRAWN = 15
"""Pairs that have a figure; the others have only a table."""


@dataclass(frozen=True, eq=False)
class Pair:
    """Two things, and the speeds with their values.

    Attributes
    ----------
    first, second
        Their names.
    fields
        For each program non-zeros a cycle, float64, an axis for each of them; NaN for no result.
    """

    first: str
    second: str
    fields: Mapping[str, Floats]

    @property
    def interaction(self) -> float:
        """Largest factor between the speed with both changed and what each change alone predicts."""
        return max(map(interaction, self.fields.values()))


def interaction(field: Floats) -> float:
    """Return the largest factor between a field and what its rows and columns predict by themselves.

    Parameters
    ----------
    field
        float64, two axes; what has a NaN in its row or column counts nothing.
    """
    logs = np.log(field)
    logs = logs[~np.isnan(logs).all(axis=1)][:, ~np.isnan(logs).all(axis=0)]
    if not logs.size or np.isnan(logs).any():
        return 1.0
    alone = logs.mean(axis=0) + logs.mean(axis=1, keepdims=True) - logs.mean()
    return float(np.exp(np.abs(logs - alone).max()))


def pairs(cells: Cells) -> list[Item]:
    """Show speed for the values of two things together, a field for each program."""
    results = []
    for first, second in itertools.combinations(cells.several, 2):
        fields = {
            program: _field(cells, place, first, second) for place, program in enumerate(cells.programs)
        }
        size = len(cells.varied[first]) * len(cells.varied[second])
        if size <= MOST_PLACES and not all(np.isnan(field).all() for field in fields.values()):
            results.append(Pair(first, second, fields))
    results.sort(key=lambda pair: -pair.interaction)
    return [_item(cells, pair, has_figure=place < MOST_DRAWN) for place, pair in enumerate(results)]


def _field(cells: Cells, program: int, first: str, second: str) -> Floats:
    """Return the speed of a program for the values of two things: its mean, or that of the fitted surface."""
    model = cells.fits[program]
    if model is None or model.surface is None or model.refusal:
        return np.asarray(1 / overall(comparable(cells.means(program, (first, second)))))
    return np.exp(-model.surface.field(model.names.index(first), model.names.index(second)))


def _item(cells: Cells, pair: Pair, *, has_figure: bool) -> Item:
    first, second = pair.first, pair.second
    title = f"Speed against {first} and {second}"
    chart = HeatChart(
        title=title,
        value_label=cells.speed,
        x_label=second,
        y_label=first,
        columns=cells.varied[second],
        rows=cells.varied[first],
        panels={name: _numbers(field) for name, field in pair.fields.items()},
        description=f"Fields of colour: {title.lower()}, for each program.",
    )
    rows = tuple(
        Comparison(f"{program}, {first}={y}", f"{second}={x}", "", value, absent=NO_RESULT)
        for program, field in chart.panels.items()
        for y, line in zip(chart.rows, field, strict=True)
        for x, value in zip(chart.columns, line, strict=True)
    )
    summary = (
        f"{cells.speed.capitalize()}: geometric means over {cells.over}everything else that was varied. Both "
        f"together change the speed by up to {100 * (pair.interaction - 1):.1f} % otherwise than what each "
        "does by itself would say."
    )
    if errors := [
        model.surface.error
        for model in cells.fits
        if model is not None and model.surface and not model.refusal
    ]:
        summary += (
            " Not every combination was tried: numbers are those of a fitted surface, which predicts samples "
            f"that it has not seen with an error of {100 * float(np.expm1(max(errors))):.2g} %."
        )
    return Item(file_name(first, second), title, summary, rows, chart if has_figure else None)


def _numbers(field: Floats) -> tuple[tuple[float | None, ...], ...]:
    return tuple(tuple(map(number, line)) for line in field.tolist())
