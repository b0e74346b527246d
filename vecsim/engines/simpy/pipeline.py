"""What arithmetic units, the sparse unit and memory ports share: when an element may start, and why not.

An element has an operand cycle (RAW: from which all that it reads is ready) and a hazard cycle (WAR, WAW:
from which it may be written). Both are known numbers once every older instruction in flight has started the
same element; until then the element is blocked and the unit sleeps.
"""

from __future__ import annotations

import simpy

from vecsim.engines.columns import (
    BY_PORT,
    BY_RAW,
    BY_UNIT,
    BY_WAR_WAW,
    DISPATCHED_AT,
    ISSUED_AT,
    SLICE,
    START_CYCLE,
)
from vecsim.engines.simpy.clocked import Clocked
from vecsim.engines.simpy.core import MEMORY, Core
from vecsim.engines.static import Static


class Pipeline(Clocked):
    """A process that starts the elements of one vector instruction after the other, in order."""

    def __init__(self, environment: simpy.Environment, core: Core) -> None:
        self.core = core
        super().__init__(environment)

    def whole_cycles(self, slot: int, static: Static) -> tuple[int, int]:
        """Operand and hazard cycle of the operands that must be complete before the first element."""
        core = self.core
        operand = hazard = 0
        for v in static.whole_reads:
            operand = max(operand, core.ready_all[v])
        for v in static.whole_writes:
            hazard = max(hazard, core.ready_all[v], core.taken_all[v] + 1)
        if static.accumulator >= 0:
            operand = max(operand, core.ready_accumulator[static.accumulator])
            hazard = max(hazard, core.taken_all[static.accumulator] + 1)
        if static.slice >= 0:
            touched = core.slots[slot][SLICE]
            operand = max(operand, core.slice_accumulator[touched])
            hazard = max(hazard, core.slice_taken[touched] + 1)
        return operand, hazard

    def element_cycles(self, static: Static, element: int) -> tuple[int, int]:
        """Operand and hazard cycle of what is read and written element by element."""
        core = self.core
        ready = core.ready
        operand = hazard = 0
        for offset in static.read_offsets:
            cycle = ready[offset + element]
            if cycle > operand:
                operand = cycle
        for offset in static.write_offsets:
            cycle = ready[offset + element]
            if cycle > hazard:
                hazard = cycle
            cycle = core.taken[offset + element]
            if cycle >= hazard:
                hazard = cycle + 1
        return operand, hazard

    def started(self, slot: int, static: Static, cycle: int, operand: int) -> None:
        """Book the waits from issue to the first element; of an access, those up to dispatch.

        Parameters
        ----------
        slot, static
            The instruction: its place in flight, and what is known of it before the run.
        cycle
            The cycle in which its first element starts.
        operand
            The cycle from which all that this element reads is ready.
        """
        core = self.core
        row = core.slots[slot]
        dispatched = row[DISPATCHED_AT]
        row[START_CYCLE] = cycle
        if dispatched > row[ISSUED_AT]:
            core.accounts.wait(
                slot, BY_PORT if static.unit == MEMORY else BY_UNIT, row[ISSUED_AT], dispatched
            )
        if static.unit != MEMORY and cycle > dispatched:
            core.accounts.wait(slot, BY_RAW if operand == cycle else BY_WAR_WAW, dispatched, cycle)
