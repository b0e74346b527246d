"""The forms that rows of the instruction table have: what instructions of one kind have in common."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from isa.declaration import UNDER_MASK, Access, Instruction, Length, Pattern, Record, Timing, Unit

Semantics = Callable[..., Any]

TYPES = (("w", "int32"), ("s", "float32"), ("d", "float64"))
"""Suffixes of element types, with their names."""
FLOATS = TYPES[1:]
NARROW = (("b", "byte"), ("bu", "unsigned byte"), ("h", "16-bit half word"), ("hu", "unsigned half word"))
"""Suffixes of narrow loads, with what they read."""
NARROW_STORED = (NARROW[0], NARROW[2])


def scalar_row(
    mnemonic: str,
    opcode: int,
    syntax: str,
    semantics: Semantics,
    summary: str,
    latency: str = "integer",
    **more: Any,
) -> Instruction:
    """A scalar instruction without a branch or an access."""
    return Instruction(
        mnemonic, opcode, syntax, Unit.SCALAR, Timing.SCALAR, latency, semantics, summary, **more
    )


def branch_row(mnemonic: str, opcode: int, syntax: str, semantics: Semantics, summary: str) -> Instruction:
    """A branch or a jump."""
    return Instruction(mnemonic, opcode, syntax, Unit.SCALAR, Timing.BRANCH, "integer", semantics, summary)


def word_row(
    mnemonic: str, opcode: int, syntax: str, semantics: Semantics, summary: str, value_bytes: int = 4
) -> Instruction:
    """A scalar load (its register is written) or store."""
    store = "=" not in syntax
    timing, latency = (Timing.SCALAR_STORE, "integer") if store else (Timing.SCALAR_LOAD, "")
    access = Access(Pattern.CONTIGUOUS, store, value_bytes)
    return Instruction(
        mnemonic, opcode, syntax, Unit.SCALAR, timing, latency, semantics, summary, Length.ONE, access
    )


def vector_row(
    mnemonic: str,
    opcode: int,
    syntax: str,
    unit: Unit,
    latency: str,
    semantics: Semantics,
    summary: str,
    timing: Timing = Timing.ELEMENTWISE,
    length: Length = Length.VL,
    **more: Any,
) -> Instruction:
    """A vector instruction of an arithmetic unit."""
    reads = ("vl",) if length == Length.VL else ()
    return Instruction(
        mnemonic, opcode, syntax, unit, timing, latency, semantics, summary, length, reads=reads, **more
    )


def access_row(
    mnemonic: str,
    opcode: int,
    syntax: str,
    pattern: Pattern,
    value_bytes: int,
    semantics: Semantics,
    summary: str,
    length: Length = Length.VL,
    record: Record = Record.PLAIN,
    **more: Any,
) -> Instruction:
    """A vector load (its register is written) or store, or one of the vector cache."""
    store = "=" not in syntax
    cache = length == Length.COUNT
    if cache:
        store = mnemonic.startswith("st")
    reads = ("vl",) if length == Length.VL else ("blocklen",) if length == Length.BLOCK else ()
    access = Access(pattern, store, value_bytes, record, cache)
    how = Unit.MEMORY, Timing.ACCESS, "", semantics, summary, length, access
    return Instruction(mnemonic, opcode, syntax, *how, reads=reads, **more)


def under_mask(row: Instruction, semantics: Semantics, **changes: Any) -> Instruction:
    """Return an instruction as it is under mask: ``addvvm.s`` of ``addvv.s``.

    It reads the register that it writes: where the mask is 0 the elements stay.

    Parameters
    ----------
    row
        The instruction that works on all elements.
    semantics
        What it does under mask.
    changes
        Other attributes that differ.
    """
    stem, dot, suffix = row.mnemonic.partition(".")
    changes = {
        "opcode": row.opcode + UNDER_MASK,
        "syntax": row.syntax.replace("vd=", "vd+"),
        "mask": "m" + row.mask,
        **changes,
    }
    row = replace(row, mnemonic=f"{stem}m{dot}{suffix}", semantics=semantics, **changes)
    return replace(row, summary=f"where the mask is 1: {row.summary}")


def sparse_row(
    mnemonic: str, opcode: int, syntax: str, semantics: Semantics, summary: str, slice_operand: str = ""
) -> Instruction:
    """An instruction of the sparse unit, which forwards its sums."""
    more: dict[str, Any] = {"reads": ("vl",), "accumulates": True, "slice_operand": slice_operand}
    return Instruction(
        mnemonic, opcode, syntax, Unit.SPARSE, Timing.SPARSE, "", semantics, summary, Length.VL, **more
    )
