"""A case in memory, and what its cycles are compared with."""

from __future__ import annotations

from dataclasses import dataclass

from experiments.course.workspace import Workspace
from isa.program import Program


@dataclass(frozen=True)
class Rival:
    """A program whose cycles decide a budget: a share of them, and some more."""

    program: Program
    share: float
    extra: int

    def budget(self, cycles: int) -> int:
        """Return the budget if it takes this many cycles."""
        return int(self.share * cycles) + self.extra


@dataclass(frozen=True)
class Trial:
    """A case in memory, and its budget or what decides it."""

    room: Workspace
    budget: int | Rival
