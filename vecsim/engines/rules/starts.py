"""When elements start and words go, noted for a trace (docs/timing.md, "Chaining" and "Banks")."""

from __future__ import annotations

from vecsim.engines.rules.units import ADD, units_beyond
from vecsim.engines.state.flight import Slot
from vecsim.engines.state.run import KINDS_OF_UNITS, Run


def _unit_of(r: Run, slot: Slot) -> int:
    """Return the number of the unit that works on an instruction ("Queues and dispatch")."""
    unit = slot.unit
    if unit >= ADD and r.units[unit].slot != slot.number:
        for later in range(KINDS_OF_UNITS, KINDS_OF_UNITS + units_beyond(r)):
            if r.units[later].slot == slot.number:
                unit = later
    return unit


def note_start(r: Run, slot: Slot, bank: int, cycle: int) -> None:
    """Note that elements start in this cycle, or that a port transfers a word ("Banks").

    Parameters
    ----------
    bank
        The bank that a word takes; -1 of elements, and of a word that takes none.
    """
    if r.scratch.timeline < 2:
        return
    row = r.starts[r.scratch.starts]
    r.scratch.starts += 1
    row.age, row.unit, row.port = slot.age, _unit_of(r, slot), slot.port
    row.bank, row.cycle = bank, cycle
