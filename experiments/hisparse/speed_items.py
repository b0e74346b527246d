"""What Figures 5 and 6 and Tables 1 and 2 share: GFLOPS matrix by matrix, mean times, ratios of libraries."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from experiments.comparison import Comparison
from experiments.hisparse.measured import Measured, averages, geometric_mean
from experiments.hisparse.methods import DTYPES, METHODS, OWN
from experiments.hisparse.printed import TIMES_FASTER, Printed
from experiments.hisparse.results import MatrixRecord
from experiments.hisparse.texts import AVERAGED, category, label
from experiments.report.item import BarChart, Panel

NAMES = {
    "spmv": "SpMV",
    "spmv_t": "SpMVᵀ",
    "sum": "A + B",
    "sum_t": "Aᵀ + Bᵀ",
    "sum_t, converted": "Aᵀ + Bᵀ, converted before",
}
"""How tables and charts call operations."""
SETS = {
    "paper": "matrices that stand for the paper's",
    "large_structured": "class large_structured",
    "skewed": "skewed and uniform",
    "small": "small",
}
"""Panels and averages by set of matrices."""
NOT_MEASURED = "not measured"


def sets_of(measured: Measured) -> dict[str, list[MatrixRecord]]:
    """Give the measured matrices of each of `SETS`; one of the paper's may be in another, too."""
    return {
        "paper": measured.of_the_paper,
        "large_structured": [m for m in measured.matrices if m.group == "large_structured"],
        "skewed": [m for m in measured.matrices if m.group in ("skewed", "uniform") and not m.stands_for],
        "small": [m for m in measured.matrices if m.group == "small"],
    }


def gflops_rows(measured: Measured, operations: Sequence[str], methods: Sequence[str]) -> list[Comparison]:
    """Give the GFLOPS of every method on every matrix, in both types."""
    return [
        Comparison(
            f"{label(matrix)}, {NAMES[operation]}",
            f"{METHODS[method].label} {short}",
            "",
            measured.gflops(matrix, operation, method, dtype),
            _chosen(measured, matrix, operation, dtype),
            measured.absent(matrix, operation, method, dtype) or NOT_MEASURED,
        )
        for matrix in measured.matrices
        for operation in operations
        for dtype, short in DTYPES.items()
        for method in methods
    ]


def _chosen(measured: Measured, matrix: MatrixRecord, operation: str, dtype: str) -> str:
    record = measured.record(matrix, operation, "cusparse-best", dtype)
    return "" if record is None or not record.chosen else f"best of cuSPARSE {DTYPES[dtype]}: {record.chosen}"


def gflops_chart(
    measured: Measured, title: str, operations: Sequence[str], methods: Sequence[str]
) -> BarChart | None:
    """Draw double precision, as the paper does: a panel for each operation and set of matrices."""
    panels = tuple(
        Panel(
            f"{NAMES[operation]}: {SETS[part]}",
            tuple(map(category, matrices)),
            {
                METHODS[method].label: tuple(
                    measured.gflops(each, operation, method, "float64") for each in matrices
                )
                for method in methods
            },
            {
                METHODS[method].label: tuple(
                    measured.absent(each, operation, method, "float64") for each in matrices
                )
                for method in methods
            },
        )
        for part, matrices in sets_of(measured).items()
        if matrices
        for operation in operations
    )
    if not panels:
        return None
    return BarChart(
        title=f"{title}, float64 (higher is faster)",
        value_label="GFLOPS, 3 nnz / T",
        panels=panels,
        category_label="matrix (and the paper's that it stands for)",
        logarithmic=True,
        bars_from=None,
        description=f"{title}: bars of GFLOPS in float64; all numbers are in the table",
    )


def mean_rows(
    measured: Measured | None,
    table: Mapping[tuple[str, str], Mapping[str, Printed]],
    methods: Mapping[str, Mapping[str, str]],
) -> list[Comparison]:
    """Give mean and standard deviation of milliseconds as the paper has them, over the stand-ins.

    Parameters
    ----------
    measured
        None without results.
    table
        What the paper prints, by operation and type, then by library.
    methods
        By operation as `table` calls it: our method for each of the paper's libraries.
    """
    rows = []
    for (operation, dtype), libraries in table.items():
        for library, printed in libraries.items():
            method = methods[operation].get(library)
            times = [] if measured is None or method is None else _times(measured, operation, method, dtype)
            found = averages(times)
            note = f"{AVERAGED}; ours over {len(times)} stand-ins" if found else ""
            for place, (what, number) in enumerate((("mean", printed.mean), ("s.dev.", printed.deviation))):
                rows.append(
                    Comparison(
                        f"{library}, {NAMES[operation]}",
                        f"{what}, ms {DTYPES[dtype]}",
                        number,
                        None if found is None else found[place],
                        note,
                        NOT_MEASURED,
                    )
                )
    return rows


def _times(measured: Measured, operation: str, method: str, dtype: str) -> list[float]:
    """Give the microseconds of a method on the stand-ins on which HiSparse has a time, too."""
    kind = operation.partition(",")[0]
    found = measured.times(measured.of_the_paper, kind, (method, OWN), dtype)
    return [times[0] for _, times in found]


def faster_rows(
    measured: Measured | None, methods: Mapping[str, Mapping[str, str]], operations: Sequence[str]
) -> list[Comparison]:
    """Give how many times HiSparse is faster: as the paper counts, means over means, and geometric means."""
    rows = []
    for operation in operations:
        for dtype, short in DTYPES.items():
            printed = TIMES_FASTER.get((operation, dtype), {})
            for library in dict.fromkeys((*printed, *methods[operation])):
                if library == METHODS[OWN].printed:
                    continue
                method = methods[operation].get(library)
                ratio, per_matrix = _faster(measured, operation, method, dtype)
                row = f"HiSparse over {library}, {NAMES[operation]}"
                rows += [
                    Comparison(
                        row,
                        f"ratio of means {short}",
                        printed.get(library, ""),
                        ratio,
                        f"{AVERAGED}; stand-ins",
                        NOT_MEASURED,
                    ),
                    Comparison(row, f"geometric mean {short}", "", per_matrix, "stand-ins", NOT_MEASURED),
                ]
    return rows


def _faster(
    measured: Measured | None, operation: str, method: str | None, dtype: str
) -> tuple[float | None, float | None]:
    if measured is None or method is None:
        return None, None
    found = measured.times(measured.of_the_paper, operation.partition(",")[0], (OWN, method), dtype)
    if not found:
        return None, None
    own, other = (sum(times[place] for _, times in found) for place in (0, 1))
    return other / own, geometric_mean(times[1] / times[0] for _, times in found)
