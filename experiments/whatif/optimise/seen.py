"""The machines that a search has timed, each once and within its limit and budget."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from experiments.whatif.explain.front import front_places
from experiments.whatif.optimise.evaluation import Evaluator
from experiments.whatif.optimise.search_settings import FRONT, Settings
from experiments.whatif.optimise.space import Floats, Rows


class Seen:
    """Machines that were timed.

    Parameters
    ----------
    evaluator
        Times them.
    settings
        The limit, the goal and the budget.
    report
        Called now and then with how many were timed.

    Attributes
    ----------
    space
        What they are chosen from.
    cheapest
        The least cost that was looked at, within the limit or not.
    best
        The best machine, or those of the front by rising cost. Of machines that take the same, the cheapest
        is the best, and of these the first.
    """

    def __init__(
        self, evaluator: Evaluator, settings: Settings, report: Callable[[int], None] = lambda done: None
    ) -> None:
        self.space, self.settings = evaluator.space, settings
        self._evaluator, self._report = evaluator, report
        self.cheapest = math.inf
        self.best: Rows = np.zeros((0, len(self.space.names)), np.int32)
        self._means: dict[bytes, float] = {}

    @property
    def count(self) -> int:
        """How many were timed."""
        return len(self._means)

    @property
    def left(self) -> int:
        """How many can still be timed."""
        return self.settings.budget - self.count

    def costs(self, rows: Rows) -> Floats:
        """Return (n,) costs of machines."""
        costs = self.space.costs(rows)
        self.cheapest = min(self.cheapest, float(costs.min(initial=math.inf)))
        return costs

    def time(self, rows: Rows, costs: Floats, most: int | None = None) -> None:
        """Time those of some machines that are new and within the limit, as far as the budget goes.

        Parameters
        ----------
        rows, costs
            The machines, and what they cost.
        most
            Machines to time, if fewer than the budget allows.
        """
        most = self.left if most is None else min(most, self.left)
        new: dict[bytes, int] = {}
        for place in np.flatnonzero(costs <= self.settings.limit).tolist():
            if len(new) >= most:
                break
            key = rows[place].tobytes()
            if key not in self._means:
                new.setdefault(key, place)
        places = np.array([*new.values()], np.intp)
        some = rows[places][self.space.by_kind(rows[places])]
        timed, begin = 0, self.count

        def on_progress(done: int) -> None:
            nonlocal timed
            timed += done
            self._report(begin + timed)

        means = self._evaluator.means(self._evaluator.cycles(some, on_progress))
        self._means.update((row.tobytes(), mean) for row, mean in zip(some, means.tolist(), strict=True))
        self._take_best(np.concatenate([self.best, some]))

    def of(self, rows: Rows) -> Floats:
        """Return (n,) means of cycles of machines; infinite where one was not timed."""
        return np.array([self._means.get(row.tobytes(), np.inf) for row in rows])

    def knows(self, rows: Rows) -> bool:
        """Return whether all of these were timed."""
        return all(row.tobytes() in self._means for row in rows)

    def _take_best(self, rows: Rows) -> None:
        rows = rows[np.lexsort(rows.T[::-1])]
        means = self.of(rows)
        rows, means = rows[np.isfinite(means)], means[np.isfinite(means)]
        costs = self.space.costs(rows)
        is_front = self.settings.goal == FRONT
        self.best = rows[front_places(costs, means) if is_front else np.lexsort((costs, means))[:1]]
