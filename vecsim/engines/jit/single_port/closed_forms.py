"""Instructions that nothing, or one operand, holds up: their times follow from a formula.

Arithmetic of one register from one to three, sums and inserts; contiguous accesses of one register in 32-bit
elements.
"""

from __future__ import annotations

from typing import Any

from vecsim.engines.columns import causes, counters, instruction, outcomes, parameter
from vecsim.engines.columns.tracks import BY_LANES, BY_WORDS, SHIFTED
from vecsim.engines.decoded import NONE
from vecsim.engines.jit.arrays.views import record_of, scratch_of, state_of
from vecsim.engines.jit.compiler.functions import inline
from vecsim.engines.jit.compiler.integers import larger
from vecsim.engines.jit.single_port.accounts import book, note_times, note_wait
from vecsim.engines.jit.single_port.arithmetic import result_latency
from vecsim.engines.jit.single_port.banks import bank_of, banks_are_free, occupy, occupy_slowly, phase_behind
from vecsim.engines.jit.single_port.port import (
    MEMORY,
    dispatch,
    last_dispatch,
    latest_end,
    port_free,
    push_access,
    push_dispatch,
)
from vecsim.engines.jit.single_port.registers import (
    catch_up,
    cycles_in,
    give,
    ready_at,
    take,
    taken_at,
    write_ready_track,
)


def _make_chain(sums: bool) -> Any:
    """Give the function that times a ``CHAIN`` of one of the two kinds."""

    @inline
    def time_chain(w: Any, i: Any, n: Any, issue: Any, retired: Any) -> Any:
        """Time a ``CHAIN`` that nothing or one operand holds up; else give False, nothing done."""
        r, scratch = record_of(w), scratch_of(w)
        code, machine, outcome, tracks = scratch.program, scratch.machine, scratch.outcome, scratch.tracks
        unit, depth, latency = (
            code[i + instruction.UNIT],
            machine[parameter.UNIT_QUEUE] + 1,
            code[i + instruction.LATENCY],
        )
        dispatched = larger(issue, larger(r.unit_free[unit], last_dispatch(scratch, depth, unit)))
        v, d, safe = code[i + instruction.READS + 1], 0, 0
        binding, until, others = v, r.ready_all[v], 0
        if not sums:
            d = code[i + instruction.WRITES + 1]
            safe = r.taken_all[d] + 1
            if (
                d != v and d != code[i + instruction.SECOND] and d != code[i + instruction.THIRD]
            ):  # else its elements are operands
                safe = larger(safe, r.ready_all[d])
            for u in (code[i + instruction.SECOND], code[i + instruction.THIRD]):
                if r.ready_all[u] > until:
                    binding, until, others = u, r.ready_all[u], until
                elif u != binding:
                    others = larger(others, r.ready_all[u])
        track, add, start = BY_LANES, dispatched, dispatched
        if larger(until, safe) <= dispatched:
            last = dispatched + ((n - 1) * machine[parameter.LANES_SCALE] >> 32)
            busy = last - dispatched + 1
            waited = dispatched
        else:
            track, add, lanes = (
                scratch.ready_track[binding],
                scratch.ready_add[binding],
                machine[parameter.LANES],
            )
            if track < 0 or scratch.ready_count[binding] < n:
                return False
            at, pace = track * machine[parameter.SECTION_SIZE], scratch.track_pace[track]
            bound, start = scratch.ready_bound[binding], larger(dispatched, tracks[at] + add)
            if start < larger(larger(safe, others), bound):
                return False
            waited = start
            if pace >= lanes and track < SHIFTED:  # they come faster than they are taken
                track, add = BY_LANES, start
                last = start + ((n - 1) * machine[parameter.LANES_SCALE] >> 32)
                busy = last - start + 1
            elif pace < lanes and start == tracks[at] + add:
                last = waited = tracks[at + n - 1] + add
                busy = cycles_in(scratch, track, machine[parameter.SECTION_SIZE], n)
            else:
                track, add = catch_up(w, n, lanes, track, add, 0, start), 0
                last, busy = tracks[track * machine[parameter.SECTION_SIZE] + n - 1], outcome[outcomes.BUSY]
                note_wait(r, i, causes.VECTOR_RAW, outcome[outcomes.WAITED])
        push_dispatch(scratch, depth, unit, dispatched)
        if dispatched > issue:
            book(r, i, causes.UNIT, issue, dispatched, retired)
        book(r, i, causes.VECTOR_RAW, dispatched, waited, retired)
        take(w, scratch, v, track, add, n)
        r.taken_all[v] = larger(r.taken_all[v], last)
        r.unit_busy[unit] += busy
        r.unit_free[unit] = last + 1
        result = last + latency
        if sums:
            result = last + result_latency(code, i, n)
            r.scalar_ready[code[i + instruction.LATE + 1]] = result
            first = result
        else:
            for u in (code[i + instruction.SECOND], code[i + instruction.THIRD]):
                if u != v:
                    take(w, scratch, u, track, add, n)
                    r.taken_all[u] = larger(r.taken_all[u], last)
            give(w, scratch, d, track, add + latency, n)
            r.ready_all[d] = larger(r.ready_all[d], result)
            r.ready_accumulator[d] = larger(r.ready_accumulator[d], result)
            first = start + latency
        note_times(outcome, dispatched, start, first, result)
        return True

    return time_chain


