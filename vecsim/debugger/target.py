"""What is debugged: an assembly text, what is in memory before it runs, and a machine."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import numpy.typing as npt

from isa.assembler import assemble
from isa.declaration import InstructionSet
from isa.program import Program
from isa.text.inclusion import name_of
from vecsim.debugger.names import Names, classic_names
from vecsim.engines.source import Runnable
from vecsim.machine import Machine, instruction_set_of
from vecsim.support.errors import UserError
from vecsim.support.input_files import INCLUDED, decoded, read_input
from vecsim.support.project_packages import input_path
from vecsim.support.shown_text import one_line

if TYPE_CHECKING:
    from vecsim.riscv.timing.replay import Replay


@dataclass(frozen=True)
class Target:
    """What is debugged.

    Attributes
    ----------
    name
        What it is called.
    file
        Of the text, in messages.
    text
        Assembly text.
    memory
        (n,) bytes, before the program's own data are put in.
    machine
        On which it runs.
    symbols
        Constants given from outside.
    value_bytes
        Bytes of a matrix value, 4 or 8.
    loaded
        Places of memory that data of the program leave as they are: first byte, and the first after it.
    included
        The files that the text may include, by their paths from its folder: no other is opened, whatever is
        edited.
    """

    name: str
    file: str
    text: str
    memory: npt.NDArray[np.uint8]
    machine: Machine
    symbols: Mapping[str, int] = field(default_factory=dict)
    value_bytes: Literal[4, 8] = 4
    loaded: tuple[tuple[int, int], ...] = ()
    included: Mapping[str, bytes] = field(default_factory=dict)

    @property
    def instruction_set(self) -> InstructionSet:
        """What the text is made of: the machine's instructions, with those of its extensions."""
        return instruction_set_of(self.machine.extensions)

    @property
    def lines(self) -> list[str]:
        """The lines of the text; line 1 is the first."""
        return self.text.split("\n")

    def lines_of(self, file: str) -> list[str]:
        """Return the lines of a text by its name in messages; of the text itself if it is none of these."""
        for key, content in self.included.items():
            if one_line(name_of(self.file, key)) == file:
                return decoded(content, file).split("\n")
        return self.lines

    def with_files(self, folder: Path) -> Target:
        """Return the same with the files that its text includes, as they are now in its folder.

        Raises
        ------
        UserError
            As `assembled` raises.
        """
        program = assemble(self.text, folder=folder, **self._how)
        paths = {name: input_path(folder, name) for name in program.inputs}
        return replace(self, included={name: read_input(path, INCLUDED) for name, path in paths.items()})

    @property
    def _how(self) -> dict[str, Any]:
        return {
            "file": self.file,
            "symbols": self.symbols,
            "instruction_set": self.instruction_set,
            "value_bytes": self.value_bytes,
        }

    def assembled(self) -> Program:
        """Assemble the text.

        Raises
        ------
        AssemblyError
            Its first mistake.
        UserError
            It has no instruction.
        """
        program = assemble(self.text, given=self.included or None, **self._how)
        if not len(program):
            raise UserError(f"{self.file}: needs at least one instruction")
        return program.without_room(self.loaded)

    def runnable(self) -> Runnable:
        """Return what runs on the machine.

        Raises
        ------
        AssemblyError, UserError
            As :meth:`assembled`.
        """
        return Runnable(self.assembled(), self.memory, self.machine)

    def replay(self) -> Replay | None:
        """Return what has the values of the run; None where the engine has them."""
        return None

    def names(self, program: Program) -> Names:
        """Return what registers and places are called in the program of the text."""
        return classic_names(program, self.value_bytes == 8)

    def edited(self, line: int, text: str) -> Target:
        """Return the same with another text in a line; one after the last is added.

        Raises
        ------
        UserError
            There is no such line.
        """
        lines = self.lines
        if not 1 <= line <= len(lines) + 1:
            raise UserError(f"line {line}: must be from 1 to {len(lines)} in {self.file}")
        return replace(self, text="\n".join([*lines[: line - 1], text, *lines[line:]]))
