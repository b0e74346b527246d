"""How far averages move when the suite is drawn anew, and which machines cannot be told apart by them.

The paper's suite is known by range and mean of three criteria only; ours is another of the kind. Drawing as
many of its matrices with replacement (the bootstrap) shows what another one might give. Two machines are
compared on the same draws.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from experiments.papers.hism.table2 import PRINTED
from experiments.papers.hism.timing import METHODS, Cycles, relative

DRAWS = 4000
"""How often the suite is drawn."""
SEED = 2003
"""Of the random numbers; the draws are always the same."""
TOLD_APART = 0.05
"""A machine that is as near as the nearest in a smaller share of the draws is told apart from it."""

Floats = npt.NDArray[np.float64]


class Draws:
    """A suite drawn with replacement, again and again.

    Parameters
    ----------
    names
        Of its matrices.
    """

    def __init__(self, names: Sequence[str]) -> None:
        self._names = tuple(names)
        count = len(self._names)
        generator = np.random.Generator(np.random.PCG64(SEED))
        self._shares = generator.multinomial(count, np.full(count, 1 / count), size=DRAWS) / count

    def numbers(self, cycles: Cycles) -> dict[str, Floats]:
        """Give each average over all matrices, (draws,), by its row of Table 2."""
        times = np.array([[relative(cycles[name])[p] for p in METHODS] for name in self._names])
        means = dict(zip(METHODS.values(), (self._shares @ times).T, strict=True))
        return {row: means[slow] / means[fast] for row in PRINTED for fast, slow in [row.split(" vs ")]}

    def scores(self, cycles: Cycles) -> Floats:
        """Give the score (`Distance.score`) of each draw, (draws,)."""
        found = [np.abs(np.log(ours / float(PRINTED[row][0]))) for row, ours in self.numbers(cycles).items()]
        away = np.array(found)
        scores: Floats = away.mean(axis=0) + away.max(axis=0)
        return scores

    def spread(self, cycles: Cycles) -> dict[str, float]:
        """Give the standard deviation of the logarithm of each average: 0.05 is about 5 %."""
        return {row: float(np.log(ours).std()) for row, ours in self.numbers(cycles).items()}

    def as_near(self, cycles: Cycles, nearest: Cycles) -> float:
        """Give the share of the draws in which one machine is at least as near as another."""
        return float((self.scores(cycles) <= self.scores(nearest)).mean())
