"""Arithmetic and sparse instructions that have no closed form as a whole, timed to their end at issue.

Elements start one after the other when what they read and write is free. Two patterns need no look at each
element: nothing waits (``lanes`` elements a cycle), and every element starts as soon as its operands have
come. Entries of a sparse instruction add to rows: as many in a cycle as the unit may touch.
"""

from __future__ import annotations

from typing import Any

from isa.declaration import Timing
from vecsim.engines.jit.compiler.functions import function, inline, larger, raised
from vecsim.engines.jit.rules import compiled_rule
from vecsim.engines.jit.single_port.accounts import book, element_cause, note_times
from vecsim.engines.jit.single_port.port import dispatch
from vecsim.engines.jit.single_port.registers import (
    READ,
    complete,
    cycles_in,
    element_hazard,
    element_operand,
    hazard_clear,
    new_schedule,
    pass_elements,
    pass_one,
    whole_hazard,
    whole_operand,
    write_operand_schedules,
)
from vecsim.engines.jit.state import BY_ENTRIES, BY_LANES, SHIFTED
from vecsim.engines.rules import arithmetic, sparse
from vecsim.engines.state import causes
from vecsim.engines.state.row import NONE

REDUCTION, SPARSE = int(Timing.REDUCTION), int(Timing.SPARSE)
result_latency = compiled_rule(arithmetic.result_latency)
row_is_new = compiled_rule(sparse.row_is_new)


@inline
def _is_new(row: Any, k: Any, in_cycle: Any, highest: Any) -> Any:
    """Return 1 if no entry before entry k in its cycle adds to its row, otherwise 0; a negative row is none.

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

    Gives their schedule, and leaves in ``outcome`` the number of cycles.
    """
    row = r.row
    schedule = new_schedule(r, lanes)
    cycles = r.schedules[schedule]
    cycle, in_cycle, rows, highest = start, 0, 0, -1
    for k in range(n):
        new = _is_new(row, k, in_cycle, highest)
        if in_cycle == lanes or rows + new > distinct:
            cycle, in_cycle, rows, highest = cycle + 1, 0, 0, -1
            new = 1 if row[k] >= 0 else 0
        rows, in_cycle, highest = rows + new, in_cycle + 1, larger(highest, row[k])
        cycles[k] = cycle
    r.outcome.busy = cycle - start + 1
    return schedule


@inline
def _collect(r: Any, instruction: Any, operand: Any, n: Any) -> None:
    """List from when each element's operands are ready and from when it may be written."""
    hazard = r.hazards
    for k in range(n):
        operand[k] = hazard[k] = 0
    for v in instruction.reads:
        ready, bound = r.ready[v], r.scheduled[v].ready_bound
        for k in range(n):
            operand[k] = raised(operand[k], larger(ready[k], bound))
    for v in instruction.writes:
        ready, taken = r.ready[v], r.taken[v]
        bound = larger(r.scheduled[v].ready_bound, r.scheduled[v].taken_bound + 1)
        for k in range(n):
            hazard[k] = raised(hazard[k], larger(larger(ready[k], taken[k] + 1), bound))


@inline
def _nothing_is_late(r: Any, operand: Any, n: Any, start: Any, scale: Any, shift: Any) -> Any:
    """Return whether elements can start from ``start`` on at the unit's full rate."""
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
    """Return whether operands come in order and never this many in a cycle that the unit is full."""
    bad = 0
    for k in range(1, n):
        bad |= operand[k] < operand[k - 1]
    for k in range(lanes - 1, n):
        bad |= operand[k] <= operand[k - lanes + 1]
    return bad == 0


