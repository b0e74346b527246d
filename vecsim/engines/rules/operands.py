"""When an element may start, and what it leaves after (docs/timing.md, "Chaining", "WAR and WAW hazards").

An element has an operand cycle (RAW: from which all that it reads is ready) and a hazard cycle (WAR, WAW:
from which it may be written). Both are known once every older instruction in flight has started the same
element.
"""

from __future__ import annotations

from vecsim.engines.rules.numbers import larger
from vecsim.engines.state.instruction import Instruction
from vecsim.engines.state.registers import VectorRegister
from vecsim.engines.state.run import Run


def whole_register(register: VectorRegister) -> int:
    """Return the cycle from which all of a register is ready, also what was left as it was ("Renaming")."""
    return larger(register.ready_at, register.kept_ready_at)


def free_to_overwrite(register: VectorRegister, overlap: int) -> int:
    """Return the cycle from which all of a register may be overwritten ("WAR and WAW hazards").

    Parameters
    ----------
    overlap
        How many cycles before it is ready.
    """
    return larger(register.ready_at - overlap, register.taken_at + 1)


def whole_operand(r: Run, instruction: Instruction, slice_: int) -> int:
    """Return the cycle from which what must be complete before the first element is ready ("Chaining")."""
    cycle = 0
    for v in instruction.whole_reads:
        cycle = larger(cycle, whole_register(r.vectors[v]))
    for v in instruction.accumulators:
        register = r.vectors[v]
        cycle = larger(cycle, larger(register.ready_without_sums, register.kept_ready_at))
    if slice_ >= 0:
        cycle = larger(cycle, r.slices[slice_].ready_without_sums)
    return cycle


def whole_hazard(r: Run, instruction: Instruction, slice_: int) -> int:
    """Return the cycle from which what is written as a whole may be ("WAR and WAW hazards")."""
    cycle = 0
    for v in instruction.whole_writes:
        cycle = larger(cycle, free_to_overwrite(r.vectors[v], instruction.overlap))
    for v in instruction.accumulators:
        cycle = larger(cycle, r.vectors[v].taken_at + 1)
    if slice_ >= 0:
        cycle = larger(cycle, r.slices[slice_].taken_at + 1)
    return cycle


def clear_from(r: Run, instruction: Instruction) -> int:
    """Return the cycle from which no element that passes by itself waits for a register ("Chaining")."""
    cycle = 0
    for v in instruction.reads:
        cycle = larger(cycle, r.vectors[v].ready_at)
    for v in instruction.writes:
        cycle = larger(cycle, free_to_overwrite(r.vectors[v], instruction.overlap))
    return cycle


def element_operand(r: Run, instruction: Instruction, element: int) -> int:
    """Return the cycle from which all that an element reads is ready: RAW ("Chaining")."""
    cycle = 0
    for v in instruction.reads:
        cycle = larger(cycle, r.ready[v][element])
    return cycle


def element_hazard(r: Run, instruction: Instruction, element: int) -> int:
    """Return the cycle from which an element may be overwritten: WAR, WAW ("WAR and WAW hazards")."""
    cycle = 0
    for v in instruction.writes:
        cycle = larger(cycle, larger(r.ready[v][element] - instruction.overlap, r.taken[v][element] + 1))
    return cycle


def pass_elements(r: Run, instruction: Instruction, begin: int, end: int, cycle: int, ready: int) -> None:
    """Note that elements start in ``cycle``, and from when what they write is ready ("Chaining").

    Parameters
    ----------
    begin, end
        The first of the elements, and the one after the last.
    ready
        The cycle from which their results are ready.
    """
    for v in instruction.reads:
        raise_all(r.taken[v], begin, end, cycle)
    for v in instruction.writes:
        _fill(r.ready[v], begin, end, ready)


def complete(r: Run, instruction: Instruction, last: int, result: int) -> None:
    """Note what the last element, which starts in ``last``, completes at ``result`` ("Chaining")."""
    s = r.machine.section_size
    for v in instruction.whole_reads:
        raise_all(r.taken[v], 0, s, last)
        _take_all(r.vectors[v], last)
    for v in instruction.whole_writes:
        _fill(r.ready[v], 0, s, result)
        _complete_register(r.vectors[v], result)
    for v in instruction.accumulators:
        raise_all(r.ready[v], 0, s, result)
        register = r.vectors[v]
        register.ready_at = larger(register.ready_at, result)
    for v in instruction.reads:
        _take_all(r.vectors[v], last)
    for v in instruction.writes:
        _complete_register(r.vectors[v], result)


def _take_all(register: VectorRegister, last: int) -> None:
    """Note that elements of a register are taken up to ``last`` ("WAR and WAW hazards")."""
    register.taken_at = larger(register.taken_at, last)


def _complete_register(register: VectorRegister, result: int) -> None:
    """Note that all elements of a register are ready from ``result`` on ("Chaining")."""
    register.ready_at = larger(register.ready_at, result)
    register.ready_without_sums = larger(register.ready_without_sums, result)


def raise_all(cycles: list[int], begin: int, end: int, cycle: int) -> None:
    """Raise elements ``begin`` to ``end`` of an array to at least a cycle ("WAR and WAW hazards").

    Parameters
    ----------
    cycles
        The array.
    begin, end
        The first of the elements, and the one after the last.
    """
    for k in range(begin, end):
        cycles[k] = larger(cycles[k], cycle)


def _fill(cycles: list[int], begin: int, end: int, cycle: int) -> None:
    """Set the elements of an array from ``begin`` to ``end`` to a cycle ("Chaining")."""
    for k in range(begin, end):
        cycles[k] = cycle
