"""Accesses that have no closed form as a whole, timed to their end at issue.

Contiguous accesses of records of any length, to or from vector registers; contiguous accesses to or from the
vector cache; strided and indexed ones, element by element at the banks. Contiguous accesses of one register
in 32-bit elements (``SIMPLE``) are timed by :mod:`vecsim.engines.jit.single_port.closed_forms` first.
"""

from __future__ import annotations

from typing import Any

from vecsim.engines.columns import causes, instruction, ledger, outcomes, parameter
from vecsim.engines.decoded import NONE
from vecsim.engines.jit.compiler.functions import function, inline, larger, smaller
from vecsim.engines.jit.single_port.accounts import book, row_of, word_cause
from vecsim.engines.jit.single_port.banks import bank_of, occupy, settle, settle_before
from vecsim.engines.jit.single_port.port import NEVER, begin_access, end_access
from vecsim.engines.jit.single_port.registers import (
    element_hazard,
    element_operand,
    hazard_clear,
    new_track,
    operand_clear,
    pass_elements,
    whole_hazard,
    whole_operand,
)


@inline
def _transfer_word(
    r: Any, i: Any, bank: Any, rate: Any, cycle: Any, in_cycle: Any, operand: Any, hazard: Any, retired: Any
) -> tuple[Any, Any, Any]:
    """Transfer a word, after ``in_cycle`` words in the cycle of the word before it.

    Returns the cycle in which it goes, how many words have gone in that, and 1 if it is the first of them.
    """
    free = cycle + 1 if in_cycle == rate else cycle
    now = larger(larger(free, r.bank_free[bank]), larger(operand, hazard))
    if now > free:
        book(r, i, word_cause(now, operand, hazard), free, now, retired)
    r.bank_free[bank] = now + r.machine[parameter.BANK_BUSY]
    if now > cycle or in_cycle == 0:
        return now, 1, 1
    return now, in_cycle + 1, 0


# Records of any length, to or from vector registers


@inline
def _fill_records(r: Any, i: Any, at: Any, done: Any, n: Any, word: Any, cycle: Any, before: Any) -> None:
    """Fill a track with the cycles of the elements from ``done`` to n, which pass without waiting.

    Word ``word`` goes in ``cycle``, in which ``before`` others have gone.
    """
    scale, by, tracks = r.machine[parameter.WORDS_SCALE], r.machine[parameter.WORDS_SHIFT], r.tracks
    record = r.program[i + instruction.RECORD_BYTES]
    shift = (r.outcome[outcomes.ADDRESS] & 3) + record - 1
    ahead = before - word
    if by >= 0:
        for k in range(done, n):
            tracks[at + k] = cycle + (ahead + (shift + k * record >> 2) >> by)
    else:
        for k in range(done, n):
            tracks[at + k] = cycle + ((ahead + (shift + k * record >> 2)) * scale >> 32)


