"""The calibration: search on a part of the suite, the best on all of it, a proposal, what changes it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from experiments.hism import suite
from experiments.hism.calibration import facts
from experiments.hism.calibration.choices import (
    CHOICES,
    Candidate,
    Choice,
    as_now,
    machine_of,
    neighbours,
    uncalibrated,
)
from experiments.hism.calibration.conclusions import Sensitivity, conclusions, sensitivity
from experiments.hism.calibration.distance import equal_weights, means
from experiments.hism.calibration.search import Evaluated, Evaluator, descend, part_of, starts
from experiments.hism.calibration.simulation import Simulator
from experiments.hism.measurements import Load
from experiments.hism.suite import CRITERIA, Criterion, FigureMember, Member
from experiments.hism.table2 import GROUPS, Grouped, grouped
from experiments.request import Request
from isa.errors import UserError
from vecsim.machine import Machine

STARTS = 4
"""Where the search begins: as it is now, at the first value of every choice, at others drawn at random."""
FINALISTS = 12
"""Candidates that are simulated on the whole suite."""
QUICK = 2_000
"""Stored entries up to which matrices count in a quick calibration."""


@dataclass(frozen=True)
class Ground:
    """What a calibration stands on.

    Attributes
    ----------
    members
        Those at hand, by name.
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
        """The members of all figures that are at hand."""
        names = dict.fromkeys(place.name for ten in self.figures.values() for place in ten)
        return [name for name in names if name in self.members]

    def picked(self) -> dict[str, list[str]]:
        """Give the groups of Table 2, as far as they are at hand."""
        of_suite = self.groups["suite"].picked
        return {group: [name for name in of_suite[group] if name in self.members] for group in GROUPS}

    def of_figures(self) -> dict[str, list[str]]:
        """Give the groups of all three figures together."""
        found = {"all": list(self.members)}
        for group in GROUPS[1:]:
            places = [p.name for ten in self.figures.values() for p in ten if p.group == group]
            found[group] = [name for name in dict.fromkeys(places) if name in self.members]
        return found

    def concluded(
        self, evaluated: Evaluated, weights: Mapping[str, Mapping[str, float]]
    ) -> dict[str, bool | None]:
        """Check what the paper concludes."""
        of_groups = means(evaluated.cycles, weights)
        return conclusions(evaluated.cycles, of_groups, self.members, self._figures_at_hand())

    def _figures_at_hand(self) -> dict[Criterion, tuple[FigureMember, ...]]:
        return {
            criterion: tuple(place for place in ten if place.name in self.members)
            for criterion, ten in self.figures.items()
        }


@dataclass(frozen=True)
class Calibration:
    """What was found.

    Attributes
    ----------
    ground
        The matrices.
    base
        The machine whose fields hold where no choice sets them.
    choices
        The grid.
    quick
        Whether only small matrices were looked at.
    examined
        Every candidate of the search, on the part of the suite that is searched on.
    finalists
        The best of them on the whole suite, the proposal first, then by score.
    before
        The uncalibrated candidate on the whole suite.
    single
        Candidates that differ from the proposal in one choice, with the proposal first, on the part of the
        suite that is searched on and the matrices of the figures.
    concluded
        What the paper concludes, for each of `finalists`.
    sensitivities
        Of every conclusion.
    measured_facts
        Cycles of the proposal's accesses, by the words of what the paper states.
    """

    ground: Ground
    base: Machine
    choices: tuple[Choice, ...]
    quick: bool
    examined: tuple[Evaluated, ...]
    finalists: tuple[Evaluated, ...]
    before: Evaluated
    single: tuple[Evaluated, ...]
    concluded: tuple[Mapping[str, bool | None], ...]
    sensitivities: tuple[Sensitivity, ...]
    measured_facts: Mapping[str, int]

    @property
    def proposal(self) -> Evaluated:
        """The candidate that is proposed."""
        return self.finalists[0]

    @property
    def machine(self) -> Machine:
        """The proposal's machine."""
        return machine_of(self.proposal.candidate, self.base, self.choices)


def ground(quick: bool = False) -> Ground:
    """Give the suite as far as it is at hand; of a quick calibration only what is small.

    Raises
    ------
    UserError
        There is nothing to calibrate with.
    """
    members = suite.members()
    absent = {member.name for member in suite.missing()}
    at_hand = {m.name: m for m in members if m.name not in absent and not (quick and m.size > QUICK)}
    if not at_hand:
        raise UserError("no matrix of the suite is at hand: VECSIM_MATRICES may name a folder that has them")
    originals = [member for member in members if member.has_original_pattern]
    return Ground(
        at_hand,
        tuple(sorted(absent)),
        {
            "suite": grouped(members, suite.figure("size", members)),
            "originals": grouped(originals, suite.figure("size", originals)),
        },
        {criterion: suite.figure(criterion, members) for criterion in CRITERIA},
    )


