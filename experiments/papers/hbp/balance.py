"""Figure 6: the standard deviation of the entries of rows within warps, before and after."""

from __future__ import annotations

from collections.abc import Iterator

from experiments.papers.hbp.printed import REDUCTIONS
from experiments.papers.hbp.results import OrderRecord, Results
from experiments.papers.hbp.texts import METHODS, paper_partition
from experiments.papers.kit.charts import bars
from experiments.papers.kit.results import MatrixRecord
from experiments.report.comparison import Comparison
from experiments.report.item import BarChart, Item, Verdict
from gpu.hbp.ordering import CLASS_BITS

SUMMARY = (
    "In blocks of 512 x 4096 the rows of a warp have unlike numbers of entries; reordering makes them "
    "alike. The paper's measure is the standard deviation within each warp, and by how many per cent the "
    "hash makes it less. Here its mean over sampled blocks that have entries, for the paper's hash, for "
    "classes of leading bits (section III-B here), and for the orders that both are to replace."
)
SHOWN = ("hash", "in_turn", "classes", "sort", "dynamic", "sell")


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
            "Nor does it say which of the rows that collide comes first. Here they come in the order of "
            "their hash; “in turn” they come as they stand, each probing for the first free place.",
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


def _rows(matrix: MatrixRecord, orders: dict[str, OrderRecord]) -> list[Comparison]:
    printed = REDUCTIONS.get(matrix.stands_for, "")
    return [
        Comparison(
            matrix.label,
            f"{METHODS[method]}, % less",
            str(printed) if method == "hash" else "",
            reduction(orders, method),
            f"{orders['own'].deviation:.3g} to {orders[method].deviation:.3g}; lanes with an entry "
            f"{orders['own'].lanes:.0%} to {orders[method].lanes:.0%}",
        )
        for method in SHOWN
        if method in orders
    ]


def _chart(subjects: list[MatrixRecord], result: dict[str, dict[str, OrderRecord]]) -> BarChart:
    panel = bars(
        "",
        subjects,
        lambda matrix: matrix.name.replace("-", "\n", 1),
        {METHODS[method]: method for method in ("own", *SHOWN)},
        lambda matrix, method: result[matrix.name][method].deviation,
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
    all_ = [(each, reduction(result[each.name], "hash") or 0.0) for each in subjects]
    yield Verdict(
        "The hash makes the standard deviation within warps less",
        all(less > 0 for _, less in all_),
        "; ".join(f"{each.name} {less:.0f} %" for each, less in all_),
    )
    kronecker = [(each, less) for each, less in all_ if each.stands_for == "kron_g500-logn18"]
    for each, less in kronecker:
        others = {
            METHODS[method]: reduction(result[each.name], method)
            for method in SHOWN[1:]
            if method in result[each.name]
        }
        message = "; ".join(f"{name} {other or 0.0:.0f} %" for name, other in others.items())
        yield Verdict("By 42 % on kron_g500-logn18", less >= 42, f"{less:.0f} % as read here; {message}")
