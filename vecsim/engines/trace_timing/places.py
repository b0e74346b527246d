"""Where the times and the numbers of a machine are in its memory, an array of 32-bit integers.

First what has a fixed place, then what depends on the sizes of :class:`Sizes`.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import accumulate

from isa.declaration import Unit
from vecsim.engines.cause import Cause
from vecsim.engines.decoded import SCALARS

WIDTH = 16
"""Machines side by side on a processor: two or four registers of most, one of those with AVX-512."""
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
"""The number 1: what has no other latency takes a cycle."""

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
CHARGES = DISPATCHED + 1
"""Cycles by cause."""
SCALAR = CHARGES + len(Cause)
"""From when the scalar registers are ready."""
PADDING = 3
"""Elements after the last that may be looked at, and mean nothing."""
BEGIN = SCALAR + SCALARS
"""What follows depends on sizes."""


@dataclass(frozen=True)
class Sizes:
    """What machines that are timed together have in common.

    Attributes
    ----------
    section_size, vector_registers, banks, unit_queue, accesses_in_flight
        Numbers of their description.
    add_units, multiply_units, sparse_units, masked_elements
        Further ones.
    chaining
        And whether elements pass between units as they are produced.
    """

    section_size: int
    vector_registers: int
    banks: int
    unit_queue: int
    accesses_in_flight: int
    add_units: int
    multiply_units: int
    sparse_units: int
    masked_elements: int
    chaining: bool

    @property
    def units(self) -> int:
        """Units, the memory port and the scalar unit as one each."""
        return 2 + self.add_units + self.multiply_units + self.sparse_units

    @property
    def queue_places(self) -> int:
        """Dispatches that are remembered of each unit, a power of two."""
        return _power_of_two(self.unit_queue)

    @property
    def ends(self) -> int:
        """Transfers whose ends are remembered: any earlier one has ended when an instruction issues."""
        return _power_of_two(self.accesses_in_flight + self.unit_queue + 2)

    def places(self) -> tuple[int, ...]:
        """Return sizes, units and places, where the constants after this class say."""
        s, registers = self.section_size, self.vector_registers + 1
        areas = {
            READY_AT: registers,
            TAKEN_AT: registers,
            READY_WITHOUT_SUMS: registers,
            READY_BOUND: registers,
            TAKEN_BOUND: registers,
            SLICE_READY: s,
            SLICE_TAKEN: s,
            SLICE_READY_WITHOUT_SUMS: s,
            FREE: self.units,
            DISPATCHES: self.units * self.queue_places,
            ENDS: self.ends,
            BANKS: self.banks,
            READY: registers * s,
            TAKEN: registers * s + PADDING,
        }
        mask = self.banks - 1 if _power_of_two(self.banks) == self.banks else -1
        sizes = (s, self.banks, mask, self.unit_queue, self.queue_places, self.accesses_in_flight, self.ends)
        counts = (1, 1, self.add_units, self.multiply_units, self.sparse_units)
        begins = accumulate(areas.values(), initial=BEGIN)
        return (
            *sizes,
            int(self.chaining),
            self.masked_elements,
            *list(accumulate(counts, initial=0))[:-1],
            *counts,
            *begins,
        )


def _power_of_two(least: int) -> int:
    """Return the first power of two that is no smaller."""
    return 1 << max(least - 1, 0).bit_length()


(SECTION, BANK_COUNT, BANK_MASK, QUEUE, QUEUE_PLACES, IN_FLIGHT, END_COUNT, CHAINING, SKIPPING) = range(9)
"""In :meth:`Sizes.places`, sizes: elements of a register; banks; what gives the bank of a word if they are a
power of two, and otherwise -1. Then room of a queue, dispatches remembered of each unit, accesses in flight,
ends of transfers remembered, whether elements are chained, whether masked-off elements are skipped."""
FIRST_OF_KIND = SKIPPING + 1
UNITS_OF_KIND = FIRST_OF_KIND + len(Unit)
"""By :class:`isa.declaration.Unit`, the number of its first unit among all, and how many it has."""
AREAS = UNITS_OF_KIND + len(Unit)
(
    READY_AT,
    TAKEN_AT,
    READY_WITHOUT_SUMS,
    READY_BOUND,
    TAKEN_BOUND,
    SLICE_READY,
    SLICE_TAKEN,
    SLICE_READY_WITHOUT_SUMS,
    FREE,
    DISPATCHES,
    ENDS,
    BANKS,
    READY,
    TAKEN,
    TOTAL,
) = range(AREAS, AREAS + 15)
"""Where areas begin: the times of vector registers as a whole, bounds of those of their elements, the slices
of the vector cache. Then from when units are free (of the port, the end of its latest transfer), the latest
dispatches, the ends of transfers, and from when banks are free. At last from when each element is ready, by
when it is taken, and the size of all."""
NEGATIVE = (
    (TAKEN_AT, READY_WITHOUT_SUMS),
    (TAKEN_BOUND, SLICE_READY),
    (SLICE_TAKEN, SLICE_READY_WITHOUT_SUMS),
    (DISPATCHES, ENDS),
    (TAKEN, TOTAL),
)
"""From where to where times are -1 at the beginning, and not 0."""
