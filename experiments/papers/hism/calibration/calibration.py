"""The calibration: search on a sample of the suite, the nearest on all of it, a proposal, what changes it."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import log

from experiments.papers.hism import suite
from experiments.papers.hism.calibration.against_the_paper import Sensitivity, Weights, sensitivity
from experiments.papers.hism.calibration.choices import (
    CHOICES,
    FACTS,
    Candidate,
    Choice,
    as_now,
    machine_of,
    measured,
    neighbours,
    uncalibrated,
)
from experiments.papers.hism.calibration.finalists import Finalist, finalists, ranked
from experiments.papers.hism.calibration.matrices import Evaluators, Ground, ground
from experiments.papers.hism.calibration.search import (
    Evaluated,
    Evaluator,
    descend,
    key_of,
    simplified,
    starts,
)
from experiments.papers.hism.calibration.simulation import Simulator
from experiments.papers.hism.calibration.uncertainty import Draws, GroupChoices, group_choices
from experiments.papers.hism.measurements import Load
from experiments.papers.hism.table2 import GROUPS
from experiments.papers.kit.request import Request
from vecsim.machine import Machine
from vecsim.support.errors import UserError

STARTS = 12
"""Starts of the search: today's values, the first value of every choice, and random values."""
CANDIDATES = 800
"""Candidates that the search examines unless asked otherwise: under 30 minutes on two cores in all.
A limit of time would make the result depend on the host."""
REFERENCES = 8
"""Machines that the sample is chosen by."""
FINALISTS = 10
"""This many of the nearest candidates are simulated on the whole suite, next to the end of every search and
what it is simplified to."""
FARTHER = 0.05
"""A candidate is simplified as long as its score grows by no more: about the spread of one average."""


PROPOSED = "as proposed"
"""What the proposal's own programs are called next to the standards."""


@dataclass(frozen=True)
class Effort:
    """How far a search goes.

    Attributes
    ----------
    quick
        Whether it looks at small matrices alone, from one start.
    starts
        Where it begins, at most, if it is not a quick one.
    candidates
        It begins nothing new once it has examined this many, so that it gives the same on every host.
    """

    quick: bool = False
    starts: int = STARTS
    candidates: int = CANDIDATES

    @property
    def begun(self) -> int:
        """Starts, at most."""
        return 1 if self.quick else self.starts


class _Enough(Exception):
    """The search has examined as many candidates as it may."""


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
        From this many starts it came to an end; fewer than asked for if its time was up.
    sample
        Matrices that the search ran on, with their weights.
    held_out
        |ln(predicted / measured)| of the six averages of every finalist that the sample was not chosen by.
    examined
        Every candidate of the search, on the sample.
    finalists
        The best of them on the whole suite, the proposal first, then by score.
    now, before
        Today's candidate and the uncalibrated one on the whole suite.
    spread
        Of each average over all matrices of the proposal.
    groups
        What choices of matrices near the points of Figure 2 give, by standard and group.
    single
        Candidates that differ from the proposal in one choice, with the proposal first, on the whole suite.
    sensitivities
        Of every conclusion.
    measured_facts
        Cycles of the proposal's accesses, by the words of what the paper states.
    seconds
        What it took: by the clock, and of the processors.
    """

    ground: Ground
    base: Machine
    choices: tuple[Choice, ...]
    effort: Effort
    finished: int
    sample: Mapping[str, float]
    held_out: tuple[float, ...]
    examined: tuple[Evaluated, ...]
    finalists: tuple[Finalist, ...]
    now: Evaluated
    before: Evaluated
    spread: Mapping[str, float]
    groups: Mapping[str, tuple[GroupChoices, ...]]
    single: tuple[Evaluated, ...]
    sensitivities: tuple[Sensitivity, ...]
    measured_facts: Mapping[str, int]
    seconds: tuple[float, float]

    @property
    def proposal(self) -> Evaluated:
        """The candidate that is proposed."""
        return self.finalists[0].evaluated

    @property
    def machine(self) -> Machine:
        """The proposal's machine."""
        return machine_of(self.proposal.candidate, self.base, self.choices)


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
        Returns the matrix of a member; None for that of the suite.

    Raises
    ------
    UserError
        Nothing is available, a result is wrong, or no candidate keeps what the paper states.
    """
    effort = effort or Effort()
    matches = ground(effort.quick)
    grid = CHOICES if choices is None else choices
    members = list(matches.members.values())
    with Simulator(
        members, load or suite.load, jobs=request.jobs, engine=request.engine, results=request.results
    ) as simulator:
        return _calibrated(Evaluators(matches, simulator, request, grid), effort)


def _calibrated(evaluators: Evaluators, effort: Effort) -> Calibration:
    begun = time.monotonic()
    matches, choices = evaluators.ground, evaluators.choices
    now, first = as_now(evaluators.base, choices), uncalibrated(choices)
    references = evaluators.each(_references(evaluators, now, first), "reference machines", 0.0, 0.1)
    search = evaluators.on_sample(references)
    finished, ends = _search(evaluators, search, effort, now)
    examined = sorted(search.seen.values(), key=lambda e: e.distance.score)
    retained = [e for e in examined if evaluators.usable(e.candidate)]
    if not retained:
        raise UserError("no candidate meets the paper's times of single accesses; add candidates")
    most = retained[0].distance.score + FARTHER
    plainer = simplified(retained[0].candidate, first, search.each, evaluators.score, most)
    nearest = [e.candidate for e in (*retained[:FINALISTS], *ends, *plainer)]
    usable = [candidate for candidate in (now, first) if evaluators.usable(candidate)]
    entered = evaluators.each(_once([*nearest, *usable]), "whole suite", 0.5, 0.65)
    ordered = ranked(finalists(evaluators, entered, 0.65, 0.8), evaluators.whole(now))
    proposal = ordered[0].evaluated
    changed = [other for choice in choices for other in neighbours(proposal.candidate, choice)]
    single = evaluators.each([proposal.candidate, *changed], "single changes", 0.8, 1.0)
    known = {key_of(e.candidate) for e in references}
    return Calibration(
        matches,
        evaluators.base,
        choices,
        effort,
        finished,
        search.weights["all"],
        tuple(_errors(search, [e for e in entered if key_of(e.candidate) not in known])),
        tuple(examined),
        tuple(ordered),
        evaluators.whole(now),
        evaluators.whole(first),
        Draws(list(matches.members)).spread(proposal.cycles),
        _groups(matches, ordered[0]),
        tuple(single),
        tuple(_sensitivities(matches, search.weights, evaluators.whole.weights, examined, single)),
        {
            fact.name: measured(
                fact, machine_of(proposal.candidate, evaluators.base, choices), evaluators.engine
            )
            for fact in FACTS
        },
        (time.monotonic() - begun, evaluators.simulator.processor_seconds()),
    )


def sample_weights(request: Request, matches: Ground) -> Weights:
    """Return the sample of matrices that the search runs on, with their weights, by group.

    Parameters
    ----------
    request
        Its machine is the one whose fields hold where no choice sets them.
    matches
        The matrices.

    Raises
    ------
    UserError
        A result is wrong.
    """
    members = list(matches.members.values())
    with Simulator(members, suite.load, jobs=request.jobs, engine=request.engine) as simulator:
        evaluators = Evaluators(matches, simulator, request, CHOICES)
        now, first = as_now(evaluators.base), uncalibrated()
        references = evaluators.each(_references(evaluators, now, first), "reference machines", 0.0, 1.0)
        return evaluators.on_sample(references).weights


def _references(evaluators: Evaluators, now: Candidate, first: Candidate) -> list[Candidate]:
    """Return the machines that the sample is chosen by: today's, the uncalibrated one, others at random."""
    matches = [now, first]
    tried = 20 * REFERENCES
    for candidate in starts(evaluators.choices, tried, now, seed=REFERENCES):
        if len(matches) < REFERENCES and evaluators.usable(candidate):
            matches.append(candidate)
    return _once(matches)


