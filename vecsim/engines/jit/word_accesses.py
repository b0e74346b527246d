"""Contiguous accesses of one register in 32-bit elements that nothing holds up, or one operand."""

from __future__ import annotations

from typing import Any

from vecsim.engines.columns import causes, counters, instruction, outcomes, parameter
from vecsim.engines.decoded import NONE
from vecsim.engines.jit.accounts import book, note_wait
from vecsim.engines.jit.banks import bank_of, banks_are_free, occupy, occupy_slowly, phase_behind
from vecsim.engines.jit.code import BY_WORDS, SHIFTED
from vecsim.engines.jit.functions import inline
from vecsim.engines.jit.integers import larger
from vecsim.engines.jit.port import MEMORY
from vecsim.engines.jit.rings import last_dispatch, latest_end, port_free, push_access, push_dispatch
from vecsim.engines.jit.timeline_rows import note_times
from vecsim.engines.jit.tracks import catch_up, cycles_in, give, take
from vecsim.engines.jit.views import record_of, scratch_of


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
