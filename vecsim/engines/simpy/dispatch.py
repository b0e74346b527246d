"""The queue in front of a unit, and dispatch from it, in program order."""

from __future__ import annotations

import simpy

from isa.declaration import Unit
from vecsim.engines.columns import DISPATCHED_AT, END, PORT
from vecsim.engines.simpy.clocked import DISPATCH, Clocked
from vecsim.engines.simpy.core import Core

MEMORY = int(Unit.MEMORY)


class Dispatcher(Clocked):
    """One unit's queue; the memory ports share one."""

    phase = DISPATCH

    def __init__(self, environment: simpy.Environment, core: Core, unit: int) -> None:
        record = core.record
        self.core = core
        self.unit = unit
        self.capacity = core.machine.unit_queue
        self.queue = memoryview(record.queue[unit])
        self.dispatched = memoryview(record.dispatched[unit])
        self.queued = memoryview(record.queued)
        self.unit_free = memoryview(record.unit_free)
        self.unit_slot = memoryview(record.unit_slot)
        self.port_count = memoryview(record.port_count)
        self.history = [memoryview(rows) for rows in record.port_history]
        self.flight = core.machine.accesses_in_flight
        self.port_slots = [memoryview(row) for row in record.port_slots]
        super().__init__(environment)

    def step(self, cycle: int) -> int | None:
        """Dispatch what can be dispatched."""
        while self.queued[self.unit]:
            free = self._free_at()
            if free is None or free > cycle:
                return free
            slot = self.queue[0]
            count = self.queued[self.unit] - 1
            for i in range(count):
                self.queue[i] = self.queue[i + 1]
            self.queue[count] = -1
            self.queued[self.unit] = count
            self._dispatch(slot, cycle)
            self.core.issue.ring(cycle)
        return None

    def room_at(self, cycle: int) -> int | None:
        """From when an instruction finds the unit free or room in the queue; None if not yet known.

        A full queue has room again when it dispatches, so with a queue the answer is never ahead.
        """
        waiting = self.queued[self.unit]
        if waiting < self.capacity:
            return self.dispatched[self.capacity - waiting - 1]
        return None if waiting else self._free_at()

    def put(self, slot: int, cycle: int) -> None:
        """Take an instruction that issues now."""
        free = self._free_at()
        if self.queued[self.unit] == 0 and free is not None and free <= cycle:
            self._dispatch(slot, cycle)
        else:
            self.queue[self.queued[self.unit]] = slot
            self.queued[self.unit] += 1
            self.ring(cycle + 1)

    def _free_at(self) -> int | None:
        """From when an instruction may be dispatched to the unit; None if that is not yet known."""
        if self.unit != MEMORY:
            return self.unit_free[self.unit] if self.unit_slot[self.unit] < 0 else None
        frees = [self._port_free(p) for p in range(len(self.port_slots)) if self._port_open(p)]
        return min(frees, default=None)

    def _port_open(self, port: int) -> bool:
        return self.port_count[port] < self.flight

    def _port_free(self, port: int) -> int:
        """End of the access ``accesses_in_flight`` before the next one of this port."""
        return int(self.history[port][self.flight - 1 - self.port_count[port], END])

    def _dispatch(self, slot: int, cycle: int) -> None:
        core = self.core
        dispatched = self.dispatched
        for i in range(len(dispatched) - 1, 0, -1):
            dispatched[i] = dispatched[i - 1]
        dispatched[0] = cycle
        core.slots[slot][DISPATCHED_AT] = cycle
        if self.unit != MEMORY:
            self.unit_slot[self.unit] = slot
            core.process[slot] = core.units[self.unit]
            core.units[self.unit].ring(cycle)
            return
        port = min(
            (p for p in range(len(self.port_slots)) if self._port_open(p) and self._port_free(p) <= cycle),
            key=lambda p: (self.port_count[p], self.history[p][0, END], p),
        )
        core.slots[slot][PORT] = port
        self.port_slots[port][self.port_count[port]] = slot
        self.port_count[port] += 1
        core.process[slot] = core.ports[port]
        core.ports[port].ring(cycle)
