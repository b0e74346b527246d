"""The instructions of a program with what they came to in a run: which of them are hot."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from isa.declaration import Unit
from isa.disassembler import instruction_text
from isa.program import Program
from vecsim.engines.attribution import Attribution, Ints
from vecsim.engines.cause import Cause
from vecsim.engines.recorded.program import RecordedProgram

CACHES = ("l1", "l2")
"""The names of the caches, the one next to the ports first."""


@dataclass(frozen=True)
class Line:
    """An instruction of a program, and what all its executions came to.

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
    executions, elements
        How often it was executed, and on how many elements in all.
    cycles
        Those between the retirement of all older instructions and its own, over all executions.
    cycles_by_cause
        The same by cause, by name, those that are not 0.
    waits
        Cycles that its executions waited by cause, by name, those that are not 0; they overlap with those of
        other instructions.
    hits, misses
        Its requests to each cache, ``l1`` and ``l2``, that hit and that missed; empty if it made none.
    """

    pc: int
    text: str
    place: str
    mnemonic: str
    unit: str
    executions: int
    elements: int
    cycles: int
    cycles_by_cause: dict[str, int]
    waits: dict[str, int]
    hits: dict[str, int] = field(default_factory=dict)
    misses: dict[str, int] = field(default_factory=dict)

    @property
    def longest_wait(self) -> str:
        """The cause that it waited for longest, as tables name it; empty if it never waited."""
        if not self.waits:
            return ""
        return Cause[max(self.waits, key=self.waits.__getitem__).upper()].label

    def mostly(self, most: int) -> str:
        """Name the causes that its cycles are attributed to, the largest first, with their shares."""
        parts = sorted(self.cycles_by_cause.items(), key=lambda item: -item[1])[:most]
        return ", ".join(f"{Cause[name.upper()].label} {cycles / self.cycles:.0%}" for name, cycles in parts)


def lines_of(program: Program, attribution: Attribution) -> tuple[Line, ...]:
    """Return every instruction that was executed, in the order of the program; the parts of one as one.

    Parameters
    ----------
    program
        Of n instructions.
    attribution
        The cycles of each.
    """
    if isinstance(program, RecordedProgram):
        attribution = _of_instructions(program, attribution)
    return tuple(_line(program, attribution, int(pc)) for pc in np.flatnonzero(attribution.executions))


def _of_instructions(program: RecordedProgram, attribution: Attribution) -> Attribution:
    """Return an attribution in which the first part of an instruction has what all its parts came to."""
    first = np.flatnonzero([not row.joined for row in program.rows])

    def summed(values: Ints) -> Ints:
        result = np.zeros_like(values)
        result[first] = np.add.reduceat(values, first, axis=0)
        return result

    executions = np.zeros_like(attribution.executions)
    executions[first] = attribution.executions[first]
    return replace(
        attribution,
        executions=executions,
        elements=summed(attribution.elements),
        attributed=summed(attribution.attributed),
        waited=summed(attribution.waited),
        hits=summed(attribution.hits),
        misses=summed(attribution.misses),
    )


def _line(program: Program, attribution: Attribution, pc: int) -> Line:
    instruction = program.instruction(pc)
    hits, misses = attribution.hits[pc], attribution.misses[pc]
    asked = [(name, at) for at, name in enumerate(CACHES) if hits[at] + misses[at]]
    source = program.source[pc] if program.source else None
    return Line(
        pc=pc,
        text=" ".join(source.text.split())
        if source
        else instruction_text(instruction, program.fields[pc].tolist(), pc),
        place=f"{source.file}:{source.line}" if source else "",
        mnemonic=instruction.mnemonic,
        unit=Unit(instruction.unit).name.lower(),
        executions=int(attribution.executions[pc]),
        elements=int(attribution.elements[pc]),
        cycles=int(attribution.attributed[pc].sum()),
        cycles_by_cause=_named(attribution.attributed[pc]),
        waits=_named(attribution.waited[pc]),
        hits={name: int(hits[at]) for name, at in asked},
        misses={name: int(misses[at]) for name, at in asked},
    )


def _named(cycles: Ints) -> dict[str, int]:
    return {Cause(int(i)).name.lower(): int(cycles[i]) for i in np.flatnonzero(cycles)}


def by_text(lines: Sequence[Line]) -> dict[str, int]:
    """Add the cycles of lines that read alike, such as two stores of one segment; the largest first."""
    result: dict[str, int] = {}
    for line in lines:
        result[line.text] = result.get(line.text, 0) + line.cycles
    return dict(sorted(result.items(), key=lambda item: -item[1]))
