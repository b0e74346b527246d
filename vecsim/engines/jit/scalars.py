"""Runs of scalar instructions and branches, and when scalar registers are ready."""

from __future__ import annotations

from typing import Any

from isa.declaration import Timing
from vecsim.engines.columns import BY_ISSUE, BY_ORDER, BY_SCALAR, FETCH, PC, SCALAR_BYTES, TAKEN_BRANCHES
from vecsim.engines.decoded import NONE
from vecsim.engines.jit.accounts import book
from vecsim.engines.jit.code import (
    AWAITED,
    BASE_REGISTER,
    BRANCH_PENALTY,
    END,
    FIELD,
    INSTRUCTIONS,
    ISSUE_WIDTH,
    JUMP,
    LATENCY,
    MEMORY_BYTES,
    OFFSET,
    OPERATION,
    READY,
    RECORD_BYTES,
    RUN,
    STORE,
    TARGET,
    TIMING,
    VALUE_BYTES,
    WIDTH,
)
from vecsim.engines.jit.integers import larger, smaller
from vecsim.engines.jit.outcome import (
    ASTRAY,
    AT,
    BEFORE,
    EARLIEST,
    FULL,
    GOING,
    ISSUED_IN,
    RETIRED_BY,
    SEEN,
    START,
    STOPPED,
    TROUBLE,
    UNTIL,
)
from vecsim.engines.jit.quick_runs import (
    AWAITED_REGISTERS,
    AWAITS,
    AWAITS_FIRST,
    BRANCHES,
    CASE,
    HEAD,
    ISSUED,
    LAST,
    READY_AT,
    RETIRED,
    SCALARS,
    WAITED_ISSUE,
    WAITED_SCALAR,
    WRITES,
    WRITTEN_REGISTERS,
)
from vecsim.engines.jit.rings import latest_end, order_end
from vecsim.engines.jit.semantics import Semantics
from vecsim.engines.jit.timeline_rows import open_row, write_scalar_row
from vecsim.engines.jit.world import function, inline, record_of, scratch_of, state_of

SCALAR, BRANCH, SCALAR_LOAD, SCALAR_STORE = (
    int(Timing.SCALAR),
    int(Timing.BRANCH),
    int(Timing.SCALAR_LOAD),
    int(Timing.SCALAR_STORE),
)
assert tuple(range(4)) == (SCALAR, BRANCH, SCALAR_LOAD, SCALAR_STORE)
CANNOT = -1
"""Instead of a cycle: the instruction cannot be executed."""


@function
def _more_registers(w: Any, i: Any, ready: Any) -> Any:
    """From when the scalar registers beyond the third are ready, too."""
    r, code = record_of(w), scratch_of(w).program
    for j in range(3, code[i + AWAITED]):
        ready = larger(ready, r.ready[code[i + AWAITED + 1 + j]])
    return ready


@inline
def ready_at(w: Any, r: Any, code: Any, i: Any) -> Any:
    """From when all scalar registers of an instruction are ready."""
    ready = larger(
        r.ready[code[i + AWAITED + 1]],
        larger(r.ready[code[i + AWAITED + 2]], r.ready[code[i + AWAITED + 3]]),
    )
    if code[i + AWAITED] > 3:
        ready = _more_registers(w, i, ready)
    return ready


@inline
def write_ready(r: Any, code: Any, i: Any, cycle: Any) -> None:
    """Let what the instruction writes at issue be ready at ``cycle``."""
    count = code[i + READY]
    if count > 0:
        r.ready[code[i + READY + 1]] = cycle
        if count > 1:
            r.ready[code[i + READY + 2]] = cycle
            for j in range(2, count):
                r.ready[code[i + READY + 1 + j]] = cycle


