"""When an element may start, and what it leaves behind.

An element has an operand cycle (RAW: from which all that it reads is ready) and a hazard cycle (WAR, WAW:
from which it may be written); both are known once every older instruction in flight has started the same
element.
"""

from __future__ import annotations

from typing import Any

from vecsim.engines.columns import CACHE_FIRST, ELEMENT, ELEMENTS, FIRST, SLICE, WAIT_ELEMENT, WAIT_SLICE
from vecsim.engines.jit.code import ACCUMULATOR, READS, SECTION_SIZE, SLOTS, WHOLE_READS, WHOLE_WRITES, WRITES
from vecsim.engines.jit.functions import function, inline
from vecsim.engines.jit.integers import larger, smaller
from vecsim.engines.jit.stepwise.places import NEVER, ORDER, SLOT_COLUMNS
from vecsim.engines.jit.views import record_of, scratch_of


@function
def first_blocked(w: Any, slot: Any, element: Any) -> Any:
    """The first element from ``element`` on that an older instruction in flight has yet to start."""
    r, scratch = record_of(w), scratch_of(w)
    work, depends = scratch.outcome, slot * scratch.machine[SLOTS]
    limit, k = NEVER, ORDER
    while work[k] != slot:
        if r.depends[depends + work[k]] & WAIT_ELEMENT:
            at = work[k] * SLOT_COLUMNS
            first = r.slots[at + FIRST]
            if element < first + r.slots[at + ELEMENTS]:
                limit = smaller(limit, larger(element, first + r.slots[at + ELEMENT]))
        k += 1
    return limit


@function
def slice_blocked(w: Any, slot: Any, slice_: Any) -> Any:
    """Tell whether an older instruction in flight has yet to complete this slice of the cache."""
    r, scratch = record_of(w), scratch_of(w)
    work, depends, s = scratch.outcome, slot * scratch.machine[SLOTS], scratch.machine[SECTION_SIZE]
    begin, end, k = slice_ * s, (slice_ + 1) * s, ORDER
    while work[k] != slot:
        if r.depends[depends + work[k]] & WAIT_SLICE:
            at = work[k] * SLOT_COLUMNS
            if r.slots[at + SLICE] >= 0:
                if r.slots[at + SLICE] == slice_:
                    return True
            else:
                first = r.slots[at + CACHE_FIRST]
                last = smaller(end, first + r.slots[at + ELEMENTS])
                if first < end and last > begin and first + r.slots[at + ELEMENT] < last:
                    return True
        k += 1
    return False


@inline
def whole_operand(r: Any, code: Any, i: Any, slice_: Any) -> Any:
    """From when all is ready that must be complete before the first element."""
    cycle = 0
    for j in range(code[i + WHOLE_READS]):
        cycle = larger(cycle, r.ready_all[code[i + WHOLE_READS + 1 + j]])
    v = code[i + ACCUMULATOR]
    if v >= 0:
        cycle = larger(cycle, r.ready_accumulator[v])
    if slice_ >= 0:
        cycle = larger(cycle, r.slice_accumulator[slice_])
    return cycle


@inline
def whole_hazard(r: Any, code: Any, i: Any, slice_: Any) -> Any:
    """From when what is written as a whole may be overwritten (WAR, WAW)."""
    cycle = 0
    for j in range(code[i + WHOLE_WRITES]):
        v = code[i + WHOLE_WRITES + 1 + j]
        cycle = larger(cycle, larger(r.ready_all[v], r.taken_all[v] + 1))
    v = code[i + ACCUMULATOR]
    if v >= 0:
        cycle = larger(cycle, r.taken_all[v] + 1)
    if slice_ >= 0:
        cycle = larger(cycle, r.slice_taken[slice_] + 1)
    return cycle


@inline
def clear_from(r: Any, code: Any, i: Any) -> Any:
    """From when every element of what passes element by element is free, if it waits for nobody."""
    cycle = 0
    for j in range(code[i + READS]):
        cycle = larger(cycle, r.ready_all[code[i + READS + 1 + j]])
    for j in range(code[i + WRITES]):
        v = code[i + WRITES + 1 + j]
        cycle = larger(cycle, larger(r.ready_all[v], r.taken_all[v] + 1))
    return cycle


@inline
def element_operand(r: Any, code: Any, i: Any, s: Any, element: Any) -> Any:
    """From when all that the element reads is ready (RAW)."""
    cycle = 0
    for j in range(code[i + READS]):
        cycle = larger(cycle, r.ready[code[i + READS + 1 + j] * s + element])
    return cycle


@inline
def element_hazard(r: Any, code: Any, i: Any, s: Any, element: Any) -> Any:
    """From when the element may be overwritten (WAR, WAW)."""
    cycle = 0
    for j in range(code[i + WRITES]):
        at = code[i + WRITES + 1 + j] * s + element
        cycle = larger(cycle, larger(r.ready[at], r.taken[at] + 1))
    return cycle


@inline
def pass_elements(r: Any, code: Any, i: Any, s: Any, begin: Any, end: Any, cycle: Any, ready: Any) -> None:
    """Note that elements were taken in ``cycle`` and what they write is ready from ``ready`` on.

    Parameters
    ----------
    begin, end
        The first of the elements, and the one after the last.
    cycle
        The cycle in which they start.
    ready
        The cycle from which their results are ready.
    """
    for j in range(code[i + READS]):
        v = code[i + READS + 1 + j] * s
        for at in range(v + begin, v + end):
            r.taken[at] = larger(r.taken[at], cycle)
    for j in range(code[i + WRITES]):
        v = code[i + WRITES + 1 + j] * s
        for at in range(v + begin, v + end):
            r.ready[at] = ready


@inline
def complete(r: Any, code: Any, i: Any, s: Any, last: Any, result: Any) -> None:
    """Note what the last element, which starts in ``last``, completes at ``result``."""
    for j in range(code[i + WHOLE_READS]):
        v = code[i + WHOLE_READS + 1 + j]
        for at in range(v * s, (v + 1) * s):
            r.taken[at] = larger(r.taken[at], last)
        r.taken_all[v] = larger(r.taken_all[v], last)
    for j in range(code[i + WHOLE_WRITES]):
        v = code[i + WHOLE_WRITES + 1 + j]
        for at in range(v * s, (v + 1) * s):
            r.ready[at] = result
        r.ready_all[v] = larger(r.ready_all[v], result)
        r.ready_accumulator[v] = larger(r.ready_accumulator[v], result)
    v = code[i + ACCUMULATOR]
    if v >= 0:
        for at in range(v * s, (v + 1) * s):
            r.ready[at] = result
        r.ready_all[v] = larger(r.ready_all[v], result)
    for j in range(code[i + READS]):
        v = code[i + READS + 1 + j]
        r.taken_all[v] = larger(r.taken_all[v], last)
    for j in range(code[i + WRITES]):
        v = code[i + WRITES + 1 + j]
        r.ready_all[v] = larger(r.ready_all[v], result)
        r.ready_accumulator[v] = larger(r.ready_accumulator[v], result)
