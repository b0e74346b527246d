"""Figure 5 and Table 1: both products, of HiSparse and of what it is compared with."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from experiments.papers.hisparse.methods import (
    BEST,
    CSR,
    DTYPES,
    METHODS,
    NAIVE,
    OWN,
    PRODUCT_METHODS,
    PRODUCTS,
)
from experiments.papers.hisparse.printed import TABLE_1
from experiments.papers.hisparse.results import Results, averages
from experiments.papers.hisparse.speed_items import (
    SETS,
    gflops_chart,
    gflops_rows,
    sets_of,
    table_rows,
    times_chart,
    times_verdicts,
)
from experiments.papers.hisparse.texts import notes_of
from experiments.papers.kit.numbers import geometric_mean, spread
from experiments.papers.kit.results import NOT_MEASURED
from experiments.report.item import Item, Verdict

BY_LIBRARY = {METHODS[name].printed: name for name in PRODUCT_METHODS if METHODS[name].printed}
LIBRARIES = dict.fromkeys(PRODUCTS, BY_LIBRARY)
"""Our method for each library of the paper; of the others there is none here."""
BARELY = 0.1
"""Times that differ by less hardly differ."""
FIGURE_5 = (
    "Performance of y = A x and y = Aᵀ x as the paper gives it, 3 nnz / T: two multiplications, one with the "
    "scaling factor, and an addition an entry. HiSparse multiplies both ways from one stored copy. cuSPARSE "
    "is today's: its CSR, as in the paper, and the best of its formats; transposed, as an operation on the "
    "matrix as it is stored. The paper prints bars without numbers."
)
TABLE_1_SUMMARY = (
    "Mean and standard deviation of the milliseconds of a product, and how many times HiSparse is "
    "faster. The "
    "paper averages over its collection on a GTX 1080, here over the matrices that stand for nine of it."
)
NOT_HERE = (
    "cusp, bhSparse, clSpMV and yaSpMV are not measured.",
    "What a transposed copy would give, which takes the bytes a second time, is in benchmarks/README.md.",
)


def figure5(results: Results) -> Item:
    """Make Figure 5."""
    return results.item(
        "hisparse-fig5",
        "Figure 5: GFLOPS of the product, direct and transposed",
        FIGURE_5,
        tuple(gflops_rows(results, PRODUCTS, PRODUCT_METHODS)),
        chart=gflops_chart(results, "Products", PRODUCTS, PRODUCT_METHODS),
        verdicts=_figure_verdicts(results),
        notes=notes_of(results),
        gaps=NOT_HERE,
    )


def table1(results: Results) -> Item:
    """Make Table 1."""
    rows = tuple(table_rows(results, TABLE_1, LIBRARIES))
    return results.item(
        "hisparse-table1",
        "Table 1: mean times of both products",
        TABLE_1_SUMMARY,
        rows,
        chart=times_chart(rows),
        verdicts=(*times_verdicts(results, LIBRARIES, {"spmv_t": "Transposed"}), *_steadiest(results)),
        notes=notes_of(results),
        gaps=NOT_HERE,
    )


def _judged(
    results: Results, claim: str, operation: str, method: str, holds: Callable[[dict[str, float]], bool]
) -> list[Verdict]:
    """Judge a claim about ratios on the stand-ins and on large_structured, in float64 as the figure."""
    created = []
    for part in ("paper", "large_structured"):
        ratios = results.ratios(sets_of(results)[part], method, "float64", operation=operation)
        if ratios:
            created.append(Verdict(f"{claim} ({SETS[part]})", holds(ratios), spread(ratios)))
    return created or [Verdict(claim, None, NOT_MEASURED)]


def _mostly_slower(ratios: dict[str, float]) -> bool:
    return 2 * sum(ratio > 1 for ratio in ratios.values()) <= len(ratios)


def _half_as_fast(ratios: dict[str, float]) -> bool:
    return (geometric_mean(ratios.values()) or 0) >= 0.5


def _always_faster(ratios: dict[str, float]) -> bool:
    return min(ratios.values()) > 1


DIRECT = (
    (
        "Direct, HiSparse in general does not outperform the libraries: here the best of cuSPARSE",
        BEST,
        _mostly_slower,
    ),
    (
        "Direct, it is competitive with standard libraries: half as fast as cuSPARSE CSR at least",
        CSR,
        _half_as_fast,
    ),
)
TRANSPOSED = {
    CSR: "Transposed, it outperforms cuSPARSE on all matrices: here its CSR",
    BEST: "Transposed, it outperforms cuSPARSE on all matrices: here its best format",
    NAIVE: "Transposed, it outperforms the naive product with atomic addition on all matrices",
}
"""What the paper says of both products, by what HiSparse is compared with."""


def _figure_verdicts(results: Results) -> list[Verdict]:
    direct = [
        each for claim, method, holds in DIRECT for each in _judged(results, claim, "spmv", method, holds)
    ]
    is_transposed = [
        each
        for method, claim in TRANSPOSED.items()
        for each in _judged(results, claim, "spmv_t", method, _always_faster)
    ]
    on_special = _on("special", results, "Direct, on special HiSparse delivers the best result", "spmv", BEST)
    return [*direct, on_special, *is_transposed, *_hardly_changes(results)]


def _on(name: str, results: Results, claim: str, operation: str, method: str) -> Verdict:
    chosen = [each for each in results.measured if each.stands_for == name]
    ratios = results.ratios(chosen, method, "float64", operation=operation)
    if not ratios:
        return Verdict(claim, None, "no such matrix was measured")
    return Verdict(
        claim,
        min(ratios.values()) > 1,
        f"{min(ratios.values()):.2f} times {METHODS[method].label} on {next(iter(ratios))}",
    )


def _hardly_changes(results: Results) -> Iterator[Verdict]:
    """Judge whether both products of HiSparse take equally long."""
    for dtype, short in DTYPES.items():
        ratios = {
            each.name: is_transposed / direct
            for each in results.measured
            if (is_transposed := results.time(each, OWN, dtype, "spmv_t"))
            and (direct := results.time(each, OWN, dtype, "spmv"))
        }
        if ratios:
            changed = sum(abs(ratio - 1) > BARELY for ratio in ratios.values())
            yield Verdict(
                f"HiSparse hardly changes from SpMV to SpMVᵀ, the dense matrix apart ({short})",
                changed <= 1,
                f"transposed over direct time: {spread(ratios)}; over {BARELY:.0%} on {changed} of "
                f"{len(ratios)}",
            )


def _steadiest(results: Results) -> Iterator[Verdict]:
    for operation, word in zip(PRODUCTS, ("Direct", "Transposed"), strict=True):
        claim = f"{word}, the time of HiSparse varies least: the lowest standard deviation (f64)"
        result = results.times(results.of_the_paper, operation, PRODUCT_METHODS, "float64")
        deviations = {
            METHODS[name].label: average[1]
            for place, name in enumerate(PRODUCT_METHODS)
            if (average := averages([times[place] for _, times in result])) is not None
        }
        yield Verdict(
            claim,
            min(deviations, key=lambda each: deviations[each]) == METHODS[OWN].label if deviations else None,
            ", ".join(f"{name} {number:.3f} ms" for name, number in deviations.items()) or NOT_MEASURED,
        )
