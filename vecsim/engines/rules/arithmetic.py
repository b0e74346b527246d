"""A pipelined arithmetic unit: ``lanes`` elements a cycle, in order (docs/timing.md, "Arithmetic")."""

from __future__ import annotations

from isa.declaration import Timing
from vecsim.engines.rules.accounts import book_wait, element_cause
from vecsim.engines.rules.flight import is_masked_off, leave
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
from vecsim.engines.rules.renaming import instruction_of
from vecsim.engines.rules.starts import note_start
from vecsim.engines.state import causes
from vecsim.engines.state.flight import Slot
from vecsim.engines.state.instruction import Instruction
from vecsim.engines.state.run import Run

REDUCTION = int(Timing.REDUCTION)


def result_latency(instruction: Instruction, n: int) -> int:
    """Return the cycles from the start of the last element to the result ("Arithmetic").

    A sum adds the levels of its tree.
    """
    latency = instruction.latency
    if instruction.timing == REDUCTION:
        levels = 0
        while (n - 1) >> levels > 0:
            levels += 1
        latency += levels
    return latency


def start_first(r: Run, slot: Slot, cycle: int, operand: int) -> None:
    """Book the waits of a vector operation up to its first element ("Waits and cycle attribution").

    Parameters
    ----------
    cycle
        The cycle in which the element starts.
    operand
        The cycle from which all that it reads is ready.
    """
    slot.start_cycle = cycle
    instruction = r.program[slot.pc]
    slot.first_ready = cycle + larger(instruction.latency, instruction.interval)
    book_wait(r, slot, causes.UNIT, slot.issued_at, slot.dispatched_at)
    book_wait(r, slot, element_cause(cycle, operand), slot.dispatched_at, cycle)


def _start_elements(r: Run, slot: Slot, unit: int, cycle: int, limit: int) -> int:
    """Start the elements before ``limit`` that can start in this cycle ("Arithmetic", "Masks").

    Returns the cycle to go on in. Without a limit nothing that is not yet known can hold up an element, so
    all that are left are timed now. An engine that times ahead times all before the limit now.
    """
    instruction, ahead = instruction_of(r, slot), limit == NEVER or r.scratch.times_ahead == 2
    lanes, interval = r.machine.lanes, instruction.interval
    latency = larger(instruction.latency, interval)
    element, n = slot.element, slot.elements
    last_cycle, in_cycle = slot.cycle, slot.in_cycle
    skips = instruction.masked == 1 and r.machine.masked_elements == 1
    clear, wake = NEVER if limit != NEVER or skips else clear_from(r, instruction), NEVER
    while element < n:
        k, count = slot.first + element, 1
        if skips and is_masked_off(r, slot, instruction, k, k + 1):
            count = 0
        free = last_cycle if in_cycle + count <= lanes else last_cycle + interval
        if k >= limit:
            wake = NEVER if ahead or free <= cycle else free
            break
        if element > 0 and clear <= free and cycle <= free:  # no register holds up the rest
            cycle = free
            count = smaller(n - element, lanes - in_cycle if free == last_cycle else lanes)
        else:
            operand, hazard = element_operand(r, instruction, k), element_hazard(r, instruction, k)
            if element == 0:
                operand = larger(operand, whole_operand(r, instruction, slot.slice))
                hazard = larger(hazard, whole_hazard(r, instruction, slot.slice))
            start = larger(free, larger(operand, hazard))
            if interval > 1 and element > 0 and larger(start, cycle) > last_cycle:
                free = last_cycle + interval
                start = larger(start, free)
            if start > cycle:
                if not ahead:
                    wake = start
                    break
                cycle = start
            if element == 0:
                start_first(r, slot, cycle, operand)
            elif free < cycle:
                book_wait(r, slot, element_cause(cycle, operand), free, cycle)
        passed = larger(count, 1)
        ready = cycle + latency
        if instruction.pair > 0 and element + passed == n:  # a last element that lacks values is done earlier
            ready = cycle + larger(instruction.latency, interval + slot.recovery)
        pass_elements(r, instruction, k, k + passed, cycle, ready)
        if last_cycle < cycle:
            r.units[unit].busy += 1
            note_start(r, slot, -1, cycle)
        in_cycle = in_cycle + count if last_cycle == cycle else count
        last_cycle = cycle
        element += passed
    slot.element, slot.cycle, slot.in_cycle = element, last_cycle, in_cycle
    return wake


def step_arithmetic(r: Run, unit: int, cycle: int) -> int:
    """Start the elements that can start in this cycle ("Arithmetic"); return the cycle to look again."""
    if r.units[unit].slot < 0:
        return NEVER
    slot = r.slots[r.units[unit].slot]
    if slot.blocked > 0:
        return NEVER
    if slot.dispatched_at > cycle:  # by an engine that times ahead
        if r.scratch.times_ahead < 2:
            return slot.dispatched_at
        cycle = slot.dispatched_at
    begin, limit = slot.element, NEVER
    if slot.element_waits > 0:
        limit = first_blocked(r, slot, slot.first + begin)
    wake = _start_elements(r, slot, unit, cycle, limit)
    if slot.element > begin:
        r.scratch.started = slot.number + 1
    if slot.element < slot.elements:
        return wake
    end_arithmetic(r, slot, unit)
    return NEVER


def end_arithmetic(r: Run, slot: Slot, unit: int) -> None:
    """Let an instruction leave a unit that has started all its elements ("Arithmetic")."""
    instruction = r.program[slot.pc]
    latency = result_latency(instruction, slot.elements)
    result = slot.cycle + larger(latency, instruction.interval + slot.recovery)
    if instruction.timing == REDUCTION:
        slot.first_ready = result
    leave_unit(r, slot, unit, result)


def leave_unit(r: Run, slot: Slot, unit: int, result: int) -> None:
    """Free an arithmetic or sparse unit whose instruction has started all its elements ("Arithmetic")."""
    r.units[unit].slot = -1
    instruction = r.program[slot.pc]
    r.units[unit].free_at = slot.cycle + larger(1, instruction.interval + slot.recovery)
    leave(r, slot, slot.cycle, result, result)
