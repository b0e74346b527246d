"""Figure 7: how long preprocessing takes, against sorting and dynamic programming."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from experiments.papers.hbp.means import greatest_row, mean_row
from experiments.papers.hbp.printed import PREPROCESSING
from experiments.papers.hbp.results import Results
from experiments.papers.hbp.subjects import id_of
from experiments.papers.hbp.texts import METHODS
from experiments.papers.kit.charts import bars
from experiments.papers.kit.numbers import Average, mean_ratio
from experiments.papers.kit.results import NOT_MEASURED, MatrixRecord, Record
from experiments.report.comparison import Comparison
from experiments.report.item import BarChart, Item, Verdict
from experiments.report.number_tables import three_digits

SUMMARY = (
    "How many times longer than with the hash the rows of all blocks take to be put in order on the GPU: "
    "the step alone, and the whole conversion from CRS with it, all methods in turn. The published hash "
    "inserts rows into the table of their block with atomics and probes for the next free place "
    "(algorithm 2): a compare-and-swap for each place, or 32 places at once, which is faster and stands "
    "next to the paper's numbers. The repaired hash counts the rows of each place and needs neither. The "
    "baselines do the same work by the same kernels but for the order: a sort of each block in shared "
    "memory, and the dynamic programme, all blocks at once."
)
PUBLISHED = "probing-words"
"""The faster of the two kernels that insert and probe."""
HASHES = (PUBLISHED, "probing", "hash")
AGAINST = ("sort", "dynamic", "classes", "sell")
COMPARED = {
    PUBLISHED: (*AGAINST, "probing", "hash"),
    "probing": ("sort", "dynamic"),
    "hash": ("sort", "dynamic", "classes"),
}
"""What stands next to each hash in means over matrices."""
REPAIRED = "active"
STAGES = {"order": "order alone", "all": "whole conversion"}
MOST_OF_THE_TIME = 0.5
"""The share from which a step is the bottleneck."""


NOT_BUILT = (
    Verdict(
        "Zero-padding makes blocks depend on each other, so that preprocessing must be serial",
        None,
        "not testable: the padded format of Regu2D was not built; DP2D is its order alone",
    ),
    Verdict(
        "Zero-padding stores a large number of zeros, due to a few rows with many entries",
        None,
        "not testable: the padded format of Regu2D was not built",
    ),
    Verdict(
        "A thread that walks along a whole row makes the search for the first entry in a block cheap",
        None,
        "not testable: rows are counted by bisection here, and the walk of algorithm 2 was not measured",
    ),
)
"""What the paper says of steps that are not executed here."""


def make(results: Results) -> Item:
    """Make the item."""
    return results.item(
        "hbp-fig7",
        "Figure 7: preprocessing",
        SUMMARY,
        (
            *_mean_rows(results),
            *(row for matrix in results.matrices for row in _time_rows(results, matrix)),
        ),
        chart=_chart(results),
        verdicts=(verdict_on_the_hash(results), _bottleneck(results), *NOT_BUILT),
        notes=(
            "The paper does not say whether its times are of the order alone or of all preprocessing, nor "
            "how its sort works. Its numbers stand next to whole conversions; one between that and the order "
            "alone is not tested. Its bars are a picture.",
            "Algorithm 2 walks along a row of the matrix, a thread a row, and hashes after each block. Here "
            "rows are counted by bisection for all methods alike, since a row of 100,000 entries would keep "
            "one thread, and the hash is the step after.",
            "All rows of a block are hashed, those without entries, too. Most rows of most blocks have none, "
            "and all of these begin at place 0.",
            "The conversion with a hash chooses its numbers, too; the order alone has them already.",
            "A whole conversion is the median of several, timed from the host; asking for memory takes most "
            "of it. “±”: half the range of the middle half of the runs.",
        ),
    )


def times_longer(results: Results, method: str, reference: str, stage: str) -> dict[str, float]:
    """Return how many times longer than with a hash a method takes, by matrix.

    Parameters
    ----------
    results
        What was measured.
    method, reference
        Orders: any, and one of `HASHES`.
    stage
        A key of `STAGES`.
    """
    return results.ratios(results.matrices, method, "", reference, stage)


def verdict_on_the_hash(results: Results) -> Verdict:
    """Return whether inserting and probing is faster than a good sort, the order alone."""
    claim = "The nonlinear hash puts rows in order faster than a sort"
    by_words, one_by_one, counted = (
        mean_ratio(results.ratios(results.matrices, each, "", "sort", "order"))
        for each in (PUBLISHED, "probing", "hash")
    )
    if by_words is None:
        return Verdict(claim, None, NOT_MEASURED)
    slower = "not reproduced: the hash is slower than a good sort on this GPU; " if by_words.value > 1 else ""
    others = [
        f"{name} {_in_three_digits(each)} times"
        for name, each in (("one by one", one_by_one), ("the hash counted", counted))
        if each is not None
    ]
    detail = (
        f"{slower}as published, with 32 places at once, it takes {_in_three_digits(by_words)} times as long "
        "as the sort"
    )
    return Verdict(claim, by_words.value < 1, ", ".join([detail, *others]))


def _in_three_digits(mean: Average) -> str:
    whole, least, greatest = map(three_digits, (mean.value, mean.least, mean.greatest))
    return f"{whole} ({least} to {greatest} without one matrix)"


def _bottleneck(results: Results) -> Verdict:
    """Judge by the share of the sort in DP2D, as the paper does."""
    claim = "Sorting does not run in parallel well, so that it is the bottleneck of preprocessing"
    shares = {
        words: {
            each.name: sort / whole
            for each in results.matrices
            if (sort := results.time(each, "sort", operation="order"))
            and (whole := results.time(each, method, operation=stage))
        }
        for words, method, stage in (
            ("DP2D, the order alone", "dynamic", "order"),
            ("the whole conversion with sort2D", "sort", "all"),
        )
    }
    in_order, in_all = shares.values()
    if not in_order or not in_all:
        return Verdict(claim, None, NOT_MEASURED)
    detail = "; ".join(
        f"{min(each.values()):.0%} to {max(each.values()):.0%} of {words}" for words, each in shares.items()
    )
    return Verdict(claim, min(in_order.values()) > MOST_OF_THE_TIME, f"the sort takes {detail}")


def _mean_rows(results: Results) -> Iterator[Comparison]:
    for reference, methods in COMPARED.items():
        for stage in STAGES:
            for method in methods:
                yield from _compared(results, method, reference, stage)
    yield from _compared(results, REPAIRED, PUBLISHED, "all")


def _compared(results: Results, method: str, reference: str, stage: str) -> Iterator[Comparison]:
    """Yield the mean and, where the paper prints it, the greatest ratio."""
    ratios = times_longer(results, method, reference, stage)
    what = f"{METHODS[method]} over {METHODS[reference]}"
    named = f"{what}, {STAGES[stage]}"
    if (reference, stage) != (PUBLISHED, "all") or method not in PREPROCESSING:
        yield mean_row(named, ratios)
        return
    mean, most = PREPROCESSING[method]
    alone = times_longer(results, method, reference, "order")
    rows = (
        *_unless_between(mean_row(named, ratios, paper=mean), mean_row(what, alone)),
        *_unless_between(greatest_row(named, ratios, paper=most), greatest_row(what, alone)),
    )
    # The claim on sorting judges its numbers, too.
    yield from (replace(row, implied=method == "sort" and bool(row.paper)) for row in rows)


def _unless_between(whole: Comparison, alone: Comparison) -> Iterator[Comparison]:
    """Leave a printed number open that is between ours: the paper does not say what is timed.

    Parameters
    ----------
    whole
        Of the whole conversion, with the printed number.
    alone
        Of the order alone, without it.
    """
    ours = [each for each in (whole.ours, alone.ours) if each is not None]
    if len(ours) < 2 or not min(ours) <= float(whole.paper) <= max(ours):
        yield whole
        return
    yield replace(whole, paper="")
    reason = (
        f"here between {ours[0]:.3g}, whole conversion, and {ours[1]:.3g}, order alone; the paper does not "
        "say which it is"
    )
    yield Comparison(alone.row, whole.quantity, whole.paper, None, reason, "whole or alone?")


def _time_rows(results: Results, matrix: MatrixRecord) -> Iterator[Comparison]:
    for stage, words in STAGES.items():
        for method in (*HASHES, *AGAINST, REPAIRED):
            record = results.record(matrix, method, operation=stage)
            if record is not None:
                quantity = f"{METHODS[method]}, {words}, us"
                absent = results.absent(matrix, method, operation=stage)
                yield Comparison(matrix.label, quantity, "", record.median_us, _said(record), absent)


def _said(record: Record) -> str:
    if not record.median_us:
        return record.remark
    return "" if record.spread is None else f"± {50 * record.spread:.0f} %"


def _chart(results: Results) -> BarChart:
    methods = (*HASHES[1:], *AGAINST)
    panels = tuple(
        bars(
            words,
            results.matrices,
            id_of,
            {METHODS[method]: (method, "", PUBLISHED, stage) for method in methods},
            lambda matrix, key: results.ratio(matrix, *key),
        )
        for stage, words in STAGES.items()
    )
    return BarChart(
        title="Time of preprocessing over that with the published hash, 32 places at once",
        value_label="times",
        panels=panels,
        description="Bars of the time of each order over the published hash, for each matrix",
        reference=1.0,
        logarithmic=True,
    )
