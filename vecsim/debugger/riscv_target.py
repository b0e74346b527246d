"""A RISC-V program that is debugged: an ELF file, or a text that can be edited."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from isa.program import Program
from vecsim.debugger.names import Names, hart_names
from vecsim.debugger.target import Target
from vecsim.engines.source import Runnable
from vecsim.machine import Machine
from vecsim.riscv.timing.replay import Replay
from vecsim.riscv.timing.source import RiscvSource
from vecsim.support.errors import UserError

_NONE = np.zeros(0, np.uint8)
"""Memory before the run: a source has its own."""


@dataclass(frozen=True)
class RiscvTarget(Target):
    """A RISC-V program that is debugged.

    Attributes
    ----------
    make
        Returns the program of a text, or the compiled one.
    is_text
        Whether it has a text, which can be edited.
    """

    make: Callable[[str], RiscvSource] = field(kw_only=True)
    is_text: bool = field(kw_only=True)

    @cached_property
    def of(self) -> RiscvSource:
        """The program of the text.

        Raises
        ------
        AssemblyError, UserError
            It has a mistake.
        """
        return self.make(self.text)

    def runnable(self) -> Runnable:
        """Return what runs on the machine.

        Raises
        ------
        AssemblyError, UserError
            The text has a mistake, or the program cannot run.
        """
        return self.of.on(self.machine)

    def replay(self) -> Replay:
        """Return what has the values of the run."""
        return Replay(self.of, self.machine)

    def names(self, program: Program) -> Names:
        """Return what registers and places are called."""
        return hart_names(self.of.program, self.of.base, self.machine.riscv.vlen)

    def lines_of(self, file: str) -> list[str]:
        """Return the lines of a text by its name: the text itself, or a source file next to the program."""
        if self.is_text and file == self.file:
            return self.lines
        return self.of.program.source_lines(file)

    def edited(self, line: int, text: str) -> Target:
        """Return the same with another text in a line.

        Raises
        ------
        UserError
            There is no such line, or the program is compiled.
        """
        if not self.is_text:
            raise UserError(f"{self.name}: is compiled; edit its source and compile it again")
        return super().edited(line, text)


def compiled_target(name: str, source: RiscvSource, machine: Machine) -> RiscvTarget:
    """Return a compiled program that is debugged; lines without a file are of the one with most of the run.

    Parameters
    ----------
    name
        The name of its file.
    source
        The program with what is loaded.
    machine
        On what it runs.
    """
    files = Counter(each.file for each in source.on(machine).program.source if each.line)
    file = files.most_common(1)[0][0] if files else name
    return RiscvTarget(name, file, "", _NONE, machine, make=lambda text: source, is_text=False)


def text_target(name: str, text: str, make: Callable[[str], RiscvSource], machine: Machine) -> RiscvTarget:
    """Return a text that is debugged.

    Parameters
    ----------
    name
        The name of its file.
    text, make
        Its content, and what assembles it.
    machine
        On what it runs.
    """
    return RiscvTarget(name, name, text, _NONE, machine, make=make, is_text=True)
