"""Figure 7: how long preprocessing takes, against sorting and dynamic programming."""

from __future__ import annotations

from experiments.papers.hbp.printed import PREPROCESSING
from experiments.papers.hbp.results import MatrixRecord, PreparationRecord, Results
from experiments.papers.hbp.texts import ABSENT, METHODS, NOT_MEASURED, NOTHING, label, number_of
from experiments.papers.pellr.speeds import geometric_mean
from experiments.report.comparison import Comparison
from experiments.report.item import BarChart, Item, Panel, Verdict

NAME, TITLE = "hbp-fig7", "Figure 7: preprocessing"
SUMMARY = (
    "How many times longer than with the hash the rows of all blocks take to be put in order on the GPU: "
    "the step alone, and the whole conversion from CRS with it. The baselines do the same work by the same "
    "kernels but for the order: a sort of each block in shared memory, and the dynamic programme, all "
    "blocks at once."
)
AGAINST = ("classes", "sort", "dynamic", "sell", "active")
STAGES = {"order": "order alone", "all": "whole conversion"}


def make(results: Results | None) -> Item:
    """Make the item."""
    if results is None:
        return Item(NAME, TITLE, SUMMARY, (), gaps=(NOTHING,))
    measured = bool(results.preparations)
    pairs = [
        (method, stage) for stage in STAGES for method in AGAINST if (method, stage) != ("active", "order")
    ]
    rows = [_mean_row(results, method, stage) for method, stage in pairs]
    for matrix in results.matrices if measured else ():
        rows += [_row(results, matrix, method, stage) for method, stage in pairs]
    return Item(
        NAME,
        TITLE,
        SUMMARY,
        tuple(rows),
        chart=_chart(results) if measured else None,
        verdicts=_verdicts(results),
        gaps=() if measured else (NOT_MEASURED,),
        notes=(
            "The conversion with the hash chooses its numbers, too; the order alone has them already.",
            "A whole conversion is the median of several, timed from the host; asking for memory takes most "
            "of it. “±”: half the range of the middle half of the runs. Means of two measurements, on two "
            "GPUs, differed by a tenth.",
        ),
    )


def ratio(results: Results, matrix: str, method: str, stage: str) -> float | None:
    """Give how many times longer a method takes than the hash; None if either was not measured.

    Parameters
    ----------
    results
        What was measured.
    matrix, method, stage
        As of `PreparationRecord`.
    """
    times = {
        each.method: each.median_us
        for each in results.preparations
        if (each.matrix, each.stage) == (matrix, stage) and each.median_us
    }
    hashed, other = times.get("hash"), times.get(method)
    return other / hashed if hashed and other else None


def _ratios(results: Results, method: str, stage: str) -> list[float]:
    found = (ratio(results, matrix.name, method, stage) for matrix in results.matrices)
    return [each for each in found if each is not None]


def _mean_row(results: Results, method: str, stage: str) -> Comparison:
    mean = geometric_mean(_ratios(results, method, stage))
    printed = PREPROCESSING.get(method, ("", ""))[0] if stage == "all" else ""
    note = "the paper's mean; it does not say which" if printed else ""
    return Comparison(
        "geometric mean", f"{METHODS[method]} over hash, {STAGES[stage]}", printed, mean, note, ABSENT
    )


def _row(results: Results, matrix: MatrixRecord, method: str, stage: str) -> Comparison:
    note = ""
    for each in results.preparations:
        if (each.matrix, each.method, each.stage) == (matrix.name, method, stage):
            note = _said(each)
    found = ratio(results, matrix.name, method, stage)
    return Comparison(label(matrix), f"{METHODS[method]} over hash, {STAGES[stage]}", "", found, note, ABSENT)


def _said(record: PreparationRecord) -> str:
    if not record.median_us:
        return f"{record.status}: {record.reason}"
    spread = "" if record.spread is None else f" ± {50 * record.spread:.0f} %"
    return f"{record.median_us:.0f} us{spread}"


def _chart(results: Results) -> BarChart:
    names = tuple(map(number_of, results.matrices))
    panels = tuple(
        Panel(
            words,
            names,
            {
                METHODS[method]: tuple(ratio(results, each.name, method, stage) for each in results.matrices)
                for method in AGAINST[:-1]
            },
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


def _verdicts(results: Results) -> tuple[Verdict, ...]:
    found = []
    for method, (mean, _) in PREPROCESSING.items():
        ours = geometric_mean(_ratios(results, method, "all"))
        found.append(
            Verdict(
                f"Preprocessing is {mean} times faster on average than with {METHODS[method]}",
                None if ours is None else ours >= float(mean),
                ABSENT if ours is None else f"{ours:.2f} times",
            )
        )
    return tuple(found)
