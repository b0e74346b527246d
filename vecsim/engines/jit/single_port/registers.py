"""When elements of vector registers are ready and taken: tracks and bounds.

An instruction whose elements pass in cycles c[0], c[1], ... makes what it writes ready at c[k] + latency,
and what it reads taken at c[k]. Instead of writing these for every register and element, the cycles are kept
as a row, a *track*, and a register has the number of the row, what is added to it and how many elements it
holds for. A consumer that follows a producer element by element then passes in the producer's own row, which
is found without looking at an element. Regular patterns (k // words per cycle, k // lanes) are rows that
never change.

What a register's track covers replaces what the record holds: ``ready`` of the record is older, and
``taken`` counts in addition. :func:`write_tracks` writes both into the record.

What a whole operand does to all elements of a register is kept as one number a register, a lower bound of the
cycles of its elements (``Scratch.ready_bound`` and ``taken_bound``), until :func:`write_bounds` writes it
into the record. See docs/timing.md, "Chaining" and "Hazards".
"""

from __future__ import annotations

from typing import Any

from vecsim.engines.columns import instruction, outcomes, parameter
from vecsim.engines.columns.tracks import FIRST_FREE, FREE
from vecsim.engines.decoded import NONE
from vecsim.engines.jit.arrays.views import record_of, scratch_of
from vecsim.engines.jit.compiler.functions import function, inline
from vecsim.engines.jit.compiler.integers import larger, raised


@inline
def ready_at(r: Any, scratch: Any, v: Any, s: Any, element: Any) -> Any:
    """From when an element of register v is ready."""
    cycle = r.ready[v * s + element]
    if scratch.ready_track[v] >= 0 and element < scratch.ready_count[v]:
        cycle = scratch.tracks[scratch.ready_track[v] * s + element] + scratch.ready_add[v]
    return larger(cycle, scratch.ready_bound[v])


@inline
def taken_at(r: Any, scratch: Any, v: Any, s: Any, element: Any) -> Any:
    """When an element of register v is last taken."""
    cycle = larger(r.taken[v * s + element], scratch.taken_bound[v])
    if scratch.taken_track[v] >= 0 and element < scratch.taken_count[v]:
        cycle = larger(cycle, scratch.tracks[scratch.taken_track[v] * s + element] + scratch.taken_add[v])
    return cycle


@function
def write_ready_track(w: Any, v: Any) -> None:
    """Write into the record from when the elements of register v are ready."""
    r, scratch = record_of(w), scratch_of(w)
    track, s = scratch.ready_track[v], scratch.machine[parameter.SECTION_SIZE]
    if track >= 0:
        add, at, of = scratch.ready_add[v], v * s, track * s
        for k in range(scratch.ready_count[v]):
            r.ready[at + k] = scratch.tracks[of + k] + add
        scratch.ready_track[v] = NONE


@function
def write_taken_track(w: Any, v: Any) -> None:
    """Write into the record when the elements of register v are taken."""
    r, scratch = record_of(w), scratch_of(w)
    track, s = scratch.taken_track[v], scratch.machine[parameter.SECTION_SIZE]
    if track >= 0:
        add, at, of = scratch.taken_add[v], v * s, track * s
        for k in range(scratch.taken_count[v]):
            r.taken[at + k] = raised(r.taken[at + k], scratch.tracks[of + k] + add)
        scratch.taken_track[v] = NONE


@function
def write_tracks(w: Any, v: Any) -> None:
    """Write both into the record."""
    write_ready_track(w, v)
    write_taken_track(w, v)


@function
def write_all_tracks(w: Any) -> None:
    """Write the tracks of all registers into the record."""
    for v in range(scratch_of(w).machine[parameter.REGISTERS]):
        write_tracks(w, v)


