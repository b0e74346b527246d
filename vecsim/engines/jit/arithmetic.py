"""Arithmetic and sparse instructions of a machine with one port, timed to their end at issue.

Elements start one after the other when what they read and write is free. Two patterns have a closed form:
nothing waits (``lanes`` elements a cycle), and every element starts as soon as its operands have come.
"""

from __future__ import annotations

from typing import Any

from isa.declaration import Timing
from vecsim.engines.columns import BY_UNIT, BY_VECTOR
from vecsim.engines.decoded import NONE
from vecsim.engines.jit.accounts import book, element_cause
from vecsim.engines.jit.cells import shifted
from vecsim.engines.jit.code import (
    BY_ENTRIES,
    BY_LANES,
    FIRST_FREE,
    LANES,
    LANES_SCALE,
    LANES_SHIFT,
    LATE,
    LATENCY,
    PLAIN,
    READS,
    SECOND,
    SECTION_SIZE,
    SPARSE_P,
    SPARSE_R,
    SPARSE_SCALE,
    SPARSE_SHIFT,
    THIRD,
    TIMING,
    UNIT,
    UNIT_QUEUE,
    WRITES,
)
from vecsim.engines.jit.integers import larger, raised
from vecsim.engines.jit.operands import (
    complete,
    element_hazard,
    element_operand,
    hazard_clear,
    lay_operands,
    pass_elements,
    pass_one,
    whole_hazard,
    whole_operand,
)
from vecsim.engines.jit.outcome import ACCEPT, BUSY, FIRST, LAST, RETIRE, START
from vecsim.engines.jit.rings import accept, accepted_last, push_accepted
from vecsim.engines.jit.tracks import cycles_in, give, new_track, take
from vecsim.engines.jit.world import function, inline, record_of, scratch_of, state_of

REDUCTION, SPARSE = int(Timing.REDUCTION), int(Timing.SPARSE)


@inline
def _result_latency(code: Any, i: Any, n: Any) -> Any:
    """Cycles from the start of the last element to the result; a sum adds the levels of its tree."""
    latency = code[i + LATENCY]
    if code[i + TIMING] == REDUCTION:
        levels = 0
        while (n - 1) >> levels > 0:
            levels += 1
        latency += levels
    return latency


@inline
def _collect(r: Any, scratch: Any, code: Any, i: Any, s: Any, operand: Any, n: Any) -> None:
    """List from when each element's operands are usable and from when it may be written."""
    hazard = scratch.hazards
    v = code[i + READS + 1]
    if v >= 0:
        at, floor = v * s, scratch.usable_floor[v]
        for k in range(n):
            operand[k] = larger(r.usable[at + k], floor)
    else:
        for k in range(n):
            operand[k] = 0
    for j in range(1, code[i + READS]):
        v = code[i + READS + 1 + j]
        at, floor = v * s, scratch.usable_floor[v]
        for k in range(n):
            operand[k] = raised(operand[k], larger(r.usable[at + k], floor))
    v = code[i + WRITES + 1]
    if v >= 0:
        at, floor = v * s, larger(scratch.usable_floor[v], scratch.taken_floor[v] + 1)
        for k in range(n):
            hazard[k] = larger(larger(r.usable[at + k], r.taken[at + k] + 1), floor)
    else:
        for k in range(n):
            hazard[k] = 0
    for j in range(1, code[i + WRITES]):
        v = code[i + WRITES + 1 + j]
        at, floor = v * s, larger(scratch.usable_floor[v], scratch.taken_floor[v] + 1)
        for k in range(n):
            hazard[k] = raised(hazard[k], larger(larger(r.usable[at + k], r.taken[at + k] + 1), floor))


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
def row_is_new(row: Any, k: Any, in_cycle: Any) -> Any:
    """Tell whether none of the ``in_cycle`` entries before entry k adds to its row."""
    j = k - in_cycle
    while j < k and row[j] != row[k]:
        j += 1
    return j == k


@inline
def _one_by_one(
    r: Any, m: Any, scratch: Any, cycles: Any, n: Any, start: Any, lanes: Any, distinct: Any, retired: Any
) -> Any:
    """Start elements 1 to n - 1 after each other; their cycles replace the operands' in ``cycles``.

    ``distinct`` is the number of rows that a cycle may touch, 0 for any. Gives the number of
    cycles in which elements started.
    """
    hazard, row = scratch.hazards, m.row
    cycle, in_cycle, busy = start, 1, 1
    rows = 1 if distinct > 0 and row[0] >= 0 else 0
    cycles[0] = start
    for k in range(1, n):
        full = in_cycle == lanes
        if distinct > 0 and not full and row[k] >= 0 and row_is_new(row, k, in_cycle):
            full = rows == distinct
        free = cycle + 1 if full else cycle
        operand = cycles[k]
        now = larger(free, larger(operand, hazard[k]))
        if now > free:
            book(r, element_cause(now, operand), free, now, retired)
        if now > cycle:
            cycle, in_cycle, rows = now, 0, 0
            busy += 1
        if distinct > 0 and row[k] >= 0 and row_is_new(row, k, in_cycle):
            rows += 1
        in_cycle += 1
        cycles[k] = now
    return busy


