"""Figure 6 and Table 2: sums C = A + B and C = Aᵀ + Bᵀ."""

from __future__ import annotations

from dataclasses import replace

from experiments.hisparse.measured import Measured
from experiments.hisparse.methods import CONVERTING_GEAM, CSR_SUM, GEAM, SUM_METHODS, SUMS
from experiments.hisparse.printed import TABLE_2
from experiments.hisparse.speed_items import (
    TIMES_CHART,
    gflops_chart,
    gflops_rows,
    table_rows,
    times_verdicts,
)
from experiments.hisparse.texts import WITHOUT_RESULTS, gaps_of, notes_of
from experiments.report.item import Item
from experiments.report.paper_chart import paper_beside_ours

LIBRARIES = {
    "sum": {"HiSparse": CSR_SUM, "cuSparse": GEAM},
    "sum_t": {"HiSparse": CSR_SUM, "cuSparse": CONVERTING_GEAM},
    "sum_t, converted": {"HiSparse": CSR_SUM, "cuSparse": GEAM},
}
"""Our method for each library of the paper; cusp is not measured."""
SUBJECTS = {
    "sum": "Sums",
    "sum_t": "Transposed sums",
    "sum_t, converted": "Transposed sums, conversion not counted",
}
"""How claims about them begin."""
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
NOTES = (
    "In the place of the paper's HiSparse stands `gpu.add` of operands in CSR: sums of HiSparse operands "
    "are not "
    "there yet. It adds first and transposes the sum, so for Aᵀ + Bᵀ converted before, it still transposes; "
    "cuSPARSE can do that, too, with one conversion instead of two: “csrgeam2, then converted”.",
    "Room for the work and the sum is made beforehand on both sides; cuSPARSE's calls cannot be captured "
    "into a "
    "graph and are timed back to back.",
)
NOT_MEASURED = (
    "No sum is in these results: when they were measured, there was no addition of matrices on the GPU here. "
    "The paper's numbers stand without ours."
)


def figure6(measured: Measured | None) -> Item:
    """Make Figure 6; an empty one where no sum was measured."""
    name, title = "hisparse-fig6", "Figure 6: GFLOPS of sums, direct and transposed"
    if measured is None or not _has_sums(measured):
        return Item(name, title, FIGURE_6, (), gaps=(_why(measured),))
    return Item(
        name,
        title,
        FIGURE_6,
        tuple(gflops_rows(_summed(measured), SUMS, SUM_METHODS)),
        chart=gflops_chart(_summed(measured), "Sums", SUMS, SUM_METHODS),
        notes=(*notes_of(measured), *NOTES),
        gaps=(*_without(measured), *gaps_of(measured)),
        faults=measured.faults(),
    )


def table2(measured: Measured | None) -> Item:
    """Make Table 2; what the paper prints alone where no sum was measured."""
    there = measured if measured is not None and _has_sums(measured) else None
    rows = tuple(table_rows(there, TABLE_2, LIBRARIES, CSR_SUM))
    charted = [row for row in rows if row.quantity.startswith("times") and row.ours is not None]
    return Item(
        "hisparse-table2",
        "Table 2: mean times of sums",
        TABLE_2_SUMMARY,
        rows,
        chart=paper_beside_ours(TIMES_CHART, "times", charted, logarithmic=True) if charted else None,
        verdicts=tuple(times_verdicts(there, LIBRARIES, SUBJECTS, CSR_SUM)),
        notes=(*notes_of(there), *NOTES) if there else (),
        gaps=(*_without(there), *gaps_of(there)) if there else (_why(measured),),
        faults=there.faults() if there else (),
    )


def _has_sums(measured: Measured) -> bool:
    return any(measured.has(operation) for operation in SUMS)


def _why(measured: Measured | None) -> str:
    return WITHOUT_RESULTS if measured is None else NOT_MEASURED


def _without(measured: Measured) -> tuple[str, ...]:
    """Name the matrices whose sums are not in the results, and sums that were not checked."""
    absent = [
        each.name for each in measured.matrices if measured.time(each, "sum", CSR_SUM, "float64") is None
    ]
    found = [f"Products alone were measured on: {', '.join(absent)}"] if absent else []
    unchecked = [
        f"{each.operation} of {each.matrix} in {each.dtype}"
        for each in measured.results.records
        if each.method == CSR_SUM and each.status == "ok" and each.error is None
    ]
    if unchecked:
        found.append(
            "Timed, but not compared with SciPy's sum, since entries cancel, which SciPy leaves out, and "
            "the run "
            f"that measured them did not allow for that: {', '.join(unchecked)}"
        )
    return tuple(found)


def _summed(measured: Measured) -> Measured:
    """Give the results of the matrices whose sums were measured."""
    names = {record.matrix for record in measured.results.records if record.operation in SUMS}
    matrices = tuple(each for each in measured.results.matrices if each.name in names)
    return Measured(replace(measured.results, matrices=matrices))
