"""Places in ``Scratch.outcome``: what a run gives back, and lists that are rebuilt from the record.

The lists begin at ``ORDER``: the slots in flight, oldest first; then ``FACTS`` numbers for each slot; then
the wake cycle of each port.
"""

from __future__ import annotations

from vecsim.engines.jit.outcome import OUTCOMES
from vecsim.engines.record import Slot

NEVER = 1 << 60
"""Wake cycle of what sleeps, and the cycle of what is not yet known."""

FLYING, PROGRESS, STATUS, TIMELINE, AWAITS_ELEMENT, ISSUE_WAKE = range(16, 22)
"""Instructions in flight; what went on in this cycle, as bits; TROUBLE or STOPPED; 1 to keep a timeline; 1 if
issue waits for an element; the cycle in which issue acts next."""
QUEUE_WAKE, UNIT_WAKE = 22, 27
"""The cycle in which each queue and each unit acts next, by the number of the unit."""
ORDER = 32

ELEMENTS_STARTED, LEFT_FLIGHT = 1, 2
"""Bits of PROGRESS."""

FACTS = 8
BLOCKED, ELEMENT_WAITS, SLICE_WAITS, READ, WRITTEN, WHOLE_READ, WHOLE_WRITTEN, ADDED = range(FACTS)
"""Facts of a slot: how many older instructions must leave flight before it may start, and how many it follows
element by element and slice by slice; then sets of vector registers, as bits."""

SLOT_COLUMNS = len(Slot)


def places(slots: int, ports: int) -> int:
    """Number of places that the engine needs."""
    return max(OUTCOMES, ORDER + (FACTS + 1) * slots + ports)
