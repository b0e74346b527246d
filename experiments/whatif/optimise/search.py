"""The search: all machines if the budget suffices, differential evolution or Pareto local search.

Costs take no time, so only machines within the limit are timed, and each once.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from experiments.whatif.optimise.search_settings import FRONT
from experiments.whatif.optimise.seen import Seen
from experiments.whatif.optimise.space import Floats, Rows

MOST_LISTED = 1 << 23
"""Combinations whose costs are all computed, to find out how many are within the limit."""
ROWS_AT_ONCE = 1 << 18
GLOBAL_SHARE = 0.75
"""Of the budget, for the global part of a search; the rest is for the neighbours of the best."""
LEAST_POPULATION, MOST_POPULATION, GENERATIONS = 64, 2048, 50
"""Machines of a generation, and how many generations the budget is meant for. SciPy's time for each machine
grows with their number."""
PATIENCE = 15
"""Generations without a better machine, after which evolution ends."""
MOST_GENERATIONS, MOST_STARTS = 1000, 8
SAMPLES = 0.25
"""Of the budget, random machines that the search for a front begins with."""
RANDOM_ROUNDS = 64
"""How many times as many random machines as wanted are made, at most, to have some within the limit."""
NO_MACHINE, TOO_DEAR = 1e6, 1e3
"""What stands for the logarithm of cycles where there are none."""
EXACT, LOCAL, SPENT = "exact", "local", "spent"


@dataclass(frozen=True, eq=False)
class Found:
    """What a search came to.

    Attributes
    ----------
    rows
        The best machine, or those of the front by rising cost; none if no machine is within the limit.
    evaluations
        Machines that were timed.
    certainty
        ``exact``: every machine within the limit was timed. ``local``: none next to them is better, see
        `Space.a_step_from` and `Space.a_value_from`. ``spent``: the budget ended the search before.
    within
        How many machines are within the limit; None if there are too many to count.
    """

    rows: Rows
    evaluations: int
    certainty: str
    within: int | None


def search(seen: Seen) -> Found:
    """Search for the best machine within the limit, or for the front of cost and cycles.

    Parameters
    ----------
    seen
        Times machines; nothing yet.
    """
    space, settings = seen.space, seen.settings
    within = _within(seen) if space.count <= MOST_LISTED else None
    if within is not None and len(within) <= settings.budget:
        seen.time(within, seen.costs(within))
        return Found(seen.best, seen.count, EXACT, len(within))
    rng = np.random.default_rng(settings.seed)
    if settings.goal == FRONT:
        is_local = _sample(seen, rng)
    else:
        _evolve(seen, rng)
        is_local = _look_around(seen, rng)
    certainty = LOCAL if is_local else SPENT
    return Found(seen.best, seen.count, certainty, None if within is None else len(within))


def _within(seen: Seen) -> Rows:
    """Return all machines within the limit."""
    space = seen.space
    parts = [rows[seen.costs(rows) <= seen.settings.limit] for rows in space.all(ROWS_AT_ONCE)]
    return np.concatenate(parts)


def _sample(seen: Seen, rng: np.random.Generator) -> bool:
    """Look around the best of random machines, and of more of them as long as that changes the front.

    Returns whether no machine next to the front is better.
    """
    count = max(1, int(SAMPLES * seen.settings.budget))
    while True:
        before = seen.best.tobytes()
        rows = _random(seen, count, rng)
        seen.time(rows, seen.costs(rows), count)
        is_local = _look_around(seen, rng)
        if not is_local or not seen.left or seen.best.tobytes() == before:
            return is_local


def _random(seen: Seen, count: int, rng: np.random.Generator) -> Rows:
    """Return random machines within the limit; the cheapest of all if these are too few."""
    space, parts, there = seen.space, [np.zeros((0, len(seen.space.names)), np.int32)], 0
    rest, dear = parts[0], np.zeros(0)
    for _ in range(RANDOM_ROUNDS):
        rows = space.random(count, rng)
        costs = seen.costs(rows)
        parts.append(rows[costs <= seen.settings.limit])
        there += len(parts[-1])
        if there >= count:
            break
        rest = np.concatenate([rest, rows[costs > seen.settings.limit]])
        dear = np.concatenate([dear, costs[costs > seen.settings.limit]])
        cheapest = np.argsort(dear, kind="stable")[:count]
        rest, dear = rest[cheapest], dear[cheapest]
    return np.concatenate([*parts, rest])[:count]


def _evolve(seen: Seen, rng: np.random.Generator) -> None:
    """Search by differential evolution over the places of values, again from other machines if it settles."""
    from scipy.optimize import differential_evolution

    settings, space = seen.settings, seen.space
    most = max(1, int(GLOBAL_SHARE * settings.budget))
    population = int(np.clip(settings.budget // GENERATIONS, LEAST_POPULATION, MOST_POPULATION))

    def goal(places: Floats) -> Floats:
        rows = np.clip(np.rint(np.atleast_2d(places.T)), 0, space.sizes - 1).astype(np.int32)
        costs = seen.costs(rows)
        seen.time(rows, costs, most - seen.count)
        means = seen.of(rows)
        dear = TOO_DEAR + costs / settings.limit
        return np.where(
            costs > settings.limit,
            dear,
            np.where(np.isinf(means), NO_MACHINE, np.log(np.minimum(means, 1e300))),
        )

    def is_settled(*_: object, **__: object) -> bool:
        best.append(seen.best.tobytes())
        return seen.count >= most or best[-PATIENCE:].count(best[-1]) == PATIENCE

    for _ in range(MOST_STARTS):
        best: list[bytes] = []
        before = seen.best.tobytes()
        differential_evolution(
            goal,
            [(0, size - 1) for size in space.sizes.tolist()],
            init=_random(seen, population, rng).astype(float),
            maxiter=MOST_GENERATIONS,
            integrality=np.ones(len(space.names), bool),
            seed=int(rng.integers(1 << 32)),
            tol=0,
            polish=False,
            vectorized=True,
            updating="deferred",
            callback=is_settled,
        )
        if seen.count >= most or seen.best.tobytes() == before:
            break


def _look_around(seen: Seen, rng: np.random.Generator) -> bool:
    """Time what is next to the best machines until none is better; return whether that is so.

    What is a step away comes first: it is less, and mostly better than what is far away.
    """
    space = seen.space
    looked: dict[Callable[[Rows], Rows], set[bytes]] = {space.a_step_from: set(), space.a_value_from: set()}
    while True:
        left = [
            (next_to, before, new)
            for next_to, before in looked.items()
            if (new := [row for row in seen.best if row.tobytes() not in before])
        ]
        if not left:
            return True
        next_to, before, new = left[0]
        before.update(row.tobytes() for row in new)
        at_once = max(1, ROWS_AT_ONCE // space.most_next_to)
        for first in range(0, len(new), at_once):
            around = rng.permutation(next_to(np.array(new[first : first + at_once])))
            costs = seen.costs(around)
            seen.time(around, costs)
            if not seen.knows(around[costs <= seen.settings.limit]):
                return False
