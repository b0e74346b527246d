"""The engine of a machine with one memory port: every instruction is timed to its end when it issues.

With one port nothing that is older depends on what is younger, so one pass over the instructions in program
order gives all cycles; the SimPy model does the same when it looks ahead.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from isa.declaration import Timing, Unit
from vecsim.engines.columns import (
    BY_ISSUE,
    BY_SCALAR,
    COUNT,
    ELEMENT_OPERATIONS,
    EXECUTING,
    FETCH,
    HALTED,
    ISSUE_CYCLE,
    ISSUED,
    LAST_RETIRED,
    PC,
    RETIRED,
    SCALAR_BYTES,
    SCALAR_INSTRUCTIONS,
    TAKEN_BRANCHES,
    VECTOR_INSTRUCTIONS,
)
from vecsim.engines.decoded import NONE
from vecsim.engines.jit.access import settle, time_access
from vecsim.engines.jit.accounts import book, issue_cause
from vecsim.engines.jit.addresses import elements, place
from vecsim.engines.jit.arithmetic import FEW, time_arithmetic, time_few
from vecsim.engines.jit.cells import int64_at
from vecsim.engines.jit.code import (
    AWAITED,
    BANKS,
    BASE_REGISTER,
    BRANCH_PENALTY,
    CACHE,
    CHAINING,
    ELEMENT_REGISTER,
    END,
    END_OF_PROGRAM,
    FIELD,
    INSTRUCTIONS,
    ISSUE_WIDTH,
    JUMP,
    LATE,
    LATENCY,
    MEMORY_BYTES,
    OFFSET,
    OPERATION,
    PATTERN,
    READS,
    READY,
    RECORD_BYTES,
    SECTION_SIZE,
    SHORT,
    SLICE_REGISTER,
    STORE,
    TARGET,
    TIMING,
    UNIT,
    UNIT_QUEUE,
    VALUE_BYTES,
    WHOLE_READS,
    WIDTH,
)
from vecsim.engines.jit.integers import larger, raised, smaller
from vecsim.engines.jit.operands import lay_floors
from vecsim.engines.jit.outcome import (
    ACCEPT,
    ADDRESS,
    BANKS_FREE,
    ELEMENTS,
    FINISHED,
    FIRST,
    FULL,
    LAST,
    RETIRE,
    ROW,
    RUN_WORDS,
    START,
    STOPPED,
    TROUBLE,
    WORDS,
)
from vecsim.engines.jit.rings import accepted_before, close_rings, open_rings, order_end, port_free
from vecsim.engines.jit.semantics import Semantics
from vecsim.engines.jit.world import function, inline, record_of, scratch_of, state_of
from vecsim.engines.record import WAITS

BRANCH, SCALAR_LOAD, SCALAR_STORE, HALT, EXTRACT, ELEMENTWISE, ACCESS = (
    int(Timing.BRANCH),
    int(Timing.SCALAR_LOAD),
    int(Timing.SCALAR_STORE),
    int(Timing.HALT),
    int(Timing.EXTRACT),
    int(Timing.ELEMENTWISE),
    int(Timing.ACCESS),
)
SCALAR, MEMORY = int(Timing.SCALAR), int(Unit.MEMORY)
assert SCALAR < BRANCH < min(SCALAR_LOAD, SCALAR_STORE, HALT, EXTRACT)
assert max(SCALAR_LOAD, SCALAR_STORE, HALT, EXTRACT) < ELEMENTWISE

NOT_BEFORE, CANNOT = -1, -2
"""What issuing gives instead of a cycle: it must stop before, or the instruction cannot be executed."""


@function
def _more_registers(w: Any, i: Any, ready: Any) -> Any:
    """From when the scalar registers beyond the third are ready, too."""
    r, code = record_of(w), scratch_of(w).program
    for j in range(3, code[i + AWAITED]):
        ready = larger(ready, r.ready[code[i + AWAITED + 1 + j]])
    return ready


@inline
def _ready_at(w: Any, r: Any, code: Any, i: Any) -> Any:
    """From when all scalar registers of an instruction are ready."""
    ready = larger(
        r.ready[code[i + AWAITED + 1]],
        larger(r.ready[code[i + AWAITED + 2]], r.ready[code[i + AWAITED + 3]]),
    )
    if code[i + AWAITED] > 3:
        ready = _more_registers(w, i, ready)
    return ready


@inline
def _write_ready(r: Any, code: Any, i: Any, cycle: Any) -> None:
    """Let what the instruction writes at issue be ready at ``cycle``."""
    count = code[i + READY]
    if count > 0:
        r.ready[code[i + READY + 1]] = cycle
        if count > 1:
            r.ready[code[i + READY + 2]] = cycle
            for j in range(2, count):
                r.ready[code[i + READY + 1 + j]] = cycle


@inline
def _element_usable(r: Any, scratch: Any, code: Any, i: Any, element: Any) -> Any:
    """From when the element that an extract reads is usable."""
    machine = scratch.machine
    if machine[CHAINING] == 0:
        return r.usable_all[code[i + WHOLE_READS + 1]]
    v = code[i + READS + 1]
    return larger(r.usable[v * machine[SECTION_SIZE] + element], scratch.usable_floor[v])


@inline
def _take_element(r: Any, code: Any, machine: Any, i: Any, element: Any, cycle: Any) -> None:
    v = code[i + WHOLE_READS + 1] if machine[CHAINING] == 0 else code[i + READS + 1]
    at = v * machine[SECTION_SIZE] + element
    r.taken[at] = raised(r.taken[at], cycle)
    r.taken_all[v] = larger(r.taken_all[v], cycle)


@inline
def _room_at(r: Any, scratch: Any, unit: Any) -> Any:
    """From when an instruction finds its unit free or room in the queue."""
    queue = scratch.machine[UNIT_QUEUE]
    if queue > 0:
        return accepted_before(scratch, queue + 1, unit)
    return port_free(scratch) if unit == MEMORY else r.unit_free[unit]


@inline
def _open_row(r: Any) -> None:
    """Remember the waits before an instruction, to tell its own."""
    for j in range(WAITS):
        r.waits[j] = r.waited[j]


@inline
def _write_row(r: Any, rows: Any, pc: Any, age: Any, unit: Any, port: Any, n: Any) -> Any:
    """Open a row of the timeline; give where its cycles go."""
    at = 1 + rows[0] * ROW
    rows[0] += 1
    rows[at], rows[at + 1], rows[at + 2], rows[at + 3], rows[at + 4] = pc, age, unit, port, n
    for j in range(WAITS):
        rows[at + ROW - WAITS + j] = r.waited[j] - r.waits[j]
    return at + 5


@function
def _write_scalar_row(w: Any, i: Any, age: Any, cycle: Any, retire: Any) -> None:
    m, r, scratch = state_of(w), record_of(w), scratch_of(w)
    code, rows = scratch.program, scratch.timeline
    at = _write_row(r, rows, i // WIDTH, age, 0, -1, 0)
    access = code[i + PATTERN] > 0
    rows[at], rows[at + 1], rows[at + 2] = cycle, cycle, cycle
    rows[at + 3], rows[at + 4], rows[at + 5] = retire, retire, retire
    rows[at + 6] = m.address[0] if access else -1
    rows[at + 7] = code[i + VALUE_BYTES] // 4 if access else 0


@function
def _write_vector_row(w: Any, i: Any, age: Any, issue: Any) -> None:
    r, scratch = record_of(w), scratch_of(w)
    code, rows, outcome = scratch.program, scratch.timeline, scratch.outcome
    access = code[i + TIMING] == ACCESS
    at = _write_row(r, rows, i // WIDTH, age, code[i + UNIT], 0 if access else -1, outcome[ELEMENTS])
    rows[at] = issue
    rows[at + 1], rows[at + 2], rows[at + 3] = outcome[ACCEPT], outcome[START], outcome[FIRST]
    rows[at + 4], rows[at + 5] = outcome[LAST], outcome[RETIRE]
    rows[at + 6] = outcome[ADDRESS] if access else -1
    rows[at + 7] = outcome[WORDS] if access else 0


@inline
def _place(w: Any, i: Any, n: Any) -> Any:
    """Set the addresses of n elements; give False if the instruction cannot be executed."""
    m, scratch = state_of(w), scratch_of(w)
    code, machine = scratch.program, scratch.machine
    if code[i + SLICE_REGISTER] >= 0:
        slice_ = m.x[code[i + SLICE_REGISTER]]
        if slice_ < 0 or slice_ >= machine[SECTION_SIZE]:
            return False
    if code[i + PATTERN] > 0:
        base = m.x[code[i + BASE_REGISTER]] + code[i + OFFSET]
        scratch.outcome[ADDRESS] = base
        if n == 0:
            m.address[0] = ((base & 0xFFFFFFFF) ^ 0x80000000) - 0x80000000
        elif not place(m, code, machine, i, n):
            return False
    return True


@inline
def _begin(w: Any) -> None:
    """Take the record over."""
    r, scratch = record_of(w), scratch_of(w)
    scratch.outcome[BANKS_FREE] = scratch.outcome[RUN_WORDS] = 0
    for j in range(scratch.machine[BANKS]):
        scratch.outcome[BANKS_FREE] = larger(scratch.outcome[BANKS_FREE], r.bank_free[j])
    open_rings(r, scratch)


@inline
def _end(w: Any, charged: Any) -> None:
    """Give the record back; ``charged`` cycles have been charged, for work what not for waiting."""
    r, scratch = record_of(w), scratch_of(w)
    for cause in range(WAITS):
        charged -= r.charged[cause]
    r.charged[EXECUTING] = charged
    settle(r, scratch)
    close_rings(r, scratch)
    lay_floors(r, scratch, scratch.machine)


def make_one_port(semantics: Semantics) -> Callable[..., int]:
    """Give the plain function that runs a program with these semantics, to be compiled.

    ``run(table, stop_cycle, stop_count, capacity)``: the address of the table of addresses; the cycle before
    which to stop; the number of instructions after whose cycle to stop; the rows of the timeline that there
    is room for, -1 for no timeline. Gives one of STOPPED, FINISHED, TROUBLE, FULL.
    """
    execute_scalar, is_taken, execute_vector = semantics

    @inline
    def time_vector(w: Any, i: Any, n: Any, cycle: Any, retired: Any) -> None:
        """Execute and time a vector instruction of n >= 1 elements."""
        m, r, scratch = state_of(w), record_of(w), scratch_of(w)
        code = scratch.program
        first = cache_first = 0
        slice_ = -1
        if code[i + SLICE_REGISTER] >= 0:
            slice_ = m.x[code[i + SLICE_REGISTER]]
        if code[i + ELEMENT_REGISTER] >= 0:
            cache_first = m.x[code[i + ELEMENT_REGISTER]]
            first = 0 if code[i + CACHE] == 1 else cache_first & (m.section - 1)
        at = i + FIELD
        execute_vector(
            w, code[i + OPERATION], n, code[at], code[at + 1], code[at + 2], code[at + 3], code[at + 4]
        )
        _write_ready(r, code, i, cycle + 1)
        if code[i + TIMING] == ACCESS:
            time_access(w, code, i, n, cache_first, cycle, retired)
        elif n <= FEW and code[i + SHORT] == 1:
            time_few(w, i, n, cycle, retired)
        else:
            time_arithmetic(w, i, n, first, slice_, cycle, retired)
        r.counters[ELEMENT_OPERATIONS] += n

    @function
    def issue_empty(w: Any, i: Any, cycle: Any) -> None:
        """Execute a vector instruction of no elements, which touches no unit."""
        r, scratch = record_of(w), scratch_of(w)
        code = scratch.program
        at = i + FIELD
        execute_vector(
            w, code[i + OPERATION], 0, code[at], code[at + 1], code[at + 2], code[at + 3], code[at + 4]
        )
        _write_ready(r, code, i, cycle + 1)
        for j in range(code[i + LATE]):
            late = code[i + LATE + 1 + j]
            r.ready[late] = larger(r.ready[late], cycle + 1)
        scratch.outcome[RETIRE] = cycle + 1

    @function
    def issue_vector(
        w: Any,
        i: Any,
        before: Any,
        earliest: Any,
        ready: Any,
        cycle: Any,
        retired: Any,
        stop_cycle: Any,
    ) -> Any:
        """Issue a vector instruction in ``cycle`` or later; give the cycle, or NOT_BEFORE or CANNOT."""
        m, r, scratch = state_of(w), record_of(w), scratch_of(w)
        code, outcome = scratch.program, scratch.outcome
        unit = code[i + UNIT]
        n = elements(m, code, i)
        outcome[START] = cycle
        if n < 0:
            return CANNOT
        room = 0
        if n > 0:
            room = _room_at(r, scratch, unit)
            cycle = larger(cycle, room)
            if cycle >= stop_cycle:
                return NOT_BEFORE
        outcome[START] = cycle
        if not _place(w, i, n):
            return CANNOT
        if cycle > before:
            book(
                r,
                issue_cause(cycle, earliest, ready, 0, room, 0, unit == MEMORY),
                before,
                cycle,
                retired,
            )
        r.counters[VECTOR_INSTRUCTIONS] += 1
        outcome[ELEMENTS] = n
        if n > 0:
            time_vector(w, i, n, cycle, retired)
        else:
            issue_empty(w, i, cycle)
        return cycle

    @function
    def issue_other(
        w: Any,
        i: Any,
        before: Any,
        earliest: Any,
        ready: Any,
        cycle: Any,
        retired: Any,
        stop_cycle: Any,
    ) -> Any:
        """Issue an extract, a scalar access or halt in ``cycle`` or later, as :func:`issue_vector` does."""
        m, r, scratch = state_of(w), record_of(w), scratch_of(w)
        code, machine, timing = scratch.program, scratch.machine, scratch.program[i + TIMING]
        operand = order = 0
        if timing == EXTRACT:
            element = m.x[code[i + ELEMENT_REGISTER]] & (machine[SECTION_SIZE] - 1)
            operand = _element_usable(r, scratch, code, i, element)
            cycle = larger(cycle, operand)
            if cycle >= stop_cycle:
                return NOT_BEFORE
            _take_element(r, code, machine, i, element, cycle)
        elif timing == SCALAR_LOAD or timing == SCALAR_STORE:  # noqa: SIM109 (a call in compiled code)
            address = m.x[code[i + BASE_REGISTER]] + code[i + OFFSET]
            end = address + code[i + RECORD_BYTES]
            if address < 0 or end > machine[MEMORY_BYTES]:
                scratch.outcome[START] = cycle
                return CANNOT
            m.address[0] = address
            order = order_end(scratch, code[i + STORE], address, end, cycle)
            cycle = larger(cycle, order)
            if cycle >= stop_cycle:
                return NOT_BEFORE
            r.counters[SCALAR_BYTES] += code[i + VALUE_BYTES]
        elif timing == HALT:
            r.control[HALTED] = 1
        at = i + FIELD
        execute_scalar(
            m, code[i + OPERATION], 1, code[at], code[at + 1], code[at + 2], code[at + 3], code[at + 4]
        )
        retire = cycle + code[i + LATENCY]
        scratch.outcome[RETIRE] = retire
        if cycle > before:
            book(
                r,
                issue_cause(cycle, earliest, ready, operand, 0, order, False),
                before,
                cycle,
                retired,
            )
        _write_ready(r, code, i, retire)
        return cycle

    def run(table: Any, stop_cycle: Any, stop_count: Any, capacity: Any) -> Any:
        w = int64_at(table)
        m, r, scratch = state_of(w), record_of(w), scratch_of(w)
        code, outcome, rows, control = scratch.program, scratch.outcome, scratch.timeline, r.control
        width, redirected = scratch.machine[ISSUE_WIDTH], 1 + scratch.machine[BRANCH_PENALTY]
        i, count = control[PC] * WIDTH, control[COUNT]
        before, issued, retired = control[ISSUE_CYCLE], control[ISSUED], control[LAST_RETIRED]
        earliest = larger(control[FETCH], before + (1 if issued >= width else 0))
        astray, target = False, 0
        status = FINISHED if control[HALTED] == 1 else STOPPED
        _begin(w)
        while status == STOPPED:
            if capacity >= 0:
                if rows[0] >= capacity:
                    status = FULL
                    break
                _open_row(r)
            timing = code[i + TIMING]
            ready = _ready_at(w, r, code, i)
            cycle = larger(ready, earliest)
            if cycle >= stop_cycle and timing != END_OF_PROGRAM:
                break
            following = i + WIDTH
            taken = False
            if timing <= BRANCH:
                if cycle > before:
                    # All up to the retirement of the instruction before, after its issue, is charged.
                    cause = BY_SCALAR if ready > earliest else BY_ISSUE
                    r.waited[cause] += cycle - before
                    if cycle > retired:
                        r.charged[cause] += cycle - retired
                operation, f0, f1, f2 = (
                    code[i + OPERATION],
                    code[i + FIELD],
                    code[i + FIELD + 1],
                    code[i + FIELD + 2],
                )
                if timing == SCALAR:
                    execute_scalar(m, operation, 0, f0, f1, f2, code[i + FIELD + 3], code[i + FIELD + 4])
                else:
                    m.address[0] = i // WIDTH + 1
                    jump = code[i + JUMP]
                    if jump == NONE:
                        target = m.x[f0]
                        jump = target * WIDTH if 0 <= target < scratch.machine[INSTRUCTIONS] else END
                    taken = is_taken(m, operation, f0, f1, f2, code[i + FIELD + 3], code[i + FIELD + 4])
                    if taken:
                        r.counters[TAKEN_BRANCHES] += 1
                        following = jump
                retire = cycle + code[i + LATENCY]
                _write_ready(r, code, i, retire)
            else:
                if timing >= ELEMENTWISE:
                    if timing == END_OF_PROGRAM:
                        outcome[START] = before
                        status = TROUBLE
                        break
                    cycle = issue_vector(w, i, before, earliest, ready, cycle, retired, stop_cycle)
                else:
                    cycle = issue_other(w, i, before, earliest, ready, cycle, retired, stop_cycle)
                    if timing == HALT:
                        status = FINISHED
                if cycle < 0:
                    status = STOPPED if cycle == NOT_BEFORE else TROUBLE
                    break
                retire = outcome[RETIRE]
            if capacity >= 0:
                if timing >= ELEMENTWISE and outcome[ELEMENTS] > 0:
                    _write_vector_row(w, i, count, cycle)
                else:
                    _write_scalar_row(w, i, count, cycle, retire)
            issued = 1 if cycle > before else issued + 1
            before = cycle
            earliest = cycle + 1 if issued >= width else cycle
            retired = larger(retired, retire)
            count += 1
            if count == stop_count:
                stop_cycle = smaller(stop_cycle, cycle + 1)
            if taken:
                earliest = cycle + redirected
                control[FETCH] = earliest
                if following == END:
                    astray = True
                    if code[i + JUMP] != NONE:
                        target = code[i + TARGET]
                    outcome[START] = cycle
                    status = TROUBLE
                    break
            i = following
        r.counters[SCALAR_INSTRUCTIONS] = count - r.counters[VECTOR_INSTRUCTIONS]
        control[PC] = target if astray else i // WIDTH
        control[COUNT], control[ISSUE_CYCLE], control[ISSUED] = count, before, issued
        control[RETIRED] = control[LAST_RETIRED] = retired
        _end(w, retired)
        return status

    return run
