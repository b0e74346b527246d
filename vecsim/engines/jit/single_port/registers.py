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
cycles of its elements (``Scratch.ready_bound`` and ``taken_bound``), until :func:`write_registers` writes it
into the record. See docs/timing.md, "Chaining" and "Hazards".
"""

from __future__ import annotations

from typing import Any

from vecsim.engines.columns import instruction, outcomes, parameter
from vecsim.engines.columns.tracks import FIRST_FREE, FREE
from vecsim.engines.decoded import NONE
from vecsim.engines.jit.compiler.functions import function, inline, larger, raised


@inline
def ready_at(r: Any, v: Any, s: Any, element: Any) -> Any:
    """From when an element of register v is ready."""
    cycle = r.ready[v * s + element]
    if r.ready_track[v] >= 0 and element < r.ready_count[v]:
        cycle = r.tracks[r.ready_track[v] * s + element] + r.ready_add[v]
    return larger(cycle, r.ready_bound[v])


@inline
def taken_at(r: Any, v: Any, s: Any, element: Any) -> Any:
    """When an element of register v is last taken."""
    cycle = larger(r.taken[v * s + element], r.taken_bound[v])
    if r.taken_track[v] >= 0 and element < r.taken_count[v]:
        cycle = larger(cycle, r.tracks[r.taken_track[v] * s + element] + r.taken_add[v])
    return cycle


@inline
def element_free_at(r: Any, v: Any, s: Any, element: Any) -> Any:
    """From when an element of register v may be overwritten (WAR, WAW)."""
    return larger(ready_at(r, v, s, element), taken_at(r, v, s, element) + 1)


@function
def write_ready_track(r: Any, v: Any) -> None:
    """Write into the record from when the elements of register v are ready."""
    track, s = r.ready_track[v], r.machine[parameter.SECTION_SIZE]
    if track >= 0:
        add, at, of = r.ready_add[v], v * s, track * s
        for k in range(r.ready_count[v]):
            r.ready[at + k] = r.tracks[of + k] + add
        r.ready_track[v] = NONE


@function
def write_taken_track(r: Any, v: Any) -> None:
    """Write into the record when the elements of register v are taken."""
    track, s = r.taken_track[v], r.machine[parameter.SECTION_SIZE]
    if track >= 0:
        add, at, of = r.taken_add[v], v * s, track * s
        for k in range(r.taken_count[v]):
            r.taken[at + k] = raised(r.taken[at + k], r.tracks[of + k] + add)
        r.taken_track[v] = NONE


@function
def write_tracks(r: Any, v: Any) -> None:
    """Write both into the record."""
    write_ready_track(r, v)
    write_taken_track(r, v)


@function
def write_registers(r: Any) -> None:
    """Write the tracks and the lower bounds of all registers into the record, and start with none."""
    s = r.machine[parameter.SECTION_SIZE]
    for v in range(r.machine[parameter.REGISTERS]):
        write_tracks(r, v)
        for at in range(v * s, (v + 1) * s):
            r.ready[at] = raised(r.ready[at], r.ready_bound[v])
            r.taken[at] = raised(r.taken[at], r.taken_bound[v])
        r.ready_bound[v] = 0
        r.taken_bound[v] = -1


@function
def _write_old_tracks(r: Any) -> None:
    """Write the tracks of the older half into the record."""
    made = r.outcome[outcomes.TRACKS_MADE]
    for v in range(r.machine[parameter.REGISTERS]):
        track = r.ready_track[v]
        if track >= FIRST_FREE and r.track_number[track] <= made - FREE // 2:
            write_ready_track(r, v)
        track = r.taken_track[v]
        if track >= FIRST_FREE and r.track_number[track] <= made - FREE // 2:
            write_taken_track(r, v)


@inline
def new_track(r: Any, pace: Any) -> Any:
    """Give a track to fill, of which at most ``pace`` elements pass in a cycle."""
    made = r.outcome[outcomes.TRACKS_MADE] + 1
    r.outcome[outcomes.TRACKS_MADE] = made
    if made & (FREE // 2 - 1) == 0:
        _write_old_tracks(r)
    track = FIRST_FREE + (made & (FREE - 1))
    r.track_number[track] = made
    r.track_pace[track] = pace
    return track


@inline
def take(r: Any, v: Any, track: Any, add: Any, n: Any) -> None:
    """Note that n elements of register v are taken in the cycles of a track, each later by ``add``."""
    old = r.taken_track[v]
    if old >= 0:
        covered = (r.taken_count[v] <= n) & (r.taken_add[v] <= add)
        if old != track or not covered:
            write_taken_track(r, v)
    r.taken_track[v], r.taken_add[v], r.taken_count[v] = track, add, n


@inline
def give(r: Any, v: Any, track: Any, add: Any, n: Any) -> None:
    """Note that n elements of register v are ready from the cycles of a track on, each later by ``add``.

    They were written after all that took them before, so nobody need know of that any more; nor of what came
    about elements behind them before the cycle in which issue is.
    """
    now = r.outcome[outcomes.BEFORE]
    if r.ready_track[v] >= 0 and r.ready_count[v] > n and r.ready_all[v] > now:
        write_ready_track(r, v)
    if r.taken_track[v] >= 0:
        if r.taken_count[v] > n and r.taken_all[v] >= now:
            write_taken_track(r, v)
        r.taken_track[v] = NONE
    r.ready_track[v], r.ready_add[v], r.ready_count[v] = track, add, n


@inline
def cycles_in(r: Any, track: Any, s: Any, n: Any) -> Any:
    """In how many cycles the first n elements of a track pass."""
    if r.track_pace[track] == 1:
        return n
    of, cycles = track * s, 1
    for k in range(1, n):
        cycles += r.tracks[of + k] != r.tracks[of + k - 1]
    return cycles


@function
def catch_up(r: Any, n: Any, rate: Any, track: Any, add: Any, bound: Any, cycle: Any) -> Any:
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
    s, tracks = r.machine[parameter.SECTION_SIZE], r.tracks
    made = new_track(r, rate)
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
    r.outcome[outcomes.BUSY], r.outcome[outcomes.WAITED] = busy, waited
    return made


@inline
def whole_operand(r: Any, i: Any, slice_: Any) -> Any:
    """From when all is ready that must be complete before the first element."""
    code, cycle = r.program, 0
    first = i + instruction.WHOLE_READS + 1
    for at in range(first, first + code[i + instruction.WHOLE_READS]):
        cycle = larger(cycle, r.ready_all[code[at]])
    v = code[i + instruction.ACCUMULATOR]
    if v >= 0:
        cycle = larger(cycle, r.ready_accumulator[v])
    if slice_ >= 0:
        cycle = larger(cycle, r.slice_accumulator[slice_])
    return cycle


@inline
def whole_hazard(r: Any, i: Any, slice_: Any) -> Any:
    """From when what is written as a whole may be overwritten (WAR, WAW)."""
    code, cycle = r.program, 0
    first = i + instruction.WHOLE_WRITES + 1
    for at in range(first, first + code[i + instruction.WHOLE_WRITES]):
        cycle = larger(cycle, free_at(r, code[at]))
    v = code[i + instruction.ACCUMULATOR]
    if v >= 0:
        cycle = larger(cycle, r.taken_all[v] + 1)
    if slice_ >= 0:
        cycle = larger(cycle, r.slice_taken[slice_] + 1)
    return cycle


@inline
def free_at(r: Any, v: Any) -> Any:
    """From when every element of register v may be overwritten (WAR, WAW)."""
    return larger(r.ready_all[v], r.taken_all[v] + 1)


@inline
def operand_clear(r: Any, i: Any) -> Any:
    """From when every element is ready of what is read element by element."""
    code, cycle = r.program, 0
    for j in range(1, 4):
        v = code[i + instruction.READS + j]
        if v >= 0:
            cycle = larger(cycle, r.ready_all[v])
    return cycle


@inline
def hazard_clear(r: Any, i: Any) -> Any:
    """From when every element of what is written element by element may be overwritten (WAR, WAW)."""
    code, cycle = r.program, 0
    for j in range(1, 3):
        v = code[i + instruction.WRITES + j]
        if v >= 0:
            cycle = larger(cycle, free_at(r, v))
    return cycle


@inline
def element_operand(r: Any, i: Any, s: Any, element: Any) -> Any:
    """From when all that an element reads is ready (RAW)."""
    code, cycle = r.program, 0
    for j in range(1, 4):
        v = code[i + instruction.READS + j]
        if v >= 0:
            cycle = larger(cycle, ready_at(r, v, s, element))
    return cycle


@inline
def element_hazard(r: Any, i: Any, s: Any, element: Any) -> Any:
    """From when an element may be overwritten (WAR, WAW)."""
    code, cycle = r.program, 0
    for j in range(1, 3):
        v = code[i + instruction.WRITES + j]
        if v >= 0:
            cycle = larger(cycle, element_free_at(r, v, s, element))
    return cycle


@inline
def pass_one(r: Any, i: Any, s: Any, element: Any, cycle: Any, ready: Any) -> None:
    """Note that the one element of an instruction passes in ``cycle``; what it writes is ready later.

    Parameters
    ----------
    cycle
        The cycle in which the element starts.
    ready
        The cycle from which its result is ready.
    """
    code = r.program
    for j in range(1, 4):
        v = code[i + instruction.READS + j]
        if v >= 0:
            take_one(r, v, s, element, cycle)
    for j in range(1, 3):
        v = code[i + instruction.WRITES + j]
        if v >= 0:
            give_one(r, v, s, element, ready)


@inline
def take_one(r: Any, v: Any, s: Any, element: Any, cycle: Any) -> None:
    """Note that an element of register v is taken in ``cycle``."""
    r.taken[v * s + element] = raised(r.taken[v * s + element], cycle)


@inline
def give_one(r: Any, v: Any, s: Any, element: Any, ready: Any) -> None:
    """Note that an element of register v is ready at ``ready``."""
    if r.ready_track[v] >= 0:
        write_ready_track(r, v)
    r.ready[v * s + element] = ready


@inline
def pass_elements(r: Any, i: Any, n: Any, track: Any, add: Any, later: Any) -> None:
    """Note that n elements pass in the cycles of a track and ``add``, and what they write is ready later.

    Parameters
    ----------
    later
        How many cycles after its start the result of an element is ready.
    """
    code = r.program
    for j in range(1, 4):
        v = code[i + instruction.READS + j]
        if v >= 0:
            take(r, v, track, add, n)
    for j in range(1, 3):
        v = code[i + instruction.WRITES + j]
        if v >= 0:
            give(r, v, track, add + later, n)


@inline
def write_operand_tracks(r: Any, i: Any) -> None:
    """Write into the record the tracks of the registers that pass element by element."""
    code = r.program
    for j in range(1, 4):
        if code[i + instruction.READS + j] >= 0:
            write_tracks(r, code[i + instruction.READS + j])
    for j in range(1, 3):
        if code[i + instruction.WRITES + j] >= 0:
            write_tracks(r, code[i + instruction.WRITES + j])


@inline
def complete(r: Any, i: Any, last: Any, result: Any) -> None:
    """Note what the last element, which starts in ``last``, completes at ``result``."""
    code = r.program
    for j in range(1, 4):
        v = code[i + instruction.READS + j]
        if v >= 0:
            r.taken_all[v] = larger(r.taken_all[v], last)
    for j in range(1, 3):
        v = code[i + instruction.WRITES + j]
        if v >= 0:
            complete_result(r, v, result)
    if code[i + instruction.PLAIN] == 0:
        _complete_whole(r, i, last, result)


@inline
def complete_result(r: Any, v: Any, result: Any) -> None:
    """Note that the last element of register v is ready at ``result``."""
    r.ready_all[v] = larger(r.ready_all[v], result)
    r.ready_accumulator[v] = larger(r.ready_accumulator[v], result)


@inline
def _complete_whole(r: Any, i: Any, last: Any, result: Any) -> None:
    code = r.program
    for j in range(code[i + instruction.WHOLE_READS]):
        v = code[i + instruction.WHOLE_READS + 1 + j]
        r.taken_bound[v] = larger(r.taken_bound[v], last)
        r.taken_all[v] = larger(r.taken_all[v], last)
    for j in range(code[i + instruction.WHOLE_WRITES]):
        v = code[i + instruction.WHOLE_WRITES + 1 + j]
        r.ready_bound[v] = larger(r.ready_bound[v], result)
        complete_result(r, v, result)
    v = code[i + instruction.ACCUMULATOR]
    if v >= 0:
        r.ready_bound[v] = larger(r.ready_bound[v], result)
        r.ready_all[v] = larger(r.ready_all[v], result)
    for j in range(code[i + instruction.LATE]):
        r.scalar_ready[code[i + instruction.LATE + 1 + j]] = result
