"""Runs of scalar instructions and branches, and when scalar registers are ready."""

from __future__ import annotations

from typing import Any

from isa.declaration import Timing
from vecsim.engines.columns import (
    causes,
    control,
    counters,
    instruction,
    ledger,
    outcomes,
    parameter,
    quick_run,
)
from vecsim.engines.decoded import NONE
from vecsim.engines.jit.compiler.functions import function, inline, larger, smaller
from vecsim.engines.jit.interface import FULL, GOING, STOPPED, TROUBLE
from vecsim.engines.jit.semantics import Semantics
from vecsim.engines.jit.single_port.accounts import (
    answer,
    answer_for_part,
    book_at_issue,
    note_wait,
    row_of,
    write_scalar_row,
)
from vecsim.engines.jit.single_port.port import latest_end, order_end

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
def _more_registers(r: Any, i: Any, ready: Any) -> Any:
    """From when the scalar registers beyond the third are ready, too."""
    code = r.program
    for j in range(3, code[i + instruction.AWAITED]):
        ready = larger(ready, r.scalar_ready[code[i + instruction.AWAITED + 1 + j]])
    return ready


@inline
def scalars_ready_at(r: Any, i: Any) -> Any:
    """From when all scalar registers of an instruction are ready."""
    code, at = r.program, i + instruction.AWAITED
    ready = larger(r.scalar_ready[code[at + 2]], r.scalar_ready[code[at + 3]])
    ready = larger(r.scalar_ready[code[at + 1]], ready)
    if code[i + instruction.AWAITED] > 3:
        ready = _more_registers(r, i, ready)
    return ready


@inline
def write_scalar_ready(r: Any, i: Any, cycle: Any) -> None:
    """Let what the instruction writes at issue be ready at ``cycle``.

    Parameters
    ----------
    cycle
        The cycle from which the registers are ready.
    """
    code = r.program
    count = code[i + instruction.SCALAR_WRITES]
    if count > 0:
        r.outcome[outcomes.SCALARS_READY_BY] = larger(r.outcome[outcomes.SCALARS_READY_BY], cycle)
        r.scalar_ready[code[i + instruction.SCALAR_WRITES + 1]] = cycle
        if count > 1:
            r.scalar_ready[code[i + instruction.SCALAR_WRITES + 2]] = cycle
            for j in range(2, count):
                r.scalar_ready[code[i + instruction.SCALAR_WRITES + 1 + j]] = cycle


@inline
def _quick_start(r: Any, part: Any, stop_count: Any) -> Any:
    """The cycle in which a part of a run begins whose cycles are known; CANNOT if they are not."""
    runs, outcome = r.runs, r.outcome
    start, seen = outcome[outcomes.EARLIEST], outcome[outcomes.SEEN]
    if seen < stop_count and seen + runs[part + quick_run.INSTRUCTIONS] > stop_count:
        return CANNOT
    ready = outcome[outcomes.SCALARS_READY_BY] <= start and runs[part + quick_run.AWAITS_LATE] == 0
    at = part + quick_run.AWAITED_REGISTERS
    end = at if ready else at + runs[part + quick_run.AWAITS_FIRST]
    while at < end:
        start = larger(start, r.scalar_ready[runs[at]])
        at += 1
    last = start + runs[_case(r, part, start) + quick_run.LAST]
    if last >= outcome[outcomes.UNTIL] or last > outcome[outcomes.RETIRED_BY]:
        return CANNOT
    end = at if ready else part + quick_run.AWAITED_REGISTERS + runs[part + quick_run.AWAITS]
    while at < end and r.scalar_ready[runs[at]] <= start:
        at += 1
    return start if at == end else CANNOT


@inline
def _case(r: Any, part: Any, start: Any) -> Any:
    """Where the case is of a part that begins in cycle ``start``."""
    issued_in = r.outcome[outcomes.ISSUED_IN] if start == r.outcome[outcomes.BEFORE] else 0
    return part + quick_run.HEAD + issued_in * quick_run.CASE


