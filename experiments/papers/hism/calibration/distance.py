"""How far the 24 numbers of Table 2 that a candidate gives are from the paper's."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

from experiments.papers.hism.table2 import (
    GROUPS,
    PRINTED,
    VARIANTS,
    Grouped,
    printed_times,
    ratio_of_means,
    slowest_first,
)
from experiments.papers.hism.timing import METHODS, Cycles, Times, relative

Means = Mapping[str, Mapping[str, float]]
"""Mean times as multiples of CHiSM's, by group and program."""
Weights = Mapping[str, Mapping[str, float]]
"""How much a matrix counts in the mean of a group, by group and name."""

CLOSE = {"all": 10.0, "small": 15.0, "medium": 15.0}
"""Within how many per cent a number counts as met; there is no bound for the large group, whose matrices are
mostly stand-ins."""


@dataclass(frozen=True)
class Distance:
    """How far a candidate is from Table 2.

    Attributes
    ----------
    numbers
        Ours, by the paper's row and group.
    """

    numbers: Mapping[tuple[str, str], float]

    def ratio(self, row: str, group: str) -> float:
        """Ours as a multiple of the paper's."""
        return self.numbers[row, group] / float(PRINTED[row][GROUPS.index(group)])

    def of(self, *groups: str) -> float:
        """Give the mean of |ln(ours / paper's)| over the numbers of some groups: 0.1 is about 10 %."""
        chosen = [(row, group) for row, group in self.numbers if group in groups]
        return fmean(abs(math.log(self.ratio(row, group))) for row, group in chosen)

    def worst(self, *groups: str) -> float:
        """Give the largest |ln(ours / paper's)| of some groups."""
        return max(abs(math.log(self.ratio(row, group))) for row, group in self.numbers if group in groups)

    def within(self, percent: float, *groups: str) -> int:
        """Count the numbers of some groups that are within so many per cent."""
        return sum(
            abs(self.ratio(row, group) - 1) <= percent / 100 + 1e-12
            for row, group in self.numbers
            if group in groups
        )

    @property
    def groups(self) -> tuple[str, ...]:
        """Those that it has numbers of."""
        known = {group for _, group in self.numbers}
        return tuple(group for group in GROUPS if group in known)

    def keeps_order(self, group: str) -> bool:
        """Whether the mean times of a group have the paper's order."""
        times = {p: self.numbers[f"CHiSM vs {METHODS[p]}", group] for p in ("crs", "jd", "bbcs")}
        hism = times["crs"] / self.numbers["HiSM vs CRS", group]
        return slowest_first(times | {"hism": hism, "chism": 1.0}) == slowest_first(printed_times(group))

    @property
    def score(self) -> float:
        """What the search makes small: mean and largest |ln(ours / paper's)| over all matrices.

        The averages over three or four matrices do not count: which ones the paper drew is not known
        (`experiments.papers.hism.calibration.drawn_groups`).
        """
        return self.of("all") + self.worst("all")


def equal_weights(groups: Mapping[str, Sequence[str]]) -> dict[str, dict[str, float]]:
    """Let every matrix of a group count the same."""
    return {group: dict.fromkeys(names, 1.0) for group, names in groups.items()}


def means(cycles: Cycles, weights: Weights) -> dict[str, dict[str, float]]:
    """Give the mean times of groups of matrices; a group without any is left out."""
    found = {}
    for group, of_group in weights.items():
        times = [(weight, relative(cycles[name])) for name, weight in of_group.items() if name in cycles]
        total = sum(weight for weight, _ in times)
        if times:
            found[group] = {
                program: sum(weight * t[program] for weight, t in times) / total for program in METHODS
            }
    return found


def distance(of_groups: Means) -> Distance:
    """Compare mean times with Table 2: a number of it is a quotient of two of them."""
    programs = {title: program for program, title in METHODS.items()}
    numbers = {}
    for row in PRINTED:
        fast, slow = (programs[word] for word in row.split(" vs "))
        for group, times in of_groups.items():
            numbers[row, group] = times[slow] / times[fast]
    return Distance(numbers)


def readings(
    cycles: Cycles, groups: Mapping[str, Grouped], of_figures: Mapping[str, Sequence[str]]
) -> dict[str, Distance]:
    """Read "average" and "small, medium, large" in every way that the paper may mean.

    Parameters
    ----------
    groups
        Of the whole suite ("suite") and of what stands in for nothing ("originals").
    of_figures
        The small, medium and large matrices of all three figures together.
    """
    found = {}
    for variant in VARIANTS:
        grouped = groups["suite" if variant.stand_ins else "originals"]
        names = grouped.by_size if variant.by_size else grouped.picked
        found[variant.suffix.removeprefix(", ") or "the paper's: ratio of means, Figure 2's groups"] = _read(
            cycles, names, variant.average
        )
    found["groups of all three figures"] = _read(cycles, of_figures, ratio_of_means)
    return found


def _read(
    cycles: Cycles,
    names: Mapping[str, Sequence[str]],
    average: Callable[[Sequence[Times], str, str], float | None],
) -> Distance:
    programs = {title: program for program, title in METHODS.items()}
    numbers = {}
    for row in PRINTED:
        fast, slow = (programs[word] for word in row.split(" vs "))
        for group, of_group in names.items():
            ours = average([relative(cycles[name]) for name in of_group if name in cycles], slow, fast)
            if ours is not None:
                numbers[row, group] = ours
    return Distance(numbers)