@inline
def _one_by_one(
    r: Any, instruction: Any, cycles: Any, n: Any, start: Any, lanes: Any, distinct: Any, retired: Any
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
            book(r, instruction, element_cause(now, operand), free, now, retired)
        if now > cycle:
            cycle, in_cycle, rows, highest = now, 0, 0, -1
            new = 1 if distinct > 0 and row[k] >= 0 else 0
            busy += 1
        rows, in_cycle, highest = rows + new, in_cycle + 1, larger(highest, row[k])
        cycles[k] = now
    return busy


@inline
def _binding(r: Any, instruction: Any) -> Any:
    """Return the register read element by element whose last element comes last; NONE if none is read."""
    v = instruction.reads[0]
    for k in range(1, READ):
        u = instruction.reads[k]
        if u >= 0 and r.vectors[u].ready_at > r.vectors[v].ready_at:
            v = u
    return v


@inline
def _others_are_clear(r: Any, instruction: Any, binding: Any, n: Any, start: Any) -> Any:
    """Return whether no register but ``binding`` holds up an element that starts with binding's own."""
    schedule, add = r.scheduled[binding].ready_schedule, r.scheduled[binding].ready_add
    clear = True
    for k in range(READ):
        v = instruction.reads[k]
        if v >= 0 and r.vectors[v].ready_at > start:
            same = (r.scheduled[v].ready_schedule == schedule) & (r.scheduled[v].ready_count >= n)
            clear &= same & (r.scheduled[v].ready_add <= add)
    return clear


@function
def _start_each(
    r: Any, instruction: Any, n: Any, start: Any, lanes: Any, distinct: Any, regular: Any, retired: Any
) -> Any:
    """Start the elements when their own operands and hazards let them; return their schedule.

    ``regular`` is the schedule of a unit in which nothing waits. The number of cycles in which elements
    started is left in ``outcome``.
    """
    machine, by_entries = r.machine, regular == BY_ENTRIES
    scale = machine.sparse_scale if by_entries else machine.lanes_scale
    shift = machine.sparse_shift if by_entries else machine.lanes_shift
    write_operand_schedules(r, instruction)
    schedule = new_schedule(r, lanes)
    cycles = r.schedules[schedule]
    _collect(r, instruction, cycles, n)
    if distinct == 0 and _nothing_is_late(r, cycles, n, start, scale, shift):
        r.outcome.busy = ((n - 1) * scale >> 32) + 1
        return regular
    safe = hazard_clear(r, instruction) <= start
    if distinct == 0 and lanes > 1 and cycles[0] == start and safe and _follows(cycles, n, lanes):
        book(r, instruction, causes.VECTOR_RAW, start, cycles[n - 1], retired)
        r.outcome.busy = cycles_in(r, schedule, n)
    else:
        r.outcome.busy = _one_by_one(r, instruction, cycles, n, start, lanes, distinct, retired)
    return schedule


@inline
def _start_first(r: Any, instruction: Any, element: Any, slice_: Any, dispatched: Any, retired: Any) -> Any:
    """Start the first element of an instruction; return its cycle."""
    operand = larger(element_operand(r, instruction, element), whole_operand(r, instruction, slice_))
    hazard = larger(element_hazard(r, instruction, element), whole_hazard(r, instruction, slice_))
    start = larger(dispatched, larger(operand, hazard))
    if start > dispatched:
        book(r, instruction, element_cause(start, operand), dispatched, start, retired)
    return start


@inline
def _finish(r: Any, instruction: Any, slice_: Any, last: Any, result: Any, busy: Any) -> None:
    """Note that an instruction, with elements in ``busy`` cycles up to ``last``, leaves its unit."""
    unit = instruction.unit
    r.units[unit].busy += busy
    r.units[unit].free_at = last + 1
    if slice_ >= 0:
        r.slices[slice_].ready_at = larger(r.slices[slice_].ready_at, result)
    complete(r, instruction, last, result)


@function
def time_one(r: Any, instruction: Any, element: Any, slice_: Any, issue: Any, retired: Any) -> None:
    """Time an instruction of the one element ``element`` that issued in cycle ``issue``."""
    dispatched = dispatch(r, instruction, issue, retired)
    start = _start_first(r, instruction, element, slice_, dispatched, retired)
    result = start + instruction.latency
    pass_one(r, instruction, element, start, result)
    _finish(r, instruction, slice_, start, result, 1)
    note_times(r, dispatched, start, result, result)


@function
def time_arithmetic(r: Any, instruction: Any, n: Any, slice_: Any, issue: Any, retired: Any) -> None:
    """Time n elements, from element 0 on, of an instruction that issued in cycle ``issue``."""
    machine, outcome, latency = r.machine, r.outcome, instruction.latency
    timing = instruction.timing
    entries = timing == SPARSE
    lanes = machine.sparse_unit_p if entries else machine.lanes
    scale = machine.sparse_scale if entries else machine.lanes_scale
    regular = BY_ENTRIES if entries else BY_LANES
    distinct = machine.sparse_unit_r if entries and machine.sparse_unit_r < lanes else 0
    start = dispatched = dispatch(r, instruction, issue, retired)
    binding = _binding(r, instruction)
    clear = safe = hazard_clear(r, instruction)
    if binding >= 0:
        clear = larger(clear, r.vectors[binding].ready_at)
    if instruction.plain == 0 or clear > dispatched:
        start = _start_first(r, instruction, 0, slice_, dispatched, retired)
    schedule, add, last = regular, start, start + ((n - 1) * scale >> 32)
    busy = last - start + 1
    if clear <= start:
        if distinct > 0:
            schedule, add = _fill_cycles(r, n, start, lanes, distinct), 0
            last, busy = r.schedules[schedule][n - 1], outcome.busy
    else:
        followed, later = NONE, 0
        if safe <= start and binding >= 0 and r.scheduled[binding].ready_count >= n:
            followed, later = r.scheduled[binding].ready_schedule, r.scheduled[binding].ready_add
            if followed >= 0 and (
                r.schedules[followed][0] + later != start
                or not _others_are_clear(r, instruction, binding, n, start)
            ):
                followed = NONE
        # So few entries a cycle never touch as many rows as the unit may.
        few = followed >= 0 and (distinct == 0 or r.pace[followed] < distinct)
        if few and r.pace[followed] < lanes:
            schedule, add = followed, later
            last = r.schedules[schedule][n - 1] + add
            book(r, instruction, causes.VECTOR_RAW, start, last, retired)
            busy = cycles_in(r, schedule, n)
        elif not few or followed >= SHIFTED:
            schedule = _start_each(r, instruction, n, start, lanes, distinct, regular, retired)
            add = start if schedule < SHIFTED else 0
            last, busy = r.schedules[schedule][n - 1] + add, outcome.busy
    pass_elements(r, instruction, n, schedule, add, latency)
    result = last + result_latency(instruction, n)
    _finish(r, instruction, slice_, last, result, busy)
    note_times(r, dispatched, start, result if timing == REDUCTION else start + latency, result)
