"""What stands after the items: the matrices, every search, every form of cuSPARSE, and what measured."""

from __future__ import annotations

from collections.abc import Callable

from experiments.papers.kit.numbers import geometric_mean
from experiments.papers.kit.results import Record
from experiments.papers.kit.tables import short_gpu_appendix, table
from experiments.papers.layouts.figures import BASELINES, large_ones
from experiments.papers.layouts.results import MatrixRecord, Results, SearchRecord
from experiments.report.item import Appendix, Table
from experiments.report.number_tables import number_text

REALS = ("float32", "float64")
BOUND = (
    "The bound is what the bytes of CSR with 32-bit columns and of both vectors, each once, take at the "
    "measured bandwidth; layouts with 16-bit columns read less, so that their share of it may exceed 100 %."
)


def make(results: Results) -> tuple[Appendix, ...]:
    """Make the tables."""
    return (
        Appendix(
            "layouts-matrices",
            "The matrices of compound entries",
            table=table(results.matrices, MATRICES, slice(3, 5)),
        ),
        Appendix("layouts-large", "Compound entries: over a million entries", (BOUND,), _large(results)),
        Appendix(
            "layouts-searches",
            "What the searches found",
            table=table(results.searches, SEARCHES, slice(5, None)),
        ),
        Appendix(
            "layouts-cusparse",
            "Compound entries by cuSPARSE",
            table=table(results.records, LIBRARY, slice(3, None)),
        ),
        short_gpu_appendix("What measured compound entries", results, commit=results.commit),
    )


MATRICES: dict[str, Callable[[MatrixRecord], object]] = {
    "matrix": lambda m: m.name,
    "for": lambda m: m.stands_for,
    "entry": lambda m: m.group,
    "rows": lambda m: f"{m.rows:,}",
    "entries": lambda m: f"{m.nnz:,}",
    "what it is": lambda m: f"not measured: {m.missing}" if m.missing else m.note,
}
SEARCHES: dict[str, Callable[[SearchRecord], object]] = {
    "matrix": lambda s: s.matrix,
    "type": lambda s: s.dtype,
    "search": lambda s: s.search,
    "layout": lambda s: s.layout or s.reason,
    "schedule": lambda s: s.schedule,
    "us": lambda s: number_text(s.median_us, "{:.2f}"),
    "bound, us": lambda s: number_text(s.bound_us, "{:.2f}"),
    "bytes": lambda s: number_text(s.nbytes, "{:d}"),
    "variants": lambda s: s.variants if s.complete else f"{s.variants}, not all",
}
LIBRARY: dict[str, Callable[[Record], object]] = {
    "matrix": lambda r: r.matrix,
    "type": lambda r: r.dtype,
    "form": lambda r: f"{r.method}: {r.reason}" if r.reason else r.method,
    "us": lambda r: number_text(r.median_us, "{:.2f}"),
    "bytes": lambda r: number_text(r.nbytes, "{:d}"),
    "error": lambda r: number_text(r.error, "{:.1e}"),
}
"""Columns of the tables."""


def _large(results: Results) -> Table:
    """Return geometric means of what exceeds caches: times over each baseline, and shares of the bound."""
    rows = []
    for entry, baselines in BASELINES.items():
        matrices = [
            each for each in results.matrices if each.group == entry and each.name in large_ones(results)
        ]
        for dtype in REALS:
            match = [results.search(each.name, dtype, "joint") for each in matrices]
            shares = [
                100 * each.bound_us / each.median_us
                for each in match
                if each and each.median_us and each.bound_us
            ]
            values = {
                f"times {words}": [results.speedup(each.name, dtype, form) for each in matrices]
                for words, form in baselines.items()
            }
            values["times schedules alone"] = [results.gain(each.name, dtype, "joint") for each in matrices]
            values["share of the bound, %"] = list(shares)
            for words, numbers in values.items():
                known = [each for each in numbers if each is not None]
                mean = geometric_mean(known)
                if mean is not None:
                    cells = (f"{each:.2f}" for each in (mean, min(known), max(known)))
                    rows.append((entry, dtype, words, *cells, str(len(known))))
    columns = ("entry", "type", "what", "geometric mean", "least", "greatest", "matrices")
    return Table(columns, tuple(rows), frozenset(columns[3:]))
