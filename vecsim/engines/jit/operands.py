"""Registers that pass as a whole, and what an instruction leaves behind when it completes.

``r`` is the record, ``code`` the program table, ``i`` where the instruction's row begins. What a whole
operand does to all elements of a register is kept as one number a register, a lower bound of the cycles of
its elements (``Scratch.ready_bound`` and ``taken_bound``), until :func:`write_bounds` writes it into the
record.
See docs/timing.md, "Chaining" and "Hazards".
"""

from __future__ import annotations

from typing import Any

from vecsim.engines.columns import instruction, parameter
from vecsim.engines.jit.functions import inline
from vecsim.engines.jit.integers import larger, raised
from vecsim.engines.jit.tracks import give, ready_at, take, taken_at, write_ready_track, write_tracks


@inline
def whole_operand(r: Any, code: Any, i: Any) -> Any:
    """From when all is ready that must be complete before the first element."""
    cycle = 0
    for j in range(code[i + instruction.WHOLE_READS]):
        cycle = larger(cycle, r.ready_all[code[i + instruction.WHOLE_READS + 1 + j]])
    v = code[i + instruction.ACCUMULATOR]
    if v >= 0:
        cycle = larger(cycle, r.ready_accumulator[v])
    return cycle


@inline
def whole_hazard(r: Any, code: Any, i: Any) -> Any:
    """From when what is written as a whole may be overwritten (WAR, WAW)."""
    cycle = 0
    for j in range(code[i + instruction.WHOLE_WRITES]):
        v = code[i + instruction.WHOLE_WRITES + 1 + j]
        cycle = larger(cycle, larger(r.ready_all[v], r.taken_all[v] + 1))
    v = code[i + instruction.ACCUMULATOR]
    if v >= 0:
        cycle = larger(cycle, r.taken_all[v] + 1)
    return cycle


@inline
def operand_clear(r: Any, code: Any, i: Any) -> Any:
    """From when every element is ready of what is read element by element."""
    cycle = 0
    v = code[i + instruction.READS + 1]
    if v >= 0:
        cycle = r.ready_all[v]
        v = code[i + instruction.READS + 2]
        if v >= 0:
            cycle = larger(cycle, r.ready_all[v])
            v = code[i + instruction.READS + 3]
            if v >= 0:
                cycle = larger(cycle, r.ready_all[v])
    return cycle


@inline
def hazard_clear(r: Any, code: Any, i: Any) -> Any:
    """From when every element of what is written element by element may be overwritten (WAR, WAW)."""
    cycle = 0
    v = code[i + instruction.WRITES + 1]
    if v >= 0:
        cycle = larger(r.ready_all[v], r.taken_all[v] + 1)
        v = code[i + instruction.WRITES + 2]
        if v >= 0:
            cycle = larger(cycle, larger(r.ready_all[v], r.taken_all[v] + 1))
    return cycle


@inline
def element_operand(r: Any, scratch: Any, code: Any, i: Any, s: Any, element: Any) -> Any:
    """From when all that an element reads is ready (RAW)."""
    cycle = 0
    v = code[i + instruction.READS + 1]
    if v >= 0:
        cycle = ready_at(r, scratch, v, s, element)
        v = code[i + instruction.READS + 2]
        if v >= 0:
            cycle = larger(cycle, ready_at(r, scratch, v, s, element))
            v = code[i + instruction.READS + 3]
            if v >= 0:
                cycle = larger(cycle, ready_at(r, scratch, v, s, element))
    return cycle


@inline
def element_hazard(r: Any, scratch: Any, code: Any, i: Any, s: Any, element: Any) -> Any:
    """From when an element may be overwritten (WAR, WAW)."""
    cycle = 0
    for j in range(1, 3):
        v = code[i + instruction.WRITES + j]
        if v >= 0:
            taken = taken_at(r, scratch, v, s, element)
            cycle = larger(cycle, larger(ready_at(r, scratch, v, s, element), taken + 1))
    return cycle


@inline
def pass_one(
    w: Any, r: Any, scratch: Any, code: Any, i: Any, s: Any, element: Any, cycle: Any, ready: Any
) -> None:
    """Note that the one element of an instruction passes in ``cycle``; what it writes is ready later.

    Parameters
    ----------
    cycle
        The cycle in which the element starts.
    ready
        The cycle from which its result is ready.
    """
    for j in range(1, 4):
        v = code[i + instruction.READS + j]
        if v >= 0:
            r.taken[v * s + element] = raised(r.taken[v * s + element], cycle)
    for j in range(1, 3):
        v = code[i + instruction.WRITES + j]
        if v >= 0:
            if scratch.ready_track[v] >= 0:
                write_ready_track(w, v)
            r.ready[v * s + element] = ready


