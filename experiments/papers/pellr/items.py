"""The items of the PELLR paper, each made of a request by way of the results that it is to show."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from experiments.papers.kit.request import Request
from experiments.papers.pellr import appendices as appendix_tables
from experiments.papers.pellr import claims as claim_table
from experiments.papers.pellr import example, figures, structure
from experiments.papers.pellr.source import speeds_of
from experiments.papers.pellr.speeds import Speeds

T = TypeVar("T")


def _of_results(make: Callable[[Speeds | None], T]) -> Callable[[Request], T]:
    """Give what makes the same of a request; UserError as `experiments.papers.pellr.source.speeds_of`."""
    return lambda request: make(speeds_of(request))


claims = _of_results(claim_table.make)
iterations = _of_results(example.make)
figure6 = _of_results(lambda speeds: figures.ratio_item(6, speeds))
figure7 = _of_results(structure.make)
figure8 = _of_results(lambda speeds: figures.ratio_item(8, speeds))
figure9 = _of_results(lambda speeds: figures.ratio_item(9, speeds))
figure10 = _of_results(lambda speeds: figures.ratio_item(10, speeds))
figure11 = _of_results(lambda speeds: figures.speed_item(11, speeds))
figure12 = _of_results(lambda speeds: figures.speed_item(12, speeds))
appendices = _of_results(appendix_tables.make)
