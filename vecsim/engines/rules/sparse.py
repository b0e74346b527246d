"""The pipelined unit of MIPA and BMIPA (docs/timing.md, "Sparse unit").

Each cycle it takes from the head of its section the entries that have arrived, at most p of them in at most r
distinct rows. The multiplicand must be complete before the first entry. What it adds to is forwarded inside
the unit, so that neither a row repeated in a later cycle nor the next section stalls.
"""

from __future__ import annotations

from isa.declaration import Unit
from vecsim.engines.rules.accounts import book_wait, element_cause
from vecsim.engines.rules.arithmetic import leave_unit, start_first
from vecsim.engines.rules.hazards import first_blocked
from vecsim.engines.rules.numbers import NEVER, larger
from vecsim.engines.rules.operands import (
    element_hazard,
    element_operand,
    pass_elements,
    whole_hazard,
    whole_operand,
)
from vecsim.engines.rules.renaming import instruction_of
from vecsim.engines.rules.starts import note_start
from vecsim.engines.rules.vector_cache import slice_blocked
from vecsim.engines.state.flight import Slot
from vecsim.engines.state.run import Run

SPARSE = int(Unit.SPARSE)


def row_is_new(rows: list[int], k: int, in_cycle: int) -> bool:
    """Return whether entry k adds to another row than the ``in_cycle`` entries before it ("Sparse unit")."""
    j = k - in_cycle
    while j < k and rows[j] != rows[k]:
        j += 1
    return j == k


def distinct_rows(rows: list[int], k: int, in_cycle: int) -> int:
    """Return to how many rows the ``in_cycle`` entries before entry k add ("Sparse unit")."""
    count = 0
    for j in range(k - in_cycle, k):
        if rows[j] >= 0 and row_is_new(rows, j, j - (k - in_cycle)):
            count += 1
    return count


def _is_full(r: Run, rows: list[int], k: int, in_cycle: int) -> bool:
    """Return whether a cycle that took the ``in_cycle`` entries before k cannot take k ("Sparse unit")."""
    if in_cycle == r.machine.sparse_unit_p:
        return True
    most = r.machine.sparse_unit_r
    if rows[k] < 0 or in_cycle < most:
        return False
    return row_is_new(rows, k, in_cycle) and distinct_rows(rows, k, in_cycle) == most


def _take(r: Run, slot: Slot, unit: int, cycle: int, limit: int) -> int:
    """Take the entries of elements before ``limit`` that can be taken in this cycle ("Sparse unit").

    Returns the cycle to go on in. Some are timed ahead, as in an arithmetic unit.
    """
    ahead = limit == NEVER or r.scratch.times_ahead == 2
    instruction, rows = instruction_of(r, slot), r.entry_rows[slot.number]
    entry, entries, each = slot.word, slot.words, instruction.per_element
    last_cycle, in_cycle = slot.cycle, slot.in_cycle
    latency, wake = instruction.latency, NEVER
    while entry < entries:
        element = entry // each
        free = last_cycle + 1 if _is_full(r, rows, entry, in_cycle) else last_cycle
        if element >= limit:
            wake = NEVER if ahead or free <= cycle else free
            break
        operand, hazard = element_operand(r, instruction, element), element_hazard(r, instruction, element)
        if entry == 0:
            operand = larger(operand, whole_operand(r, instruction, slot.slice))
            hazard = larger(hazard, whole_hazard(r, instruction, slot.slice))
        start = larger(free, larger(operand, hazard))
        if start > cycle:
            if not ahead:
                wake = start
                break
            cycle = start
        if entry == 0:
            start_first(r, slot, cycle, operand)
        elif free < cycle:
            book_wait(r, slot, element_cause(cycle, operand), free, cycle)
        pass_elements(r, instruction, element, element + 1, cycle, cycle + latency)
        if last_cycle < cycle:
            r.units[unit].busy += 1
            note_start(r, slot, -1, cycle)
        in_cycle = in_cycle + 1 if last_cycle == cycle else 1
        last_cycle = cycle
        entry += 1
    slot.word, slot.element = entry, slot.elements if entry == entries else entry // each
    slot.cycle, slot.in_cycle = last_cycle, in_cycle
    return wake


def step_sparse(r: Run, unit: int, cycle: int) -> int:
    """Take the entries that can be taken in this cycle ("Sparse unit"); return the cycle to look again."""
    if r.units[unit].slot < 0:
        return NEVER
    slot = r.slots[r.units[unit].slot]
    if slot.blocked > 0:
        return NEVER
    if slot.dispatched_at > cycle:
        if r.scratch.times_ahead < 2:
            return slot.dispatched_at
        cycle = slot.dispatched_at
    begin, slice_ = slot.word, slot.slice
    if slice_ >= 0 and slot.slice_waits > 0 and slice_blocked(r, slot, slice_):
        return NEVER
    limit = NEVER
    if slot.element_waits > 0:
        limit = first_blocked(r, slot, slot.element)
    wake = _take(r, slot, unit, cycle, limit)
    if slot.word > begin:
        r.scratch.started = slot.number + 1
    if slot.element < slot.elements:
        return wake
    end_sparse(r, slot, unit)
    return NEVER


def end_sparse(r: Run, slot: Slot, unit: int) -> None:
    """Let an instruction leave a unit that has taken all its entries ("Sparse unit")."""
    result = slot.cycle + r.program[slot.pc].latency
    if slot.slice >= 0:
        r.slices[slot.slice].ready_at = larger(r.slices[slot.slice].ready_at, result)
    leave_unit(r, slot, unit, result)
