"""Accesses that have no closed form as a whole, timed to their end at issue.

Contiguous accesses of records of any length, to or from vector registers; contiguous accesses to or from the
vector cache; strided and indexed ones, element by element at the banks. Contiguous accesses of one register
in 32-bit elements (``SIMPLE``) are timed by :mod:`vecsim.engines.jit.single_port.closed_forms` first.
"""

from __future__ import annotations

from typing import Any

from vecsim.engines.jit.compiler.functions import function, inline, larger, smaller
from vecsim.engines.jit.rules import compiled_rule
from vecsim.engines.jit.single_port.accounts import book, word_cause
from vecsim.engines.jit.single_port.banks import bank_of, occupy, settle, settle_before
from vecsim.engines.jit.single_port.port import begin_access, end_access
from vecsim.engines.jit.single_port.registers import (
    element_hazard,
    element_operand,
    hazard_clear,
    new_schedule,
    operand_clear,
    pass_elements,
    whole_hazard,
    whole_operand,
)
from vecsim.engines.rules import vector_cache
from vecsim.engines.rules.numbers import NEVER
from vecsim.engines.state import causes
from vecsim.engines.state.row import NONE

mark_slices = compiled_rule(vector_cache.mark_slices)


@inline
def _transfer_word(
    r: Any,
    instruction: Any,
    bank: Any,
    rate: Any,
    cycle: Any,
    in_cycle: Any,
    operand: Any,
    hazard: Any,
    retired: Any,
) -> tuple[Any, Any, Any]:
    """Transfer a word, after ``in_cycle`` words in the cycle of the word before it.

    Returns the cycle in which it goes, how many words have gone in that, and 1 if it is the first of them.
    """
    free = cycle + 1 if in_cycle == rate else cycle
    now = larger(larger(free, r.banks[bank].free_at), larger(operand, hazard))
    if now > free:
        book(r, instruction, word_cause(now, operand, hazard), free, now, retired)
    r.banks[bank].free_at = now + r.machine.bank_busy
    if now > cycle or in_cycle == 0:
        return now, 1, 1
    return now, in_cycle + 1, 0


# Records of any length, to or from vector registers


@inline
def _fill_records(
    r: Any, instruction: Any, cycles: Any, done: Any, n: Any, word: Any, cycle: Any, before: Any
) -> None:
    """Fill a schedule with the cycles of the elements from ``done`` to n, which pass without waiting.

    Word ``word`` goes in ``cycle``, in which ``before`` others have gone.
    """
    scale, by = r.machine.words_scale, r.machine.words_shift
    record = instruction.record_bytes
    shift = (r.outcome.address & 3) + record - 1
    ahead = before - word
    last = (r.outcome.end_byte - 1 >> 2) - (r.outcome.address >> 2)
    if by >= 0:
        for k in range(done, n):
            cycles[k] = cycle + (ahead + smaller(shift + k * record >> 2, last) >> by)
    else:
        for k in range(done, n):
            cycles[k] = cycle + ((ahead + smaller(shift + k * record >> 2, last)) * scale >> 32)


