"""What stands behind the items: the matrices, every search, every form of cuSPARSE, and what measured."""

from __future__ import annotations

from experiments.papers.layouts.figures import BASELINES, LARGE, speedup
from experiments.papers.layouts.results import Results
from experiments.papers.layouts.tables import gain
from experiments.papers.pellr.speeds import geometric_mean
from experiments.report.item import Appendix, Table

REALS = ("float32", "float64")
BOUND = (
    "The bound is what the bytes of CSR with 32-bit columns and of both vectors, each once, take at the "
    "measured bandwidth; layouts with 16-bit columns read less, so that their share of it may exceed 100 %."
)


def make(results: Results | None) -> tuple[Appendix, ...]:
    """Give the tables."""
    if results is None:
        return ()
    facts = {"measured on": results.gpu or "no GPU", "made": results.made, "commit": results.commit}
    facts |= results.facts
    facts |= {f"seconds, {name}": str(value) for name, value in results.seconds.items()}
    return (
        Appendix("layouts-matrices", "The matrices of compound entries", table=_matrices(results)),
        Appendix("layouts-large", "Compound entries: over a million entries", (BOUND,), _large(results)),
        Appendix("layouts-searches", "What the searches found", table=_searches(results)),
        Appendix("layouts-cusparse", "Compound entries by cuSPARSE", table=_library(results)),
        Appendix("", "What measured compound entries", table=Table(("what", "which"), tuple(facts.items()))),
    )


def _matrices(results: Results) -> Table:
    columns = ("matrix", "for", "entry", "rows", "entries", "what it is")
    rows = tuple(
        (
            each.name,
            each.stands_for,
            each.entry,
            f"{each.rows:,}",
            f"{each.entries:,}",
            f"not measured: {each.missing}" if each.missing else each.note,
        )
        for each in results.matrices
    )
    return Table(columns, rows, frozenset(("rows", "entries")))


def _large(results: Results) -> Table:
    """Give geometric means of what exceeds caches: times over each baseline, and shares of the bound."""
    rows = []
    for entry, baselines in BASELINES.items():
        matrices = [each for each in results.matrices if each.entry == entry and each.entries > LARGE]
        for dtype in REALS:
            found = [results.search(each.name, dtype, "joint") for each in matrices]
            shares = [
                100 * each.bound_us / each.median_us
                for each in found
                if each and each.median_us and each.bound_us
            ]
            values = {
                f"times {words}": [speedup(results, each.name, dtype, form) for each in matrices]
                for words, form in baselines.items()
            }
            values["times schedules alone"] = [gain(results, each.name, dtype, "joint") for each in matrices]
            values["share of the bound, %"] = list(shares)
            for words, numbers in values.items():
                known = [each for each in numbers if each is not None]
                mean = geometric_mean(known)
                if mean is not None:
                    cells = (f"{each:.2f}" for each in (mean, min(known), max(known)))
                    rows.append((entry, dtype, words, *cells, str(len(known))))
    columns = ("entry", "type", "what", "geometric mean", "least", "greatest", "matrices")
    return Table(columns, tuple(rows), frozenset(columns[3:]))


def _searches(results: Results) -> Table:
    columns = ("matrix", "type", "search", "layout", "schedule", "us", "bound, us", "bytes", "variants")
    rows = tuple(
        (
            each.matrix,
            each.dtype,
            each.search,
            each.layout or each.reason,
            each.schedule,
            "" if each.median_us is None else f"{each.median_us:.2f}",
            "" if each.bound_us is None else f"{each.bound_us:.2f}",
            "" if each.nbytes is None else str(each.nbytes),
            str(each.variants) if each.complete else f"{each.variants}, not all",
        )
        for each in results.searches
    )
    return Table(columns, rows, frozenset(columns[5:]))


def _library(results: Results) -> Table:
    columns = ("matrix", "type", "form", "us", "bytes", "error")
    rows = tuple(
        (
            each.matrix,
            each.dtype,
            each.form if not each.reason else f"{each.form}: {each.reason}",
            "" if each.median_us is None else f"{each.median_us:.2f}",
            "" if each.nbytes is None else str(each.nbytes),
            "" if each.error is None else f"{each.error:.1e}",
        )
        for each in results.library
    )
    return Table(columns, rows, frozenset(columns[3:]))
