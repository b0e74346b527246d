"""How far averages move when the suite is resampled, and which groups give the paper's averages.

The paper's suite is known by range and mean of three criteria only; ours is another of the kind. Sampling
as many of its matrices with replacement (the bootstrap) shows what another one might give. Two machines are
compared on the same resamples.

The paper plots three, four and three matrices, near the points of a logarithmic scale of sizes, and names
the first and the last of them. The groups are no partition of the suite: HiSM against BBCS is 1.39, 1.43 and
2.30 in them and 1.23 over all. So every choice is tried: for each point any matrix of the suite that is
nearer to it than to the other points, for a named one that matrix.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import log, prod

import numpy as np
import numpy.typing as npt

from experiments.papers.hism.suite import FigureMember, Member
from experiments.papers.hism.table2 import PRINTED, printed_times
from experiments.papers.hism.timing import METHODS, Cycles, relative

DRAWS = 4000
"""Resamples of the suite."""
SEED = 2003
"""Seed of the random numbers; the resamples are always the same."""
TOLD_APART = 0.05
"""A machine is distinguished from the nearest if it is as near in a smaller share of the resamples."""

Floats = npt.NDArray[np.float64]


class Draws:
    """Resamples of a suite, with replacement.

    Parameters
    ----------
    names
        Of its matrices.
    """

    def __init__(self, names: Sequence[str]) -> None:
        self._names = tuple(names)
        count = len(self._names)
        generator = np.random.Generator(np.random.PCG64(SEED))
        self._shares = generator.multinomial(count, np.full(count, 1 / count), size=DRAWS) / count

    def numbers(self, cycles: Cycles) -> dict[str, Floats]:
        """Return each average over all matrices, (draws,), by its row of Table 2."""
        times = np.array([[relative(cycles[name])[p] for p in METHODS] for name in self._names])
        means = dict(zip(METHODS.values(), (self._shares @ times).T, strict=True))
        return {row: means[slow] / means[fast] for row in PRINTED for fast, slow in [row.split(" vs ")]}

    def scores(self, cycles: Cycles) -> Floats:
        """Return the score (`Distance.score`) of each resample, (draws,)."""
        results = [
            np.abs(np.log(ours / float(PRINTED[row][0]))) for row, ours in self.numbers(cycles).items()
        ]
        away = np.array(results)
        scores: Floats = away.mean(axis=0) + away.max(axis=0)
        return scores

    def spread(self, cycles: Cycles) -> dict[str, float]:
        """Return the standard deviation of the logarithm of each average: 0.05 is about 5 %."""
        return {row: float(np.log(ours).std()) for row, ours in self.numbers(cycles).items()}

    def as_near(self, cycles: Cycles, nearest: Cycles) -> float:
        """Return the share of the resamples in which one machine is at least as near as another."""
        return float((self.scores(cycles) <= self.scores(nearest)).mean())


WITHIN = 0.15
"""A mean counts as met if it is off by no more."""


@dataclass(frozen=True)
class GroupChoices:
    """What all choices of the matrices of a group give.

    Attributes
    ----------
    group
        Small, medium or large.
    choices
        How many there are.
    met
        This many have the mean times of all programs within :data:`WITHIN` of the paper's.
    best
        The names of the choice whose largest |ln(ours / paper's)| is least.
    ratios
        Of this choice: our mean time as a multiple of the paper's, by program.
    """

    group: str
    choices: int
    met: int
    best: tuple[str, ...]
    ratios: Mapping[str, float]


def near(figure2: Sequence[FigureMember], members: Mapping[str, Member]) -> list[list[str]]:
    """Return the names of the matrices near each point of Figure 2.

    Parameters
    ----------
    figure2
        Its places, from the least.
    members
        The suite as far as it is available, by name.
    """
    ends = [0.0, *(0.5 * (log(a.point) + log(b.point)) for a, b in pairwise(figure2)), float("inf")]
    results = []
    for place, (low, high) in zip(figure2, pairwise(ends), strict=True):
        named = [place.name] if place.named_by_paper and place.name in members else []
        results.append(named or [m.name for m in members.values() if low <= log(m.size) < high])
    return results


def group_choices(
    group: str, cycles: Cycles, figure2: Sequence[FigureMember], members: Mapping[str, Member]
) -> GroupChoices | None:
    """Try every choice of a group; None if no matrix is near one of its points.

    Parameters
    ----------
    group
        Small, medium or large.
    cycles
        Of all members.
    figure2, members
        As for :func:`near`.
    """
    places = near(figure2, members)
    of_group = [names for place, names in zip(figure2, places, strict=True) if place.group == group]
    if not all(of_group):
        return None
    printed = printed_times(group)
    programs = [program for program in METHODS if program != "chism"]
    paper = np.array([printed[program] for program in programs])
    means = _means([np.array([[relative(cycles[n])[p] for p in programs] for n in ns]) for ns in of_group])
    ratios = means / paper
    best = int(np.abs(np.log(ratios)).max(axis=1).argmin())
    at = np.unravel_index(best, [len(names) for names in of_group])
    return GroupChoices(
        group,
        prod(map(len, of_group)),
        int((np.abs(ratios - 1) <= WITHIN).all(axis=1).sum()),
        tuple(names[int(k)] for names, k in zip(of_group, at, strict=True)),
        dict(zip(programs, map(float, ratios[best]), strict=True)),
    )


def _means(times: Sequence[npt.NDArray[np.float64]]) -> npt.NDArray[np.float64]:
    """Return the mean times of every choice of one row of each array; (choices, programs)."""
    total = times[0]
    for more in times[1:]:
        total = (total[:, None, :] + more[None, :, :]).reshape(-1, more.shape[1])
    results: npt.NDArray[np.float64] = total / len(times)
    return results
