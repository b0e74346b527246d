"""The programs, products and exercises of the page, each with its memory before the run."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from experiments.course.draws import draw
from experiments.course.exercise import Exercise
from experiments.course.registry import EXERCISES
from experiments.course.trial import Rival, Trial
from isa.program import Program
from programs.course.measurement import prepare_course
from programs.course.registry import COURSE
from programs.measurement import prepare_product
from programs.registry import PROGRAMS, find
from vecsim.data import Matrix, load
from vecsim.engines.running import run
from vecsim.machine import Machine, load_machine
from vecsim.playground.worker.exercise import trial_to_plain
from vecsim.playground.worker.lesson import SHOWN, Lesson
from vecsim.support.project_packages import input_path

MACHINE = "vs2003"
ENGINE = "simpy"
"""What runs here: little, so that compiling the native engine would take longer."""
MATRICES = ("laplace2d-5", "arrowhead-32", "powerlaw-40-4-2.1", "dense-8")
"""Of products: small, each of another kind; programs of the course run on the first."""
SEEDS = (51, 52, 53)
"""Of the cases of exercises: the page has these alone, a grader draws others."""
SIZES = {"gemv": 16, "gemm": 8, "prefix-sum": 256, "histogram": 256}
"""Sizes of programs of the course that are small enough to follow; of the others `SIZE`."""
SIZE = 100
OF_THE_MACHINE = ("SECTION_BITS", "VALUE_SHIFT")
"""Symbols that programs of the course get next to the addresses of their arrays."""


def lessons() -> Iterator[Lesson]:
    """Yield everything that the page has to begin with."""
    machine = load_machine(MACHINE)
    yield from map(_exercise, EXERCISES.values())
    yield from (_course(name, machine) for name in COURSE)
    for name in MATRICES:
        matrix = load(name)
        yield from (_product(program, matrix, machine) for program in PROGRAMS)


def trials() -> dict[int, dict[int, list[dict[str, Any]]]]:
    """Return the cases of each exercise by its number and their seed, as plain data."""
    return {
        each.number: {seed: [trial_to_plain(trial) for trial in _cases(each, seed)] for seed in SEEDS}
        for each in EXERCISES.values()
    }


def _cases(exercise: Exercise, seed: int) -> list[Trial]:
    """Draw the cases of an exercise; what a program decides is a number afterwards."""
    machine = load_machine(MACHINE)
    return [_with_number(trial, machine) for trial in draw(exercise, seed, machine)]


def _with_number(trial: Trial, machine: Machine) -> Trial:
    budget = trial.budget
    if isinstance(budget, Rival):
        budget = budget.budget(run(budget.program, trial.room.memory, machine, engine=ENGINE).cycles)
    return Trial(trial.room, budget)


def _exercise(exercise: Exercise) -> Lesson:
    trials = draw(exercise, SEEDS[0], load_machine(MACHINE))
    room = trials[len(trials) // 2].room
    return Lesson(
        key=exercise.name,
        group="Exercises",
        title=f"{exercise.number}. {exercise.title}",
        about=exercise.statement,
        text=exercise.starter,
        symbols=room.symbols,
        memory=room.memory.tobytes(),
        pieces=tuple(f"{name}:{min(len(values), SHOWN)}:float" for name, values in room.expected.items()),
        exercise=exercise.number,
    )


def _course(name: str, machine: Machine) -> Lesson:
    course = COURSE[name]
    how: dict[str, Any] = {"size": SIZES.get(name, SIZE)}
    if course.takes_matrix:
        how = {"matrix": load(MATRICES[0]).csr}
    ready = prepare_course(name, machine, **how)
    expected = ready.placed.problem.expected
    return Lesson(
        key=name,
        group="Programs of the course",
        title=course.title,
        about=course.summary,
        text=course.file.read_text(encoding="utf-8"),
        symbols={name: int(ready.program.symbols[name]) for name in (*ready.placed.symbols, *OF_THE_MACHINE)},
        memory=ready.placed.memory.tobytes(),
        pieces=tuple(f"{key}:{min(values.size, SHOWN)}:float" for key, values in expected.items()),
        included=_included(ready.program, course.file),
    )


def _product(name: str, matrix: Matrix, machine: Machine) -> Lesson:
    prepared = prepare_product(name, matrix, machine)
    rows, columns = matrix.csr.shape
    coo = matrix.csr.tocoo()
    program = find(name)
    symbols = program.symbols(program.choose(prepared.options)) | dict(prepared.loaded.symbols)
    file = program.folder / f"{prepared.options.get('schedule', '')}.s"
    return Lesson(
        key=name if matrix.name == MATRICES[0] else f"{name}-{matrix.name}",
        group=f"y = A x on {matrix.name}",
        title=program.title,
        about=f"{program.title}: {program.summary}",
        text=file.read_text(encoding="utf-8"),
        symbols={name: int(value) for name, value in symbols.items()},
        memory=prepared.loaded.memory.tobytes(),
        pieces=(f"Y:{min(rows, SHOWN)}:float",),
        included=_included(prepared.program, file),
        shape=(rows, columns),
        entries=tuple(zip(coo.row.tolist(), coo.col.tolist(), map(_short, coo.data), strict=True)),
    )


def _short(value: float) -> float:
    """Return the shortest number that is the same in 32 bits."""
    return float(str(np.float32(value)))


def _included(program: Program, file: Path) -> dict[str, str]:
    """Return the texts that a program includes, by their paths from its folder."""
    names = [name for name in program.inputs if name != file.name]
    return {name: input_path(file.parent, name).read_text(encoding="utf-8") for name in names}
