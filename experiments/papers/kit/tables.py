"""Tables that stand after the items of a paper: columns as functions, and the GPU that measured."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterable, Mapping
from typing import TypeVar

from experiments.papers.kit.results import Results
from experiments.report.item import Appendix, Table

T = TypeVar("T")


def table(
    rows: Iterable[T], columns: Mapping[str, Callable[[T], object]], numbers: slice, *texts: str
) -> Table:
    """Fill a table.

    Parameters
    ----------
    rows
        A thing each.
    columns
        What a cell says of its thing, by the heading of the column.
    numbers
        Which columns are set flush right.
    texts
        Those among them that are not.
    """
    cells = tuple(tuple(str(of(row)) for of in columns.values()) for row in rows)
    return Table(tuple(columns), cells, frozenset(tuple(columns)[numbers]) - set(texts))


def gpu_appendix(title: str, results: Results) -> Appendix:
    """Describe the GPU and its software in full."""
    rows = (
        ("GPU", results.gpu),
        ("measured", results.made),
        ("command", shlex.join(results.command)),
        ("commit", results.commit or "unknown"),
        *results.versions.items(),
        *((name, fact) for name, fact in results.facts.items() if name not in results.versions),
        *((f"{what}, of another run", when) for what, when in results.added.items()),
        *((f"seconds: {phase}", str(spent)) for phase, spent in results.seconds.items()),
    )
    return Appendix("", title, table=Table(("what", "which"), rows))


def short_gpu_appendix(title: str, results: Results, **more: str) -> Appendix:
    """Describe the GPU and the run in short."""
    seconds = {f"seconds, {name}": str(value) for name, value in results.seconds.items()}
    facts = {"measured on": results.gpu, "made": results.made, **more, **results.facts, **seconds}
    return Appendix("", title, table=Table(("what", "which"), tuple(facts.items())))
