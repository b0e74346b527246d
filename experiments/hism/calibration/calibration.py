"""The calibration: search on a part of the suite, the best on all of it, a proposal, what changes it."""

from __future__ import annotations

import time
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
from experiments.hism.calibration.search import Evaluated, Evaluator, descend, part_of, starts, undominated
from experiments.hism.calibration.simulation import Simulator
from experiments.hism.measurements import Load
from experiments.hism.suite import CRITERIA, Criterion, FigureMember, Member
from experiments.hism.table2 import GROUPS, Grouped, grouped
from experiments.request import Request
from vecsim.errors import UserError
from vecsim.machine import Machine

STARTS = 4
"""Where the search begins: as it is now, at the first value of every choice, at others drawn at random."""
FINALISTS = 12
"""So many of the nearest candidates are simulated on the whole suite, and the machine as it is now."""
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

    def concluded(
        self, evaluated: Evaluated, weights: Mapping[str, Mapping[str, float]]
    ) -> dict[str, bool | None]:
        """Check what the paper concludes."""
        of_groups = means(evaluated.cycles, weights)
        return conclusions(evaluated.cycles, of_groups, self.members, self._available_figures())

    def _available_figures(self) -> dict[Criterion, tuple[FigureMember, ...]]:
        return {
            criterion: tuple(place for place in ten if place.name in self.members)
            for criterion, ten in self.figures.items()
        }


@dataclass(frozen=True)
class Effort:
    """How far a search goes.

    Attributes
    ----------
    quick
        Whether it looks at small matrices alone, from one start.
    starts
        Where it begins, at most, if it is not a quick one.
    minutes
        How long it lasts, at most; None for as long as it takes. What follows the search is not counted.
    """

    quick: bool = False
    starts: int = STARTS
    minutes: float | None = None

    @property
    def begun(self) -> int:
        """Starts, at most."""
        return 1 if self.quick else self.starts


class _TimeIsUp(Exception):
    """The search has lasted as long as it may."""


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
    effort
        How far the search was to go.
    finished
        From so many starts it came to an end; fewer than asked for if its time was up.
    examined
        Every candidate of the search, on the part of the suite that is searched on.
    finalists
        The best of them on the whole suite, the proposal first, then by score.
    before
        The uncalibrated candidate on the whole suite.
    frontier
        Of all candidates that no other beats in every aim on the part that is searched on, those of which
        this holds on the whole suite too.
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
    effort: Effort
    finished: int
    examined: tuple[Evaluated, ...]
    finalists: tuple[Evaluated, ...]
    before: Evaluated
    frontier: tuple[Evaluated, ...]
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


def calibrate(
    request: Request,
    *,
    effort: Effort | None = None,
    choices: tuple[Choice, ...] | None = None,
    load: Load | None = None,
) -> Calibration:
    """Search the grid.

    Parameters
    ----------
    request
        Its machine is the one whose fields hold where no choice sets them.
    effort
        How far to search; None for all of it.
    choices
        The grid; None for :data:`CHOICES`.
    load
        Gives the matrix of a member; None for that of the suite.

    Raises
    ------
    UserError
        Nothing is available, a result is wrong, or no candidate keeps what the paper states.
    """
    effort = effort or Effort()
    found = ground(effort.quick)
    grid = CHOICES if choices is None else choices
    members = list(found.members.values())
    with Simulator(
        members, load or suite.load, jobs=request.jobs, engine=request.engine, results=request.results
    ) as simulator:
        return _calibrated(found, Evaluators(found, simulator, request, grid), request, effort)


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


def _calibrated(found: Ground, evaluators: Evaluators, request: Request, effort: Effort) -> Calibration:
    choices, watch = evaluators.choices, request.watch
    usable = _keeps_facts(evaluators, request.engine)
    now, first = as_now(evaluators.base, choices), uncalibrated(choices)
    finished = _search(evaluators, request, effort, now, usable)
    examined = sorted(evaluators.search.seen.values(), key=lambda e: e.distance.score)
    kept = [e for e in examined if usable(e.candidate)]
    if not kept:
        raise UserError("no candidate keeps what the paper states of single accesses")
    nearest = _once([*(e.candidate for e in kept[:FINALISTS]), *([now] if usable(now) else [])])
    finalists = _each(evaluators.whole, nearest, watch, "whole suite", 0.7, 0.8)
    concluded = {id(e): found.concluded(e, evaluators.whole.weights) for e in finalists}
    ordered = _ranked(finalists, concluded)
    aimed = [e.candidate for e in undominated(kept)]
    frontier = _each(evaluators.whole, _once([*nearest, *aimed, first]), watch, "frontier", 0.8, 0.88)
    proposal = ordered[0].candidate
    changed = [other for choice in choices for other in neighbours(proposal, choice)]
    single = _each(evaluators.wider, [proposal, *changed], watch, "single changes", 0.88, 1.0)
    return Calibration(
        found,
        evaluators.base,
        choices,
        effort,
        finished,
        tuple(examined),
        tuple(ordered),
        evaluators.whole(first),
        tuple(undominated(frontier)),
        tuple(single),
        tuple(concluded[id(e)] for e in ordered),
        tuple(_sensitivities(found, evaluators, examined, single)),
        {
            fact.name: facts.measured(fact, machine_of(proposal, evaluators.base, choices), request.engine)
            for fact in facts.FACTS
        },
    )


def _search(
    evaluators: Evaluators,
    request: Request,
    effort: Effort,
    now: Candidate,
    usable: Callable[[Candidate], bool],
) -> int:
    """Search from every start as long as there is time; give how many searches came to their end."""
    search, total = evaluators.search, effort.begun
    end = time.monotonic() + 60 * effort.minutes if effort.minutes is not None else float("inf")
    finished = 0

    def evaluate(candidate: Candidate) -> Evaluated:
        if search.seen and time.monotonic() > end:
            raise _TimeIsUp
        words = f"search {finished + 1} of {total}: {len(search.seen)}"
        request.watch(words, 0.7 * finished / total)
        return search(candidate)

    try:
        for start in starts(evaluators.choices, total, now):
            descend(
                start,
                evaluate,
                evaluators.choices,
                lambda e: e.distance.score if usable(e.candidate) else float("inf"),
            )
            finished += 1
    except _TimeIsUp:
        pass
    return finished


def _once(candidates: Iterable[Candidate]) -> list[Candidate]:
    """Leave out what comes again."""
    return list({tuple(sorted(candidate.items())): candidate for candidate in candidates}.values())


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
