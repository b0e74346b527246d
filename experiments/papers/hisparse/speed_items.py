"""What Figures 5 and 6 and Tables 1 and 2 share: GFLOPS matrix by matrix, mean times, ratios of libraries."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from experiments.papers.hisparse.methods import DTYPES, METHODS, OWN
from experiments.papers.hisparse.printed import TIMES_FASTER, Printed
from experiments.papers.hisparse.results import MatrixRecord, Results, averages
from experiments.papers.hisparse.texts import AT_LEAST, category
from experiments.papers.kit.charts import bars
from experiments.papers.kit.numbers import geometric_mean, spread
from experiments.papers.kit.results import NOT_MEASURED
from experiments.report.comparison import Comparison
from experiments.report.item import BarChart, Verdict
from experiments.report.paper_chart import paper_beside_ours

NAMES = {
    "spmv": "SpMV",
    "spmv_t": "SpMVᵀ",
    "sum": "A + B",
    "sum_t": "Aᵀ + Bᵀ",
    "sum_t, converted": "Aᵀ + Bᵀ, converted before",
    "sum_bt": "A + Bᵀ",
}
"""How tables and charts call operations."""
SETS = {
    "paper": "matrices that stand for the paper's",
    "large_structured": "class large_structured",
    "skewed": "skewed and uniform",
    "small": "small",
}
"""Panels and averages by set of matrices."""


def sets_of(results: Results) -> dict[str, list[MatrixRecord]]:
    """Return the measured matrices of each of `SETS`; one of the paper's may be in another, too."""
    return {
        "paper": results.of_the_paper,
        "large_structured": [m for m in results.measured if m.group == "large_structured"],
        "skewed": [m for m in results.measured if m.group in ("skewed", "uniform") and not m.stands_for],
        "small": [m for m in results.measured if m.group == "small"],
    }


def gflops_rows(results: Results, operations: Sequence[str], methods: Sequence[str]) -> list[Comparison]:
    """Return the GFLOPS of every method on every matrix, in both types."""
    return [
        Comparison(
            f"{matrix.label}, {NAMES[operation]}",
            f"{METHODS[method].label} {short}",
            "",
            results.gflops(matrix, method, dtype, operation),
            _chosen(results, matrix, operation, dtype),
            results.absent(matrix, method, dtype, operation) or NOT_MEASURED,
        )
        for matrix in results.measured
        for operation in operations
        for dtype, short in DTYPES.items()
        for method in methods
        if results.tried(operation, method)
    ]


def _chosen(results: Results, matrix: MatrixRecord, operation: str, dtype: str) -> str:
    record = results.record(matrix, "cusparse-best", dtype, operation)
    return "" if record is None or not record.chosen else f"best of cuSPARSE {DTYPES[dtype]}: {record.chosen}"


def gflops_chart(results: Results, title: str, operations: Sequence[str], methods: Sequence[str]) -> BarChart:
    """Draw double precision, as the paper does: a panel for each operation and set of matrices.

    Parameters
    ----------
    results
        What was measured.
    title
        Title of the chart.
    operations, methods
        Which of `experiments.papers.hisparse.methods`.
    """
    panels = tuple(
        bars(
            f"{NAMES[operation]}: {SETS[part]}",
            matrices,
            category,
            {METHODS[m].label: (m, "float64", operation) for m in methods if results.tried(operation, m)},
            lambda matrix, key: results.gflops(matrix, *key),
            lambda matrix, key: results.absent(matrix, *key),
        )
        for part, matrices in sets_of(results).items()
        if matrices
        for operation in operations
    )
    return BarChart(
        title=f"{title}, float64 (higher is faster)",
        value_label="GFLOPS, 3 nnz / T",
        panels=panels,
        category_label="matrix (and the paper's that it stands for)",
        logarithmic=True,
        bars_from=None,
        description=f"{title}: bars of GFLOPS in float64; all numbers are in the table",
    )


def times_chart(rows: Iterable[Comparison]) -> BarChart:
    """Draw how many times HiSparse is faster, of the rows that have both numbers."""
    charted = [row for row in rows if row.quantity.startswith("times") and row.paper and row.ours is not None]
    title = "How many times HiSparse is faster, by means over matrices: the paper's, and stand-ins"
    return paper_beside_ours(title, "times", charted, logarithmic=True)


