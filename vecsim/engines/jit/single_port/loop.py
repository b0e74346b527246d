"""The engine of a machine with one memory port: every instruction is timed to its end when it issues.

With one port nothing that is older depends on what is younger, so one pass over the instructions in program
order gives all cycles. The formulas are a second derivation of the rules of :mod:`vecsim.engines.rules`, of
which it uses only what an instruction touches (``addresses``), when issue allows the next one, how long a
result takes, and what a wait is booked to (``accounts``).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from isa.declaration import Timing, Unit
from vecsim.engines.columns import control, instruction, ledger, outcomes, parameter
from vecsim.engines.decoded import NONE, SCALARS
from vecsim.engines.jit.arrays.cells import int64_at
from vecsim.engines.jit.arrays.views import run_of
from vecsim.engines.jit.compiler.functions import function, inline, larger
from vecsim.engines.jit.interface import FINISHED, FULL, GOING, STOPPED, TROUBLE
from vecsim.engines.jit.rules import compiled_rule
from vecsim.engines.jit.semantics import Semantics, call_row
from vecsim.engines.jit.single_port.accounts import (
    answer,
    book_at_issue,
    count_runs,
    issue_cause,
    remember_waits,
    row_of,
    write_vector_row,
)
from vecsim.engines.jit.single_port.banks import settle
from vecsim.engines.jit.single_port.closed_forms import (
    time_insert,
    time_plain_chain,
    time_sum_chain,
    time_words,
)
from vecsim.engines.jit.single_port.port import close_rings, dispatch_before, open_rings, port_free
from vecsim.engines.jit.single_port.registers import ready_at, take_one, write_registers
from vecsim.engines.jit.single_port.scalars import (
    SCALAR_STORE,
    finish_scalar,
    issued,
    make_run_scalars,
    scalars_ready_at,
    write_scalar_ready,
)
from vecsim.engines.rules import addresses, issue

HALT, EXTRACT, ELEMENTWISE = int(Timing.HALT), int(Timing.EXTRACT), int(Timing.ELEMENTWISE)
MEMORY = int(Unit.MEMORY)
earliest_issue = compiled_rule(issue.earliest_issue)
elements, place = compiled_rule(addresses.elements), compiled_rule(addresses.place)
slice_exists, base_address = compiled_rule(addresses.slice_exists), compiled_rule(addresses.base_address)
assert SCALAR_STORE < min(HALT, EXTRACT) < max(HALT, EXTRACT) < ELEMENTWISE


@inline
def _take_element(r: Any, i: Any, cycle: Any) -> Any:
    """The cycle from which the element that an extract reads is ready; take it if it issues before the stop.

    Without it the extract would issue in ``cycle``.
    """
    s, chaining = r.machine[parameter.SECTION_SIZE], r.machine[parameter.CHAINING] == 1
    v = r.program[i + 1 + (instruction.READS if chaining else instruction.WHOLE_READS)]
    element = r.x[r.program[i + instruction.ELEMENT_REGISTER]] & (s - 1)
    ready = ready_at(r, v, s, element) if chaining else r.ready_all[v]
    cycle = larger(cycle, ready)
    if cycle < r.outcome[outcomes.UNTIL]:
        take_one(r, v, s, element, cycle)
        r.taken_all[v] = larger(r.taken_all[v], cycle)
    return ready


@inline
def _room_at(r: Any, unit: Any) -> Any:
    """From when an instruction finds its unit free or room in the queue."""
    queue = r.machine[parameter.UNIT_QUEUE]
    if queue > 0:
        return dispatch_before(r, queue + 1, unit)
    return port_free(r) if unit == MEMORY else r.unit_free[unit]


@inline
def _place(r: Any, i: Any, n: Any) -> Any:
    """Set the addresses of n elements; return False if the instruction cannot be executed.

    One of no elements touches nothing, and so can.
    """
    if n > 0 and not slice_exists(r, i):
        return False
    if r.program[i + instruction.PATTERN] > 0:
        base = base_address(r, i)
        r.outcome[outcomes.ADDRESS] = base
        if n > 0:
            return place(r, i, n)
        r.address[0] = ((base & 0xFFFFFFFF) ^ 0x80000000) - 0x80000000
    return True


@inline
def _begin(r: Any, stop_cycle: Any) -> None:
    """Take the record over."""
    outcome, banks_free, ready_by = r.outcome, 0, 0
    for j in range(r.machine[parameter.BANKS]):
        banks_free = larger(banks_free, r.bank_free[j])
    for j in range(SCALARS):
        ready_by = larger(ready_by, r.scalar_ready[j])
    outcome[outcomes.BANKS_FREE] = outcome[outcomes.SETTLED_FREE] = banks_free
    outcome[outcomes.SCALARS_READY_BY], outcome[outcomes.RUN_WORDS] = ready_by, 0
    open_rings(r)
    outcome[outcomes.AT] = r.control[control.PC] * instruction.WIDTH
    outcome[outcomes.SEEN] = r.control[control.COUNT]
    outcome[outcomes.RETIRED_BY] = r.control[control.LAST_RETIRED]
    outcome[outcomes.BEFORE] = r.control[control.ISSUE_CYCLE]
    outcome[outcomes.ISSUED_IN] = r.control[control.ISSUED]
    outcome[outcomes.EARLIEST], outcome[outcomes.UNTIL] = earliest_issue(r), stop_cycle


@inline
def _end(r: Any) -> None:
    """Give the record back."""
    outcome = r.outcome
    if outcome[outcomes.AT] != outcomes.ASTRAY:
        r.control[control.PC] = outcome[outcomes.AT] // instruction.WIDTH
    r.control[control.COUNT] = outcome[outcomes.SEEN]
    r.control[control.ISSUE_CYCLE] = outcome[outcomes.BEFORE]
    r.control[control.ISSUED] = outcome[outcomes.ISSUED_IN]
    r.control[control.RETIRED] = r.control[control.LAST_RETIRED] = outcome[outcomes.RETIRED_BY]
    count_runs(r)
    settle(r)
    close_rings(r)
    write_registers(r)


def make_single_port_loop(semantics: Semantics) -> Callable[..., int]:
    """Return the plain function that runs a program with these semantics, to be compiled.

    ``run(table, stop_cycle, stop_count, capacity)``: the address of the table of addresses; the cycle before
    which to stop; the number of instructions after whose cycle to stop; the rows of the timeline that there
    is room for, -1 for no timeline. It returns one of STOPPED, FINISHED, TROUBLE, FULL.
    """
    execute_scalar, _, execute_vector = semantics
    run_scalars = make_run_scalars(semantics)

    @inline
    def time_vector(r: Any, i: Any, n: Any, cycle: Any, retired: Any) -> None:
        """Execute and time a vector instruction of n >= 1 elements."""
        code, element, slice_ = r.program, NONE, NONE
        kind, simple = code[i + instruction.CHAIN], code[i + instruction.SIMPLE]
        if kind + simple == 0:
            if code[i + instruction.SLICE_REGISTER] >= 0:
                slice_ = r.x[code[i + instruction.SLICE_REGISTER]]
            if code[i + instruction.ELEMENT_REGISTER] >= 0:
                element = r.x[code[i + instruction.ELEMENT_REGISTER]]
                if code[i + instruction.CACHE] != 1:
                    element &= r.section - 1
        execute_vector(r, i, n)
        write_scalar_ready(r, i, cycle + 1)
        r.ledger[row_of(i) + ledger.ELEMENTS] += n
        timed = False
        if simple == 1:
            timed = time_words(r, i, n, cycle, retired)
        elif kind == 1:
            timed = time_plain_chain(r, i, n, cycle, retired)
        elif kind == 2:
            timed = time_sum_chain(r, i, n, cycle, retired)
        elif kind == 3:
            time_insert(r, i, cycle, retired)
            timed = True
        if not timed:
            call_row(r.slow_paths[0], r, i, n, element, slice_, cycle, retired)

    @function
    def issue_empty(r: Any, i: Any, ready: Any, cycle: Any, stop_count: Any, capacity: Any) -> None:
        """Issue a vector instruction of n = 0 elements, which touches no unit."""
        execute_vector(r, i, 0)
        for j in range(r.program[i + instruction.LATE]):
            late = r.program[i + instruction.LATE + 1 + j]
            r.scalar_ready[late] = larger(r.scalar_ready[late], cycle + 1)
        cause = issue_cause(cycle, r.outcome[outcomes.EARLIEST], ready, 0, 0, 0, 0, False)
        finish_scalar(r, i, cause, cycle, cycle + 1, stop_count, capacity)

    @inline
    def issue_vector(r: Any, i: Any, stop_count: Any, capacity: Any) -> Any:
        """Issue the vector instruction at ``i``; return GOING, or why it cannot issue yet or at all."""
        outcome, unit, room = r.outcome, r.program[i + instruction.UNIT], 0
        before, earliest = outcome[outcomes.BEFORE], outcome[outcomes.EARLIEST]
        ready = scalars_ready_at(r, i)
        cycle = larger(ready, earliest)
        outcome[outcomes.START] = cycle
        if cycle >= outcome[outcomes.UNTIL]:
            return STOPPED
        n = elements(r, i)
        if n < 0:
            return TROUBLE
        if n > 0:
            room = _room_at(r, unit)
            cycle = larger(cycle, room)
            if cycle >= outcome[outcomes.UNTIL]:
                return STOPPED
        outcome[outcomes.START] = cycle
        if not _place(r, i, n):
            return TROUBLE
        if n == 0:
            issue_empty(r, i, ready, cycle, stop_count, capacity)
            return GOING
        if capacity >= 0:
            remember_waits(r, i)
        retired = answered = outcome[outcomes.RETIRED_BY]
        if cycle > before:
            cause = issue_cause(cycle, earliest, ready, 0, room, 0, 0, unit == MEMORY)
            answered = book_at_issue(r, i, cause, before, cycle, retired)
        outcome[outcomes.ELEMENTS] = n
        time_vector(r, i, n, cycle, answered)
        if unit != MEMORY:
            answer(r, i, ledger.BUSY, r.unit_free[unit], answered)
            answered = larger(answered, r.unit_free[unit])
        work = ledger.BUSY if unit == MEMORY else ledger.LATENCY
        answer(r, i, work, outcome[outcomes.RETIRE], answered)
        if capacity >= 0:
            write_vector_row(r, i, cycle)
        issued(r, i, cycle, larger(retired, outcome[outcomes.RETIRE]), stop_count)
        return GOING

    @function
    def issue_other(r: Any, i: Any, stop_count: Any, capacity: Any) -> Any:
        """Issue an extract or halt, as :func:`issue_vector` does; halt gives FINISHED."""
        outcome, timing, operand = r.outcome, r.program[i + instruction.TIMING], 0
        ready, earliest = scalars_ready_at(r, i), outcome[outcomes.EARLIEST]
        cycle = larger(ready, earliest)
        outcome[outcomes.START] = cycle
        if timing == EXTRACT and cycle < outcome[outcomes.UNTIL]:
            operand = _take_element(r, i, cycle)
            cycle = larger(cycle, operand)
        if cycle >= outcome[outcomes.UNTIL]:
            return STOPPED
        outcome[outcomes.START] = cycle
        execute_scalar(r, i, 1)
        cause = issue_cause(cycle, earliest, ready, operand, 0, 0, 0, False)
        finish_scalar(r, i, cause, cycle, cycle + r.program[i + instruction.LATENCY], stop_count, capacity)
        if timing == HALT:
            r.control[control.HALTED] = 1
            return FINISHED
        return GOING

    def run(table: Any, stop_cycle: Any, stop_count: Any, capacity: Any) -> Any:
        r = run_of(int64_at(table))
        outcome = r.outcome
        _begin(r, stop_cycle)
        status = FINISHED if r.control[control.HALTED] == 1 else GOING
        while status == GOING:
            if capacity >= 0 and r.timeline[0] >= capacity:
                status = FULL
                break
            i = outcome[outcomes.AT]
            timing = r.program[i + instruction.TIMING]
            if timing <= SCALAR_STORE:
                status = run_scalars(r, stop_count, capacity)
                continue
            if timing == instruction.END_OF_PROGRAM:
                outcome[outcomes.START] = outcome[outcomes.BEFORE]
                status = TROUBLE
                break
            if timing >= ELEMENTWISE:
                status = issue_vector(r, i, stop_count, capacity)
            else:
                status = issue_other(r, i, stop_count, capacity)
        _end(r)
        return status

    return run
