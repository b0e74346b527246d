"""Rows of vector operations beside add, subtract and multiply.

Divide, square root, minimum and maximum, absolute value, logic and shifts, conversions.
"""

from __future__ import annotations

from collections.abc import Iterator

from isa.declaration import Instruction, Unit
from isa.rows.forms import vector_row
from isa.semantics import elementwise

TYPES = (("w", "int32"), ("s", "float32"), ("d", "float64"))
FLOATS = TYPES[1:]


def _one(
    name: str, opcode: int, suffix: str, unit: Unit, latency: str, summary: str, syntax: str = "vd=, va"
) -> Instruction:
    semantics = getattr(elementwise, f"{name}_{suffix.replace('.', '_')}")
    return vector_row(f"{name}.{suffix}", opcode, syntax, unit, latency, semantics, summary)


def _divisions() -> Iterator[Instruction]:
    """Divide and square root: the multiply unit does them, pipelined, with a latency of their own."""
    for offset, (suffix, kind) in enumerate(FLOATS):
        for name, opcode, syntax, what in (
            ("divvv", 0xAA, "vd=, va, vb", "vd[k] = va[k] / vb[k]"),
            ("divvs", 0xAC, "vd=, va, fb", "vd[k] = va[k] / fb"),
            ("divsv", 0xAE, "vd=, va, fb", "vd[k] = fb / va[k]"),
            ("sqrtv", 0x9C, "vd=, va", "vd[k] = square root of va[k]"),
        ):
            summary = f"{what}, {kind}"
            yield _one(name, opcode + offset, suffix, Unit.MULTIPLY, "divide", summary, syntax)


def _comparisons() -> Iterator[Instruction]:
    for offset, (suffix, kind) in enumerate(TYPES):
        scalar = "xb" if suffix == "w" else "fb"
        nan = "" if suffix == "w" else ", NaN if either is, -0 below 0"
        for name, opcode, which in (("min", 0x90, "lesser"), ("max", 0x96, "greater")):
            for form, step, b in (("vv", 0, "vb"), ("vs", 3, scalar)):
                told = "vb[k]" if form == "vv" else b
                summary = f"vd[k] = the {which} of va[k] and {told}{nan}, {kind}"
                syntax = f"vd=, va, {b}"
                yield _one(name + form, opcode + step + offset, suffix, Unit.ADD, "add", summary, syntax)
        yield _one("absv", 0x79 + offset, suffix, Unit.ADD, "move", f"vd[k] = |va[k]|, {kind}")


def _words() -> Iterator[Instruction]:
    for place, (name, what) in enumerate(
        (
            ("and", "va[k] and {b}, bit by bit"),
            ("or", "va[k] or {b}, bit by bit"),
            ("xor", "va[k] exclusive-or {b}, bit by bit"),
            ("sll", "va[k] shifted left by {b} (low 5 bits)"),
            ("srl", "va[k] shifted right by {b}, zeros come in"),
            ("sra", "va[k] shifted right by {b}, the sign comes in"),
        )
    ):
        for step, (form, b, told) in enumerate((("vv", "vb", "vb[k]"), ("vs", "xb", "xb"))):
            summary = f"vd[k] = {what.format(b=told)}, 32 bits"
            opcode = 0xD2 + 2 * place + step
            yield _one(name + form, opcode, "w", Unit.ADD, "move", summary, f"vd=, va, {b}")


def _conversions() -> Iterator[Instruction]:
    for offset, (suffix, what) in enumerate(
        (
            ("s.w", "int32 as float32"),
            ("d.w", "int32 as float64"),
            ("w.s", "float32 as int32, rounded towards zero; the nearest that there is"),
            ("w.d", "float64 as int32, rounded towards zero; the nearest that there is"),
            ("s.d", "float64 as float32"),
            ("d.s", "float32 as float64"),
        )
    ):
        yield _one("cvtv", 0xB8 + offset, suffix, Unit.ADD, "add", f"vd[k] = va[k], {what}")


def rows() -> Iterator[Instruction]:
    """Give the rows."""
    yield from _divisions()
    yield from _comparisons()
    yield from _words()
    yield from _conversions()
