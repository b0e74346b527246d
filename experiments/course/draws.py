"""The random cases of an exercise, by a seed that a text cannot know."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

import numpy as np

from experiments.course.exercise import Exercise, NamedMatrix, Products
from experiments.course.matrices import SLICE, whole_numbers
from experiments.course.trial import Rival, Trial
from experiments.course.workspace import DATA, STACK, UNTOUCHED, Span, Workspace, first_address, workspace
from isa.instructions import BASE
from isa.program import Program
from programs.loading import place_vectors
from programs.registry import find
from vecsim.formats import Layout
from vecsim.machine import Machine

WIDTH: Final = 4
"""Bytes of a value."""
FORMAT = frozenset({"LEVELS", "POSITION_BYTES", "SECTION_BITS", "VALUE_SHIFT"})
"""Symbols that describe the format and not the matrix, so that a text may depend on them."""


def product_workspace(
    products: Products, matrix: NamedMatrix, machine: Machine, random: np.random.Generator
) -> Workspace:
    """Place a matrix, x, room for y, work space and b in memory.

    Parameters
    ----------
    products, matrix
        What is to be computed, with what.
    machine
        Its section size decides the layout.
    random
        Draws the place, x and b.
    """
    csr, program = matrix.csr, find(products.like)
    rows, columns = csr.shape
    options = program.symbols(program.choose(products.options))
    x, b = whole_numbers(random, columns), whole_numbers(random, rows)
    image = program.load(csr, machine, Layout(first_address(random), WIDTH), options)
    room_for_b = -(-rows // SLICE) * SLICE * WIDTH
    with_b = replace(image, stack_bytes=image.stack_bytes + room_for_b)
    loaded = place_vectors(with_b, csr.shape, x, machine, WIDTH)
    memory, symbols = loaded.memory, options | dict(loaded.symbols)
    work = Span(symbols["WORK"], symbols["WORK"] + image.work_elements * WIDTH)
    at_b = symbols["B"] = -(-work.end // 16) * 16
    result = Span(symbols["Y"], symbols["WORK"])
    memory[result.begin : at_b].view(np.uint32)[:] = UNTOUCHED
    memory[at_b : at_b + b.nbytes] = b.view(np.uint8)
    return Workspace(
        name=matrix.name,
        memory=memory,
        symbols=symbols,
        varying=frozenset(symbols) - FORMAT - frozenset(options),
        inputs={
            "the matrix": Span(DATA[1], symbols["X"]),
            "X": Span(symbols["X"], symbols["Y"]),
            "B": Span(at_b, at_b + room_for_b),
        },
        expected={"Y": (b - csr @ x).astype(np.float32)},
        writable=(result, work, Span(len(memory) - STACK - image.stack_bytes, len(memory))),
        work=int(csr.nnz),
        worked={"Y": np.diff(csr.indptr) > 0},
    )


def rival(products: Products, room: Workspace) -> Program:
    """Assemble the program that comes with vecsim, whose cycles decide the budget, for the same memory."""
    program = find(products.like)
    schedule = program.choose(products.options)["schedule"]
    return program.text(schedule).assemble(room.symbols, WIDTH, BASE)


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
        cases = list(exercise.cases(random))  # all of them, before their places are sampled
        return [Trial(workspace(case, random), case.budget) for case in cases]
    products, trials = exercise.cases, []
    for matrix in products.matrices(random):
        room = product_workspace(products, matrix, machine, random)
        trials.append(Trial(room, Rival(rival(products, room), products.share, products.extra)))
    return trials
