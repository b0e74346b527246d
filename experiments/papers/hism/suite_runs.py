"""The suite with the cycles of every product on it: what Table 2 and the figures are made of."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from experiments.papers.hism import suite
from experiments.papers.hism.measurements import measure_members
from experiments.papers.hism.suite import CRITERIA, Criterion, FigureMember, Member
from experiments.papers.hism.timing import Measured
from experiments.papers.kit.request import Request


@dataclass(frozen=True)
class SuiteRuns:
    """The suite, measured.

    Attributes
    ----------
    members
        All of them, found or not, by name.
    figures
        The ten of each figure, from left to right, by what it sorts by.
    figures_of_originals
        The same, chosen among the members that stand in for no other.
    missing
        Why there are no cycles of a member, by its name.
    measured
        What the programs took on the others.
    """

    members: Mapping[str, Member]
    figures: Mapping[Criterion, tuple[FigureMember, ...]]
    figures_of_originals: Mapping[Criterion, tuple[FigureMember, ...]]
    missing: Mapping[str, str]
    measured: Measured

    @property
    def originals(self) -> list[Member]:
        """The members that stand in for no other."""
        return [member for member in self.members.values() if member.has_original_pattern]

    @property
    def stand_ins(self) -> list[Member]:
        """The others."""
        return [member for member in self.members.values() if not member.has_original_pattern]


def suite_runs(request: Request) -> SuiteRuns:
    """Measure the suite, once for each request.

    Raises
    ------
    UserError
        As :func:`experiments.papers.hism.measurements.measure_members`.
    """
    return request.once(SuiteRuns, lambda: _measured(request))


def _measured(request: Request) -> SuiteRuns:
    members = suite.members()
    by_name = {member.name: member for member in members}
    absent = {member.name: "its file or mesh is not found" for member in suite.missing()}
    present = [member for member in members if member.name not in absent]
    measured = measure_members(present, suite.load, request, suite.identity)
    for name in measured.timings:
        request.matrices[name] = {"pattern_sha256": by_name[name].pattern_sha256}
    originals = [member for member in members if member.has_original_pattern]
    return SuiteRuns(
        by_name,
        {criterion: suite.figure(criterion, members) for criterion in CRITERIA},
        {criterion: suite.figure(criterion, originals) for criterion in CRITERIA},
        absent | dict(measured.failed),
        measured,
    )