@inline
def _binding(r: Any, code: Any, i: Any) -> Any:
    """The register read element by element of which the last element comes last; NONE if none is read."""
    v = code[i + READS + 1]
    if v >= 0:
        u = code[i + READS + 2]
        if u >= 0:
            v = u if r.usable_all[u] > r.usable_all[v] else v
            u = code[i + READS + 3]
            if u >= 0:
                v = u if r.usable_all[u] > r.usable_all[v] else v
    return v


@inline
def _others_are_clear(r: Any, scratch: Any, code: Any, i: Any, binding: Any, n: Any, start: Any) -> Any:
    """Tell whether no register but ``binding`` holds up an element that starts with binding's own."""
    track, add = scratch.usable_track[binding], scratch.usable_add[binding]
    clear = True
    for j in range(1, 4):
        v = code[i + READS + j]
        if v >= 0 and r.usable_all[v] > start:
            same = (scratch.usable_track[v] == track) & (scratch.usable_count[v] >= n)
            clear &= same & (scratch.usable_add[v] <= add)
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
    code, s = scratch.program, scratch.machine[SECTION_SIZE]
    lay_operands(w, code, i)
    track = new_track(w, scratch, lanes)
    cycles = shifted(scratch.tracks, track * s)
    _collect(r, scratch, code, i, s, cycles, n)
    if distinct == 0 and _nothing_is_late(scratch, cycles, n, start, scale, shift):
        scratch.outcome[BUSY] = ((n - 1) * scale >> 32) + 1
        return regular
    safe = hazard_clear(r, code, i) <= start
    if distinct == 0 and lanes > 1 and cycles[0] == start and safe and _follows(cycles, n, lanes):
        book(r, BY_VECTOR, start, cycles[n - 1], retired)
        scratch.outcome[BUSY] = cycles_in(scratch, track, s, n)
    else:
        scratch.outcome[BUSY] = _one_by_one(r, m, scratch, cycles, n, start, lanes, distinct, retired)
    return track


@function
def time_arithmetic(w: Any, i: Any, n: Any, element: Any, slice_: Any, issue: Any, retired: Any) -> None:
    """Time n elements of an instruction that issued in cycle ``issue``.

    ``element`` is the only one of an instruction that names it, -1 for others; ``slice_`` the slice of the
    vector cache that it adds to, -1 for none.
    """
    r, scratch = record_of(w), scratch_of(w)
    code, machine, outcome = scratch.program, scratch.machine, scratch.outcome
    s, unit, timing = machine[SECTION_SIZE], code[i + UNIT], code[i + TIMING]
    sparse = timing == SPARSE
    lanes = machine[SPARSE_P] if sparse else machine[LANES]
    scale = machine[SPARSE_SCALE] if sparse else machine[LANES_SCALE]
    shift = machine[SPARSE_SHIFT] if sparse else machine[LANES_SHIFT]
    regular = BY_ENTRIES if sparse else BY_LANES
    distinct = machine[SPARSE_R] if sparse and machine[SPARSE_R] < lanes else 0
    accepted = accept(scratch, machine[UNIT_QUEUE] + 1, unit, issue, r.unit_free[unit])
    if accepted > issue:
        book(r, BY_UNIT, issue, accepted, retired)
    binding = _binding(r, code, i)
    clear = hazard_clear(r, code, i)
    safe = clear
    if binding >= 0:
        clear = larger(clear, r.usable_all[binding])
    start = accepted
    if code[i + PLAIN] == 0 or clear > accepted:
        first = larger(element, 0)
        operand = element_operand(r, scratch, code, i, s, first)
        hazard = element_hazard(r, scratch, code, i, s, first)
        if code[i + PLAIN] == 0:
            operand = larger(operand, whole_operand(r, code, i))
            hazard = larger(hazard, whole_hazard(r, code, i))
            if slice_ >= 0:
                operand = larger(operand, r.slice_accumulator[slice_])
                hazard = larger(hazard, r.slice_taken[slice_] + 1)
        start = larger(accepted, larger(operand, hazard))
        if start > accepted:
            book(r, element_cause(start, operand), accepted, start, retired)
    latency = code[i + LATENCY]
    last, busy = start, 1
    if element >= 0:
        pass_one(w, r, code, i, s, element, start, start + latency)
    elif distinct == 0 and clear <= start:
        pass_elements(w, scratch, code, i, n, regular, start, latency)
        last = start + ((n - 1) * scale >> 32)
        busy = last - start + 1
    else:
        track, add = NONE, 0
        if safe <= start and binding >= 0 and scratch.usable_count[binding] >= n:
            track, add = scratch.usable_track[binding], scratch.usable_add[binding]
            if track >= 0 and (
                scratch.tracks[track * s] + add != start
                or not _others_are_clear(r, scratch, code, i, binding, n, start)
            ):
                track = NONE
        # So few entries a cycle never touch as many rows as the unit may.
        few = distinct == 0 or (track >= 0 and scratch.track_pace[track] < distinct)
        if track >= 0 and few and scratch.track_pace[track] < lanes:
            last = scratch.tracks[track * s + n - 1] + add
            book(r, BY_VECTOR, start, last, retired)
            busy = cycles_in(scratch, track, s, n)
        elif track >= 0 and few and track < FIRST_FREE and scratch.track_pace[track] == lanes:
            last = scratch.tracks[track * s + n - 1] + add
            busy = last - start + 1
        else:
            track = _start_each(w, i, n, start, lanes, scale, shift, distinct, regular, retired)
            add = start if track < FIRST_FREE else 0
            last, busy = scratch.tracks[track * s + n - 1] + add, outcome[BUSY]
        pass_elements(w, scratch, code, i, n, track, add, latency)
    result = last + _result_latency(code, i, n)
    r.unit_busy[unit] += busy
    r.unit_free[unit] = last + 1
    if slice_ >= 0:
        r.slice_usable[slice_] = larger(r.slice_usable[slice_], result)
    complete(r, scratch, code, i, last, result)
    outcome[ACCEPT], outcome[START], outcome[LAST], outcome[RETIRE] = accepted, start, result, result
    outcome[FIRST] = result if timing == REDUCTION else start + latency


