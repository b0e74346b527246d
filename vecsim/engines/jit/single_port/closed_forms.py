"""Instructions that nothing, or one operand, holds up: their times follow from a formula.

Arithmetic of one register from one to three, sums and inserts; contiguous accesses of one register in 32-bit
elements.
"""

from __future__ import annotations

from typing import Any

from vecsim.engines.columns import causes, instruction, outcomes, parameter
from vecsim.engines.columns.tracks import BY_LANES, BY_WORDS, SHIFTED
from vecsim.engines.decoded import NONE
from vecsim.engines.jit.compiler.functions import inline, larger
from vecsim.engines.jit.single_port.accounts import book, note_times, note_wait
from vecsim.engines.jit.single_port.arithmetic import result_latency
from vecsim.engines.jit.single_port.banks import bank_of, banks_are_free, occupy, occupy_slowly, phase_behind
from vecsim.engines.jit.single_port.port import (
    MEMORY,
    access_cycles,
    book_dispatch,
    count_words,
    dispatch,
    last_dispatch,
    push_access,
    push_dispatch,
)
from vecsim.engines.jit.single_port.registers import (
    catch_up,
    complete_result,
    cycles_in,
    element_free_at,
    free_at,
    give,
    give_one,
    take,
)


def _make_chain(sums: bool) -> Any:
    """Make the function that times a ``CHAIN`` of one of the two kinds."""

    @inline
    def time_chain(r: Any, i: Any, n: Any, issue: Any, retired: Any) -> Any:
        """Time a ``CHAIN`` that nothing or one operand holds up; otherwise return False, nothing done."""
        code, machine, outcome, tracks = r.program, r.machine, r.outcome, r.tracks
        unit, depth = code[i + instruction.UNIT], machine[parameter.UNIT_QUEUE] + 1
        s, latency = machine[parameter.SECTION_SIZE], code[i + instruction.LATENCY]
        dispatched = larger(issue, larger(r.unit_free[unit], last_dispatch(r, depth, unit)))
        v, d, safe = code[i + instruction.READS + 1], 0, 0
        binding, until, others = v, r.ready_all[v], 0
        if not sums:
            d, safe = code[i + instruction.WRITES + 1], r.taken_all[code[i + instruction.WRITES + 1]] + 1
            # If it reads the register that it writes, the elements of that are operands.
            if d != v and d != code[i + instruction.SECOND] and d != code[i + instruction.THIRD]:
                safe = larger(safe, r.ready_all[d])
            for u in (code[i + instruction.SECOND], code[i + instruction.THIRD]):
                if r.ready_all[u] > until:
                    binding, until, others = u, r.ready_all[u], until
                elif u != binding:
                    others = larger(others, r.ready_all[u])
        track, add, start, waited = BY_LANES, dispatched, dispatched, dispatched
        last = dispatched + ((n - 1) * machine[parameter.LANES_SCALE] >> 32)
        busy = last - dispatched + 1
        if larger(until, safe) > dispatched:
            track, add, lanes = r.ready_track[binding], r.ready_add[binding], machine[parameter.LANES]
            if track < 0 or r.ready_count[binding] < n:
                return False
            at, pace = track * s, r.track_pace[track]
            start = larger(dispatched, tracks[at] + add)
            if start < larger(larger(safe, others), r.ready_bound[binding]):
                return False
            waited = start
            if pace >= lanes and track < SHIFTED:  # they come faster than they are taken
                track, add, last = BY_LANES, start, last + start - dispatched
            elif pace < lanes and start == tracks[at] + add:
                last = waited = tracks[at + n - 1] + add
                busy = cycles_in(r, track, s, n)
            else:
                track, add = catch_up(r, n, lanes, track, add, 0, start), 0
                last, busy = tracks[track * s + n - 1], outcome[outcomes.BUSY]
                note_wait(r, i, causes.VECTOR_RAW, outcome[outcomes.WAITED])
        push_dispatch(r, depth, unit, dispatched)
        book(r, i, causes.UNIT, issue, dispatched, retired)
        book(r, i, causes.VECTOR_RAW, dispatched, waited, retired)
        take(r, v, track, add, n)
        r.taken_all[v] = larger(r.taken_all[v], last)
        r.unit_busy[unit] += busy
        r.unit_free[unit] = last + 1
        first, result = start + latency, last + latency
        if sums:
            first = result = last + result_latency(r, i, n)
            r.scalar_ready[code[i + instruction.LATE + 1]] = result
        else:
            for u in (code[i + instruction.SECOND], code[i + instruction.THIRD]):
                if u != v:
                    take(r, u, track, add, n)
                    r.taken_all[u] = larger(r.taken_all[u], last)
            give(r, d, track, add + latency, n)
            complete_result(r, d, result)
        note_times(r, dispatched, start, first, result)
        return True

    return time_chain


