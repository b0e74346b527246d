"""Instructions that nothing, or one operand, holds up: their times follow from a formula.

Arithmetic of one register from one to three, sums and inserts; contiguous accesses of one register in 32-bit
elements.
"""

from __future__ import annotations

from typing import Any

from vecsim.engines.jit.compiler.functions import inline, larger, smaller
from vecsim.engines.jit.single_port.accounts import book, note_times, note_wait
from vecsim.engines.jit.single_port.arithmetic import result_latency
from vecsim.engines.jit.single_port.banks import bank_of, banks_are_free, occupy, occupy_slowly, phase_behind
from vecsim.engines.jit.single_port.port import (
    MEMORY,
    access_cycles,
    book_dispatch,
    count_words,
    dispatch,
    latest_dispatch,
    note_dispatch,
    note_transfer,
)
from vecsim.engines.jit.single_port.registers import (
    catch_up,
    complete_result,
    cycles_in,
    element_free_at,
    free_at,
    give,
    give_one,
    new_schedule,
    take,
)
from vecsim.engines.jit.state import BY_LANES, BY_RECORDS, BY_WORDS, SHIFTED
from vecsim.engines.state import causes
from vecsim.engines.state.row import NONE


def _make_chain(sums: bool) -> Any:
    """Make the function that times a ``CHAIN`` of one of the two kinds."""

    @inline
    def time_chain(r: Any, instruction: Any, n: Any, issue: Any, retired: Any) -> Any:
        """Time a ``CHAIN`` that nothing or one operand holds up; otherwise return False, nothing done."""
        machine, outcome, schedules = r.machine, r.outcome, r.schedules
        unit, latency = instruction.unit, instruction.latency
        dispatched = larger(issue, larger(r.units[unit].free_at, latest_dispatch(r, unit)))
        v, d, safe = instruction.reads[0], 0, 0
        binding, until, others = v, r.vectors[v].ready_at, 0
        if not sums:
            d = instruction.writes[0]
            safe = r.vectors[d].taken_at + 1
            # If it reads the register that it writes, the elements of that are operands.
            if d != v and d != instruction.second and d != instruction.third:
                safe = larger(safe, r.vectors[d].ready_at)
            for u in (instruction.second, instruction.third):
                if r.vectors[u].ready_at > until:
                    binding, until, others = u, r.vectors[u].ready_at, until
                elif u != binding:
                    others = larger(others, r.vectors[u].ready_at)
        schedule, add, start, waited = BY_LANES, dispatched, dispatched, dispatched
        last = dispatched + ((n - 1) * machine.lanes_scale >> 32)
        busy = last - dispatched + 1
        if larger(until, safe) > dispatched:
            schedule, add, lanes = (
                r.scheduled[binding].ready_schedule,
                r.scheduled[binding].ready_add,
                machine.lanes,
            )
            if schedule < 0 or r.scheduled[binding].ready_count < n:
                return False
            cycles, pace = schedules[schedule], r.pace[schedule]
            start = larger(dispatched, cycles[0] + add)
            if start < larger(larger(safe, others), r.scheduled[binding].ready_bound):
                return False
            waited = start
            if pace >= lanes and schedule < SHIFTED:  # they come faster than they are taken
                schedule, add, last = BY_LANES, start, last + start - dispatched
            elif (pace < lanes or pace == 1) and start == cycles[0] + add:
                last = cycles[n - 1] + add
                busy = cycles_in(r, schedule, n)
                if pace < lanes:
                    waited = last
                else:
                    note_wait(r, instruction, causes.VECTOR_RAW, last - start - n + 1)
            else:
                schedule, add = catch_up(r, n, lanes, schedule, add, 0, start), 0
                last, busy = schedules[schedule][n - 1], outcome.busy
                note_wait(r, instruction, causes.VECTOR_RAW, outcome.waited)
        note_dispatch(r, unit, dispatched)
        book(r, instruction, causes.UNIT, issue, dispatched, retired)
        book(r, instruction, causes.VECTOR_RAW, dispatched, waited, retired)
        take(r, v, schedule, add, n)
        r.vectors[v].taken_at = larger(r.vectors[v].taken_at, last)
        r.units[unit].busy += busy
        r.units[unit].free_at = last + 1
        first, result = start + latency, last + latency
        if sums:
            first = result = last + result_latency(instruction, n)
            r.scalars[instruction.late[0]].ready_at = result
        else:
            for u in (instruction.second, instruction.third):
                if u != v:
                    take(r, u, schedule, add, n)
                    r.vectors[u].taken_at = larger(r.vectors[u].taken_at, last)
            give(r, d, schedule, add + latency, n)
            complete_result(r, d, result)
        note_times(r, dispatched, start, first, result)
        return True

    return time_chain


time_plain_chain, time_sum_chain = _make_chain(False), _make_chain(True)


