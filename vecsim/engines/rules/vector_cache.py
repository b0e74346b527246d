"""Slices of the vector cache (docs/timing.md, "Vector cache")."""

from __future__ import annotations

from vecsim.engines.rules.numbers import larger, smaller
from vecsim.engines.state.flight import FOLLOWS_SLICE, FOLLOWS_WHOLE, Slot
from vecsim.engines.state.run import Run


def _slices(r: Run, slot: Slot) -> tuple[int, int]:
    """Return the first and the last slice that an instruction touches; -1, -1 for none ("Vector cache")."""
    s = r.machine.section_size
    if slot.cache_first >= 0:
        return slot.cache_first // s, (slot.cache_first + slot.elements - 1) // s
    return slot.slice, slot.slice


def cache_waits(r: Run, slot: Slot, older: Slot) -> int:
    """Return what ``slot`` waits for in ``older``: slices that both touch and one writes ("Vector cache")."""
    mine, mine_last = _slices(r, slot)
    theirs, theirs_last = _slices(r, older)
    if mine < 0 or theirs < 0 or mine_last < theirs or theirs_last < mine:
        return 0
    if slot.slice >= 0 and older.slice >= 0:
        return 0  # the sparse unit forwards what it adds
    if r.program[slot.pc].store == 1 and r.program[older.pc].store == 1:
        return 0
    return FOLLOWS_SLICE if r.machine.chaining == 1 else FOLLOWS_WHOLE


def slice_blocked(r: Run, slot: Slot, slice_: int) -> bool:
    """Return whether an older one has yet to complete a slice that ``slot`` needs ("Vector cache")."""
    s = r.machine.section_size
    begin, end, k = slice_ * s, (slice_ + 1) * s, 0
    while r.order[k] != slot.number:
        older = r.slots[r.order[k]]
        if r.depends[slot.number][older.number] & FOLLOWS_SLICE:
            if older.slice >= 0:
                if older.slice == slice_:
                    return True
            else:
                first = older.cache_first
                last = smaller(end, first + older.elements)
                if first < end and last > begin and first + older.element < last:
                    return True
        k += 1
    return False


def entered(r: Run, slot: Slot, done: int, needed: int) -> tuple[int, int]:
    """Return the slices that an access enters with some elements: from, to ("Vector cache").

    Without chaining, all slices of the access, with its first element.
    """
    s, first = r.machine.section_size, slot.cache_first
    if r.machine.chaining == 0:
        last = first + slot.elements - 1
        return (first // s, last // s + 1) if done == 0 else (0, 0)
    inside = 1 if done > 0 and (first + done) % s > 0 else 0
    return (first + done) // s + inside, (first + needed - 1) // s + 1


def any_blocked(r: Run, slot: Slot, begin: int, end: int) -> bool:
    """Return whether one of the slices from ``begin`` to ``end`` is blocked ("Vector cache")."""
    blocked = False
    for slice_ in range(begin, end):
        blocked = blocked or slice_blocked(r, slot, slice_)
    return blocked


def slices_ready(r: Run, begin: int, end: int) -> int:
    """Return the cycle from which the slices from ``begin`` to ``end`` may be stored ("Vector cache")."""
    cycle = 0
    for slice_ in range(begin, end):
        cycle = larger(cycle, r.slices[slice_].ready_at)
    return cycle


def slices_free(r: Run, begin: int, end: int) -> int:
    """Return the cycle from which slices ``begin`` to ``end`` may be overwritten ("Vector cache")."""
    cycle = 0
    for slice_ in range(begin, end):
        cycle = larger(cycle, larger(r.slices[slice_].ready_at, r.slices[slice_].taken_at + 1))
    return cycle


def mark_slices(r: Run, store: int, begin: int, end: int, cycle: int, ready: int) -> None:
    """Note that the elements of the cache from ``begin`` to ``end`` pass in ``cycle`` ("Vector cache").

    Loaded ones are there from ``ready`` on.
    """
    s = r.machine.section_size
    for k in range(begin // s, (end - 1) // s + 1):
        slice_ = r.slices[k]
        if store == 1:
            slice_.taken_at = larger(slice_.taken_at, cycle)
        else:
            slice_.ready_at = ready
            slice_.ready_without_sums = ready
