"""Write the tables on the HiSparse paper in docs/papers/hisparse.md and docs/reproducing.md from recorded
results.

python -m docs.tables.hisparse

What stands between a pair of marker comments is replaced by the table of their name.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from textwrap import fill

from docs.tables import marked
from docs.tables.hbp_cells import NONE, mean
from docs.tables.markdown import table
from docs.tables.marked import ROOT, WIDTH
from experiments.papers.hisparse import figure2
from experiments.papers.hisparse.methods import (
    BEST,
    BY_LEVELS,
    CONVERTING_GEAM,
    CSR,
    DTYPES,
    DUAL_SUM,
    GEAM,
    METHODS,
    NAIVE,
    OWN,
    PUBLISHED,
    QUEUED,
    TREE_SUM,
)
from experiments.papers.hisparse.paper import PAPER
from experiments.papers.hisparse.printed import TABLE_1, TABLE_2, Printed
from experiments.papers.hisparse.results import Results
from experiments.papers.hisparse.speed_items import NAMES, SETS, pairs_of, ratio_of_means, sets_of
from experiments.papers.kit.numbers import average, mean_ratio
from experiments.papers.kit.source import recorded_results
from experiments.report.item import Item

PAGES = (ROOT / "docs/papers/hisparse.md", ROOT / "docs/reproducing.md")
NAME = "hisparse"
PICTURES = {"hisparse-fig2": "paper-hisparse-fig2", "hisparse-fig5": "paper-hisparse-fig5"}
"""By the name of the item."""


def main() -> int:
    """Write the parts of the pages, and draw their pictures."""
    results = recorded_results(Results)
    marked.write(PAGES, NAME, PARTS_OF_PAGES, results)
    marked.draw_pictures(_items(results), PICTURES)
    return 0


def _items(results: Results) -> list[Item]:
    return [each.make(results) for each in PAPER.experiments]


def _counts(results: Results) -> str:
    return marked.counts(_items(results), results.gpu, PAPER.stand_ins(results))


Operations = dict[str, dict[str, str]]
_PRODUCTS: Operations = {each: {"cuSparse": CSR, "Naive": NAIVE} for each in ("spmv", "spmv_t")}
_SUMS: Operations = {
    "sum": {"cuSparse": GEAM},
    "sum_t": {"cuSparse": CONVERTING_GEAM},
    "sum_t, converted": {"cuSparse": GEAM},
}


def _by_means(
    results: Results,
    printed: dict[tuple[str, str], dict[str, Printed]],
    methods: Operations,
    owns: tuple[str, str],
) -> str:
    """Return how many times HiSparse is faster by the means of times, printed, as published and ours."""
    rows = []
    for operation, libraries in methods.items():
        for library, method in libraries.items():
            for dtype, short in DTYPES.items():
                times = printed[operation, dtype]
                text = f"{float(times[library].mean) / float(times['HiSparse'].mean):.2f}"
                ours = (
                    mean(average(pairs_of(results, operation, own, method, dtype), ratio_of_means))
                    for own in owns
                )
                rows.append((f"{library}, {NAMES[operation]}, {short}", text, *ours))
    heads = ("times faster than", "the paper", *(METHODS[own].label for own in owns))
    return table(heads, rows)


def _products(results: Results) -> str:
    return _by_means(results, TABLE_1, _PRODUCTS, (PUBLISHED, OWN))


def _sums(results: Results) -> str:
    return _by_means(results, TABLE_2, _SUMS, (DUAL_SUM, TREE_SUM))


def _matrix_by_matrix(results: Results) -> str:
    """Return geometric means over sets of matrices, in both types."""
    rows = []
    for part, matrices in sets_of(results).items():
        for operation in ("spmv", "spmv_t"):
            for rival in (CSR, BEST):
                cells = (
                    mean(mean_ratio(results.ratios(matrices, rival, dtype, own, operation)))
                    for own in (PUBLISHED, OWN)
                    for dtype in DTYPES
                )
                rows.append((f"{METHODS[rival].label}, {NAMES[operation]}: {SETS[part]}", *cells))
    heads = (f"{METHODS[own].label}, {short}" for own in (PUBLISHED, OWN) for short in DTYPES.values())
    return table(("times faster than", *heads), rows)


def _scheduling(results: Results) -> str:
    """Return what scheduling costs: times of the published leaves in three schedules, and flat."""
    rows = []
    for operation in ("spmv", "spmv_t"):
        for dtype, short in DTYPES.items():
            cells = (
                mean(mean_ratio(results.ratios(results.of_the_paper, own, dtype, QUEUED, operation)))
                for own in (PUBLISHED, BY_LEVELS, OWN)
            )
            rows.append((f"{NAMES[operation]}, {short}", *cells))
    heads = ("with a controller", "by levels", "flat")
    return table(("time over that with queues filled beforehand", *heads), rows)


def _rests_on_the_layout(results: Results) -> str:
    """Return what the printed speed-up of the transposed product rests on."""
    numbers = {
        own: average(pairs_of(results, "spmv_t", own, CSR, "float64"), ratio_of_means)
        for own in (PUBLISHED, OWN)
    }
    published, flat = numbers[PUBLISHED], numbers[OWN]
    if flat is None:
        return "Not measured."
    if published is None:
        return fill(
            f"By mean times in float64 the transposed product laid out flat is {mean(flat)} times as fast as "
            "that of cuSPARSE's CSR. The recorded run did not measure the published execution.",
            WIDTH,
        )
    return fill(
        f"By mean times in float64 the transposed product as published is {mean(published)} times as fast as "
        f"that of cuSPARSE's CSR. Laid out flat it is {mean(flat)} times as fast. In parentheses stand the "
        "least and the greatest number with one matrix left out. Of the 6 to 7 times of the paper's Table 1, "
        f"{published.value:.3g} are due to the published execution. A further factor of "
        f"{flat.value / published.value:.2f} rests on the flat layout, which is not the paper's.",
        WIDTH,
    )


def _storage(results: Results) -> str:
    rows = [
        (row.row, row.quantity, row.paper or NONE, _per_cent(row.ours, row.without_one))
        for row in figure2.make(results).rows
        if row.quantity.startswith("saved against")
    ]
    return table(("matrices", "what", "the paper", "here"), rows)


def _per_cent(number: float | None, without_one: tuple[float, float] | None) -> str:
    """Write a mean in per cent with its leave-one-out range."""
    if number is None:
        return NONE
    return f"{number:.1f}" + (f" ({without_one[0]:.1f} to {without_one[1]:.1f})" if without_one else "")


def _run(results: Results) -> str:
    facts = results.facts
    return fill(
        f"Measured on an {results.gpu}, driver {facts.get('driver_version')}, cuSPARSE "
        f"{facts.get('cusparse')}, in {results.seconds.get('all', 0) / 60:.0f} minutes on "
        f"{results.made[:10]} (commit {results.commit[:8]}), {len(results.measured)} matrices, "
        f"{len(results.of_the_paper)} of them in the place of the paper's.",
        WIDTH,
    )


PARTS_OF_PAGES: dict[str, Callable[[Results], str]] = {
    "counts": _counts,
    "claims": lambda results: marked.claims(_items(results)),
    "products": _products,
    "layout": _rests_on_the_layout,
    "scheduling": _scheduling,
    "sums": _sums,
    "storage": _storage,
    "matrix-by-matrix": _matrix_by_matrix,
    "run": _run,
}
"""By the name in the marker comments."""


if __name__ == "__main__":
    sys.exit(main())