@inline
def _quick_start(r: Any, scratch: Any, i: Any, stop_count: Any) -> Any:
    """The cycle in which a run begins here whose cycles are known; CANNOT if they are not."""
    code, runs, outcome = scratch.program, scratch.runs, scratch.outcome
    run, start = code[i + RUN], outcome[EARLIEST]
    if run < 0:
        return CANNOT
    instructions = runs[run + SCALARS] + runs[run + BRANCHES]
    if outcome[SEEN] < stop_count and outcome[SEEN] + instructions > stop_count:
        return CANNOT
    at = run + AWAITED_REGISTERS
    end = at + runs[run + AWAITS_FIRST]
    while at < end:
        start = larger(start, r.ready[runs[at]])
        at += 1
    last = start + runs[_case(scratch, run, start) + LAST]
    if last >= outcome[UNTIL] or last > outcome[RETIRED_BY]:
        return CANNOT
    end = run + AWAITED_REGISTERS + runs[run + AWAITS]
    while at < end and r.ready[runs[at]] <= start:
        at += 1
    return start if at == end else CANNOT


@inline
def _case(scratch: Any, run: Any, start: Any) -> Any:
    """Where the case of a run stands that begins in cycle ``start``."""
    outcome = scratch.outcome
    return run + HEAD + (outcome[ISSUED_IN] if start == outcome[BEFORE] else 0) * CASE


@inline
def _pass_run(r: Any, scratch: Any, run: Any, start: Any, stop_count: Any) -> Any:
    """Time a run that begins in cycle ``start``; give the cycle in which its last instruction issues."""
    runs, outcome = scratch.runs, scratch.outcome
    case = _case(scratch, run, start)
    last = start + runs[case + LAST]
    r.waited[BY_SCALAR if start > outcome[EARLIEST] else BY_ISSUE] += start - outcome[BEFORE]
    r.waited[BY_ISSUE] += runs[case + WAITED_ISSUE]
    r.waited[BY_SCALAR] += runs[case + WAITED_SCALAR]
    for j in range(runs[run + WRITES]):
        r.ready[runs[run + WRITTEN_REGISTERS + j]] = start + runs[case + READY_AT + j]
    outcome[RETIRED_BY] = larger(outcome[RETIRED_BY], start + runs[case + RETIRED])
    group = runs[case + ISSUED]
    outcome[BEFORE], outcome[ISSUED_IN] = last, group
    outcome[EARLIEST] = last + 1 if group >= scratch.machine[ISSUE_WIDTH] else last
    outcome[SEEN] += runs[run + SCALARS] + runs[run + BRANCHES]
    if outcome[SEEN] == stop_count:
        outcome[UNTIL] = smaller(outcome[UNTIL], last + 1)
    return last


@inline
def issued(scratch: Any, i: Any, before: Any, cycle: Any, retired: Any, stop_count: Any) -> None:
    """Go to the next instruction, after one that issued in ``cycle``."""
    outcome = scratch.outcome
    group = 1 if cycle > before else outcome[ISSUED_IN] + 1
    count = outcome[SEEN] + 1
    outcome[AT], outcome[BEFORE], outcome[ISSUED_IN], outcome[SEEN] = i + WIDTH, cycle, group, count
    outcome[EARLIEST] = cycle + 1 if group >= scratch.machine[ISSUE_WIDTH] else cycle
    outcome[RETIRED_BY] = retired
    if count == stop_count:
        outcome[UNTIL] = smaller(outcome[UNTIL], cycle + 1)


