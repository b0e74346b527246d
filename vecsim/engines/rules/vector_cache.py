"""Slices of the vector cache (docs/timing.md, "Vector cache")."""

from __future__ import annotations

from typing import Any

from vecsim.engines.columns import flight, instruction, parameter
from vecsim.engines.rules.numbers import larger, smaller


def _slices(r: Any, slot: Any) -> tuple[Any, Any]:
    """Give the first and the last slice that an instruction touches; -1, -1 for none."""
    at, s = slot * flight.COLUMNS, r.machine[parameter.SECTION_SIZE]
    first = r.slots[at + flight.CACHE_FIRST]
    if first >= 0:
        return first // s, (first + r.slots[at + flight.ELEMENTS] - 1) // s
    return r.slots[at + flight.SLICE], r.slots[at + flight.SLICE]


def cache_waits(r: Any, slot: Any, older: Any) -> Any:
    """Give what ``slot`` waits for in ``older`` because of slices that both touch and at least one writes."""
    mine, mine_last = _slices(r, slot)
    theirs, theirs_last = _slices(r, older)
    if mine < 0 or theirs < 0 or mine_last < theirs or theirs_last < mine:
        return 0
    at, older_at = slot * flight.COLUMNS, older * flight.COLUMNS
    if r.slots[at + flight.SLICE] >= 0 and r.slots[older_at + flight.SLICE] >= 0:
        return 0  # the sparse unit forwards what it adds
    i, j = r.slots[at + flight.PC] * instruction.WIDTH, r.slots[older_at + flight.PC] * instruction.WIDTH
    if r.program[i + instruction.STORE] == 1 and r.program[j + instruction.STORE] == 1:
        return 0
    return flight.FOLLOWS_SLICE if r.machine[parameter.CHAINING] == 1 else flight.FOLLOWS_WHOLE


def slice_blocked(r: Any, slot: Any, slice_: Any) -> Any:
    """Tell whether an older instruction in flight has yet to complete a slice that ``slot`` needs."""
    depends, s = slot * r.machine[parameter.SLOTS], r.machine[parameter.SECTION_SIZE]
    begin, end, k = slice_ * s, (slice_ + 1) * s, 0
    while r.order[k] != slot:
        older = r.order[k]
        if r.depends[depends + older] & flight.FOLLOWS_SLICE:
            at = older * flight.COLUMNS
            if r.slots[at + flight.SLICE] >= 0:
                if r.slots[at + flight.SLICE] == slice_:
                    return True
            else:
                first = r.slots[at + flight.CACHE_FIRST]
                last = smaller(end, first + r.slots[at + flight.ELEMENTS])
                if first < end and last > begin and first + r.slots[at + flight.ELEMENT] < last:
                    return True
        k += 1
    return False


def entered(r: Any, at: Any, done: Any, needed: Any) -> tuple[Any, Any]:
    """Give the slices that the elements from ``done`` to ``needed`` of an access are the first in: from, to.

    Without chaining, all slices of the access, with its first element.
    """
    s, first = r.machine[parameter.SECTION_SIZE], r.slots[at + flight.CACHE_FIRST]
    if r.machine[parameter.CHAINING] == 0:
        last = first + r.slots[at + flight.ELEMENTS] - 1
        return (first // s, last // s + 1) if done == 0 else (0, 0)
    inside = 1 if done > 0 and (first + done) % s > 0 else 0
    return (first + done) // s + inside, (first + needed - 1) // s + 1


def any_blocked(r: Any, slot: Any, begin: Any, end: Any) -> Any:
    """Tell whether one of the slices from ``begin`` to ``end`` is blocked."""
    blocked = False
    for slice_ in range(begin, end):
        blocked = blocked or slice_blocked(r, slot, slice_)
    return blocked


def slices_ready(r: Any, begin: Any, end: Any) -> Any:
    """Give the cycle from which the slices from ``begin`` to ``end`` may be stored."""
    cycle = 0
    for slice_ in range(begin, end):
        cycle = larger(cycle, r.slice_ready[slice_])
    return cycle


def slices_free(r: Any, begin: Any, end: Any) -> Any:
    """Give the cycle from which the slices from ``begin`` to ``end`` may be overwritten."""
    cycle = 0
    for slice_ in range(begin, end):
        cycle = larger(cycle, larger(r.slice_ready[slice_], r.slice_taken[slice_] + 1))
    return cycle


def mark_slices(r: Any, store: Any, begin: Any, end: Any, cycle: Any) -> None:
    """Note that the elements of the cache from ``begin`` to ``end`` have passed in ``cycle``."""
    s = r.machine[parameter.SECTION_SIZE]
    for slice_ in range(begin // s, (end - 1) // s + 1):
        if store == 1:
            r.slice_taken[slice_] = larger(r.slice_taken[slice_], cycle)
        else:
            r.slice_ready[slice_] = cycle + 1
            r.slice_accumulator[slice_] = cycle + 1
