"""The instructions of a program with what they came to in a run: which of them are hot."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from isa.declaration import Unit
from isa.disassembler import instruction_text
from isa.program import Program
from vecsim.engines.attribution import Attribution, Ints
from vecsim.engines.cause import Cause
from vecsim.engines.recorded.program import RecordedProgram
from vecsim.support.errors import UserError
from vecsim.support.suggestions import nearest

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
        Its line in the source, without a comment; disassembled where there is no source, or where the line is
        of another language.
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
    address, source
        Of a recorded program the address of the instruction and the text of its line in the source.
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
    address: int | None = None
    source: str = ""

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
    """Return every instruction that was executed, in the order of the program; the rows of one as one.

    Parameters
    ----------
    program
        Of n instructions.
    attribution
        The cycles of each.
    """
    if isinstance(program, RecordedProgram):
        lines = _lines(program, _of_instructions(program, attribution))
        return tuple(sorted(lines, key=lambda line: line.address or 0))
    return tuple(_lines(program, attribution))


def _lines(program: Program, attribution: Attribution) -> Iterator[Line]:
    return (_line(program, attribution, int(pc)) for pc in np.flatnonzero(attribution.executions))


def _of_instructions(program: RecordedProgram, attribution: Attribution) -> Attribution:
    """Return an attribution in which the first row of an instruction has what all its rows came to.

    It has a row for each of its parts, under each vtype.
    """
    count = len(program.rows)
    starts = np.flatnonzero([not row.joined for row in program.rows])
    rows_of: dict[int, int] = {}
    addresses = program.addresses or range(count)
    first = np.array([rows_of.setdefault(addresses[row], int(row)) for row in starts], np.int64)
    of_row = first[np.searchsorted(starts, np.arange(count), side="right") - 1]

    def summed(values: Ints) -> Ints:
        result = np.zeros_like(values)
        np.add.at(result, of_row, values)
        return result

    executions = np.zeros_like(attribution.executions)
    np.add.at(executions, first, attribution.executions[starts])
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
    if program.texts:
        text = program.texts[pc]
    elif source:
        text = " ".join(source.text.split())
    else:
        text = instruction_text(instruction, program.fields[pc].tolist(), pc)
    addresses = program.addresses if isinstance(program, RecordedProgram) else ()
    return Line(
        pc=pc,
        text=text,
        place=f"{source.file}:{source.line}" if source and source.line else "",
        mnemonic=program.mnemonic(pc),
        unit=Unit(instruction.unit).name.lower(),
        executions=int(attribution.executions[pc]),
        elements=int(attribution.elements[pc]),
        cycles=int(attribution.attributed[pc].sum()),
        cycles_by_cause=_named(attribution.attributed[pc]),
        waits=_named(attribution.waited[pc]),
        hits={name: int(hits[at]) for name, at in asked},
        misses={name: int(misses[at]) for name, at in asked},
        address=addresses[pc] if addresses else None,
        source=" ".join(source.text.split()) if source and addresses else "",
    )


def _named(cycles: Ints) -> dict[str, int]:
    return {Cause(int(i)).name.lower(): int(cycles[i]) for i in np.flatnonzero(cycles)}


def lines_of_function(program: Program, lines: Sequence[Line], name: str) -> tuple[Line, ...]:
    """Return the instructions of a function of a recorded program.

    Parameters
    ----------
    program, lines
        What ran, and what its instructions came to.
    name
        The name of the function.

    Raises
    ------
    UserError
        The program has no such function, or it was not executed.
    """
    functions = program.functions if isinstance(program, RecordedProgram) else {}
    if name not in functions:
        raise UserError(f"function {name!r}: the program has no such symbol{nearest(name, functions)}")
    result = tuple(line for line in lines if line.address in functions[name])
    if not sum(line.cycles for line in result):
        raise UserError(f"function {name!r}: no cycle of the run is attributed to it; choose another one")
    return result


def causes_of(lines: Sequence[Line]) -> dict[str, int]:
    """Return the cycles of some instructions by cause, those that are not 0."""
    result: Counter[str] = Counter()
    for line in lines:
        result.update(line.cycles_by_cause)
    return dict(result)


def by_text(lines: Sequence[Line]) -> dict[str, int]:
    """Add the cycles of lines that read alike, such as two stores of one segment; the largest first."""
    result: dict[str, int] = {}
    for line in lines:
        result[line.text] = result.get(line.text, 0) + line.cycles
    return dict(sorted(result.items(), key=lambda item: -item[1]))
