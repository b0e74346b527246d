"""The machines that a search has timed, each once and within its limit and budget."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import numpy.typing as npt

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
    """

    def __init__(
        self, evaluator: Evaluator, settings: Settings, report: Callable[[int], None] = lambda done: None
    ) -> None:
        self.space, self.settings = evaluator.space, settings
        self._evaluator, self._report = evaluator, report
        self.cheapest = math.inf
        self._places: dict[bytes, int] = {}
        self._rows: Rows = np.zeros((0, len(self.space.names)), np.int32)
        self._costs: Floats = np.zeros(0)
        self._means: Floats = np.zeros(0)

    @property
    def count(self) -> int:
        """How many were timed."""
        return len(self._rows)

    @property
    def left(self) -> int:
        """How many can still be timed."""
        return self.settings.budget - self.count

    @property
    def rows(self) -> Rows:
        """(count, things) all of them."""
        return self._rows

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
            if key not in self._places:
                new.setdefault(key, place)
        places = np.array([*new.values()], np.intp)
        some = rows[places][self.space.by_kind(rows[places])]
        timed, begin = 0, self.count

        def on_progress(done: int) -> None:
            nonlocal timed
            timed += done
            self._report(begin + timed)

        means = self._evaluator.means(self._evaluator.cycles(some, on_progress))
        self._places.update((row.tobytes(), begin + at) for at, row in enumerate(some))
        self._rows = np.concatenate([self._rows, some])
        self._costs = np.concatenate([self._costs, self.space.costs(some)])
        self._means = np.concatenate([self._means, means])

    def of(self, rows: Rows) -> Floats:
        """Return (n,) means of cycles of machines; infinite where one was not timed."""
        places = [self._places.get(row.tobytes(), -1) for row in rows]
        return np.append(self._means, np.inf)[places]

    def knows(self, rows: Rows) -> bool:
        """Return whether all of these were timed."""
        return all(row.tobytes() in self._places for row in rows)

    def best(self) -> npt.NDArray[np.intp]:
        """Return the places of the best machine, or of those of the front by rising cost.

        Of machines that take the same, the cheapest is the best, and of these the first.
        """
        is_front = self.settings.goal == FRONT
        most = np.inf if is_front else np.min(self._means, initial=np.inf)
        there = np.flatnonzero(np.isfinite(self._means) & (self._means <= most))
        there = there[np.lexsort(self._rows[there].T[::-1])]
        costs, means = self._costs[there], self._means[there]
        return there[front_places(costs, means) if is_front else np.lexsort((costs,))[:1]]
