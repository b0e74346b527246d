"""The entries of a sparse instruction ahead of the clock, in one loop.

Others go by the rules of :mod:`vecsim.engines.rules.sparse`, which this derives again.
"""

from __future__ import annotations

from typing import Any

from vecsim.engines.jit.compiler.functions import apart
from vecsim.engines.jit.multiport.wake_ups import book
from vecsim.engines.rules.arithmetic import start_first
from vecsim.engines.rules.hazards import first_blocked
from vecsim.engines.rules.numbers import larger, smaller
from vecsim.engines.rules.operands import whole_hazard, whole_operand
from vecsim.engines.rules.renaming import instruction_of
from vecsim.engines.rules.sparse import distinct_rows, row_is_new
from vecsim.engines.state import causes


def _is_new(rows: Any, k: Any, in_cycle: Any, highest: Any) -> Any:
    """Return 1 if no entry before entry k in its cycle adds to its row, otherwise 0."""
    if rows[k] > highest:
        return 1
    if rows[k] == highest or rows[k] < 0:
        return 0
    return 1 if row_is_new(rows, k, in_cycle) else 0


def _highest(rows: Any, begin: Any, end: Any) -> Any:
    """Return the last row to which some entries add; -1 for none."""
    result = -1
    for k in range(begin, end):
        result = larger(result, rows[k])
    return result


@apart
def time_entries(r: Any, slot: Any, unit: Any, cycle: Any) -> None:
    """Time the entries whose operands have their cycles."""
    instruction, rows = instruction_of(r, slot), r.entry_rows[slot.number]
    k, end, element, each = slot.word, slot.words, slot.element, instruction.per_element
    if slot.element_waits > 0:
        end = smaller(end, each * smaller(slot.elements, first_blocked(r, slot, element)))
    if k >= end:
        return
    of_element = k - element * each
    reads = len(instruction.reads)
    a = instruction.reads[0] if reads > 0 else 0
    b = instruction.reads[1] if reads > 1 else a
    ready_a, ready_b, taken_a, taken_b = r.ready[a], r.ready[b], r.taken[a], r.taken[b]
    most, distinct = r.machine.sparse_unit_p, r.machine.sparse_unit_r
    last, in_cycle, start = slot.cycle, slot.in_cycle, larger(cycle, slot.dispatched_at)
    in_rows, highest = distinct_rows(rows, k, in_cycle), _highest(rows, k - in_cycle, k)
    busy, operands, hazards = 0, 0, 0
    while k < end:
        new = _is_new(rows, k, in_cycle, highest)
        free = last + 1 if in_cycle == most or in_rows + new > distinct else last
        operand, hazard = 0, 0
        if reads > 0:
            operand = larger(ready_a[element], ready_b[element])
        if k == 0:
            operand = larger(operand, whole_operand(r, instruction, slot.slice))
            hazard = whole_hazard(r, instruction, slot.slice)
        start = larger(larger(free, start), larger(operand, hazard))
        if k == 0:
            start_first(r, slot, start, operand)
        elif start == operand:
            operands += start - free
        else:
            hazards += start - free
        if reads > 0:
            taken_a[element] = larger(taken_a[element], start)
            taken_b[element] = larger(taken_b[element], start)
        if start > last:
            busy, in_cycle, in_rows, highest = busy + 1, 0, 0, -1
            new = 1 if rows[k] >= 0 else 0
        in_rows, in_cycle, highest = in_rows + new, in_cycle + 1, larger(highest, rows[k])
        last = start
        k += 1
        of_element += 1
        if of_element == each:
            element, of_element = element + 1, 0
    slot.word, slot.element = k, slot.elements if k == slot.words else element
    slot.cycle, slot.in_cycle = last, in_cycle
    r.units[unit].busy += busy
    if operands + hazards > 0:
        account = r.accounts[slot.pc]
        book(slot, account, causes.VECTOR_RAW, operands)
        book(slot, account, causes.VECTOR_WAR_WAW, hazards)
