"""A text on a case of an exercise, for the debugger."""

from __future__ import annotations

from experiments.course.draws import draw
from experiments.course.exercise import Exercise
from experiments.course.grading import MACHINE
from vecsim.debugger.target import Target
from vecsim.machine import load_machine
from vecsim.support.errors import UserError

SHOWN = 16
"""Elements of each result that are shown."""


def target_of(
    exercise: Exercise, number: int | None, seed: int, file: str, text: str
) -> tuple[Target, tuple[str, ...]]:
    """Return what is debugged, and the pieces of memory that are to be right.

    Parameters
    ----------
    exercise, number
        Which, and which of its cases, from 1 on; the last without it.
    seed
        Seed of the random cases.
    file, text
        Of the user.

    Raises
    ------
    UserError
        There is no such case.
    """
    machine = load_machine(MACHINE)
    trials = draw(exercise, seed, machine)
    if number is not None and not 1 <= number <= len(trials):
        raise UserError(f"{exercise.name} has no case {number}; choose one from 1 to {len(trials)}")
    room = trials[-1 if number is None else number - 1].room
    name = f"{exercise.name}, {room.name}"
    pieces = tuple(f"{key}:{min(len(values), SHOWN)}:float" for key, values in room.expected.items())
    return Target(name, file, text, room.memory, machine, room.symbols), pieces
