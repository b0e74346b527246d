"""What Python and compiled code both name: the parts of the interpreter, and the functions that each has."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

from isa.riscv.declaration import Row, Timing
from isa.riscv.instructions import REVISIONS, ROWS, forgets

LOOP = "riscv_loop"
"""The part that executes scalar integer instructions and the system's itself; others it calls by address."""

RECORDING_LOOP = "riscv_recording_loop"
"""The same, which writes the record of a run for the timing rules."""

NOT_LOADED, NEW_NODE, RECORD_FULL = -1, -2, -3
"""What a loop returns in the place of a trap, before an instruction: its part is not loaded; how it is
recorded is not known; the record has no room for it."""
JUMPS = frozenset({Timing.BRANCH, Timing.JUMP})
"""Timing classes whose semantics return the address of the next instruction."""
_IN_LOOP = JUMPS | {
    Timing.SCALAR,
    Timing.MULTIPLY,
    Timing.DIVIDE,
    Timing.SCALAR_LOAD,
    Timing.SCALAR_STORE,
    Timing.CSR,
    Timing.SYSTEM,
}


def is_in_loop(row: Row) -> bool:
    """Return whether the loop has a row inside; it has none of a user's extension."""
    return row.timing in _IN_LOOP and row.extension not in REVISIONS


def part_of(row: Row) -> str:
    """Name the part that has a row: the loop, a user's extension, or the module of its semantics."""
    if is_in_loop(row):
        return LOOP
    if row.extension in REVISIONS:
        return f"riscv_{row.extension}_{REVISIONS[row.extension]}"
    module = row.semantics.__module__
    return f"riscv_{module.rpartition('.')[2]}"


@cache
def rows_of(part: str) -> dict[int, Row]:
    """Return the rows of a part by their numbers."""
    return {number: row for number, row in enumerate(ROWS) if part_of(row) == part}


def function_name(part: str, semantics: Callable[..., Any]) -> str:
    """Name the function that executes a family, in the object file of its part."""
    return f"family_{list(families_of(part)).index(id(semantics))}"


@cache
def families_of(part: str) -> dict[int, Callable[..., Any]]:
    """Return the semantics of a part, each once, by their identities in the order of their rows."""
    return {id(row.semantics): row.semantics for row in rows_of(part).values()}


forgets(rows_of.cache_clear)
forgets(families_of.cache_clear)
