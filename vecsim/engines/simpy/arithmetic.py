"""A pipelined arithmetic unit: ``lanes`` elements a cycle, in element order."""

from __future__ import annotations

import simpy

from isa.declaration import Timing
from vecsim.engines.columns import (
    BY_RAW,
    BY_WAR_WAW,
    CYCLE,
    ELEMENT,
    ELEMENTS,
    FIRST,
    FIRST_READY,
    IN_CYCLE,
)
from vecsim.engines.simpy.core import NEVER, Core
from vecsim.engines.simpy.pipeline import Pipeline
from vecsim.engines.static import Static

REDUCTION = int(Timing.REDUCTION)


def result_latency(static: Static, n: int) -> int:
    """Cycles from the start of the last of n elements to its result; a sum adds the levels of its tree."""
    return static.latency + ((n - 1).bit_length() if static.timing == REDUCTION else 0)


class Arithmetic(Pipeline):
    """The add unit or the multiply unit."""

    def __init__(self, environment: simpy.Environment, core: Core, unit: int) -> None:
        self.unit = unit
        self.unit_slot = memoryview(core.record.unit_slot)
        self.unit_free = memoryview(core.record.unit_free)
        super().__init__(environment, core)

    def step(self, cycle: int) -> int | None:
        """Start the elements that can start in this cycle, or all that are left (see Core.looks_ahead)."""
        slot = self.unit_slot[self.unit]
        core = self.core
        if slot < 0 or core.blocked[slot]:
            return None
        row, static = core.slots[slot], core.static[slot]
        begin = row[ELEMENT]
        wake = self._take(slot, row, static, cycle, core.looks_ahead(slot))
        if row[ELEMENT] == row[ELEMENTS]:
            last = row[CYCLE]
            self.unit_slot[self.unit] = -1
            self.unit_free[self.unit] = last + 1
            result = last + result_latency(static, row[ELEMENTS])
            if static.timing == REDUCTION:
                row[FIRST_READY] = result
            core.finish(slot, cycle, last, result, result)
            return None
        if row[ELEMENT] > begin:
            core.progressed(slot, cycle)
        return wake

    def _take(self, slot: int, row: memoryview, static: Static, cycle: int, ahead: bool) -> int | None:
        """Start elements; give the cycle to go on in, None while one is blocked."""
        core = self.core
        lanes, n, element, latency = core.machine.lanes, row[ELEMENTS], row[ELEMENT], static.latency
        first, last_cycle, in_cycle = row[FIRST], row[CYCLE], row[IN_CYCLE]
        limit = core.first_blocked(slot, first + element) if core.element_waits[slot] else NEVER
        ready, taken = core.ready, core.taken
        wake: int | None = None
        while element < n:
            k = first + element
            free = last_cycle if in_cycle < lanes else last_cycle + 1
            if k >= limit:
                wake = None if free <= cycle else free
                break
            operand, hazard = self.element_cycles(static, k)
            if element == 0:
                whole_operand, whole_hazard = self.whole_cycles(slot, static)
                operand, hazard = max(operand, whole_operand), max(hazard, whole_hazard)
            start = max(free, operand, hazard)
            if start > cycle:
                if not ahead:
                    wake = start
                    break
                cycle = start
            if element == 0:
                self.started(slot, static, cycle, operand)
                row[FIRST_READY] = cycle + latency
            elif free < cycle:
                core.accounts.wait(slot, BY_RAW if operand == cycle else BY_WAR_WAW, free, cycle)
            for offset in static.read_offsets:
                if taken[offset + k] < cycle:
                    taken[offset + k] = cycle
            for offset in static.write_offsets:
                ready[offset + k] = cycle + latency
            if last_cycle == cycle:
                in_cycle += 1
            else:
                last_cycle, in_cycle = cycle, 1
                core.unit_busy[self.unit] += 1
            element += 1
        row[ELEMENT], row[CYCLE], row[IN_CYCLE] = element, last_cycle, in_cycle
        return wake
