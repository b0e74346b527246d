"""Figure 9 and the discussion: the combine step as matrices grow, and what would be without it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from experiments.papers.hbp.means import mean_row
from experiments.papers.hbp.results import Results
from experiments.papers.hbp.subjects import is_of_the_paper
from experiments.papers.hbp.texts import ADDED, PRODUCTS
from experiments.papers.kit.numbers import mean_ratio
from experiments.papers.kit.results import NOT_MEASURED, MatrixRecord, Record
from experiments.report.comparison import Comparison
from experiments.report.item import Item, Verdict
from experiments.report.parameter_charts import LineChart
from gpu.hbp.container import BLOCK_ROWS

PUBLISHED = "hbp-probing"
COMBINED = ("own", PUBLISHED, "hbp", "hbp-classes", "hbp-active")
"""With a combine step after the product in blocks."""
SPARSE = 0.5
"""A vector of sums is sparse from this share of sums of no entry on."""

Parts = Mapping[str, float | None]
"""Microseconds in blocks, and of the combine step after, as far as they are known."""


def make(results: Results) -> Item:
    """Make the item."""
    graphs = [each for each in results.matrices if is_of_the_paper(each.name)]
    records = {method: [results.record(each, method, "float64") for each in graphs] for method in COMBINED}
    rows = [
        Comparison(
            matrix.label,
            f"{PRODUCTS[method]}: {part}, us",
            "",
            time,
            "" if record is None else record.reason,
            results.absent(matrix, method, "float64") or NOT_MEASURED,
        )
        for method, result in records.items()
        for matrix, record in zip(graphs, result, strict=True)
        for part, time in parts_of(record).items()
    ]
    return results.item(
        "hbp-fig9",
        "Figure 9: the combine step as matrices grow",
        "Time of the product in blocks and of the combine step after it, over Kronecker graphs of rising "
        "scale, microseconds, float64. The paper's numbers are a picture. Last, the product whose sums are "
        "added to y with atomics as they come, without a combine step, and how many sums are of no entry "
        "(the paper's discussion).",
        (*rows, *_added_rows(results), *_empty_rows(results)),
        chart=_chart(graphs, records),
        verdicts=(
            _growth([parts_of(each) for each in records[PUBLISHED]]),
            _limit(graphs, records["own"]),
            *_discussion(results),
        ),
    )


def parts_of(record: Record | None) -> Parts:
    """Return the time in blocks and of the combine step after, as far as they are known."""
    combine = None if record is None else record.parts.get("combine")
    if record is None or record.median_us is None or combine is None:
        return {"blocks": None, "combine": combine}
    return {"blocks": record.median_us - combine, "combine": combine}


def _chart(graphs: list[MatrixRecord], records: Mapping[str, list[Record | None]]) -> LineChart | None:
    series = {
        f"{PRODUCTS[method]}: {part}": tuple(parts_of(record)[part] for record in records[method])
        for method in (PUBLISHED, "hbp-active")
        for part in ("blocks", "combine")
    }
    if not any(time for times in series.values() for time in times):
        return None
    return LineChart(
        title="Product in blocks and combine step, float64",
        value_label="us",
        category_label="scale of the Kronecker graph",
        categories=tuple(each.name.rpartition("-")[2] for each in graphs),
        series=series,
        bands={},
        description="Lines of the time in blocks and in the combine step over the scale, of two forms",
    )


def _growth(times: list[Parts]) -> Verdict:
    claim = "The combine step grows faster than the product in blocks"
    there = [(each["blocks"], each["combine"]) for each in times if each["blocks"] and each["combine"]]
    if len(there) < 2:
        return Verdict(claim, None, NOT_MEASURED)
    blocks, combine = (
        (last or 0.0) / (first or 1.0) for first, last in zip(there[0], there[-1], strict=True)
    )
    return Verdict(claim, combine > blocks, f"combine {combine:.1f} times, blocks {blocks:.1f} times")


def _limit(graphs: list[MatrixRecord], records: list[Record | None]) -> Verdict:
    claim = (
        "On larger matrices (up to m7) the combine step is the primary factor that limits the 2D partition"
    )
    shares = {
        matrix.name: parts["combine"] / (parts["blocks"] + parts["combine"])
        for matrix, record in zip(graphs, records, strict=True)
        if (parts := parts_of(record))["blocks"] and parts["combine"]
    }
    if not shares:
        return Verdict(claim, None, NOT_MEASURED)
    detail = "; ".join(f"{name} {share:.0%} of the product" for name, share in shares.items())
    return Verdict(claim, list(shares.values())[-1] > 0.5, f"{detail}; larger ones were not measured")


def _added_rows(results: Results) -> Iterator[Comparison]:
    ratios = results.ratios(results.matrices, ADDED, "float64", PUBLISHED)
    quantity = "sums added to y with atomics, over those combined, time"
    yield mean_row(quantity, ratios)
    for matrix in results.matrices:
        yield Comparison(matrix.label, quantity, "", ratios.get(matrix.name), "", NOT_MEASURED)


def empty_shares(results: Results) -> dict[str, float]:
    """Return the share of the sums of a product that are of no entry, by matrix."""
    return {
        each.matrix: 1 - each.filled_rows / (each.blocks * BLOCK_ROWS)
        for each in results.blocks
        if each.blocks
    }


def _empty_rows(results: Results) -> Iterator[Comparison]:
    shares = empty_shares(results)
    for matrix in results.matrices:
        share = 100 * shares[matrix.name] if matrix.name in shares else None
        yield Comparison(matrix.label, "sums of no entry, %", "", share, "", NOT_MEASURED)


def _discussion(results: Results) -> Iterator[Verdict]:
    ratios = results.ratios(results.matrices, ADDED, "float64", PUBLISHED)
    mean = mean_ratio(ratios)
    claim = "Adding sums to the result with atomics costs more than the combine step"
    if mean is None:
        yield Verdict(claim, None, NOT_MEASURED)
    else:
        slower = sum(ratio > 1 for ratio in ratios.values())
        detail = (
            f"the product takes {mean} times as long; slower on {slower} of {len(ratios)}; only sums of rows "
            "with entries are added"
        )
        yield Verdict(claim, mean.value > 1, detail)
    shares = empty_shares(results)
    detail = "; ".join(f"{name} {share:.0%} of no entry" for name, share in shares.items())
    yield Verdict(
        "The vectors of sums are very sparse (most matrices)",
        sum(share > SPARSE for share in shares.values()) > len(shares) / 2 if shares else None,
        detail or NOT_MEASURED,
    )
    yield _without_combining(results)


def _without_combining(results: Results) -> Verdict:
    """Judge by the product without a combine step on the Kronecker graphs, whose sizes rise."""
    claim = "A better combine step would make products of large matrices faster"
    graphs = [each for each in results.matrices if is_of_the_paper(each.name)]
    ratios = results.ratios(graphs, PUBLISHED, "float64", ADDED)
    detail = "; ".join(f"{name} {ratio:.2f} times as fast" for name, ratio in ratios.items())
    return Verdict(
        claim,
        min(ratios.values()) > 1 if ratios else None,
        f"without a combine step, sums added as they come: {detail or NOT_MEASURED}",
    )