@inline
def time_insert(w: Any, i: Any, issue: Any, retired: Any) -> None:
    """Time a ``CHAIN`` that writes one element, which the register that selects it still names."""
    r, scratch = record_of(w), scratch_of(w)
    code, machine, outcome = scratch.program, scratch.machine, scratch.outcome
    s, unit, v = machine[parameter.SECTION_SIZE], code[i + instruction.UNIT], code[i + instruction.WRITES + 1]
    element = state_of(w).x[code[i + instruction.ELEMENT_REGISTER]] & (s - 1)
    dispatched = dispatch(scratch, machine[parameter.UNIT_QUEUE] + 1, unit, issue, r.unit_free[unit])
    if dispatched > issue:
        book(r, i, causes.UNIT, issue, dispatched, retired)
    start = dispatched
    if larger(r.ready_all[v], r.taken_all[v] + 1) > dispatched:
        free = larger(ready_at(r, scratch, v, s, element), taken_at(r, scratch, v, s, element) + 1)
        start = larger(dispatched, free)
        book(r, i, causes.VECTOR_WAR_WAW, dispatched, start, retired)
    result = start + code[i + instruction.LATENCY]
    if scratch.ready_track[v] >= 0:
        write_ready_track(w, v)
    r.ready[v * s + element] = result
    r.ready_all[v] = larger(r.ready_all[v], result)
    r.ready_accumulator[v] = larger(r.ready_accumulator[v], result)
    r.unit_busy[unit] += 1
    r.unit_free[unit] = start + 1
    note_times(outcome, dispatched, start, result, result)


time_plain_chain, time_sum_chain = _make_chain(False), _make_chain(True)


