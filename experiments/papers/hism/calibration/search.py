"""The search through the grid: coordinate descent from several starts, on a sample of the suite."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice

from experiments.papers.hism.calibration.against_the_paper import Distance, Weights, distance, means
from experiments.papers.hism.calibration.choices import (
    Candidate,
    Choice,
    fixed_cycles_of,
    machine_of,
    neighbours,
    options_of,
)
from experiments.papers.hism.calibration.simulation import Asked, Simulator, Variant
from experiments.papers.hism.timing import METHODS
from vecsim.machine import Machine

GAIN = 1e-6
"""By less than this a score is not better."""


@dataclass(frozen=True)
class Evaluated:
    """A candidate with what it gives.

    Attributes
    ----------
    candidate
        The value of every choice.
    cycles
        By matrix and program.
    distance
        From Table 2.
    """

    candidate: Candidate
    cycles: Mapping[str, Mapping[str, int]]
    distance: Distance


@dataclass
class Evaluator:
    """Simulates candidates, each once.

    Attributes
    ----------
    simulator
        Runs the programs.
    base
        The machine whose fields hold where no choice sets them.
    weights
        Which matrices count, and how much.
    choices
        The grid.
    """

    simulator: Simulator
    base: Machine
    weights: Weights
    choices: tuple[Choice, ...]
    seen: dict[tuple[tuple[str, str], ...], Evaluated] = field(default_factory=dict)

    def __call__(self, candidate: Candidate) -> Evaluated:
        """Return what a candidate gives; see :meth:`each`."""
        return self.each([candidate])[0]

    def each(self, candidates: Sequence[Candidate]) -> list[Evaluated]:
        """Return what each candidate gives, simulated together.

        Raises
        ------
        UserError
            As :meth:`Simulator.cycles`.
        """
        new = {key: c for c in candidates if (key := key_of(c)) not in self.seen}
        if new:
            self.seen |= dict(zip(new, self._evaluated(list(new.values())), strict=True))
        return [self.seen[key_of(candidate)] for candidate in candidates]

    def _evaluated(self, candidates: Sequence[Candidate]) -> list[Evaluated]:
        names = list(dict.fromkeys(name for group in self.weights.values() for name in group))
        asked = [one for candidate in candidates for one in self._asked(candidate)]
        results = iter(self.simulator.cycles(asked, names))
        return [
            self._compared(candidate, {program: next(results) for program in METHODS}, names)
            for candidate in candidates
        ]

    def _asked(self, candidate: Candidate) -> list[Asked]:
        options = options_of(candidate, self.choices)
        machine = machine_of(candidate, self.base, self.choices)
        return [(machine, Variant(p, tuple(sorted(options[p].items())))) for p in METHODS]

    def _compared(
        self, candidate: Candidate, results: Mapping[str, Mapping[str, int]], names: Sequence[str]
    ) -> Evaluated:
        fixed = fixed_cycles_of(candidate, self.choices)
        cycles = {name: {p: of[name] + fixed for p, of in results.items()} for name in names}
        return Evaluated(dict(candidate), cycles, distance(means(cycles, self.weights)))


def key_of(candidate: Candidate) -> tuple[tuple[str, str], ...]:
    """Return what is equal for equal candidates."""
    return tuple(sorted(candidate.items()))


def descend(
    start: Candidate,
    evaluate: Callable[[Sequence[Candidate]], Sequence[Evaluated]],
    choices: Sequence[Choice],
    score: Callable[[Evaluated], float],
) -> Evaluated:
    """Change one choice after the other to its best value, until no change makes the score smaller.

    Parameters
    ----------
    start
        The candidate to begin with.
    evaluate
        Simulates candidates and compares them with the paper.
    choices
        What may be changed, in this order, again and again.
    score
        Of what `evaluate` returns; smaller is better, by `GAIN` at least.
    """
    (best,) = evaluate([start])
    since = 0
    while since < len(choices):
        for choice in choices:
            here = min(evaluate(list(neighbours(best.candidate, choice))), key=score, default=best)
            if score(here) < score(best) - GAIN:
                best, since = here, 0
            else:
                since += 1
            if since >= len(choices):
                break
    return best


def simplified(
    best: Candidate,
    first: Candidate,
    evaluate: Callable[[Sequence[Candidate]], Sequence[Evaluated]],
    score: Callable[[Evaluated], float],
    most: float,
) -> list[Evaluated]:
    """Take back one choice after the other, always the one that costs least.

    Parameters
    ----------
    best
        The candidate to begin with.
    first
        What choices are set back to.
    evaluate, score
        As for :func:`descend`.
    most
        A candidate with a greater score is not gone on from.

    Returns
    -------
    The candidates on the way, each with one choice fewer that is not as in `first`.
    """
    results: list[Evaluated] = []
    here = dict(best)
    while changed := [name for name in here if here[name] != first[name]]:
        nearest = min(evaluate([{**here, name: first[name]} for name in changed]), key=score)
        if score(nearest) > most:
            break
        results.append(nearest)
        here = dict(nearest.candidate)
    return results


def starts(
    choices: Sequence[Choice], number: int, now: Candidate, seed: int = 2003
) -> Iterator[dict[str, str]]:
    """Yield the starts: today's values, the first value of every choice, then random values.

    The random ones are always the same.

    Parameters
    ----------
    choices
        With the values that each may take.
    number
        How many candidates to yield.
    now
        The candidate that is the proposal today.
    seed
        Of the random numbers.
    """
    yield from islice(_starts(choices, now, seed), number)


def _starts(choices: Sequence[Choice], now: Candidate, seed: int) -> Iterator[dict[str, str]]:
    yield dict(now)
    yield {choice.name: choice.values[0].name for choice in choices}
    draw = random.Random(seed)
    while True:
        yield {choice.name: draw.choice(choice.values).name for choice in choices}
