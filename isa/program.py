"""An assembled program: its words, decoded for the engines, with symbols and source lines."""

from __future__ import annotations

import base64
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from isa.declaration import Instruction, InstructionSet
from isa.declared import DeclaredInstruction
from isa.encoding import decode
from isa.registers import Register
from vecsim.support.errors import UserError
from vecsim.support.overview import Overview
from vecsim.support.shown_text import one_line, unicode_text
from vecsim.support.suggestions import counted


@dataclass(frozen=True)
class SourceLine:
    """Where an instruction comes from: file, line counted from 1, and the line's text, stripped."""

    file: str
    line: int
    text: str

    def __post_init__(self) -> None:
        """Make the name and the text such that listings, traces and pages can show them."""
        object.__setattr__(self, "file", one_line(self.file))
        object.__setattr__(self, "text", unicode_text(self.text))

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {self.text}"


@dataclass(frozen=True)
class DataSegment:
    """Bytes to be copied to ``address`` in memory before the run."""

    address: int
    content: bytes

    @property
    def end(self) -> int:
        """The first address after the segment."""
        return self.address + len(self.content)

    def without(self, begin: int, end: int) -> Iterator[DataSegment]:
        """Yield what it has before a place, and after it."""
        if end <= self.address or self.end <= begin:
            yield self
            return
        if self.address < begin:
            yield DataSegment(self.address, self.content[: begin - self.address])
        if end < self.end:
            yield DataSegment(end, self.content[end - self.address :])


@dataclass(frozen=True, eq=False, repr=False)
class Program(Overview):
    """A program for a vector machine. Arrays are read-only.

    Attributes
    ----------
    words
        (n,) uint32, the binary form; ``opcode`` and ``fields`` are derived from it.
    symbols
        Constants and labels: a code label is an instruction number, a data label a byte address.
    source
        Per instruction its source line; empty if the program was not made from text.
    data
        What must be in memory before the run; segments are sorted and do not overlap.
    instruction_set
        What the words mean.
    entry
        Number of the instruction to begin with.
    register_names
        What the text calls registers next to their plain names; empty if there was no text.
    labels
        The instruction numbers of its code labels.
    inputs
        SHA-256 of every file that assembling read, as it read it, by its path from the folder of the text,
        or `vecsim.support.project_packages.SHIPPED_TEXTS` and its path among the programs of vecsim; empty if
        the program was not made from a file. The same files give the same program.
    texts
        What each instruction is called, where its word does not say it; empty where all do.
    opcode
        (n,) int64.
    fields
        (n, 5) int64, the operands in the order of the syntax: register numbers, immediates with their
        sign, branch distances in instructions from this one; 0 where unused.

    Raises
    ------
    UserError
        A word that is no instruction of the set, a branch to before the first one, or an entry outside the
        program.
    """

    words: npt.NDArray[np.uint32]
    symbols: Mapping[str, int]
    source: tuple[SourceLine, ...]
    data: tuple[DataSegment, ...]
    instruction_set: InstructionSet
    entry: int = 0
    register_names: Mapping[str, Register] = field(default_factory=dict)
    labels: Mapping[str, int] = field(default_factory=dict)
    inputs: Mapping[str, str] = field(default_factory=dict)
    texts: tuple[str, ...] = ()
    opcode: npt.NDArray[np.int64] = field(init=False)
    fields: npt.NDArray[np.int64] = field(init=False)

    @property
    def declarations(self) -> tuple[str, ...]:
        """The instructions that the text declares: name, operands and rule of each."""
        rows = (row for row in self.instruction_set.instructions if isinstance(row, DeclaredInstruction))
        return tuple(f"{row.mnemonic} {row.syntax}: {row.summary}" for row in rows)

    def __post_init__(self) -> None:
        """Decode the words."""
        words = np.array(self.words, np.uint32)
        opcode, fields = decode(words, self.instruction_set)
        for name, array in (("words", words), ("opcode", opcode), ("fields", fields)):
            array.flags.writeable = False
            object.__setattr__(self, name, array)
        self._check_branches()
        if not 0 <= self.entry <= len(words):
            raise UserError(
                f"entry {self.entry} must be within the program's {counted(len(words), 'instruction')}"
            )
        if self.source and len(self.source) != len(words):
            raise UserError(
                f"{counted(len(self.source), 'source line')}; "
                f"{counted(len(words), 'instruction')} need one each"
            )

    def _check_branches(self) -> None:
        """Refuse a branch to before the first instruction, as the assembler does."""
        for instruction in self.instruction_set.instructions:
            for column, operand in enumerate(instruction.operands):
                if operand.kind == "t":
                    rows = np.flatnonzero(self.opcode == instruction.opcode)
                    targets = rows + self.fields[rows, column]
                    if len(targets) and targets.min() < 0:
                        row = int(rows[np.argmin(targets)])
                        place = self.source[row] if len(self.source) == len(self) else f"instruction {row}"
                        raise UserError(
                            f"{place}: branch to instruction {targets.min()}: the target must be 0 or more"
                        )

    def __len__(self) -> int:
        return len(self.words)

    def without_room(self, places: Sequence[tuple[int, int]]) -> Program:
        """Return the program without its data at some places: memory there stays as it is before the run.

        Parameters
        ----------
        places
            First byte of each, and the first after it.
        """
        if not places:
            return self
        data = self.data
        for begin, end in places:
            data = tuple(part for segment in data for part in segment.without(begin, end))
        return replace(self, data=data)

    def overview(self) -> dict[str, object]:
        """Return the size of the program and the file that it was assembled from."""
        files = tuple(dict.fromkeys(line.file for line in self.source))
        return {
            "instructions": len(self),
            "data_bytes": sum(len(segment.content) for segment in self.data),
            "symbols": len(self.symbols),
            "entry": self.entry,
            **({"source": files[0] if len(files) == 1 else files} if files else {}),
        }

    def to_dict(self) -> dict[str, Any]:
        """Return everything but the instruction set as plain data; see `isa.binary`."""
        return {
            "entry": self.entry,
            "words": [f"{word:08x}" for word in self.words.tolist()],
            "symbols": dict(self.symbols),
            "source": [[line.file, line.line, line.text] for line in self.source],
            "data": [[s.address, base64.b64encode(s.content).decode("ascii")] for s in self.data],
        }

    def instruction(self, pc: int) -> Instruction:
        """Return the row of the table for instruction number ``pc``."""
        return self.instruction_set.by_opcode[int(self.opcode[pc])]

    def mnemonic(self, pc: int) -> str:
        """Return the mnemonic of instruction number ``pc``."""
        return self.texts[pc].partition(" ")[0] if self.texts else self.instruction(pc).mnemonic

    def where(self, pc: int) -> str:
        """Name instruction number ``pc`` for a message: ``file.s:12: text`` where the source is known."""
        if 0 <= pc < len(self.source):
            return str(self.source[pc])
        if 0 <= pc < len(self.words):
            return f"instruction {pc}: {self.instruction(pc).mnemonic}"
        return f"instruction {pc}: outside the program of {counted(len(self.words), 'instruction')}"
