"""The two sets of matrices that candidates are simulated on."""

from __future__ import annotations

from collections.abc import Sequence

from experiments.papers.hism.calibration import facts, sample
from experiments.papers.hism.calibration.choices import Candidate, Choice, machine_of
from experiments.papers.hism.calibration.distance import Weights, equal_weights
from experiments.papers.hism.calibration.ground import Ground
from experiments.papers.hism.calibration.search import Evaluated, Evaluator
from experiments.papers.hism.calibration.simulation import Simulator
from experiments.papers.kit.request import Request
from vecsim.machine import Machine


class Evaluators:
    """The two sets of matrices that candidates are simulated on: all of them, and a sample."""

    def __init__(
        self, found: Ground, simulator: Simulator, request: Request, choices: tuple[Choice, ...]
    ) -> None:
        self.ground = found
        self.choices = choices
        self.base = request.machine
        self.simulator = simulator
        self.engine = request.engine
        self.watch = request.watch
        whole = {group: names for group, names in equal_weights(found.picked()).items() if names}
        self.whole = Evaluator(simulator, request.machine, whole, choices)
        self._usable: dict[Machine, bool] = {}

    def usable(self, candidate: Candidate) -> bool:
        """Say whether the machine keeps what the paper states of single accesses."""
        machine = machine_of(candidate, self.base, self.choices)
        if machine not in self._usable:
            self._usable[machine] = facts.kept(machine, self.engine)
        return self._usable[machine]

    def score(self, evaluated: Evaluated) -> float:
        """Give what the search makes small; infinite if the candidate is not usable."""
        return evaluated.distance.score if self.usable(evaluated.candidate) else float("inf")

    def on_sample(self, references: Sequence[Evaluated]) -> Evaluator:
        """Choose the sample by some machines on the whole suite."""
        sizes = {name: member.size for name, member in self.ground.members.items()}
        chosen = sample.choose([e.cycles for e in references], sizes, self.ground.figure_names)
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
            Share of all work that is done before and behind them.
        """
        found = []
        for number, candidate in enumerate(candidates):
            done = begin + (end - begin) * number / len(candidates)
            self.watch(f"{words}: {number} of {len(candidates)}", done)
            found.append(self.whole(candidate))
        return found
