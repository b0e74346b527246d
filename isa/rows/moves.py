"""Rows of vector moves: between registers, and of single elements."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from isa.declaration import Instruction, Length, Timing, Unit
from isa.rows.forms import Semantics, vector_row
from isa.semantics import vector


def rows() -> Iterator[Instruction]:
    """Yield the rows."""

    def move(
        mnemonic: str, opcode: int, syntax: str, semantics: Semantics, summary: str, **more: Any
    ) -> Instruction:
        return vector_row(mnemonic, opcode, syntax, Unit.ADD, "move", semantics, summary, **more)

    yield move("mergev", 0x70, "vd=, va, vb", vector.mergev, "vd[k] = va[k] if mask[k] else vb[k]", mask="r")
    yield move("movv", 0x71, "vd=, va", vector.movv, "vd[k] = va[k]")
    yield move("movvf", 0x72, "vd=, fa", vector.movvf, "vd[k] = fa")
    yield move("movvx", 0x73, "vd=, xa", vector.movvx, "vd[k] = xa, 32 bits")
    yield move("cvi", 0x74, "vd=, xa", vector.cvi, "vd[k] = k * xa, int32 (iota)")
    yield move("insf", 0x75, "vd=, fa, xi", vector.insf, "vd[xi] = fa (xi modulo s)", length=Length.ONE)
    what = "vd[xi] = xa, 32 bits (xi modulo s)"
    yield move("insx", 0x76, "vd=, xa, xi", vector.insx, what, length=Length.ONE)
    for mnemonic, opcode, syntax, semantics, what in (
        ("extf", 0x77, "fd=, va, xi", vector.extf, "fd = va[xi]"),
        ("extx", 0x78, "xd=, va, xi", vector.extx, "xd = va[xi], 32 bits"),
    ):
        how = Unit.SCALAR, Timing.EXTRACT, "extract", semantics, f"{what} (xi modulo s)", Length.ONE
        yield Instruction(mnemonic, opcode, syntax, *how)
