"""Whether a text uses the instructions on which its exercise insists, and for all of the work.

An instruction counts where it is executed. It must process every element of a case, and the results must come
from it: on a machine on which it computes something else, at least half of them must be wrong.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from isa.declaration import Instruction, InstructionSet
from isa.program import Program
from vecsim.engines.protocol import Run


def base_name(mnemonic: str) -> str:
    """Return a mnemonic without its type."""
    return mnemonic.partition(".")[0]


def elements_by_name(done: Run) -> dict[str, int]:
    """Return how many elements each instruction processed, by its mnemonic without the type."""
    found: dict[str, int] = {}
    for line in done.lines:
        name = base_name(line.mnemonic)
        found[name] = found.get(name, 0) + line.elements
    return found


def damaged(program: Program, name: str) -> Program:
    """Return a program for a machine on which all instructions of a name compute wrong values.

    Only the reference engine interprets it.
    """
    rows = tuple(
        _damaged_row(row) if base_name(row.mnemonic) == name else row
        for row in program.instruction_set.instructions
    )
    return replace(program, instruction_set=InstructionSet(rows))


def _damaged_row(row: Instruction) -> Instruction:
    """Return an instruction whose first result is wrong, or, where it accumulates, its values."""
    operands = row.operands
    written = [k for k, each in enumerate(operands) if each.kind == "v" and each.written and not each.read]
    read = [k for k, each in enumerate(operands) if each.name == "vv"]
    which, semantics = (written or read)[0], row.semantics
    return replace(row, semantics=_after(semantics, which) if written else _before(semantics, which))


def _after(semantics: Callable[..., Any], which: int) -> Callable[..., Any]:
    def execute(m: Any, n: int, *operands: int) -> Any:
        found = semantics(m, n, *operands)
        _damage(m, n, operands[which])
        return found

    return execute


def _before(semantics: Callable[..., Any], which: int) -> Callable[..., Any]:
    def execute(m: Any, n: int, *operands: int) -> Any:
        _damage(m, n, operands[which])
        return semantics(m, n, *operands)

    return execute


def _damage(m: Any, n: int, register: int) -> None:
    """Change n elements of a vector register, as floats; no whole number stays as it is."""
    begin = 2 * register * m.section
    for k in range(begin, begin + 2 * n, 2):
        m.vs[k] = 3 * m.vs[k] + 0.5
