"""When an element may start, and what it leaves behind (docs/timing.md, "Chaining", "WAR and WAW hazards").

An element has an operand cycle (RAW: from which all that it reads is ready) and a hazard cycle (WAR, WAW:
from which it may be written); both are known once every older instruction in flight has started the same
element.
"""

from __future__ import annotations

from typing import Any

from vecsim.engines.columns import instruction, parameter
from vecsim.engines.rules.numbers import larger


def whole_register(r: Any, v: Any) -> Any:
    """Give the cycle from which all of a register is ready: what was written, and what was left as it was."""
    return larger(r.ready_all[v], r.ready_behind[v])


def whole_operand(r: Any, i: Any, slice_: Any) -> Any:
    """Give the cycle from which all is ready that must be complete before the first element."""
    cycle = 0
    for j in range(i + instruction.WHOLE_READS + 1, list_end(r, i + instruction.WHOLE_READS)):
        cycle = larger(cycle, whole_register(r, r.program[j]))
    v = r.program[i + instruction.ACCUMULATOR]
    if v >= 0:
        cycle = larger(cycle, larger(r.ready_accumulator[v], r.ready_behind[v]))
    if slice_ >= 0:
        cycle = larger(cycle, r.slice_accumulator[slice_])
    return cycle


def whole_hazard(r: Any, i: Any, slice_: Any) -> Any:
    """Give the cycle from which what is written as a whole may be overwritten (WAR, WAW)."""
    cycle = 0
    for j in range(i + instruction.WHOLE_WRITES + 1, list_end(r, i + instruction.WHOLE_WRITES)):
        v = r.program[j]
        cycle = larger(cycle, larger(r.ready_all[v], r.taken_all[v] + 1))
    v = r.program[i + instruction.ACCUMULATOR]
    if v >= 0:
        cycle = larger(cycle, r.taken_all[v] + 1)
    if slice_ >= 0:
        cycle = larger(cycle, r.slice_taken[slice_] + 1)
    return cycle


def clear_from(r: Any, i: Any) -> Any:
    """Give the cycle from which every element that passes by itself is free, if it waits for nobody."""
    cycle = 0
    for j in range(i + instruction.READS + 1, list_end(r, i + instruction.READS)):
        cycle = larger(cycle, r.ready_all[r.program[j]])
    for j in range(i + instruction.WRITES + 1, list_end(r, i + instruction.WRITES)):
        v = r.program[j]
        cycle = larger(cycle, larger(r.ready_all[v], r.taken_all[v] + 1))
    return cycle


def element_operand(r: Any, i: Any, element: Any) -> Any:
    """Give the cycle from which all that an element reads is ready (RAW)."""
    cycle, s = 0, r.machine[parameter.SECTION_SIZE]
    for j in range(i + instruction.READS + 1, list_end(r, i + instruction.READS)):
        cycle = larger(cycle, r.ready[r.program[j] * s + element])
    return cycle


def element_hazard(r: Any, i: Any, element: Any) -> Any:
    """Give the cycle from which an element may be overwritten (WAR, WAW)."""
    cycle, s = 0, r.machine[parameter.SECTION_SIZE]
    for j in range(i + instruction.WRITES + 1, list_end(r, i + instruction.WRITES)):
        at = r.program[j] * s + element
        cycle = larger(cycle, larger(r.ready[at], r.taken[at] + 1))
    return cycle


def pass_elements(r: Any, i: Any, begin: Any, end: Any, cycle: Any, ready: Any) -> None:
    """Note that elements were taken in ``cycle`` and what they write is ready from ``ready`` on.

    Parameters
    ----------
    begin, end
        The first of the elements, and the one after the last.
    cycle
        The cycle in which they start.
    ready
        The cycle from which their results are ready.
    """
    s = r.machine[parameter.SECTION_SIZE]
    for j in range(i + instruction.READS + 1, list_end(r, i + instruction.READS)):
        v = r.program[j] * s
        raise_all(r.taken, v + begin, v + end, cycle)
    for j in range(i + instruction.WRITES + 1, list_end(r, i + instruction.WRITES)):
        v = r.program[j] * s
        _fill(r.ready, v + begin, v + end, ready)


def complete(r: Any, i: Any, last: Any, result: Any) -> None:
    """Note what the last element of an instruction, which starts in ``last``, completes at ``result``."""
    s = r.machine[parameter.SECTION_SIZE]
    for j in range(i + instruction.WHOLE_READS + 1, list_end(r, i + instruction.WHOLE_READS)):
        v = r.program[j]
        raise_all(r.taken, v * s, (v + 1) * s, last)
        r.taken_all[v] = larger(r.taken_all[v], last)
    for j in range(i + instruction.WHOLE_WRITES + 1, list_end(r, i + instruction.WHOLE_WRITES)):
        v = r.program[j]
        _fill(r.ready, v * s, (v + 1) * s, result)
        r.ready_all[v] = larger(r.ready_all[v], result)
        r.ready_accumulator[v] = larger(r.ready_accumulator[v], result)
    v = r.program[i + instruction.ACCUMULATOR]
    if v >= 0:
        _fill(r.ready, v * s, (v + 1) * s, result)
        r.ready_all[v] = larger(r.ready_all[v], result)
    for j in range(i + instruction.READS + 1, list_end(r, i + instruction.READS)):
        v = r.program[j]
        r.taken_all[v] = larger(r.taken_all[v], last)
    for j in range(i + instruction.WRITES + 1, list_end(r, i + instruction.WRITES)):
        v = r.program[j]
        r.ready_all[v] = larger(r.ready_all[v], result)
        r.ready_accumulator[v] = larger(r.ready_accumulator[v], result)


def list_end(r: Any, column: Any) -> Any:
    """Give the end of the list of registers whose length is at ``column`` of the program."""
    return column + 1 + r.program[column]


def raise_all(cycles: Any, begin: Any, end: Any, cycle: Any) -> None:
    """Let places of an array hold at least this cycle.

    Parameters
    ----------
    cycles
        The array.
    begin, end
        The first place, and the one behind the last.
    cycle
        The cycle.
    """
    for at in range(begin, end):
        cycles[at] = larger(cycles[at], cycle)


def _fill(cycles: Any, begin: Any, end: Any, cycle: Any) -> None:
    for at in range(begin, end):
        cycles[at] = cycle
