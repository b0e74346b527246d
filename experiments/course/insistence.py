"""Whether a text uses the instructions on which its exercise insists, and for all of the work.

An instruction counts where it is executed. It must process every element of a case, and the results must come
from it: if it computes one element wrongly, anywhere, a result must be wrong; and if it computes all of them
wrongly, every result must be.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from experiments.course.workspace import Workspace
from isa.declaration import Instruction, InstructionSet
from isa.declared import DeclaredInstruction
from isa.instructions import BASE
from isa.program import Program
from vecsim.engines.result import Run
from vecsim.engines.running import run
from vecsim.support.errors import UserError

REFERENCE = "simpy"
"""The engine that interprets an instruction which computes something else."""
AGREEING = 3
"""This many more damaged elements must change a result than not, or the other way round."""
MOST_RUNS = 15
GARBAGE = (1e6, 2e6)
"""Between these are the wrong values of all elements, or between their negatives."""


def base_name(mnemonic: str) -> str:
    """Return a mnemonic without its type."""
    return mnemonic.partition(".")[0]


def can_be_needed(name: str) -> bool:
    """Return whether it can be found out that results come from instructions of a name, of any type."""
    rows = [row for row in BASE.instructions if base_name(row.mnemonic) == name]
    return all(_written(row) or _values(row) for row in rows)


def processed(name: str, done: Run) -> int:
    """Return how many elements all instructions of a name, of any type, processed."""
    return sum(line.elements for line in done.lines if base_name(line.mnemonic) == name)


def results_come_from(name: str, room: Workspace, done: Run, most: int, random: np.random.Generator) -> bool:
    """Return whether the results come from an instruction.

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
        damaged = _with_damage(done.program, name, _One(int(random.integers(count))))
        wrong = _wrong(damaged, room, done, most)
        balance += 1 if any(each.any() for each in wrong.values()) else -1
        if abs(balance) == AGREEING:
            break
    return balance > 0


def elsewhere(name: str, room: Workspace, done: Run, most: int, random: np.random.Generator) -> str:
    """Return the first result that does not come from an instruction, such as ``Z[3]``; empty if all do.

    All elements that the instruction computes are garbage: large, then large and negative, so that no choice
    of the larger or the smaller value hides it both times.

    Parameters
    ----------
    name, room, done, most, random
        As in `results_come_from`.
    """
    left = {key: needed.copy() for key, needed in room.worked.items()}
    for sign in (1, -1):
        damaged = _with_damage(done.program, name, _All(sign, random))
        for key, wrong in _wrong(damaged, room, done, most).items():
            left[key] &= ~wrong
    return next((f"{key}[{np.argmax(each)}]" for key, each in left.items() if each.any()), "")


def _wrong(program: Program, room: Workspace, done: Run, most: int) -> dict[str, npt.NDArray[np.bool_]]:
    """Run a program and return which results are wrong; all of them if it fails."""
    try:
        with np.errstate(all="ignore"):
            other = run(program, room.memory, done.machine, engine=REFERENCE, max_cycles=most)
    except UserError:
        return {key: np.ones(len(values), bool) for key, values in room.expected.items()}
    return room.wrong(other.state.memory)


class _Damage(Protocol):
    """Which elements an instruction computes wrongly, and what comes of them."""

    is_choice: bool
    """Whether an instruction that chooses by the mask chooses wrongly."""

    def places(self, n: int) -> range:
        """Return which of the next n elements are damaged."""

    def value(self, right: float) -> float:
        """Return what is in the place of a value."""


@dataclass
class _One:
    """One element among all that instructions of a name process."""

    left: int
    is_choice: bool = True

    def places(self, n: int) -> range:
        """Return it if it is one of the next n."""
        before, self.left = self.left, self.left - n
        return range(before, before + 1) if 0 <= before < n else range(0)

    def value(self, right: float) -> float:
        """Return another number; no whole number stays as it is."""
        return 3 * right + 0.5


@dataclass
class _All:
    """All elements: garbage of a sign."""

    sign: int
    random: np.random.Generator
    is_choice: bool = False

    def places(self, n: int) -> range:
        """Return all."""
        return range(n)

    def value(self, right: float) -> float:
        """Return garbage."""
        return self.sign * self.random.uniform(*GARBAGE)


def _with_damage(program: Program, name: str, damage: _Damage) -> Program:
    """Return a program whose instructions of a name compute elements wrongly."""
    rows = tuple(
        replace(row, semantics=_damaged(row, damage)) if base_name(row.mnemonic) == name else row
        for row in program.instruction_set.instructions
    )
    return replace(program, instruction_set=InstructionSet(rows))


def _written(row: Instruction) -> list[int]:
    """Return which operands are vectors that an instruction writes element by element.

    Of base instructions those that it does not read, too.
    """
    own = isinstance(row, DeclaredInstruction)
    return [
        k
        for k, each in enumerate(row.operands)
        if each.kind == "v" and each.written and (own or not each.read)
    ]


def _values(row: Instruction) -> list[int]:
    """Return which operands are vectors that an instruction stores."""
    return [k for k, each in enumerate(row.operands) if each.name == "vv"]


def _damaged(row: Instruction, damage: _Damage) -> Callable[..., Any]:
    """Return semantics that choose wrongly, load or compute a wrong result, or take a wrong value."""
    semantics, written, values = row.semantics, _written(row), _values(row)

    def choosing(m: Any, n: int, *fields: int) -> Any:
        places = damage.places(n)
        for k in places:
            m.mask[k] ^= 1
        match = semantics(m, n, *fields)
        for k in places:
            m.mask[k] ^= 1
        return match

    def computing(m: Any, n: int, *fields: int) -> Any:
        match = semantics(m, n, *fields)
        _change(m, damage, damage.places(n), fields[written[0]])
        return match

    def taking(m: Any, n: int, *fields: int) -> Any:
        _change(m, damage, damage.places(n), fields[values[0]])
        return semantics(m, n, *fields)

    return choosing if row.mask == "r" and damage.is_choice else computing if written else taking


def _change(m: Any, damage: _Damage, places: range, register: int) -> None:
    """Change elements of a vector register, as floats."""
    for element in places:
        k = 2 * (register * m.section + element)
        m.vs[k] = damage.value(m.vs[k])
