"""Which instruction a cycle belongs to: from one retirement to the next, in program order.

An instruction's cycles are those by which its retirement came after that of all older ones. So they add up to
the cycles of the run, and what runs in the shadow of an older instruction costs nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from isa.declaration import Unit
from isa.disassembler import instruction_text
from isa.program import Program
from vecsim.engines.cause import WAITS, Cause
from vecsim.engines.timeline import COLUMNS

Ints = npt.NDArray[np.int64]

PC, AGE, ELEMENTS, RETIRE, WORDS = (COLUMNS.index(name) for name in ("pc", "age", "vl", "retire", "words"))
FIRST_WAIT = COLUMNS.index("wait_" + Cause(0).name.lower())


@dataclass(frozen=True)
class Line:
    """An instruction of a program, and what all its executions cost.

    Attributes
    ----------
    pc
        Its number.
    text
        Its line in the source, without a comment; disassembled where there is no source.
    place
        File and number of the line; empty where there is no source.
    mnemonic, unit
        What it is and where it executes.
    executions
        How often it was executed.
    cycles
        Those between the retirement of all older instructions and its own, over all executions.
    waits
        Cycles that its executions waited by cause, by name; they overlap with those of other instructions.
    """

    pc: int
    text: str
    place: str
    mnemonic: str
    unit: str
    executions: int
    cycles: int
    waits: dict[str, int]

    @property
    def longest_wait(self) -> str:
        """The cause that it waited for longest, as tables name it; empty if it never waited."""
        name = max(self.waits, key=self.waits.__getitem__)
        return Cause[name.upper()].label if self.waits[name] else ""


class Account:
    """Collects what a timeline says, instruction by instruction; a sink of `TimelineRequest`."""

    def __init__(self, program: Program) -> None:
        count = len(program)
        self.program = program
        self.executions: Ints = np.zeros(count, np.int64)
        self.elements: Ints = np.zeros(count, np.int64)
        self.words: Ints = np.zeros(count, np.int64)
        self.waits: Ints = np.zeros((count, WAITS), np.int64)
        self._retirements: list[tuple[Ints, Ints, Ints]] = []

    def __call__(self, rows: Ints) -> None:
        """Take (n, len(COLUMNS)) rows in any order."""
        pc = rows[:, PC]
        self.executions += np.bincount(pc, minlength=len(self.executions))
        np.add.at(self.elements, pc, rows[:, ELEMENTS])
        np.add.at(self.words, pc, rows[:, WORDS])
        np.add.at(self.waits, pc, rows[:, FIRST_WAIT : FIRST_WAIT + WAITS])
        self._retirements.append((rows[:, AGE].copy(), pc.copy(), rows[:, RETIRE].copy()))

    def cycles(self) -> Ints:
        """Give the cycles of each instruction of the program, (n,)."""
        found: Ints = np.zeros(len(self.executions), np.int64)
        if not self._retirements:
            return found
        age, pc, retire = map(np.concatenate, zip(*self._retirements, strict=True))
        order = np.argsort(age, kind="stable")
        latest = np.maximum.accumulate(retire[order])
        np.add.at(found, pc[order], np.diff(latest, prepend=0))
        return found

    def lines(self) -> tuple[Line, ...]:
        """Give every instruction that was executed, in the order of the program."""
        cycles = self.cycles()
        return tuple(self._line(int(pc), int(cycles[pc])) for pc in np.flatnonzero(self.executions))

    def _line(self, pc: int, cycles: int) -> Line:
        program, instruction = self.program, self.program.instruction(pc)
        source = program.source[pc] if program.source else None
        return Line(
            pc=pc,
            text=" ".join(source.text.split())
            if source
            else instruction_text(instruction, program.fields[pc].tolist(), pc),
            place=f"{source.file}:{source.line}" if source else "",
            mnemonic=instruction.mnemonic,
            unit=Unit(instruction.unit).name.lower(),
            executions=int(self.executions[pc]),
            cycles=cycles,
            waits={Cause(i).name.lower(): int(self.waits[pc, i]) for i in range(WAITS)},
        )


def by_text(lines: Sequence[Line]) -> dict[str, int]:
    """Add the cycles of lines that read alike, such as two stores of one segment; the largest first."""
    found: dict[str, int] = {}
    for line in lines:
        found[line.text] = found.get(line.text, 0) + line.cycles
    return dict(sorted(found.items(), key=lambda item: -item[1]))
