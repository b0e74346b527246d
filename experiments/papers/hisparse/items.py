"""The items of the HiSparse paper, each made of a request by way of the results that it is to show."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from experiments.papers.hisparse import appendices as appendix_tables
from experiments.papers.hisparse import figure2 as storage_figure
from experiments.papers.hisparse import figure4 as statistics
from experiments.papers.hisparse import products, sums
from experiments.papers.hisparse.measured import Measured
from experiments.papers.hisparse.source import measured_for
from experiments.papers.kit.request import Request

T = TypeVar("T")


def _of_results(make: Callable[[Measured | None], T]) -> Callable[[Request], T]:
    """Make the same of a request; UserError as `experiments.papers.hisparse.source.measured_for`."""
    return lambda request: make(measured_for(request))


def _remarks(measured: Measured | None) -> tuple[str, ...]:
    if measured is None:
        return ()
    return (
        f"Measured on {measured.results.gpu.name}, on stand-ins: nearly all printed numbers that are "
        "compared "
        "are of other matrices or milliseconds of another GPU, so few can be met.",
        "The paper's HiSparse is scheduled while it runs; this one by lists made beforehand.",
    )


figure2 = _of_results(storage_figure.make)
figure4 = _of_results(statistics.make)
figure5 = _of_results(products.figure5)
table1 = _of_results(products.table1)
figure6 = _of_results(sums.figure6)
table2 = _of_results(sums.table2)
appendices = _of_results(appendix_tables.make)
remarks = _of_results(_remarks)
