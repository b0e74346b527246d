"""Run a program of the course: place its problem, assemble, simulate, compare."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from isa.assembler import assemble_file
from isa.program import Program
from programs.course.declaration import CourseProgram, Setting
from programs.course.problem import Placed, placed
from programs.course.registry import find
from vecsim.engines import DEFAULT_ENGINE
from vecsim.engines.result import Run
from vecsim.engines.running import run
from vecsim.engines.timeline import TimelineRequest
from vecsim.machine import Machine, instruction_set_of
from vecsim.support.errors import UserError

MOST_ELEMENTS = 1 << 24


@dataclass(frozen=True)
class Ready:
    """A program of the course assembled for a problem that is in memory."""

    course: CourseProgram
    program: Program
    placed: Placed
    value_bytes: Literal[4, 8]


@dataclass(frozen=True)
class CourseRun:
    """What a program took; its result is right.

    Attributes
    ----------
    ready
        What was run.
    run
        The engine's result.
    bound
        Cycles that what must be done takes at least, of words on the memory ports and elements in a unit.
    """

    ready: Ready
    run: Run
    bound: int

    @property
    def cycles_per_unit(self) -> float:
        """Cycles for each element, non-zero or whatever the problem counts."""
        return self.run.cycles / max(self.ready.placed.problem.work, 1)


def prepare_course(
    name: str,
    machine: Machine,
    *,
    matrix: Any = None,
    size: int | None = None,
    value_bytes: Literal[4, 8] = 4,
    seed: int = 0,
) -> Ready:
    """Place the problem of a program and assemble it.

    Parameters
    ----------
    name
        Of the program.
    machine
        Its section size is that of blocks and slices.
    matrix
        SciPy sparse matrix, of programs that take one.
    size
        Elements or rows, of programs that take no matrix.
    value_bytes
        Of a number, 4 or 8.
    seed
        Of the numbers.

    Raises
    ------
    UserError
        Another name, a matrix for a program that takes none, or none for one that needs it.
    """
    course = find(name)
    if course.takes_matrix and matrix is None:
        raise UserError(f"{name} runs on a sparse matrix: name one")
    if not course.takes_matrix and matrix is not None:
        raise UserError(f"{name} takes no matrix; use --size for the number of elements")
    if course.takes_matrix and size is not None:
        raise UserError(f"{name} runs on a matrix, which has its size; leave out size")
    count = course.size if size is None else size
    if not 0 <= count <= MOST_ELEMENTS:
        raise UserError(f"a size of {count}: 0 to {MOST_ELEMENTS} are possible")
    kind = np.dtype(f"<f{value_bytes}")
    csr = None if matrix is None else matrix.tocsr().astype(kind)
    setting = Setting(machine, kind, np.random.default_rng(seed), count, csr)
    ready = placed(course.problem(setting), machine)
    symbols = ready.symbols | {
        "SECTION_BITS": machine.section_size.bit_length() - 1,
        "VALUE_SHIFT": value_bytes.bit_length() - 1,
    }
    program = assemble_file(
        course.file,
        symbols=symbols,
        instruction_set=instruction_set_of(machine.extensions),
        value_bytes=value_bytes,
    )
    return Ready(course, program, ready, value_bytes)


def run_course(
    ready: Ready, machine: Machine, *, engine: str = DEFAULT_ENGINE, timeline: TimelineRequest | None = None
) -> CourseRun:
    """Run a program and compare its result with NumPy's.

    Parameters
    ----------
    ready
        Of :func:`prepare_course`.
    machine
        That which it was made for.
    engine
        What simulates it.
    timeline
        What of the run is to be kept, for views.

    Raises
    ------
    UserError
        The result is not right.
    """
    done = run(ready.program, ready.placed.memory, machine, engine=engine, timeline=timeline)
    mistake = ready.placed.mistake(done.state.memory)
    if mistake:
        raise UserError(f"{ready.course.name}: {mistake}")
    return CourseRun(ready, done, ready.placed.problem.needed.cycles(machine))
