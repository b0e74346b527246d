"""Arithmetic and sparse instructions of a machine with one port, timed to their end at issue.

Elements start one after the other when what they read and write is free. Two patterns have a closed form:
nothing waits (``lanes`` elements a cycle), and every element starts as soon as its operands have come.
"""

from __future__ import annotations

from typing import Any

from isa.declaration import Timing
from vecsim.engines.columns import BY_UNIT, BY_VECTOR
from vecsim.engines.jit.accounts import book, element_cause
from vecsim.engines.jit.code import (
    LANES,
    LANES_SCALE,
    LANES_SHIFT,
    LATENCY,
    PLAIN,
    READS,
    SECTION_SIZE,
    SPARSE_P,
    SPARSE_R,
    SPARSE_SCALE,
    SPARSE_SHIFT,
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
    operand_clear,
    whole_hazard,
    whole_operand,
)
from vecsim.engines.jit.outcome import ACCEPT, FIRST, LAST, RETIRE, START
from vecsim.engines.jit.rings import accept
from vecsim.engines.jit.world import function, inline, record_of, scratch_of, state_of

REDUCTION, SPARSE = int(Timing.REDUCTION), int(Timing.SPARSE)

FEW = 8
"""Up to so many elements are quicker timed one by one than by a closed form."""


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
def _pass_regularly(
    r: Any, code: Any, i: Any, s: Any, first: Any, n: Any, start: Any, scale: Any, shift: Any, latency: Any
) -> None:
    """Let n elements from ``first`` on start without waiting from ``start`` on."""
    for j in range(code[i + READS]):
        at = code[i + READS + 1 + j] * s + first
        if shift >= 0:
            for k in range(n):
                r.taken[at + k] = raised(r.taken[at + k], start + (k >> shift))
        else:
            for k in range(n):
                r.taken[at + k] = raised(r.taken[at + k], start + (k * scale >> 32))
    for j in range(code[i + WRITES]):
        at = code[i + WRITES + 1 + j] * s + first
        if shift >= 0:
            for k in range(n):
                r.usable[at + k] = start + latency + (k >> shift)
        else:
            for k in range(n):
                r.usable[at + k] = start + latency + (k * scale >> 32)


@inline
def _pass_at(r: Any, code: Any, i: Any, s: Any, first: Any, n: Any, cycles: Any, latency: Any) -> None:
    """Let n elements from ``first`` on start in the cycles given."""
    for j in range(code[i + READS]):
        at = code[i + READS + 1 + j] * s + first
        for k in range(n):
            r.taken[at + k] = raised(r.taken[at + k], cycles[k])
    for j in range(code[i + WRITES]):
        at = code[i + WRITES + 1 + j] * s + first
        for k in range(n):
            r.usable[at + k] = cycles[k] + latency


@inline
def _collect(r: Any, scratch: Any, code: Any, i: Any, s: Any, first: Any, n: Any) -> None:
    """List from when each element's operands are usable and from when it may be written."""
    operand, hazard = scratch.cycles, scratch.hazards
    v = code[i + READS + 1]
    if v >= 0:
        at, floor = v * s + first, scratch.usable_floor[v]
        for k in range(n):
            operand[k] = larger(r.usable[at + k], floor)
    else:
        for k in range(n):
            operand[k] = 0
    for j in range(1, code[i + READS]):
        v = code[i + READS + 1 + j]
        at, floor = v * s + first, scratch.usable_floor[v]
        for k in range(n):
            operand[k] = raised(operand[k], larger(r.usable[at + k], floor))
    v = code[i + WRITES + 1]
    if v >= 0:
        at, floor = v * s + first, larger(scratch.usable_floor[v], scratch.taken_floor[v] + 1)
        for k in range(n):
            hazard[k] = larger(larger(r.usable[at + k], r.taken[at + k] + 1), floor)
    else:
        for k in range(n):
            hazard[k] = 0
    for j in range(1, code[i + WRITES]):
        v = code[i + WRITES + 1 + j]
        at, floor = v * s + first, larger(scratch.usable_floor[v], scratch.taken_floor[v] + 1)
        for k in range(n):
            hazard[k] = raised(hazard[k], larger(larger(r.usable[at + k], r.taken[at + k] + 1), floor))


