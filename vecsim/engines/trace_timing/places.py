"""Where the times and the numbers of a machine are in its memory, an array of 32-bit integers.

First what has a fixed place, then what depends on the sizes of :class:`Sizes`.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import accumulate

from isa.declaration import Unit
from vecsim.engines.cause import Cause
from vecsim.engines.decoded import FLOAT, SCALARS

LAST_CYCLE = 1 << 30
"""Times are 32-bit integers: what takes as long is left to an engine for one machine."""
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
    "main_memory.latency",
    "main_memory.cycles",
    "main_memory.row_miss",
    "l1.hit_latency",
    "l2.hit_latency",
    "l1.refill_bytes",
    "l2.refill_bytes",
)
"""The numbers of a machine in which machines that are timed together may differ, by their full names."""
FREE_NUMBERS = NUMBERS[: NUMBERS.index("main_memory.latency")]
"""Those that never decide with which machines a machine is timed."""
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
MEMORY_LATENCY, MEMORY_CYCLES, ROW_MISS = range(len(FREE_NUMBERS), len(FREE_NUMBERS) + 3)
HIT_LATENCY, REFILL_BYTES = ROW_MISS + 1, ROW_MISS + 3
"""Those of ``l1``; those of ``l2`` come next."""
ONE = len(NUMBERS)
"""The number 1: what has no other latency takes a cycle."""
WORD_CYCLES, WORD_PART = ONE + 1, ONE + 2
"""What a word takes of the path of main memory: whole cycles, and the rest in parts of a cycle."""
LINE_CYCLES, LINE_PART, LINE_PASSES, LINE_BUSY, REFILL_CYCLES = range(WORD_PART + 1, WORD_PART + 11, 2)
"""Of a line of ``l1``, and next of ``l2``: the same; the cycles in which it passes, that its banks are busy
without a row that opens, and in which it enters the cache, 0 for any number at once."""

ISSUED_AT = REFILL_CYCLES + 2
"""The cycle of the latest issue."""
IN_GROUP = ISSUED_AT + 1
"""How many instructions issued in it."""
FETCHED = IN_GROUP + 1
"""No issue before this cycle: a branch was taken."""
RETIRED = FETCHED + 1
"""The latest retirement so far."""
DISPATCHED = RETIRED + 1
"""The latest dispatch of an access."""
ARRIVED = DISPATCHED + 1
"""When the latest loaded word arrives."""
PATH, PATH_PART = ARRIVED + 1, ARRIVED + 2
"""From when the path of main memory is free: the whole cycle, and parts of a cycle."""
REFILLED = PATH_PART + 1
"""From when lines may enter ``l1``, and next ``l2``."""
LATEST = REFILLED + 2
"""The latest cycle in which memory has to do with a line: it may come after all retirements."""
CHARGES = LATEST + 1
"""Cycles by cause."""
SCALAR = CHARGES + len(Cause)
"""From when the scalar registers are ready."""
WORD_BYTES = 4
PADDING = 3
"""Elements after the last that may be looked at, and mean nothing."""
BEGIN = SCALAR + SCALARS
"""What follows depends on sizes."""


@dataclass(frozen=True)
class CacheSizes:
    """A cache as far as it decides what happens to the words of a run, and the room for its times.

    Attributes
    ----------
    bytes, line_bytes, ways, replacement, banks, misses, prefetch, write_back, perfect
        Numbers of its description; all 0 of none.
    """

    bytes: int = 0
    line_bytes: int = 0
    ways: int = 0
    replacement: int = 0
    banks: int = 0
    misses: int = 0
    prefetch: int = 0
    write_back: bool = False
    perfect: bool = False

    @property
    def lines(self) -> int:
        """Lines; one, which is always there, of a cache that has every line or of none."""
        return self.bytes // self.line_bytes if self.bytes and not self.perfect else 1


@dataclass(frozen=True)
class MemorySizes:
    """What decides where the words of a run go, on machines whose memory is more than banks.

    Attributes
    ----------
    is_flat
        Whether it is banks alone after all, on machines that rename: then nothing is counted.
    banks, words_outstanding, merge_bytes, merge_window, path_bytes, row_words
        Numbers of their description; the last two are those of ``main_memory``.
    caches
        ``l1`` and ``l2``.
    """

    is_flat: bool
    banks: int
    words_outstanding: int
    merge_bytes: int
    merge_window: int
    path_bytes: int
    row_words: int
    caches: tuple[CacheSizes, CacheSizes]

    def places(self) -> tuple[int, ...]:
        """Return its sizes, where the constants after the classes say."""
        first, last = self.caches
        line_banks = [min(each.line_bytes // WORD_BYTES, self.banks) for each in self.caches]
        misses, banks = [each.misses for each in self.caches], [each.banks for each in self.caches]
        return (
            self.words_outstanding,
            self.path_bytes,
            0 if first.bytes else 1,
            int(last.bytes > 0),
            *line_banks,
            *misses,
            *banks,
        )

    def areas(self) -> tuple[int, ...]:
        """Return how many times each of its areas has, in their order."""
        lines, misses = [each.lines for each in self.caches], [each.misses for each in self.caches]
        banks = [max(each.banks, 1) for each in self.caches]
        return self.words_outstanding, *lines, *lines, *misses, *banks


@dataclass(frozen=True)
class RenamingSizes:
    """What decides how registers are renamed, on machines that rename.

    Attributes
    ----------
    vectors, scalars
        Physical vector registers; physical x registers, and as many f registers; 0: they are not renamed.
    chaining
        Whether elements pass between units as they are produced.
    """

    vectors: int
    scalars: int
    chaining: bool


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
    memory
        None of banks alone, unless there is ``renaming``.
    renaming
        None of machines that do not rename.
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
    memory: MemorySizes | None = None
    renaming: RenamingSizes | None = None

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
        s, vectors, scalars = self.section_size, 0, 0
        if self.renaming is not None:
            vectors, scalars = self.renaming.vectors, self.renaming.scalars
        registers = max(vectors, self.vector_registers) + 1
        spare = max(vectors - self.vector_registers, 0) + 2 * max(scalars - FLOAT, 0)
        memory_sizes = NO_MEMORY_SIZES if self.memory is None else self.memory.places()
        memory_areas = NO_MEMORY_AREAS if self.memory is None else self.memory.areas()
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
            **dict(enumerate(memory_areas, ARRIVALS)),
            KEPT: registers if vectors else 0,
            COMMITS: spare,
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
            *memory_sizes,
            int(vectors > 0),
            int(scalars > 0),
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
) = range(AREAS, AREAS + 12)
ARRIVALS = BANKS + 1
LINES, WORDS_FROM, AWAITED, CACHE_BANKS = range(ARRIVALS + 1, ARRIVALS + 9, 2)
KEPT, COMMITS, READY, TAKEN, TOTAL = range(CACHE_BANKS + 2, CACHE_BANKS + 7)
"""Where areas begin: the times of vector registers as a whole, bounds of those of their elements, the slices
of the vector cache. Then from when units are free (of the port, the end of its latest transfer), the latest
dispatches, the ends of transfers, and from when banks are free. Then the arrivals of the latest loaded words;
of ``l1``, and next of ``l2``, from when each line is there, from when a port can use it, the arrivals of the
lines that it waits for in ascending order, and from when its banks are free. Then from when elements are
ready that physical registers keep, and from when displaced registers are free. At last from when each element
is ready, by when it is taken, and the size of all."""
OUTSTANDING, PATH_BYTES, VECTOR_LEVEL, HAS_LAST = range(TOTAL + 1, TOTAL + 5)
LINE_BANKS, MISSES, BANKED = range(HAS_LAST + 1, HAS_LAST + 7, 2)
"""Sizes of memory: words that a port waits for, bytes that pass in ``main_memory.cycles``, the cache that
vector accesses go to first, and whether there is ``l2``. Of ``l1``, and next of ``l2``, the banks that a line
is in, the lines that it waits for, and its banks; 0 is no limit."""
RENAMES_VECTORS, RENAMES_SCALARS = BANKED + 2, BANKED + 3
"""Whether vector registers, and x and f registers, are renamed."""
NO_MEMORY_SIZES, NO_MEMORY_AREAS = (0,) * 10, (0,) * 9
NEGATIVE = (
    (TAKEN_AT, READY_WITHOUT_SUMS),
    (TAKEN_BOUND, SLICE_READY),
    (SLICE_TAKEN, SLICE_READY_WITHOUT_SUMS),
    (DISPATCHES, ENDS),
    (TAKEN, TOTAL),
)
"""From where to where times are -1 at the beginning, and not 0."""
