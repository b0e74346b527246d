"""When elements start and words go, noted for a trace (docs/timing.md, "Chaining" and "Banks")."""

from __future__ import annotations

from vecsim.engines.state.flight import Slot
from vecsim.engines.state.run import Run


def note_start(r: Run, slot: Slot, bank: int, cycle: int) -> None:
    """Note that elements start in this cycle, or that a word goes to or from a bank ("Banks").

    Parameters
    ----------
    bank
        The bank of a word; -1 of elements.
    """
    if r.scratch.timeline < 2:
        return
    row = r.starts[r.scratch.starts]
    r.scratch.starts += 1
    row.age, row.unit, row.port = slot.age, slot.unit, slot.port
    row.bank, row.cycle = bank, cycle
