"""The search through the grid: coordinate descent from several starts on a part of the suite."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice

from experiments.hism.calibration.choices import Candidate, Choice, machine_of, neighbours, options_of
from experiments.hism.calibration.distance import Distance, Weights, distance, means
from experiments.hism.calibration.simulation import Simulator, Variant
from experiments.hism.suite import Member
from experiments.hism.timing import METHODS
from vecsim.machine import Machine

SMALL = 50_000
"""Stored entries up to which every matrix is in the part of the suite that is searched on."""
LARGE = 400_000
"""Those beyond are left out of that part; the others count for them."""
ALIKE = 0.005
"""Distances that differ by less are the same for those who choose a machine."""
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
    also
        Names of matrices that are simulated beside those that count.
    """

    simulator: Simulator
    base: Machine
    weights: Weights
    choices: tuple[Choice, ...]
    also: Sequence[str] = ()
    seen: dict[tuple[tuple[str, str], ...], Evaluated] = field(default_factory=dict)

    def __call__(self, candidate: Candidate) -> Evaluated:
        """Give what a candidate gives.

        Raises
        ------
        UserError
            As :meth:`Simulator.cycles`.
        """
        key = tuple(sorted(candidate.items()))
        if key not in self.seen:
            self.seen[key] = self._evaluated(candidate)
        return self.seen[key]

    def _evaluated(self, candidate: Candidate) -> Evaluated:
        counting = (name for group in self.weights.values() for name in group)
        names = list(dict.fromkeys((*counting, *self.also)))
        options = options_of(candidate, self.choices)
        variants = {p: Variant(p, tuple(sorted(options[p].items()))) for p in METHODS}
        machine = machine_of(candidate, self.base, self.choices)
        found = self.simulator.cycles(machine, list(variants.values()), names)
        cycles = {name: {p: found[variants[p]][name] for p in METHODS} for name in names}
        return Evaluated(dict(candidate), cycles, distance(means(cycles, self.weights)))


def part_of(members: Sequence[Member], groups: Mapping[str, Sequence[str]]) -> dict[str, dict[str, float]]:
    """Weigh the part of the suite that is searched on.

    It has every matrix up to :data:`SMALL` entries and, for all larger ones, those up to :data:`LARGE`, which
    count so much more. In the mean over all matrices that stands for the whole suite; the small and medium
    groups are whole; the large one is left out.

    Parameters
    ----------
    groups
        Names of the matrices of each group of Table 2.
    """
    by_name = {member.name: member for member in members}
    large = [name for name in groups["all"] if by_name[name].size > SMALL]
    taken = [name for name in large if by_name[name].size <= LARGE]
    each = len(large) / len(taken) if taken else 0.0
    everything = {name: 1.0 for name in groups["all"] if by_name[name].size <= SMALL}
    part = {"all": everything | dict.fromkeys(taken, each)}
    part |= {group: dict.fromkeys(groups[group], 1.0) for group in ("small", "medium")}
    return {group: weights for group, weights in part.items() if weights}


def descend(
    start: Candidate,
    evaluate: Callable[[Candidate], Evaluated],
    choices: Sequence[Choice],
    score: Callable[[Evaluated], float],
) -> Evaluated:
    """Change one choice after the other to its best value, until no change makes the score smaller.

    Parameters
    ----------
    start
        The candidate to begin with.
    evaluate
        Simulates a candidate and compares it with the paper.
    choices
        What may be changed, in this order, again and again.
    score
        Of what `evaluate` gives; smaller is better, by `GAIN` at least.
    """
    best = evaluate(start)
    since = 0
    while since < len(choices):
        for choice in choices:
            here = min((evaluate(c) for c in neighbours(best.candidate, choice)), key=score, default=best)
            if score(here) < score(best) - GAIN:
                best, since = here, 0
            else:
                since += 1
            if since >= len(choices):
                break
    return best


def undominated(examined: Iterable[Evaluated]) -> list[Evaluated]:
    """Give, by rising distance over all matrices, those that no other one beats in every aim.

    The aims are those of :meth:`Distance.aims`. Of several that are alike, within :data:`ALIKE`, the first
    stays.
    """
    found: list[Evaluated] = []
    for e in sorted(examined, key=lambda e: e.distance.aims()):
        aims = e.distance.aims()
        if not any(_as_good(other.distance.aims(), aims) for other in found):
            found.append(e)
    return found


def _as_good(these: Sequence[float], those: Sequence[float]) -> bool:
    return all(this <= that + ALIKE for this, that in zip(these, those, strict=True))


def starts(
    choices: Sequence[Choice], number: int, now: Candidate, seed: int = 2003
) -> Iterator[dict[str, str]]:
    """Give where to begin: as it is now, the first value of every choice, then values drawn at random.

    Those drawn are always the same.

    Parameters
    ----------
    choices
        With the values that each may take.
    number
        How many candidates to give.
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
