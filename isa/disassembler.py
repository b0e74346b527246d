"""From words back to assembly text that assembles to the same words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt

from isa.declaration import Instruction, InstructionSet
from isa.encoding import decode
from isa.instructions import BASE
from isa.operands import instruction_slots
from isa.program import DataSegment, Program
from isa.registers import register_name

BYTES_A_LINE = 16


def disassemble(code: Program | npt.ArrayLike, instruction_set: InstructionSet = BASE) -> str:
    """Give assembly text that assembles to the same words.

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


def instruction_text(
    instruction: Instruction, fields: Sequence[int], pc: int, labels: Mapping[int, str] | None = None
) -> str:
    """Give the text of one instruction.

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
    """
    texts = []
    for operand, value in zip(instruction.operands, fields, strict=False):
        if operand.is_register:
            texts.append(register_name(operand.kind, value))
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
    """Give a table with one line an instruction: number, word, instruction, source line."""
    lines = []
    for pc, word in enumerate(program.words.tolist()):
        text = instruction_text(program.instruction(pc), program.fields[pc].tolist(), pc)
        source = f"  ; {program.source[pc]}" if program.source else ""
        lines.append(f"{pc:6}  {word:08x}  {text:<32}{source}".rstrip())
    return "".join(line + "\n" for line in lines)
