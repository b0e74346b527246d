"""Who waits for whom among the instructions in flight (docs/timing.md, "Chaining", "WAR and WAW hazards")."""

from __future__ import annotations

from typing import Any

from isa.declaration import Timing
from vecsim.engines.columns import flight, instruction, parameter, work
from vecsim.engines.rules.memory_order import follows_in_flight
from vecsim.engines.rules.numbers import NEVER, larger, smaller
from vecsim.engines.rules.renaming import row_of, writes_any
from vecsim.engines.rules.vector_cache import cache_waits

ACCESS = int(Timing.ACCESS)


def register_waits(r: Any, i: Any, j: Any) -> Any:
    """Give what an instruction waits for in an older one because of vector registers."""
    reads, writes = r.program[i + instruction.READ_SET], r.program[i + instruction.WRITE_SET]
    whole_reads = r.program[i + instruction.WHOLE_READ_SET]
    whole_writes = r.program[i + instruction.WHOLE_WRITE_SET]
    read, written = r.program[j + instruction.READ_SET], r.program[j + instruction.WRITE_SET]
    whole_read = r.program[j + instruction.WHOLE_READ_SET]
    whole_written = r.program[j + instruction.WHOLE_WRITE_SET]
    completed = whole_written | r.program[j + instruction.ADDED_SET]
    bits = 0
    if reads & written | writes & (read | written) != 0:
        bits |= flight.FOLLOWS_ELEMENT
    whole = reads & completed | writes & (whole_read | completed)
    whole |= whole_reads & (written | completed)
    whole |= whole_writes & (read | written | whole_read | completed)
    whole |= r.program[i + instruction.ADDED_SET] & (read | written | whole_read | whole_written)
    if whole != 0:
        bits |= flight.FOLLOWS_WHOLE
    return bits


def count_wait(r: Any, slot: Any, bits: Any, change: Any) -> None:
    """Count a wait of ``slot`` for an older one, or count it no longer.

    Parameters
    ----------
    bits
        What it waits for, of :mod:`vecsim.engines.columns.flight`.
    change
        1 or -1.
    """
    at = slot * flight.FACTS
    if bits & flight.FOLLOWS_ELEMENT:
        r.facts[at + flight.ELEMENT_WAITS] += change
    if bits & flight.FOLLOWS_SLICE:
        r.facts[at + flight.SLICE_WAITS] += change
    if bits & (flight.FOLLOWS_WHOLE | flight.FOLLOWS_ORDER):
        r.facts[at + flight.BLOCKED] += change


def follow_older(r: Any, slot: Any) -> None:
    """Note what the new instruction in ``slot`` waits for in each one in flight."""
    at, depends = slot * flight.COLUMNS, slot * r.machine[parameter.SLOTS]
    i = r.slots[at + flight.PC] * instruction.WIDTH
    access, store = r.program[i + instruction.TIMING] == ACCESS, r.program[i + instruction.STORE]
    first, end = r.slots[at + flight.ADDRESS], r.slots[at + flight.LAST_BYTE]
    cached = r.slots[at + flight.SLICE] >= 0 or r.slots[at + flight.CACHE_FIRST] >= 0
    for k in range(r.work[work.FLYING]):
        older = r.order[k]
        bits = register_waits(r, row_of(r, slot), row_of(r, older))
        if writes_any(r, older, r.slots[at + flight.BEHIND]):
            bits |= flight.FOLLOWS_WHOLE
        if cached:
            bits |= cache_waits(r, slot, older)
        if access and follows_in_flight(r, older, store, first, end):
            bits |= flight.FOLLOWS_ORDER
        if bits != 0:
            r.depends[depends + older] = bits
            count_wait(r, slot, bits, 1)


def release(r: Any, slot: Any, position: Any, last: Any) -> None:
    """Let nobody wait any longer for ``slot``, which has left flight from ``position``, nor it for others."""
    slots = r.machine[parameter.SLOTS]
    for k in range(position, r.work[work.FLYING]):
        younger = r.order[k]
        bits = r.depends[younger * slots + slot]
        if bits != 0:
            r.depends[younger * slots + slot] = 0
            count_wait(r, younger, bits, -1)
            if bits & flight.FOLLOWS_ORDER:
                at = younger * flight.COLUMNS + flight.ORDER_END
                r.slots[at] = larger(r.slots[at], last + 1)
    for k in range(position):
        r.depends[slot * slots + r.order[k]] = 0


def first_blocked(r: Any, slot: Any, element: Any) -> Any:
    """Give the first element from ``element`` on that an older instruction in flight has yet to start."""
    limit, depends, k = NEVER, slot * r.machine[parameter.SLOTS], 0
    while r.order[k] != slot:
        older = r.order[k]
        if r.depends[depends + older] & flight.FOLLOWS_ELEMENT:
            at = older * flight.COLUMNS
            first = r.slots[at + flight.FIRST]
            if element < first + r.slots[at + flight.ELEMENTS]:
                limit = smaller(limit, larger(element, first + r.slots[at + flight.ELEMENT]))
        k += 1
    return limit


def follows_elements(r: Any, younger: Any, slot: Any) -> Any:
    """Tell whether an instruction in flight, -1 for none, waits for elements of the one in ``slot``."""
    if younger < 0:
        return False
    bits = r.depends[younger * r.machine[parameter.SLOTS] + slot]
    return bits & (flight.FOLLOWS_ELEMENT | flight.FOLLOWS_SLICE) != 0
