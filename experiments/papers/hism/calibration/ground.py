"""What a calibration stands on: the matrices of the suite that are found, its groups and figures."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from experiments.papers.hism import suite
from experiments.papers.hism.calibration.conclusions import conclusions
from experiments.papers.hism.calibration.distance import Weights, means
from experiments.papers.hism.calibration.search import Evaluated
from experiments.papers.hism.suite import CRITERIA, Criterion, FigureMember, Member
from experiments.papers.hism.table2 import GROUPS, Grouped, grouped
from vecsim.support.errors import UserError

QUICK = 2_000
"""Stored entries up to which matrices count in a quick calibration."""


@dataclass(frozen=True)
class Ground:
    """What a calibration stands on.

    Attributes
    ----------
    members
        Those that were found, by name.
    missing
        Names of the others.
    groups
        Of Table 2; "suite" and "originals", those that stand in for nothing.
    figures
        The ten of each figure.
    """

    members: Mapping[str, Member]
    missing: tuple[str, ...]
    groups: Mapping[str, Grouped]
    figures: Mapping[Criterion, tuple[FigureMember, ...]]

    @property
    def figure_names(self) -> list[str]:
        """The members of all figures that are available."""
        names = dict.fromkeys(place.name for ten in self.figures.values() for place in ten)
        return [name for name in names if name in self.members]

    def picked(self) -> dict[str, list[str]]:
        """Give the groups of Table 2, as far as they are available."""
        of_suite = self.groups["suite"].picked
        return {group: [name for name in of_suite[group] if name in self.members] for group in GROUPS}

    def of_figures(self) -> dict[str, list[str]]:
        """Give the groups of all three figures together."""
        found = {"all": list(self.members)}
        for group in GROUPS[1:]:
            places = [p.name for ten in self.figures.values() for p in ten if p.group == group]
            found[group] = [name for name in dict.fromkeys(places) if name in self.members]
        return found

    def concluded(self, evaluated: Evaluated, weights: Weights) -> dict[str, bool | None]:
        """Check what the paper concludes."""
        of_groups = means(evaluated.cycles, weights)
        return conclusions(evaluated.cycles, of_groups, self.members, self._available_figures())

    def _available_figures(self) -> dict[Criterion, tuple[FigureMember, ...]]:
        return {
            criterion: tuple(place for place in ten if place.name in self.members)
            for criterion, ten in self.figures.items()
        }


def ground(quick: bool = False) -> Ground:
    """Give the suite as far as it is available; of a quick calibration only what is small.

    Raises
    ------
    UserError
        There is nothing to calibrate with.
    """
    members = suite.members()
    absent = {member.name for member in suite.missing()}
    available = {m.name: m for m in members if m.name not in absent and not (quick and m.size > QUICK)}
    if not available:
        raise UserError("no matrix of the suite was found: VECSIM_MATRICES may name a folder that has them")
    originals = [member for member in members if member.has_original_pattern]
    return Ground(
        available,
        tuple(sorted(absent)),
        {
            "suite": grouped(members, suite.figure("size", members)),
            "originals": grouped(originals, suite.figure("size", originals)),
        },
        {criterion: suite.figure(criterion, members) for criterion in CRITERIA},
    )