@function
def time_records(r: Any, i: Any, n: Any, issue: Any, retired: Any) -> None:
    """Time a contiguous access of n records, to or from vector registers, that issued in ``issue``."""
    code, machine, outcome = r.program, r.machine, r.outcome
    s, banks = machine[parameter.SECTION_SIZE], machine[parameter.BANKS]
    rate, base = machine[parameter.WORDS_PER_CYCLE], outcome[outcomes.ADDRESS]
    record, scale = code[i + instruction.RECORD_BYTES], code[i + instruction.RECORD_SCALE]
    end, offset, first = base + n * record, base & 3, base >> 2
    words = (end - 1 >> 2) - first + 1
    cycle = begin_access(r, i, issue, retired)
    elements_clear = larger(operand_clear(r, i), hazard_clear(r, i))
    clear = larger(elements_clear, outcome[outcomes.BANKS_FREE])
    if banks < rate * machine[parameter.BANK_BUSY]:
        clear = NEVER
    operand = hazard = 0
    if code[i + instruction.PLAIN] == 0:
        operand, hazard = whole_operand(r, i, NONE), whole_hazard(r, i, NONE)
        if larger(operand, hazard) > cycle:
            clear = larger(clear, larger(operand, hazard))
    settle_before(r, cycle)
    track = new_track(r, (4 * rate + record - 1) // record)
    at = track * s
    word, done, in_cycle, in_use = 0, 0, 0, 0
    while word < words and cycle < clear:
        behind = 4 * (word + 1) - offset
        needed, through = smaller(n, ((behind - 1) * scale >> 32) + 1), smaller(n, behind * scale >> 32)
        if elements_clear > cycle:
            for k in range(done, needed):
                operand = larger(operand, element_operand(r, i, s, k))
                hazard = larger(hazard, element_hazard(r, i, s, k))
        bank = bank_of(first + word, banks)
        cycle, in_cycle, new = _transfer_word(r, i, bank, rate, cycle, in_cycle, operand, hazard, retired)
        in_use += new
        if word == 0:
            outcome[outcomes.START] = cycle
        for k in range(done, through):
            r.tracks[at + k] = cycle
        done = through
        operand = hazard = 0
        word += 1
    if word < words:
        if word == 0:
            outcome[outcomes.START] = cycle
        _fill_records(r, i, at, done, n, word, cycle, in_cycle)
        last = occupy(r, first, word, words, cycle, in_cycle)
        in_use += last - cycle + (1 if in_cycle == 0 else 0)
        cycle = last
    outcome[outcomes.FIRST] = r.tracks[at] + 1
    pass_elements(r, i, n, track, 0, 1)
    end_access(r, i, cycle, base, end, words, in_use)


# The vector cache


@inline
def _enter_slices(r: Any, store: Any, cache_first: Any, done: Any, needed: Any, n: Any) -> tuple[Any, Any]:
    """Operand and hazard cycle of the slices in which the elements from ``done`` to ``needed`` are the first.

    Without chaining, of all slices of the access, with its first element.
    """
    s = r.machine[parameter.SECTION_SIZE]
    begin, stop = (cache_first + done) // s, (cache_first + needed - 1) // s + 1
    if r.machine[parameter.CHAINING] == 0:
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
def time_slices(r: Any, i: Any, n: Any, cache_first: Any, issue: Any, retired: Any) -> None:
    """Time a contiguous access of n elements, to or from the vector cache, that issued in ``issue``."""
    code, machine, outcome = r.program, r.machine, r.outcome
    s, banks = machine[parameter.SECTION_SIZE], machine[parameter.BANKS]
    rate, base = machine[parameter.WORDS_PER_CYCLE], outcome[outcomes.ADDRESS]
    record, store = code[i + instruction.RECORD_BYTES], code[i + instruction.STORE] == 1
    end, offset, first = base + n * record, base & 3, base >> 2
    words = (end - 1 >> 2) - first + 1
    cycle = begin_access(r, i, issue, retired)
    free_banks = outcome[outcomes.BANKS_FREE] if banks >= rate * machine[parameter.BANK_BUSY] else NEVER
    word, done, in_cycle, in_use = 0, 0, 0, 0
    while word < words:
        behind = 4 * (word + 1) - offset
        needed, through = smaller(n, (behind - 1) // record + 1), smaller(n, behind // record)
        operand, hazard = 0, 0
        if needed > done:
            operand, hazard = _enter_slices(r, store, cache_first, done, needed, n)
        if outcome[outcomes.RUN_WORDS] > 0:
            settle(r)
        bank = bank_of(first + word, banks)
        cycle, in_cycle, new = _transfer_word(r, i, bank, rate, cycle, in_cycle, operand, hazard, retired)
        in_use += new
        if word == 0:
            outcome[outcomes.START] = cycle
        if through > done:
            if done == 0:
                outcome[outcomes.FIRST] = cycle + 1
            _leave_slices(r, s, store, cache_first, done, through, cycle)
            done = through
        word += 1
        # Inside a slice nothing but a bank can hold up a word: as far as its elements go, in one step.
        border = smaller(n, (cache_first + done + s - 1) // s * s - cache_first)
        until = offset + border * record >> 2
        if cycle >= free_banks and done > 0 and until > word:
            last = occupy(r, first, word, until, cycle, in_cycle)
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
    end_access(r, i, cycle, base, end, words, in_use)


# Strided and indexed accesses


@inline
def _transfer_elements(r: Any, i: Any, k: Any, n: Any, at: Any, cycle: Any, retired: Any) -> Any:
    """Transfer the elements from k to n, one word each and one a cycle, which only banks can hold up.

    ``cycle`` is that of the first if its bank is free, ``at`` where the track begins. Gives the cycle of the
    last one.
    """
    banks, busy = r.machine[parameter.BANKS], r.machine[parameter.BANK_BUSY]
    address, bank_free, tracks = r.address, r.bank_free, r.tracks
    waited = charged = 0
    power = banks & (banks - 1) == 0
    cycle -= 1
    for j in range(k, n):
        word = address[j] >> 2
        bank = word & (banks - 1) if power else word % banks
        free = cycle + 1
        cycle = larger(free, bank_free[bank])
        if cycle > free:
            waited += cycle - free
            charged += larger(cycle - larger(free, retired), 0)
        bank_free[bank] = cycle + busy
        tracks[at + j] = cycle
    row = row_of(i)
    r.ledger[row + ledger.WAITED + ledger.BY_CAUSE * causes.BANK_CONFLICT] += waited
    r.ledger[row + ledger.CHARGED + ledger.BY_CAUSE * causes.BANK_CONFLICT] += charged
    r.ledger[row + ledger.BUSY] -= charged
    return cycle


@function
def time_elements(r: Any, i: Any, n: Any, issue: Any, retired: Any) -> None:
    """Time a strided or indexed access of n elements that issued in cycle ``issue``."""
    code, machine, outcome = r.program, r.machine, r.outcome
    s, banks = machine[parameter.SECTION_SIZE], machine[parameter.BANKS]
    rate = machine[parameter.ADDRESSES_PER_CYCLE]
    words = code[i + instruction.VALUE_BYTES] + 3 >> 2
    cycle = begin_access(r, i, issue, retired)
    clear = larger(operand_clear(r, i), hazard_clear(r, i))
    operand = hazard = 0
    if code[i + instruction.PLAIN] == 0:
        operand, hazard = whole_operand(r, i, NONE), whole_hazard(r, i, NONE)
    settle_before(r, cycle)
    alone = rate == 1 or words >= rate
    track = new_track(r, 1 if alone else rate)
    at = track * s
    quick = rate == 1 and words == 1
    k = in_cycle = in_use = 0
    clear = larger(clear, larger(operand, hazard))
    while k < n and not (quick and clear <= cycle):
        operand = larger(operand, element_operand(r, i, s, k))
        hazard = larger(hazard, element_hazard(r, i, s, k))
        for j in range(words):
            bank = bank_of((r.address[k] >> 2) + j, banks)
            cycle, in_cycle, new = _transfer_word(r, i, bank, rate, cycle, in_cycle, operand, hazard, retired)
            in_use += new
            if k == 0 and j == 0:
                outcome[outcomes.START] = cycle
        operand = hazard = 0
        r.tracks[at + k] = cycle
        k += 1
    if k < n:
        in_use += n - k
        cycle = _transfer_elements(r, i, k, n, at, cycle + in_cycle, retired)
        if k == 0:
            outcome[outcomes.START] = r.tracks[at]
    outcome[outcomes.FIRST] = r.tracks[at] + 1
    pass_elements(r, i, n, track, 0, 1)
    end_access(r, i, cycle, outcome[outcomes.ADDRESS], -1, n * words, in_use)