def table_rows(
    results: Results,
    table: Mapping[tuple[str, str], Mapping[str, Printed]],
    methods: Mapping[str, Mapping[str, str]],
    own: str = OWN,
) -> Iterator[Comparison]:
    """Yield a table of mean times as numbers that do not depend on the GPU, and our milliseconds.

    Those are how many times HiSparse is faster than each library by the means over all matrices, as the text
    of the paper counts, and standard deviations in parts of the means.

    Parameters
    ----------
    results
        The results.
    table
        What the paper prints, by operation and type, then by library.
    methods
        By operation as `table` calls it: our method for each of the paper's libraries.
    own
        The method that stands for HiSparse.
    """
    for operation in dict.fromkeys(operation for operation, _ in table):
        for library in {**table[operation, "float32"], **table[operation, "float64"]}:
            method = methods[operation].get(library)
            note = _printed_times(table, operation, library) + _in_its_place(library, own)
            for dtype, short in DTYPES.items():
                printed = table[operation, dtype].get(library)
                if printed is None:
                    continue
                base = table[operation, dtype]["HiSparse"]
                numbers = _numbers(results, operation, method, dtype, own)
                cells = {
                    f"times HiSparse {short}": _quotient(printed.mean, base.mean)
                    if library != "HiSparse"
                    else "",
                    f"geometric mean {short}": "",
                    f"s.dev. / mean {short}": _quotient(printed.deviation, printed.mean),
                    f"mean, ms {short}": "",
                }
                yield from (
                    Comparison(f"{library}, {NAMES[operation]}", what, text, number, note, NOT_MEASURED)
                    for (what, text), number in zip(cells.items(), numbers, strict=True)
                    if text or number is not None
                )


def _quotient(first: str, second: str) -> str:
    return f"{float(first) / float(second):.2f}"


def _printed_times(
    table: Mapping[tuple[str, str], Mapping[str, Printed]], operation: str, library: str
) -> str:
    """Return the milliseconds that the paper prints: they are of another GPU and other matrices."""
    parts = [
        f"{printed.mean} ({printed.deviation}) in {short}"
        for dtype, short in DTYPES.items()
        if (printed := table[operation, dtype].get(library)) is not None
    ]
    return f"the paper's mean ms (s.dev.): {', '.join(parts)}"


def _in_its_place(library: str, own: str) -> str:
    return f"; ours is {METHODS[own].label}" if own != OWN and library == "HiSparse" else ""


def _numbers(
    results: Results, operation: str, method: str | None, dtype: str, own: str
) -> tuple[float | None, float | None, float | None, float | None]:
    """Return, over the stand-ins: times of HiSparse by means; matrix by matrix; s.dev. / mean; mean in ms."""
    if method is None:
        return None, None, None, None
    result = results.times(results.of_the_paper, operation.partition(",")[0], (own, method), dtype)
    average = averages([times[1] for _, times in result])
    if average is None:
        return None, None, None, None
    mean, deviation = average
    if method == own:
        return None, None, deviation / mean, mean
    return (
        ratio_of_means(result),
        geometric_mean(times[1] / times[0] for _, times in result),
        deviation / mean,
        mean,
    )


def ratio_of_means(result: Sequence[tuple[MatrixRecord, tuple[float, ...]]]) -> float:
    """Return the mean time of the second method over that of the first, of what `Results.times` gave."""
    return sum(times[1] for _, times in result) / sum(times[0] for _, times in result)


def times_verdicts(
    results: Results,
    methods: Mapping[str, Mapping[str, str]],
    subjects: Mapping[str, str],
    own: str = OWN,
) -> Iterator[Verdict]:
    """Judge how many times HiSparse is faster, as the text says.

    Parameters
    ----------
    results, methods, own
        As of `table_rows`.
    subjects
        How sentences begin, by operation; of others nothing is judged.
    """
    for (operation, dtype), printed in TIMES_FASTER.items():
        for library, number in printed.items() if operation in subjects else ():
            claim = (
                f"{subjects[operation]}, HiSparse is {number} times faster than {library} ({DTYPES[dtype]})"
            )
            method = methods[operation].get(library)
            kind = operation.partition(",")[0]
            result = results.times(results.of_the_paper, kind, (own, method), dtype) if method else []
            if not result:
                yield Verdict(claim, None, NOT_MEASURED)
                continue
            ratio = ratio_of_means(result)
            each = spread({matrix.name: times[1] / times[0] for matrix, times in result})
            yield Verdict(
                claim,
                ratio >= AT_LEAST * float(number),
                f"{METHODS[own].label}: ratio of means {ratio:.1f}; matrix by matrix {each}",
            )
