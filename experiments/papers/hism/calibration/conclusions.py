"""What the paper concludes, and on which machines it holds: every plausible one, some, or none."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from experiments.papers.hism.calibration.distance import Means
from experiments.papers.hism.claims import Subject, verdicts
from experiments.papers.hism.figures import FIGURES
from experiments.papers.hism.suite import Criterion, FigureMember, Member
from experiments.papers.hism.table2 import GROUPS, printed_times, slowest_first
from experiments.papers.hism.timing import METHODS, Cycles, relative

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
    times = {name: relative(found) for name, found in cycles.items()}
    found: dict[str, bool | None] = {}
    for group, means in of_groups.items():
        printed = printed_times(group)
        order = slowest_first(printed)
        words = " > ".join(METHODS[program] for program in order)
        found[f"Table 2, {group}: {words}"] = order == slowest_first(means)
    for number, figure in FIGURES.items():
        ten = figures[figure.criterion]
        subjects = [Subject(place.name, members[place.name].original, place.group) for place in ten]
        for verdict in verdicts(number, subjects, times):
            found[f"Figure {number}: {verdict.claim}"] = verdict.holds
    return found


def counted(found: Conclusions) -> dict[str, bool | None]:
    """Leave out the order of programs in the small, medium and large group.

    It depends on which three or four matrices the paper drew, as the averages do.
    """
    of_groups = tuple(f"Table 2, {group}:" for group in GROUPS[1:])
    return {words: holds for words, holds in found.items() if not words.startswith(of_groups)}


def lost(found: Conclusions) -> int:
    """Count the conclusions that fail, those of :func:`counted`."""
    return sum(holds is False for holds in counted(found).values())


@dataclass(frozen=True)
class Sensitivity:
    """On which machines one conclusion holds.

    Attributes
    ----------
    conclusion
        In words.
    holds, examined
        On so many of so many candidates.
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
    """Say on which candidates a conclusion holds.

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
    candidate, found = proposal
    here = found.get(conclusion)
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
