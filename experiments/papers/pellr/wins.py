"""Which format is the fastest on how many matrices."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from experiments.papers.pellr.methods import METHODS
from experiments.papers.pellr.results import CUT_ELLR, CUT_PELLR, ELLR, HYB, PELLR, Results

FIGURE_12 = ("csrv", "jad", "ell", ELLR, PELLR, HYB, "cucsr")
PAPER_METHODS = (*FIGURE_12, "biell", "bijad")
"""What PELLR is best of, according to the paper."""
AS_PUBLISHED = {CUT_ELLR: ELLR, CUT_PELLR: PELLR}
"""What stands for a format as published where one slice does not fit."""


@dataclass(frozen=True)
class Wins:
    """The fastest format of each matrix.

    Attributes
    ----------
    fastest
        By the name of the matrix; forms in slices under the name of the published one.
    """

    fastest: Mapping[str, str]

    def of(self, *methods: str) -> int:
        """Return on how many matrices one of these is the fastest."""
        return sum(each in methods for each in self.fastest.values())

    def __str__(self) -> str:
        """Return who is the fastest how often."""
        counts = Counter(METHODS[method].label for method in self.fastest.values())
        return ", ".join(f"{label} {times}" for label, times in counts.most_common()) or "none"


def share_best(results: Results, part: str, dtype: str, methods: Sequence[str] = PAPER_METHODS) -> Wins:
    """Return the fastest of some formats on each matrix of a set, ELLPACK-R and PELLR cut if they must be.

    Parameters
    ----------
    results
        What was measured.
    part
        The set.
    dtype
        float32 or float64.
    methods
        The formats.
    """
    matches: dict[str, str] = {}
    for matrix in results.sets[part]:
        own = results.own_of(matrix)
        forms = {ELLR: results.ellr(matrix, own), PELLR: own}
        best = results.best(matrix, dtype, [forms.get(method, method) for method in methods])
        if best is not None:
            matches[matrix.name] = AS_PUBLISHED.get(best, best)
    return Wins(matches)