def calibrate(
    request: Request,
    *,
    quick: bool = False,
    choices: tuple[Choice, ...] | None = None,
    number_of_starts: int = STARTS,
    load: Load | None = None,
) -> Calibration:
    """Search the grid.

    Parameters
    ----------
    request
        Its machine is the one whose fields hold where no choice sets them.
    quick
        Whether to look at small matrices alone, from one start.
    choices
        The grid; None for :data:`CHOICES`.
    number_of_starts
        Of the search, if it is not a quick one.
    load
        Gives the matrix of a member; None for that of the suite.

    Raises
    ------
    UserError
        Nothing is at hand, a result is wrong, or no candidate keeps what the paper states.
    """
    found = ground(quick)
    grid = CHOICES if choices is None else choices
    members = list(found.members.values())
    with Simulator(
        members, load or suite.load, jobs=request.jobs, engine=request.engine, results=request.results
    ) as simulator:
        return _calibrated(
            found,
            Evaluators(found, simulator, request, grid),
            request,
            quick,
            1 if quick else number_of_starts,
        )


class Evaluators:
    """The three sets of matrices that candidates are simulated on."""

    def __init__(
        self, found: Ground, simulator: Simulator, request: Request, choices: tuple[Choice, ...]
    ) -> None:
        picked = found.picked()
        part = part_of(list(found.members.values()), picked)
        self.choices = choices
        self.base = request.machine
        self.search = Evaluator(simulator, request.machine, part, choices)
        wider = part | ({"large": dict.fromkeys(picked["large"], 1.0)} if picked["large"] else {})
        self.wider = Evaluator(simulator, request.machine, wider, choices, also=found.figure_names)
        whole = {group: names for group, names in equal_weights(picked).items() if names}
        self.whole = Evaluator(simulator, request.machine, whole, choices)


def _calibrated(
    found: Ground, evaluators: Evaluators, request: Request, quick: bool, number_of_starts: int
) -> Calibration:
    choices, watch = evaluators.choices, request.watch
    usable = _keeps_facts(evaluators, request.engine)
    search = evaluators.search
    now = as_now(evaluators.base, choices)
    for number, start in enumerate(starts(choices, number_of_starts, now)):

        def evaluate(candidate: Candidate, number: int = number) -> Evaluated:
            watch(
                f"search {number + 1} of {number_of_starts}: {len(search.seen)}",
                0.7 * number / number_of_starts,
            )
            return search(candidate)

        descend(start, evaluate, choices, lambda e: e.distance.score if usable(e.candidate) else float("inf"))
    examined = sorted(search.seen.values(), key=lambda e: e.distance.score)
    best = [e.candidate for e in examined if usable(e.candidate)][:FINALISTS]
    if not best:
        raise UserError("no candidate keeps what the paper states of single accesses")
    finalists = _each(evaluators.whole, best, watch, "whole suite", 0.7, 0.85)
    concluded = {id(e): found.concluded(e, evaluators.whole.weights) for e in finalists}
    ordered = _ranked(finalists, concluded)
    proposal = ordered[0].candidate
    changed = [other for choice in choices for other in neighbours(proposal, choice)]
    single = _each(evaluators.wider, [proposal, *changed], watch, "single changes", 0.85, 1.0)
    return Calibration(
        found,
        evaluators.base,
        choices,
        quick,
        tuple(examined),
        tuple(ordered),
        evaluators.whole(uncalibrated(choices)),
        tuple(single),
        tuple(concluded[id(e)] for e in ordered),
        tuple(_sensitivities(found, evaluators, examined, single)),
        {
            fact.name: facts.measured(fact, machine_of(proposal, evaluators.base, choices), request.engine)
            for fact in facts.FACTS
        },
    )


def _keeps_facts(evaluators: Evaluators, engine: str) -> Callable[[Candidate], bool]:
    known: dict[Machine, bool] = {}

    def keeps(candidate: Candidate) -> bool:
        machine = machine_of(candidate, evaluators.base, evaluators.choices)
        if machine not in known:
            known[machine] = facts.kept(machine, engine)
        return known[machine]

    return keeps


def _each(
    evaluate: Evaluator,
    candidates: Sequence[Candidate],
    watch: Callable[[str, float], None],
    words: str,
    begin: float,
    end: float,
) -> list[Evaluated]:
    found = []
    for number, candidate in enumerate(candidates):
        watch(f"{words}: {number} of {len(candidates)}", begin + (end - begin) * number / len(candidates))
        found.append(evaluate(candidate))
    return found


def _ranked(
    finalists: Iterable[Evaluated], concluded: Mapping[int, Mapping[str, bool | None]]
) -> list[Evaluated]:
    """Put the proposal first: of those that keep most of the conclusions the nearest to Table 2.

    The order of programs in the small, medium and large group does not count: it depends on which three or
    four matrices the paper drew, as the averages do.
    """
    of_groups = tuple(f"Table 2, {group}:" for group in GROUPS[1:])

    def lost(e: Evaluated) -> int:
        found = concluded[id(e)].items()
        return sum(holds is False for words, holds in found if not words.startswith(of_groups))

    ordered = sorted(finalists, key=lambda e: e.distance.score)
    proposal = min(ordered, key=lambda e: (lost(e), e.distance.score))
    return [proposal, *(e for e in ordered if e is not proposal)]


def _sensitivities(
    found: Ground, evaluators: Evaluators, examined: Sequence[Evaluated], single: Sequence[Evaluated]
) -> list[Sensitivity]:
    of_search = [(e.candidate, found.concluded(e, evaluators.search.weights)) for e in examined]
    of_single = [(e.candidate, found.concluded(e, evaluators.wider.weights)) for e in single]
    names = dict.fromkeys(name for _, of in (*of_single, *of_search) for name in of)
    return [sensitivity(name, [*of_single, *of_search], of_single[0], of_single[1:]) for name in names]
