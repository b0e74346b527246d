"""Figure 6 and Table 2: sums C = A + B and C = Aᵀ + Bᵀ."""

from __future__ import annotations

from experiments.hisparse.measured import Measured, spread
from experiments.hisparse.methods import CONVERTING_GEAM, DTYPES, GEAM, METHODS, OWN, SUM_METHODS, SUMS
from experiments.hisparse.printed import TABLE_2, TIMES_FASTER
from experiments.hisparse.speed_items import faster_rows, gflops_chart, gflops_rows, mean_rows
from experiments.hisparse.texts import AT_LEAST, WITHOUT_RESULTS, gaps_of, notes_of
from experiments.report.item import Item, Verdict
from experiments.report.paper_chart import paper_beside_ours

LIBRARIES = {
    "sum": {"HiSparse": OWN, "cuSparse": GEAM},
    "sum_t": {"HiSparse": OWN, "cuSparse": CONVERTING_GEAM},
    "sum_t, converted": {"HiSparse": OWN, "cuSparse": GEAM},
}
"""Our method for each library of the paper; cusp is not measured."""
FIGURE_6 = (
    "Performance of sums in GFLOPS; the paper defines these by 3 nnz / T, nnz of A, for its whole "
    "evaluation. B "
    "is A with each entry moved by a normal deviate of sigma 10 in row and column (seeded; entries that meet "
    "are added). cuSPARSE's Aᵀ + Bᵀ converts the operands to their transposes first, which the paper "
    "counts and "
    "does not count. The paper prints bars without numbers."
)
TABLE_2_SUMMARY = (
    "Mean and standard deviation of the milliseconds of a sum, and how many times HiSparse is faster, "
    "over the "
    "matrices that stand for nine of the paper's."
)
NOT_MEASURED = (
    "No sum is in these results: when they were measured, there was no addition of matrices on the GPU here. "
    "The paper's numbers stand without ours."
)


def figure6(measured: Measured | None) -> Item:
    """Make Figure 6; an empty one where no sum was measured."""
    name, title = "hisparse-fig6", "Figure 6: GFLOPS of sums, direct and transposed"
    if measured is None or not _has_sums(measured):
        return Item(name, title, FIGURE_6, (), verdicts=tuple(_verdicts(None)), gaps=(_why(measured),))
    return Item(
        name,
        title,
        FIGURE_6,
        tuple(gflops_rows(measured, SUMS, SUM_METHODS)),
        chart=gflops_chart(measured, "Sums", SUMS, SUM_METHODS),
        notes=notes_of(measured),
        gaps=gaps_of(measured),
        faults=measured.faults(),
    )


def table2(measured: Measured | None) -> Item:
    """Make Table 2; what the paper prints alone where no sum was measured."""
    there = measured if measured is not None and _has_sums(measured) else None
    rows = (*faster_rows(there, LIBRARIES, tuple(LIBRARIES)), *mean_rows(there, TABLE_2, LIBRARIES))
    ratios = [row for row in rows if row.paper and row.quantity.startswith("ratio") and row.ours is not None]
    return Item(
        "hisparse-table2",
        "Table 2: mean times of sums",
        TABLE_2_SUMMARY,
        rows,
        chart=paper_beside_ours(
            "How many times HiSparse is faster, stand-ins", "times", ratios, logarithmic=True
        )
        if ratios
        else None,
        verdicts=tuple(_verdicts(there)),
        notes=notes_of(there) if there else (),
        gaps=gaps_of(there) if there else (_why(measured),),
        faults=there.faults() if there else (),
    )


def _has_sums(measured: Measured) -> bool:
    return any(measured.has(operation) for operation in SUMS)


def _why(measured: Measured | None) -> str:
    return WITHOUT_RESULTS if measured is None else NOT_MEASURED


def _verdicts(measured: Measured | None) -> list[Verdict]:
    made = []
    for (operation, dtype), printed in TIMES_FASTER.items():
        for library, number in printed.items() if operation in LIBRARIES else ():
            claim = (
                f"{_SUBJECT[operation]}, HiSparse is {number} times faster than {library} ({DTYPES[dtype]})"
            )
            method = LIBRARIES[operation].get(library)
            kind = operation.partition(",")[0]
            found = (
                []
                if measured is None or method is None
                else measured.times(measured.of_the_paper, kind, (OWN, method), dtype)
            )
            if not found:
                made.append(Verdict(claim, None, "not measured"))
                continue
            own, other = (sum(times[place] for _, times in found) for place in (0, 1))
            ratios = {matrix.name: times[1] / times[0] for matrix, times in found}
            made.append(
                Verdict(
                    claim,
                    other / own >= AT_LEAST * float(number),
                    f"ratio of means {other / own:.1f}; matrix by matrix {spread(ratios)}; "
                    f"cuSPARSE: {METHODS[str(method)].what}",
                )
            )
    return made


_SUBJECT = {
    "sum": "Sums",
    "sum_t": "Transposed sums",
    "sum_t, converted": "Transposed sums, conversion not counted",
}
