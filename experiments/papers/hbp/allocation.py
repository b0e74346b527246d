"""Section III-C: which blocks are allocated to warps beforehand, and which they compete for."""

from __future__ import annotations

from collections.abc import Iterator

from experiments.papers.hbp.means import mean_row
from experiments.papers.hbp.results import Results
from experiments.papers.hbp.subjects import id_of
from experiments.papers.hbp.texts import ALLOCATED
from experiments.papers.kit.charts import bars
from experiments.papers.kit.measurement import DTYPES
from experiments.papers.kit.numbers import mean_ratio
from experiments.papers.kit.results import NOT_MEASURED
from experiments.report.comparison import Comparison
from experiments.report.item import BarChart, Item, Verdict

BY_SIZE = "hbp-probing"
SUMMARY = (
    "A part of the blocks is fixed: as many for each warp, neighbours of one column of blocks where that can "
    "be. Warps that have finished theirs compete for the others with a ticket. The paper says that the "
    "division “bases on the scale of the input sparse matrix and the number of threads allocated” and that "
    "the fixed part has an equal number for each warp. So by size all blocks are fixed that can be handed "
    "out in equal numbers, and the rest is competitive. HBP as published, otherwise the same, microseconds."
)


def make(results: Results) -> Item:
    """Make the item."""
    return results.item(
        "hbp-allocation",
        "Section III-C: fixed and competitive blocks",
        SUMMARY,
        (*_mean_rows(results), *_time_rows(results)),
        chart=_chart(results),
        verdicts=_verdicts(results),
        notes=(
            "The paper prints no formula. Half fixed was the rule of earlier versions of this product.",
            "Eight warps share a segment of x here, and a share of neighbouring blocks is handed out to them "
            "at once; within it they draw blocks. So a part of the balance is made within shares.",
        ),
    )


def _mean_rows(results: Results) -> Iterator[Comparison]:
    for dtype in DTYPES:
        for method in tuple(ALLOCATED)[1:]:
            ratios = results.ratios(results.matrices, method, dtype, BY_SIZE)
            yield mean_row(f"{ALLOCATED[method]}, over fixed by size, time, {dtype}", ratios)


def _time_rows(results: Results) -> Iterator[Comparison]:
    for matrix in results.matrices:
        for dtype in DTYPES:
            for method, words in ALLOCATED.items():
                record = results.record(matrix, method, dtype)
                yield Comparison(
                    matrix.label,
                    f"{words}, us, {dtype}",
                    "",
                    None if record is None else record.median_us,
                    "" if record is None else record.remark,
                    results.absent(matrix, method, dtype) or NOT_MEASURED,
                )


def _chart(results: Results) -> BarChart:
    panels = tuple(
        bars(
            dtype,
            results.matrices,
            id_of,
            {ALLOCATED[method]: (method, dtype, BY_SIZE) for method in tuple(ALLOCATED)[1:]},
            lambda matrix, key: results.ratio(matrix, *key),
        )
        for dtype in DTYPES
    )
    return BarChart(
        title="Time of the product over that with blocks fixed by size",
        value_label="times",
        panels=panels,
        description="Bars of the time with each allocation, for each matrix",
        reference=1.0,
        logarithmic=True,
    )


def _verdicts(results: Results) -> Iterator[Verdict]:
    yield Verdict(
        "Merging or splitting blocks balances them less, and gives up the limit on accesses of x",
        None,
        "not testable: blocks that are merged or split were not built",
    )
    yield Verdict(
        "The division takes a minimal amount of time, as a part of preprocessing",
        None,
        "not testable: the paper prints no rule; the reading here is one integer division",
    )
    yield _competition(results)
    mean = mean_ratio(results.ratios(results.matrices, "hbp-probing-competitive", "float64", BY_SIZE))
    yield Verdict(
        "Fixed blocks of one column of blocks reduce the cost of accesses of x",
        None,
        "not testable: where all blocks are competitive here, neighbours of a column of blocks are taken by "
        f"warps that share a segment, too; that takes {mean or NOT_MEASURED} times as long as fixed by size",
    )


def _competition(results: Results) -> Verdict:
    """Judge by all ways with competitive blocks, since the paper does not print its own."""
    claim = "Competition balances blocks: it is faster than all of them fixed"
    means = {
        words: mean_ratio(results.ratios(results.matrices, "hbp-probing-fixed", "float64", method))
        for method, words in ALLOCATED.items()
        if method != "hbp-probing-fixed"
    }
    ratios = {words: mean for words, mean in means.items() if mean}
    if not ratios:
        return Verdict(claim, None, NOT_MEASURED)
    detail = "; ".join(f"{words}, {mean} times" for words, mean in ratios.items())
    return Verdict(
        claim, all(mean.least > 1 for mean in ratios.values()), f"all fixed takes longer than {detail}"
    )
