"""Figure 6: the standard deviation of the entries of rows within warps, before and after."""

from __future__ import annotations

from collections.abc import Iterator

from experiments.papers.hbp.printed import REDUCTIONS
from experiments.papers.hbp.results import OrderRecord, Results
from experiments.papers.hbp.subjects import is_of_the_paper
from experiments.papers.hbp.texts import METHODS, paper_partition
from experiments.papers.kit.charts import bars
from experiments.papers.kit.results import NOT_MEASURED, MatrixRecord
from experiments.report.comparison import Comparison
from experiments.report.item import BarChart, Item, Verdict
from gpu.hbp.ordering import CLASS_BITS

SUMMARY = (
    "In blocks of 512 x 4096 the rows of a warp have unlike numbers of entries; reordering makes them "
    "alike. The paper's measure is the standard deviation within each warp, and by how many per cent the "
    "hash makes it less. Here its mean over sampled blocks that have entries. The published hash is as the "
    "GPU fills its table, a thread a row with a compare-and-swap a place; next to it stand the hash with 32 "
    "places at once, the hash counted, classes of leading bits (section III-B here), and the orders that all "
    "are to replace."
)
PUBLISHED = "probing"
"""What fills the table as algorithm 2 does, each thread with its row from the beginning."""
UNSAID = "which blocks it is of, and which of the rows that collide comes first"
"""What the paper does not say of its reductions."""
FULL = 0.5
"""The share of lanes with an entry from which on utilisation is not low."""
UNNAMED = "unnamed blocks"
"""What stands in the place of our number next to a printed reduction."""
SHOWN = (PUBLISHED, "probing-words", "hash", "in_turn", "classes", "sort", "dynamic", "sell")


def make(results: Results) -> Item:
    """Make the item."""
    result = {
        each.name: of_matrix for each in results.matrices if (of_matrix := by_method(results, each.name))
    }
    subjects = [each for each in results.matrices if each.name in result]
    return results.item(
        "hbp-fig6",
        "Figure 6: balance within blocks",
        SUMMARY,
        tuple(row for each in subjects for row in _rows(each, result[each.name])),
        chart=_chart(subjects, result),
        verdicts=_verdicts(subjects, result),
        notes=(
            "The paper shows a few blocks of each of five matrices and does not say which; figure 3, the "
            "formula of the hash, is a picture. The formula here is what its text describes "
            "(docs/papers/hbp.md).",
            "Nor does it say which of the rows that collide comes first. Counted, they come in the order of "
            "their hash; “in turn” they come as they stand, each probing for the first free place; on the "
            "GPU whichever thread comes first is first. This matters more than the numbers of the hash.",
            "So the printed reductions are not tested: on the Kronecker graph the readings of the same hash "
            "reach from less than the printed one to more.",
            "DP2D chooses the size of each group to save padding, so it has more groups, each of more "
            "similar rows. Regu2D's own paper was not read; the programme is as this paper describes it: "
            "rows sorted, then groups of at most 32 with the least padding, a group costing 32 padded "
            "entries.",
            "SELL-C-sigma sorts once by the entries of whole rows, sigma = 512, and uses that order in all "
            "blocks.",
        ),
    )


def by_method(results: Results, matrix: str) -> dict[str, OrderRecord]:
    """Return the orders of a matrix in the paper's blocks, each method with its own numbers."""
    result: dict[str, OrderRecord] = {}
    for each in results.orders:
        usual = each.method != "classes" or each.numbers.get("bits") == CLASS_BITS
        if each.matrix == matrix and usual and paper_partition(each.block_rows, each.block_columns):
            result.setdefault(each.method, each)
    return result


def reduction(orders: dict[str, OrderRecord], method: str) -> float | None:
    """Return by how many per cent a method makes the deviation less; None if there is none."""
    before = orders["own"].deviation
    return 100 * (1 - orders[method].deviation / before) if before else None


