"""Figure 5 and Table 1: both products, of HiSparse and of what it is compared with."""

from __future__ import annotations

from collections.abc import Callable

from experiments.papers.hisparse.measured import Measured, averages, geometric_mean, spread
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
from experiments.papers.hisparse.speed_items import (
    SETS,
    TIMES_CHART,
    gflops_chart,
    gflops_rows,
    sets_of,
    table_rows,
    times_verdicts,
)
from experiments.papers.hisparse.texts import WITHOUT_RESULTS, gaps_of, notes_of
from experiments.report.item import Item, Verdict
from experiments.report.paper_chart import paper_beside_ours

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


def figure5(measured: Measured | None) -> Item:
    """Make Figure 5; without results an empty one."""
    name, title = "hisparse-fig5", "Figure 5: GFLOPS of the product, direct and transposed"
    if measured is None:
        return Item(name, title, FIGURE_5, (), gaps=(WITHOUT_RESULTS,))
    return Item(
        name,
        title,
        FIGURE_5,
        tuple(gflops_rows(measured, PRODUCTS, PRODUCT_METHODS)),
        chart=gflops_chart(measured, "Products", PRODUCTS, PRODUCT_METHODS),
        verdicts=tuple(_figure_verdicts(measured)),
        notes=notes_of(measured),
        gaps=(*NOT_HERE, *gaps_of(measured)),
        faults=measured.faults(),
    )


def table1(measured: Measured | None) -> Item:
    """Make Table 1; without results what the paper prints."""
    rows = tuple(table_rows(measured, TABLE_1, LIBRARIES))
    charted = [row for row in rows if row.quantity.startswith("times") and row.ours is not None]
    return Item(
        "hisparse-table1",
        "Table 1: mean times of both products",
        TABLE_1_SUMMARY,
        rows,
        chart=paper_beside_ours(TIMES_CHART, "times", charted, logarithmic=True) if charted else None,
        verdicts=tuple(_table_verdicts(measured)) if measured else (),
        notes=notes_of(measured) if measured else (),
        gaps=(WITHOUT_RESULTS,) if measured is None else (*NOT_HERE, *gaps_of(measured)),
        faults=measured.faults() if measured else (),
    )


def _judged(
    measured: Measured, claim: str, operation: str, method: str, holds: Callable[[dict[str, float]], bool]
) -> list[Verdict]:
    """Judge a claim about ratios on the stand-ins and on large_structured, in float64 as the figure."""
    made = []
    for part in ("paper", "large_structured"):
        ratios = measured.ratios(sets_of(measured)[part], operation, method, "float64")
        if ratios:
            made.append(Verdict(f"{claim} ({SETS[part]})", holds(ratios), spread(ratios)))
    return made or [Verdict(claim, None, "not measured")]


def _figure_verdicts(measured: Measured) -> list[Verdict]:
    return [
        *_judged(
            measured,
            "Direct, HiSparse in general does not outperform the libraries: here the best of cuSPARSE",
            "spmv",
            BEST,
            lambda ratios: 2 * sum(ratio > 1 for ratio in ratios.values()) <= len(ratios),
        ),
        *_judged(
            measured,
            "Direct, it is competitive with standard libraries: half as fast as cuSPARSE CSR at least",
            "spmv",
            CSR,
            lambda ratios: (geometric_mean(ratios.values()) or 0) >= 0.5,
        ),
        _on("special", measured, "Direct, on special HiSparse delivers the best result", "spmv", BEST),
        *_judged(
            measured,
            "Transposed, it outperforms cuSPARSE on all matrices: here its CSR",
            "spmv_t",
            CSR,
            lambda ratios: min(ratios.values()) > 1,
        ),
        *_judged(
            measured,
            "Transposed, it outperforms cuSPARSE on all matrices: here its best format",
            "spmv_t",
            BEST,
            lambda ratios: min(ratios.values()) > 1,
        ),
        *_judged(
            measured,
            "Transposed, it outperforms the naive product with atomic addition on all matrices",
            "spmv_t",
            NAIVE,
            lambda ratios: min(ratios.values()) > 1,
        ),
        *_hardly_changes(measured),
    ]


def _on(name: str, measured: Measured, claim: str, operation: str, method: str) -> Verdict:
    chosen = [each for each in measured.matrices if each.stands_for == name]
    ratios = measured.ratios(chosen, operation, method, "float64")
    if not ratios:
        return Verdict(claim, None, "no such matrix was measured")
    return Verdict(
        claim,
        min(ratios.values()) > 1,
        f"{min(ratios.values()):.2f} times {METHODS[method].label} on {next(iter(ratios))}",
    )


def _hardly_changes(measured: Measured) -> list[Verdict]:
    """Judge whether both products of HiSparse take equally long."""
    made = []
    for dtype, short in DTYPES.items():
        ratios = measured.ratios(measured.matrices, "spmv_t", OWN, dtype, own_operation="spmv")
        if ratios:
            changed = sum(abs(ratio - 1) > BARELY for ratio in ratios.values())
            made.append(
                Verdict(
                    f"HiSparse hardly changes from SpMV to SpMVᵀ, the dense matrix apart ({short})",
                    changed <= 1,
                    f"transposed over direct time: {spread(ratios)}; over {BARELY:.0%} on {changed} of "
                    f"{len(ratios)}",
                )
            )
    return made


def _table_verdicts(measured: Measured) -> list[Verdict]:
    claims = times_verdicts(measured, LIBRARIES, {"spmv_t": "Transposed"})
    return [*claims, *_steadiest(measured)]


def _steadiest(measured: Measured) -> list[Verdict]:
    made = []
    for operation, word in zip(PRODUCTS, ("Direct", "Transposed"), strict=True):
        claim = f"{word}, the time of HiSparse varies least: the lowest standard deviation (f64)"
        found = measured.times(measured.of_the_paper, operation, PRODUCT_METHODS, "float64")
        deviations = {
            METHODS[name].label: average[1]
            for place, name in enumerate(PRODUCT_METHODS)
            if (average := averages([times[place] for _, times in found])) is not None
        }
        made.append(
            Verdict(
                claim,
                min(deviations, key=lambda each: deviations[each]) == METHODS[OWN].label
                if deviations
                else None,
                ", ".join(f"{name} {number:.3f} ms" for name, number in deviations.items()) or "not measured",
            )
        )
    return made
