"""Figure 6 and Table 2: sums C = A + B and C = Aᵀ + Bᵀ, and next to the paper's C = A + Bᵀ."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from experiments.papers.hisparse.methods import (
    CONVERTING_GEAM,
    CSR_SUM,
    DTYPES,
    GEAM,
    METHODS,
    SUM_METHODS,
    SUMS,
    TREE_SUM,
)
from experiments.papers.hisparse.printed import TABLE_2
from experiments.papers.hisparse.results import Results
from experiments.papers.hisparse.speed_items import (
    NAMES,
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
from experiments.report.comparison import Comparison
from experiments.report.item import Item, Verdict

LIBRARIES = {
    "sum": {"HiSparse": TREE_SUM, "cuSparse": GEAM},
    "sum_t": {"HiSparse": TREE_SUM, "cuSparse": CONVERTING_GEAM},
    "sum_t, converted": {"HiSparse": TREE_SUM, "cuSparse": GEAM},
}
"""Our method for each library of the paper; cusp is not measured."""
SUBJECTS = {
    "sum": "Sums",
    "sum_t": "Transposed sums",
    "sum_t, converted": "Transposed sums, conversion not counted",
}
"""How claims about them begin."""
RIVALS = {
    "sum": {"csrgeam2": GEAM},
    "sum_t": {"csrgeam2, conversion counted": CONVERTING_GEAM, "csrgeam2, not counted": GEAM},
    "sum_bt": {"csrgeam2, conversion counted": CONVERTING_GEAM, "csrgeam2, not counted": GEAM},
}
"""What ours is compared with matrix by matrix."""
FIGURE_6 = (
    "Performance of sums in GFLOPS; the paper defines these by 3 nnz / T, nnz of A, for its whole "
    "evaluation. B is A with each entry moved by a normal deviate of sigma 10 in row and column (seeded; "
    "entries that meet are added). cuSPARSE's Aᵀ + Bᵀ converts the operands to their transposes first, which "
    "the paper counts and does not count. The paper prints bars without numbers, and has no A + Bᵀ."
)
TABLE_2_SUMMARY = (
    "Mean and standard deviation of the milliseconds of a sum, and how many times HiSparse is faster, over "
    "the matrices that stand for nine of the paper's; after them how many times both of our sums are faster "
    "than csrgeam2 on each set of matrices, geometric means."
)
NOTES = (
    "Of two transposed operands in HiSparse the sum is that of A and B with the state of a transposed "
    "matrix, so that Aᵀ + Bᵀ takes as long as A + B; the paper walks down both trees transposed. A + Bᵀ "
    "does exchange rows and columns of one operand; the order of its leaves by columns is there "
    "beforehand, as stored transposes are for csrgeam2 where conversions are not counted.",
    "gpu.add of CSR adds first and transposes the sum for Aᵀ + Bᵀ; cuSPARSE can do that, too, with one "
    "conversion instead of two: “csrgeam2, then converted”.",
    "Room for the work and the sum is made beforehand on both sides; cuSPARSE's calls cannot be captured "
    "into a graph and are timed back to back. Its two calls, ours, and conversions are apart in the table "
    "of sums.",
)


def figure6(results: Results) -> Item:
    """Make Figure 6."""
    return results.item(
        "hisparse-fig6",
        "Figure 6: GFLOPS of sums, direct and transposed",
        FIGURE_6,
        tuple(gflops_rows(_summed(results), SUMS, SUM_METHODS)),
        chart=gflops_chart(_summed(results), "Sums", SUMS, SUM_METHODS),
        notes=(*notes_of(results), *NOTES),
        gaps=_without(results),
    )


def table2(results: Results) -> Item:
    """Make Table 2."""
    rows = (*table_rows(results, TABLE_2, LIBRARIES, TREE_SUM), *_times_rows(results))
    return results.item(
        "hisparse-table2",
        "Table 2: mean times of sums",
        TABLE_2_SUMMARY,
        rows,
        chart=times_chart(rows),
        verdicts=(*times_verdicts(results, LIBRARIES, SUBJECTS, TREE_SUM), *_steadiest(results)),
        notes=(*notes_of(results), *NOTES),
        gaps=_without(results),
    )


def _without(results: Results) -> tuple[str, ...]:
    """Name the matrices whose sums are not in the results."""
    absent = [
        each.name for each in results.measured if results.time(each, TREE_SUM, "float64", "sum") is None
    ]
    return (f"Products alone were measured on: {', '.join(absent)}",) if absent else ()


def _times_rows(results: Results) -> list[Comparison]:
    """Return the speed-up of our sums over csrgeam2, as geometric means over each set of matrices."""
    return [
        Comparison(
            f"{METHODS[own].label}, {NAMES[operation]}: {SETS[part]}",
            f"times {name} {short}",
            "",
            geometric_mean(ratios.values()),
            f"{len(ratios)} matrices: {spread(ratios)}",
        )
        for operation, rivals in RIVALS.items()
        for own in (TREE_SUM, CSR_SUM)
        for part, matrices in sets_of(results).items()
        for dtype, short in DTYPES.items()
        for name, rival in rivals.items()
        if (ratios := results.ratios(matrices, rival, dtype, own, operation))
    ]


def _steadiest(results: Results) -> Iterator[Verdict]:
    """Judge whether the times of HiSparse vary least, in milliseconds, as the text says of all sums."""
    for operation, libraries in LIBRARIES.items():
        methods = tuple(libraries.values())
        times = results.times(results.of_the_paper, operation.partition(",")[0], methods, "float64")
        if times:
            deviations = [float(np.std([each[place] for _, each in times])) / 1000 for place in range(2)]
            yield Verdict(
                f"{SUBJECTS[operation]}: HiSparse has the lowest standard deviation (f64)",
                deviations[0] < deviations[1],
                f"{deviations[0]:.3f} ms, csrgeam2 {deviations[1]:.3f} ms",
            )


def _summed(results: Results) -> Results:
    """Return the results of the matrices whose sums were measured."""
    names = {record.matrix for record in results.records if record.operation in SUMS}
    matrices = tuple(each for each in results.matrices if each.name in names)
    return replace(results, matrices=matrices)
