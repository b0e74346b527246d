"""The kinds of instructions of a recorded program: unit, timing rule, access, and an event or not.

Registers, latencies and what follows are in the rows of the program, not here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from isa.declaration import Access, Instruction, InstructionSet, Length, Pattern, Timing, Unit
from vecsim.engines.recorded import events

_UNITS = {"add": Unit.ADD, "multiply": Unit.MULTIPLY}
_VALUE_BYTES = (1, 2, 4, 8)
_PATTERNS = {"unit": Pattern.CONTIGUOUS, "strided": Pattern.STRIDED, "listed": Pattern.LISTED}


def _row(
    mnemonic: str,
    unit: Unit,
    timing: Timing,
    semantics: Callable[..., Any],
    access: Access | None = None,
) -> Instruction:
    length = Length.NONE if unit == Unit.SCALAR else Length.VL
    return Instruction(mnemonic, 0, "", unit, timing, "", semantics, mnemonic, length, access)


def _scalar_rows() -> Iterator[Instruction]:
    yield _row("scalar", Unit.SCALAR, Timing.SCALAR, events.nothing)
    yield _row("halt", Unit.SCALAR, Timing.HALT, events.nothing)
    for name in ("branch", "jump"):
        yield _row(name, Unit.SCALAR, Timing.BRANCH, events.branch)
    for size in _VALUE_BYTES:
        for name, timing in (("load", Timing.SCALAR_LOAD), ("store", Timing.SCALAR_STORE)):
            access = Access(Pattern.CONTIGUOUS, name == "store", size)
            yield _row(f"{name}{8 * size}", Unit.SCALAR, timing, events.recorded, access)


def _vector_rows() -> Iterator[Instruction]:
    for name, unit in _UNITS.items():
        yield _row(name, unit, Timing.ELEMENTWISE, events.recorded)
        yield _row(f"{name}.to_scalar", unit, Timing.REDUCTION, events.recorded)
    yield _row("sparse", Unit.SPARSE, Timing.SPARSE, events.entries)
    for way, pattern in _PATTERNS.items():
        for size in _VALUE_BYTES:
            for name in ("load", "store"):
                access = Access(pattern, name == "store", size)
                kind = f"vector_{name}.{way}{8 * size}"
                yield _row(kind, Unit.MEMORY, Timing.ACCESS, events.recorded, access)


def _numbered(rows: list[Instruction]) -> Iterator[Instruction]:
    for opcode, row in enumerate(rows):
        yield Instruction(
            row.mnemonic,
            opcode,
            "",
            row.unit,
            row.timing,
            "",
            row.semantics,
            f"recorded: {row.mnemonic}",
            row.length,
            row.access,
        )


KINDS = InstructionSet(tuple(_numbered([*_scalar_rows(), *_vector_rows()])))
"""The kinds by name, such as ``scalar``, ``load32``, ``branch``, ``add``, ``multiply.to_scalar``,
``vector_load.listed64``."""
