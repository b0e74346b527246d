"""Numbers in the cells of tables."""

from __future__ import annotations

from experiments.papers.kit.numbers import Average
from experiments.report.number_tables import three_digits

NONE = "-"
"""Where there is no number."""


def mean(average: Average | None) -> str:
    """Write a mean with its leave-one-out range."""
    if average is None:
        return NONE
    numbers = (average.value, average.least, average.greatest)
    whole, least, greatest = map(three_digits, numbers)
    return f"{whole} ({least} to {greatest})"


def microseconds(time: float | None) -> str:
    """Write a time with four digits."""
    return NONE if time is None else f"{time:,.0f}" if time >= 1000 else f"{time:.4g}"
