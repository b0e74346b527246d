"""Arithmetic and sparse instructions that have no closed form as a whole, timed to their end at issue.

Elements start one after the other when what they read and write is free. Two patterns need no look at each
element: nothing waits (``lanes`` elements a cycle), and every element starts as soon as its operands have
come. Entries of a sparse instruction add to rows: as many in a cycle as the unit may touch.
"""

from __future__ import annotations

from typing import Any

from isa.declaration import Timing
from vecsim.engines.columns import causes, instruction, outcomes, parameter
from vecsim.engines.columns.tracks import BY_ENTRIES, BY_LANES, SHIFTED
from vecsim.engines.decoded import NONE
from vecsim.engines.jit.arrays.cells import shifted
from vecsim.engines.jit.arrays.views import record_of, scratch_of, state_of
from vecsim.engines.jit.compiler.functions import function, inline
from vecsim.engines.jit.compiler.integers import larger, raised
from vecsim.engines.jit.single_port.accounts import book, element_cause, note_times
from vecsim.engines.jit.single_port.port import dispatch
from vecsim.engines.jit.single_port.registers import (
    complete,
    cycles_in,
    element_hazard,
    element_operand,
    hazard_clear,
    new_track,
    pass_elements,
    pass_one,
    whole_hazard,
    whole_operand,
    write_operand_tracks,
)


@inline
def row_is_new(row: Any, k: Any, in_cycle: Any) -> Any:
    """Tell whether none of the ``in_cycle`` entries before entry k adds to its row."""
    j = k - in_cycle
    while j < k and row[j] != row[k]:
        j += 1
    return j == k


@inline
def is_new(row: Any, k: Any, in_cycle: Any, highest: Any) -> Any:
    """What :func:`row_is_new` tells, as 0 or 1; a negative row is none.

    Parameters
    ----------
    row
        The rows of the entries.
    k
        The entry.
    in_cycle
        How many entries before it the unit takes in the same cycle.
    highest
        The last of their rows, -1 for none.
    """
    if row[k] > highest:
        return 1
    if row[k] == highest or row[k] < 0:
        return 0
    return 1 if row_is_new(row, k, in_cycle) else 0


@function
def fill_cycles(w: Any, n: Any, start: Any, lanes: Any, distinct: Any) -> Any:
    """Start n entries that wait for nothing, as many in a cycle as may be: ``lanes`` in ``distinct`` rows.

    Gives their track, and leaves in ``outcome`` the number of cycles.

    Parameters
    ----------
    start
        The cycle of the first entry.
    lanes
        Entries that may start in a cycle.
    distinct
        Distinct rows that they may add to.
    """
    row, scratch = state_of(w).row, scratch_of(w)
    track = new_track(w, scratch, lanes)
    cycles = shifted(scratch.tracks, track * scratch.machine[parameter.SECTION_SIZE])
    cycle, in_cycle, rows, highest = start, 0, 0, -1
    for k in range(n):
        new = is_new(row, k, in_cycle, highest)
        if in_cycle == lanes or rows + new > distinct:
            cycle, in_cycle, rows, highest = cycle + 1, 0, 0, -1
            new = 1 if row[k] >= 0 else 0
        rows, in_cycle, highest = rows + new, in_cycle + 1, larger(highest, row[k])
        cycles[k] = cycle
    scratch.outcome[outcomes.BUSY] = cycle - start + 1
    return track


REDUCTION, SPARSE = int(Timing.REDUCTION), int(Timing.SPARSE)


@inline
def result_latency(code: Any, i: Any, n: Any) -> Any:
    """Cycles from the start of the last element to the result; a sum adds the levels of its tree."""
    latency = code[i + instruction.LATENCY]
    if code[i + instruction.TIMING] == REDUCTION:
        levels = 0
        while (n - 1) >> levels > 0:
            levels += 1
        latency += levels
    return latency


