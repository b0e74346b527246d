"""The pipelined unit of MIPA and BMIPA.

Each cycle it takes from the head of its section the entries that have arrived, at most p of them in at
most r distinct rows. The multiplicand must be complete before the first entry; what it adds to is
forwarded inside the unit, so that neither a row repeated in a later cycle nor the next section stalls.
"""

from __future__ import annotations

import simpy

from vecsim.engines.simpy.columns import (
    BY_HAZARD,
    BY_VECTOR,
    CYCLE,
    ELEMENT,
    ELEMENTS,
    FIRST_USABLE,
    IN_CYCLE,
    ROWS,
    SLICE,
)
from vecsim.engines.simpy.core import NEVER, SPARSE, Core
from vecsim.engines.simpy.pipeline import Pipeline
from vecsim.engines.simpy.static import Static


class Sparse(Pipeline):
    """The sparse unit."""

    def __init__(self, environment: simpy.Environment, core: Core) -> None:
        self.unit_slot = memoryview(core.record.unit_slot)
        self.unit_free = memoryview(core.record.unit_free)
        super().__init__(environment, core)

    def step(self, cycle: int) -> int | None:
        """Take the entries that can be taken in this cycle."""
        slot = self.unit_slot[SPARSE]
        if slot < 0:
            return None
        core = self.core
        row, static = core.slots[slot], core.static[slot]
        if core.blocked[slot]:
            return None
        if row[SLICE] >= 0 and core.slice_waits[slot] and core.slice_blocked(slot, row[SLICE]):
            return None
        count, wake = self._take(slot, row, static, cycle)
        if count:
            core.unit_busy[SPARSE] += 1
            if row[ELEMENT] == row[ELEMENTS]:
                self._finish(slot, row, static, cycle)
                return None
            core.progressed(slot, cycle)
        return wake

    def _take(self, slot: int, row: memoryview, static: Static, cycle: int) -> tuple[int, int | None]:
        """Take entries; give how many and the cycle to go on in, None while one is blocked."""
        core = self.core
        p, r = core.machine.sparse_unit.p, core.machine.sparse_unit.r
        n, element, rows = row[ELEMENTS], row[ELEMENT], core.rows[slot]
        begin, last_cycle, in_cycle = element, row[CYCLE], row[IN_CYCLE]
        touched = {rows[k] for k in range(element - in_cycle, element)} - {-1}
        limit = core.first_blocked(slot, element) if core.element_waits[slot] else NEVER
        wake: int | None = cycle + 1
        while element < n:
            target = rows[element]
            new = target >= 0 and target not in touched
            full = in_cycle == p or (new and len(touched) == r)
            if full and last_cycle == cycle:
                break
            if element >= limit:
                wake = None
                break
            operand, hazard = self.element_cycles(static, element)
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
                free = last_cycle + 1 if full else last_cycle
                if free < cycle:
                    core.wait(slot, BY_VECTOR if operand == cycle else BY_HAZARD, free, cycle)
            if last_cycle != cycle:
                last_cycle, in_cycle, touched = cycle, 0, set()
            in_cycle += 1
            if target >= 0:
                touched.add(target)
            element += 1
        self.mark(static, begin, element, cycle, cycle + static.latency)
        row[ELEMENT], row[CYCLE], row[IN_CYCLE], row[ROWS] = element, last_cycle, in_cycle, len(touched)
        return element - begin, wake

    def _finish(self, slot: int, row: memoryview, static: Static, cycle: int) -> None:
        core = self.core
        result = cycle + static.latency
        if row[SLICE] >= 0:
            core.slice_usable[row[SLICE]] = max(core.slice_usable[row[SLICE]], result)
        self.unit_slot[SPARSE] = -1
        self.unit_free[SPARSE] = cycle + 1
        core.finish(slot, cycle, result, result)