@inline
def _pass_part(r: Any, i: Any, part: Any, start: Any, stop_count: Any) -> Any:
    """Time a part of the run at ``i`` that begins in cycle ``start``; give the cycle of its last issue."""
    runs, outcome = r.runs, r.outcome
    case = _case(r, part, start)
    last = start + runs[case + quick_run.LAST]
    cause = causes.SCALAR_RAW_WAW if start > outcome[outcomes.EARLIEST] else causes.ISSUE
    note_wait(r, i, cause, start - outcome[outcomes.BEFORE])
    all_ready = start + runs[case + quick_run.ALL_READY]
    outcome[outcomes.SCALARS_READY_BY] = larger(outcome[outcomes.SCALARS_READY_BY], all_ready)
    for j in range(runs[part + quick_run.WRITES]):
        register = runs[part + quick_run.WRITTEN_REGISTERS + j]
        r.scalar_ready[register] = start + runs[case + quick_run.READY_AT + j]
    outcome[outcomes.RETIRED_BY] = answer_for_part(r, case, start, outcome[outcomes.RETIRED_BY])
    group = runs[case + quick_run.ISSUED]
    outcome[outcomes.BEFORE], outcome[outcomes.ISSUED_IN] = last, group
    outcome[outcomes.EARLIEST] = last + 1 if group >= r.machine[parameter.ISSUE_WIDTH] else last
    outcome[outcomes.SEEN] += runs[part + quick_run.INSTRUCTIONS]
    if outcome[outcomes.SEEN] == stop_count:
        outcome[outcomes.UNTIL] = smaller(outcome[outcomes.UNTIL], last + 1)
    return last


@inline
def _jump(r: Any, cycle: Any) -> Any:
    """Go where a branch leads that issued in ``cycle``; give False if that is out of the program."""
    outcome, target = r.outcome, r.outcome[outcomes.LEADS_TO]
    r.counters[counters.TAKEN_BRANCHES] += 1
    outcome[outcomes.EARLIEST] = r.control[control.FETCH] = cycle + 1 + r.machine[parameter.BRANCH_PENALTY]
    outcome[outcomes.AT] = target * instruction.WIDTH
    if target < 0 or target >= r.machine[parameter.INSTRUCTIONS]:
        r.control[control.PC] = target
        outcome[outcomes.START] = cycle
        outcome[outcomes.AT] = outcomes.ASTRAY
        return False
    return True


@inline
def issued(r: Any, i: Any, cycle: Any, retired: Any, stop_count: Any) -> None:
    """Go to the next instruction, after one that issued in ``cycle``."""
    outcome = r.outcome
    group = 1 if cycle > outcome[outcomes.BEFORE] else outcome[outcomes.ISSUED_IN] + 1
    count = outcome[outcomes.SEEN] + 1
    r.ledger[row_of(i) + ledger.EXECUTIONS] += 1
    outcome[outcomes.AT], outcome[outcomes.SEEN] = i + instruction.WIDTH, count
    outcome[outcomes.BEFORE], outcome[outcomes.ISSUED_IN] = cycle, group
    outcome[outcomes.EARLIEST] = cycle + 1 if group >= r.machine[parameter.ISSUE_WIDTH] else cycle
    outcome[outcomes.RETIRED_BY] = retired
    if count == stop_count:
        outcome[outcomes.UNTIL] = smaller(outcome[outcomes.UNTIL], cycle + 1)


@inline
def finish_scalar(
    r: Any, i: Any, cause: Any, cycle: Any, retire: Any, stop_count: Any, capacity: Any
) -> None:
    """Book an instruction that touches no unit, has been executed and issues in ``cycle``; go to the next."""
    before, retired = r.outcome[outcomes.BEFORE], r.outcome[outcomes.RETIRED_BY]
    answered = retired
    if cycle > before:
        answered = book_at_issue(r, i, cause, before, cycle, retired)
    answer(r, i, ledger.SCALAR, retire, answered)
    write_scalar_ready(r, i, retire)
    if capacity >= 0:
        r.control[control.COUNT] = r.outcome[outcomes.SEEN] + 1
        write_scalar_row(r, i, cause, cycle - before, cycle, retire)
    issued(r, i, cycle, larger(retired, retire), stop_count)


@inline
def _access(r: Any, i: Any, cycle: Any) -> Any:
    """The cycle in which a scalar access issues that might in ``cycle``; CANNOT outside memory."""
    code = r.program
    address = r.x[code[i + instruction.BASE_REGISTER]] + code[i + instruction.OFFSET]
    end = address + code[i + instruction.RECORD_BYTES]
    if address < 0 or end > r.machine[parameter.MEMORY_BYTES]:
        return CANNOT
    r.address[0] = address
    if latest_end(r) > cycle:
        cycle = larger(cycle, order_end(r, code[i + instruction.STORE], address, end, cycle))
    return cycle


