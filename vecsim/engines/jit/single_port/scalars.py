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
from vecsim.engines.jit.arrays.views import record_of, scratch_of, state_of
from vecsim.engines.jit.compiler.functions import function, inline
from vecsim.engines.jit.compiler.integers import larger, smaller
from vecsim.engines.jit.interface import FULL, GOING, STOPPED, TROUBLE
from vecsim.engines.jit.semantics import Semantics
from vecsim.engines.jit.single_port.accounts import (
    answer,
    answer_for_part,
    book_at_issue,
    note_wait,
    open_row,
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
def _more_registers(w: Any, i: Any, ready: Any) -> Any:
    """From when the scalar registers beyond the third are ready, too."""
    r, code = record_of(w), scratch_of(w).program
    for j in range(3, code[i + instruction.AWAITED]):
        ready = larger(ready, r.scalar_ready[code[i + instruction.AWAITED + 1 + j]])
    return ready


@inline
def scalars_ready_at(w: Any, r: Any, code: Any, i: Any) -> Any:
    """From when all scalar registers of an instruction are ready."""
    ready = larger(
        r.scalar_ready[code[i + instruction.AWAITED + 1]],
        larger(
            r.scalar_ready[code[i + instruction.AWAITED + 2]],
            r.scalar_ready[code[i + instruction.AWAITED + 3]],
        ),
    )
    if code[i + instruction.AWAITED] > 3:
        ready = _more_registers(w, i, ready)
    return ready


@inline
def write_scalar_ready(r: Any, scratch: Any, code: Any, i: Any, cycle: Any) -> None:
    """Let what the instruction writes at issue be ready at ``cycle``.

    Parameters
    ----------
    cycle
        The cycle from which the registers are ready.
    """
    count = code[i + instruction.SCALAR_WRITES]
    if count > 0:
        scratch.outcome[outcomes.SCALARS_READY_BY] = larger(scratch.outcome[outcomes.SCALARS_READY_BY], cycle)
        r.scalar_ready[code[i + instruction.SCALAR_WRITES + 1]] = cycle
        if count > 1:
            r.scalar_ready[code[i + instruction.SCALAR_WRITES + 2]] = cycle
            for j in range(2, count):
                r.scalar_ready[code[i + instruction.SCALAR_WRITES + 1 + j]] = cycle


@inline
def _quick_start(r: Any, scratch: Any, part: Any, stop_count: Any) -> Any:
    """The cycle in which a part of a run begins whose cycles are known; CANNOT if they are not."""
    runs, outcome = scratch.runs, scratch.outcome
    start = outcome[outcomes.EARLIEST]
    if (
        outcome[outcomes.SEEN] < stop_count
        and outcome[outcomes.SEEN] + runs[part + quick_run.INSTRUCTIONS] > stop_count
    ):
        return CANNOT
    ready = outcome[outcomes.SCALARS_READY_BY] <= start and runs[part + quick_run.AWAITS_LATE] == 0
    at = part + quick_run.AWAITED_REGISTERS
    end = at if ready else at + runs[part + quick_run.AWAITS_FIRST]
    while at < end:
        start = larger(start, r.scalar_ready[runs[at]])
        at += 1
    last = start + runs[_case(scratch, part, start) + quick_run.LAST]
    if last >= outcome[outcomes.UNTIL] or last > outcome[outcomes.RETIRED_BY]:
        return CANNOT
    end = at if ready else part + quick_run.AWAITED_REGISTERS + runs[part + quick_run.AWAITS]
    while at < end and r.scalar_ready[runs[at]] <= start:
        at += 1
    return start if at == end else CANNOT


@inline
def _case(scratch: Any, part: Any, start: Any) -> Any:
    """Where the case is of a part that begins in cycle ``start``."""
    outcome = scratch.outcome
    return (
        part
        + quick_run.HEAD
        + (outcome[outcomes.ISSUED_IN] if start == outcome[outcomes.BEFORE] else 0) * quick_run.CASE
    )


@inline
def _pass_part(r: Any, scratch: Any, i: Any, part: Any, start: Any, stop_count: Any) -> Any:
    """Time a part of the run at ``i`` that begins in cycle ``start``; give the cycle of its last issue."""
    runs, outcome = scratch.runs, scratch.outcome
    case = _case(scratch, part, start)
    last = start + runs[case + quick_run.LAST]
    cause = causes.SCALAR_RAW_WAW if start > outcome[outcomes.EARLIEST] else causes.ISSUE
    note_wait(r, i, cause, start - outcome[outcomes.BEFORE])
    outcome[outcomes.SCALARS_READY_BY] = larger(
        outcome[outcomes.SCALARS_READY_BY], start + runs[case + quick_run.ALL_READY]
    )
    for j in range(runs[part + quick_run.WRITES]):
        r.scalar_ready[runs[part + quick_run.WRITTEN_REGISTERS + j]] = (
            start + runs[case + quick_run.READY_AT + j]
        )
    outcome[outcomes.RETIRED_BY] = answer_for_part(
        runs, outcome, r, case, start, outcome[outcomes.RETIRED_BY]
    )
    group = runs[case + quick_run.ISSUED]
    outcome[outcomes.BEFORE], outcome[outcomes.ISSUED_IN] = last, group
    outcome[outcomes.EARLIEST] = last + 1 if group >= scratch.machine[parameter.ISSUE_WIDTH] else last
    outcome[outcomes.SEEN] += runs[part + quick_run.INSTRUCTIONS]
    if outcome[outcomes.SEEN] == stop_count:
        outcome[outcomes.UNTIL] = smaller(outcome[outcomes.UNTIL], last + 1)
    return last


@inline
def _jump(r: Any, scratch: Any, cycle: Any) -> Any:
    """Go where a branch leads that issued in ``cycle``; give False if that is out of the program."""
    outcome, target = scratch.outcome, scratch.outcome[outcomes.LEADS_TO]
    r.counters[counters.TAKEN_BRANCHES] += 1
    outcome[outcomes.EARLIEST] = r.control[control.FETCH] = (
        cycle + 1 + scratch.machine[parameter.BRANCH_PENALTY]
    )
    outcome[outcomes.AT] = target * instruction.WIDTH
    if target < 0 or target >= scratch.machine[parameter.INSTRUCTIONS]:
        r.control[control.PC] = target
        outcome[outcomes.START] = cycle
        outcome[outcomes.AT] = outcomes.ASTRAY
        return False
    return True


@inline
def issued(r: Any, scratch: Any, i: Any, before: Any, cycle: Any, retired: Any, stop_count: Any) -> None:
    """Go to the next instruction, after one that issued in ``cycle``.

    Parameters
    ----------
    before, cycle
        The cycles in which the instruction before it, and it, issued.
    stop_count
        After how many instructions to stop.
    """
    outcome = scratch.outcome
    group = 1 if cycle > before else outcome[outcomes.ISSUED_IN] + 1
    count = outcome[outcomes.SEEN] + 1
    r.ledger[row_of(i) + ledger.EXECUTIONS] += 1
    outcome[outcomes.AT], outcome[outcomes.BEFORE], outcome[outcomes.ISSUED_IN], outcome[outcomes.SEEN] = (
        i + instruction.WIDTH,
        cycle,
        group,
        count,
    )
    outcome[outcomes.EARLIEST] = cycle + 1 if group >= scratch.machine[parameter.ISSUE_WIDTH] else cycle
    outcome[outcomes.RETIRED_BY] = retired
    if count == stop_count:
        outcome[outcomes.UNTIL] = smaller(outcome[outcomes.UNTIL], cycle + 1)


def make_run_scalars(semantics: Semantics) -> Any:
    """Give the function that issues scalar instructions until one of another kind comes."""
    execute, is_taken, _ = semantics

    @inline
    def is_taken_at(w: Any, i: Any) -> Any:
        """Tell whether a branch is taken, and note where it leads."""
        m, scratch = state_of(w), scratch_of(w)
        code, at = scratch.program, i + instruction.FIELD
        m.address[0] = code[i + instruction.FOLLOWING]
        target = code[i + instruction.TARGET]
        scratch.outcome[outcomes.LEADS_TO] = m.x[code[at]] if target == NONE else target
        return is_taken(
            w,
            code[i + instruction.OPERATION],
            code[at],
            code[at + 1],
            code[at + 2],
            code[at + 3],
            code[at + 4],
        )

    @inline
    def execute_at(w: Any, code: Any, i: Any) -> None:
        at = i + instruction.FIELD
        execute(
            w,
            code[i + instruction.OPERATION],
            1,
            code[at],
            code[at + 1],
            code[at + 2],
            code[at + 3],
            code[at + 4],
        )

    @inline
    def access(w: Any, i: Any, cycle: Any) -> Any:
        """The cycle in which a scalar access issues that might in ``cycle``; CANNOT outside memory."""
        m, scratch = state_of(w), scratch_of(w)
        code = scratch.program
        address = m.x[code[i + instruction.BASE_REGISTER]] + code[i + instruction.OFFSET]
        end = address + code[i + instruction.RECORD_BYTES]
        if address < 0 or end > scratch.machine[parameter.MEMORY_BYTES]:
            return CANNOT
        m.address[0] = address
        if latest_end(scratch) > cycle:
            cycle = larger(cycle, order_end(scratch, code[i + instruction.STORE], address, end, cycle))
        return cycle

    @inline
    def run_scalars(w: Any, stop_count: Any, capacity: Any) -> Any:
        """Go on from where ``outcome`` says; give GOING before another instruction, or why it ended."""
        r, scratch = record_of(w), scratch_of(w)
        code, outcome, rows, runs = scratch.program, scratch.outcome, scratch.timeline, scratch.runs
        i = outcome[outcomes.AT]
        length = quick_run.HEAD + scratch.machine[parameter.ISSUE_WIDTH] * quick_run.CASE
        while code[i + instruction.TIMING] <= SCALAR_STORE:
            start, part, end = CANNOT, code[i + instruction.RUN], 0
            if capacity < 0:
                if part >= 0:
                    end = part + runs[part + quick_run.LONGER] * length
                    start = _quick_start(r, scratch, end, stop_count)
                    if start < 0 and end > part:
                        end = part
                        start = _quick_start(r, scratch, end, stop_count)
                scalar_access = start >= 0 and code[i + instruction.TIMING] >= SCALAR_LOAD
                if scalar_access and access(w, i, start) != start:
                    start = CANNOT
            elif rows[0] >= capacity:
                return FULL
            else:
                open_row(r, i)
            if start >= 0:
                taken, first = 0, i
                while True:
                    for _ in range(runs[part + quick_run.SEGMENT]):
                        execute_at(w, code, i)
                        i += instruction.WIDTH
                    if runs[part + quick_run.BRANCHES] == 1:
                        taken = 1 if is_taken_at(w, i) else 0
                        i += instruction.WIDTH
                    if taken == 1 or part == end:
                        break
                    part += length
                last = _pass_part(r, scratch, first, part, start, stop_count)
                outcome[outcomes.AT] = i
                if taken == 1 and not _jump(r, scratch, last):
                    return TROUBLE
            else:
                before, earliest, retired = (
                    outcome[outcomes.BEFORE],
                    outcome[outcomes.EARLIEST],
                    outcome[outcomes.RETIRED_BY],
                )
                ready = scalars_ready_at(w, r, code, i)
                cycle = allowed = larger(ready, earliest)
                outcome[outcomes.START] = cycle
                timing = code[i + instruction.TIMING]
                if timing >= SCALAR_LOAD and cycle < outcome[outcomes.UNTIL]:
                    cycle = access(w, i, cycle)
                    if cycle == CANNOT:
                        return TROUBLE
                    if cycle < outcome[outcomes.UNTIL]:
                        outcome[outcomes.START] = cycle
                if cycle >= outcome[outcomes.UNTIL]:
                    return STOPPED
                answered = retired
                if cycle > before:
                    cause = causes.SCALAR_RAW_WAW if ready > earliest else causes.ISSUE
                    cause = causes.MEMORY_ORDER if cycle > allowed else cause
                    answered = book_at_issue(r, i, cause, before, cycle, retired)
                retire = cycle + code[i + instruction.LATENCY]
                answer(r, i, ledger.SCALAR, retire, answered)
                taken = 0
                if timing == BRANCH:
                    taken = 1 if is_taken_at(w, i) else 0
                else:
                    execute_at(w, code, i)
                issued(r, scratch, i, before, cycle, larger(retired, retire), stop_count)
                going = taken == 0 or _jump(r, scratch, cycle)
                write_scalar_ready(r, scratch, code, i, retire)
                if capacity >= 0:
                    write_scalar_row(w, i, outcome[outcomes.SEEN] - 1, cycle, retire)
                if not going:
                    return TROUBLE
            i = outcome[outcomes.AT]
        return GOING

    return run_scalars