def _rows(matrix: MatrixRecord, orders: dict[str, OrderRecord]) -> Iterator[Comparison]:
    """Yield the printed reduction, which nothing here can decide, and those of all orders."""
    if printed := REDUCTIONS.get(matrix.stands_for):
        unlike = "" if is_of_the_paper(matrix.name) else f"{matrix.name} only resembles {matrix.stands_for}; "
        ours = f"here {reduction(orders, PUBLISHED) or 0.0:.0f}, one by one; " if PUBLISHED in orders else ""
        reason = f"{ours}{unlike}the paper does not say {UNSAID}"
        yield Comparison(
            matrix.label, "the paper's hash, % less", str(printed), None, reason, UNNAMED, measure="share"
        )
    yield from (
        Comparison(
            matrix.label,
            f"{METHODS[method]}, % less",
            "",
            reduction(orders, method) if method in orders else None,
            f"{orders['own'].deviation:.3g} to {orders[method].deviation:.3g}; lanes with an entry "
            f"{orders['own'].lanes:.0%} to {orders[method].lanes:.0%}"
            if method in orders
            else "",
            NOT_MEASURED,
            measure="share",
        )
        for method in SHOWN
        if method in orders or method == PUBLISHED
    )


def _chart(subjects: list[MatrixRecord], result: dict[str, dict[str, OrderRecord]]) -> BarChart:
    panel = bars(
        "",
        subjects,
        lambda matrix: matrix.name.replace("-", "\n", 1),
        {METHODS[method]: method for method in ("own", *SHOWN) if method != "probing-words"},
        lambda matrix, method: (
            result[matrix.name][method].deviation if method in result[matrix.name] else None
        ),
    )
    return BarChart(
        title="Standard deviation of the entries of rows within a warp",
        value_label="entries",
        panels=(panel,),
        description="Bars of the standard deviation within warps for each matrix, by the order of rows",
        logarithmic=True,
        bars_from=None,
    )


def _verdicts(subjects: list[MatrixRecord], result: dict[str, dict[str, OrderRecord]]) -> Iterator[Verdict]:
    probed = [each for each in subjects if PUBLISHED in result[each.name]]
    less = {
        method: {
            each.name: reduction(result[each.name], method) or 0.0
            for each in probed
            if method in result[each.name]
        }
        for method in (PUBLISHED, "probing-words")
    }
    yield Verdict(
        "The hash makes the standard deviation within warps less",
        all(per_cent > 0 for each in less.values() for per_cent in each.values()) if probed else None,
        "; ".join(
            f"{METHODS[method]}: " + ", ".join(f"{name} {per_cent:.0f} %" for name, per_cent in each.items())
            for method, each in less.items()
            if each
        )
        or NOT_MEASURED,
    )
    yield _fewer_steps(probed, result)
    yield _low_utilisation(probed, result)
    yield Verdict(
        "The reason of low utilisation is that long rows are too few to fill a warp",
        None,
        "not testable: rows of a block without entries leave lanes without work, too, and the two were not "
        "counted apart",
    )
    yield Verdict(
        "The deviation is high in the blocks of ASIC_680k and ohne2 as they stand",
        None,
        "not testable: that depends on the matrix alone, and both are generated here",
    )


def _fewer_steps(probed: list[MatrixRecord], result: dict[str, dict[str, OrderRecord]]) -> Verdict:
    claim = "Rows with many entries come to the same warps, so that warps take fewer steps"
    saved = {
        each.name: 1 - result[each.name][PUBLISHED].steps / result[each.name]["own"].steps for each in probed
    }
    if not saved:
        return Verdict(claim, None, NOT_MEASURED)
    detail = "; ".join(f"{name} {share:.0%} fewer" for name, share in saved.items())
    return Verdict(claim, all(share > 0 for share in saved.values()), detail)


def _low_utilisation(probed: list[MatrixRecord], result: dict[str, dict[str, OrderRecord]]) -> Verdict:
    """Judge by sorting, too: what it does not reach is unavoidable in groups of 32 rows."""
    claim = "Low utilisation of threads is unavoidable: sorting leaves it low, too (most matrices)"
    lanes = {
        each.name: (result[each.name][PUBLISHED].lanes, result[each.name]["sort"].lanes)
        for each in probed
        if "sort" in result[each.name]
    }
    if not lanes:
        return Verdict(claim, None, NOT_MEASURED)
    low = sum(best < FULL for _, best in lanes.values())
    detail = "; ".join(f"{name} {hashed:.0%}, sorted {best:.0%}" for name, (hashed, best) in lanes.items())
    return Verdict(
        claim,
        2 * low > len(lanes),
        f"below {FULL:.0%} when sorted on {low} of {len(lanes)}; lanes with an entry: {detail}",
    )
