"""Arithmetic of one register from one to three, sums and inserts that nothing or one operand holds up."""

from __future__ import annotations

from typing import Any

from vecsim.engines.columns import causes, instruction, outcomes, parameter
from vecsim.engines.jit.accounts import book, note_wait
from vecsim.engines.jit.arithmetic import result_latency
from vecsim.engines.jit.code import BY_LANES, SHIFTED
from vecsim.engines.jit.functions import inline
from vecsim.engines.jit.integers import larger
from vecsim.engines.jit.rings import dispatch, last_dispatch, push_dispatch
from vecsim.engines.jit.timeline_rows import note_times
from vecsim.engines.jit.tracks import catch_up, cycles_in, give, ready_at, take, taken_at, write_ready_track
from vecsim.engines.jit.views import record_of, scratch_of, state_of


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
