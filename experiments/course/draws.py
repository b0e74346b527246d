"""The cases of an exercise, drawn by a seed that a text cannot know."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from experiments.course.exercise import Exercise, Products
from experiments.course.products import product_workspace, rival
from experiments.course.workspace import Workspace, workspace
from isa.program import Program
from vecsim.machine import Machine


@dataclass(frozen=True)
class Rival:
    """A program whose cycles decide a budget: a share of them, and some more."""

    program: Program
    share: float
    extra: int

    def budget(self, cycles: int) -> int:
        """Return the budget if it takes so many cycles."""
        return int(self.share * cycles) + self.extra


@dataclass(frozen=True)
class Trial:
    """A case in memory, and its budget or what decides it."""

    room: Workspace
    budget: int | Rival


def draw(exercise: Exercise, seed: int, machine: Machine) -> list[Trial]:
    """Draw the cases of an exercise; a seed gives the same ones each time.

    Parameters
    ----------
    exercise
        Which.
    seed
        At least 0.
    machine
        On which they are run.
    """
    random = np.random.default_rng((exercise.number, seed))
    if not isinstance(exercise.cases, Products):
        return [Trial(workspace(case, random), case.budget) for case in exercise.cases(random)]
    products, trials = exercise.cases, []
    for matrix in products.matrices(random):
        room = product_workspace(products, matrix, machine, random)
        trials.append(Trial(room, Rival(rival(products, room), products.share, products.extra)))
    return trials
