"""Blocks of scalar instructions and branches, and when scalar registers are ready."""

from __future__ import annotations

from typing import Any

from isa.declaration import Timing
from vecsim.engines.jit.compiler.functions import function, inline, larger, smaller
from vecsim.engines.jit.interface import FULL, GOING, STOPPED, TROUBLE
from vecsim.engines.jit.semantics import Semantics
from vecsim.engines.jit.single_port import block
from vecsim.engines.jit.single_port.accounts import (
    answer_for_part,
    book_at_issue,
    note_wait,
    write_scalar_row,
)
from vecsim.engines.jit.single_port.port import latest_end, order_end
from vecsim.engines.jit.state import ASTRAY
from vecsim.engines.state import causes
from vecsim.engines.state.counters import TAKEN_BRANCHES
from vecsim.engines.state.row import NONE

SCALAR, BRANCH, SCALAR_LOAD, SCALAR_STORE = (
    int(Timing.SCALAR),
    int(Timing.BRANCH),
    int(Timing.SCALAR_LOAD),
    int(Timing.SCALAR_STORE),
)
assert tuple(range(4)) == (SCALAR, BRANCH, SCALAR_LOAD, SCALAR_STORE)
FIRST = 3
"""This many of the registers that an instruction awaits are looked at in any case; x0 fills the list up."""
CANNOT = -1
"""Instead of a cycle: the instruction cannot be executed."""


@function
def _more_registers(r: Any, instruction: Any, ready: Any) -> Any:
    """From when the scalar registers after the third are ready, too."""
    for k in range(FIRST, len(instruction.awaited)):
        ready = larger(ready, r.scalars[instruction.awaited[k]].ready_at)
    return ready


@inline
def scalars_ready_at(r: Any, instruction: Any) -> Any:
    """From when all scalar registers of an instruction are ready."""
    awaited = instruction.awaited
    ready = larger(r.scalars[awaited[1]].ready_at, r.scalars[awaited[2]].ready_at)
    ready = larger(r.scalars[awaited[0]].ready_at, ready)
    if len(awaited) > FIRST:
        ready = _more_registers(r, instruction, ready)
    return ready


@inline
def write_scalar_ready(r: Any, instruction: Any, cycle: Any) -> None:
    """Let what the instruction writes at issue be ready at ``cycle``.

    Parameters
    ----------
    cycle
        The cycle from which the registers are ready.
    """
    written = instruction.scalar_writes
    count = len(written)
    if count > 0:
        r.outcome.scalars_ready_by = larger(r.outcome.scalars_ready_by, cycle)
        r.scalars[written[0]].ready_at = cycle
        if count > 1:
            r.scalars[written[1]].ready_at = cycle
            for k in range(2, count):
                r.scalars[written[k]].ready_at = cycle


@inline
def _quick_start(r: Any, part: Any, stop_count: Any) -> Any:
    """The cycle in which a part of a block begins whose cycles are known; CANNOT if they are not."""
    blocks, outcome = r.blocks, r.outcome
    start, seen = outcome.earliest, outcome.seen
    if seen < stop_count and seen + blocks[part + block.INSTRUCTIONS] > stop_count:
        return CANNOT
    ready = outcome.scalars_ready_by <= start and blocks[part + block.AWAITS_LATE] == 0
    at = part + block.AWAITED_REGISTERS
    end = at if ready else at + blocks[part + block.AWAITS_FIRST]
    while at < end:
        start = larger(start, r.scalars[blocks[at]].ready_at)
        at += 1
    last = start + blocks[_case(r, part, start) + block.LAST]
    if last >= outcome.until or last > outcome.retired_by:
        return CANNOT
    end = at if ready else part + block.AWAITED_REGISTERS + blocks[part + block.AWAITS]
    while at < end and r.scalars[blocks[at]].ready_at <= start:
        at += 1
    return start if at == end else CANNOT


