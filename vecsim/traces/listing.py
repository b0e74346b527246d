"""What each instruction of a program is called, and which registers it reads and writes."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from isa.disassembler import named_text
from isa.program import Program
from isa.registers import register_name
from vecsim.engines.cause import Cause
from vecsim.engines.decoded import scalar_name
from vecsim.engines.recorded.program import RecordedProgram

MASK = "mask"
"""What the vector mask is called among registers."""


@dataclass(frozen=True)
class Listed:
    """An instruction of a program.

    Attributes
    ----------
    text
        Disassembled, with the source's names of registers and labels.
    place, source
        File and line, and the line's text; empty where there is no source.
    registers
        The plain name of each register of the text, by the name that it has there.
    reads, writes
        Plain names of registers, the special ones and the mask among them; x0 is none.
    """

    text: str
    place: str
    source: str
    registers: dict[str, str]
    reads: tuple[str, ...]
    writes: tuple[str, ...]


def listed(program: Program) -> tuple[Listed, ...]:
    """Return every instruction of a program."""
    return tuple(_listed(program, pc) for pc in range(len(program)))


def _listed(program: Program, pc: int) -> Listed:
    if isinstance(program, RecordedProgram):
        return _of_recorded(program, pc)
    row, fields = program.instruction(pc), program.fields[pc].tolist()
    text = named_text(program, pc)
    reads, writes, plain = [*row.reads], [*row.writes, *row.late], []
    for operand, field in zip(row.operands, fields, strict=False):
        if operand.is_register:
            name = register_name(operand.kind, field)
            plain.append(name)
            reads += [name] * operand.read
            writes += [name] * operand.written
    reads += [MASK] * row.reads_mask
    writes += [MASK] * row.writes_mask
    names = {name: f"{kind}{n}" for name, (kind, n) in program.register_names.items()}
    line = program.source[pc] if program.source else None
    return Listed(
        text=text,
        place=f"{line.file}:{line.line}" if line else "",
        source=line.text if line else "",
        registers={name: names[name] for name in names if names[name] in plain and _has(text, name)},
        reads=_without_zero(reads),
        writes=_without_zero(writes),
    )


def _of_recorded(program: RecordedProgram, pc: int) -> Listed:
    row, line = program.rows[pc], program.source[pc] if program.source else None
    return Listed(
        text=named_text(program, pc),
        place=f"{line.file}:{line.line}" if line and line.line else "",
        source=line.text if line else "",
        registers={},
        reads=_recorded_names(row.awaited, (*row.reads, *row.whole_reads)),
        writes=_recorded_names((*row.scalar_writes, *row.late), (*row.writes, *row.whole_writes)),
    )


def _recorded_names(scalars: Iterable[int], vectors: Iterable[int]) -> tuple[str, ...]:
    """Return the names of registers by their numbers among all scalars, and among the vectors."""
    return tuple(dict.fromkeys([*map(scalar_name, scalars), *(f"v{number}" for number in vectors)]))


def _has(text: str, name: str) -> bool:
    """Return whether a name stands in a text as its own word."""
    return name in text.replace(",", " ").replace("(", " ").replace(")", " ").split()


def _without_zero(names: list[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(name for name in names if name != "x0"))


def waits_of(waits: list[int]) -> dict[str, int]:
    """Return the cycles that an instruction waited by the label of the cause, those that it did wait."""
    return {Cause(i).label: cycles for i, cycles in enumerate(waits) if cycles}
