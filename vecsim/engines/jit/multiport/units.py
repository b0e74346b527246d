"""Arithmetic and sparse units ahead of the clock.

An element has its cycle as soon as those that it waits for have theirs.

Such a unit shares nothing with others, so the time of its elements follows from those of their operands, and
that of a dispatch from the end of the instruction before.
"""

from __future__ import annotations

from typing import Any

from isa.declaration import Unit
from vecsim.engines.jit.compiler.functions import apart
from vecsim.engines.jit.multiport.entries import time_entries
from vecsim.engines.jit.multiport.wake_ups import book, wake, wake_followers
from vecsim.engines.jit.state import ISSUE, PORT, UNIT
from vecsim.engines.rules.arithmetic import end_arithmetic, start_first, step_arithmetic
from vecsim.engines.rules.hazards import first_blocked
from vecsim.engines.rules.numbers import NEVER, larger, smaller
from vecsim.engines.rules.operands import clear_from, whole_hazard, whole_operand
from vecsim.engines.rules.queues import dispatch_next
from vecsim.engines.rules.renaming import instruction_of
from vecsim.engines.rules.sparse import end_sparse, step_sparse
from vecsim.engines.rules.units import kind_of
from vecsim.engines.state import causes

ADD, SPARSE = int(Unit.ADD), int(Unit.SPARSE)


def advance_units(r: Any, cycle: Any) -> Any:
    """Time what can be timed in the units that something has happened to; return whether there are any."""
    happened, again = False, True
    while again:
        again = False
        for unit in range(ADD, r.machine.units):
            if r.wake_ups[UNIT + unit] != NEVER:
                r.wake_ups[UNIT + unit] = NEVER
                _advance(r, unit, cycle)
                happened = again = True
    return happened


@apart
def _advance(r: Any, unit: Any, cycle: Any) -> None:
    """Time all that can be timed in a unit, one instruction after the other."""
    state = r.units[unit]
    while True:
        if state.slot < 0:
            if state.queued == 0:
                return
            dispatch_next(r, unit, state.free_at)
            r.scratch.handed_units = 0
            wake(r, ISSUE, cycle + 1)
        slot = r.slots[state.slot]
        if slot.blocked > 0:
            return
        if kind_of(r, unit) == SPARSE and _is_simple(r, slot):
            begin = slot.element
            time_entries(r, slot, unit, cycle)
            if slot.element > begin:
                r.scratch.started = slot.number + 1
                wake_followers(r, cycle + 1)
                if slot.element == slot.elements:
                    awaited = slot.followers > 0
                    end_sparse(r, slot, unit)
                    if awaited:
                        look_at_all(r, cycle)
                    continue
            return
        if kind_of(r, unit) == SPARSE:
            step_sparse(r, unit, cycle)
        elif r.scratch.timeline == 2 or not _is_plain(instruction_of(r, slot)):
            step_arithmetic(r, unit, cycle)
        else:
            begin = slot.element
            _time_elements(r, slot, unit, cycle)
            if slot.element > begin:
                r.scratch.started = slot.number + 1
                wake_followers(r, cycle + 1)
                if slot.element == slot.elements:
                    awaited = slot.followers > 0
                    end_arithmetic(r, slot, unit)
                    if awaited:
                        look_at_first(r, cycle)
                    continue
            return
        if r.scratch.started > 0:
            wake_followers(r, cycle + 1)
        if state.slot >= 0:
            return
        look_at_all(r, cycle)


def _is_simple(r: Any, slot: Any) -> Any:
    """Return whether entries come from up to two registers, and no slice is in use before the first."""
    instruction = instruction_of(r, slot)
    few = len(instruction.reads) <= 2 and len(instruction.writes) == 0
    return few and slot.slice_waits == 0 and instruction.masked != 1 and r.scratch.timeline < 2


