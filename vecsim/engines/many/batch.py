"""Machines that are timed together on the record of a run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from operator import attrgetter

import numpy as np
import numpy.typing as npt

from isa.instructions import BASE
from vecsim.engines.cause import Cause
from vecsim.engines.jit.interface import MANY, MANY_WITH_MEMORY
from vecsim.engines.jit.object_files.machine_code import machine_code
from vecsim.engines.jit.traces.recording import REMEMBERED
from vecsim.engines.many.trace import Trace, memory_sizes, renaming_sizes
from vecsim.engines.program_rows import VECTOR_ACCESSES
from vecsim.engines.trace_timing import places
from vecsim.engines.trace_timing.places import LAST_CYCLE, NUMBERS, WIDTH, WORD_BYTES, MemorySizes, Sizes
from vecsim.engines.user_rules import replaces_rules
from vecsim.machine import Cache, Machine

ALIGNMENT = 64
LARGEST_NUMBER = 1 << 16
"""The largest number of a machine in which machines may differ."""
MOST_LINES = 1 << 18
"""Lines of a cache, at most: each has times for every machine."""
_numbers = attrgetter(*NUMBERS)

Ints = npt.NDArray[np.int32]


def is_timed(machine: Machine) -> bool:
    """Return whether a machine is one of those that are timed together: docs/reference/many-machines.md."""
    if replaces_rules(machine) or machine.ports != 1 or machine.disambiguation > 1:
        return False
    if not all(map(_is_timed_cache, machine.caches)):
        return False
    if sizes_of(machine).ends > REMEMBERED:
        return False
    return bool(max(_numbers(machine)) <= LARGEST_NUMBER)


def _is_timed_cache(cache: Cache) -> bool:
    """Return whether no cycle decides whether a word finds its line, and there is room for the lines.

    Scalar accesses come in any cycle, and a cache that waits for a limited number of lines prefetches none
    while it waits for as many.
    """
    prefetches = cache.prefetch > 0 and cache.misses > 0 and not cache.perfect
    is_small = cache.bytes <= MOST_LINES * cache.line_bytes
    return cache.bytes == 0 or (cache.serves == VECTOR_ACCESSES and not prefetches and is_small)


def sizes_of(machine: Machine) -> Sizes:
    """Return what machines that are timed together have in common."""
    return Sizes(
        machine.section_size,
        machine.vector_registers,
        machine.banks,
        machine.unit_queue,
        machine.accesses_in_flight,
        machine.add_units,
        machine.multiply_units,
        machine.sparse_units,
        machine.masked_elements,
        machine.chaining,
        memory_sizes(machine),
        renaming_sizes(machine),
    )


def numbers_of(machines: Sequence[Machine]) -> Ints:
    """Return the (NUMBERS, M) numbers in which M machines that are timed together may differ."""
    return np.ascontiguousarray(np.array(list(map(_numbers, machines)), np.int32).T)


@dataclass(frozen=True, eq=False)
class Group:
    """Machines that time the record of one run together.

    Attributes
    ----------
    events
        (n,) words of the record.
    rows
        What :meth:`vecsim.engines.many.trace.Trace.rows` returns.
    sizes
        What the machines have in common.
    numbers
        (NUMBERS, M), of each of M machines its numbers.
    """

    events: Ints
    rows: Ints
    sizes: Sizes
    numbers: Ints

    @property
    def count(self) -> int:
        """How many machines there are."""
        return int(self.numbers.shape[1])

    def first_times(self) -> Ints:
        """Return (n, M) what the memory of each machine begins with: its numbers and what follows."""
        if self.sizes.memory is None:
            return self.numbers
        result = np.ones((places.ISSUED_AT, self.count), np.int32)
        result[: len(NUMBERS)] = self.numbers
        for place, row in _derived(self.sizes.memory, self.numbers).items():
            result[place] = row
        return result


def _derived(memory: MemorySizes, numbers: Ints) -> dict[int, npt.NDArray[np.int64]]:
    """Return what follows from the (NUMBERS, M) numbers of machines, (M,) by place."""
    cycles, busy = (numbers[place].astype(np.int64) for place in (places.MEMORY_CYCLES, places.BANK_BUSY))
    most = max(memory.path_bytes, 1)
    passing = cycles * (memory.path_bytes > 0)
    result = {places.WORD_CYCLES: WORD_BYTES * passing // most, places.WORD_PART: WORD_BYTES * passing % most}
    for level, cache in enumerate(memory.caches):
        taken, words = cache.line_bytes * passing, cache.line_bytes // WORD_BYTES
        refill = numbers[places.REFILL_BYTES + level]
        entering = np.where(refill > 0, -(-cache.line_bytes // np.maximum(refill, 1)), 0)
        result |= {
            places.LINE_CYCLES + level: taken // most,
            places.LINE_PART + level: taken % most,
            places.LINE_PASSES + level: np.maximum(-(-taken // most), 1),
            places.LINE_BUSY + level: -(-words // memory.banks) * busy,
            places.REFILL_CYCLES + level: entering,
        }
    return result


def group_of(trace: Trace, machine: Machine, numbers: Ints) -> Group:
    """Return machines as a group.

    Parameters
    ----------
    trace
        The record of the run.
    machine
        One of the machines; the others differ from it in ``numbers`` alone.
    numbers
        What :func:`numbers_of` returns.
    """
    return Group(trace.events, trace.rows(machine), sizes_of(machine), numbers)


@dataclass(frozen=True, eq=False)
class Times:
    """What M machines came to.

    Attributes
    ----------
    cycles
        (M,) cycles; -1 of a machine that takes too long to be timed here.
    by_cause
        (M, len(Cause)) cycles by cause.
    """

    cycles: npt.NDArray[np.int64]
    by_cause: npt.NDArray[np.int64]


def loop_of(sizes: Sizes) -> str:
    """Return which loop times machines on a processor."""
    return MANY if sizes.memory is None else MANY_WITH_MEMORY


def time_group(group: Group) -> Times:
    """Time the machines of a group on this processor."""
    count, shape = group.count, np.array(group.sizes.places(), np.int64)
    run = machine_code(BASE, loop_of(group.sizes)).loop
    start, memory = start_of(group.sizes), _aligned(int(shape[places.TOTAL]) * WIDTH)
    lanes = memory.reshape(-1, WIDTH)
    cycles, by_cause = np.zeros(count, np.int64), np.zeros((count, len(Cause)), np.int64)
    numbers = group.first_times()
    for first in range(0, count, WIDTH):
        some = numbers[:, first : first + WIDTH]
        width = some.shape[1]
        lanes[:] = start[:, None]
        lanes[: len(numbers), :width], lanes[: len(numbers), width:] = some, some[:, :1]
        run(group.events.ctypes.data, group.rows.ctypes.data, memory.ctypes.data, shape.ctypes.data)
        cycles[first : first + width] = np.where(
            lanes[places.LATEST] < LAST_CYCLE, lanes[places.RETIRED], LAST_CYCLE
        )[:width]
        by_cause[first : first + width] = lanes[places.CHARGES : places.CHARGES + len(Cause), :width].T
    cycles[cycles >= LAST_CYCLE] = -1
    return Times(cycles, by_cause)


def start_of(sizes: Sizes) -> Ints:
    """Return the (n,) memory of a machine when a run begins, without its numbers."""
    shape = sizes.places()
    memory = np.zeros(shape[places.TOTAL], np.int32)
    memory[places.ONE], memory[places.DISPATCHED] = 1, -1
    for begin, end in places.NEGATIVE:
        memory[shape[begin] : shape[end]] = -1
    return memory


def _aligned(count: int) -> Ints:
    """Return (count,) integers whose address is a multiple of a group's bytes."""
    raw = np.empty(4 * count + ALIGNMENT, np.uint8)
    offset = -raw.ctypes.data % ALIGNMENT
    return raw[offset : offset + 4 * count].view(np.int32)