def make_run_scalars(semantics: Semantics) -> Any:
    """Give the function that issues scalar instructions until one of another kind comes."""
    execute, is_taken, _ = semantics

    @inline
    def branch(w: Any, i: Any, cycle: Any) -> Any:
        """Take a branch that issued in ``cycle`` or not; give False if it leads out of the program."""
        m, r, scratch = state_of(w), record_of(w), scratch_of(w)
        code, outcome = scratch.program, scratch.outcome
        target, jump = 0, code[i + JUMP]
        m.address[0] = i // WIDTH + 1
        if jump == NONE:
            target = m.x[code[i + FIELD]]
            jump = target * WIDTH if 0 <= target < scratch.machine[INSTRUCTIONS] else END
        outcome[AT] = i + WIDTH
        at = i + FIELD
        if is_taken(m, code[i + OPERATION], code[at], code[at + 1], code[at + 2], code[at + 3], code[at + 4]):
            r.counters[TAKEN_BRANCHES] += 1
            outcome[EARLIEST] = r.control[FETCH] = cycle + 1 + scratch.machine[BRANCH_PENALTY]
            outcome[AT] = jump
            if jump == END:
                r.control[PC] = target if code[i + JUMP] == NONE else code[i + TARGET]
                outcome[START] = cycle
                outcome[AT] = ASTRAY
                return False
        return True

    @inline
    def execute_at(m: Any, code: Any, i: Any) -> None:
        at = i + FIELD
        execute(m, code[i + OPERATION], 1, code[at], code[at + 1], code[at + 2], code[at + 3], code[at + 4])

    @inline
    def access(w: Any, i: Any, cycle: Any) -> Any:
        """The cycle in which a scalar access issues that might in ``cycle``; CANNOT outside memory."""
        m, scratch = state_of(w), scratch_of(w)
        code = scratch.program
        address = m.x[code[i + BASE_REGISTER]] + code[i + OFFSET]
        end = address + code[i + RECORD_BYTES]
        if address < 0 or end > scratch.machine[MEMORY_BYTES]:
            return CANNOT
        m.address[0] = address
        if latest_end(scratch) > cycle:
            cycle = larger(cycle, order_end(scratch, code[i + STORE], address, end, cycle))
        return cycle

    @inline
    def run_scalars(w: Any, stop_count: Any, capacity: Any) -> Any:
        """Go on from where ``outcome`` says; give GOING before another instruction, or why it ended."""
        m, r, scratch = state_of(w), record_of(w), scratch_of(w)
        code, outcome, rows = scratch.program, scratch.outcome, scratch.timeline
        i = outcome[AT]
        while code[i + TIMING] <= SCALAR_STORE:
            start = CANNOT
            if capacity < 0:
                start = _quick_start(r, scratch, i, stop_count)
                if start >= 0 and code[i + TIMING] >= SCALAR_LOAD:
                    if access(w, i, start) != start:
                        start = CANNOT
                    else:
                        r.counters[SCALAR_BYTES] += code[i + VALUE_BYTES]
            elif rows[0] >= capacity:
                return FULL
            else:
                open_row(r)
            if start >= 0:
                run = code[i + RUN]
                last = _pass_run(r, scratch, run, start, stop_count)
                for _ in range(scratch.runs[run + SCALARS]):
                    execute_at(m, code, i)
                    i += WIDTH
                outcome[AT] = i
                if scratch.runs[run + BRANCHES] == 1 and not branch(w, i, last):
                    return TROUBLE
            else:
                before, earliest, retired = outcome[BEFORE], outcome[EARLIEST], outcome[RETIRED_BY]
                ready = ready_at(w, r, code, i)
                cycle = allowed = larger(ready, earliest)
                outcome[START] = cycle
                timing = code[i + TIMING]
                if timing >= SCALAR_LOAD and cycle < outcome[UNTIL]:
                    cycle = access(w, i, cycle)
                    if cycle == CANNOT:
                        return TROUBLE
                if cycle >= outcome[UNTIL]:
                    return STOPPED
                if timing >= SCALAR_LOAD:
                    r.counters[SCALAR_BYTES] += code[i + VALUE_BYTES]
                if cycle > before:
                    cause = BY_SCALAR if ready > earliest else BY_ISSUE
                    book(r, BY_ORDER if cycle > allowed else cause, before, cycle, retired)
                retire = cycle + code[i + LATENCY]
                issued(scratch, i, before, cycle, larger(retired, retire), stop_count)
                if timing == BRANCH:
                    going = branch(w, i, cycle)
                else:
                    going = True
                    execute_at(m, code, i)
                write_ready(r, code, i, retire)
                if capacity >= 0:
                    write_scalar_row(w, i, outcome[SEEN] - 1, cycle, retire)
                if not going:
                    return TROUBLE
            i = outcome[AT]
        return GOING

    return run_scalars
