"""A text on a case of an exercise, for the debugger."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from experiments.exercises.exercise import Exercise, Products
from experiments.exercises.grading import MACHINE
from experiments.exercises.workspace import workspace
from programs.measurement import prepare_product
from programs.registry import find
from vecsim.data import load
from vecsim.debugger.target import Target
from vecsim.errors import UserError
from vecsim.machine import load_machine

Chosen = TypeVar("Chosen")

SHOWN = 16
"""Elements of each result that are shown."""


def target_of(exercise: Exercise, number: int | None, file: str, text: str) -> tuple[Target, tuple[str, ...]]:
    """Give what is debugged, and the pieces of memory that are to be right.

    Parameters
    ----------
    exercise, number
        Which, and which of its cases, from 1 on; the last without it.
    file, text
        Of the user.

    Raises
    ------
    UserError
        There is no such case.
    """
    if isinstance(exercise.cases, Products):
        matrix = _chosen(exercise, exercise.cases.matrices, number)
        return _product(exercise.cases, matrix, file, text)
    case = _chosen(exercise, exercise.cases(), number)
    room = workspace(case)
    name = f"{exercise.name}, {case.name}"
    pieces = tuple(f"{key}:{min(len(values), SHOWN)}:float" for key, values in case.expected.items())
    return Target(name, file, text, room.memory, load_machine(MACHINE), room.symbols), pieces


def _chosen(exercise: Exercise, cases: Sequence[Chosen], number: int | None) -> Chosen:
    if number is not None and not 1 <= number <= len(cases):
        raise UserError(f"{exercise.name} has cases 1 to {len(cases)}, not {number}")
    return cases[-1 if number is None else number - 1]


def _product(products: Products, matrix: str, file: str, text: str) -> tuple[Target, tuple[str, ...]]:
    machine = load_machine(MACHINE)
    loaded = load(matrix)
    prepared = prepare_product(products.like, loaded, machine, options=products.options)
    symbols = find(products.like).symbols(prepared.options) | dict(prepared.loaded.symbols)
    target = Target(f"{products.like} on {matrix}", file, text, prepared.loaded.memory, machine, symbols)
    return target, (f"Y:{min(loaded.csr.shape[0], SHOWN)}:float",)
