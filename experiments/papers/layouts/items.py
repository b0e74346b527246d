"""The items of the paper, each made of a request by way of the results that it is to show."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TypeVar

from experiments.papers.kit.request import Request
from experiments.papers.layouts import appendices as appendix_tables
from experiments.papers.layouts import figures, tables
from experiments.papers.layouts.results import Results
from experiments.papers.layouts.source import results_for
from experiments.papers.layouts.texts import remarks_of

T = TypeVar("T")


def _of_results(make: Callable[[Results | None], T]) -> Callable[[Request], T]:
    """Give what makes the same of a request; UserError as `experiments.papers.layouts.source.results_for`."""
    return lambda request: make(results_for(request))


figure1 = _of_results(partial(figures.over_cusparse, number=1, dtype="float32"))
figure3 = _of_results(partial(figures.patterns, number=3))
figure4 = _of_results(partial(figures.patterns, number=4))
figure5 = _of_results(partial(figures.over_cusparse, number=5, dtype="float64"))
table1, table2, table3, table4, table5, table6 = (
    _of_results(partial(tables.make, number=number)) for number in range(1, 7)
)
appendices = _of_results(appendix_tables.make)
remarks = _of_results(remarks_of)
