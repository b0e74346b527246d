"""From words back to assembly text that assembles to the same words."""

from __future__ import annotations

import re
from collections.abc import Hashable, Mapping, Sequence
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from isa.declaration import Instruction, InstructionSet
from isa.encoding import decode
from isa.instructions import BASE
from isa.operands import instruction_slots
from isa.program import DataSegment, Program
from isa.registers import Register, register_name

BYTES_A_LINE = 16


def disassemble(code: Program | npt.ArrayLike, instruction_set: InstructionSet = BASE) -> str:
    """Return assembly text that assembles to the same words.

    Branch targets inside the program become labels ``L<number>``; others are written as instruction numbers.
    Of a :class:`Program` the data and the entry come along, and its own instruction set counts.

    Parameters
    ----------
    code
        A program, or (n,) words of 32 bits.
    instruction_set
        What the words mean.

    Raises
    ------
    UserError
        A word that is no instruction.
    """
    if isinstance(code, Program):
        instruction_set, opcode, fields = code.instruction_set, code.opcode, code.fields
        entry, data = code.entry, code.data
    else:
        opcode, fields = decode(code, instruction_set)
        entry, data = 0, ()
    rows = [instruction_set.by_opcode[int(number)] for number in opcode]
    labels = _labels(rows, fields)
    lines = []
    for pc, row in enumerate(rows):
        if pc == entry and entry:
            lines.append("start:")
        if pc in labels:
            lines.append(f"{labels[pc]}:")
        lines.append(f"    {instruction_text(row, fields[pc].tolist(), pc, labels)}")
    if entry == len(rows) and entry:
        lines.append("start:")
    return "".join(line + "\n" for line in lines + _data_lines(data))


def _labels(rows: Sequence[Instruction], fields: npt.NDArray[np.int64]) -> dict[int, str]:
    targets = {
        pc + int(fields[pc, column])
        for pc, row in enumerate(rows)
        for column, operand in enumerate(row.operands)
        if operand.kind == "t"
    }
    return {target: f"L{target}" for target in targets if 0 <= target < len(rows)}


def named_text(program: Program, pc: int) -> str:
    """Return the text of instruction number ``pc`` with the source's names for registers and labels.

    Of several names of a register the one that the source line has is taken, otherwise the first.
    """
    if program.texts:
        return program.texts[pc]
    line = program.source[pc].text if program.source else ""
    words = set(_WORD.findall(line))
    registers = _preferred(program.register_names, words)
    labels = _preferred(program.labels, words)
    return instruction_text(program.instruction(pc), program.fields[pc].tolist(), pc, labels, registers)


_WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_.]*")
_Named = TypeVar("_Named", bound=Hashable)


def _preferred(names: Mapping[str, _Named], words: set[str]) -> dict[_Named, str]:
    """Turn names round, those in ``words`` first."""
    result: dict[_Named, str] = {}
    for name in sorted(names, key=lambda name: name not in words):
        result.setdefault(names[name], name)
    return result


def instruction_text(
    instruction: Instruction,
    fields: Sequence[int],
    pc: int,
    labels: Mapping[int, str] | None = None,
    registers: Mapping[Register, str] | None = None,
) -> str:
    """Return the text of one instruction.

    Parameters
    ----------
    instruction
        Its row of the table.
    fields
        Its operand fields in the order of the syntax.
    pc
        Its number, from which branches count.
    labels
        Names of instruction numbers for branch targets; others are written as numbers.
    registers
        Second names of registers, by kind and number; others have their plain names.
    """
    texts = []
    for operand, value in zip(instruction.operands, fields, strict=False):
        if operand.is_register:
            plain = register_name(operand.kind, value)
            texts.append((registers or {}).get((operand.kind, value), plain))
        elif operand.kind == "t":
            texts.append((labels or {}).get(pc + value, str(pc + value)))
        else:
            texts.append(str(value))
    written = []
    for slot in instruction_slots(instruction):
        *offset, last = (texts.pop(0) for _ in slot.operands)
        written.append("".join(offset) + f"({last})" if slot.is_memory else last)
    return f"{instruction.mnemonic} {', '.join(written)}".strip()


def _data_lines(data: Sequence[DataSegment]) -> list[str]:
    lines = []
    for segment in data:
        lines.append(f".data {segment.address}")
        for start in range(0, len(segment.content), BYTES_A_LINE):
            chunk = segment.content[start : start + BYTES_A_LINE]
            lines.append(f"    .byte {', '.join(map(str, chunk))}")
    return lines


def listing(program: Program) -> str:
    """Return a table with one line an instruction: number, word, instruction, source line."""
    lines = []
    for pc, word in enumerate(program.words.tolist()):
        text = instruction_text(program.instruction(pc), program.fields[pc].tolist(), pc)
        source = f"  ; {program.source[pc]}" if program.source else ""
        lines.append(f"{pc:6}  {word:08x}  {text:<32}{source}".rstrip())
    return "".join(line + "\n" for line in lines)
