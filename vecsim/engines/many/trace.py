"""The record of a run, which any machine with the same registers can time."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from isa.program import Program
from vecsim.engines.decoded import decode
from vecsim.engines.jit.engine import JitEngine
from vecsim.engines.jit.interface import FINISHED, FULL, RECORDING
from vecsim.engines.jit.object_files.machine_code import machine_code
from vecsim.engines.jit.traces.recording import IS_NAMED, IS_NOTED, POSITION, PROGRESS
from vecsim.engines.recorded.program import RecordedProgram
from vecsim.engines.running import start
from vecsim.engines.trace_timing import events
from vecsim.engines.trace_timing.places import CacheSizes, MemorySizes, RenamingSizes
from vecsim.engines.trace_timing.rows import rows_of
from vecsim.machine import Cache, Machine

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
    sizes
        What the machines have in common.
    events
        (n,) words (:mod:`vecsim.engines.trace_timing.events`).
    counters
        What caches and main memory of each of the machines count
        (`vecsim.engines.result.Run.memory_counters`).
    """

    program: Program
    sizes: RecordSizes
    events: Words
    counters: dict[str, int]
    _rows: dict[tuple[bool, bool], Words] = field(default_factory=dict, repr=False)

    def rows(self, machine: Machine) -> Words:
        """Return the program as the timing of a machine reads it.

        (instructions, ROW), or the events from the second word on, where they begin with it.
        """
        if renames_vectors(self.sizes):
            return self.events[1:]
        key = machine.chaining, machine.physical_scalar_registers > 0
        if key not in self._rows:
            self._rows[key] = rows_of(self.program, decode(self.program, machine))
        return self._rows[key]


class RecordSizes(NamedTuple):
    """What machines that time one record have in common.

    Attributes
    ----------
    section_size, vector_registers
        Numbers of their description.
    memory
        What decides where words go; None of banks alone.
    renaming
        How registers are renamed; None if they are not.
    disambiguation
        A number of their description, too.
    """

    section_size: int
    vector_registers: int
    memory: MemorySizes | None
    renaming: RenamingSizes | None
    disambiguation: int


def record_sizes(machine: Machine) -> RecordSizes:
    """Return what machines that time one record have in common."""
    memory, renaming = memory_sizes(machine), renaming_sizes(machine)
    return RecordSizes(
        machine.section_size, machine.vector_registers, memory, renaming, machine.disambiguation
    )


def renaming_sizes(machine: Machine) -> RenamingSizes | None:
    """Return what machines that rename alike have in common; None if a machine does not rename."""
    if not machine.renames:
        return None
    return RenamingSizes(
        machine.physical_vector_registers, machine.physical_scalar_registers, machine.chaining
    )


def renames_vectors(sizes: RecordSizes) -> bool:
    """Return whether vector registers are renamed: then the record begins with the rows of the program."""
    return sizes.renaming is not None and sizes.renaming.vectors > 0


def memory_sizes(machine: Machine) -> MemorySizes | None:
    """Return what machines with the same memory have in common.

    None if it is banks alone, unless they rename.
    """
    if machine.has_flat_memory and not machine.renames:
        return None
    memory, first, last = machine.main_memory, *map(_cache_sizes, machine.caches)
    window = machine.merge_window if machine.merge_bytes else 0
    return MemorySizes(
        machine.has_flat_memory,
        machine.banks,
        machine.words_outstanding,
        machine.merge_bytes,
        window,
        memory.bytes,
        memory.row_words,
        (first, last),
    )


def _cache_sizes(cache: Cache) -> CacheSizes:
    if not cache.bytes:
        return CacheSizes()
    return CacheSizes(**{each.name: getattr(cache, each.name) for each in fields(CacheSizes)})


def record_trace(program: Program, memory: npt.NDArray[np.uint8], machine: Machine) -> Trace | None:
    """Run a program without timing it; return the record, or None if there can be none.

    There is none of a program that fails, that does not end, or that has instructions whose timing only the
    engines for one machine know: the engine that runs it says what is wrong.

    Parameters
    ----------
    memory
        (n,) bytes at the beginning.
    machine
        Any of the machines.
    """
    if isinstance(program, RecordedProgram) or len(memory) >= MOST_MEMORY:
        return None
    engine = start(program, memory, machine)
    assert isinstance(engine, JitEngine)
    record = machine_code(program.instruction_set, RECORDING).loop
    progress, sizes = np.zeros(PROGRESS, np.int64), record_sizes(machine)
    progress[IS_NOTED], progress[IS_NAMED] = sizes.memory is not None, sizes.renaming is not None
    words = np.empty(FIRST_WORDS, np.int32)
    if renames_vectors(sizes):
        rows = rows_of(program, decode(program, machine))
        words[0], words[1 : 1 + rows.size] = events.KINDS * len(rows) + events.ROWS, rows.ravel()
        progress[POSITION] = 1 + rows.size
    while True:
        status = engine.run_other(record, progress, words)
        if status == FINISHED:
            used = words[: progress[POSITION]].copy()
            return Trace(program, sizes, used, engine.memory_counters)
        if status != FULL or len(words) == MOST_WORDS:
            return None
        words = np.concatenate([words, np.empty(len(words), np.int32)])