def _make_chain(sums: bool) -> Any:
    """Give the function that times a ``CHAIN`` of one of the two kinds."""

    @inline
    def time_chain(w: Any, i: Any, n: Any, issue: Any, retired: Any) -> Any:
        """Time a ``CHAIN`` that nothing or one operand holds up; else give False, nothing done."""
        r, scratch = record_of(w), scratch_of(w)
        code, machine, outcome, tracks = scratch.program, scratch.machine, scratch.outcome, scratch.tracks
        unit, depth, latency = code[i + UNIT], machine[UNIT_QUEUE] + 1, code[i + LATENCY]
        accepted = larger(issue, larger(r.unit_free[unit], accepted_last(scratch, depth, unit)))
        v, d, safe = code[i + READS + 1], 0, 0
        binding, until, others = v, r.usable_all[v], 0
        if not sums:
            d = code[i + WRITES + 1]
            safe = larger(r.usable_all[d], r.taken_all[d] + 1)
            for u in (code[i + SECOND], code[i + THIRD]):
                if r.usable_all[u] > until:
                    binding, until, others = u, r.usable_all[u], until
                elif u != binding:
                    others = larger(others, r.usable_all[u])
        track, add, start = BY_LANES, accepted, accepted
        if larger(until, safe) <= accepted:
            last = accepted + ((n - 1) * machine[LANES_SCALE] >> 32)
            busy = last - accepted + 1
            waited = accepted
        else:
            track, add, lanes = scratch.usable_track[binding], scratch.usable_add[binding], machine[LANES]
            if track < 0 or scratch.usable_count[binding] < n:
                return False
            at, pace = track * machine[SECTION_SIZE], scratch.track_pace[track]
            start, last = tracks[at] + add, tracks[at + n - 1] + add
            regular = track < FIRST_FREE and pace == lanes
            if pace >= lanes and not regular:
                return False
            if start < larger(larger(accepted, safe), larger(others, scratch.usable_floor[binding])):
                return False
            busy = last - start + 1 if regular else cycles_in(scratch, track, machine[SECTION_SIZE], n)
            waited = start if regular else last
        push_accepted(scratch, depth, unit, accepted)
        if accepted > issue:
            book(r, BY_UNIT, issue, accepted, retired)
        book(r, BY_VECTOR, accepted, waited, retired)
        take(w, scratch, v, track, add, n)
        r.taken_all[v] = larger(r.taken_all[v], last)
        r.unit_busy[unit] += busy
        r.unit_free[unit] = last + 1
        result = last + latency
        if sums:
            result = last + _result_latency(code, i, n)
            r.ready[code[i + LATE + 1]] = result
            outcome[FIRST] = result
        else:
            for u in (code[i + SECOND], code[i + THIRD]):
                if u != v:
                    take(w, scratch, u, track, add, n)
                    r.taken_all[u] = larger(r.taken_all[u], last)
            give(w, scratch, d, track, add + latency, n)
            r.usable_all[d] = larger(r.usable_all[d], result)
            r.usable_accumulator[d] = larger(r.usable_accumulator[d], result)
            outcome[FIRST] = start + latency
        outcome[ACCEPT], outcome[START], outcome[LAST], outcome[RETIRE] = accepted, start, result, result
        return True

    return time_chain


time_plain_chain, time_sum_chain = _make_chain(False), _make_chain(True)
