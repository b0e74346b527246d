"""How a search is asked for: its limit, its goal, its budget, in a table of a specification file."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, replace
from typing import Any

from experiments.whatif.sweep.specification import SEARCH
from vecsim.support.arguments import plain, shown, table, whole
from vecsim.support.errors import UserError
from vecsim.support.mistakes import Mistakes
from vecsim.support.suggestions import nearest

CYCLES, FRONT = "cycles", "front"
GOALS = (CYCLES, FRONT)
MOST_BUDGET = 10_000_000
"""Machines that are timed, at most."""


@dataclass(frozen=True)
class Settings:
    """How to search.

    Attributes
    ----------
    limit
        What a machine may cost, at most (`experiments.whatif.sweep.cost`).
    goal
        ``cycles``: the machine with the least cycles, as the geometric mean over matrices and programs.
        ``front``: every machine that is faster than all that are as cheap or cheaper.
    budget
        Machines to time, at most.
    seed
        Of the search.
    """

    limit: float = math.inf
    goal: str = CYCLES
    budget: int = 100_000
    seed: int = 0

    def changed(self, given: object, where: str = "") -> Settings:
        """Return settings with others of a table.

        Parameters
        ----------
        given
            By name, as a file or a caller states them.
        where
            What messages begin with.

        Raises
        ------
        UserError
            Naming the setting. `UserErrors` if there are several mistakes.
        """
        known, mistakes = [each.name for each in fields(self)], Mistakes()
        read: dict[str, Any] = {}
        for name, value in (mistakes.attempt(table, SEARCH, given) or {}).items():
            if name in known:
                read[name] = mistakes.attempt(_READERS[name], f"{SEARCH}.{name}", value)
            else:
                mistakes.add(
                    f"{SEARCH}.{name}: unknown key; use one of {', '.join(known)}{nearest(name, known)}"
                )
        mistakes.raise_all(where)
        return replace(self, **read)

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain data; no limit is None."""
        return {
            "limit": None if math.isinf(self.limit) else self.limit,
            "goal": self.goal,
            "budget": self.budget,
            "seed": self.seed,
        }


def _limit(where: str, value: object) -> float:
    number = plain(value)
    if isinstance(number, bool) or not isinstance(number, int | float) or not 0 < number < math.inf:
        raise UserError(f"{where} = {shown(value)}: a finite number above 0 is expected")
    return float(number)


def _goal(where: str, value: object) -> str:
    if not isinstance(value, str) or value not in GOALS:
        near = nearest(value, GOALS) if isinstance(value, str) else ""
        raise UserError(f"{where} = {shown(value)}: use one of {', '.join(GOALS)}{near}")
    return value


def _budget(where: str, value: object) -> int:
    number = whole(where, value, 1)
    if number > MOST_BUDGET:
        raise UserError(f"{where} = {shown(value)}: at most {MOST_BUDGET:,} are possible")
    return number


def _seed(where: str, value: object) -> int:
    number = whole(where, value, 0)
    if number >= 1 << 32:
        raise UserError(f"{where} = {shown(value)}: a whole number below {1 << 32} is expected")
    return number


_READERS: Mapping[str, Callable[[str, object], Any]] = {
    "limit": _limit,
    "goal": _goal,
    "budget": _budget,
    "seed": _seed,
}
