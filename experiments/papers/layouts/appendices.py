"""What stands after the items: the matrices, every search, every form of cuSPARSE, and what measured."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from experiments.papers.kit.numbers import mean_ratio
from experiments.papers.kit.results import Record
from experiments.papers.kit.tables import short_gpu_appendix, table
from experiments.papers.layouts.forms import BASELINES
from experiments.papers.layouts.results import REALS, SCOPES, MatrixRecord, Results, SearchRecord
from experiments.papers.layouts.texts import STREAMED
from experiments.report.item import Appendix, Table
from experiments.report.number_tables import number_text


def make(results: Results) -> tuple[Appendix, ...]:
    """Make the tables."""
    return (
        Appendix(
            "layouts-matrices",
            "The matrices of compound entries",
            table=table(results.matrices, MATRICES, slice(3, 5)),
        ),
        Appendix("layouts-large", "Compound entries: over a million entries", (STREAMED,), _large(results)),
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
    "plain reads, us": lambda s: number_text(s.stream_us, "{:.2f}"),
    "bytes": lambda s: number_text(s.nbytes, "{:d}"),
    "variants": lambda s: s.variants if s.complete else f"{s.variants}, cut",
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
    """Return geometric means over the large matrices, with their leave-one-out ranges."""
    rows = []
    for entry in BASELINES:
        for dtype in REALS:
            for words, numbers in _numbers(results, entry, dtype):
                mean = mean_ratio(numbers)
                if mean is not None:
                    means = (f"{each:.2f}" for each in (mean.value, mean.least, mean.greatest))
                    rows.append((entry, dtype, words, *means, str(len(numbers))))
    columns = ("entry", "type", "what", "geometric mean", "least without one", "greatest", "matrices")
    return Table(columns, tuple(rows), frozenset(columns[3:]))


def _numbers(results: Results, entry: str, dtype: str) -> Iterator[tuple[str, dict[str, float]]]:
    """Yield times over each baseline, gains, and shares of plain reads: words, and numbers by matrix."""
    for scope in SCOPES:
        for words, form in BASELINES[entry].items():
            ratios = results.speedups(entry, dtype, form, scope.joint, large=True)
            yield f"times {words}; {scope.words}", ratios
        yield f"times schedules alone; {scope.words}", results.gains(entry, dtype, scope, large=True)
    yield "plain reads of as many bytes, % of the time", results.shares(entry, dtype, large=True)
