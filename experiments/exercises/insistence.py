"""Whether a text uses the instructions on which its exercise insists, and for all of the work.

An instruction counts where it is executed. It must process every element of a case, and the results must come
from it: if it computes one element wrongly, anywhere, a result must be wrong.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from experiments.exercises.workspace import Workspace
from isa.declaration import Instruction, InstructionSet
from isa.program import Program
from vecsim.engines.protocol import Run, run
from vecsim.errors import UserError

REFERENCE = "simpy"
"""The engine that interprets an instruction which computes something else."""
AGREEING = 3
"""So many more damaged elements must change a result than not, or the other way round."""
MOST_RUNS = 15


def base_name(mnemonic: str) -> str:
    """Return a mnemonic without its type."""
    return mnemonic.partition(".")[0]


def processed(name: str, done: Run) -> int:
    """Return how many elements all instructions of a name, of any type, processed."""
    return sum(line.elements for line in done.lines if base_name(line.mnemonic) == name)


def results_come_from(name: str, room: Workspace, done: Run, most: int, random: np.random.Generator) -> bool:
    """Say whether the results come from an instruction.

    Most elements that it processes must count: a text may waste some, and may look whether the instruction
    works, so that a few elements say little.

    Parameters
    ----------
    name
        The mnemonic, without its type.
    room, done
        The case, and a run that was right.
    most
        Cycles of a run.
    random
        Draws elements.
    """
    count, balance = processed(name, done), 0
    for _ in range(MOST_RUNS):
        damaged = _with_damage(done.program, name, int(random.integers(count)))
        balance += 1 if _is_wrong(damaged, room, done, most) else -1
        if abs(balance) == AGREEING:
            break
    return balance > 0


def _is_wrong(program: Program, room: Workspace, done: Run, most: int) -> bool:
    """Run a program and say whether it fails, or a result is wrong."""
    try:
        with np.errstate(all="ignore"):
            other = run(program, room.memory, done.machine, engine=REFERENCE, max_cycles=most)
    except UserError:
        return True
    return room.first_wrong(other.state.memory) is not None


@dataclass
class _Damage:
    """Finds one element among all that instructions of a name process."""

    left: int

    def place(self, n: int) -> int | None:
        """Return the element if it is one of the next n."""
        before, self.left = self.left, self.left - n
        return before if 0 <= before < n else None


def _with_damage(program: Program, name: str, element: int) -> Program:
    """Return a program whose instructions of a name compute one element wrongly."""
    damage = _Damage(element)
    rows = tuple(
        replace(row, semantics=_damaged(row, damage)) if base_name(row.mnemonic) == name else row
        for row in program.instruction_set.instructions
    )
    return replace(program, instruction_set=InstructionSet(rows))


def _damaged(row: Instruction, damage: _Damage) -> Callable[..., Any]:
    """Return semantics that choose wrongly, load or compute a wrong result, or take a wrong value."""
    operands, semantics = row.operands, row.semantics
    written = [k for k, each in enumerate(operands) if each.kind == "v" and each.written and not each.read]
    values = [k for k, each in enumerate(operands) if each.name == "vv"]

    def choosing(m: Any, n: int, *fields: int) -> Any:
        k = damage.place(n)
        if k is not None:
            m.mask[k] ^= 1
        found = semantics(m, n, *fields)
        if k is not None:
            m.mask[k] ^= 1
        return found

    def computing(m: Any, n: int, *fields: int) -> Any:
        found = semantics(m, n, *fields)
        _change(m, damage.place(n), fields[written[0]])
        return found

    def taking(m: Any, n: int, *fields: int) -> Any:
        _change(m, damage.place(n), fields[values[0]])
        return semantics(m, n, *fields)

    return choosing if row.mask == "r" else computing if written else taking


def _change(m: Any, element: int | None, register: int) -> None:
    """Change an element of a vector register, as a float; no whole number stays as it is."""
    if element is not None:
        k = 2 * (register * m.section + element)
        m.vs[k] = 3 * m.vs[k] + 0.5
