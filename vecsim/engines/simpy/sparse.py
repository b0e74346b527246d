"""The pipelined unit of MIPA and BMIPA.

Each cycle it takes from the head of its section the entries that have arrived, at most p of them in at
most r distinct rows. The multiplicand must be complete before the first entry; what it adds to is
forwarded inside the unit, so that neither a row repeated in a later cycle nor the next section stalls.
"""

from __future__ import annotations

import simpy

from vecsim.engines.columns import (
    BY_RAW,
    BY_WAR_WAW,
    CYCLE,
    ELEMENT,
    ELEMENTS,
    FIRST_READY,
    IN_CYCLE,
    SLICE,
)
from vecsim.engines.simpy.core import NEVER, SPARSE, Core
from vecsim.engines.simpy.pipeline import Pipeline
from vecsim.engines.static import Static


class Sparse(Pipeline):
    """The sparse unit."""

    def __init__(self, environment: simpy.Environment, core: Core) -> None:
        self.unit_slot = memoryview(core.record.unit_slot)
        self.unit_free = memoryview(core.record.unit_free)
        super().__init__(environment, core)

    def step(self, cycle: int) -> int | None:
        """Take the entries that can be taken in this cycle, or all that are left."""
        slot = self.unit_slot[SPARSE]
        core = self.core
        if slot < 0 or core.blocked[slot]:
            return None
        row, static = core.slots[slot], core.static[slot]
        if row[SLICE] >= 0 and core.slice_waits[slot] and core.slice_blocked(slot, row[SLICE]):
            return None
        begin = row[ELEMENT]
        wake = self._take(slot, row, static, cycle, core.looks_ahead(slot))
        if row[ELEMENT] == row[ELEMENTS]:
            self._finish(slot, row, static, cycle)
            return None
        if row[ELEMENT] > begin:
            core.progressed(slot, cycle)
        return wake

    def _take(self, slot: int, row: memoryview, static: Static, cycle: int, ahead: bool) -> int | None:
        """Take entries; give the cycle to go on in, None while one is blocked."""
        core = self.core
        p, r = core.machine.sparse_unit.p, core.machine.sparse_unit.r
        n, element, rows = row[ELEMENTS], row[ELEMENT], core.rows[slot]
        last_cycle, in_cycle = row[CYCLE], row[IN_CYCLE]
        touched = {rows[k] for k in range(element - in_cycle, element)} - {-1}
        limit = core.first_blocked(slot, element) if core.element_waits[slot] else NEVER
        taken = core.taken
        wake: int | None = None
        while element < n:
            target = rows[element]
            full = in_cycle == p or (target >= 0 and len(touched) == r and target not in touched)
            free = last_cycle + 1 if full else last_cycle
            if element >= limit:
                wake = None if free <= cycle else free
                break
            operand, hazard = self.element_cycles(static, element)
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
                row[FIRST_READY] = cycle + static.latency
            elif free < cycle:
                core.accounts.wait(slot, BY_RAW if operand == cycle else BY_WAR_WAW, free, cycle)
            for offset in static.read_offsets:
                if taken[offset + element] < cycle:
                    taken[offset + element] = cycle
            if last_cycle != cycle:
                last_cycle, in_cycle, touched = cycle, 0, set()
                core.unit_busy[SPARSE] += 1
            in_cycle += 1
            if target >= 0:
                touched.add(target)
            element += 1
        row[ELEMENT], row[CYCLE], row[IN_CYCLE] = element, last_cycle, in_cycle
        return wake

    def _finish(self, slot: int, row: memoryview, static: Static, cycle: int) -> None:
        core = self.core
        last = row[CYCLE]
        result = last + static.latency
        if row[SLICE] >= 0:
            core.slice_ready[row[SLICE]] = max(core.slice_ready[row[SLICE]], result)
        self.unit_slot[SPARSE] = -1
        self.unit_free[SPARSE] = last + 1
        core.finish(slot, cycle, last, result, result)
