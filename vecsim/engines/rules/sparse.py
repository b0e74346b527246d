"""The pipelined unit of MIPA and BMIPA (docs/timing.md, "Sparse unit").

Each cycle it takes from the head of its section the entries that have arrived, at most p of them in at
most r distinct rows. The multiplicand must be complete before the first entry; what it adds to is
forwarded inside the unit, so that neither a row repeated in a later cycle nor the next section stalls.
"""

from __future__ import annotations

from typing import Any

from isa.declaration import Unit
from vecsim.engines.columns import flight, instruction, parameter, work
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
from vecsim.engines.rules.renaming import row_of
from vecsim.engines.rules.starts import note_start
from vecsim.engines.rules.vector_cache import slice_blocked

SPARSE = int(Unit.SPARSE)


def row_is_new(rows: Any, k: Any, in_cycle: Any) -> Any:
    """Tell whether none of the ``in_cycle`` entries before entry k of ``rows`` adds to its row."""
    j = k - in_cycle
    while j < k and rows[j] != rows[k]:
        j += 1
    return j == k


def _distinct(rows: Any, k: Any, in_cycle: Any) -> Any:
    """Give how many rows the ``in_cycle`` entries before entry k add to."""
    count = 0
    for j in range(k - in_cycle, k):
        if rows[j] >= 0 and row_is_new(rows, j, j - (k - in_cycle)):
            count += 1
    return count


def _is_full(r: Any, k: Any, in_cycle: Any) -> Any:
    """Tell whether the cycle that has taken the ``in_cycle`` entries before entry k cannot take it."""
    if in_cycle == r.machine[parameter.SPARSE_UNIT_P]:
        return True
    most = r.machine[parameter.SPARSE_UNIT_R]
    if r.rows[k] < 0 or in_cycle < most:
        return False
    return row_is_new(r.rows, k, in_cycle) and _distinct(r.rows, k, in_cycle) == most


def _take(r: Any, slot: Any, i: Any, cycle: Any, limit: Any) -> Any:
    """Take the entries before ``limit`` that can be taken in this cycle; give the cycle to go on in.

    Without a limit all that are left are timed now, as in an arithmetic unit.
    """
    at, rows = slot * flight.COLUMNS, slot * r.machine[parameter.SECTION_SIZE]
    element, n = r.slots[at + flight.ELEMENT], r.slots[at + flight.ELEMENTS]
    last_cycle, in_cycle = r.slots[at + flight.CYCLE], r.slots[at + flight.IN_CYCLE]
    slice_, latency = r.slots[at + flight.SLICE], r.program[i + instruction.LATENCY]
    wake = NEVER
    while element < n:
        free = last_cycle + 1 if _is_full(r, rows + element, in_cycle) else last_cycle
        if element >= limit:
            wake = NEVER if free <= cycle else free
            break
        operand, hazard = element_operand(r, i, element), element_hazard(r, i, element)
        if element == 0:
            operand = larger(operand, whole_operand(r, i, slice_))
            hazard = larger(hazard, whole_hazard(r, i, slice_))
        start = larger(free, larger(operand, hazard))
        if start > cycle:
            if limit != NEVER:
                wake = start
                break
            cycle = start
        if element == 0:
            start_first(r, slot, cycle, operand)
        elif free < cycle:
            book_wait(r, slot, element_cause(cycle, operand), free, cycle)
        pass_elements(r, i, element, element + 1, cycle, cycle + latency)
        if last_cycle < cycle:
            r.unit_busy[SPARSE] += 1
            note_start(r, slot, -1, cycle)
        in_cycle = in_cycle + 1 if last_cycle == cycle else 1
        last_cycle = cycle
        element += 1
    r.slots[at + flight.ELEMENT], r.slots[at + flight.CYCLE] = element, last_cycle
    r.slots[at + flight.IN_CYCLE] = in_cycle
    return wake


def step_sparse(r: Any, cycle: Any) -> Any:
    """Take the entries that can be taken in this cycle; give the cycle to look again."""
    slot = r.unit_slot[SPARSE]
    if slot < 0 or r.facts[slot * flight.FACTS + flight.BLOCKED] > 0:
        return NEVER
    at = slot * flight.COLUMNS
    i, slice_ = row_of(r, slot), r.slots[at + flight.SLICE]
    begin = r.slots[at + flight.ELEMENT]
    if (
        slice_ >= 0
        and r.facts[slot * flight.FACTS + flight.SLICE_WAITS] > 0
        and slice_blocked(r, slot, slice_)
    ):
        return NEVER
    limit = NEVER
    if r.facts[slot * flight.FACTS + flight.ELEMENT_WAITS] > 0:
        limit = first_blocked(r, slot, begin)
    wake = _take(r, slot, i, cycle, limit)
    if r.slots[at + flight.ELEMENT] > begin:
        r.work[work.STARTED] = slot + 1
    if r.slots[at + flight.ELEMENT] < r.slots[at + flight.ELEMENTS]:
        return wake
    result = r.slots[at + flight.CYCLE] + r.program[i + instruction.LATENCY]
    if slice_ >= 0:
        r.slice_ready[slice_] = larger(r.slice_ready[slice_], result)
    leave_unit(r, slot, SPARSE, result)
    return NEVER