@inline
def _case(r: Any, part: Any, start: Any) -> Any:
    """Where the case is of a part that begins in cycle ``start``."""
    issued_in = r.outcome.issued if start == r.outcome.before else 0
    return part + block.HEAD + issued_in * block.CASE


@inline
def _pass_part(r: Any, instruction: Any, part: Any, start: Any, stop_count: Any) -> Any:
    """Time a part of a block that begins in cycle ``start``; return the cycle of its last issue."""
    blocks, outcome = r.blocks, r.outcome
    case = _case(r, part, start)
    last = start + blocks[case + block.LAST]
    cause = causes.SCALAR_RAW_WAW if start > outcome.earliest else causes.ISSUE
    note_wait(r, instruction, cause, start - outcome.before)
    all_ready = start + blocks[case + block.ALL_READY]
    outcome.scalars_ready_by = larger(outcome.scalars_ready_by, all_ready)
    for j in range(blocks[part + block.WRITES]):
        register = blocks[part + block.WRITTEN_REGISTERS + j]
        r.scalars[register].ready_at = start + blocks[case + block.READY_AT + j]
    outcome.retired_by = answer_for_part(r, case, start, outcome.retired_by)
    group = blocks[case + block.ISSUED]
    outcome.before, outcome.issued = last, group
    outcome.earliest = last + 1 if group >= r.machine.issue_width else last
    outcome.seen += blocks[part + block.INSTRUCTIONS]
    if outcome.seen == stop_count:
        outcome.until = smaller(outcome.until, last + 1)
    return last


@inline
def _jump(r: Any, cycle: Any) -> Any:
    """Go where a branch leads that issued in ``cycle``; return False if that is out of the program."""
    outcome, target = r.outcome, r.outcome.leads_to
    r.counters[TAKEN_BRANCHES] += 1
    outcome.earliest = r.control.fetch_cycle = cycle + 1 + r.machine.branch_penalty
    outcome.next = target
    if target < 0 or target >= r.machine.instructions:
        r.control.pc = target
        outcome.start = cycle
        outcome.next = ASTRAY
        return False
    return True


@inline
def issued(r: Any, instruction: Any, cycle: Any, retired: Any, stop_count: Any) -> None:
    """Go to the next instruction, after one that issued in ``cycle``."""
    outcome = r.outcome
    place = 1 - instruction.joined
    group = place if cycle > outcome.before else outcome.issued + place
    count = outcome.seen + 1
    r.accounts[instruction.number].executions += 1
    outcome.next, outcome.seen = instruction.following, count
    outcome.before, outcome.issued = cycle, group
    earliest = cycle + 1 if group >= r.machine.issue_width else cycle
    outcome.earliest = larger(earliest, r.control.fetch_cycle)
    outcome.retired_by = retired
    if count == stop_count:
        outcome.until = smaller(outcome.until, cycle + 1)


@inline
def finish_scalar(
    r: Any, instruction: Any, cause: Any, cycle: Any, retire: Any, stop_count: Any, capacity: Any
) -> None:
    """Book an instruction that touches no unit, has been executed and issues in ``cycle``; go to the next."""
    before, retired = r.outcome.before, r.outcome.retired_by
    answered = retired
    if cycle > before:
        answered = book_at_issue(r, instruction, cause, before, cycle, retired)
    r.accounts[instruction.number].scalar += larger(retire - answered, 0)
    write_scalar_ready(r, instruction, retire)
    if capacity >= 0:
        r.control.count = r.outcome.seen + 1
        write_scalar_row(r, instruction, cause, cycle - before, cycle, retire)
    issued(r, instruction, cycle, larger(retired, retire), stop_count)


@inline
def _access(r: Any, instruction: Any, cycle: Any) -> Any:
    """The cycle in which a scalar access issues that might in ``cycle``; CANNOT outside memory."""
    address = r.x[instruction.base_register] + instruction.offset
    end = address + instruction.record_bytes
    if address < 0 or end > r.machine.memory_bytes:
        return CANNOT
    r.address[0] = address
    if latest_end(r) > cycle:
        cycle = larger(cycle, order_end(r, instruction.store, address, end, cycle))
    return cycle


