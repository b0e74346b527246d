"""The matrices of a calibration: the suite, a cheap sample that stands for it, and what simulates both.

The rule of the sample: every matrix of the suite is described by the logarithms of its times, CHiSM's being
1, on all reference machines. The matrices of the figures are taken, as far as they are cheap; then, one by
one, the cheap matrix that brings the sum of squared distances from each matrix of the suite to the nearest
one taken down most. A matrix counts for all to which it is the nearest. At last these weights are changed
as little as possible, so that on the reference machines the weighted means are those of the suite.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from experiments.papers.hism import suite
from experiments.papers.hism.calibration.against_the_paper import Weights, conclusions, equal_weights, means
from experiments.papers.hism.calibration.choices import Candidate, Choice, machine_of, meets_facts
from experiments.papers.hism.calibration.search import Evaluated, Evaluator
from experiments.papers.hism.calibration.simulation import Simulator
from experiments.papers.hism.suite import CRITERIA, Criterion, FigureMember, Member
from experiments.papers.hism.table2 import GROUPS, Grouped, grouped
from experiments.papers.hism.timing import METHODS, Cycles, relative
from experiments.papers.kit.request import Request
from vecsim.machine import Machine
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
        """Return the groups of Table 2, as far as they are available."""
        of_suite = self.groups["suite"].picked
        return {group: [name for name in of_suite[group] if name in self.members] for group in GROUPS}

    def of_figures(self) -> dict[str, list[str]]:
        """Return the groups of all three figures together."""
        matches = {"all": list(self.members)}
        for group in GROUPS[1:]:
            places = [p.name for ten in self.figures.values() for p in ten if p.group == group]
            matches[group] = [name for name in dict.fromkeys(places) if name in self.members]
        return matches

    def concluded(self, evaluated: Evaluated, weights: Weights) -> dict[str, bool | None]:
        """Check what the paper concludes."""
        of_groups = means(evaluated.cycles, self._by_size(weights["all"]))
        return conclusions(evaluated.cycles, of_groups, self.members, self._available_figures())

    def _by_size(self, weights: Mapping[str, float]) -> Weights:
        """Return the weights of all matrices in the groups of Table 2 by size; empty ones are left out."""
        by_size = self.groups["suite"].by_size
        groups = {g: {name: weights[name] for name in by_size[g] if name in weights} for g in GROUPS}
        return {group: of_group for group, of_group in groups.items() if of_group}

    def _available_figures(self) -> dict[Criterion, tuple[FigureMember, ...]]:
        return {
            criterion: tuple(place for place in ten if place.name in self.members)
            for criterion, ten in self.figures.items()
        }


def ground(quick: bool = False) -> Ground:
    """Return the suite as far as it is available; of a quick calibration only what is small.

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


class Evaluators:
    """The two sets of matrices that candidates are simulated on: all of them, and a sample."""

    def __init__(
        self, matches: Ground, simulator: Simulator, request: Request, choices: tuple[Choice, ...]
    ) -> None:
        self.ground = matches
        self.choices = choices
        self.base = request.machine
        self.simulator = simulator
        self.engine = request.engine
        self.watch = request.watch
        whole = {group: names for group, names in equal_weights(matches.picked()).items() if names}
        self.whole = Evaluator(simulator, request.machine, whole, choices)
        self._usable: dict[Machine, bool] = {}

    def usable(self, candidate: Candidate) -> bool:
        """Return whether the machine keeps what the paper states of single accesses."""
        machine = machine_of(candidate, self.base, self.choices)
        if machine not in self._usable:
            self._usable[machine] = meets_facts(machine, self.engine)
        return self._usable[machine]

    def score(self, evaluated: Evaluated) -> float:
        """Return what the search makes small; infinite if the candidate is not usable."""
        return evaluated.distance.score if self.usable(evaluated.candidate) else float("inf")

    def on_sample(self, references: Sequence[Evaluated]) -> Evaluator:
        """Choose the sample by some machines on the whole suite."""
        sizes = {name: member.size for name, member in self.ground.members.items()}
        chosen = choose([e.cycles for e in references], sizes, self.ground.figure_names)
        picked = {g: [n for n in self.ground.picked()[g] if n in chosen] for g in ("small", "medium")}
        weights: Weights = {"all": chosen} | {g: w for g, w in equal_weights(picked).items() if w}
        return Evaluator(self.simulator, self.base, weights, self.choices)

    def each(self, candidates: Sequence[Candidate], words: str, begin: float, end: float) -> list[Evaluated]:
        """Simulate candidates on the whole suite, and tell how far it is.

        Parameters
        ----------
        candidates
            In this order.
        words
            What is shown of them.
        begin, end
            Share of all work that is done before and after them.
        """
        matches = []
        for number, candidate in enumerate(candidates):
            done = begin + (end - begin) * number / len(candidates)
            self.watch(f"{words}: {number} of {len(candidates)}", done)
            matches.append(self.whole(candidate))
        return matches


