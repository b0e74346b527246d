"""Rows of vector moves: between registers, and of single elements."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from isa.declaration import Instruction, Length, Timing, Unit
from isa.rows.forms import Semantics, under_mask, vector_row
from isa.semantics import vector


def rows() -> Iterator[Instruction]:
    """Yield the rows."""

    def move(
        mnemonic: str, opcode: int, syntax: str, semantics: Semantics, summary: str, **more: Any
    ) -> Instruction:
        return vector_row(mnemonic, opcode, syntax, Unit.ADD, "move", semantics, summary, **more)

    yield move("mergev", 0x70, "vd=, va, vb", vector.mergev, "vd[k] = va[k] if mask[k] else vb[k]", mask="r")
    for mnemonic, opcode, syntax, of, what in (
        ("movv", 0x71, "vd=, va", vector.movv, "vd[k] = va[k]"),
        ("movvf", 0x72, "vd=, fa", vector.movvf, "vd[k] = fa"),
        ("movvx", 0x73, "vd=, xa", vector.movvx, "vd[k] = xa, 32 bits"),
    ):
        row = move(mnemonic, opcode, syntax, of(), what)
        yield from (row, under_mask(row, of(vector.active)))
    yield move("cvi", 0x74, "vd=, xa", vector.cvi, "vd[k] = k * xa, int32 (iota)")
    yield move("insf", 0x75, "vd=, fa, xi", vector.insf, "vd[xi] = fa (xi modulo s)", length=Length.ONE)
    what = "vd[xi] = xa, 32 bits (xi modulo s)"
    yield move("insx", 0x76, "vd=, xa, xi", vector.insx, what, length=Length.ONE)
    what = "vd[0], vd[1], ... = the elements of va where the mask is 1; the others stay"
    yield move("compressv", 0x7E, "vd+*, va", vector.compressv, what, mask="r")
    for mnemonic, opcode, counted, what in (
        ("popm", 0x7C, vector.popm, "xd = how many of the first vl bits of the mask are 1"),
        ("firstm", 0x7D, vector.firstm, "xd = the first element whose bit of the mask is 1, -1 for none"),
    ):
        of_mask = Unit.ADD, "sum", counted, what, Timing.REDUCTION
        yield vector_row(mnemonic, opcode, "xd=", *of_mask, mask="r")
    for mnemonic, opcode, syntax, semantics, what in (
        ("extf", 0x77, "fd=, va, xi", vector.extf, "fd = va[xi]"),
        ("extx", 0x78, "xd=, va, xi", vector.extx, "xd = va[xi], 32 bits"),
    ):
        how = Unit.SCALAR, Timing.EXTRACT, "extract", semantics, f"{what} (xi modulo s)", Length.ONE
        yield Instruction(mnemonic, opcode, syntax, *how)