def make_run_scalars(semantics: Semantics) -> Any:
    """Make the function that issues scalar instructions until one of another kind comes."""
    execute, is_taken, _ = semantics

    @inline
    def take_branch(r: Any, instruction: Any) -> Any:
        """Execute a branch: 1 if it is taken, otherwise 0; note where it leads."""
        r.address[0] = instruction.following
        target = instruction.target
        r.outcome.leads_to = r.x[instruction.fields[0]] if target == NONE else target
        return 1 if is_taken(r, instruction, 0) else 0

    @inline
    def issue_block(r: Any, first: Any, part: Any, end: Any, length: Any, start: Any, stop_count: Any) -> Any:
        """Issue the block at ``first`` whose parts from ``part`` to ``end`` are known; begin in ``start``."""
        blocks, number, taken = r.blocks, first.number, 0
        while True:
            for _ in range(blocks[part + block.SEGMENT]):
                execute(r, r.program[number], 1)
                number += 1
            if blocks[part + block.BRANCHES] == 1:
                taken = take_branch(r, r.program[number])
                number += 1
            if taken == 1 or part == end:
                break
            part += length
        last = _pass_part(r, first, part, start, stop_count)
        r.outcome.next = r.program[number - 1].following
        return GOING if taken == 0 or _jump(r, last) else TROUBLE

    @inline
    def issue_one(r: Any, instruction: Any, stop_count: Any, capacity: Any) -> Any:
        """Issue an instruction; return GOING, or why it cannot issue yet or at all."""
        outcome, timing = r.outcome, instruction.timing
        ready, earliest = scalars_ready_at(r, instruction), outcome.earliest
        cycle = allowed = larger(ready, earliest)
        outcome.start = cycle
        if timing >= SCALAR_LOAD and cycle < outcome.until:
            cycle = _access(r, instruction, cycle)
            if cycle == CANNOT:
                return TROUBLE
            if cycle < outcome.until:
                outcome.start = cycle
        if cycle >= outcome.until:
            return STOPPED
        taken = 0
        if timing == BRANCH:
            taken = take_branch(r, instruction)
        else:
            execute(r, instruction, 1)
        cause = causes.SCALAR_RAW_WAW if ready > earliest else causes.ISSUE
        cause = causes.MEMORY_ORDER if cycle > allowed else cause
        finish_scalar(r, instruction, cause, cycle, cycle + instruction.latency, stop_count, capacity)
        return GOING if taken == 0 or _jump(r, cycle) else TROUBLE

    @inline
    def run_scalars(r: Any, stop_count: Any, capacity: Any) -> Any:
        """Go on from where ``outcome`` says; return GOING before another instruction, or why it ended."""
        blocks, status = r.blocks, GOING
        instruction = r.program[r.outcome.next]
        length = block.HEAD + r.machine.issue_width * block.CASE
        while status == GOING and instruction.timing <= SCALAR_STORE:
            start, part, end = CANNOT, instruction.scalar_block, 0
            if capacity < 0:
                if part >= 0:
                    end = part + blocks[part + block.LONGER] * length
                    start = _quick_start(r, end, stop_count)
                    if start < 0 and end > part:
                        end = part
                        start = _quick_start(r, end, stop_count)
                scalar_access = start >= 0 and instruction.timing >= SCALAR_LOAD
                if scalar_access and _access(r, instruction, start) != start:
                    start = CANNOT
            elif r.scratch.rows >= capacity:
                return FULL
            if start >= 0:
                status = issue_block(r, instruction, part, end, length, start, stop_count)
            else:
                status = issue_one(r, instruction, stop_count, capacity)
            instruction = r.program[r.outcome.next]
        return status

    return run_scalars
