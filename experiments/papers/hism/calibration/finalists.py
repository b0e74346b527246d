"""Candidates on the whole suite: which are statistically as near as the nearest, and the proposal."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from experiments.papers.hism.calibration.against_the_paper import lost
from experiments.papers.hism.calibration.choices import STANDARDS, by_standard, uncalibrated
from experiments.papers.hism.calibration.matrices import Evaluators
from experiments.papers.hism.calibration.search import Evaluated
from experiments.papers.hism.calibration.uncertainty import TOLD_APART, Draws


@dataclass(frozen=True)
class Finalist:
    """A candidate on the whole suite.

    Attributes
    ----------
    evaluated
        What it gives.
    concluded
        What the paper concludes, and whether it holds.
    by_standard, concluded_by_standard
        The same with all programs plain, or all pipelined, and equal work.
    as_near
        Share of the resamples of the suite in which it is at least as near as the nearest finalist.
    changed
        Choices in which it is not as the uncalibrated one.
    """

    evaluated: Evaluated
    concluded: Mapping[str, bool | None]
    by_standard: Mapping[str, Evaluated]
    concluded_by_standard: Mapping[str, Mapping[str, bool | None]]
    as_near: float
    changed: int

    @property
    def alike(self) -> bool:
        """Whether it cannot be distinguished from the nearest."""
        return self.as_near >= TOLD_APART

    @property
    def rank(self) -> tuple[float, ...]:
        """What is proposed has the least: see :func:`ranked`."""
        return not self.alike, lost(self.concluded), self.changed, self.evaluated.distance.score


def finalists(
    evaluators: Evaluators, entered: Sequence[Evaluated], begin: float, end: float
) -> list[Finalist]:
    """Compare candidates on the whole suite with the nearest of them, and by standard.

    Parameters
    ----------
    evaluators
        The whole suite.
    entered
        The candidates.
    begin, end
        Share of all work that is done before and after it, for the progress that is shown.
    """
    result, weights = evaluators.ground, evaluators.whole.weights
    once = list({id(e): e for e in entered}.values())
    draws = Draws(list(result.members))
    nearest = min(once, key=evaluators.score)
    first = uncalibrated(evaluators.choices)
    found_all = []
    for number, e in enumerate(once):
        standards = [by_standard(e.candidate, standard) for standard in STANDARDS]
        done = begin + (end - begin) * number / len(once)
        of_standards = dict(
            zip(STANDARDS, evaluators.each(standards, "by standard", done, done), strict=True)
        )
        found_all.append(
            Finalist(
                e,
                result.concluded(e, weights),
                of_standards,
                {standard: result.concluded(one, weights) for standard, one in of_standards.items()},
                draws.as_near(e.cycles, nearest.cycles),
                sum(value != first[name] for name, value in e.candidate.items()),
            )
        )
    return found_all


def ranked(finalists: Iterable[Finalist], now: Evaluated) -> list[Finalist]:
    """Put the proposal first, the others after it by score.

    Today's machine and programs stay as long as they cannot be distinguished from the nearest to Table
    2 (`Finalist.alike`): nothing is known to be better. Otherwise the proposal is the one of those alike that
    keeps most of the paper's conclusions. Among equals it is the one that changes fewest of the uncalibrated
    values, then the nearest.

    Parameters
    ----------
    finalists
        All of them.
    now
        What today's machine and programs give.
    """
    ordered = sorted(finalists, key=lambda f: f.evaluated.distance.score)
    proposal = min(ordered, key=lambda f: (not (f.alike and f.evaluated is now), f.rank))
    return [proposal, *(f for f in ordered if f is not proposal)]
