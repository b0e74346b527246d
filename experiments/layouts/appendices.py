"""What stands behind the items: the matrices, every search, every form of cuSPARSE, and what measured."""

from __future__ import annotations

from experiments.layouts.results import Results
from experiments.report.item import Appendix, Table


def make(results: Results | None) -> tuple[Appendix, ...]:
    """Give the tables."""
    if results is None:
        return ()
    facts = {"measured on": results.gpu or "no GPU", "made": results.made, **results.facts}
    facts |= {f"seconds, {name}": str(value) for name, value in results.seconds.items()}
    return (
        Appendix("layouts-matrices", "The matrices of compound entries", table=_matrices(results)),
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