@inline
def time_insert(r: Any, instruction: Any, issue: Any, retired: Any) -> None:
    """Time a ``CHAIN`` that writes one element, which the register that selects it still names."""
    unit, v = instruction.unit, instruction.writes[0]
    element = r.x[instruction.element_register] & (r.machine.section_size - 1)
    start = dispatched = dispatch(r, instruction, issue, retired)
    if free_at(r, v) > dispatched:
        start = larger(dispatched, element_free_at(r, v, element))
        book(r, instruction, causes.VECTOR_WAR_WAW, dispatched, start, retired)
    result = start + instruction.latency
    give_one(r, v, element, result)
    complete_result(r, v, result)
    r.units[unit].busy += 1
    r.units[unit].free_at = start + 1
    note_times(r, dispatched, start, result, result)


@inline
def _records_go(r: Any, instruction: Any, n: Any, words: Any, phase: Any) -> Any:
    """Return the schedule of n records of several words, which go from cycle 0 on after ``phase`` others."""
    scale, words_each = r.machine.words_scale, instruction.record_bytes >> 2
    if phase == 0 and n * words_each == words:
        return BY_RECORDS
    schedule = new_schedule(r, r.pace[BY_RECORDS])
    cycles = r.schedules[schedule]
    for k in range(n):
        cycles[k] = (phase + smaller((k + 1) * words_each, words) - 1) * scale >> 32
    return schedule


@inline
def time_words(r: Any, instruction: Any, n: Any, issue: Any, retired: Any) -> Any:
    """Time an access whose row says ``SIMPLE`` if it has a closed form; otherwise return False, nothing done.

    Words go at the full rate, from the first cycle on that the port and the banks allow or from the one in
    which a whole operand has come, held up by a bank once at the most; or as the operand's elements come.
    """
    machine, outcome, schedules = r.machine, r.outcome, r.schedules
    base, load = outcome.address, instruction.store == 0
    words = outcome.end_byte - base + 3 >> 2
    rate, v = machine.words_per_cycle, instruction.writes[0] if load else instruction.reads[0]
    dispatched, started_up, ready, cycle = access_cycles(r, instruction, issue)
    clear = free_at(r, v) if load else r.vectors[v].ready_at
    if base & 3 != 0 or machine.streams == 0:
        return False
    begin, stalled, phase, behind, add, bound = cycle, cycle, 0, NONE, 0, 0
    if cycle < clear:
        if load:
            return False
        begin = bound = r.scheduled[v].ready_bound
        if bound < clear:
            if instruction.simple > 1:
                return False
            behind, add = r.scheduled[v].ready_schedule, r.scheduled[v].ready_add
            if behind < 0 or r.scheduled[v].ready_count < n:
                return False
            begin = larger(larger(cycle, bound), schedules[behind][0] + add)
            if behind < SHIFTED and r.pace[behind] >= rate:  # they come faster than they go
                behind = NONE
    if begin < outcome.banks_free and not banks_are_free(r, base >> 2, words, begin):
        if begin > cycle or behind >= 0:
            return False
        begin = larger(cycle, r.banks[bank_of(base >> 2, machine.banks)].free_at)
        phase = phase_behind(r, base >> 2, words, begin)
        if phase < 0:
            return False
        stalled = begin + (1 if phase > 0 else 0)
    book_dispatch(r, instruction, issue, dispatched, started_up, ready, cycle, retired)
    if behind < 0:
        last = occupy(r, base >> 2, 0, words, begin, phase)
        r.units[MEMORY].busy += last - begin + 1
        if stalled > cycle:
            book(r, instruction, causes.BANK_CONFLICT, cycle, stalled, retired)
        elif begin > cycle:
            book(r, instruction, causes.VECTOR_RAW, cycle, begin, retired)
        schedule, add = (BY_WORDS if phase == 0 else SHIFTED + phase - 1), begin
        if instruction.simple > 1:
            schedule = _records_go(r, instruction, n, words, phase)
    elif r.pace[behind] < rate and begin == schedules[behind][0] + add:
        last = occupy_slowly(r, base >> 2, n, behind, add)
        r.units[MEMORY].busy += cycles_in(r, behind, n)
        book(r, instruction, causes.VECTOR_RAW, cycle, last, retired)
        schedule = behind
    else:
        schedule, add = catch_up(r, n, rate, behind, add, bound, cycle), 0
        last = occupy_slowly(r, base >> 2, n, schedule, 0)
        r.units[MEMORY].busy += outcome.busy
        note_wait(r, instruction, causes.VECTOR_RAW, outcome.waited)
    outcome.banks_free = last + machine.bank_busy
    if behind >= 0:
        outcome.settled_free = outcome.banks_free
    note_transfer(r, 0, last + 1, base, outcome.end_byte, instruction.store)
    count_words(r, instruction, words)
    first = begin + 1
    if instruction.simple > 1:
        first += schedules[schedule][0]
    if load:
        give(r, v, schedule, begin + 1, n)
        complete_result(r, v, last + 1)
    else:
        r.vectors[v].taken_at = larger(r.vectors[v].taken_at, last)
        take(r, v, schedule, add, n)
    note_times(r, dispatched, begin, first, last + 1)
    return True
