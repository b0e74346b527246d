"""The record of a run, which any machine with the same registers can time."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from isa.program import Program
from vecsim.engines.jit.engine import JitEngine
from vecsim.engines.jit.interface import FINISHED, FULL, RECORDING
from vecsim.engines.jit.object_files.machine_code import machine_code
from vecsim.engines.jit.traces.recording import POSITION, PROGRESS
from vecsim.engines.recorded.program import RecordedProgram
from vecsim.engines.running import start
from vecsim.machine import Machine

Words = npt.NDArray[np.int32]
FIRST_WORDS = 1 << 20
MOST_WORDS = 1 << 28
"""Words of a record at first, and at most: a gibibyte."""
MOST_MEMORY = 1 << 31
"""Bytes of simulated memory, whose addresses are signed 32-bit integers here."""


@dataclass(frozen=True, eq=False)
class Trace:
    """What a program does on machines of one section size.

    Attributes
    ----------
    program
        What ran.
    section_size, vector_registers
        Of the machines.
    events
        (n,) words (:mod:`vecsim.engines.trace_timing.events`).
    """

    program: Program
    section_size: int
    vector_registers: int
    events: Words


def record_sizes(machine: Machine) -> tuple[int, int]:
    """Return what machines that time one record have in common: section size and vector registers."""
    return machine.section_size, machine.vector_registers


def record_trace(program: Program, memory: npt.NDArray[np.uint8], machine: Machine) -> Trace | None:
    """Run a program without timing it; return the record, or None if there can be none.

    There is none of a program that fails, that does not end, or that has instructions whose timing only the
    engines for one machine know: the engine that runs it says what is wrong.

    Parameters
    ----------
    memory
        (n,) bytes at the beginning.
    machine
        Any machine of the section size and the registers.
    """
    if isinstance(program, RecordedProgram) or len(memory) >= MOST_MEMORY:
        return None
    engine = start(program, memory, machine)
    assert isinstance(engine, JitEngine)
    record = machine_code(program.instruction_set, RECORDING).loop
    progress = np.zeros(PROGRESS, np.int64)
    words = np.empty(FIRST_WORDS, np.int32)
    while True:
        status = engine.run_other(record, progress, words)
        if status == FINISHED:
            used = words[: progress[POSITION]].copy()
            return Trace(program, machine.section_size, machine.vector_registers, used)
        if status != FULL or len(words) == MOST_WORDS:
            return None
        words = np.concatenate([words, np.empty(len(words), np.int32)])