@function
def _write_old_tracks(w: Any) -> None:
    """Write the tracks of the older half into the record."""
    scratch = scratch_of(w)
    made = scratch.outcome[outcomes.TRACKS_MADE]
    for v in range(scratch.machine[parameter.REGISTERS]):
        track = scratch.ready_track[v]
        if track >= FIRST_FREE and scratch.track_number[track] <= made - FREE // 2:
            write_ready_track(w, v)
        track = scratch.taken_track[v]
        if track >= FIRST_FREE and scratch.track_number[track] <= made - FREE // 2:
            write_taken_track(w, v)


@inline
def new_track(w: Any, scratch: Any, pace: Any) -> Any:
    """Give a track to fill, of which at most ``pace`` elements pass in a cycle."""
    made = scratch.outcome[outcomes.TRACKS_MADE] + 1
    scratch.outcome[outcomes.TRACKS_MADE] = made
    if made & (FREE // 2 - 1) == 0:
        _write_old_tracks(w)
    track = FIRST_FREE + (made & (FREE - 1))
    scratch.track_number[track] = made
    scratch.track_pace[track] = pace
    return track


@inline
def take(w: Any, scratch: Any, v: Any, track: Any, add: Any, n: Any) -> None:
    """Note that n elements of register v are taken in the cycles of a track, each later by ``add``."""
    old = scratch.taken_track[v]
    if old >= 0:
        covered = (scratch.taken_count[v] <= n) & (scratch.taken_add[v] <= add)
        if old != track or not covered:
            write_taken_track(w, v)
    scratch.taken_track[v], scratch.taken_add[v], scratch.taken_count[v] = track, add, n


@inline
def give(w: Any, scratch: Any, v: Any, track: Any, add: Any, n: Any) -> None:
    """Note that n elements of register v are ready from the cycles of a track on, each later by ``add``.

    They were written after all that took them before, so nobody need know of that any more; nor of what came
    about elements behind them before the cycle in which issue is.
    """
    r, now = record_of(w), scratch.outcome[outcomes.BEFORE]
    if scratch.ready_track[v] >= 0 and scratch.ready_count[v] > n and r.ready_all[v] > now:
        write_ready_track(w, v)
    if scratch.taken_track[v] >= 0:
        if scratch.taken_count[v] > n and r.taken_all[v] >= now:
            write_taken_track(w, v)
        scratch.taken_track[v] = NONE
    scratch.ready_track[v], scratch.ready_add[v], scratch.ready_count[v] = track, add, n


@inline
def cycles_in(scratch: Any, track: Any, s: Any, n: Any) -> Any:
    """In how many cycles the first n elements of a track pass."""
    if scratch.track_pace[track] == 1:
        return n
    of, cycles = track * s, 1
    for k in range(1, n):
        cycles += scratch.tracks[of + k] != scratch.tracks[of + k - 1]
    return cycles


@function
def catch_up(w: Any, n: Any, rate: Any, track: Any, add: Any, bound: Any, cycle: Any) -> Any:
    """Make the track of n elements that start from ``cycle`` on, ``rate`` in a cycle, each with its operand.

    In ``outcome`` is left in how many cycles elements start, and how many they wait.

    Parameters
    ----------
    rate
        The most elements that start in a cycle.
    track, add
        In whose cycles, and how much later, their operands are ready.
    bound
        The cycle before which no operand is ready.
    cycle
        The first cycle in which an element may start.
    """
    scratch = scratch_of(w)
    s, tracks = scratch.machine[parameter.SECTION_SIZE], scratch.tracks
    made = new_track(w, scratch, rate)
    at, of = made * s, track * s
    before, in_cycle, busy, waited = cycle, 0, 0, 0
    for k in range(n):
        free = before + 1 if in_cycle == rate else before
        now = larger(free, larger(tracks[of + k] + add, bound))
        waited += now - free
        if now > before or in_cycle == 0:
            busy, in_cycle = busy + 1, 0
        in_cycle += 1
        before = now
        tracks[at + k] = now
    scratch.outcome[outcomes.BUSY], scratch.outcome[outcomes.WAITED] = busy, waited
    return made


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
