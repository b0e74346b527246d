"""Programs put together instruction by instruction, without the detour over text."""

from __future__ import annotations

import numpy as np

from isa.encoding import encode
from isa.instructions import BASE
from isa.program import Program
from isa.text.expressions import UPPER_SHIFT


class Label:
    """A place in a program: as a field it stands for the distance to it, or for its number."""

    def __init__(self) -> None:
        self.pc = -1


class Builder:
    """Collects instructions; labels may be used before they are placed.

    Assembling the text of a program takes as long as running it, so the text is only made (by the
    disassembler) of programs that someone has to read.
    """

    def __init__(self) -> None:
        self.rows: list[tuple[str, tuple[int | Label, ...]]] = []
        self.start = Label()

    def add(self, mnemonic: str, *fields: int | Label) -> None:
        """Append an instruction; operand fields in the order of its syntax."""
        self.rows.append((mnemonic, fields))

    def constant(self, register: int, value: int) -> None:
        """Append what sets an x register, like the pseudo-instruction li."""
        if -(1 << UPPER_SHIFT) <= value < 1 << UPPER_SHIFT:
            self.add("addi", register, 0, value)
            return
        self.add("lui", register, (value >> UPPER_SHIFT) & 0x7FFFF)
        self.add("addi", register, register, value & ((1 << UPPER_SHIFT) - 1))

    def place(self, label: Label) -> None:
        """Let a label stand before the next instruction."""
        label.pc = len(self.rows)

    def program(self) -> Program:
        """Return the program; it begins at ``start``, or with its first instruction."""
        words = []
        for pc, (mnemonic, fields) in enumerate(self.rows):
            row = BASE.by_mnemonic[mnemonic]
            values = [
                field if isinstance(field, int) else field.pc - pc * (operand.kind == "t")
                for operand, field in zip(row.operands, fields, strict=True)
            ]
            words.append(encode(row, values))
        return Program(np.array(words, np.uint32), {}, (), (), BASE, max(self.start.pc, 0))
