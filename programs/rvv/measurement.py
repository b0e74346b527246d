"""Run a kernel for RISC-V Vector and time it, and its function ``kernel`` apart from the rest."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from isa.riscv.declaration import Timing
from programs.rvv.registry import Kernel
from vecsim.engines import DEFAULT_ENGINE
from vecsim.engines.lines import Line
from vecsim.engines.protocol import Engine
from vecsim.engines.result import Run
from vecsim.engines.running import run
from vecsim.machine import Machine
from vecsim.riscv.elf import read_elf
from vecsim.riscv.memory import number_at
from vecsim.riscv.timing.program import TimedProgram
from vecsim.riscv.timing.source import RiscvSource

MEMORY_BYTES = 1 << 20
"""Simulated memory; the largest kernel needs less than half of it."""
FUNCTION, WORK = "kernel", "work"
"""Symbols of each kernel: what is measured, and the variable that says how much it has to do."""


@dataclass(frozen=True)
class KernelRun:
    """A kernel that has run.

    Attributes
    ----------
    kernel
        Which.
    run
        The engine's result for the whole program: set-up, kernel and check.
    exit_code
        0 if the result is right; otherwise the number of the first wrong element, from 1.
    instructions, vector_instructions
        What the whole program has executed; configurations count as vector instructions.
    kernel_lines
        The instructions of the function ``kernel`` that were executed, and what they came to.
    work
        How many units of work the kernel did.
    """

    kernel: Kernel
    run: Run
    exit_code: int
    instructions: int
    vector_instructions: int
    kernel_lines: tuple[Line, ...]
    work: int

    @property
    def kernel_instructions(self) -> int:
        """Instructions that the function has executed."""
        return sum(each.executions for each in self.kernel_lines)

    @property
    def kernel_cycles(self) -> int:
        """Cycles that are attributed to instructions of the function."""
        return sum(each.cycles for each in self.kernel_lines)

    @property
    def right(self) -> bool:
        """Whether the result is that of the scalar computation."""
        return self.exit_code == 0

    @property
    def share(self) -> float:
        """The cycles of the function as a share of all."""
        return self.kernel_cycles / self.run.cycles

    @property
    def cycles_per_unit(self) -> float:
        """Cycles of the function for each unit of work."""
        return self.kernel_cycles / self.work


def run_kernel(
    kernel: Kernel,
    machine: Machine,
    *,
    engine: str = DEFAULT_ENGINE,
    progress: Callable[[Engine], None] | None = None,
) -> KernelRun:
    """Run a kernel and time it.

    Parameters
    ----------
    kernel
        Which.
    machine
        On what it is timed; its registers are as long as ``riscv.vlen`` says.
    engine
        Name of the engine.
    progress
        Called with the running engine now and then.

    Raises
    ------
    UserError
        The machine cannot run it.
    """
    program = read_elf(kernel.elf)
    timed = RiscvSource(program, memory_bytes=MEMORY_BYTES).timed(machine)
    result = run(timed.program, timed.memory, timed.machine(machine), engine=engine, progress=progress)
    lines, (begin, size) = result.lines, program.symbols[FUNCTION]
    inside = (each for each in lines if each.address is not None and begin <= each.address < begin + size)
    return KernelRun(
        kernel=kernel,
        run=result,
        exit_code=timed.result.exit_code,
        instructions=timed.result.instructions,
        vector_instructions=sum(each.executions for each in lines if _is_vector(timed, each.pc)),
        kernel_lines=tuple(inside),
        work=number_at(timed.result.hart, program.symbols[WORK].address),
    )


def _is_vector(timed: TimedProgram, row: int) -> bool:
    return Timing[timed.program.rows[row].cost] >= Timing.CONFIGURE
