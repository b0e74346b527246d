"""In-order issue: the scalar side, and the way of a vector instruction into the queue of its unit."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from isa.declaration import Timing, Unit
from vecsim.engines.columns import (
    COUNT,
    ELEMENT,
    ELEMENT_OPERATIONS,
    ELEMENTS,
    END,
    FETCH,
    FIRST,
    HALTED,
    ISSUE_CYCLE,
    ISSUED,
    PC,
    SCALAR_BYTES,
    SCALAR_INSTRUCTIONS,
    TAKEN_BRANCHES,
    VECTOR_INSTRUCTIONS,
)
from vecsim.engines.jit.addresses import elements, place
from vecsim.engines.jit.code import (
    AWAITED,
    BASE_REGISTER,
    BRANCH_PENALTY,
    CHAINING,
    ELEMENT_REGISTER,
    FIELD,
    HISTORY,
    INSTRUCTIONS,
    ISSUE_WIDTH,
    LATE,
    LATENCY,
    OFFSET,
    OPERATION,
    PATTERN,
    PORTS,
    READS,
    RECORD_BYTES,
    SCALAR_WRITES,
    SECTION_SIZE,
    SLICE_REGISTER,
    STORE,
    TARGET,
    TIMING,
    UNIT,
    VALUE_BYTES,
    WHOLE_READS,
    WIDTH,
)
from vecsim.engines.jit.functions import function, inline
from vecsim.engines.jit.integers import larger
from vecsim.engines.jit.outcome import TROUBLE
from vecsim.engines.jit.semantics import Semantics
from vecsim.engines.jit.stepwise.accounts import cause_of_issue, retire_scalar, wait
from vecsim.engines.jit.stepwise.facts import facts_of
from vecsim.engines.jit.stepwise.flight import conflicts, enter
from vecsim.engines.jit.stepwise.memory import HISTORY_COLUMNS
from vecsim.engines.jit.stepwise.places import (
    ADDED,
    AWAITS_ELEMENT,
    FLYING,
    NEVER,
    ORDER,
    SLOT_COLUMNS,
    STATUS,
    TIMELINE,
    WHOLE_WRITTEN,
    WRITTEN,
)
from vecsim.engines.jit.stepwise.queues import put, room_at
from vecsim.engines.jit.stepwise.rows import write_scalar_row
from vecsim.engines.jit.views import record_of, scratch_of, state_of
from vecsim.engines.record import PENDING

SCALAR, BRANCH, SCALAR_LOAD, SCALAR_STORE, HALT, EXTRACT, SPARSE = (
    int(Timing.SCALAR),
    int(Timing.BRANCH),
    int(Timing.SCALAR_LOAD),
    int(Timing.SCALAR_STORE),
    int(Timing.HALT),
    int(Timing.EXTRACT),
    int(Timing.SPARSE),
)
MEMORY = int(Unit.MEMORY)


@inline
def _scalars_ready_at(r: Any, code: Any, i: Any) -> Any:
    """From when all scalar registers of an instruction are ready; PENDING while that is not known."""
    ready = 0
    for j in range(i + AWAITED + 1, i + AWAITED + 1 + code[i + AWAITED]):
        ready = larger(ready, r.scalar_ready[code[j]])
    return ready


@inline
def _start_at(r: Any, machine: Any, ready: Any, cycle: Any) -> Any:
    """From when the next instruction may issue by its registers, the branch before it and the width."""
    control = r.control
    start = larger(larger(ready, control[FETCH]), cycle)
    if control[ISSUED] >= machine[ISSUE_WIDTH] and control[ISSUE_CYCLE] >= start:
        return control[ISSUE_CYCLE] + 1
    return start


@function
def _take_element(w: Any, i: Any, cycle: Any) -> Any:
    """From when the element that an extract reads is ready; it is taken if that is now.

    NEVER while an instruction in flight writes it.
    """
    m, r, scratch = state_of(w), record_of(w), scratch_of(w)
    code, machine, work = scratch.program, scratch.machine, scratch.outcome
    s = machine[SECTION_SIZE]
    v = code[i + READS + 1] if machine[CHAINING] == 1 else code[i + WHOLE_READS + 1]
    element = m.x[code[i + ELEMENT_REGISTER]] & (s - 1)
    for k in range(work[FLYING]):
        facts, at = facts_of(machine, work[ORDER + k]), work[ORDER + k] * SLOT_COLUMNS
        if (work[facts + WHOLE_WRITTEN] | work[facts + ADDED]) >> v & 1:
            return NEVER
        first = r.slots[at + FIRST]
        later = first + r.slots[at + ELEMENT] <= element < first + r.slots[at + ELEMENTS]
        if work[facts + WRITTEN] >> v & 1 and later:
            return NEVER
    ready = r.ready[v * s + element] if machine[CHAINING] == 1 else r.ready_all[v]
    if ready <= cycle:
        r.taken[v * s + element] = larger(r.taken[v * s + element], cycle)
        r.taken_all[v] = larger(r.taken_all[v], cycle)
    return ready


@function
def _order_at(w: Any, i: Any, cycle: Any) -> Any:
    """End of the accesses that a scalar access must follow, if it is not before ``cycle``.

    NEVER while one is in flight.
    """
    m, r, scratch = state_of(w), record_of(w), scratch_of(w)
    code, machine, work, ended = scratch.program, scratch.machine, scratch.outcome, r.port_history
    first = m.x[code[i + BASE_REGISTER]] + code[i + OFFSET]
    last, store = first + code[i + RECORD_BYTES], code[i + STORE]
    for k in range(work[FLYING]):
        if conflicts(r, code, work[ORDER + k], store, first, last):
            return NEVER
    latest, rows = 0, HISTORY_COLUMNS * machine[HISTORY]
    for port in range(machine[PORTS]):
        at, stop = port * rows, (port + 1) * rows
        while at < stop and ended[at + END] >= cycle:
            if (store == 1 or ended[at + 3] == 1) and (
                ended[at + 2] < 0 or (first < ended[at + 2] and ended[at + 1] < last)
            ):
                latest = larger(latest, ended[at + END])
            at += HISTORY_COLUMNS
    return latest


@inline
def _is_sound(m: Any, code: Any, machine: Any, i: Any, n: Any) -> Any:
    """Set the addresses of n >= 1 elements; tell whether the machine can execute the instruction."""
    if code[i + SLICE_REGISTER] >= 0:
        slice_ = m.x[code[i + SLICE_REGISTER]]
        if slice_ < 0 or slice_ >= machine[SECTION_SIZE]:
            return False
    return code[i + PATTERN] == 0 or place(m, code, machine, i, n)


@inline
def _count(control: Any, cycle: Any) -> Any:
    """Count an instruction that issues in ``cycle``; give the cycle of the issue before it."""
    before = control[ISSUE_CYCLE]
    if before < cycle:
        control[ISSUE_CYCLE], control[ISSUED] = cycle, 1
    else:
        control[ISSUED] += 1
    control[COUNT] += 1
    return before


@inline
def _set_ready(r: Any, code: Any, i: Any, n: Any, retire: Any) -> None:
    """Note when the scalar registers that the instruction writes are ready."""
    for j in range(i + SCALAR_WRITES + 1, i + SCALAR_WRITES + 1 + code[i + SCALAR_WRITES]):
        r.scalar_ready[code[j]] = retire
    for j in range(i + LATE + 1, i + LATE + 1 + code[i + LATE]):
        r.scalar_ready[code[j]] = PENDING if n > 0 else larger(r.scalar_ready[code[j]], retire)


@inline
def _depart(w: Any, i: Any, slot: Any, n: Any, cause: Any, cycle: Any) -> None:
    """Book a vector instruction that issues with n >= 1 elements, and hand it to its unit."""
    m, r, scratch = state_of(w), record_of(w), scratch_of(w)
    if scratch.program[i + TIMING] == SPARSE:
        rows = slot * scratch.machine[SECTION_SIZE]
        for k in range(n):
            r.rows[rows + k] = m.row[k]
    r.counters[ELEMENT_OPERATIONS] += n
    wait(w, slot, cause, _count(r.control, cycle), cycle)
    put(w, scratch.program[i + UNIT], slot, cycle)


@inline
def _settle(w: Any, i: Any, cause: Any, cycle: Any, retire: Any) -> None:
    """Book an instruction that issues and touches no unit."""
    r, work = record_of(w), scratch_of(w).outcome
    begin = _count(r.control, cycle)
    if work[TIMELINE] == 1:
        write_scalar_row(w, i, cause, cycle - begin, cycle, retire)
    retire_scalar(r, work, retire, cause, begin, cycle)


@inline
def _trouble(work: Any, cycle: Any) -> Any:
    work[STATUS] = TROUBLE
    return cycle


def make_issue(semantics: Semantics) -> Callable[..., Any]:
    """Give ``step_issue(w, cycle)``: issue what can issue in this cycle, give the cycle to look again."""
    execute_scalar, is_taken, execute_vector = semantics

    @inline
    def execute(w: Any, i: Any, n: Any, cycle: Any) -> Any:
        """Compute the values of an instruction; give the number of the one that follows."""
        m, r, scratch = state_of(w), record_of(w), scratch_of(w)
        code, timing, operation = scratch.program, scratch.program[i + TIMING], scratch.program[i + OPERATION]
        f0, f1, f2, f3, f4 = (
            code[i + FIELD],
            code[i + FIELD + 1],
            code[i + FIELD + 2],
            code[i + FIELD + 3],
            code[i + FIELD + 4],
        )
        following = i // WIDTH + 1
        if code[i + UNIT] > 0:
            execute_vector(w, operation, n, f0, f1, f2, f3, f4)
        elif timing == BRANCH:
            m.address[0] = following
            target = code[i + TARGET]
            if target < 0:
                target = m.x[f0]
            if is_taken(w, operation, f0, f1, f2, f3, f4):
                following = target
                r.control[FETCH] = cycle + 1 + scratch.machine[BRANCH_PENALTY]
                r.counters[TAKEN_BRANCHES] += 1
        else:
            execute_scalar(w, operation, 0 if timing == SCALAR else 1, f0, f1, f2, f3, f4)
            if timing == HALT:
                r.control[HALTED] = 1
        return following

    @function
    def step_issue(w: Any, cycle: Any) -> Any:
        m, r, scratch = state_of(w), record_of(w), scratch_of(w)
        code, machine, work, control = scratch.program, scratch.machine, scratch.outcome, r.control
        work[AWAITS_ELEMENT] = 0
        while control[HALTED] == 0:
            if control[PC] < 0 or control[PC] >= machine[INSTRUCTIONS]:
                return _trouble(work, cycle)
            i = control[PC] * WIDTH
            unit, timing = code[i + UNIT], code[i + TIMING]
            ready = _scalars_ready_at(r, code, i)
            start = _start_at(r, machine, ready, cycle)
            if start > cycle:
                return start
            n = operand = room = order = 0
            if unit > 0:
                n = elements(m, code, i)
                if n < 0:
                    return _trouble(work, cycle)
                if n > 0:
                    room = room_at(w, unit)
                    if room > cycle:
                        return room
                    if not _is_sound(m, code, machine, i, n):
                        return _trouble(work, cycle)
                elif code[i + PATTERN] > 0:
                    address = m.x[code[i + BASE_REGISTER]] + code[i + OFFSET]
                    m.address[0] = ((address & 0xFFFFFFFF) ^ 0x80000000) - 0x80000000
            elif timing == EXTRACT:
                operand = _take_element(w, i, cycle)
                if operand > cycle:
                    work[AWAITS_ELEMENT] = 1
                    return operand
            elif timing in (SCALAR_LOAD, SCALAR_STORE):
                if not place(m, code, machine, i, 1):
                    return _trouble(work, cycle)
                order = _order_at(w, i, cycle)
                if order > cycle:
                    return order
                r.counters[SCALAR_BYTES] += code[i + VALUE_BYTES]
            cause = cause_of_issue(r, machine, cycle, ready, operand, room, order, unit == MEMORY)
            retire = cycle + 1 if unit > 0 else cycle + code[i + LATENCY]
            slot = enter(w, i, cycle, n, control[COUNT]) if n > 0 else -1
            control[PC] = execute(w, i, n, cycle)
            _set_ready(r, code, i, n, retire)
            r.counters[VECTOR_INSTRUCTIONS if unit > 0 else SCALAR_INSTRUCTIONS] += 1
            if n > 0:
                _depart(w, i, slot, n, cause, cycle)
            else:
                _settle(w, i, cause, cycle, retire)
        return NEVER

    made: Callable[..., Any] = step_issue
    return made
