"""Figure 7: how long preprocessing takes, against sorting and dynamic programming."""

from __future__ import annotations

from collections.abc import Iterator

from experiments.papers.hbp.printed import PREPROCESSING
from experiments.papers.hbp.results import Results
from experiments.papers.hbp.subjects import id_of
from experiments.papers.hbp.texts import METHODS
from experiments.papers.kit.charts import bars
from experiments.papers.kit.numbers import geometric_mean
from experiments.papers.kit.results import NOT_MEASURED, MatrixRecord, Record
from experiments.report.comparison import Comparison
from experiments.report.item import BarChart, Item, Verdict

SUMMARY = (
    "How many times longer than with the hash the rows of all blocks take to be put in order on the GPU: "
    "the step alone, and the whole conversion from CRS with it. The baselines do the same work by the same "
    "kernels but for the order: a sort of each block in shared memory, and the dynamic programme, all "
    "blocks at once."
)
AGAINST = ("classes", "sort", "dynamic", "sell", "active")
STAGES = {"order": "order alone", "all": "whole conversion"}


PAIRS = [(method, stage) for stage in STAGES for method in AGAINST if (method, stage) != ("active", "order")]


def make(results: Results) -> Item:
    """Make the item."""
    return results.item(
        "hbp-fig7",
        "Figure 7: preprocessing",
        SUMMARY,
        (
            *(_mean_row(results, *pair) for pair in PAIRS),
            *(_row(results, matrix, *pair) for matrix in results.matrices for pair in PAIRS),
        ),
        chart=_chart(results),
        verdicts=_verdicts(results),
        notes=(
            "The conversion with the hash chooses its numbers, too; the order alone has them already.",
            "A whole conversion is the median of several, timed from the host; asking for memory takes most "
            "of it. “±”: half the range of the middle half of the runs. Means of two measurements, on two "
            "GPUs, differed by a tenth.",
        ),
    )


def _times_longer(results: Results, method: str, stage: str) -> float | None:
    """Return how many times longer than the hash a method takes, as a geometric mean."""
    return geometric_mean(results.ratios(results.matrices, method, "", "hash", stage).values())


def _mean_row(results: Results, method: str, stage: str) -> Comparison:
    printed = PREPROCESSING.get(method, ("", ""))[0] if stage == "all" else ""
    note = "the paper's mean; it does not say which" if printed else ""
    quantity = f"{METHODS[method]} over hash, {STAGES[stage]}"
    return Comparison(
        "geometric mean", quantity, printed, _times_longer(results, method, stage), note, NOT_MEASURED
    )


def _row(results: Results, matrix: MatrixRecord, method: str, stage: str) -> Comparison:
    record = results.record(matrix, method, operation=stage)
    note = "" if record is None else _said(record)
    result = results.ratio(matrix, method, "", "hash", stage)
    return Comparison(
        matrix.label, f"{METHODS[method]} over hash, {STAGES[stage]}", "", result, note, NOT_MEASURED
    )


def _said(record: Record) -> str:
    if not record.median_us:
        return record.remark
    spread = "" if record.spread is None else f" ± {50 * record.spread:.0f} %"
    return f"{record.median_us:.0f} us{spread}"


def _chart(results: Results) -> BarChart:
    panels = tuple(
        bars(
            words,
            results.matrices,
            id_of,
            {METHODS[method]: (method, "", "hash", stage) for method in AGAINST[:-1]},
            lambda matrix, key: results.ratio(matrix, *key),
        )
        for stage, words in STAGES.items()
    )
    return BarChart(
        title="Time of preprocessing over that with the hash",
        value_label="times",
        panels=panels,
        description="Bars of the time of each order over the hash, for each matrix",
        reference=1.0,
        logarithmic=True,
    )


def _verdicts(results: Results) -> Iterator[Verdict]:
    for method, (mean, _) in PREPROCESSING.items():
        ours = _times_longer(results, method, "all")
        yield Verdict(
            f"Preprocessing is {mean} times faster on average than with {METHODS[method]}",
            None if ours is None else ours >= float(mean),
            NOT_MEASURED if ours is None else f"{ours:.2f} times",
        )