@inline
def _collect(r: Any, scratch: Any, code: Any, i: Any, s: Any, operand: Any, n: Any) -> None:
    """List from when each element's operands are ready and from when it may be written."""
    hazard = scratch.hazards
    v = code[i + instruction.READS + 1]
    if v >= 0:
        at, bound = v * s, scratch.ready_bound[v]
        for k in range(n):
            operand[k] = larger(r.ready[at + k], bound)
    else:
        for k in range(n):
            operand[k] = 0
    for j in range(1, code[i + instruction.READS]):
        v = code[i + instruction.READS + 1 + j]
        at, bound = v * s, scratch.ready_bound[v]
        for k in range(n):
            operand[k] = raised(operand[k], larger(r.ready[at + k], bound))
    v = code[i + instruction.WRITES + 1]
    if v >= 0:
        at, bound = v * s, larger(scratch.ready_bound[v], scratch.taken_bound[v] + 1)
        for k in range(n):
            hazard[k] = larger(larger(r.ready[at + k], r.taken[at + k] + 1), bound)
    else:
        for k in range(n):
            hazard[k] = 0
    for j in range(1, code[i + instruction.WRITES]):
        v = code[i + instruction.WRITES + 1 + j]
        at, bound = v * s, larger(scratch.ready_bound[v], scratch.taken_bound[v] + 1)
        for k in range(n):
            hazard[k] = raised(hazard[k], larger(larger(r.ready[at + k], r.taken[at + k] + 1), bound))


@inline
def _nothing_is_late(scratch: Any, operand: Any, n: Any, start: Any, scale: Any, shift: Any) -> Any:
    """Tell whether elements can start from ``start`` on at the unit's full rate."""
    hazard = scratch.hazards
    late = 0
    if shift >= 0:
        for k in range(n):
            now = start + (k >> shift)
            late |= (operand[k] > now) | (hazard[k] > now)
    else:
        for k in range(n):
            now = start + (k * scale >> 32)
            late |= (operand[k] > now) | (hazard[k] > now)
    return late == 0


@inline
def _follows(operand: Any, n: Any, lanes: Any) -> Any:
    """Tell whether operands come in order and never so many in a cycle that the unit is full."""
    bad = 0
    for k in range(1, n):
        bad |= operand[k] < operand[k - 1]
    for k in range(lanes - 1, n):
        bad |= operand[k] <= operand[k - lanes + 1]
    return bad == 0


@inline
def _one_by_one(
    r: Any,
    m: Any,
    scratch: Any,
    i: Any,
    cycles: Any,
    n: Any,
    start: Any,
    lanes: Any,
    distinct: Any,
    retired: Any,
) -> Any:
    """Start elements 1 to n - 1 after each other; their cycles replace the operands' in ``cycles``.

    ``distinct`` is the number of rows that a cycle may touch, 0 for any. Gives the number of
    cycles in which elements started.
    """
    hazard, row = scratch.hazards, m.row
    cycle, in_cycle, busy = start, 1, 1
    highest, new, limit = larger(row[0], -1), 0, n
    rows = 1 if row[0] >= 0 else 0
    if distinct > 0:
        limit = distinct
    cycles[0] = start
    for k in range(1, n):
        if distinct > 0:
            new = is_new(row, k, in_cycle, highest)
        full = in_cycle == lanes or rows + new > limit
        free = cycle + 1 if full else cycle
        operand = cycles[k]
        now = larger(free, larger(operand, hazard[k]))
        if now > free:
            book(r, i, element_cause(now, operand), free, now, retired)
        if now > cycle:
            cycle, in_cycle, rows, highest = now, 0, 0, -1
            new = 1 if distinct > 0 and row[k] >= 0 else 0
            busy += 1
        rows, in_cycle, highest = rows + new, in_cycle + 1, larger(highest, row[k])
        cycles[k] = now
    return busy


@inline
def _binding(r: Any, code: Any, i: Any) -> Any:
    """The register read element by element of which the last element comes last; NONE if none is read."""
    v = code[i + instruction.READS + 1]
    if v >= 0:
        u = code[i + instruction.READS + 2]
        if u >= 0:
            v = u if r.ready_all[u] > r.ready_all[v] else v
            u = code[i + instruction.READS + 3]
            if u >= 0:
                v = u if r.ready_all[u] > r.ready_all[v] else v
    return v


