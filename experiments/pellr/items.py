"""The items of the PELLR paper by name."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from experiments.pellr import appendices, claims, example, figures, structure
from experiments.pellr.source import speeds_of
from experiments.pellr.speeds import Speeds
from experiments.report.item import Appendix, Item
from experiments.request import Request

MAKERS: dict[str, Callable[[Speeds | None], Item]] = {
    "pellr-claims": claims.make,
    "pellr-iterations": example.make,
    "pellr-fig7": structure.make,
    **{f"pellr-fig{number}": partial(figures.ratio_item, number) for number in figures.RATIO_FIGURES},
    **{f"pellr-fig{number}": partial(figures.speed_item, number) for number in figures.SPEED_FIGURES},
}
"""What makes each, with results or without."""


def make(name: str, request: Request) -> Item:
    """Make an item.

    Raises
    ------
    UserError
        As `experiments.pellr.source.speeds_of`.
    """
    return MAKERS[name](speeds_of(request))


def appendices_of(request: Request) -> tuple[Appendix, ...]:
    """Give what stands behind the items; errors as `make`."""
    return appendices.make(speeds_of(request))
