"""The engine of a machine with one memory port: every instruction is timed to its end when it issues.

With one port nothing that is older depends on what is younger, so one pass over the instructions in program
order gives all cycles. The formulas are a second derivation of the rules of :mod:`vecsim.engines.rules`, of
which it uses only what an instruction touches (``addresses``) and what a wait is booked to (``accounts``).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from isa.declaration import Timing, Unit
from vecsim.engines.columns import control, instruction, ledger, outcomes, parameter
from vecsim.engines.decoded import SCALARS
from vecsim.engines.jit.arrays.cells import int64_at
from vecsim.engines.jit.arrays.views import record_of, run_view, scratch_of, state_of
from vecsim.engines.jit.compiler.functions import function, inline
from vecsim.engines.jit.compiler.integers import larger, raised
from vecsim.engines.jit.interface import FINISHED, FULL, GOING, STOPPED, TROUBLE
from vecsim.engines.jit.rules import compiled_rule
from vecsim.engines.jit.semantics import Semantics, call_row
from vecsim.engines.jit.single_port.accounts import (
    answer,
    book_at_issue,
    count_runs,
    issue_cause,
    open_row,
    row_of,
    write_scalar_row,
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
from vecsim.engines.jit.single_port.registers import ready_at, write_all_tracks, write_bounds
from vecsim.engines.jit.single_port.scalars import (
    SCALAR_STORE,
    issued,
    make_run_scalars,
    scalars_ready_at,
    write_scalar_ready,
)
from vecsim.engines.rules import addresses

HALT, EXTRACT, ELEMENTWISE, ACCESS, MEMORY = (
    int(Timing.HALT),
    int(Timing.EXTRACT),
    int(Timing.ELEMENTWISE),
    int(Timing.ACCESS),
    int(Unit.MEMORY),
)
elements, place = compiled_rule(addresses.elements), compiled_rule(addresses.place)
run_of = run_view().run_of
assert SCALAR_STORE < min(HALT, EXTRACT) < max(HALT, EXTRACT) < ELEMENTWISE


@inline
def _element_ready(r: Any, scratch: Any, code: Any, i: Any, element: Any) -> Any:
    """From when the element that an extract reads is ready."""
    machine = scratch.machine
    if machine[parameter.CHAINING] == 0:
        return r.ready_all[code[i + instruction.WHOLE_READS + 1]]
    return ready_at(r, scratch, code[i + instruction.READS + 1], machine[parameter.SECTION_SIZE], element)


@inline
def _take_element(r: Any, code: Any, machine: Any, i: Any, element: Any, cycle: Any) -> None:
    v = (
        code[i + instruction.WHOLE_READS + 1]
        if machine[parameter.CHAINING] == 0
        else code[i + instruction.READS + 1]
    )
    at = v * machine[parameter.SECTION_SIZE] + element
    r.taken[at] = raised(r.taken[at], cycle)
    r.taken_all[v] = larger(r.taken_all[v], cycle)


@inline
def _room_at(r: Any, scratch: Any, unit: Any) -> Any:
    """From when an instruction finds its unit free or room in the queue."""
    queue = scratch.machine[parameter.UNIT_QUEUE]
    if queue > 0:
        return dispatch_before(scratch, queue + 1, unit)
    return port_free(scratch) if unit == MEMORY else r.unit_free[unit]


@inline
def _place(w: Any, i: Any, n: Any) -> Any:
    """Set the addresses of n elements; give False if the instruction cannot be executed.

    One of no elements touches nothing, and so can.
    """
    m, scratch = state_of(w), scratch_of(w)
    code, machine = scratch.program, scratch.machine
    if n > 0 and code[i + instruction.SLICE_REGISTER] >= 0:
        slice_ = m.x[code[i + instruction.SLICE_REGISTER]]
        if slice_ < 0 or slice_ >= machine[parameter.SECTION_SIZE]:
            return False
    if code[i + instruction.PATTERN] > 0:
        base = m.x[code[i + instruction.BASE_REGISTER]] + code[i + instruction.OFFSET]
        scratch.outcome[outcomes.ADDRESS] = base
        if n == 0:
            m.address[0] = ((base & 0xFFFFFFFF) ^ 0x80000000) - 0x80000000
        elif not place(run_of(w), i, n):
            return False
    return True


@inline
def _begin(w: Any) -> None:
    """Take the record over."""
    r, scratch = record_of(w), scratch_of(w)
    scratch.outcome[outcomes.BANKS_FREE] = scratch.outcome[outcomes.RUN_WORDS] = 0
    for j in range(scratch.machine[parameter.BANKS]):
        scratch.outcome[outcomes.BANKS_FREE] = larger(scratch.outcome[outcomes.BANKS_FREE], r.bank_free[j])
    scratch.outcome[outcomes.SETTLED_FREE] = scratch.outcome[outcomes.BANKS_FREE]
    scratch.outcome[outcomes.SCALARS_READY_BY] = 0
    for j in range(SCALARS):
        scratch.outcome[outcomes.SCALARS_READY_BY] = larger(
            scratch.outcome[outcomes.SCALARS_READY_BY], r.scalar_ready[j]
        )
    open_rings(r, scratch)
    outcome = scratch.outcome
    outcome[outcomes.AT], outcome[outcomes.SEEN], outcome[outcomes.RETIRED_BY] = (
        r.control[control.PC] * instruction.WIDTH,
        r.control[control.COUNT],
        r.control[control.LAST_RETIRED],
    )
    outcome[outcomes.BEFORE], outcome[outcomes.ISSUED_IN] = (
        r.control[control.ISSUE_CYCLE],
        r.control[control.ISSUED],
    )
    full = 1 if r.control[control.ISSUED] >= scratch.machine[parameter.ISSUE_WIDTH] else 0
    outcome[outcomes.EARLIEST] = larger(r.control[control.FETCH], r.control[control.ISSUE_CYCLE] + full)


@inline
def _end(w: Any) -> None:
    """Give the record back."""
    r, scratch = record_of(w), scratch_of(w)
    outcome = scratch.outcome
    if outcome[outcomes.AT] != outcomes.ASTRAY:
        r.control[control.PC] = outcome[outcomes.AT] // instruction.WIDTH
    r.control[control.COUNT], r.control[control.ISSUE_CYCLE], r.control[control.ISSUED] = (
        outcome[outcomes.SEEN],
        outcome[outcomes.BEFORE],
        outcome[outcomes.ISSUED_IN],
    )
    r.control[control.RETIRED] = r.control[control.LAST_RETIRED] = outcome[outcomes.RETIRED_BY]
    count_runs(r, scratch)
    settle(r, scratch)
    close_rings(r, scratch)
    write_all_tracks(w)
    write_bounds(r, scratch, scratch.machine)


def make_single_port_loop(semantics: Semantics) -> Callable[..., int]:
    """Give the plain function that runs a program with these semantics, to be compiled.

    ``run(table, stop_cycle, stop_count, capacity)``: the address of the table of addresses; the cycle before
    which to stop; the number of instructions after whose cycle to stop; the rows of the timeline that there
    is room for, -1 for no timeline. Gives one of STOPPED, FINISHED, TROUBLE, FULL.
    """
    execute_scalar, _, execute_vector = semantics
    run_scalars = make_run_scalars(semantics)

    @inline
    def time_vector(w: Any, i: Any, n: Any, cycle: Any, retired: Any) -> None:
        """Execute and time a vector instruction of n >= 1 elements."""
        m, r, scratch = state_of(w), record_of(w), scratch_of(w)
        code = scratch.program
        kind, simple = code[i + instruction.CHAIN], code[i + instruction.SIMPLE]
        element, slice_ = -1, -1
        if kind + simple == 0:
            if code[i + instruction.SLICE_REGISTER] >= 0:
                slice_ = m.x[code[i + instruction.SLICE_REGISTER]]
            if code[i + instruction.ELEMENT_REGISTER] >= 0:
                element = m.x[code[i + instruction.ELEMENT_REGISTER]]
                if code[i + instruction.CACHE] != 1:
                    element &= m.section - 1
        at = i + instruction.FIELD
        execute_vector(
            w,
            code[i + instruction.OPERATION],
            n,
            code[at],
            code[at + 1],
            code[at + 2],
            code[at + 3],
            code[at + 4],
        )
        write_scalar_ready(r, scratch, code, i, cycle + 1)
        r.ledger[row_of(i) + ledger.ELEMENTS] += n
        timed = False
        if simple == 1:
            timed = time_words(w, i, n, cycle, retired)
        elif kind == 1:
            timed = time_plain_chain(w, i, n, cycle, retired)
        elif kind == 2:
            timed = time_sum_chain(w, i, n, cycle, retired)
        elif kind == 3:
            time_insert(w, i, cycle, retired)
            timed = True
        if not timed:
            call_row(scratch.slow_paths[0], w, i, n, element, slice_, cycle, retired)

    @function
    def issue_empty(w: Any, i: Any, n: Any, cycle: Any) -> None:
        """Execute a vector instruction of n = 0 elements, which touches no unit."""
        r, scratch = record_of(w), scratch_of(w)
        code = scratch.program
        at = i + instruction.FIELD
        execute_vector(
            w,
            code[i + instruction.OPERATION],
            n,
            code[at],
            code[at + 1],
            code[at + 2],
            code[at + 3],
            code[at + 4],
        )
        write_scalar_ready(r, scratch, code, i, cycle + 1)
        for j in range(code[i + instruction.LATE]):
            late = code[i + instruction.LATE + 1 + j]
            r.scalar_ready[late] = larger(r.scalar_ready[late], cycle + 1)
        scratch.outcome[outcomes.RETIRE] = cycle + 1

    @inline
    def issue_vector(w: Any, i: Any, stop_count: Any, capacity: Any) -> Any:
        """Issue the vector instruction that comes next; give GOING, or why it cannot issue yet or at all."""
        r, scratch = record_of(w), scratch_of(w)
        code, outcome = scratch.program, scratch.outcome
        unit, before, earliest, retired = (
            code[i + instruction.UNIT],
            outcome[outcomes.BEFORE],
            outcome[outcomes.EARLIEST],
            outcome[outcomes.RETIRED_BY],
        )
        ready = scalars_ready_at(w, r, code, i)
        cycle = larger(ready, earliest)
        outcome[outcomes.START] = cycle
        if cycle >= outcome[outcomes.UNTIL]:
            return STOPPED
        n = elements(run_of(w), i)
        if n < 0:
            return TROUBLE
        room = 0
        if n > 0:
            room = _room_at(r, scratch, unit)
            cycle = larger(cycle, room)
            if cycle >= outcome[outcomes.UNTIL]:
                return STOPPED
        outcome[outcomes.START] = cycle
        if not _place(w, i, n):
            return TROUBLE
        answered = retired
        if cycle > before:
            cause = issue_cause(cycle, earliest, ready, 0, room, 0, 0, unit == MEMORY)
            answered = book_at_issue(r, i, cause, before, cycle, retired)
        outcome[outcomes.ELEMENTS] = n
        if n > 0:
            time_vector(w, i, n, cycle, answered)
            if unit != MEMORY:
                answer(r, i, ledger.BUSY, r.unit_free[unit], answered)
                answered = larger(answered, r.unit_free[unit])
            work = ledger.BUSY if unit == MEMORY else ledger.LATENCY
            answer(r, i, work, outcome[outcomes.RETIRE], answered)
        else:
            issue_empty(w, i, n, cycle)
            answer(r, i, ledger.SCALAR, cycle + 1, answered)
        if capacity >= 0:
            if n > 0:
                write_vector_row(w, i, outcome[outcomes.SEEN], cycle)
            else:
                write_scalar_row(w, i, outcome[outcomes.SEEN], cycle, outcome[outcomes.RETIRE])
        issued(r, scratch, i, before, cycle, larger(retired, outcome[outcomes.RETIRE]), stop_count)
        return GOING

    @function
    def issue_other(w: Any, i: Any, stop_count: Any, capacity: Any) -> Any:
        """Issue an extract or halt, as :func:`issue_vector` does; halt gives FINISHED."""
        m, r, scratch = state_of(w), record_of(w), scratch_of(w)
        code, machine, outcome, timing = (
            scratch.program,
            scratch.machine,
            scratch.outcome,
            scratch.program[i + instruction.TIMING],
        )
        before, earliest, retired = (
            outcome[outcomes.BEFORE],
            outcome[outcomes.EARLIEST],
            outcome[outcomes.RETIRED_BY],
        )
        ready = scalars_ready_at(w, r, code, i)
        cycle = larger(ready, earliest)
        outcome[outcomes.START] = cycle
        if cycle >= outcome[outcomes.UNTIL]:
            return STOPPED
        operand = 0
        status = GOING
        if timing == EXTRACT:
            element = m.x[code[i + instruction.ELEMENT_REGISTER]] & (machine[parameter.SECTION_SIZE] - 1)
            operand = _element_ready(r, scratch, code, i, element)
            cycle = larger(cycle, operand)
            if cycle >= outcome[outcomes.UNTIL]:
                return STOPPED
            _take_element(r, code, machine, i, element, cycle)
            outcome[outcomes.START] = cycle
        elif timing == HALT:
            r.control[control.HALTED] = 1
            status = FINISHED
        at = i + instruction.FIELD
        execute_scalar(
            w,
            code[i + instruction.OPERATION],
            1,
            code[at],
            code[at + 1],
            code[at + 2],
            code[at + 3],
            code[at + 4],
        )
        retire = cycle + code[i + instruction.LATENCY]
        outcome[outcomes.RETIRE] = retire
        answered = retired
        if cycle > before:
            cause = issue_cause(cycle, earliest, ready, operand, 0, 0, 0, False)
            answered = book_at_issue(r, i, cause, before, cycle, retired)
        answer(r, i, ledger.SCALAR, retire, answered)
        write_scalar_ready(r, scratch, code, i, retire)
        if capacity >= 0:
            write_scalar_row(w, i, outcome[outcomes.SEEN], cycle, retire)
        issued(r, scratch, i, before, cycle, larger(retired, outcome[outcomes.RETIRE]), stop_count)
        return status

    def run(table: Any, stop_cycle: Any, stop_count: Any, capacity: Any) -> Any:
        w = int64_at(table)
        r, scratch = record_of(w), scratch_of(w)
        code, outcome, rows = scratch.program, scratch.outcome, scratch.timeline
        _begin(w)
        outcome[outcomes.UNTIL] = stop_cycle
        status = FINISHED if r.control[control.HALTED] == 1 else GOING
        while status == GOING:
            if capacity >= 0 and rows[0] >= capacity:
                status = FULL
                break
            i = outcome[outcomes.AT]
            timing = code[i + instruction.TIMING]
            if timing <= SCALAR_STORE:
                status = run_scalars(w, stop_count, capacity)
                continue
            if timing == instruction.END_OF_PROGRAM:
                outcome[outcomes.START] = outcome[outcomes.BEFORE]
                status = TROUBLE
                break
            if capacity >= 0:
                open_row(r, i)
            if timing >= ELEMENTWISE:
                status = issue_vector(w, i, stop_count, capacity)
            else:
                status = issue_other(w, i, stop_count, capacity)
        _end(w)
        return status

    return run