@inline
def _others_are_clear(r: Any, scratch: Any, code: Any, i: Any, binding: Any, n: Any, start: Any) -> Any:
    """Tell whether no register but ``binding`` holds up an element that starts with binding's own."""
    track, add = scratch.ready_track[binding], scratch.ready_add[binding]
    clear = True
    for j in range(1, 4):
        v = code[i + instruction.READS + j]
        if v >= 0 and r.ready_all[v] > start:
            same = (scratch.ready_track[v] == track) & (scratch.ready_count[v] >= n)
            clear &= same & (scratch.ready_add[v] <= add)
    return clear


@function
def _start_each(
    w: Any,
    i: Any,
    n: Any,
    start: Any,
    lanes: Any,
    scale: Any,
    shift: Any,
    distinct: Any,
    regular: Any,
    retired: Any,
) -> Any:
    """Start the elements when their own operands and hazards let them; give their track.

    ``regular`` is the track of a unit in which nothing waits. The number of cycles in which elements
    started is left in ``outcome``.
    """
    m, r, scratch = state_of(w), record_of(w), scratch_of(w)
    code, s = scratch.program, scratch.machine[parameter.SECTION_SIZE]
    write_operand_tracks(w, code, i)
    track = new_track(w, scratch, lanes)
    cycles = shifted(scratch.tracks, track * s)
    _collect(r, scratch, code, i, s, cycles, n)
    if distinct == 0 and _nothing_is_late(scratch, cycles, n, start, scale, shift):
        scratch.outcome[outcomes.BUSY] = ((n - 1) * scale >> 32) + 1
        return regular
    safe = hazard_clear(r, code, i) <= start
    if distinct == 0 and lanes > 1 and cycles[0] == start and safe and _follows(cycles, n, lanes):
        book(r, i, causes.VECTOR_RAW, start, cycles[n - 1], retired)
        scratch.outcome[outcomes.BUSY] = cycles_in(scratch, track, s, n)
    else:
        scratch.outcome[outcomes.BUSY] = _one_by_one(
            r, m, scratch, i, cycles, n, start, lanes, distinct, retired
        )
    return track


@function
def time_one(w: Any, i: Any, element: Any, slice_: Any, issue: Any, retired: Any) -> None:
    """Time an instruction of the one element ``element`` that issued in cycle ``issue``.

    ``slice_`` is the slice of the vector cache that it adds to, -1 for none.
    """
    r, scratch = record_of(w), scratch_of(w)
    code, machine, outcome = scratch.program, scratch.machine, scratch.outcome
    s, unit = machine[parameter.SECTION_SIZE], code[i + instruction.UNIT]
    dispatched = dispatch(scratch, machine[parameter.UNIT_QUEUE] + 1, unit, issue, r.unit_free[unit])
    if dispatched > issue:
        book(r, i, causes.UNIT, issue, dispatched, retired)
    operand = hazard = 0
    if code[i + instruction.READS] > 0:
        operand = element_operand(r, scratch, code, i, s, element)
    if hazard_clear(r, code, i) > dispatched:
        hazard = element_hazard(r, scratch, code, i, s, element)
    if (
        code[i + instruction.WHOLE_READS] + code[i + instruction.WHOLE_WRITES] > 0
        or code[i + instruction.ACCUMULATOR] >= 0
    ):
        operand = larger(operand, whole_operand(r, code, i))
        hazard = larger(hazard, whole_hazard(r, code, i))
    if slice_ >= 0:
        operand = larger(operand, r.slice_accumulator[slice_])
        hazard = larger(hazard, r.slice_taken[slice_] + 1)
    start = larger(dispatched, larger(operand, hazard))
    if start > dispatched:
        book(r, i, element_cause(start, operand), dispatched, start, retired)
    result = start + code[i + instruction.LATENCY]
    pass_one(w, r, scratch, code, i, s, element, start, result)
    r.unit_busy[unit] += 1
    r.unit_free[unit] = start + 1
    if slice_ >= 0:
        r.slice_ready[slice_] = larger(r.slice_ready[slice_], result)
    complete(r, scratch, code, i, start, result)
    note_times(outcome, dispatched, start, result, result)


