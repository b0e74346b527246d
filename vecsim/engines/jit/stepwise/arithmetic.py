"""A pipelined arithmetic unit: ``lanes`` elements a cycle, in element order."""

from __future__ import annotations

from typing import Any

from isa.declaration import Timing
from vecsim.engines.columns import (
    BY_RAW,
    BY_UNIT,
    BY_WAR_WAW,
    CYCLE,
    DISPATCHED_AT,
    ELEMENT,
    ELEMENTS,
    FIRST,
    FIRST_READY,
    IN_CYCLE,
    ISSUED_AT,
    SLICE,
    SLOT_PC,
    START_CYCLE,
)
from vecsim.engines.jit.code import LANES, LATENCY, SECTION_SIZE, TIMING, WIDTH
from vecsim.engines.jit.functions import function, inline
from vecsim.engines.jit.integers import larger, smaller
from vecsim.engines.jit.stepwise.accounts import wait
from vecsim.engines.jit.stepwise.facts import facts_of
from vecsim.engines.jit.stepwise.flight import leave
from vecsim.engines.jit.stepwise.operands import (
    clear_from,
    element_hazard,
    element_operand,
    first_blocked,
    pass_elements,
    whole_hazard,
    whole_operand,
)
from vecsim.engines.jit.stepwise.places import (
    BLOCKED,
    ELEMENT_WAITS,
    ELEMENTS_STARTED,
    NEVER,
    PROGRESS,
    SLOT_COLUMNS,
)
from vecsim.engines.jit.views import record_of, scratch_of

REDUCTION = int(Timing.REDUCTION)


@function
def start_first(w: Any, slot: Any, cycle: Any, operand: Any) -> None:
    """Book the waits of an arithmetic or sparse instruction from issue to its first element.

    Parameters
    ----------
    cycle
        The cycle in which the element starts.
    operand
        The cycle from which all that it reads is ready.
    """
    row, at = record_of(w).slots, slot * SLOT_COLUMNS
    row[at + START_CYCLE] = cycle
    dispatched = row[at + DISPATCHED_AT]
    wait(w, slot, BY_UNIT, row[at + ISSUED_AT], dispatched)
    wait(w, slot, BY_RAW if operand == cycle else BY_WAR_WAW, dispatched, cycle)


@inline
def _result_latency(code: Any, i: Any, n: Any) -> Any:
    """Cycles from the start of the last element to the result; a sum adds the levels of its tree."""
    latency = code[i + LATENCY]
    if code[i + TIMING] == REDUCTION:
        while (n - 1) >> (latency - code[i + LATENCY]) > 0:
            latency += 1
    return latency


@inline
def _start_regularly(w: Any, slot: Any, i: Any, cycle: Any) -> None:
    """Start the elements of a new cycle, when nothing can hold them up."""
    r, scratch = record_of(w), scratch_of(w)
    code, machine = scratch.program, scratch.machine
    row, at = r.slots, slot * SLOT_COLUMNS
    element, n = row[at + ELEMENT], row[at + ELEMENTS]
    before = row[at + IN_CYCLE] if row[at + CYCLE] == cycle else 0
    end = smaller(n, element + machine[LANES] - before)
    first, latency = row[at + FIRST], code[i + LATENCY]
    pass_elements(r, code, i, machine[SECTION_SIZE], first + element, first + end, cycle, cycle + latency)
    row[at + ELEMENT], row[at + CYCLE], row[at + IN_CYCLE] = end, cycle, before + end - element


@inline
def _start_one_by_one(w: Any, slot: Any, i: Any, cycle: Any, limit: Any) -> Any:
    """Start the elements that can start in this cycle; give the cycle to go on in, NEVER if blocked."""
    r, scratch = record_of(w), scratch_of(w)
    code, machine = scratch.program, scratch.machine
    s, lanes, latency = machine[SECTION_SIZE], machine[LANES], code[i + LATENCY]
    row, at = r.slots, slot * SLOT_COLUMNS
    element, n, first = row[at + ELEMENT], row[at + ELEMENTS], row[at + FIRST]
    last_cycle, in_cycle = row[at + CYCLE], row[at + IN_CYCLE]
    wake = NEVER
    while element < n:
        k = first + element
        free = last_cycle if in_cycle < lanes else last_cycle + 1
        if k >= limit:
            wake = NEVER if free <= cycle else free
            break
        operand, hazard = element_operand(r, code, i, s, k), element_hazard(r, code, i, s, k)
        if element == 0:
            operand = larger(operand, whole_operand(r, code, i, row[at + SLICE]))
            hazard = larger(hazard, whole_hazard(r, code, i, row[at + SLICE]))
        start = larger(free, larger(operand, hazard))
        if start > cycle:
            wake = start
            break
        if element == 0:
            start_first(w, slot, cycle, operand)
            row[at + FIRST_READY] = cycle + latency
        elif free < cycle:
            wait(w, slot, BY_RAW if operand == cycle else BY_WAR_WAW, free, cycle)
        pass_elements(r, code, i, s, k, k + 1, cycle, cycle + latency)
        in_cycle = in_cycle + 1 if last_cycle == cycle else 1
        last_cycle = cycle
        element += 1
    row[at + ELEMENT], row[at + CYCLE], row[at + IN_CYCLE] = element, last_cycle, in_cycle
    return wake


@function
def step_arithmetic(w: Any, unit: Any, cycle: Any) -> Any:
    """Start the elements that can start in this cycle; give the cycle to look again."""
    r, scratch = record_of(w), scratch_of(w)
    code, machine, work = scratch.program, scratch.machine, scratch.outcome
    slot = r.unit_slot[unit]
    if slot < 0 or work[facts_of(machine, slot) + BLOCKED] > 0:
        return NEVER
    row, at = r.slots, slot * SLOT_COLUMNS
    i, begin, before = row[at + SLOT_PC] * WIDTH, row[at + ELEMENT], row[at + CYCLE]
    limit, wake = NEVER, NEVER
    if work[facts_of(machine, slot) + ELEMENT_WAITS] > 0:
        limit = first_blocked(w, slot, row[at + FIRST] + begin)
    free = before if row[at + IN_CYCLE] < machine[LANES] else before + 1
    if begin > 0 and limit == NEVER and free == cycle and clear_from(r, code, i) <= cycle:
        _start_regularly(w, slot, i, cycle)
        wake = cycle + 1
    else:
        wake = _start_one_by_one(w, slot, i, cycle, limit)
    if row[at + ELEMENT] > begin:
        r.unit_busy[unit] += 1 if before < cycle else 0
        work[PROGRESS] |= ELEMENTS_STARTED
    if row[at + ELEMENT] < row[at + ELEMENTS]:
        return wake
    result = cycle + _result_latency(code, i, row[at + ELEMENTS])
    r.unit_slot[unit] = -1
    r.unit_free[unit] = cycle + 1
    if code[i + TIMING] == REDUCTION:
        row[at + FIRST_READY] = result
    leave(w, slot, cycle, result, result)
    return NEVER