time_plain_chain, time_sum_chain = _make_chain(False), _make_chain(True)


@inline
def time_insert(r: Any, i: Any, issue: Any, retired: Any) -> None:
    """Time a ``CHAIN`` that writes one element, which the register that selects it still names."""
    code, s = r.program, r.machine[parameter.SECTION_SIZE]
    unit, v = code[i + instruction.UNIT], code[i + instruction.WRITES + 1]
    element = r.x[code[i + instruction.ELEMENT_REGISTER]] & (s - 1)
    start = dispatched = dispatch(r, i, issue, retired)
    if free_at(r, v) > dispatched:
        start = larger(dispatched, element_free_at(r, v, s, element))
        book(r, i, causes.VECTOR_WAR_WAW, dispatched, start, retired)
    result = start + code[i + instruction.LATENCY]
    give_one(r, v, s, element, result)
    complete_result(r, v, result)
    r.unit_busy[unit] += 1
    r.unit_free[unit] = start + 1
    note_times(r, dispatched, start, result, result)


@inline
def time_words(r: Any, i: Any, n: Any, issue: Any, retired: Any) -> Any:
    """Time an access whose row says ``SIMPLE`` if it has a closed form; otherwise return False, nothing done.

    Words go at the full rate, from the first cycle on that the port and the banks allow or from the one in
    which a whole operand has come, held up by a bank once at the most; or as the operand's elements come.
    """
    code, machine, outcome, tracks = r.program, r.machine, r.outcome, r.tracks
    base, load = outcome[outcomes.ADDRESS], code[i + instruction.STORE] == 0
    rate, s = machine[parameter.WORDS_PER_CYCLE], machine[parameter.SECTION_SIZE]
    v = code[i + instruction.WRITES + 1] if load else code[i + instruction.READS + 1]
    dispatched, started_up, ready, cycle = access_cycles(r, i, issue)
    clear = free_at(r, v) if load else r.ready_all[v]
    if base & 3 != 0 or machine[parameter.STREAMS] == 0:
        return False
    begin, stalled, phase, behind, add, bound = cycle, cycle, 0, NONE, 0, 0
    if cycle < clear:
        if load:
            return False
        begin = bound = r.ready_bound[v]
        if bound < clear:
            behind, add = r.ready_track[v], r.ready_add[v]
            if behind < 0 or r.ready_count[v] < n:
                return False
            begin = larger(larger(cycle, bound), tracks[behind * s] + add)
            if behind < SHIFTED and r.track_pace[behind] >= rate:  # they come faster than they go
                behind = NONE
    if begin < outcome[outcomes.BANKS_FREE] and not banks_are_free(r, base >> 2, n, begin):
        if begin > cycle or behind >= 0:
            return False
        begin = larger(cycle, r.bank_free[bank_of(base >> 2, machine[parameter.BANKS])])
        phase = phase_behind(r, base >> 2, n, begin)
        if phase < 0:
            return False
        stalled = begin + (1 if phase > 0 else 0)
    book_dispatch(r, i, issue, dispatched, started_up, ready, cycle, retired)
    if behind < 0:
        last = occupy(r, base >> 2, 0, n, begin, phase)
        r.unit_busy[MEMORY] += last - begin + 1
        if stalled > cycle:
            book(r, i, causes.BANK_CONFLICT, cycle, stalled, retired)
        elif begin > cycle:
            book(r, i, causes.VECTOR_RAW, cycle, begin, retired)
        track, add = (BY_WORDS if phase == 0 else SHIFTED + phase - 1), begin
    elif r.track_pace[behind] < rate and begin == tracks[behind * s] + add:
        last = occupy_slowly(r, base >> 2, n, behind * s, add)
        r.unit_busy[MEMORY] += cycles_in(r, behind, s, n)
        book(r, i, causes.VECTOR_RAW, cycle, last, retired)
        track = behind
    else:
        track, add = catch_up(r, n, rate, behind, add, bound, cycle), 0
        last = occupy_slowly(r, base >> 2, n, track * s, 0)
        r.unit_busy[MEMORY] += outcome[outcomes.BUSY]
        note_wait(r, i, causes.VECTOR_RAW, outcome[outcomes.WAITED])
    outcome[outcomes.BANKS_FREE] = last + machine[parameter.BANK_BUSY]
    if behind >= 0:
        outcome[outcomes.SETTLED_FREE] = outcome[outcomes.BANKS_FREE]
    push_access(r, last + 1, base, base + 4 * n, code[i + instruction.STORE])
    count_words(r, i, n)
    if load:
        give(r, v, track, begin + 1, n)
        complete_result(r, v, last + 1)
    else:
        r.taken_all[v] = larger(r.taken_all[v], last)
        take(r, v, track, add, n)
    note_times(r, dispatched, begin, begin + 1, last + 1)
    return True