def make_run_scalars(semantics: Semantics) -> Any:
    """Make the function that issues scalar instructions until one of another kind comes."""
    execute, is_taken, _ = semantics

    @inline
    def take_branch(r: Any, i: Any) -> Any:
        """Execute a branch: 1 if it is taken, otherwise 0; note where it leads."""
        code = r.program
        r.address[0] = code[i + instruction.FOLLOWING]
        target = code[i + instruction.TARGET]
        r.outcome[outcomes.LEADS_TO] = r.x[code[i + instruction.FIELD]] if target == NONE else target
        return 1 if is_taken(r, i, 0) else 0

    @inline
    def issue_run(r: Any, first: Any, part: Any, end: Any, length: Any, start: Any, stop_count: Any) -> Any:
        """Issue the run at ``first`` whose parts from ``part`` to ``end`` are known; begin in ``start``."""
        runs, i, taken = r.runs, first, 0
        while True:
            for _ in range(runs[part + quick_run.SEGMENT]):
                execute(r, i, 1)
                i += instruction.WIDTH
            if runs[part + quick_run.BRANCHES] == 1:
                taken = take_branch(r, i)
                i += instruction.WIDTH
            if taken == 1 or part == end:
                break
            part += length
        last = _pass_part(r, first, part, start, stop_count)
        r.outcome[outcomes.AT] = i
        return GOING if taken == 0 or _jump(r, last) else TROUBLE

    @inline
    def issue_one(r: Any, i: Any, stop_count: Any, capacity: Any) -> Any:
        """Issue the instruction at ``i``; return GOING, or why it cannot issue yet or at all."""
        code, outcome, timing = r.program, r.outcome, r.program[i + instruction.TIMING]
        ready, earliest = scalars_ready_at(r, i), outcome[outcomes.EARLIEST]
        cycle = allowed = larger(ready, earliest)
        outcome[outcomes.START] = cycle
        if timing >= SCALAR_LOAD and cycle < outcome[outcomes.UNTIL]:
            cycle = _access(r, i, cycle)
            if cycle == CANNOT:
                return TROUBLE
            if cycle < outcome[outcomes.UNTIL]:
                outcome[outcomes.START] = cycle
        if cycle >= outcome[outcomes.UNTIL]:
            return STOPPED
        taken = 0
        if timing == BRANCH:
            taken = take_branch(r, i)
        else:
            execute(r, i, 1)
        cause = causes.SCALAR_RAW_WAW if ready > earliest else causes.ISSUE
        cause = causes.MEMORY_ORDER if cycle > allowed else cause
        finish_scalar(r, i, cause, cycle, cycle + code[i + instruction.LATENCY], stop_count, capacity)
        return GOING if taken == 0 or _jump(r, cycle) else TROUBLE

    @inline
    def run_scalars(r: Any, stop_count: Any, capacity: Any) -> Any:
        """Go on from where ``outcome`` says; return GOING before another instruction, or why it ended."""
        code, runs, status = r.program, r.runs, GOING
        i = r.outcome[outcomes.AT]
        length = quick_run.HEAD + r.machine[parameter.ISSUE_WIDTH] * quick_run.CASE
        while status == GOING and code[i + instruction.TIMING] <= SCALAR_STORE:
            start, part, end = CANNOT, code[i + instruction.RUN], 0
            if capacity < 0:
                if part >= 0:
                    end = part + runs[part + quick_run.LONGER] * length
                    start = _quick_start(r, end, stop_count)
                    if start < 0 and end > part:
                        end = part
                        start = _quick_start(r, end, stop_count)
                scalar_access = start >= 0 and code[i + instruction.TIMING] >= SCALAR_LOAD
                if scalar_access and _access(r, i, start) != start:
                    start = CANNOT
            elif r.timeline[0] >= capacity:
                return FULL
            if start >= 0:
                status = issue_run(r, i, part, end, length, start, stop_count)
            else:
                status = issue_one(r, i, stop_count, capacity)
            i = r.outcome[outcomes.AT]
        return status

    return run_scalars
