"""Candidates against the paper: their distance from Table 2, and which of its conclusions hold."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

from experiments.papers.hism.claims import Subject, verdicts
from experiments.papers.hism.figures import FIGURES
from experiments.papers.hism.suite import Criterion, FigureMember, Member
from experiments.papers.hism.table2 import (
    GROUPS,
    PRINTED,
    PROGRAMS,
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
        """Return the mean of |ln(ours / paper's)| over the numbers of some groups: 0.1 is about 10 %."""
        chosen = [(row, group) for row, group in self.numbers if group in groups]
        return fmean(abs(math.log(self.ratio(row, group))) for row, group in chosen)

    def worst(self, *groups: str) -> float:
        """Return the largest |ln(ours / paper's)| of some groups."""
        return max(abs(math.log(self.ratio(row, group))) for row, group in self.numbers if group in groups)

    def within(self, percent: float, *groups: str) -> int:
        """Count the numbers of some groups that are within this many per cent."""
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
        (`experiments.papers.hism.calibration.uncertainty`).
        """
        return self.of("all") + self.worst("all")


def equal_weights(groups: Mapping[str, Sequence[str]]) -> dict[str, dict[str, float]]:
    """Let every matrix of a group count the same."""
    return {group: dict.fromkeys(names, 1.0) for group, names in groups.items()}


def means(cycles: Cycles, weights: Weights) -> dict[str, dict[str, float]]:
    """Return the mean times of groups of matrices; a group without any is left out."""
    result = {}
    for group, of_group in weights.items():
        times = [(weight, relative(cycles[name])) for name, weight in of_group.items() if name in cycles]
        total = sum(weight for weight, _ in times)
        if times:
            result[group] = {
                program: sum(weight * t[program] for weight, t in times) / total for program in METHODS
            }
    return result


def distance(of_groups: Means) -> Distance:
    """Compare mean times with Table 2: a number of it is a quotient of two of them."""
    return Distance(
        {
            (row, group): times[slow] / times[fast]
            for row, (slow, fast) in PROGRAMS.items()
            for group, times in of_groups.items()
        }
    )


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
    result = {}
    for variant in VARIANTS:
        grouped = groups["suite" if variant.stand_ins else "originals"]
        names = grouped.by_size if variant.by_size else grouped.picked
        result[variant.suffix.removeprefix(", ") or "the paper's: ratio of means, Figure 2's groups"] = _read(
            cycles, names, variant.average
        )
    result["groups of all three figures"] = _read(cycles, of_figures, ratio_of_means)
    return result


def _read(
    cycles: Cycles,
    names: Mapping[str, Sequence[str]],
    average: Callable[[Sequence[Times], str, str], float | None],
) -> Distance:
    times = {
        group: [relative(cycles[name]) for name in of_group if name in cycles]
        for group, of_group in names.items()
    }
    return Distance(
        {
            (row, group): ours
            for row, programs in PROGRAMS.items()
            for group, of_group in times.items()
            if (ours := average(of_group, *programs)) is not None
        }
    )


Conclusions = Mapping[str, bool | None]
"""Whether each holds, by its words; None where its matrices were not simulated."""


def conclusions(
    cycles: Cycles,
    of_groups: Means,
    members: Mapping[str, Member],
    figures: Mapping[Criterion, Sequence[FigureMember]],
) -> dict[str, bool | None]:
    """Check the order of the mean times of each group, and what the paper says of its figures.

    Parameters
    ----------
    cycles
        By matrix and program.
    of_groups
        Mean times of the groups of Table 2.
    members
        The suite, by name.
    figures
        The ten of each figure.
    """
    times = {name: relative(result) for name, result in cycles.items()}
    result: dict[str, bool | None] = {}
    for group, means in of_groups.items():
        printed = printed_times(group)
        order = slowest_first(printed)
        words = " > ".join(METHODS[program] for program in order)
        result[f"Table 2, {group}: {words}"] = order == slowest_first(means)
    for number, figure in FIGURES.items():
        ten = figures[figure.criterion]
        subjects = [Subject(place.name, members[place.name].original, place.group) for place in ten]
        for verdict in verdicts(number, subjects, times):
            result[f"Figure {number}: {verdict.claim}"] = verdict.holds
    return result


def lost(result: Conclusions) -> int:
    """Count the conclusions that fail, the orders of the small, medium and large group among them."""
    return sum(holds is False for holds in result.values())


@dataclass(frozen=True)
class Sensitivity:
    """On which machines one conclusion holds.

    Attributes
    ----------
    conclusion
        In words.
    holds, examined
        On how many candidates it holds, of how many that were examined.
    breaks, mends
        Choices with the value that, changed alone in the proposal, makes it fail or hold.
    by_value
        On what share of the candidates that have it, by choice and value.
    """

    conclusion: str
    holds: int
    examined: int
    at_proposal: bool | None
    breaks: tuple[str, ...]
    mends: tuple[str, ...]
    by_value: Mapping[tuple[str, str], float]

    @property
    def extent(self) -> str:
        """Whether it holds on every machine, some, or none."""
        if not self.examined:
            return "unknown"
        return "every" if self.holds == self.examined else "some" if self.holds else "none"


def sensitivity(
    conclusion: str,
    examined: Sequence[tuple[Mapping[str, str], Conclusions]],
    proposal: tuple[Mapping[str, str], Conclusions],
    single: Sequence[tuple[Mapping[str, str], Conclusions]],
) -> Sensitivity:
    """Return the candidates that a conclusion holds on, as counts and by value.

    Parameters
    ----------
    conclusion
        Its name.
    examined
        All candidates, each with its conclusions.
    proposal
        One of them.
    single
        Those that differ from it in one choice.
    """
    candidate, result = proposal
    here = result.get(conclusion)
    known = [(c, of[conclusion]) for c, of in examined if of.get(conclusion) is not None]
    shares: dict[tuple[str, str], list[bool]] = {}
    for other, holds in known:
        for choice, value in other.items():
            shares.setdefault((choice, value), []).append(bool(holds))
    changed = [
        (next(f"{choice} = {value}" for choice, value in other.items() if candidate[choice] != value), holds)
        for other, of in single
        if (holds := of.get(conclusion)) is not None and holds != here
    ]
    return Sensitivity(
        conclusion,
        sum(bool(holds) for _, holds in known),
        len(known),
        here,
        tuple(words for words, holds in changed if not holds),
        tuple(words for words, holds in changed if holds),
        {key: sum(values) / len(values) for key, values in shares.items()},
    )
