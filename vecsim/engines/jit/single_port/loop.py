"""The engine of a machine with one memory port: every instruction is timed to its end when it issues.

With one port nothing that is older depends on what is younger, so one pass over the instructions in program
order gives all cycles. The formulas are a second derivation of the rules of :mod:`vecsim.engines.rules`, of
which it uses only what an instruction touches (``addresses``), when issue allows the next one, how long a
result takes, and what a wait is booked to (``accounts``).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from isa.declaration import Pattern, Timing, Unit
from vecsim.engines.decoded import SCALARS
from vecsim.engines.jit.arrays.cells import int64_at
from vecsim.engines.jit.arrays.views import run_of
from vecsim.engines.jit.compiler.functions import function, inline, larger
from vecsim.engines.jit.interface import FINISHED, FULL, GOING, STOPPED, TROUBLE
from vecsim.engines.jit.rules import compiled_rule
from vecsim.engines.jit.semantics import Semantics, call_row
from vecsim.engines.jit.single_port.accounts import (
    book_at_issue,
    count_blocks,
    issue_cause,
    remember_waits,
    write_vector_row,
)
from vecsim.engines.jit.single_port.banks import settle
from vecsim.engines.jit.single_port.closed_forms import (
    time_insert,
    time_plain_chain,
    time_sum_chain,
    time_words,
)
from vecsim.engines.jit.single_port.parts import pass_parts
from vecsim.engines.jit.single_port.port import earlier_dispatch, port_free
from vecsim.engines.jit.single_port.registers import ready_at, take_all, take_one, write_registers
from vecsim.engines.jit.single_port.scalars import (
    SCALAR_STORE,
    finish_scalar,
    issued,
    make_run_scalars,
    scalars_ready_at,
    write_scalar_ready,
)
from vecsim.engines.jit.state import ASTRAY
from vecsim.engines.rules import addresses, issue
from vecsim.engines.state.instruction import END_OF_PROGRAM
from vecsim.engines.state.row import NONE

HALT, EXTRACT, ELEMENTWISE = int(Timing.HALT), int(Timing.EXTRACT), int(Timing.ELEMENTWISE)
MEMORY, CONTIGUOUS = int(Unit.MEMORY), int(Pattern.CONTIGUOUS)
earliest_issue = compiled_rule(issue.earliest_issue)
elements, place = compiled_rule(addresses.elements), compiled_rule(addresses.place)
slice_exists, base_address = compiled_rule(addresses.slice_exists), compiled_rule(addresses.base_address)
contiguous_bytes = compiled_rule(addresses.contiguous_bytes)
assert SCALAR_STORE < min(HALT, EXTRACT) < max(HALT, EXTRACT) < ELEMENTWISE


@inline
def _take_element(r: Any, instruction: Any, cycle: Any) -> Any:
    """The cycle from which the element that an extract reads is ready; take it if it issues before the stop.

    Without it the extract would issue in ``cycle``.
    """
    chaining = r.machine.chaining == 1
    v = instruction.reads[0] if chaining else instruction.whole_reads[0]
    element = r.x[instruction.element_register] & (r.machine.section_size - 1)
    ready = ready_at(r, v, element) if chaining else r.vectors[v].ready_at
    cycle = larger(cycle, ready)
    if cycle < r.outcome.until:
        take_one(r, v, element, cycle)
        take_all(r, v, cycle)
    return ready


@inline
def _room_at(r: Any, unit: Any) -> Any:
    """From when an instruction finds its unit free or room in the queue."""
    queue = r.machine.unit_queue
    if queue > 0:
        return earlier_dispatch(r, unit, queue - 1)
    return port_free(r) if unit == MEMORY else r.units[unit].free_at


@inline
def _place(r: Any, instruction: Any, n: Any) -> Any:
    """Set the addresses of n elements; return False if the instruction cannot be executed.

    One of no elements touches nothing, and so can.
    """
    if n > 0 and not slice_exists(r, instruction):
        return False
    if instruction.pattern > 0:
        base = base_address(r, instruction)
        r.outcome.address = base
        if instruction.pattern == CONTIGUOUS:
            r.outcome.end_byte = base + contiguous_bytes(r, instruction, n)
        if n > 0:
            return place(r, instruction, n)
        r.address[0] = ((base & 0xFFFFFFFF) ^ 0x80000000) - 0x80000000
    return True


@inline
def _begin(r: Any, stop_cycle: Any) -> None:
    """Take the record over."""
    outcome, banks_free, ready_by = r.outcome, 0, 0
    for j in range(r.machine.banks):
        banks_free = larger(banks_free, r.banks[j].free_at)
    for j in range(SCALARS):
        ready_by = larger(ready_by, r.scalars[j].ready_at)
    outcome.banks_free = outcome.settled_free = banks_free
    outcome.scalars_ready_by, outcome.run_words = ready_by, 0
    outcome.next = r.control.pc
    outcome.seen = r.control.count
    outcome.retired_by = r.control.last_retired
    outcome.before = r.control.issue_cycle
    outcome.issued = r.control.issued
    outcome.earliest, outcome.until = earliest_issue(r), stop_cycle


@inline
def _end(r: Any) -> None:
    """Write the record back."""
    outcome = r.outcome
    if outcome.next != ASTRAY:
        r.control.pc = outcome.next
    r.control.count = outcome.seen
    r.control.issue_cycle = outcome.before
    r.control.issued = outcome.issued
    r.control.retired = r.control.last_retired = outcome.retired_by
    count_blocks(r)
    settle(r)
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
    def time_vector(r: Any, instruction: Any, n: Any, cycle: Any, retired: Any) -> None:
        """Execute and time a vector instruction of n >= 1 elements."""
        element, slice_ = NONE, NONE
        kind, simple = instruction.chain, instruction.simple
        if kind + simple == 0:
            if instruction.slice_register >= 0:
                slice_ = r.x[instruction.slice_register]
            if instruction.element_register >= 0:
                element = r.x[instruction.element_register]
                if instruction.cache != 1:
                    element &= r.section - 1
        execute_vector(r, instruction, n)
        write_scalar_ready(r, instruction, cycle + 1)
        r.accounts[instruction.number].elements += n
        timed = False
        if simple > 0:
            timed = time_words(r, instruction, n, cycle, retired)
        elif kind == 1:
            timed = time_plain_chain(r, instruction, n, cycle, retired)
        elif kind == 2:
            timed = time_sum_chain(r, instruction, n, cycle, retired)
        elif kind == 3:
            time_insert(r, instruction, cycle, retired)
            timed = True
        if not timed:
            call_row(r.slow_paths[0], r, instruction.number, n, element, slice_, cycle, retired)

    @function
    def issue_empty(r: Any, instruction: Any, ready: Any, cycle: Any, stop_count: Any, capacity: Any) -> None:
        """Issue a vector instruction of n = 0 elements, which touches no unit."""
        execute_vector(r, instruction, 0)
        for register in instruction.late:
            r.scalars[register].ready_at = larger(r.scalars[register].ready_at, cycle + 1)
        cause = issue_cause(cycle, r.outcome.earliest, ready, 0, 0, 0, 0, False)
        finish_scalar(r, instruction, cause, cycle, cycle + 1, stop_count, capacity)

    @inline
    def issue_vector(r: Any, instruction: Any, stop_count: Any, capacity: Any) -> Any:
        """Issue a vector instruction; return GOING, or why it cannot issue yet or at all."""
        outcome, unit, room = r.outcome, instruction.unit, 0
        before = outcome.before
        if instruction.joined == 1:
            outcome.earliest = before
        earliest = outcome.earliest
        ready = scalars_ready_at(r, instruction)
        cycle = larger(ready, earliest)
        outcome.start = cycle
        if cycle >= outcome.until:
            return STOPPED
        n = elements(r, instruction)
        if n < 0:
            return TROUBLE
        if n > 0:
            room = _room_at(r, unit)
            cycle = larger(cycle, room)
            if cycle >= outcome.until:
                return STOPPED
        outcome.start = cycle
        if not _place(r, instruction, n):
            return TROUBLE
        if n == 0:
            issue_empty(r, instruction, ready, cycle, stop_count, capacity)
            return GOING
        if capacity >= 0:
            remember_waits(r, instruction)
        retired = answered = outcome.retired_by
        if cycle > before:
            cause = issue_cause(cycle, earliest, ready, 0, room, 0, 0, unit == MEMORY)
            answered = book_at_issue(r, instruction, cause, before, cycle, retired)
        outcome.elements = n
        time_vector(r, instruction, n, cycle, answered)
        account = r.accounts[instruction.number]
        if unit == MEMORY:
            account.busy += larger(outcome.retire - answered, 0)
        else:
            free = r.units[unit].free_at
            account.busy += larger(free - answered, 0)
            account.latency += larger(outcome.retire - larger(answered, free), 0)
        if capacity >= 0:
            write_vector_row(r, instruction, cycle)
        issued(r, instruction, cycle, larger(retired, outcome.retire), stop_count)
        return GOING

    @function
    def issue_other(r: Any, instruction: Any, stop_count: Any, capacity: Any) -> Any:
        """Issue an extract or halt, as :func:`issue_vector` does; halt gives FINISHED."""
        outcome, timing, operand = r.outcome, instruction.timing, 0
        ready, earliest = scalars_ready_at(r, instruction), outcome.earliest
        cycle = larger(ready, earliest)
        outcome.start = cycle
        if timing == EXTRACT and cycle < outcome.until:
            operand = _take_element(r, instruction, cycle)
            cycle = larger(cycle, operand)
        if cycle >= outcome.until:
            return STOPPED
        outcome.start = cycle
        execute_scalar(r, instruction, 1)
        cause = issue_cause(cycle, earliest, ready, operand, 0, 0, 0, False)
        finish_scalar(r, instruction, cause, cycle, cycle + instruction.latency, stop_count, capacity)
        if timing == HALT:
            r.control.halted = 1
            return FINISHED
        return GOING

    def run(table: Any, stop_cycle: Any, stop_count: Any, capacity: Any) -> Any:
        r = run_of(int64_at(table))
        outcome = r.outcome
        _begin(r, stop_cycle)
        status = FINISHED if r.control.halted == 1 else GOING
        while status == GOING:
            if capacity >= 0 and r.scratch.rows >= capacity:
                status = FULL
                break
            instruction = r.program[outcome.next]
            timing = instruction.timing
            if timing <= SCALAR_STORE:
                status = run_scalars(r, stop_count, capacity)
                continue
            if timing == END_OF_PROGRAM:
                outcome.start = outcome.before
                status = TROUBLE
                break
            if instruction.part == 1 and capacity < 0 and pass_parts(r, stop_count) > 0:
                continue
            if timing >= ELEMENTWISE:
                status = issue_vector(r, instruction, stop_count, capacity)
            else:
                status = issue_other(r, instruction, stop_count, capacity)
        _end(r)
        return status

    return run
