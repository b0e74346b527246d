"""A program that went wrong: what stops a run, with its place in the source."""

from __future__ import annotations

from isa.program import Program
from vecsim.support.errors import UserError


class Fault(UserError):
    """A program did what the machine cannot do; the message names program counter and source line."""

    def __init__(self, program: Program, pc: int, cycle: int, what: str) -> None:
        place = program.where(pc) if 0 <= pc < len(program.opcode) else "outside the program"
        super().__init__(f"{place}: instruction {pc}, cycle {cycle}: {what}")
        self.pc = pc
        self.cycle = cycle
