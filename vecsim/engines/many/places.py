"""Where the times and the numbers of a machine are in its memory, an array of 32-bit integers.

First what has a fixed place, then what depends on the sizes of :class:`Sizes`.
"""

from __future__ import annotations

from dataclasses import dataclass

from isa.declaration import Unit
from vecsim.engines.cause import Cause
from vecsim.engines.decoded import SCALARS

NUMBERS = (
    "issue_width",
    "branch_penalty",
    "startup",
    "alignment_bytes",
    "bank_busy",
    "words_per_cycle",
    "addresses_per_cycle",
    "lanes",
    "divide_interval",
    "sparse_unit.p",
    "sparse_unit.r",
    "sparse_unit.latency",
    "scalar_load_latency",
    "latency.integer",
    "latency.integer_multiply",
    "latency.integer_divide",
    "latency.float",
    "latency.float_divide",
    "latency.extract",
    "latency.move",
    "latency.add",
    "latency.multiply",
    "latency.multiply_add",
    "latency.divide",
    "latency.sum",
)
"""The numbers of a machine in which machines that are timed together may differ, by their full names."""
(
    ISSUE_WIDTH,
    BRANCH_PENALTY,
    STARTUP,
    ALIGNMENT,
    BANK_BUSY,
    WORDS_PER_CYCLE,
    ADDRESSES_PER_CYCLE,
    LANES_PER_CYCLE,
    DIVIDE_INTERVAL,
    ENTRIES_PER_CYCLE,
    ROWS_PER_CYCLE,
) = range(11)
ONE = len(NUMBERS)
"""The number 1: what has no latency of its own takes a cycle."""

ISSUED_AT = ONE + 1
"""The cycle of the latest issue."""
IN_GROUP = ISSUED_AT + 1
"""How many instructions issued in it."""
FETCHED = IN_GROUP + 1
"""No issue before this cycle: a branch was taken."""
RETIRED = FETCHED + 1
"""The latest retirement so far."""
DISPATCHED = RETIRED + 1
"""The latest dispatch of an access."""
FREE = DISPATCHED + 1
"""From when each unit is free, by its number; of memory, the end of its latest transfer."""
CHARGES = FREE + len(Unit)
"""Cycles by cause."""
SCALAR = CHARGES + len(Cause)
"""From when the scalar registers are ready."""
BEGIN = SCALAR + SCALARS
"""What follows depends on sizes."""


@dataclass(frozen=True)
class Sizes:
    """What machines that are timed together have in common.

    Attributes
    ----------
    section_size, vector_registers, banks, unit_queue, accesses_in_flight
        Numbers of their description.
    chaining
        Another one.
    """

    section_size: int
    vector_registers: int
    banks: int
    unit_queue: int
    accesses_in_flight: int
    chaining: bool

    @property
    def queue_places(self) -> int:
        """Dispatches that are remembered of each unit."""
        return max(self.unit_queue, 1)

    @property
    def ends(self) -> int:
        """Transfers whose ends are remembered: any earlier one has ended when an instruction issues."""
        return self.accesses_in_flight + self.unit_queue + 2

    def places(self) -> tuple[int, ...]:
        """Return the sizes and places that the timing takes, in the order of ``SHAPE``, and the total.

        Returns
        -------
        shape
            (SHAPE_LENGTH,) integers.
        """
        s, registers = self.section_size, self.vector_registers + 1
        counts = {
            "ready_at": registers,
            "taken_at": registers,
            "ready_without_sums": registers,
            "ready_bound": registers,
            "taken_bound": registers,
            "slice_ready": s,
            "slice_taken": s,
            "slice_ready_without_sums": s,
            "dispatches": len(Unit) * self.queue_places,
            "ends": self.ends,
            "banks": self.banks,
            "ready": registers * s,
            "taken": registers * s,
        }
        places, at = [], BEGIN
        for count in counts.values():
            places.append(at)
            at += count
        sizes = (s, self.banks, self.unit_queue, self.queue_places, self.accesses_in_flight, self.ends)
        return (*sizes, int(self.chaining), *places, at)


(
    SECTION,
    BANK_COUNT,
    QUEUE,
    QUEUE_PLACES,
    IN_FLIGHT,
    END_COUNT,
    CHAINING,
    READY_AT,
    TAKEN_AT,
    READY_WITHOUT_SUMS,
    READY_BOUND,
    TAKEN_BOUND,
    SLICE_READY,
    SLICE_TAKEN,
    SLICE_READY_WITHOUT_SUMS,
    DISPATCHES,
    ENDS,
    BANKS,
    READY,
    TAKEN,
    TOTAL,
) = range(21)
"""Where each is in :meth:`Sizes.places`: sizes; where the times of vector registers as a whole begin, bounds of
those of their elements, the slices of the vector cache, the latest dispatches, the ends of transfers, from
when banks are free, and from when each element is ready and by when it is taken; the size of all."""
NEGATIVE = (
    (TAKEN_AT, READY_WITHOUT_SUMS),
    (TAKEN_BOUND, SLICE_READY),
    (SLICE_TAKEN, SLICE_READY_WITHOUT_SUMS),
    (DISPATCHES, ENDS),
    (TAKEN, TOTAL),
)
"""From where to where times are -1 at the beginning, and not 0."""
