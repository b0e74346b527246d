"""A RISC-V program as what machines run: executed and recorded once for each length of their registers."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np

from isa.instructions import BASE
from isa.program import Program
from isa.riscv.program import RiscvProgram
from vecsim.data.memory_files import Placed, put
from vecsim.engines.source import Runnable
from vecsim.machine import Machine
from vecsim.riscv.execution import PAGE, Execution
from vecsim.riscv.timing.program import TimedProgram, record, recorded_execution, with_registers


class RiscvSource:
    """A RISC-V program.

    Parameters
    ----------
    program
        As it was read.
    memory_bytes
        Of simulated memory, from the first page of the program on.
    arguments
        Those of ``main``.
    most_cycles
        Cycles that a run may take: with more instructions than these have room for it counts as endless.
    """

    def __init__(
        self,
        program: RiscvProgram,
        *,
        memory_bytes: int,
        arguments: Sequence[str] = (),
        most_cycles: int | None = None,
    ) -> None:
        self.program, self.memory_bytes = program, memory_bytes
        self._loaded: list[Placed] = []
        self._arguments, self._most_cycles = tuple(arguments), most_cycles
        self._timed: dict[tuple[int, ...], TimedProgram] = {}

    @property
    def base(self) -> int:
        """The address of the first byte of memory."""
        return min(each.address for each in self.program.segments) // PAGE * PAGE

    @cached_property
    def names(self) -> Program:
        """What options name places of memory by: symbols by their distance from the first byte of memory."""
        symbols = {
            name: each.address - self.base
            for name, each in self.program.symbols.items()
            if 0 <= each.address - self.base < self.memory_bytes
        }
        return Program(np.zeros(0, np.uint32), symbols, (), (), BASE)

    def with_program(self, program: RiscvProgram) -> RiscvSource:
        """Return another program that is run as this one is, with arrays at the same addresses."""
        other = RiscvSource(
            program,
            memory_bytes=self.memory_bytes,
            arguments=self._arguments,
            most_cycles=self._most_cycles,
        )
        other.load(self._loaded)
        return other

    def load(self, arrays: Sequence[Placed]) -> None:
        """Have arrays put into memory before each run.

        Raises
        ------
        UserError
            Two of them overlap.
        """
        self._loaded = list(arrays)
        put(np.zeros(self.memory_bytes, np.uint8), self._loaded, self.names)

    def execution(self, vlen: int) -> Execution:
        """Return the program in memory with what is loaded, before its first instruction.

        Raises
        ------
        UserError
            There are no such registers, or the program does not fit into memory.
        """
        execution = Execution(
            self.program, vlen=vlen, memory_bytes=self.memory_bytes, arguments=self._arguments
        )
        return self._loaded_into(execution)

    def _loaded_into(self, execution: Execution) -> Execution:
        put(execution.hart.memory, self._loaded, self.names)
        return execution

    def timed(self, machine: Machine) -> TimedProgram:
        """Return the recorded run for a machine.

        Raises
        ------
        UserError
            The program cannot run, or what it does has no timing.
        """
        riscv = machine.riscv
        key = riscv.record_numbers
        if key not in self._timed:
            execution = self._loaded_into(
                recorded_execution(
                    self.program, riscv, memory_bytes=self.memory_bytes, arguments=self._arguments
                )
            )
            # More instructions than issue_width in each cycle do not fit into the cycles of a run.
            limit = None if self._most_cycles is None else self._most_cycles * machine.issue_width
            self._timed[key] = record(execution, limit)
        return self._timed[key]

    def on(self, machine: Machine) -> Runnable:
        """Return what an engine runs on a machine, whose registers become those of the program.

        Raises
        ------
        UserError
            As :meth:`timed`.
        """
        timed = self.timed(machine)
        return Runnable(timed.program, timed.memory, with_registers(machine))
