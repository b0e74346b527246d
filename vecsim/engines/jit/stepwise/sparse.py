"""The pipelined unit of MIPA and BMIPA; see :mod:`vecsim.engines.simpy.sparse`."""

from __future__ import annotations

from typing import Any

from isa.declaration import Unit
from vecsim.engines.columns import (
    BY_RAW,
    BY_WAR_WAW,
    CYCLE,
    ELEMENT,
    ELEMENTS,
    FIRST_READY,
    IN_CYCLE,
    SLICE,
    SLOT_PC,
)
from vecsim.engines.jit.code import LATENCY, SECTION_SIZE, SPARSE_P, SPARSE_R, WIDTH
from vecsim.engines.jit.functions import function, inline
from vecsim.engines.jit.integers import larger
from vecsim.engines.jit.sparse_rows import row_is_new
from vecsim.engines.jit.stepwise.accounts import wait
from vecsim.engines.jit.stepwise.arithmetic import start_first
from vecsim.engines.jit.stepwise.facts import facts_of
from vecsim.engines.jit.stepwise.flight import leave
from vecsim.engines.jit.stepwise.operands import (
    element_hazard,
    element_operand,
    first_blocked,
    pass_elements,
    slice_blocked,
    whole_hazard,
    whole_operand,
)
from vecsim.engines.jit.stepwise.places import (
    BLOCKED,
    ELEMENT_WAITS,
    ELEMENTS_STARTED,
    NEVER,
    PROGRESS,
    SLICE_WAITS,
    SLOT_COLUMNS,
)
from vecsim.engines.jit.views import record_of, scratch_of

SPARSE = int(Unit.SPARSE)


@inline
def _distinct(rows: Any, k: Any, in_cycle: Any) -> Any:
    """How many rows the ``in_cycle`` entries before entry k add to."""
    count = 0
    for j in range(k - in_cycle, k):
        if rows[j] >= 0 and row_is_new(rows, j, j - (k - in_cycle)):
            count += 1
    return count


@inline
def _is_full(rows: Any, k: Any, in_cycle: Any, p: Any, r: Any) -> Any:
    """Tell whether the cycle that has taken the ``in_cycle`` entries before entry k cannot take it."""
    if in_cycle == p:
        return True
    if rows[k] < 0 or in_cycle < r:
        return False
    return row_is_new(rows, k, in_cycle) and _distinct(rows, k, in_cycle) == r


@inline
def _take(w: Any, slot: Any, i: Any, cycle: Any, limit: Any) -> Any:
    """Take the entries that can be taken in this cycle; give the cycle to go on in, NEVER if blocked."""
    r, scratch = record_of(w), scratch_of(w)
    code, machine = scratch.program, scratch.machine
    s, p, distinct = machine[SECTION_SIZE], machine[SPARSE_P], machine[SPARSE_R]
    row, at, first = r.slots, slot * SLOT_COLUMNS, slot * machine[SECTION_SIZE]
    element, n, slice_ = row[at + ELEMENT], row[at + ELEMENTS], row[at + SLICE]
    last_cycle, in_cycle = row[at + CYCLE], row[at + IN_CYCLE]
    wake = NEVER
    while element < n:
        free = last_cycle + 1 if _is_full(r.rows, first + element, in_cycle, p, distinct) else last_cycle
        if element >= limit:
            wake = NEVER if free <= cycle else free
            break
        operand, hazard = element_operand(r, code, i, s, element), element_hazard(r, code, i, s, element)
        if element == 0:
            operand = larger(operand, whole_operand(r, code, i, slice_))
            hazard = larger(hazard, whole_hazard(r, code, i, slice_))
        start = larger(free, larger(operand, hazard))
        if start > cycle:
            wake = start
            break
        if element == 0:
            start_first(w, slot, cycle, operand)
            row[at + FIRST_READY] = cycle + code[i + LATENCY]
        elif free < cycle:
            wait(w, slot, BY_RAW if operand == cycle else BY_WAR_WAW, free, cycle)
        pass_elements(r, code, i, s, element, element + 1, cycle, cycle + code[i + LATENCY])
        in_cycle = in_cycle + 1 if last_cycle == cycle else 1
        last_cycle = cycle
        element += 1
    row[at + ELEMENT], row[at + CYCLE], row[at + IN_CYCLE] = element, last_cycle, in_cycle
    return wake


@function
def step_sparse(w: Any, cycle: Any) -> Any:
    """Take the entries that can be taken in this cycle; give the cycle to look again."""
    r, scratch = record_of(w), scratch_of(w)
    machine, work = scratch.machine, scratch.outcome
    slot = r.unit_slot[SPARSE]
    if slot < 0:
        return NEVER
    facts, row, at = facts_of(machine, slot), r.slots, slot * SLOT_COLUMNS
    slice_, begin, before = row[at + SLICE], row[at + ELEMENT], row[at + CYCLE]
    if work[facts + BLOCKED] > 0:
        return NEVER
    if slice_ >= 0 and work[facts + SLICE_WAITS] > 0 and slice_blocked(w, slot, slice_):
        return NEVER
    i = row[at + SLOT_PC] * WIDTH
    limit = first_blocked(w, slot, begin) if work[facts + ELEMENT_WAITS] > 0 else NEVER
    wake = _take(w, slot, i, cycle, limit)
    if row[at + ELEMENT] > begin:
        r.unit_busy[SPARSE] += 1 if before < cycle else 0
        work[PROGRESS] |= ELEMENTS_STARTED
    if row[at + ELEMENT] < row[at + ELEMENTS]:
        return wake
    result = cycle + scratch.program[i + LATENCY]
    if slice_ >= 0:
        r.slice_ready[slice_] = larger(r.slice_ready[slice_], result)
    r.unit_slot[SPARSE] = -1
    r.unit_free[SPARSE] = cycle + 1
    leave(w, slot, cycle, result, result)
    return NEVER