LARGEST = 50_000
"""Stored entries up to which a matrix is cheap."""
SIZE = 44
"""Matrices of the sample."""

SMALL = 0.01
"""What changes the means by less than this share of what changes them most is left as it is, lest the weights
follow the reference machines alone."""

Floats = npt.NDArray[np.float64]


def choose(
    references: Sequence[Cycles], sizes: Mapping[str, int], first: Sequence[str], size: int = SIZE
) -> dict[str, float]:
    """Choose the sample; return the weight of each of its matrices.

    Parameters
    ----------
    references
        Cycles of the whole suite on each of the reference machines.
    sizes
        Stored entries, by name, of all of the suite.
    first
        Names that are taken in any case, if they are cheap.
    size
        This many matrices are taken, or all that are cheap.
    """
    names = list(sizes)
    times = np.array([times_of(cycles, names) for cycles in references])
    features = np.log(times).transpose(1, 0, 2).reshape(len(names), -1)
    far = ((features[:, None, :] - features[None, :, :]) ** 2).sum(axis=2)
    least = min(sizes.values())
    cheap = [k for k, name in enumerate(names) if sizes[name] <= max(LARGEST, least)]
    taken = [k for k in cheap if names[k] in first] or cheap[:1]
    while len(taken) < min(size, len(cheap)):
        nearest = far[:, taken].min(axis=1)
        left = {k: float(np.minimum(nearest, far[:, k]).sum()) for k in cheap if k not in taken}
        taken.append(min(left, key=lambda k: (left[k], names[k])))
    counts = np.bincount(far[:, taken].argmin(axis=1), minlength=len(taken)) / len(names)
    weights = balanced(counts, times[:, taken].transpose(0, 2, 1), times.mean(axis=1))
    return {names[k]: float(weight) for k, weight in zip(taken, weights, strict=True)}


def times_of(cycles: Cycles, names: Sequence[str]) -> Floats:
    """Return the times of matrices, CHiSM's being 1; (names, programs but CHiSM)."""
    return np.array([[relative(cycles[name])[p] for p in METHODS if p != "chism"] for name in names])


def balanced(counts: Floats, times: Floats, wanted: Floats) -> Floats:
    """Change weights as little as possible so that weighted means are what is wanted.

    Little is by the sum of squares of the changes, each divided by its weight's size; where the means cannot
    be met, the nearest. The weights sum to 1.

    Parameters
    ----------
    counts
        (n,) the weights as they are.
    times
        (references, programs, n).
    wanted
        (references, programs) means.
    """
    scale = counts + 1 / len(counts) ** 2
    rows = np.vstack([np.ones(len(counts)), times.reshape(-1, len(counts)) / wanted.reshape(-1, 1)])
    gap = 1 - rows @ counts
    change = np.linalg.lstsq(rows * scale, gap, rcond=SMALL)[0]
    return counts + scale * change
