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
from vecsim.engines.jit.compiler.functions import function, inline, larger, raised
from vecsim.engines.jit.rules import compiled_rule
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
from vecsim.engines.rules import arithmetic, sparse

REDUCTION, SPARSE = int(Timing.REDUCTION), int(Timing.SPARSE)
result_latency = compiled_rule(arithmetic.result_latency)
row_is_new = compiled_rule(sparse.row_is_new)


@inline
def _is_new(row: Any, k: Any, in_cycle: Any, highest: Any) -> Any:
    """Tell, as 0 or 1, whether no entry before entry k in its cycle adds to its row; a negative row is none.

    ``highest`` is the last of their rows, -1 for none.
    """
    if row[k] > highest:
        return 1
    if row[k] == highest or row[k] < 0:
        return 0
    return 1 if row_is_new(row, k, in_cycle) else 0


@function
def _fill_cycles(r: Any, n: Any, start: Any, lanes: Any, distinct: Any) -> Any:
    """Start n entries that wait for nothing, as many in a cycle as may be: ``lanes`` in ``distinct`` rows.

    Gives their track, and leaves in ``outcome`` the number of cycles.
    """
    row = r.row
    track = new_track(r, lanes)
    cycles = shifted(r.tracks, track * r.machine[parameter.SECTION_SIZE])
    cycle, in_cycle, rows, highest = start, 0, 0, -1
    for k in range(n):
        new = _is_new(row, k, in_cycle, highest)
        if in_cycle == lanes or rows + new > distinct:
            cycle, in_cycle, rows, highest = cycle + 1, 0, 0, -1
            new = 1 if row[k] >= 0 else 0
        rows, in_cycle, highest = rows + new, in_cycle + 1, larger(highest, row[k])
        cycles[k] = cycle
    r.outcome[outcomes.BUSY] = cycle - start + 1
    return track


@inline
def _collect(r: Any, i: Any, s: Any, operand: Any, n: Any) -> None:
    """List from when each element's operands are ready and from when it may be written."""
    code, hazard = r.program, r.hazards
    for k in range(n):
        operand[k] = hazard[k] = 0
    for j in range(code[i + instruction.READS]):
        v = code[i + instruction.READS + 1 + j]
        at, bound = v * s, r.ready_bound[v]
        for k in range(n):
            operand[k] = raised(operand[k], larger(r.ready[at + k], bound))
    for j in range(code[i + instruction.WRITES]):
        v = code[i + instruction.WRITES + 1 + j]
        at, bound = v * s, larger(r.ready_bound[v], r.taken_bound[v] + 1)
        for k in range(n):
            hazard[k] = raised(hazard[k], larger(larger(r.ready[at + k], r.taken[at + k] + 1), bound))


@inline
def _nothing_is_late(r: Any, operand: Any, n: Any, start: Any, scale: Any, shift: Any) -> Any:
    """Tell whether elements can start from ``start`` on at the unit's full rate."""
    hazard = r.hazards
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
    r: Any, i: Any, cycles: Any, n: Any, start: Any, lanes: Any, distinct: Any, retired: Any
) -> Any:
    """Start elements 1 to n - 1 after each other; their cycles replace the operands' in ``cycles``.

    ``distinct`` is the number of rows that a cycle may touch, 0 for any. Gives the number of
    cycles in which elements started.
    """
    hazard, row = r.hazards, r.row
    cycle, in_cycle, busy = start, 1, 1
    highest, new, limit = larger(row[0], -1), 0, distinct if distinct > 0 else n
    rows = 1 if row[0] >= 0 else 0
    cycles[0] = start
    for k in range(1, n):
        if distinct > 0:
            new = _is_new(row, k, in_cycle, highest)
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
def _binding(r: Any, i: Any) -> Any:
    """The register read element by element of which the last element comes last; NONE if none is read."""
    code = r.program
    v = code[i + instruction.READS + 1]
    for j in range(2, 4):
        u = code[i + instruction.READS + j]
        if u >= 0 and r.ready_all[u] > r.ready_all[v]:
            v = u
    return v


@inline
def _others_are_clear(r: Any, i: Any, binding: Any, n: Any, start: Any) -> Any:
    """Tell whether no register but ``binding`` holds up an element that starts with binding's own."""
    track, add = r.ready_track[binding], r.ready_add[binding]
    clear = True
    for j in range(1, 4):
        v = r.program[i + instruction.READS + j]
        if v >= 0 and r.ready_all[v] > start:
            same = (r.ready_track[v] == track) & (r.ready_count[v] >= n)
            clear &= same & (r.ready_add[v] <= add)
    return clear


