"""Arithmetic of one register from one to three, sums and inserts that nothing or one operand holds up."""

from __future__ import annotations

from typing import Any

from vecsim.engines.columns import BY_HAZARD, BY_UNIT, BY_VECTOR
from vecsim.engines.jit.accounts import book
from vecsim.engines.jit.arithmetic import result_latency
from vecsim.engines.jit.code import (
    BY_LANES,
    ELEMENT_REGISTER,
    LANES,
    LANES_SCALE,
    LATE,
    LATENCY,
    READS,
    SECOND,
    SECTION_SIZE,
    SHIFTED,
    THIRD,
    UNIT,
    UNIT_QUEUE,
    WRITES,
)
from vecsim.engines.jit.functions import inline
from vecsim.engines.jit.integers import larger
from vecsim.engines.jit.outcome import ACCEPT, BUSY, FIRST, LAST, RETIRE, START, WAITED
from vecsim.engines.jit.rings import accept, accepted_last, push_accepted
from vecsim.engines.jit.tracks import catch_up, cycles_in, give, lay_ready, ready_at, take, taken_at
from vecsim.engines.jit.views import record_of, scratch_of, state_of


def _make_chain(sums: bool) -> Any:
    """Give the function that times a ``CHAIN`` of one of the two kinds."""

    @inline
    def time_chain(w: Any, i: Any, n: Any, issue: Any, retired: Any) -> Any:
        """Time a ``CHAIN`` that nothing or one operand holds up; else give False, nothing done."""
        r, scratch = record_of(w), scratch_of(w)
        code, machine, outcome, tracks = scratch.program, scratch.machine, scratch.outcome, scratch.tracks
        unit, depth, latency = code[i + UNIT], machine[UNIT_QUEUE] + 1, code[i + LATENCY]
        accepted = larger(issue, larger(r.unit_free[unit], accepted_last(scratch, depth, unit)))
        v, d, safe = code[i + READS + 1], 0, 0
        binding, until, others = v, r.ready_all[v], 0
        if not sums:
            d = code[i + WRITES + 1]
            safe = r.taken_all[d] + 1
            if d != v and d != code[i + SECOND] and d != code[i + THIRD]:  # else its elements are operands
                safe = larger(safe, r.ready_all[d])
            for u in (code[i + SECOND], code[i + THIRD]):
                if r.ready_all[u] > until:
                    binding, until, others = u, r.ready_all[u], until
                elif u != binding:
                    others = larger(others, r.ready_all[u])
        track, add, start = BY_LANES, accepted, accepted
        if larger(until, safe) <= accepted:
            last = accepted + ((n - 1) * machine[LANES_SCALE] >> 32)
            busy = last - accepted + 1
            waited = accepted
        else:
            track, add, lanes = scratch.ready_track[binding], scratch.ready_add[binding], machine[LANES]
            if track < 0 or scratch.ready_count[binding] < n:
                return False
            at, pace = track * machine[SECTION_SIZE], scratch.track_pace[track]
            floor, start = scratch.ready_floor[binding], larger(accepted, tracks[at] + add)
            if start < larger(larger(safe, others), floor):
                return False
            waited = start
            if pace >= lanes and track < SHIFTED:  # they come faster than they are taken
                track, add = BY_LANES, start
                last = start + ((n - 1) * machine[LANES_SCALE] >> 32)
                busy = last - start + 1
            elif pace < lanes and start == tracks[at] + add:
                last = waited = tracks[at + n - 1] + add
                busy = cycles_in(scratch, track, machine[SECTION_SIZE], n)
            else:
                track, add = catch_up(w, n, lanes, track, add, 0, start), 0
                last, busy = tracks[track * machine[SECTION_SIZE] + n - 1], outcome[BUSY]
                r.waited[BY_VECTOR] += outcome[WAITED]  # never charged: who wrote the operand retires later
        push_accepted(scratch, depth, unit, accepted)
        if accepted > issue:
            book(r, BY_UNIT, issue, accepted, retired)
        book(r, BY_VECTOR, accepted, waited, retired)
        take(w, scratch, v, track, add, n)
        r.taken_all[v] = larger(r.taken_all[v], last)
        r.unit_busy[unit] += busy
        r.unit_free[unit] = last + 1
        result = last + latency
        if sums:
            result = last + result_latency(code, i, n)
            r.scalar_ready[code[i + LATE + 1]] = result
            outcome[FIRST] = result
        else:
            for u in (code[i + SECOND], code[i + THIRD]):
                if u != v:
                    take(w, scratch, u, track, add, n)
                    r.taken_all[u] = larger(r.taken_all[u], last)
            give(w, scratch, d, track, add + latency, n)
            r.ready_all[d] = larger(r.ready_all[d], result)
            r.ready_accumulator[d] = larger(r.ready_accumulator[d], result)
            outcome[FIRST] = start + latency
        outcome[ACCEPT], outcome[START], outcome[LAST], outcome[RETIRE] = accepted, start, result, result
        return True

    return time_chain


@inline
def time_insert(w: Any, i: Any, issue: Any, retired: Any) -> None:
    """Time a ``CHAIN`` that writes one element, which the register that selects it still names."""
    r, scratch = record_of(w), scratch_of(w)
    code, machine, outcome = scratch.program, scratch.machine, scratch.outcome
    s, unit, v = machine[SECTION_SIZE], code[i + UNIT], code[i + WRITES + 1]
    element = state_of(w).x[code[i + ELEMENT_REGISTER]] & (s - 1)
    accepted = accept(scratch, machine[UNIT_QUEUE] + 1, unit, issue, r.unit_free[unit])
    if accepted > issue:
        book(r, BY_UNIT, issue, accepted, retired)
    start = accepted
    if larger(r.ready_all[v], r.taken_all[v] + 1) > accepted:
        free = larger(ready_at(r, scratch, v, s, element), taken_at(r, scratch, v, s, element) + 1)
        start = larger(accepted, free)
        book(r, BY_HAZARD, accepted, start, retired)
    result = start + code[i + LATENCY]
    if scratch.ready_track[v] >= 0:
        lay_ready(w, v)
    r.ready[v * s + element] = result
    r.ready_all[v] = larger(r.ready_all[v], result)
    r.ready_accumulator[v] = larger(r.ready_accumulator[v], result)
    r.unit_busy[unit] += 1
    r.unit_free[unit] = start + 1
    outcome[ACCEPT], outcome[START], outcome[LAST], outcome[RETIRE] = accepted, start, result, result
    outcome[FIRST] = result


time_plain_chain, time_sum_chain = _make_chain(False), _make_chain(True)