def _search(
    evaluators: Evaluators, search: Evaluator, effort: Effort, now: Candidate
) -> tuple[int, list[Evaluated]]:
    """Search from every start up to the limit; return how many came to their end, and their ends."""
    ends: list[Evaluated] = []

    def evaluate(candidates: Sequence[Candidate]) -> list[Evaluated]:
        if search.seen and len(search.seen) >= effort.candidates:
            raise _Enough
        words = f"search {len(ends) + 1} of {effort.begun}: {len(search.seen)}"
        evaluators.watch(words, 0.1 + 0.4 * len(ends) / effort.begun)
        return search.each(candidates)

    try:
        for start in starts(evaluators.choices, effort.begun, now):
            best = descend(start, evaluate, evaluators.choices, evaluators.score)
            ends.append(best)
    except _Enough:
        pass
    return len(ends), [e for e in ends if evaluators.usable(e.candidate)]


def _once(candidates: Iterable[Candidate]) -> list[Candidate]:
    """Leave out what comes again."""
    return list({key_of(candidate): candidate for candidate in candidates}.values())


def _errors(search: Evaluator, measured: Sequence[Evaluated]) -> Iterable[float]:
    """Compare the six averages that the sample gives with those of the whole suite."""
    for e, predicted in zip(measured, search.each([e.candidate for e in measured]), strict=True):
        for (row, group), ours in predicted.distance.numbers.items():
            if group == "all":
                yield abs(log(ours / e.distance.numbers[row, group]))


def _groups(matches: Ground, proposal: Finalist) -> dict[str, tuple[GroupChoices, ...]]:
    """Try all choices of matrices of the small, medium and large groups, by standard."""
    of = {PROPOSED: proposal.evaluated, **proposal.by_standard}
    return {
        words: tuple(
            result
            for group in GROUPS[1:]
            if (result := group_choices(group, e.cycles, matches.figures["size"], matches.members))
            is not None
        )
        for words, e in of.items()
    }


def _sensitivities(
    matches: Ground,
    of_sample: Weights,
    of_whole: Weights,
    examined: Sequence[Evaluated],
    single: Sequence[Evaluated],
) -> list[Sensitivity]:
    of_search = [(e.candidate, matches.concluded(e, of_sample)) for e in examined]
    of_single = [(e.candidate, matches.concluded(e, of_whole)) for e in single]
    names = dict.fromkeys(name for _, of in (*of_single, *of_search) for name in of)
    return [sensitivity(name, [*of_single, *of_search], of_single[0], of_single[1:]) for name in names]
