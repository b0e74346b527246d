"""The queue in front of each unit, and dispatch from it, in program order; the memory ports share one."""

from __future__ import annotations

from typing import Any

from isa.declaration import Unit
from vecsim.engines.columns import DISPATCHED_AT, PORT
from vecsim.engines.jit.code import HISTORY, IN_FLIGHT, PORTS, UNIT_QUEUE
from vecsim.engines.jit.functions import function, inline
from vecsim.engines.jit.integers import smaller
from vecsim.engines.jit.stepwise.facts import port_wake
from vecsim.engines.jit.stepwise.places import ISSUE_WAKE, NEVER, QUEUE_WAKE, SLOT_COLUMNS, UNIT_WAKE
from vecsim.engines.jit.views import record_of, scratch_of

MEMORY = int(Unit.MEMORY)


@inline
def _port_free(r: Any, machine: Any, port: Any) -> Any:
    """From when the next access may be dispatched to a port; NEVER while that is not known."""
    count = r.port_count[port]
    if count >= machine[IN_FLIGHT]:
        return NEVER
    return r.port_history[4 * (port * machine[HISTORY] + machine[IN_FLIGHT] - 1 - count)]


@function
def free_at(w: Any, unit: Any) -> Any:
    """From when an instruction may be dispatched to a unit; NEVER while that is not known."""
    r, machine = record_of(w), scratch_of(w).machine
    if unit != MEMORY:
        return r.unit_free[unit] if r.unit_slot[unit] < 0 else NEVER
    free = NEVER
    for port in range(machine[PORTS]):
        free = smaller(free, _port_free(r, machine, port))
    return free


@inline
def room_at(w: Any, unit: Any) -> Any:
    """From when an instruction finds its unit free or room in the queue; NEVER while that is not known."""
    r, machine = record_of(w), scratch_of(w).machine
    waiting, capacity = r.queued[unit], machine[UNIT_QUEUE]
    if waiting < capacity:
        return r.dispatched[unit * (capacity + 1) + capacity - waiting - 1]
    return NEVER if waiting > 0 else free_at(w, unit)


@inline
def _choose_port(r: Any, machine: Any, cycle: Any) -> Any:
    """The port with the fewest accesses in flight, then the one whose last transfer ended first."""
    best, best_count, best_end = -1, 0, 0
    for port in range(machine[PORTS]):
        if _port_free(r, machine, port) <= cycle:
            count, end = r.port_count[port], r.port_history[4 * port * machine[HISTORY]]
            if best < 0 or count < best_count or (count == best_count and end < best_end):
                best, best_count, best_end = port, count, end
    return best


@function
def _dispatch(w: Any, unit: Any, slot: Any, cycle: Any) -> None:
    """Dispatch an instruction to a unit that is free."""
    r, scratch = record_of(w), scratch_of(w)
    machine, work = scratch.machine, scratch.outcome
    newest = unit * (machine[UNIT_QUEUE] + 1)
    for j in range(newest + machine[UNIT_QUEUE], newest, -1):
        r.dispatched[j] = r.dispatched[j - 1]
    r.dispatched[newest] = cycle
    r.slots[slot * SLOT_COLUMNS + DISPATCHED_AT] = cycle
    if unit != MEMORY:
        r.unit_slot[unit] = slot
        work[UNIT_WAKE + unit] = cycle
        return
    port = _choose_port(r, machine, cycle)
    r.slots[slot * SLOT_COLUMNS + PORT] = port
    r.port_slots[port * machine[IN_FLIGHT] + r.port_count[port]] = slot
    r.port_count[port] += 1
    at = port_wake(machine, port)
    if work[at] == NEVER:
        work[at] = cycle


@function
def step_queue(w: Any, unit: Any, cycle: Any) -> Any:
    """Dispatch what can be dispatched; give the cycle to look again."""
    r, scratch = record_of(w), scratch_of(w)
    machine, work = scratch.machine, scratch.outcome
    oldest = unit * (machine[UNIT_QUEUE] + 1)
    while r.queued[unit] > 0:
        free = free_at(w, unit)
        if free > cycle:
            return free
        slot = r.queue[oldest]
        r.queued[unit] -= 1
        for j in range(oldest, oldest + r.queued[unit]):
            r.queue[j] = r.queue[j + 1]
        r.queue[oldest + r.queued[unit]] = -1
        _dispatch(w, unit, slot, cycle)
        if work[ISSUE_WAKE] == NEVER:
            work[ISSUE_WAKE] = cycle
    return NEVER


@inline
def put(w: Any, unit: Any, slot: Any, cycle: Any) -> None:
    """Take an instruction that issues now.

    Parameters
    ----------
    cycle
        Now.
    """
    r, scratch = record_of(w), scratch_of(w)
    machine, work = scratch.machine, scratch.outcome
    if r.queued[unit] == 0 and free_at(w, unit) <= cycle:
        _dispatch(w, unit, slot, cycle)
    else:
        r.queue[unit * (machine[UNIT_QUEUE] + 1) + r.queued[unit]] = slot
        r.queued[unit] += 1
        if work[QUEUE_WAKE + unit] == NEVER:
            work[QUEUE_WAKE + unit] = cycle + 1
