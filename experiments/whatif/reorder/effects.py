"""What each instruction of a program reads and writes, as its declaration says.

Sets of registers are integers, a bit for each register. Memory is not among them: whether two accesses may
change places is decided by running the program, whose results must stay the same bits.
"""

from __future__ import annotations

from dataclasses import dataclass

from isa.declaration import REGISTERS, SPECIAL_REGISTERS, Instruction, Length
from isa.program import Program
from vecsim.engines.decoded import FLOAT, SCALARS, SPECIAL

_FIRST = {"x": 0, "f": FLOAT, "s": SPECIAL, "v": SCALARS}
_SPECIAL = {name: 1 << SPECIAL + place for place, name in enumerate(SPECIAL_REGISTERS)}
_MASK = 1 << SCALARS + REGISTERS
_CACHE = _MASK << 1
_ZERO = 1 << _FIRST["x"]


@dataclass(frozen=True)
class Effects:
    """Registers that an instruction reads and writes; what it only writes, it need not read."""

    reads: int
    writes: int


def effects_of(program: Program) -> tuple[Effects, ...]:
    """Return the effects of every instruction of a program."""
    return tuple(
        _effects(program.instruction(pc), fields) for pc, fields in enumerate(program.fields.tolist())
    )


def _effects(instruction: Instruction, fields: list[int]) -> Effects:
    reads = sum({_SPECIAL[name] for name in instruction.reads})
    writes = sum({_SPECIAL[name] for name in (*instruction.writes, *instruction.late)})
    for operand, field in zip(instruction.operands, fields, strict=False):
        if operand.is_register:
            register = 1 << _FIRST[operand.kind] + field
            reads |= register if operand.read else 0
            writes |= register if operand.written else 0
            if operand.written and instruction.length == Length.ONE:
                reads |= register  # the other elements stay
    if instruction.length == Length.VL:
        reads |= _SPECIAL["vl"]
    if instruction.mask:
        reads |= _MASK
        writes |= _MASK if instruction.writes_mask else 0
    if instruction.slice_operand or (instruction.access is not None and instruction.access.cache):
        reads |= _CACHE
        writes |= _CACHE
    return Effects(reads & ~_ZERO, writes & ~_ZERO)
