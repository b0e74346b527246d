"""The items of the HBP paper, each made of a request by way of the results that it is to show."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TypeVar

from experiments.papers.hbp import appendices as appendix_tables
from experiments.papers.hbp import balance, hash_numbers, preparation, products
from experiments.papers.hbp.results import Results
from experiments.papers.hbp.source import results_for
from experiments.papers.hbp.texts import remarks_of
from experiments.papers.kit.request import Request

T = TypeVar("T")


def _of_results(make: Callable[[Results | None], T]) -> Callable[[Request], T]:
    """Give what makes the same of a request; UserError as `experiments.papers.hbp.source.results_for`."""
    return lambda request: make(results_for(request))


figure6 = _of_results(balance.make)
hashes = _of_results(hash_numbers.make)
figure7 = _of_results(preparation.make)
figure8 = _of_results(partial(products.speeds, figure=8, printed="Orin"))
figure9 = _of_results(products.parts)
figure10 = _of_results(partial(products.speeds, figure=10, printed="4090"))
table2 = _of_results(products.throughput)
appendices = _of_results(appendix_tables.make)
remarks = _of_results(remarks_of)
