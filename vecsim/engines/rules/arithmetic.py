"""A pipelined arithmetic unit: ``lanes`` elements a cycle, in order (docs/timing.md, "Arithmetic")."""

from __future__ import annotations

from typing import Any

from isa.declaration import Timing
from vecsim.engines.columns import causes, flight, instruction, parameter, work
from vecsim.engines.rules.accounts import book_wait, element_cause
from vecsim.engines.rules.flight import leave
from vecsim.engines.rules.hazards import first_blocked
from vecsim.engines.rules.numbers import NEVER, larger, smaller
from vecsim.engines.rules.operands import (
    clear_from,
    element_hazard,
    element_operand,
    pass_elements,
    whole_hazard,
    whole_operand,
)
from vecsim.engines.rules.renaming import row_of
from vecsim.engines.rules.starts import note_start

REDUCTION = int(Timing.REDUCTION)


def result_latency(r: Any, i: Any, n: Any) -> Any:
    """Give the cycles from the start of the last element to the result; a sum adds the levels of its tree."""
    latency = r.program[i + instruction.LATENCY]
    if r.program[i + instruction.TIMING] == REDUCTION:
        levels = 0
        while (n - 1) >> levels > 0:
            levels += 1
        latency += levels
    return latency


def start_first(r: Any, slot: Any, cycle: Any, operand: Any) -> None:
    """Book the waits of an arithmetic or sparse instruction from issue to its first element.

    Parameters
    ----------
    cycle
        The cycle in which the element starts.
    operand
        The cycle from which all that it reads is ready.
    """
    at = slot * flight.COLUMNS
    dispatched = r.slots[at + flight.DISPATCHED_AT]
    i = r.slots[at + flight.PC] * instruction.WIDTH
    r.slots[at + flight.START_CYCLE] = cycle
    r.slots[at + flight.FIRST_READY] = cycle + r.program[i + instruction.LATENCY]
    book_wait(r, slot, causes.UNIT, r.slots[at + flight.ISSUED_AT], dispatched)
    book_wait(r, slot, element_cause(cycle, operand), dispatched, cycle)


def _start_elements(r: Any, slot: Any, unit: Any, i: Any, cycle: Any, limit: Any) -> Any:
    """Start the elements before ``limit`` that can start in this cycle; give the cycle to go on in.

    Without a limit nothing that is not yet known can hold up an element, so all that are left are timed now.
    """
    at, lanes, latency = slot * flight.COLUMNS, r.machine[parameter.LANES], r.program[i + instruction.LATENCY]
    element, n = r.slots[at + flight.ELEMENT], r.slots[at + flight.ELEMENTS]
    last_cycle, in_cycle = r.slots[at + flight.CYCLE], r.slots[at + flight.IN_CYCLE]
    first, slice_ = r.slots[at + flight.FIRST], r.slots[at + flight.SLICE]
    clear = clear_from(r, i) if limit == NEVER else NEVER
    wake = NEVER
    while element < n:
        k, count = first + element, 1
        free = last_cycle if in_cycle < lanes else last_cycle + 1
        if k >= limit:
            wake = NEVER if free <= cycle else free
            break
        if element > 0 and clear <= free and cycle <= free:
            cycle = free
            count = smaller(n - element, lanes - in_cycle if free == last_cycle else lanes)
        else:
            operand, hazard = element_operand(r, i, k), element_hazard(r, i, k)
            if element == 0:
                operand = larger(operand, whole_operand(r, i, slice_))
                hazard = larger(hazard, whole_hazard(r, i, slice_))
            start = larger(free, larger(operand, hazard))
            if start > cycle:
                if limit != NEVER:
                    wake = start
                    break
                cycle = start
            if element == 0:
                start_first(r, slot, cycle, operand)
            elif free < cycle:
                book_wait(r, slot, element_cause(cycle, operand), free, cycle)
        pass_elements(r, i, k, k + count, cycle, cycle + latency)
        if last_cycle < cycle:
            r.unit_busy[unit] += 1
            note_start(r, slot, -1, cycle)
        in_cycle = in_cycle + count if last_cycle == cycle else count
        last_cycle = cycle
        element += count
    r.slots[at + flight.ELEMENT], r.slots[at + flight.CYCLE] = element, last_cycle
    r.slots[at + flight.IN_CYCLE] = in_cycle
    return wake


def step_arithmetic(r: Any, unit: Any, cycle: Any) -> Any:
    """Start the elements that can start in this cycle; give the cycle to look again."""
    slot = r.unit_slot[unit]
    if slot < 0 or r.facts[slot * flight.FACTS + flight.BLOCKED] > 0:
        return NEVER
    at, limit = slot * flight.COLUMNS, NEVER
    i, begin = row_of(r, slot), r.slots[at + flight.ELEMENT]
    if r.facts[slot * flight.FACTS + flight.ELEMENT_WAITS] > 0:
        limit = first_blocked(r, slot, r.slots[at + flight.FIRST] + begin)
    wake = _start_elements(r, slot, unit, i, cycle, limit)
    n = r.slots[at + flight.ELEMENTS]
    if r.slots[at + flight.ELEMENT] > begin:
        r.work[work.STARTED] = slot + 1
    if r.slots[at + flight.ELEMENT] < n:
        return wake
    result = r.slots[at + flight.CYCLE] + result_latency(r, i, n)
    if r.program[i + instruction.TIMING] == REDUCTION:
        r.slots[at + flight.FIRST_READY] = result
    leave_unit(r, slot, unit, result)
    return NEVER


def leave_unit(r: Any, slot: Any, unit: Any, result: Any) -> None:
    """Take an instruction, whose elements have all been timed, out of an arithmetic or sparse unit."""
    last = r.slots[slot * flight.COLUMNS + flight.CYCLE]
    r.unit_slot[unit] = -1
    r.unit_free[unit] = last + 1
    leave(r, slot, last, result, result)
