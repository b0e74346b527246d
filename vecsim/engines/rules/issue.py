"""In-order issue (docs/timing.md, "Issue").

The scalar side is timed here to its end; a vector instruction goes on its way into the queue of its unit.
Values are computed when an instruction issues, so no value depends on time.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from isa.declaration import Timing, Unit
from vecsim.engines.columns import control, counters, flight, instruction, parameter, work
from vecsim.engines.record import PENDING
from vecsim.engines.rules.accounts import book_wait, count_execution, issue_cause, retire_at_issue
from vecsim.engines.rules.addresses import base_address, elements, place, slice_exists
from vecsim.engines.rules.flight import enter
from vecsim.engines.rules.memory_order import scalar_order_at
from vecsim.engines.rules.numbers import NEVER, larger
from vecsim.engines.rules.operands import raise_all, whole_register
from vecsim.engines.rules.queues import put, room_at
from vecsim.engines.rules.renaming import (
    ancestors,
    elements_written,
    is_renamed,
    note_retirement,
    note_writer,
    registers_free_at,
    renames_vectors,
    row_of,
    take_scalars,
    writes_any,
)
from vecsim.engines.rules.rows import write_scalar_row

BRANCH, SCALAR_LOAD, SCALAR_STORE, HALT, EXTRACT, SPARSE = (
    int(Timing.BRANCH),
    int(Timing.SCALAR_LOAD),
    int(Timing.SCALAR_STORE),
    int(Timing.HALT),
    int(Timing.EXTRACT),
    int(Timing.SPARSE),
)
MEMORY = int(Unit.MEMORY)


def scalars_ready_at(r: Any, i: Any) -> Any:
    """Give the cycle from which all scalar registers of an instruction are ready; PENDING while unknown."""
    ready, awaited = 0, i + instruction.AWAITED
    for j in range(awaited + 1, awaited + 1 + r.program[awaited]):
        ready = larger(ready, r.scalar_ready[r.program[j]])
    return ready


def earliest_issue(r: Any) -> Any:
    """Give the cycle in which order, width and branches allow the next instruction."""
    full = 1 if r.control[control.ISSUED] >= r.machine[parameter.ISSUE_WIDTH] else 0
    return larger(r.control[control.FETCH], r.control[control.ISSUE_CYCLE] + full)


def _written_later(r: Any, v: Any, element: Any, behind: Any) -> Any:
    """Tell whether an instruction in flight has yet to write an element of vector register v.

    Parameters
    ----------
    behind
        The registers, as bits, that must be complete; 0 if the element itself is enough.
    """
    for k in range(r.work[work.FLYING]):
        at = r.order[k] * flight.COLUMNS
        j = row_of(r, r.order[k])
        whole = r.program[j + instruction.WHOLE_WRITE_SET] | r.program[j + instruction.ADDED_SET]
        if whole >> v & 1 or writes_any(r, r.order[k], behind):
            return True
        first = r.slots[at + flight.FIRST]
        begin, end = first + r.slots[at + flight.ELEMENT], first + r.slots[at + flight.ELEMENTS]
        if r.program[j + instruction.WRITE_SET] >> v & 1 and begin <= element < end:
            return True
    return False


def take_element(r: Any, i: Any, cycle: Any) -> Any:
    """Give the cycle from which the element that an extract reads is ready; take it if that is now.

    NEVER while an instruction in flight writes it.
    """
    s, chaining = r.machine[parameter.SECTION_SIZE], r.machine[parameter.CHAINING] == 1
    v = r.program[i + 1 + (instruction.READS if chaining else instruction.WHOLE_READS)]
    element = r.x[r.program[i + instruction.ELEMENT_REGISTER]] & (s - 1)
    behind = 0
    if renames_vectors(r):
        v = r.names[v]
        if not chaining or element >= elements_written(r, v):
            behind = 1 << v | ancestors(r, v)
    if _written_later(r, v, element, behind):
        return NEVER
    at = v * s + element
    ready = r.ready[at] if chaining and behind == 0 else whole_register(r, v)
    if ready <= cycle:
        if behind == 0:
            r.taken[at] = larger(r.taken[at], cycle)
        else:
            raise_all(r.taken, v * s, (v + 1) * s, cycle)
        r.taken_all[v] = larger(r.taken_all[v], cycle)
    return ready


def _count(r: Any, cycle: Any) -> Any:
    """Count an instruction that issues in ``cycle``; give the cycle of the issue before it."""
    before = r.control[control.ISSUE_CYCLE]
    if before < cycle:
        r.control[control.ISSUE_CYCLE], r.control[control.ISSUED] = cycle, 1
    else:
        r.control[control.ISSUED] += 1
    r.control[control.COUNT] += 1
    return before


def _set_ready(r: Any, i: Any, n: Any, retire: Any) -> None:
    """Note when the scalar registers that an instruction writes are ready."""
    writes, late = i + instruction.SCALAR_WRITES, i + instruction.LATE
    for j in range(writes + 1, writes + 1 + r.program[writes]):
        r.scalar_ready[r.program[j]] = retire
        note_writer(r, r.program[j])
    for j in range(late + 1, late + 1 + r.program[late]):
        register = r.program[j]
        before = 0 if is_renamed(r, register) else r.scalar_ready[register]
        r.scalar_ready[register] = PENDING if n > 0 else larger(before, retire)
        note_writer(r, register)


def _depart(r: Any, i: Any, slot: Any, n: Any, cause: Any, cycle: Any) -> None:
    """Book a vector instruction that issues with n >= 1 elements, and hand it to its unit."""
    if r.program[i + instruction.TIMING] == SPARSE:
        rows = slot * r.machine[parameter.SECTION_SIZE]
        for k in range(n):
            r.rows[rows + k] = r.row[k]
    book_wait(r, slot, cause, _count(r, cycle), cycle)
    put(r, r.program[i + instruction.UNIT], slot, cycle)


def _settle(r: Any, i: Any, cause: Any, cycle: Any, retire: Any) -> None:
    """Book an instruction that issues and touches no unit."""
    begin = _count(r, cycle)
    if r.work[work.TIMELINE] > 0:
        write_scalar_row(r, i, cause, cycle - begin, cycle, retire)
    retire_at_issue(r, i, retire, cause, begin, cycle)
    note_retirement(r, r.control[control.COUNT] - 1, retire)


def take_branch(r: Any, cycle: Any) -> None:
    """Let issue go on after a branch that is taken in ``cycle``: it ends its issue group."""
    r.control[control.FETCH] = cycle + 1 + r.machine[parameter.BRANCH_PENALTY]
    r.counters[counters.TAKEN_BRANCHES] += 1


def _trouble(r: Any, cycle: Any) -> Any:
    r.work[work.TROUBLE] = 1
    return cycle


def make_issue(execute_scalar: Any, is_taken: Any, execute_vector: Any) -> Callable[..., Any]:
    """Give ``step_issue(r, cycle)``: issue what can issue in this cycle, give the cycle to look again.

    Parameters
    ----------
    execute_scalar, execute_vector
        ``(r, i, n)``, which compute the values of an instruction.
    is_taken
        ``(r, i, n)``, which executes a branch.
    """

    def execute(r: Any, i: Any, n: Any, cycle: Any) -> Any:
        """Compute the values of an instruction; give the number of the one that follows."""
        timing, following = r.program[i + instruction.TIMING], r.program[i + instruction.FOLLOWING]
        if r.program[i + instruction.UNIT] > 0:
            execute_vector(r, i, n)
        elif timing == BRANCH:
            r.address[0] = following
            target = r.program[i + instruction.TARGET]
            if target < 0:
                target = r.x[r.program[i + instruction.FIELD]]
            if is_taken(r, i, 0):
                following = target
                take_branch(r, cycle)
        else:
            execute_scalar(r, i, 1)
            if timing == HALT:
                r.control[control.HALTED] = 1
        return following

    def finish_issue(r: Any, i: Any, n: Any, cause: Any, cycle: Any) -> None:
        """Issue an instruction in this cycle."""
        vector = r.program[i + instruction.UNIT] > 0
        retire = cycle + 1 if vector else cycle + r.program[i + instruction.LATENCY]
        take_scalars(r, i)
        slot = enter(r, i, cycle, n) if n > 0 else -1
        r.control[control.PC] = execute(r, i, n, cycle)
        _set_ready(r, i, n, retire)
        count_execution(r, i, n)
        if n > 0:
            _depart(r, i, slot, n, cause, cycle)
        else:
            _settle(r, i, cause, cycle, retire)

    def step_issue(r: Any, cycle: Any) -> Any:
        r.work[work.AWAITS_ELEMENT] = 0
        while r.control[control.HALTED] == 0:
            if r.control[control.PC] < 0 or r.control[control.PC] >= r.machine[parameter.INSTRUCTIONS]:
                return _trouble(r, cycle)
            i = r.control[control.PC] * instruction.WIDTH
            unit, timing = r.program[i + instruction.UNIT], r.program[i + instruction.TIMING]
            ready, earliest = scalars_ready_at(r, i), earliest_issue(r)
            if ready > cycle or earliest > cycle:
                return larger(ready, earliest)
            n = operand = room = order = 0
            if unit > 0:
                n = elements(r, i)
                if n < 0:
                    return _trouble(r, cycle)
            free = registers_free_at(r, i, n)
            if free > cycle:
                return free
            if unit > 0:
                if n > 0:
                    room = room_at(r, unit)
                    if room > cycle:
                        return room
                    if not (
                        slice_exists(r, i) and (r.program[i + instruction.PATTERN] == 0 or place(r, i, n))
                    ):
                        return _trouble(r, cycle)
                elif r.program[i + instruction.PATTERN] > 0:
                    r.address[0] = ((base_address(r, i) & 0xFFFFFFFF) ^ 0x80000000) - 0x80000000
            elif timing == EXTRACT:
                operand = take_element(r, i, cycle)
                if operand > cycle:
                    r.work[work.AWAITS_ELEMENT] = 1
                    return operand
            elif timing in (SCALAR_LOAD, SCALAR_STORE):
                if not place(r, i, 1):
                    return _trouble(r, cycle)
                order = scalar_order_at(r, i, cycle)
                if order > cycle:
                    return order
            cause = issue_cause(cycle, earliest, ready, operand, room, order, free, unit == MEMORY)
            finish_issue(r, i, n, cause, cycle)
        return NEVER

    return step_issue
