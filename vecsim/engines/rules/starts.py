"""When elements start and words go, noted for a trace (docs/timing.md, "Chaining" and "Banks").

Columns: :mod:`vecsim.engines.columns.starts`.
"""

from __future__ import annotations

from typing import Any

from vecsim.engines.columns import flight, starts, work


def note_start(r: Any, slot: Any, bank: Any, cycle: Any) -> None:
    """Note that elements of ``slot`` start in this cycle, or that a word of it goes to or from a bank.

    Parameters
    ----------
    bank
        The bank of a word; -1 of elements.
    """
    if r.work[work.TIMELINE] < 2:
        return
    at, own, rows = starts.ROWS + r.starts[starts.COUNT] * starts.COLUMNS, slot * flight.COLUMNS, r.starts
    rows[starts.COUNT] += 1
    rows[at + starts.AGE], rows[at + starts.UNIT] = r.slots[own + flight.AGE], r.slots[own + flight.UNIT]
    rows[at + starts.PORT], rows[at + starts.BANK] = r.slots[own + flight.PORT], bank
    rows[at + starts.CYCLE] = cycle