@inline
def pass_elements(w: Any, scratch: Any, code: Any, i: Any, n: Any, track: Any, add: Any, later: Any) -> None:
    """Note that n elements pass in the cycles of a track and ``add``, and what they write is ready later.

    Parameters
    ----------
    later
        How many cycles after its start the result of an element is ready.
    """
    v = code[i + instruction.READS + 1]
    if v >= 0:
        take(w, scratch, v, track, add, n)
        v = code[i + instruction.READS + 2]
        if v >= 0:
            take(w, scratch, v, track, add, n)
            v = code[i + instruction.READS + 3]
            if v >= 0:
                take(w, scratch, v, track, add, n)
    v = code[i + instruction.WRITES + 1]
    if v >= 0:
        give(w, scratch, v, track, add + later, n)
        v = code[i + instruction.WRITES + 2]
        if v >= 0:
            give(w, scratch, v, track, add + later, n)


@inline
def write_operand_tracks(w: Any, code: Any, i: Any) -> None:
    """Write into the record the tracks of the registers that pass element by element."""
    for j in range(1, 4):
        if code[i + instruction.READS + j] >= 0:
            write_tracks(w, code[i + instruction.READS + j])
    for j in range(1, 3):
        if code[i + instruction.WRITES + j] >= 0:
            write_tracks(w, code[i + instruction.WRITES + j])


@inline
def _complete_whole(r: Any, scratch: Any, code: Any, i: Any, last: Any, result: Any) -> None:
    for j in range(code[i + instruction.WHOLE_READS]):
        v = code[i + instruction.WHOLE_READS + 1 + j]
        scratch.taken_bound[v] = larger(scratch.taken_bound[v], last)
        r.taken_all[v] = larger(r.taken_all[v], last)
    for j in range(code[i + instruction.WHOLE_WRITES]):
        v = code[i + instruction.WHOLE_WRITES + 1 + j]
        scratch.ready_bound[v] = larger(scratch.ready_bound[v], result)
        r.ready_all[v] = larger(r.ready_all[v], result)
        r.ready_accumulator[v] = larger(r.ready_accumulator[v], result)
    v = code[i + instruction.ACCUMULATOR]
    if v >= 0:
        scratch.ready_bound[v] = larger(scratch.ready_bound[v], result)
        r.ready_all[v] = larger(r.ready_all[v], result)
    for j in range(code[i + instruction.LATE]):
        r.scalar_ready[code[i + instruction.LATE + 1 + j]] = result


@inline
def complete(r: Any, scratch: Any, code: Any, i: Any, last: Any, result: Any) -> None:
    """Note what the last element, which starts in ``last``, completes at ``result``."""
    v = code[i + instruction.READS + 1]
    if v >= 0:
        r.taken_all[v] = larger(r.taken_all[v], last)
        v = code[i + instruction.READS + 2]
        if v >= 0:
            r.taken_all[v] = larger(r.taken_all[v], last)
            v = code[i + instruction.READS + 3]
            if v >= 0:
                r.taken_all[v] = larger(r.taken_all[v], last)
    v = code[i + instruction.WRITES + 1]
    if v >= 0:
        r.ready_all[v] = larger(r.ready_all[v], result)
        r.ready_accumulator[v] = larger(r.ready_accumulator[v], result)
        v = code[i + instruction.WRITES + 2]
        if v >= 0:
            r.ready_all[v] = larger(r.ready_all[v], result)
            r.ready_accumulator[v] = larger(r.ready_accumulator[v], result)
    if code[i + instruction.PLAIN] == 0:
        _complete_whole(r, scratch, code, i, last, result)


@inline
def write_bounds(r: Any, scratch: Any, machine: Any) -> None:
    """Write the lower bounds into the record and start with none."""
    s = machine[parameter.SECTION_SIZE]
    for v in range(machine[parameter.REGISTERS]):
        for at in range(v * s, (v + 1) * s):
            r.ready[at] = raised(r.ready[at], scratch.ready_bound[v])
            r.taken[at] = raised(r.taken[at], scratch.taken_bound[v])
        scratch.ready_bound[v] = 0
        scratch.taken_bound[v] = -1