@inline
def time_words(w: Any, i: Any, n: Any, issue: Any, retired: Any) -> Any:
    """Time an access whose row says ``SIMPLE`` if it has a closed form; else give False, nothing done.

    Words go at the full rate, from the first cycle on that the port and the banks allow or from the one in
    which a whole operand has come, held up by a bank once at the most; or as the operand's elements come.
    """
    r, scratch = record_of(w), scratch_of(w)
    code, machine, outcome, tracks = scratch.program, scratch.machine, scratch.outcome, scratch.tracks
    base, load = outcome[outcomes.ADDRESS], code[i + instruction.STORE] == 0
    rate, s = machine[parameter.WORDS_PER_CYCLE], machine[parameter.SECTION_SIZE]
    v = code[i + instruction.WRITES + 1] if load else code[i + instruction.READS + 1]
    depth = machine[parameter.UNIT_QUEUE] + 1
    dispatched = larger(issue, larger(port_free(scratch), last_dispatch(scratch, depth, MEMORY)))
    started_up, end = dispatched + machine[parameter.STARTUP], latest_end(scratch)
    ready = larger(started_up, end)
    cycle = ready + (1 if base & (machine[parameter.ALIGNMENT_BYTES] - 1) != 0 else 0)
    clear = r.ready_all[v]
    if load:
        clear = larger(clear, r.taken_all[v] + 1)
    if base & 3 != 0 or machine[parameter.STREAMS] == 0:
        return False
    begin, stalled, phase, behind, add, bound = cycle, cycle, 0, NONE, 0, 0
    if cycle < clear:
        if load:
            return False
        bound = scratch.ready_bound[v]
        begin = bound
        if bound < clear:
            behind, add = scratch.ready_track[v], scratch.ready_add[v]
            if behind < 0 or scratch.ready_count[v] < n:
                return False
            begin = larger(larger(cycle, bound), tracks[behind * s] + add)
            if behind < SHIFTED and scratch.track_pace[behind] >= rate:  # they come faster than they go
                behind = NONE
    if begin < outcome[outcomes.BANKS_FREE] and not banks_are_free(r, scratch, base >> 2, n, begin):
        if begin > cycle or behind >= 0:
            return False
        begin = larger(cycle, r.bank_free[bank_of(base >> 2, machine[parameter.BANKS])])
        phase = phase_behind(r, scratch, base >> 2, n, begin)
        if phase < 0:
            return False
        stalled = begin + (1 if phase > 0 else 0)
    push_dispatch(scratch, depth, MEMORY, dispatched)
    if dispatched > issue:
        book(r, i, causes.PORT, issue, dispatched, retired)
    book(r, i, causes.STARTUP, dispatched, started_up, retired)
    if ready > started_up:
        book(r, i, causes.PORT, started_up, ready, retired)
    if cycle > ready:
        book(r, i, causes.ALIGNMENT, ready, cycle, retired)
    if behind < 0:
        last = occupy(r, scratch, base >> 2, 0, n, begin, phase)
        r.unit_busy[MEMORY] += last - begin + 1
        if stalled > cycle:
            book(r, i, causes.BANK_CONFLICT, cycle, stalled, retired)
        elif begin > cycle:
            book(r, i, causes.VECTOR_RAW, cycle, begin, retired)
        track, add = (BY_WORDS if phase == 0 else SHIFTED + phase - 1), begin
    elif scratch.track_pace[behind] < rate and begin == tracks[behind * s] + add:
        last = occupy_slowly(r, scratch, base >> 2, n, behind * s, add)
        r.unit_busy[MEMORY] += cycles_in(scratch, behind, s, n)
        book(r, i, causes.VECTOR_RAW, cycle, last, retired)
        track = behind
    else:
        track, add = catch_up(w, n, rate, behind, add, bound, cycle), 0
        last = occupy_slowly(r, scratch, base >> 2, n, track * s, 0)
        r.unit_busy[MEMORY] += outcome[outcomes.BUSY]
        note_wait(r, i, causes.VECTOR_RAW, outcome[outcomes.WAITED])
    outcome[outcomes.BANKS_FREE] = last + machine[parameter.BANK_BUSY]
    if behind >= 0:
        outcome[outcomes.SETTLED_FREE] = outcome[outcomes.BANKS_FREE]
    push_access(scratch, last + 1, base, base + 4 * n, code[i + instruction.STORE])
    if load:
        r.counters[counters.WORDS_LOADED] += n
        give(w, scratch, v, track, begin + 1, n)
        r.ready_all[v] = last + 1
        r.ready_accumulator[v] = larger(r.ready_accumulator[v], last + 1)
    else:
        r.counters[counters.WORDS_STORED] += n
        r.taken_all[v] = larger(r.taken_all[v], last)
        take(w, scratch, v, track, add, n)
    note_times(outcome, dispatched, begin, begin + 1, last + 1)
    outcome[outcomes.WORDS] = n
    return True
