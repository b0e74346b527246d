"""Runs worked examples of instructions (:mod:`isa.worked`) on the engines, and compares the whole state."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np

from isa.assembler import assemble
from isa.declaration import InstructionSet
from isa.instructions import BASE
from isa.program import Program
from isa.state import ARCHITECTURAL, State, copy_into, new_state
from isa.worked import (
    MEMORY_BYTES,
    OWN_NUMBER,
    SECTION,
    VECTOR_REGISTERS,
    Example,
    cells_after,
    cells_before,
    examples_of,
    next_number,
    write_cells,
)
from vecsim.engines.running import start
from vecsim.machine import Extension, Machine, instruction_set_of, load_machine
from vecsim.support.errors import UserError

ENGINES = ("simpy", "jit")
FOLLOWING = 11
"""Instructions after that of the example, to which it may jump."""


@cache
def _machine() -> Machine:
    return load_machine("vs2003", {"section_size": SECTION, "vector_registers": VECTOR_REGISTERS})


@cache
def _arbitrary_state() -> State:
    """Return a state of random bits, the same each time."""
    random = np.random.default_rng(2003)
    state = new_state(SECTION, VECTOR_REGISTERS, random.integers(0, 256, MEMORY_BYTES, np.uint8))
    state.x[1:] = random.integers(-(1 << 31), 1 << 31, len(state.x) - 1)
    for containers in (state.f, state.v, state.cache):
        containers[:] = random.integers(-(1 << 63), (1 << 63) - 1, len(containers), endpoint=True)
    state.mask[:] = [1, 0, 0, 1, 1, 0, 1, 0]
    state.special[:] = [5, 1001, 1002, 1003]
    return state


def program_of(example: Example, instruction_set: InstructionSet = BASE) -> Program:
    """Return the program of an example: its instruction among halts, with which it begins.

    Raises
    ------
    UserError
        The instruction of the example is not of the set.
    """
    lines = ["halt"] * OWN_NUMBER + [example.instruction] + ["halt"] * FOLLOWING
    try:
        program = assemble("\n".join(lines), instruction_set=instruction_set)
    except UserError as error:
        reason = str(error).splitlines()[0]
        raise UserError(f"{example.place}: {example.instruction}: {reason}") from None
    return replace(program, entry=OWN_NUMBER)


def differences(example: Example, program: Program, engine: str) -> list[str]:
    """Run a program in the state before an example, and return what differs from the state after it.

    Parameters
    ----------
    example
        The example.
    program
        Its program, :func:`program_of`.
    engine
        The name of an engine.

    Returns
    -------
    list of str
        A line for each cell of the state that differs; none if the engine does what the example says.

    Raises
    ------
    UserError
        The text of the example is wrong; a Fault if the instruction does what the machine cannot do.
    """
    arbitrary = _arbitrary_state()
    state = new_state(SECTION, VECTOR_REGISTERS, arbitrary.memory.copy())
    copy_into(state, arbitrary)
    write_cells(state, cells_before(example))
    running = start(program, state.memory, _machine(), engine=engine)
    copy_into(running.state, state)
    running.advance()
    after = cells_after(example)
    write_cells(state, after)
    results = []
    for name in ARCHITECTURAL:
        expected, result = getattr(state, name), getattr(running.state, name)
        places = np.flatnonzero(expected != result)
        results += [f"{name}[{k}] is {int(result[k]):#x}, expected {int(expected[k]):#x}" for k in places]
    if (last := running.pc - 1) != next_number(after):
        results.append(f"instruction {last} comes next, expected {next_number(after)}")
    return [f"{example.place}: {example.instruction}: {engine}: {difference}" for difference in results]


def check_examples(extension: Extension) -> list[str]:
    """Run the worked examples of an extension's instructions on every engine.

    Returns
    -------
    list of str
        A line for each difference, such as ``examples of reluv.s:2: reluv.s v1, v2: jit: v[9] is 0x0, ...``.

    Raises
    ------
    UserError
        The text of an example is wrong.
    """
    instruction_set = instruction_set_of((extension,))
    return [
        difference
        for row in extension.instructions
        for example in examples_of(row)
        for engine in ENGINES
        for difference in differences(example, program_of(example, instruction_set), engine)
    ]
