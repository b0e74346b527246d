"""What Figures 5 and 6 and Tables 1 and 2 share: GFLOPS matrix by matrix, mean times, ratios of libraries."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from experiments.papers.hisparse.methods import DTYPES, METHODS
from experiments.papers.hisparse.printed import SLOWER, TIMES_FASTER, Printed
from experiments.papers.hisparse.results import MatrixRecord, Results
from experiments.papers.hisparse.texts import category
from experiments.papers.kit.charts import bars
from experiments.papers.kit.numbers import Average, average, mean_ratio
from experiments.papers.kit.results import NOT_MEASURED
from experiments.report.comparison import Comparison
from experiments.report.item import BarChart
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
    published: str,
    others: Sequence[str],
) -> Iterator[Comparison]:
    """Yield a table of mean times as numbers that do not depend on the GPU, and our milliseconds.

    Those are how many times HiSparse is faster than each library by the means over all matrices, as the text
    of the paper counts, and standard deviations in parts of the means. Each has the range that it takes if
    one matrix is left out. Numbers of the paper count for the published execution; next to it stands our own.
    Deviations do not count. Where one of n matrices takes nearly all the time, they are the square root of
    n - 1 means, whatever is measured.

    Parameters
    ----------
    results
        The results.
    table
        What the paper prints, by operation and type, then by library.
    methods
        By operation as `table` calls it: our method for each of the paper's libraries but HiSparse.
    published
        The method that executes HiSparse as the paper does.
    others
        Our own methods for HiSparse.
    """
    for operation in dict.fromkeys(operation for operation, _ in table):
        for library in {**table[operation, "float32"], **table[operation, "float64"]}:
            cell = _Cell(results, table, operation, library)
            if library == "HiSparse":
                for own in (published, *others):
                    yield from cell.alone(own)
                continue
            method = methods[operation].get(library, "")
            for own in (published, *others):
                yield from cell.times(own, method, implied=own != published)
            yield from cell.alone(method)


@dataclass(frozen=True)
class _Cell:
    """What the paper prints of an operation by a library."""

    results: Results
    table: Mapping[tuple[str, str], Mapping[str, Printed]]
    operation: str
    library: str

    def _printed(self) -> Iterator[tuple[str, str, Printed, Printed]]:
        for dtype, short in DTYPES.items():
            row = self.table[self.operation, dtype]
            if self.library in row:
                yield dtype, short, row[self.library], row["HiSparse"]

    @property
    def _note(self) -> str:
        """The milliseconds that the paper prints: they are of another GPU and other matrices."""
        parts = [
            f"{printed.mean} ({printed.deviation}) in {short}" for _, short, printed, _ in self._printed()
        ]
        return f"the paper's mean ms (s.dev.): {', '.join(parts)}"

    def times(self, own: str, method: str, *, implied: bool) -> Iterator[Comparison]:
        """Yield how many times a method for HiSparse is faster than the library's."""
        row = f"{METHODS[own].label} over {self.library}, {NAMES[self.operation]}"
        for dtype, short, printed, base in self._printed():
            pairs = pairs_of(self.results, self.operation, own, method, dtype)
            by_means = average(pairs, ratio_of_means)
            text = f"{float(printed.mean) / float(base.mean):.2f}"
            said = TIMES_FASTER.get((self.operation, dtype), {}).get(self.library)
            note = self._note + (f"; its text says {said} times" if said else "")
            if self.operation == "spmv" and self.library in SLOWER:
                note += (
                    "; its text says that the average performance of this library is below that of HiSparse"
                )
            yield _row(row, f"times HiSparse {short}", text, by_means, note, implied)
            single = mean_ratio({name: times[1] / times[0] for name, times in pairs.items()})
            yield _row(row, f"geometric mean {short}", "", single, self._note)

    def alone(self, method: str) -> Iterator[Comparison]:
        """Yield mean and standard deviation of a method; the paper's are milliseconds, and not judged."""
        label = METHODS[method].label if self.library == "HiSparse" else self.library
        row = f"{label}, {NAMES[self.operation]}"
        for dtype, short, printed, _ in self._printed():
            pairs = pairs_of(self.results, self.operation, method, method, dtype)
            times = {name: pair[0] for name, pair in pairs.items()}
            text = f"{float(printed.deviation) / float(printed.mean):.2f}"
            varied = average(times, lambda each: float(np.std(each) / np.mean(each)))
            yield _row(row, f"s.dev. / mean {short}", text, varied, self._note, implied=True)
            mean = average(times, lambda each: float(np.mean(each)) / 1000)
            yield _row(row, f"mean, ms {short}", "", mean, self._note)


def _row(
    row: str, quantity: str, paper: str, number: Average | None, note: str, implied: bool = False
) -> Comparison:
    if number is None:
        return Comparison(row, quantity, paper, None, note, NOT_MEASURED, implied=implied)
    if number.least_without:
        note += f"; without one matrix {number.least:.3g} ({number.least_without}) to "
        note += f"{number.greatest:.3g} ({number.greatest_without})"
    return Comparison(
        row,
        quantity,
        paper,
        number.value,
        note,
        implied=implied,
        without_one=number.without_one,
        elsewhere=True,
    )


def pairs_of(
    results: Results, operation: str, own: str, method: str, dtype: str
) -> dict[str, tuple[float, ...]]:
    """Return the times of two methods on the stand-ins that both have one on, by the name of the matrix.

    Parameters
    ----------
    results
        The results.
    operation
        As `experiments.papers.hisparse.printed` calls it.
    own, method
        The two; empty for one that is not measured.
    dtype
        float32 or float64.
    """
    kind = operation.partition(",")[0]
    times = results.times(results.of_the_paper, kind, (own, method), dtype) if own and method else []
    return {matrix.name: both for matrix, both in times}


def ratio_of_means(pairs: Sequence[tuple[float, ...]]) -> float:
    """Return the mean time of the second method over that of the first."""
    return sum(times[1] for times in pairs) / sum(times[0] for times in pairs)


def faster_by_means(results: Results, operation: str, own: str, method: str) -> Average | None:
    """Return how many times a method is faster by the means over the stand-ins, float64; None of nothing.

    Parameters
    ----------
    results, operation, own, method
        As of `pairs_of`; `own` is the faster one.
    """
    return average(pairs_of(results, operation, own, method, "float64"), ratio_of_means)


def deviations(pairs: Sequence[tuple[float, ...]]) -> tuple[float, float]:
    """Return the standard deviations of the times of two methods, milliseconds."""
    first, second = (float(np.std(times)) / 1000 for times in zip(*pairs, strict=True))
    return first, second


def steadier(pairs: Sequence[tuple[float, ...]]) -> bool:
    """Return whether the times of the first method deviate less."""
    first, second = deviations(pairs)
    return first < second
