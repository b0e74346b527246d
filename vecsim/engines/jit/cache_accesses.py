"""Accesses of a machine with one port to the vector cache."""

from __future__ import annotations

from typing import Any

from vecsim.engines.columns import instruction, outcomes, parameter
from vecsim.engines.jit.accounts import book, word_cause
from vecsim.engines.jit.banks import bank_of, occupy, settle
from vecsim.engines.jit.functions import function, inline
from vecsim.engines.jit.integers import larger, smaller
from vecsim.engines.jit.port import NEVER, begin_access, end_access
from vecsim.engines.jit.views import record_of, scratch_of


@inline
def _enter_slices(
    r: Any, machine: Any, store: Any, cache_first: Any, done: Any, needed: Any, n: Any
) -> tuple[Any, Any]:
    """Operand and hazard cycle of the slices in which the elements from ``done`` to ``needed`` are the first.

    Without chaining, of all slices of the access, with its first element.
    """
    s = machine[parameter.SECTION_SIZE]
    begin, stop = (cache_first + done) // s, (cache_first + needed - 1) // s + 1
    if machine[parameter.CHAINING] == 0:
        begin, stop = (cache_first // s, (cache_first + n - 1) // s + 1) if done == 0 else (0, 0)
    elif done > 0 and (cache_first + done) % s > 0:
        begin += 1
    operand, hazard = 0, 0
    for slice_ in range(begin, stop):
        if store:
            operand = larger(operand, r.slice_ready[slice_])
        else:
            hazard = larger(hazard, larger(r.slice_ready[slice_], r.slice_taken[slice_] + 1))
    return operand, hazard


@inline
def _leave_slices(r: Any, s: Any, store: Any, cache_first: Any, done: Any, through: Any, cycle: Any) -> None:
    """Note that the elements from ``done`` to ``through`` have passed by ``cycle``."""
    for slice_ in range((cache_first + done) // s, (cache_first + through - 1) // s + 1):
        if store:
            r.slice_taken[slice_] = larger(r.slice_taken[slice_], cycle)
        else:
            r.slice_ready[slice_] = cycle + 1
            r.slice_accumulator[slice_] = cycle + 1


@function
def time_slices(w: Any, i: Any, n: Any, cache_first: Any, issue: Any, retired: Any) -> None:
    """Time a contiguous access of n elements, to or from the vector cache, that issued in ``issue``."""
    r, scratch = record_of(w), scratch_of(w)
    code, machine, outcome = scratch.program, scratch.machine, scratch.outcome
    s, banks, busy, rate = (
        machine[parameter.SECTION_SIZE],
        machine[parameter.BANKS],
        machine[parameter.BANK_BUSY],
        machine[parameter.WORDS_PER_CYCLE],
    )
    base, record, store = (
        outcome[outcomes.ADDRESS],
        code[i + instruction.RECORD_BYTES],
        code[i + instruction.STORE] == 1,
    )
    end, offset, first = base + n * record, base & 3, base >> 2
    words = (end - 1 >> 2) - first + 1
    unaligned = 1 if base & (machine[parameter.ALIGNMENT_BYTES] - 1) != 0 else 0
    cycle = begin_access(r, scratch, i, issue, unaligned, retired)
    free_banks = outcome[outcomes.BANKS_FREE] if banks >= rate * busy else NEVER
    word, done, in_cycle, in_use = 0, 0, 0, 0
    while word < words:
        free = cycle + 1 if in_cycle == rate else cycle
        behind = 4 * (word + 1) - offset
        needed, through = smaller(n, (behind - 1) // record + 1), smaller(n, behind // record)
        operand, hazard = 0, 0
        if needed > done:
            operand, hazard = _enter_slices(r, machine, store, cache_first, done, needed, n)
        if outcome[outcomes.RUN_WORDS] > 0:
            settle(r, scratch)
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
        if through > done:
            if done == 0:
                outcome[outcomes.FIRST] = now + 1
            _leave_slices(r, s, store, cache_first, done, through, now)
            done = through
        word += 1
        # Inside a slice nothing but a bank can hold up a word: as far as its elements go, in one step.
        border = smaller(n, (cache_first + done + s - 1) // s * s - cache_first)
        until = offset + border * record >> 2
        if cycle >= free_banks and done > 0 and until > word:
            last = occupy(r, scratch, first, word, until, cycle, in_cycle)
            through = (4 * until - offset) // record
            if through > done:
                completing = offset + through * record - 1 >> 2
                now = cycle + (in_cycle + completing - word) // rate
                _leave_slices(r, s, store, cache_first, done, through, now)
                done = through
            in_use += last - cycle
            in_cycle = (in_cycle + until - word - 1) % rate + 1
            cycle, word = last, until
    if machine[parameter.CHAINING] == 0:
        _leave_slices(r, s, store, cache_first, 0, n, cycle)
    end_access(r, scratch, i, cycle, base, end, words, in_use)
