"""The distributions of the suite, compared with what the paper states of its suite."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from experiments.papers.hism.suite.member import CRITERIA, Criterion, Member, members
from experiments.papers.hism.suite.origin import needs_no_file
from experiments.papers.hism.suite.stated_by_paper import MEANS, RANGES, SUITE_SIZE

PAPER, ALL, WITHOUT_STAND_INS = "the paper", "the suite", "without stand-ins"


@dataclass(frozen=True)
class Distribution:
    """One criterion over a set of matrices.

    Attributes
    ----------
    subset
        What they are.
    count
        How many.
    criterion
        What was taken of each.
    least, mean, greatest
        Of them.
    median
        Of them; None for the paper, which does not state it.
    """

    subset: str
    count: int
    criterion: Criterion
    least: float
    mean: float
    greatest: float
    median: float | None

    @property
    def mean_off_percent(self) -> float:
        """By how much the mean is above the paper's, in per cent of the paper's."""
        return 100 * (self.mean / MEANS[self.criterion] - 1)


def subsets() -> dict[str, tuple[Member, ...]]:
    """Return the sets of members that have results, by what they are."""
    suite = members()
    return {
        ALL: suite,
        WITHOUT_STAND_INS: tuple(member for member in suite if member.has_original_pattern),
        "the collection's own": tuple(
            member for member in suite if member.provenance in ("file", "generated")
        ),
        "made without any file": tuple(member for member in suite if any(map(needs_no_file, member.origins))),
    }


def distributions() -> list[Distribution]:
    """Return the paper's distributions, then those of each subset of the suite."""
    paper = [
        Distribution(PAPER, SUITE_SIZE, criterion, low, MEANS[criterion], high, None)
        for criterion, (low, high) in RANGES.items()
    ]
    return paper + [
        distribution(name, criterion, chosen) for name, chosen in subsets().items() for criterion in CRITERIA
    ]


def distribution(subset: str, criterion: Criterion, chosen: Sequence[Member]) -> Distribution:
    """Return one criterion's distribution over the members `chosen`."""
    values = np.array([getattr(member, criterion) for member in chosen], dtype=np.float64)
    spread = (float(values.min()), float(values.mean()), float(values.max()), float(np.median(values)))
    return Distribution(subset, len(chosen), criterion, *spread)