@function
def time_arithmetic(w: Any, i: Any, n: Any, slice_: Any, issue: Any, retired: Any) -> None:
    """Time n elements, from element 0 on, of an instruction that issued in cycle ``issue``.

    ``slice_`` is the slice of the vector cache that it adds to, -1 for none.
    """
    r, scratch = record_of(w), scratch_of(w)
    code, machine, outcome = scratch.program, scratch.machine, scratch.outcome
    s, unit, timing = (
        machine[parameter.SECTION_SIZE],
        code[i + instruction.UNIT],
        code[i + instruction.TIMING],
    )
    sparse = timing == SPARSE
    lanes = machine[parameter.SPARSE_UNIT_P] if sparse else machine[parameter.LANES]
    scale = machine[parameter.SPARSE_SCALE] if sparse else machine[parameter.LANES_SCALE]
    shift = machine[parameter.SPARSE_SHIFT] if sparse else machine[parameter.LANES_SHIFT]
    regular = BY_ENTRIES if sparse else BY_LANES
    distinct = machine[parameter.SPARSE_UNIT_R] if sparse and machine[parameter.SPARSE_UNIT_R] < lanes else 0
    dispatched = dispatch(scratch, machine[parameter.UNIT_QUEUE] + 1, unit, issue, r.unit_free[unit])
    if dispatched > issue:
        book(r, i, causes.UNIT, issue, dispatched, retired)
    binding = _binding(r, code, i)
    clear = hazard_clear(r, code, i)
    safe = clear
    if binding >= 0:
        clear = larger(clear, r.ready_all[binding])
    start = dispatched
    if code[i + instruction.PLAIN] == 0 or clear > dispatched:
        operand = element_operand(r, scratch, code, i, s, 0)
        hazard = element_hazard(r, scratch, code, i, s, 0)
        if code[i + instruction.PLAIN] == 0:
            operand = larger(operand, whole_operand(r, code, i))
            hazard = larger(hazard, whole_hazard(r, code, i))
            if slice_ >= 0:
                operand = larger(operand, r.slice_accumulator[slice_])
                hazard = larger(hazard, r.slice_taken[slice_] + 1)
        start = larger(dispatched, larger(operand, hazard))
        if start > dispatched:
            book(r, i, element_cause(start, operand), dispatched, start, retired)
    latency = code[i + instruction.LATENCY]
    last, busy = start, 1
    if distinct == 0 and clear <= start:
        pass_elements(w, scratch, code, i, n, regular, start, latency)
        last = start + ((n - 1) * scale >> 32)
        busy = last - start + 1
    elif clear <= start:
        track = fill_cycles(w, n, start, lanes, distinct)
        pass_elements(w, scratch, code, i, n, track, 0, latency)
        last, busy = scratch.tracks[track * s + n - 1], outcome[outcomes.BUSY]
    else:
        track, add = NONE, 0
        if safe <= start and binding >= 0 and scratch.ready_count[binding] >= n:
            track, add = scratch.ready_track[binding], scratch.ready_add[binding]
            if track >= 0 and (
                scratch.tracks[track * s] + add != start
                or not _others_are_clear(r, scratch, code, i, binding, n, start)
            ):
                track = NONE
        # So few entries a cycle never touch as many rows as the unit may.
        few = distinct == 0 or (track >= 0 and scratch.track_pace[track] < distinct)
        if track >= 0 and few and scratch.track_pace[track] < lanes:
            last = scratch.tracks[track * s + n - 1] + add
            book(r, i, causes.VECTOR_RAW, start, last, retired)
            busy = cycles_in(scratch, track, s, n)
        elif track >= 0 and few and track < SHIFTED:
            track, add = regular, start
            last = start + ((n - 1) * scale >> 32)
            busy = last - start + 1
        else:
            track = _start_each(w, i, n, start, lanes, scale, shift, distinct, regular, retired)
            add = start if track < SHIFTED else 0
            last, busy = scratch.tracks[track * s + n - 1] + add, outcome[outcomes.BUSY]
        pass_elements(w, scratch, code, i, n, track, add, latency)
    result = last + result_latency(code, i, n)
    r.unit_busy[unit] += busy
    r.unit_free[unit] = last + 1
    if slice_ >= 0:
        r.slice_ready[slice_] = larger(r.slice_ready[slice_], result)
    complete(r, scratch, code, i, last, result)
    note_times(outcome, dispatched, start, result if timing == REDUCTION else start + latency, result)
