"""The queue in front of each unit, and dispatch from it (docs/timing.md, "Queues and dispatch", "Accesses").

The memory ports share one queue.
"""

from __future__ import annotations

from typing import Any

from isa.declaration import Unit
from vecsim.engines.columns import flight, history, parameter, work
from vecsim.engines.rules.numbers import NEVER, smaller

MEMORY = int(Unit.MEMORY)


def port_history_of(r: Any, port: Any) -> Any:
    """Give where in ``port_history`` the latest access of a port is."""
    return port * r.machine[parameter.HISTORY] * history.COLUMNS


def _port_free(r: Any, port: Any) -> Any:
    """Give the cycle from which an access may be dispatched to a port; NEVER while that is not known."""
    count, most = r.port_count[port], r.machine[parameter.ACCESSES_IN_FLIGHT]
    if count >= most:
        return NEVER
    return r.port_history[port_history_of(r, port) + history.COLUMNS * (most - 1 - count) + history.END]


def free_at(r: Any, unit: Any) -> Any:
    """Give the cycle from which an instruction may be dispatched to a unit; NEVER while that is not known."""
    if unit != MEMORY:
        return r.unit_free[unit] if r.unit_slot[unit] < 0 else NEVER
    free = NEVER
    for port in range(r.machine[parameter.MEMORY_PORTS]):
        free = smaller(free, _port_free(r, port))
    return free


def room_at(r: Any, unit: Any) -> Any:
    """Give the cycle from which an instruction finds its unit free or room in the queue.

    NEVER while that is not known.
    """
    waiting, capacity = r.queued[unit], r.machine[parameter.UNIT_QUEUE]
    if waiting < capacity:
        return r.dispatched[unit * (capacity + 1) + capacity - waiting - 1]
    return NEVER if waiting > 0 else free_at(r, unit)


def _choose_port(r: Any, cycle: Any) -> Any:
    """Give the port with the fewest accesses in flight, then the one whose last transfer ended first."""
    best, best_count, best_end = -1, 0, 0
    for port in range(r.machine[parameter.MEMORY_PORTS]):
        if _port_free(r, port) <= cycle:
            count, end = r.port_count[port], r.port_history[port_history_of(r, port) + history.END]
            if best < 0 or count < best_count or (count == best_count and end < best_end):
                best, best_count, best_end = port, count, end
    return best


def _dispatch(r: Any, unit: Any, slot: Any, cycle: Any) -> None:
    """Dispatch an instruction to a unit that is free."""
    newest, capacity = unit * (r.machine[parameter.UNIT_QUEUE] + 1), r.machine[parameter.UNIT_QUEUE]
    for j in range(newest + capacity, newest, -1):
        r.dispatched[j] = r.dispatched[j - 1]
    r.dispatched[newest] = cycle
    r.slots[slot * flight.COLUMNS + flight.DISPATCHED_AT] = cycle
    if unit != MEMORY:
        r.unit_slot[unit] = slot
        r.work[work.GIVEN] |= work.FIRST_UNIT << unit
        return
    port = _choose_port(r, cycle)
    r.slots[slot * flight.COLUMNS + flight.PORT] = port
    r.port_slots[port * r.machine[parameter.ACCESSES_IN_FLIGHT] + r.port_count[port]] = slot
    r.port_count[port] += 1
    r.work[work.GIVEN] |= work.FIRST_PORT << port


def step_queue(r: Any, unit: Any, cycle: Any) -> Any:
    """Dispatch what can be dispatched from a queue in this cycle; give the cycle to look again."""
    oldest = unit * (r.machine[parameter.UNIT_QUEUE] + 1)
    while r.queued[unit] > 0:
        free = free_at(r, unit)
        if free > cycle:
            return free
        slot = r.queue[oldest]
        r.queued[unit] -= 1
        for j in range(oldest, oldest + r.queued[unit]):
            r.queue[j] = r.queue[j + 1]
        r.queue[oldest + r.queued[unit]] = -1
        _dispatch(r, unit, slot, cycle)
    return NEVER


def put(r: Any, unit: Any, slot: Any, cycle: Any) -> None:
    """Dispatch an instruction that issues now, or put it into the queue of its unit."""
    if r.queued[unit] == 0 and free_at(r, unit) <= cycle:
        _dispatch(r, unit, slot, cycle)
    else:
        r.queue[unit * (r.machine[parameter.UNIT_QUEUE] + 1) + r.queued[unit]] = slot
        r.queued[unit] += 1
        r.work[work.GIVEN] |= 1 << unit
