"""Arithmetic of recorded programs that waits for nothing but its unit: parts, one after the other.

Such a program has a row for each register of a group, so most of its rows are parts of this kind. What issue
knows stays in variables from part to part.
"""

from __future__ import annotations

from typing import Any

from vecsim.engines.jit.arrays.views import state_of
from vecsim.engines.jit.compiler.functions import function, inline, larger, smaller
from vecsim.engines.jit.single_port.accounts import book, book_at_issue, issue_cause
from vecsim.engines.jit.single_port.port import earlier_dispatch, latest_dispatch, note_dispatch
from vecsim.engines.jit.single_port.registers import complete_result, give, take, take_all
from vecsim.engines.jit.single_port.scalars import scalars_ready_at
from vecsim.engines.jit.state import BY_LANES
from vecsim.engines.rebinding import rebound
from vecsim.engines.recorded import events
from vecsim.engines.state import causes

next_event = rebound(events.next_event, {}, function)


@inline
def _clear_from(r: Any, instruction: Any) -> Any:
    """From when no register holds up a ``CHAIN`` that writes one."""
    vectors, d = r.vectors, instruction.writes[0]
    cycle = larger(vectors[instruction.second].ready_at, vectors[instruction.third].ready_at)
    cycle = larger(cycle, vectors[instruction.reads[0]].ready_at)
    return larger(cycle, larger(vectors[d].ready_at, vectors[d].taken_at + 1))


@inline
def _pass(r: Any, instruction: Any, n: Any, dispatched: Any) -> Any:
    """Start n >= 1 elements from the cycle of dispatch on; return the cycle of the last."""
    unit, d = instruction.unit, instruction.writes[0]
    last = dispatched + ((n - 1) * r.machine.lanes_scale >> 32)
    note_dispatch(r, unit, dispatched)
    v, second, third = instruction.reads[0], instruction.second, instruction.third
    take(r, v, BY_LANES, dispatched, n)
    take_all(r, v, last)
    if second != v:
        take(r, second, BY_LANES, dispatched, n)
        take_all(r, second, last)
    if third != v:
        take(r, third, BY_LANES, dispatched, n)
        take_all(r, third, last)
    give(r, d, BY_LANES, dispatched + instruction.latency, n)
    complete_result(r, d, last + instruction.latency)
    r.units[unit].busy += last - dispatched + 1
    r.units[unit].free_at = last + 1
    return last


@function
def pass_parts(r: Any, stop_count: Any) -> Any:
    """Issue and time such parts until another instruction comes, or one that waits; return how many."""
    outcome, width, queue = r.outcome, r.machine.issue_width, r.machine.unit_queue
    before, group, retired, seen = outcome.before, outcome.issued, outcome.retired_by, outcome.seen
    instruction = r.program[outcome.next]
    while instruction.part == 1:
        n, unit = r.special[events.LENGTH], instruction.unit
        earliest, ready, room, dispatched = before, 0, 0, 0
        if instruction.joined == 0:
            earliest = larger(before + 1 if group >= width else before, r.control.fetch_cycle)
            ready = scalars_ready_at(r, instruction)
        cycle = larger(earliest, ready)
        if n > 0:
            free = r.units[unit].free_at
            room = earlier_dispatch(r, unit, queue - 1) if queue > 0 else free
            cycle = larger(cycle, room)
            dispatched = larger(cycle, larger(free, latest_dispatch(r, unit)))
            if _clear_from(r, instruction) > dispatched:
                break
        if cycle >= outcome.until:
            break
        next_event(state_of(r))
        account, answered = r.accounts[instruction.number], retired
        account.executions += 1
        if cycle > before:
            cause = issue_cause(cycle, earliest, ready, 0, room, 0, 0, False)
            answered = book_at_issue(r, instruction, cause, before, cycle, retired)
            group = 0
        retire = cycle + 1
        if n > 0:
            book(r, instruction, causes.UNIT, cycle, dispatched, answered)
            free = _pass(r, instruction, n, dispatched) + 1
            retire = free - 1 + instruction.latency
            account.elements += n
            account.busy += larger(free - answered, 0)
            account.latency += larger(retire - larger(answered, free), 0)
        else:
            account.scalar += larger(retire - answered, 0)
        group += 1 - instruction.joined
        retired = larger(retired, retire)
        seen += 1
        if seen == stop_count:
            outcome.until = smaller(outcome.until, cycle + 1)
        before = outcome.before = cycle
        outcome.next = instruction.following
        instruction = r.program[outcome.next]
    passed = seen - outcome.seen
    if passed > 0:
        outcome.issued, outcome.retired_by, outcome.seen = group, retired, seen
        outcome.earliest = larger(before + 1 if group >= width else before, r.control.fetch_cycle)
    return passed