def _is_plain(instruction: Any) -> Any:
    """Return whether an instruction reads up to three registers and writes one, each element in its turn."""
    few = len(instruction.reads) <= 3 and len(instruction.writes) <= 1
    return few and instruction.interval == 1 and instruction.pair == 0 and instruction.masked != 1


def _time_elements(r: Any, slot: Any, unit: Any, cycle: Any) -> None:
    """Time the elements whose operands have their cycles, as :func:`step_arithmetic` does."""
    instruction = instruction_of(r, slot)
    latency, lanes, first = instruction.latency, r.machine.lanes, slot.first
    k, end, clear = first + slot.element, first + slot.elements, NEVER
    if slot.element_waits > 0:
        end = smaller(end, first_blocked(r, slot, k))
    else:
        clear = clear_from(r, instruction)
    if k >= end:
        return
    reads, writes = len(instruction.reads), len(instruction.writes)
    a = instruction.reads[0] if reads > 0 else 0
    b = instruction.reads[1] if reads > 1 else a
    c = instruction.reads[2] if reads > 2 else a
    d = instruction.writes[0] if writes > 0 else 0
    ready_a, ready_b, ready_c, ready_d = r.ready[a], r.ready[b], r.ready[c], r.ready[d]
    taken_a, taken_b, taken_c, taken_d = r.taken[a], r.taken[b], r.taken[c], r.taken[d]
    last, in_cycle, start = slot.cycle, slot.in_cycle, larger(cycle, slot.dispatched_at)
    busy, operands, hazards, overlap = 0, 0, 0, instruction.overlap
    while k < end:
        free = last if in_cycle < lanes else last + 1
        if free < clear or k == first or free < start:
            operand, hazard = 0, 0
            if reads > 0:
                operand = ready_a[k]
                if reads > 1:
                    operand = larger(operand, larger(ready_b[k], ready_c[k]))
            if writes > 0:
                hazard = larger(ready_d[k] - overlap, taken_d[k] + 1)
            if k == first:
                operand = larger(operand, whole_operand(r, instruction, slot.slice))
                hazard = larger(hazard, whole_hazard(r, instruction, slot.slice))
            start = larger(larger(free, start), larger(operand, hazard))
            if k == first:
                start_first(r, slot, start, operand)
            elif start == operand:
                operands += start - free
            else:
                hazards += start - free
        else:
            start = free
        if reads > 0:
            taken_a[k] = larger(taken_a[k], start)
            if reads > 1:
                taken_b[k] = larger(taken_b[k], start)
                taken_c[k] = larger(taken_c[k], start)
        if writes > 0:
            ready_d[k] = start + latency
        if start > last:
            busy, in_cycle = busy + 1, 0
        in_cycle += 1
        last = start
        k += 1
    slot.element, slot.cycle, slot.in_cycle = k - first, last, in_cycle
    r.units[unit].busy += busy
    if operands + hazards > 0:
        account = r.accounts[slot.pc]
        book(slot, account, causes.VECTOR_RAW, operands)
        book(slot, account, causes.VECTOR_WAR_WAW, hazards)


@apart
def look_at_first(r: Any, cycle: Any) -> None:
    """Look again at all that has not begun, which may have waited for an instruction that left flight."""
    for unit in range(ADD, r.machine.units):
        number = r.units[unit].slot
        if number >= 0 and r.slots[number].element == 0:
            wake(r, UNIT + unit, cycle + 1)
    for port in range(r.machine.ports):
        if r.ports[port].accesses > 0 and r.slots[r.accesses[port][0]].word == 0:
            wake(r, PORT + port, cycle + 1)


@apart
def look_at_all(r: Any, cycle: Any) -> None:
    """Look at all units and ports again, for an instruction has left flight that they may have waited for."""
    for unit in range(ADD, r.machine.units):
        if r.units[unit].slot >= 0:
            wake(r, UNIT + unit, cycle + 1)
    for port in range(r.machine.ports):
        if r.ports[port].accesses > 0:
            wake(r, PORT + port, cycle + 1)