@inline
def _nothing_is_late(scratch: Any, n: Any, start: Any, scale: Any, shift: Any) -> Any:
    """Tell whether elements can start from ``start`` on at the unit's full rate."""
    operand, hazard = scratch.cycles, scratch.hazards
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
    r: Any, m: Any, scratch: Any, n: Any, start: Any, lanes: Any, distinct: Any, retired: Any
) -> Any:
    """Start elements 1 to n - 1 after each other; their cycles replace the operands' in ``cycles``.

    ``distinct`` is the number of rows that a cycle may touch, 0 for any. Gives the number of
    cycles in which elements started.
    """
    cycles, hazard, row = scratch.cycles, scratch.hazards, m.row
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
def _many(
    r: Any,
    m: Any,
    scratch: Any,
    code: Any,
    i: Any,
    s: Any,
    first: Any,
    n: Any,
    start: Any,
    lanes: Any,
    scale: Any,
    shift: Any,
    distinct: Any,
    retired: Any,
) -> tuple[Any, Any]:
    """Start elements by a closed form where there is one; give the last cycle and how many had a start."""
    latency, cycles = code[i + LATENCY], scratch.cycles
    safe = hazard_clear(r, code, i)
    regular = distinct == 0 and larger(safe, operand_clear(r, code, i)) <= start
    if not regular:
        _collect(r, scratch, code, i, s, first, n)
        regular = distinct == 0 and _nothing_is_late(scratch, n, start, scale, shift)
    if regular:
        _pass_regularly(r, code, i, s, first, n, start, scale, shift, latency)
        last = start + ((n - 1) * scale >> 32)
        return last, last - start + 1
    if distinct == 0 and lanes > 1 and cycles[0] == start and safe <= start and _follows(cycles, n, lanes):
        book(r, BY_VECTOR, start, cycles[n - 1], retired)
        busy = 1
        for k in range(1, n):
            busy += cycles[k] != cycles[k - 1]
    else:
        busy = _one_by_one(r, m, scratch, n, start, lanes, distinct, retired)
    _pass_at(r, code, i, s, first, n, cycles, latency)
    return cycles[n - 1], busy


@function
def time_arithmetic(w: Any, i: Any, n: Any, first: Any, slice_: Any, issue: Any, retired: Any) -> None:
    """Time n elements from element ``first`` on of an instruction that issued in cycle ``issue``."""
    m, r, scratch = state_of(w), record_of(w), scratch_of(w)
    code, machine, outcome = scratch.program, scratch.machine, scratch.outcome
    s, unit, timing = machine[SECTION_SIZE], code[i + UNIT], code[i + TIMING]
    sparse = timing == SPARSE
    lanes = machine[SPARSE_P] if sparse else machine[LANES]
    scale = machine[SPARSE_SCALE] if sparse else machine[LANES_SCALE]
    distinct = machine[SPARSE_R] if sparse and machine[SPARSE_R] < lanes else 0
    shift = machine[SPARSE_SHIFT] if sparse else machine[LANES_SHIFT]
    accepted = accept(scratch, machine[UNIT_QUEUE] + 1, unit, issue, r.unit_free[unit])
    if accepted > issue:
        book(r, BY_UNIT, issue, accepted, retired)
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
    last, busy = _many(r, m, scratch, code, i, s, first, n, start, lanes, scale, shift, distinct, retired)
    result = last + _result_latency(code, i, n)
    r.unit_busy[unit] += busy
    r.unit_free[unit] = last + 1
    if slice_ >= 0:
        r.slice_usable[slice_] = larger(r.slice_usable[slice_], result)
    complete(r, scratch, code, i, last, result)
    outcome[ACCEPT], outcome[START], outcome[LAST], outcome[RETIRE] = accepted, start, result, result
    outcome[FIRST] = result if timing == REDUCTION else start + code[i + LATENCY]


@function
def time_few(w: Any, i: Any, n: Any, issue: Any, retired: Any) -> None:
    """Time a few elements, one after the other, of an instruction whose row says ``SHORT``."""
    r, scratch = record_of(w), scratch_of(w)
    code, machine, outcome = scratch.program, scratch.machine, scratch.outcome
    s, lanes, unit, latency = machine[SECTION_SIZE], machine[LANES], code[i + UNIT], code[i + LATENCY]
    accepted = accept(scratch, machine[UNIT_QUEUE] + 1, unit, issue, r.unit_free[unit])
    if accepted > issue:
        book(r, BY_UNIT, issue, accepted, retired)
    v, u, d = code[i + READS + 1], code[i + READS + 2], code[i + WRITES + 1]
    two = u >= 0
    floor = scratch.usable_floor[v]
    if two:
        floor = larger(floor, scratch.usable_floor[u])
    exposed = d >= 0 and larger(r.usable_all[d], r.taken_all[d] + 1) > accepted
    above = larger(scratch.usable_floor[d], scratch.taken_floor[d] + 1) if exposed else 0
    v, u, d = v * s, u * s, d * s
    cycle, in_cycle, busy, hazard = accepted, 0, 1, 0
    for k in range(n):
        operand = larger(r.usable[v + k], floor)
        if two:
            operand = larger(operand, r.usable[u + k])
        if exposed:
            hazard = larger(above, larger(r.usable[d + k], r.taken[d + k] + 1))
        free = cycle + 1 if in_cycle == lanes else cycle
        now = larger(free, larger(operand, hazard))
        if now > free:
            book(r, element_cause(now, operand), free, now, retired)
        if k == 0:
            outcome[START] = now
        elif now > cycle:
            busy += 1
        in_cycle = 1 if now > cycle else in_cycle + 1
        cycle = now
        r.taken[v + k] = raised(r.taken[v + k], now)
        if two:
            r.taken[u + k] = raised(r.taken[u + k], now)
        if d >= 0:
            r.usable[d + k] = now + latency
    result = cycle + _result_latency(code, i, n)
    r.unit_busy[unit] += busy
    r.unit_free[unit] = cycle + 1
    complete(r, scratch, code, i, cycle, result)
    outcome[ACCEPT], outcome[LAST], outcome[RETIRE] = accepted, result, result
    outcome[FIRST] = result if code[i + TIMING] == REDUCTION else outcome[START] + latency