@function
def time_records(r: Any, instruction: Any, n: Any, issue: Any, retired: Any) -> None:
    """Time a contiguous access of n records, to or from vector registers, that issued in ``issue``."""
    machine, outcome, banks = r.machine, r.outcome, r.machine.banks
    rate, base = machine.words_per_cycle, outcome.address
    record, scale = instruction.record_bytes, instruction.record_scale
    end, offset, first = outcome.end_byte, base & 3, base >> 2
    words = (end - 1 >> 2) - first + 1
    cycle = begin_access(r, instruction, issue, retired)
    elements_clear = larger(operand_clear(r, instruction), hazard_clear(r, instruction))
    clear = larger(elements_clear, outcome.banks_free)
    if banks < rate * machine.bank_busy:
        clear = NEVER
    operand = hazard = 0
    if instruction.plain == 0:
        operand, hazard = whole_operand(r, instruction, NONE), whole_hazard(r, instruction, NONE)
        if larger(operand, hazard) > cycle:
            clear = larger(clear, larger(operand, hazard))
    settle_before(r, cycle)
    schedule = new_schedule(r, (4 * rate + record - 1) // record)
    cycles = r.schedules[schedule]
    word, done, in_cycle, in_use = 0, 0, 0, 0
    while word < words and cycle < clear:
        behind = 4 * (word + 1) - offset
        needed, through = smaller(n, ((behind - 1) * scale >> 32) + 1), smaller(n, behind * scale >> 32)
        if word + 1 == words:  # the last element of a recorded program may have fewer bytes
            needed = through = n
        if elements_clear > cycle:
            for k in range(done, needed):
                operand = larger(operand, element_operand(r, instruction, k))
                hazard = larger(hazard, element_hazard(r, instruction, k))
        bank = bank_of(first + word, banks)
        cycle, in_cycle, new = _transfer_word(
            r, instruction, bank, rate, cycle, in_cycle, operand, hazard, retired
        )
        in_use += new
        if word == 0:
            outcome.start = cycle
        for k in range(done, through):
            cycles[k] = cycle
        done = through
        operand = hazard = 0
        word += 1
    if word < words:
        if word == 0:
            outcome.start = cycle
        _fill_records(r, instruction, cycles, done, n, word, cycle, in_cycle)
        last = occupy(r, first, word, words, cycle, in_cycle)
        in_use += last - cycle + (1 if in_cycle == 0 else 0)
        cycle = last
    outcome.first = cycles[0] + 1
    pass_elements(r, instruction, n, schedule, 0, 1)
    end_access(r, instruction, cycle, base, end, words, in_use)


# The vector cache


@inline
def _enter_slices(r: Any, store: Any, cache_first: Any, done: Any, needed: Any, n: Any) -> tuple[Any, Any]:
    """Operand and hazard cycle of the slices in which the elements from ``done`` to ``needed`` are the first.

    Without chaining, of all slices of the access, with its first element.
    """
    s = r.machine.section_size
    begin, stop = (cache_first + done) // s, (cache_first + needed - 1) // s + 1
    if r.machine.chaining == 0:
        begin, stop = (cache_first // s, (cache_first + n - 1) // s + 1) if done == 0 else (0, 0)
    elif done > 0 and (cache_first + done) % s > 0:
        begin += 1
    operand, hazard = 0, 0
    for slice_ in range(begin, stop):
        if store == 1:
            operand = larger(operand, r.slices[slice_].ready_at)
        else:
            hazard = larger(hazard, larger(r.slices[slice_].ready_at, r.slices[slice_].taken_at + 1))
    return operand, hazard


@function
def time_slices(r: Any, instruction: Any, n: Any, cache_first: Any, issue: Any, retired: Any) -> None:
    """Time a contiguous access of n elements, to or from the vector cache, that issued in ``issue``."""
    machine, outcome = r.machine, r.outcome
    s, banks = machine.section_size, machine.banks
    rate, base = machine.words_per_cycle, outcome.address
    record, store = instruction.record_bytes, instruction.store
    end, offset, first = base + n * record, base & 3, base >> 2
    words = (end - 1 >> 2) - first + 1
    cycle = begin_access(r, instruction, issue, retired)
    free_banks = outcome.banks_free if banks >= rate * machine.bank_busy else NEVER
    word, done, in_cycle, in_use = 0, 0, 0, 0
    while word < words:
        behind = 4 * (word + 1) - offset
        needed, through = smaller(n, (behind - 1) // record + 1), smaller(n, behind // record)
        operand, hazard = 0, 0
        if needed > done:
            operand, hazard = _enter_slices(r, store, cache_first, done, needed, n)
        if outcome.run_words > 0:
            settle(r)
        bank = bank_of(first + word, banks)
        cycle, in_cycle, new = _transfer_word(
            r, instruction, bank, rate, cycle, in_cycle, operand, hazard, retired
        )
        in_use += new
        if word == 0:
            outcome.start = cycle
        if through > done:
            if done == 0:
                outcome.first = cycle + 1
            mark_slices(r, store, cache_first + done, cache_first + through, cycle, cycle + 1)
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
                mark_slices(r, store, cache_first + done, cache_first + through, now, now + 1)
                done = through
            in_use += last - cycle
            in_cycle = (in_cycle + until - word - 1) % rate + 1
            cycle, word = last, until
    if machine.chaining == 0:
        mark_slices(r, store, cache_first, cache_first + n, cycle, cycle + 1)
    end_access(r, instruction, cycle, base, end, words, in_use)


# Strided and indexed accesses


@inline
def _transfer_elements(
    r: Any, instruction: Any, k: Any, n: Any, cycles: Any, cycle: Any, retired: Any
) -> Any:
    """Transfer the elements from k to n, one word each and one a cycle, which only banks can hold up.

    ``cycle`` is that of the first if its bank is free, ``cycles`` their schedule. Returns that of the last.
    """
    banks, busy, address = r.machine.banks, r.machine.bank_busy, r.address
    waited = attributed = 0
    power = banks & (banks - 1) == 0
    cycle -= 1
    for j in range(k, n):
        word = address[j] >> 2
        bank = r.banks[word & (banks - 1) if power else word % banks]
        free = cycle + 1
        cycle = larger(free, bank.free_at)
        if cycle > free:
            waited += cycle - free
            attributed += larger(cycle - larger(free, retired), 0)
        bank.free_at = cycle + busy
        cycles[j] = cycle
    account = r.accounts[instruction.number]
    account.waited[causes.BANK_CONFLICT] += waited
    account.attributed[causes.BANK_CONFLICT] += attributed
    account.busy -= attributed
    return cycle


@function
def time_elements(r: Any, instruction: Any, n: Any, issue: Any, retired: Any) -> None:
    """Time a strided or indexed access of n elements that issued in cycle ``issue``."""
    outcome, banks, rate = r.outcome, r.machine.banks, r.machine.addresses_per_cycle
    words = instruction.value_bytes + 3 >> 2
    cycle = begin_access(r, instruction, issue, retired)
    clear = larger(operand_clear(r, instruction), hazard_clear(r, instruction))
    operand = hazard = 0
    if instruction.plain == 0:
        operand, hazard = whole_operand(r, instruction, NONE), whole_hazard(r, instruction, NONE)
    settle_before(r, cycle)
    alone = rate == 1 or words >= rate
    schedule = new_schedule(r, 1 if alone else rate)
    cycles = r.schedules[schedule]
    quick = rate == 1 and words == 1
    k = in_cycle = in_use = 0
    clear = larger(clear, larger(operand, hazard))
    while k < n and not (quick and clear <= cycle):
        operand = larger(operand, element_operand(r, instruction, k))
        hazard = larger(hazard, element_hazard(r, instruction, k))
        for j in range(words):
            bank = bank_of((r.address[k] >> 2) + j, banks)
            cycle, in_cycle, new = _transfer_word(
                r, instruction, bank, rate, cycle, in_cycle, operand, hazard, retired
            )
            in_use += new
            if k == 0 and j == 0:
                outcome.start = cycle
        operand = hazard = 0
        cycles[k] = cycle
        k += 1
    if k < n:
        in_use += n - k
        cycle = _transfer_elements(r, instruction, k, n, cycles, cycle + in_cycle, retired)
        if k == 0:
            outcome.start = cycles[0]
    outcome.first = cycles[0] + 1
    pass_elements(r, instruction, n, schedule, 0, 1)
    end_access(r, instruction, cycle, outcome.address, -1, n * words, in_use)
