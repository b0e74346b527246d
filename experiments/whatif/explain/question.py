"""The answer to the question of a sweep: the ratio of two programs' cycles for each combination of values."""

from __future__ import annotations

import itertools

from experiments.report.comparison import Comparison
from experiments.report.item import Item
from experiments.report.parameter_charts import HeatChart
from experiments.whatif.explain.cells import Cells
from experiments.whatif.sweep.answer import Answer, answer
from experiments.whatif.sweep.question import Question
from vecsim.support.errors import UserError

NAME = "sweep-question"


def answered(cells: Cells, question: Question) -> Item:
    """Show where the answer is yes, no or uncertain, with the ratio of cycles, computed or predicted."""
    title = f"Where {question}"
    try:
        result = answer(question, cells.factors, cells.ratios)
    except UserError as error:
        return Item(NAME, title, "No answer.", (), gaps=(f"{title}: {error}.",))
    ratio = f"cycles of {question.first} / cycles of {question.second}"
    rows = tuple(
        Comparison(
            ", ".join(f"{name}={value}" for name, value in zip(cells.varied, values, strict=True)),
            ratio,
            "",
            float(result.ratios[at]),
            note="yes" if result.yes[at] else "no" if result.no[at] else "uncertain",
        )
        for at, values in enumerate(itertools.product(*cells.varied.values()))
    )
    uncertain = int((~result.yes & ~result.no).sum())
    means = "" if cells.is_of_texts else "Geometric means over the matrices. "
    summary = (
        f"{means}What was not computed is predicted by a Gaussian process through the logarithms; an answer "
        "is certain where the prediction is three standard deviations from the threshold. "
        f"{len(cells.ratios):,} of {len(rows):,} combinations were computed, {uncertain:,} answers are "
        "uncertain."
    )
    return Item(NAME, title, summary, rows, _chart(cells, result, title, ratio))


def _chart(cells: Cells, result: Answer, title: str, ratio: str) -> HeatChart | None:
    if len(cells.varied) != 2:
        return None
    (first, rows), (second, columns) = cells.varied.items()
    field = result.ratios.reshape(len(rows), len(columns))
    return HeatChart(
        title=title,
        value_label=ratio,
        x_label=second,
        y_label=first,
        columns=columns,
        rows=rows,
        panels={str(result.question): tuple(tuple(map(float, line)) for line in field.tolist())},
        description=f"A field of colour: {ratio} for each combination of {first} and {second}.",
    )
