"""Contiguous accesses of a machine with one port, to or from vector registers, of records of any length."""

from __future__ import annotations

from typing import Any

from vecsim.engines.columns import instruction, outcomes, parameter
from vecsim.engines.jit.accounts import book, word_cause
from vecsim.engines.jit.banks import bank_of, occupy, settle
from vecsim.engines.jit.functions import function, inline
from vecsim.engines.jit.integers import larger, smaller
from vecsim.engines.jit.operands import (
    element_hazard,
    element_operand,
    hazard_clear,
    operand_clear,
    pass_elements,
    whole_hazard,
    whole_operand,
)
from vecsim.engines.jit.port import NEVER, begin_access, end_access
from vecsim.engines.jit.tracks import new_track
from vecsim.engines.jit.views import record_of, scratch_of


@inline
def _fill_records(
    scratch: Any,
    at: Any,
    record: Any,
    done: Any,
    n: Any,
    offset: Any,
    word: Any,
    cycle: Any,
    before: Any,
) -> None:
    """Fill a track with the cycles of the elements from ``done`` to n, which pass without waiting.

    Word ``word`` goes in ``cycle``, in which ``before`` others have gone; ``offset`` is the first byte's in
    its word.
    """
    scale, by, tracks = (
        scratch.machine[parameter.WORDS_SCALE],
        scratch.machine[parameter.WORDS_SHIFT],
        scratch.tracks,
    )
    shift = offset + record - 1
    ahead = before - word
    if by >= 0:
        for k in range(done, n):
            tracks[at + k] = cycle + (ahead + (shift + k * record >> 2) >> by)
    else:
        for k in range(done, n):
            tracks[at + k] = cycle + ((ahead + (shift + k * record >> 2)) * scale >> 32)


@function
def time_records(w: Any, i: Any, n: Any, issue: Any, retired: Any) -> None:
    """Time a contiguous access of n records, to or from vector registers, that issued in ``issue``."""
    r, scratch = record_of(w), scratch_of(w)
    code, machine, outcome = scratch.program, scratch.machine, scratch.outcome
    s, banks, busy, rate = (
        machine[parameter.SECTION_SIZE],
        machine[parameter.BANKS],
        machine[parameter.BANK_BUSY],
        machine[parameter.WORDS_PER_CYCLE],
    )
    base, record, scale = (
        outcome[outcomes.ADDRESS],
        code[i + instruction.RECORD_BYTES],
        code[i + instruction.RECORD_SCALE],
    )
    end, offset, first = base + n * record, base & 3, base >> 2
    words = (end - 1 >> 2) - first + 1
    unaligned = 1 if base & (machine[parameter.ALIGNMENT_BYTES] - 1) != 0 else 0
    cycle = begin_access(r, scratch, i, issue, unaligned, retired)
    elements_clear = larger(operand_clear(r, code, i), hazard_clear(r, code, i))
    clear = larger(elements_clear, outcome[outcomes.BANKS_FREE])
    if banks < rate * busy:
        clear = NEVER
    operand = hazard = 0
    if code[i + instruction.PLAIN] == 0:
        operand, hazard = whole_operand(r, code, i), whole_hazard(r, code, i)
        if larger(operand, hazard) > cycle:
            clear = larger(clear, larger(operand, hazard))
    if cycle < outcome[outcomes.BANKS_FREE] and outcome[outcomes.RUN_WORDS] > 0:
        settle(r, scratch)
    outcome[outcomes.RUN_WORDS] = 0
    track = new_track(w, scratch, (4 * rate + record - 1) // record)
    at = track * s
    word, done, in_cycle, in_use = 0, 0, 0, 0
    while word < words and cycle < clear:
        free = cycle + 1 if in_cycle == rate else cycle
        behind = 4 * (word + 1) - offset
        needed, through = smaller(n, ((behind - 1) * scale >> 32) + 1), smaller(n, behind * scale >> 32)
        if elements_clear > cycle:
            for k in range(done, needed):
                operand = larger(operand, element_operand(r, scratch, code, i, s, k))
                hazard = larger(hazard, element_hazard(r, scratch, code, i, s, k))
        bank = bank_of(first + word, banks)
        now = larger(larger(free, r.bank_free[bank]), larger(operand, hazard))
        if now > free:
            book(r, i, word_cause(now, operand, hazard), free, now, retired)
        if word == 0:
            outcome[outcomes.START] = now
        if now > cycle or in_cycle == 0:
            cycle, in_cycle = now, 0
            in_use += 1
        in_cycle += 1
        r.bank_free[bank] = now + busy
        for k in range(done, through):
            scratch.tracks[at + k] = now
        done = through
        operand = hazard = 0
        word += 1
    if word < words:
        if word == 0:
            outcome[outcomes.START] = cycle
        _fill_records(scratch, at, record, done, n, offset, word, cycle, in_cycle)
        last = occupy(r, scratch, first, word, words, cycle, in_cycle)
        in_use += last - cycle + (1 if in_cycle == 0 else 0)
        cycle = last
    outcome[outcomes.FIRST] = scratch.tracks[at] + 1
    pass_elements(w, scratch, code, i, n, track, 0, 1)
    end_access(r, scratch, i, cycle, base, end, words, in_use)
