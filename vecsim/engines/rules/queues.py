"""The queue before each unit, and dispatch from it (docs/timing.md, "Queues and dispatch", "Accesses").

The memory ports share one queue; those that only store have their own. ``unit`` is the number of a queue.
"""

from __future__ import annotations

from isa.declaration import Unit
from vecsim.engines.rules.memory_order import earlier_transfer, latest_transfer
from vecsim.engines.rules.numbers import NEVER, smaller
from vecsim.engines.state.flight import Slot
from vecsim.engines.state.run import STORES, Run

MEMORY = int(Unit.MEMORY)


def ports_of(r: Run, queue: int) -> tuple[int, int]:
    """Return the ports that a queue of accesses goes to: from, to ("Queues and dispatch")."""
    if r.machine.store_ports == 0:
        return 0, r.machine.ports
    return (r.machine.memory_ports, r.machine.ports) if queue == STORES else (0, r.machine.memory_ports)


def _port_free(r: Run, port: int) -> int:
    """Return the cycle from which an access may be dispatched to a port ("Accesses").

    NEVER while that is not known.
    """
    count, most = r.ports[port].accesses, r.machine.accesses_in_flight
    if count >= most:
        return NEVER
    return earlier_transfer(r, port, most - 1 - count).end  # of access i - K


def free_at(r: Run, unit: int) -> int:
    """Return the cycle from which an instruction may be dispatched to a unit ("Queues and dispatch").

    NEVER while that is not known.
    """
    if unit not in (MEMORY, STORES):
        return r.units[unit].free_at if r.units[unit].slot < 0 else NEVER
    free = NEVER
    first, end = ports_of(r, unit)
    for port in range(first, end):
        free = smaller(free, _port_free(r, port))
    return free


def latest_dispatch(r: Run, unit: int) -> int:
    """Return the cycle of the latest dispatch to a unit ("Queues and dispatch")."""
    return r.dispatches[unit][r.units[unit].latest]


def earlier_dispatch(r: Run, unit: int, k: int) -> int:
    """Return the cycle of the dispatch to a unit that came k before the latest ("Queues and dispatch")."""
    place = r.units[unit].latest + k
    if place > r.machine.unit_queue:
        place -= r.machine.unit_queue + 1
    return r.dispatches[unit][place]


def room_at(r: Run, unit: int) -> int:
    """Return the cycle from which an instruction may issue to a unit ("Queues and dispatch").

    With a queue of Q that is D(i - Q), NEVER while Q wait; without one, when the unit is free.
    """
    waiting, capacity = r.units[unit].queued, r.machine.unit_queue
    if waiting < capacity:
        return earlier_dispatch(r, unit, capacity - waiting - 1)  # D(i - Q)
    return NEVER if waiting > 0 else free_at(r, unit)


def _choose_port(r: Run, queue: int, cycle: int) -> int:
    """Return the port with the fewest accesses, then with the earliest end of its latest ("Accesses")."""
    best, best_count, best_end = -1, 0, 0
    first, last = ports_of(r, queue)
    for port in range(first, last):
        if _port_free(r, port) <= cycle:
            count, end = r.ports[port].accesses, latest_transfer(r, port).end
            if best < 0 or count < best_count or (count == best_count and end < best_end):
                best, best_count, best_end = port, count, end
    return best


def note_dispatch(r: Run, unit: int, cycle: int) -> None:
    """Note a dispatch to a unit in the place of the oldest ("Queues and dispatch")."""
    state = r.units[unit]
    state.latest = r.machine.unit_queue if state.latest == 0 else state.latest - 1
    r.dispatches[unit][state.latest] = cycle


def _dispatch(r: Run, unit: int, slot: Slot, cycle: int) -> None:
    """Dispatch an instruction to a unit that is free ("Queues and dispatch")."""
    note_dispatch(r, unit, cycle)
    slot.dispatched_at = cycle
    if unit not in (MEMORY, STORES):
        r.units[unit].slot = slot.number
        r.scratch.handed_units |= 1 << unit
        return
    slot.port = _choose_port(r, unit, cycle)
    port = r.ports[slot.port]
    r.accesses[slot.port][port.accesses] = slot.number
    port.accesses += 1
    r.scratch.handed_ports |= 1 << slot.port


def step_queue(r: Run, unit: int, cycle: int) -> int:
    """Dispatch from a queue what can be dispatched in this cycle ("Queues and dispatch").

    Returns the cycle to look again.
    """
    while r.units[unit].queued > 0:
        free = free_at(r, unit)
        if free > cycle:
            return free
        dispatch_next(r, unit, cycle)
    return NEVER


def dispatch_next(r: Run, unit: int, cycle: int) -> None:
    """Dispatch the oldest instruction of a queue to its unit, which is free ("Queues and dispatch")."""
    state, queue = r.units[unit], r.queue[unit]
    oldest = queue[0]
    state.queued -= 1
    for k in range(state.queued):
        queue[k] = queue[k + 1]
    queue[state.queued] = -1
    _dispatch(r, unit, r.slots[oldest], cycle)


def put(r: Run, unit: int, slot: Slot, cycle: int) -> None:
    """Dispatch an instruction that issues now, or queue it before its unit ("Queues and dispatch")."""
    state = r.units[unit]
    if state.queued == 0 and free_at(r, unit) <= cycle:
        _dispatch(r, unit, slot, cycle)
    else:
        r.queue[unit][state.queued] = slot.number
        state.queued += 1
        r.scratch.handed_queues |= 1 << unit
