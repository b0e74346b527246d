"""Exercises on designing an instruction: what a text declares, and whether its numbers hold."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from experiments.course.exercise import CyclesOn, Exercise, Finished, Measured
from experiments.course.insistence import base_name
from isa.declared import DeclaredInstruction
from isa.program import Program
from vecsim.machine import WORD_BYTES
from vecsim.support.suggestions import counted


def own_instructions(program: Program) -> tuple[DeclaredInstruction, ...]:
    """Return the instructions that a text declares."""
    rows = program.instruction_set.instructions
    return tuple(row for row in rows if isinstance(row, DeclaredInstruction))


def needed(exercise: Exercise, program: Program) -> tuple[str, ...]:
    """Return which instructions must process every element, without what follows their dot."""
    return (*exercise.needed, *(base_name(row.mnemonic) for row in own_instructions(program)))


def refused(exercise: Exercise, program: Program) -> str:
    """Return why the design of a text is none that its exercise takes; empty if it is one."""
    design, own = exercise.design, own_instructions(program)
    if design is None:
        return ""
    if not own:
        return 'declares no instruction; write .instruction "NAME.s vd=, va, vb", "rule"'
    used = {program.instruction(pc).mnemonic for pc in range(len(program))}
    for row in own:
        if row.mnemonic not in used:
            return f"{row.mnemonic} is declared and not used; leave it out"
    total = sum(row.cost for row in own)
    if total > design.most:
        parts = " and ".join(f"{row.mnemonic} {row.cost}" for row in own)
        return f"{counted(len(own), 'instruction')} of cost {total} ({parts}); at most {design.most}"
    return ""


def false_claims(exercise: Exercise, program: Program, done: Sequence[Finished], cycles_on: CyclesOn) -> str:
    """Return which number of a text is not what is measured; empty if all are.

    Parameters
    ----------
    exercise, program
        The exercise, and the text as it was assembled for the last case.
    done
        The runs of the two last cases.
    cycles_on
        Returns the cycles of the last case on a changed machine.
    """
    return next(_false(exercise, program, done, cycles_on), "")


def _false(
    exercise: Exercise, program: Program, done: Sequence[Finished], cycles_on: CyclesOn
) -> Iterator[str]:
    for claim in exercise.design.claims if exercise.design else ():
        stated = program.symbols.get(claim.symbol)
        if stated is None:
            yield f"{claim.symbol} is missing: write .equ {claim.symbol}, and {claim.what}"
        elif abs(stated - claim.measure(done, cycles_on)) > claim.tolerance:
            yield f"{claim.symbol} is {stated}, which is not what is measured: {claim.what}"


def rate(done: Sequence[Finished], cycles_on: CyclesOn) -> float:
    """Return the cycles that 100 more elements take, from the two last cases."""
    before, last = done
    return 100 * (last.run.cycles - before.run.cycles) / (last.work - before.work)


def transfer(done: Sequence[Finished], cycles_on: CyclesOn) -> float:
    """Return the least cycles in which a memory port moves what 100 elements need."""
    last = done[-1]
    return 100 * last.run.bytes_moved / (WORD_BYTES * last.run.machine.words_per_cycle * last.work)


def saved(change: str) -> Measured:
    """Return what measures how many percent of the cycles of the last case a change of the machine saves."""

    def measure(done: Sequence[Finished], cycles_on: CyclesOn) -> float:
        before = done[-1].run.cycles
        return 100 * (before - cycles_on(change)) / before

    return measure
