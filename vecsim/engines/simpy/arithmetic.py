"""A pipelined arithmetic unit: ``lanes`` elements a cycle, in element order."""

from __future__ import annotations

import simpy

from isa.declaration import Timing
from vecsim.engines.simpy.columns import (
    BY_HAZARD,
    BY_VECTOR,
    CYCLE,
    ELEMENT,
    ELEMENTS,
    FIRST,
    FIRST_USABLE,
    IN_CYCLE,
)
from vecsim.engines.simpy.core import NEVER, Core
from vecsim.engines.simpy.pipeline import Pipeline
from vecsim.engines.simpy.static import Static

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
        """Start the elements that can start in this cycle."""
        slot = self.unit_slot[self.unit]
        if slot < 0:
            return None
        core = self.core
        if core.blocked[slot]:
            return None
        row, static = core.slots[slot], core.static[slot]
        count, wake = self._take(slot, row, static, cycle)
        if count:
            core.unit_busy[self.unit] += 1
            if row[ELEMENT] == row[ELEMENTS]:
                self.unit_slot[self.unit] = -1
                self.unit_free[self.unit] = cycle + 1
                result = cycle + result_latency(static, row[ELEMENTS])
                if static.timing == REDUCTION:
                    row[FIRST_USABLE] = result
                core.finish(slot, cycle, result, result)
                return None
            core.progressed(slot, cycle)
        return wake

    def _take(self, slot: int, row: memoryview, static: Static, cycle: int) -> tuple[int, int | None]:
        """Start elements; give how many and the cycle to go on in, None while one is blocked."""
        core = self.core
        lanes, n, element = core.machine.lanes, row[ELEMENTS], row[ELEMENT]
        first, begin = row[FIRST], element
        last_cycle, in_cycle = row[CYCLE], row[IN_CYCLE]
        limit = core.first_blocked(slot, first + element) if core.element_waits[slot] else NEVER
        wake: int | None = cycle + 1
        while element < n:
            if last_cycle == cycle and in_cycle == lanes:
                break
            k = first + element
            if k >= limit:
                wake = None
                break
            operand, hazard = self.element_cycles(static, k)
            if element == 0:
                whole_operand, whole_hazard = self.whole_cycles(slot, static)
                operand, hazard = max(operand, whole_operand), max(hazard, whole_hazard)
            if operand > cycle or hazard > cycle:
                wake = max(operand, hazard)
                break
            if element == 0:
                self.started(slot, static, cycle, operand)
                row[FIRST_USABLE] = cycle + static.latency
            else:
                free = last_cycle if in_cycle < lanes else last_cycle + 1
                if free < cycle:
                    core.wait(slot, BY_VECTOR if operand == cycle else BY_HAZARD, free, cycle)
            in_cycle = in_cycle + 1 if last_cycle == cycle else 1
            last_cycle = cycle
            element += 1
        self.mark(static, first + begin, first + element, cycle, cycle + static.latency)
        row[ELEMENT], row[CYCLE], row[IN_CYCLE] = element, last_cycle, in_cycle
        return element - begin, wake