@function
def _start_each(
    r: Any, i: Any, n: Any, start: Any, lanes: Any, distinct: Any, regular: Any, retired: Any
) -> Any:
    """Start the elements when their own operands and hazards let them; return their track.

    ``regular`` is the track of a unit in which nothing waits. The number of cycles in which elements
    started is left in ``outcome``.
    """
    machine, s, by_entries = r.machine, r.machine[parameter.SECTION_SIZE], regular == BY_ENTRIES
    scale = machine[parameter.SPARSE_SCALE] if by_entries else machine[parameter.LANES_SCALE]
    shift = machine[parameter.SPARSE_SHIFT] if by_entries else machine[parameter.LANES_SHIFT]
    write_operand_tracks(r, i)
    track = new_track(r, lanes)
    cycles = shifted(r.tracks, track * s)
    _collect(r, i, s, cycles, n)
    if distinct == 0 and _nothing_is_late(r, cycles, n, start, scale, shift):
        r.outcome[outcomes.BUSY] = ((n - 1) * scale >> 32) + 1
        return regular
    safe = hazard_clear(r, i) <= start
    if distinct == 0 and lanes > 1 and cycles[0] == start and safe and _follows(cycles, n, lanes):
        book(r, i, causes.VECTOR_RAW, start, cycles[n - 1], retired)
        r.outcome[outcomes.BUSY] = cycles_in(r, track, s, n)
    else:
        r.outcome[outcomes.BUSY] = _one_by_one(r, i, cycles, n, start, lanes, distinct, retired)
    return track


@inline
def _start_first(r: Any, i: Any, element: Any, slice_: Any, dispatched: Any, retired: Any) -> Any:
    """Start the first element of an instruction; return its cycle."""
    s = r.machine[parameter.SECTION_SIZE]
    operand = larger(element_operand(r, i, s, element), whole_operand(r, i, slice_))
    hazard = larger(element_hazard(r, i, s, element), whole_hazard(r, i, slice_))
    start = larger(dispatched, larger(operand, hazard))
    if start > dispatched:
        book(r, i, element_cause(start, operand), dispatched, start, retired)
    return start


@inline
def _finish(r: Any, i: Any, slice_: Any, last: Any, result: Any, busy: Any) -> None:
    """Note that an instruction, with elements in ``busy`` cycles up to ``last``, leaves its unit."""
    unit = r.program[i + instruction.UNIT]
    r.unit_busy[unit] += busy
    r.unit_free[unit] = last + 1
    if slice_ >= 0:
        r.slice_ready[slice_] = larger(r.slice_ready[slice_], result)
    complete(r, i, last, result)


@function
def time_one(r: Any, i: Any, element: Any, slice_: Any, issue: Any, retired: Any) -> None:
    """Time an instruction of the one element ``element`` that issued in cycle ``issue``."""
    dispatched = dispatch(r, i, issue, retired)
    start = _start_first(r, i, element, slice_, dispatched, retired)
    result = start + r.program[i + instruction.LATENCY]
    pass_one(r, i, r.machine[parameter.SECTION_SIZE], element, start, result)
    _finish(r, i, slice_, start, result, 1)
    note_times(r, dispatched, start, result, result)


@function
def time_arithmetic(r: Any, i: Any, n: Any, slice_: Any, issue: Any, retired: Any) -> None:
    """Time n elements, from element 0 on, of an instruction that issued in cycle ``issue``."""
    code, machine, outcome = r.program, r.machine, r.outcome
    s, latency = machine[parameter.SECTION_SIZE], code[i + instruction.LATENCY]
    timing = code[i + instruction.TIMING]
    entries = timing == SPARSE
    lanes = machine[parameter.SPARSE_UNIT_P] if entries else machine[parameter.LANES]
    scale = machine[parameter.SPARSE_SCALE] if entries else machine[parameter.LANES_SCALE]
    regular = BY_ENTRIES if entries else BY_LANES
    distinct = machine[parameter.SPARSE_UNIT_R] if entries and machine[parameter.SPARSE_UNIT_R] < lanes else 0
    start = dispatched = dispatch(r, i, issue, retired)
    binding = _binding(r, i)
    clear = safe = hazard_clear(r, i)
    if binding >= 0:
        clear = larger(clear, r.ready_all[binding])
    if code[i + instruction.PLAIN] == 0 or clear > dispatched:
        start = _start_first(r, i, 0, slice_, dispatched, retired)
    track, add, last = regular, start, start + ((n - 1) * scale >> 32)
    busy = last - start + 1
    if clear <= start:
        if distinct > 0:
            track, add = _fill_cycles(r, n, start, lanes, distinct), 0
            last, busy = r.tracks[track * s + n - 1], outcome[outcomes.BUSY]
    else:
        followed, later = NONE, 0
        if safe <= start and binding >= 0 and r.ready_count[binding] >= n:
            followed, later = r.ready_track[binding], r.ready_add[binding]
            if followed >= 0 and (
                r.tracks[followed * s] + later != start or not _others_are_clear(r, i, binding, n, start)
            ):
                followed = NONE
        # So few entries a cycle never touch as many rows as the unit may.
        few = followed >= 0 and (distinct == 0 or r.track_pace[followed] < distinct)
        if few and r.track_pace[followed] < lanes:
            track, add = followed, later
            last = r.tracks[track * s + n - 1] + add
            book(r, i, causes.VECTOR_RAW, start, last, retired)
            busy = cycles_in(r, track, s, n)
        elif not few or followed >= SHIFTED:
            track = _start_each(r, i, n, start, lanes, distinct, regular, retired)
            add = start if track < SHIFTED else 0
            last, busy = r.tracks[track * s + n - 1] + add, outcome[outcomes.BUSY]
    pass_elements(r, i, n, track, add, latency)
    result = last + result_latency(r, i, n)
    _finish(r, i, slice_, last, result, busy)
    note_times(r, dispatched, start, result if timing == REDUCTION else start + latency, result)
