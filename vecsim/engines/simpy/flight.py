"""A vector instruction enters flight: its row in the record, and what it waits for in older ones."""

from __future__ import annotations

import numpy as np

from isa.declaration import Timing
from vecsim.engines.columns import (
    ADDRESS,
    AGE,
    BASE,
    CACHE_FIRST,
    CYCLE,
    DISPATCHED_AT,
    ELEMENTS,
    FIRST,
    FIRST_READY,
    ISSUED_AT,
    LAST_BYTE,
    PORT,
    SLICE,
    SLOT_PC,
    START_CYCLE,
    UNIT,
    WAIT_ELEMENT,
    WAIT_ORDER,
    WAIT_SLICE,
    WAIT_WHOLE,
    WORDS,
)
from vecsim.engines.record import Slot
from vecsim.engines.simpy.core import Core
from vecsim.engines.static import Static

ACCESS = int(Timing.ACCESS)

EMPTY = np.zeros(len(Slot), np.int64)
"""A slot that has done nothing yet."""
EMPTY[[PORT, DISPATCHED_AT, BASE, START_CYCLE, CYCLE, FIRST_READY, SLICE, CACHE_FIRST]] = -1


def enter(core: Core, static: Static, cycle: int, n: int, first_byte: int, last_byte: int) -> int:
    """Take a free slot for n >= 1 elements and fill it; the age is set by the caller.

    Parameters
    ----------
    core
        The record and what is in flight.
    static
        What is known of the instruction before the run.
    cycle
        The cycle of issue.
    n
        How many elements it works on.
    first_byte, last_byte
        See :func:`vecsim.engines.access.place`.
    """
    slot = next(i for i, row in enumerate(core.slots) if row[AGE] < 0)
    row = core.slots[slot]
    core.static[slot] = static
    core.record.waits[slot] = 0
    core.record.slots[slot] = EMPTY
    row[SLOT_PC], row[UNIT], row[ELEMENTS], row[ISSUED_AT] = static.pc, static.unit, n, cycle
    row[ADDRESS], row[LAST_BYTE] = first_byte, last_byte
    x = core.state.x
    if static.cache:
        row[CACHE_FIRST] = int(x[static.element])
    elif static.element >= 0:
        row[FIRST] = int(x[static.element]) & (core.section - 1)
    if static.slice >= 0:
        row[SLICE] = int(x[static.slice])
    if static.timing == ACCESS:
        _place_words(core, slot, static, n, first_byte, last_byte)
    core.link(slot, _older(core, slot, static, first_byte, last_byte))
    core.order.append(slot)
    return slot


def _place_words(core: Core, slot: int, static: Static, n: int, first_byte: int, last_byte: int) -> None:
    row = core.slots[slot]
    if last_byte >= 0:
        row[WORDS] = (last_byte - 1 >> 2) - (first_byte >> 2) + 1
    else:
        row[WORDS] = n * (static.value_bytes // 4)
        np.right_shift(core.state.address[:n], 2, out=core.record.word_address[slot, :n])


def _older(core: Core, slot: int, static: Static, first_byte: int, last_byte: int) -> dict[int, int]:
    """What the new instruction waits for in each one in flight, as bits of ``Wait``."""
    found: dict[int, int] = {}
    reads, writes = static.read_mask, static.write_mask
    whole_reads, whole_writes = static.whole_read_mask, static.whole_write_mask
    accumulator = static.accumulator_mask
    for i in core.order:
        j = core.static[i]
        kinds = 0
        whole_written = j.whole_write_mask | j.accumulator_mask
        if reads & j.write_mask or writes & (j.read_mask | j.write_mask):
            kinds |= WAIT_ELEMENT
        if (
            reads & whole_written
            or writes & (j.whole_read_mask | whole_written)
            or whole_reads & (j.write_mask | whole_written)
            or whole_writes & (j.read_mask | j.write_mask | j.whole_read_mask | whole_written)
            or accumulator & (j.write_mask | j.whole_write_mask | j.read_mask | j.whole_read_mask)
        ):
            kinds |= WAIT_WHOLE
        kinds |= _cache_wait(core, slot, i, static, j)
        if static.timing == ACCESS and core.conflicts(i, static.store, first_byte, last_byte):
            kinds |= WAIT_ORDER
        if kinds:
            found[i] = kinds
    return found


def _cache_wait(core: Core, slot: int, older: int, static: Static, j: Static) -> int:
    """Slices of the vector cache that both touch and at least one writes."""
    mine, theirs = _slices(core, slot, static), _slices(core, older, j)
    if mine is None or theirs is None or mine[1] < theirs[0] or theirs[1] < mine[0]:
        return 0
    if (static.cache and static.store and j.cache and j.store) or (static.slice >= 0 and j.slice >= 0):
        return 0
    return WAIT_SLICE if core.machine.chaining else WAIT_WHOLE


def _slices(core: Core, slot: int, static: Static) -> tuple[int, int] | None:
    """First and last slice of the vector cache that an instruction touches."""
    row = core.slots[slot]
    if static.slice >= 0:
        return row[SLICE], row[SLICE]
    if static.cache:
        return row[CACHE_FIRST] // core.section, (row[CACHE_FIRST] + row[ELEMENTS] - 1) // core.section
    return None
