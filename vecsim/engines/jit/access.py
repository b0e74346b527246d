"""Accesses of a machine with one port, timed to their end at issue.

The words of a contiguous access go one after the other as long as something may hold one up: a bank that is
busy with an older access, an operand, a hazard. From the word on that nothing can hold up, the rest follows
from a closed form. With several ports, :mod:`vecsim.engines.jit.stepwise` keeps time instead.
"""

from __future__ import annotations

from typing import Any

from isa.declaration import Pattern, Unit
from vecsim.engines.columns import (
    BY_ALIGNMENT,
    BY_BANK,
    BY_PORT,
    BY_STARTUP,
    WORDS_LOADED,
    WORDS_STORED,
)
from vecsim.engines.jit.accounts import book, word_cause
from vecsim.engines.jit.code import (
    ADDRESSES_PER_CYCLE,
    ALIGNMENT_BYTES,
    BANK_BUSY,
    BANKS,
    BY_WORDS,
    CACHE,
    CHAINING,
    PATTERN,
    PLAIN,
    READS,
    RECORD_BYTES,
    RECORD_SCALE,
    SECTION_SIZE,
    SIMPLE,
    STARTUP,
    STORE,
    STREAMS,
    UNIT_QUEUE,
    VALUE_BYTES,
    WORDS_PER_CYCLE,
    WORDS_SCALE,
    WORDS_SHIFT,
    WRITES,
)
from vecsim.engines.jit.integers import larger, smaller
from vecsim.engines.jit.operands import (
    complete,
    element_hazard,
    element_operand,
    hazard_clear,
    operand_clear,
    pass_elements,
    whole_hazard,
    whole_operand,
)
from vecsim.engines.jit.outcome import (
    ACCEPT,
    ADDRESS,
    BANKS_FREE,
    FIRST,
    LAST,
    RETIRE,
    RUN_BANK,
    RUN_CYCLE,
    RUN_LEFT,
    RUN_WORDS,
    START,
    WORDS,
)
from vecsim.engines.jit.rings import (
    accept,
    accepted_last,
    latest_end,
    port_free,
    push_accepted,
    push_access,
)
from vecsim.engines.jit.tracks import give, new_track, take
from vecsim.engines.jit.world import function, inline, record_of, scratch_of, state_of

CONTIGUOUS = int(Pattern.CONTIGUOUS)
MEMORY = int(Unit.MEMORY)
NEVER = 1 << 60


@inline
def bank_of(word: Any, banks: Any) -> Any:
    """The bank of a word."""
    if banks & (banks - 1) == 0:
        return word & (banks - 1)
    return word % banks


@inline
def _begin(r: Any, scratch: Any, issue: Any, unaligned: Any, retired: Any) -> Any:
    """Let the port accept an access; give the first cycle in which a word may go."""
    machine, outcome = scratch.machine, scratch.outcome
    accepted = accept(scratch, machine[UNIT_QUEUE] + 1, MEMORY, issue, port_free(scratch))
    started_up = accepted + machine[STARTUP]
    end = latest_end(scratch)
    ready = larger(started_up, end)
    book(r, BY_PORT, issue, accepted, retired)
    book(r, BY_STARTUP, accepted, started_up, retired)
    book(r, BY_PORT, started_up, ready, retired)
    book(r, BY_ALIGNMENT, ready, ready + unaligned, retired)
    outcome[ACCEPT] = accepted
    return ready + unaligned


@inline
def _end(
    r: Any, scratch: Any, i: Any, last: Any, first_byte: Any, last_byte: Any, words: Any, in_use: Any
) -> None:
    """Note the end of an access whose last word goes in cycle ``last``."""
    code, outcome = scratch.program, scratch.outcome
    store = code[i + STORE]
    push_access(scratch, last + 1, first_byte, last_byte, store)
    r.counters[WORDS_STORED if store == 1 else WORDS_LOADED] += words
    r.unit_busy[MEMORY] += in_use
    outcome[BANKS_FREE] = larger(outcome[BANKS_FREE], last + scratch.machine[BANK_BUSY])
    complete(r, scratch, code, i, last, last + 1)
    outcome[LAST] = outcome[RETIRE] = last + 1
    outcome[WORDS] = words


@inline
def _transfer(m: Any, r: Any, scratch: Any, k: Any, n: Any, at: Any, cycle: Any, retired: Any) -> Any:
    """Transfer the elements from k to n, one word each and one a cycle, which only banks can hold up.

    ``cycle`` is that of the first if its bank is free, ``at`` where the track begins. Gives the cycle of the
    last one.
    """
    banks, busy = scratch.machine[BANKS], scratch.machine[BANK_BUSY]
    address, bank_free, tracks = m.address, r.bank_free, scratch.tracks
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
    r.waited[BY_BANK] += waited
    r.charged[BY_BANK] += charged
    return cycle


@function
def time_elements(w: Any, i: Any, n: Any, issue: Any, retired: Any) -> None:
    """Time a strided or indexed access of n elements that issued in cycle ``issue``."""
    m, r, scratch = state_of(w), record_of(w), scratch_of(w)
    code, machine, outcome = scratch.program, scratch.machine, scratch.outcome
    s, banks, busy = machine[SECTION_SIZE], machine[BANKS], machine[BANK_BUSY]
    rate = machine[ADDRESSES_PER_CYCLE]
    words = code[i + VALUE_BYTES] >> 2
    cycle = _begin(r, scratch, issue, 0, retired)
    clear = larger(operand_clear(r, code, i), hazard_clear(r, code, i))
    operand = hazard = 0
    if code[i + PLAIN] == 0:
        operand, hazard = whole_operand(r, code, i), whole_hazard(r, code, i)
    if cycle < outcome[BANKS_FREE] and outcome[RUN_WORDS] > 0:
        settle(r, scratch)
    outcome[RUN_WORDS] = 0
    alone = rate == 1 or words >= rate
    track = new_track(w, scratch, 1 if alone else rate)
    at = track * s
    quick = rate == 1 and words == 1
    k = in_cycle = in_use = 0
    clear = larger(clear, larger(operand, hazard))
    while k < n and not (quick and clear <= cycle):
        operand = larger(operand, element_operand(r, scratch, code, i, s, k))
        hazard = larger(hazard, element_hazard(r, scratch, code, i, s, k))
        for j in range(words):
            bank = bank_of((m.address[k] >> 2) + j, banks)
            free = cycle + 1 if in_cycle == rate else cycle
            now = larger(larger(free, r.bank_free[bank]), larger(operand, hazard))
            if now > free:
                book(r, word_cause(now, operand, hazard), free, now, retired)
            if now > cycle or in_cycle == 0:
                cycle, in_cycle = now, 0
                in_use += 1
            in_cycle += 1
            r.bank_free[bank] = now + busy
            if k == 0 and j == 0:
                outcome[START] = now
        operand = hazard = 0
        scratch.tracks[at + k] = cycle
        k += 1
    if k < n:
        in_use += n - k
        cycle = _transfer(m, r, scratch, k, n, at, cycle + in_cycle, retired)
        if k == 0:
            outcome[START] = scratch.tracks[at]
    outcome[FIRST] = scratch.tracks[at] + 1
    pass_elements(w, scratch, code, i, n, track, 0, 1)
    _end(r, scratch, i, cycle, outcome[ADDRESS], -1, n * words, in_use)


@inline
def _banks_are_free(r: Any, scratch: Any, first: Any, n: Any, cycle: Any) -> Any:
    """Tell whether n words from word ``first`` on, which go from ``cycle`` on, meet no bank that is busy."""
    outcome, machine = scratch.outcome, scratch.machine
    if outcome[RUN_WORDS] > 0:
        settle(r, scratch)
    banks, left = machine[BANKS], machine[WORDS_PER_CYCLE]
    bank, word = bank_of(first, banks), 0
    while word < n and cycle < outcome[BANKS_FREE] and r.bank_free[bank] <= cycle:
        bank = bank + 1 if bank + 1 < banks else 0
        word, left = word + 1, left - 1
        if left == 0:
            cycle, left = cycle + 1, machine[WORDS_PER_CYCLE]
    return word == n or cycle >= outcome[BANKS_FREE]


@inline
def time_words(w: Any, i: Any, n: Any, issue: Any, retired: Any) -> Any:
    """Time an access whose row says ``SIMPLE`` if nothing can hold it up; else give False, nothing done."""
    r, scratch = record_of(w), scratch_of(w)
    code, machine, outcome = scratch.program, scratch.machine, scratch.outcome
    base, load = outcome[ADDRESS], code[i + STORE] == 0
    v = code[i + WRITES + 1] if load else code[i + READS + 1]
    depth = machine[UNIT_QUEUE] + 1
    accepted = larger(issue, larger(port_free(scratch), accepted_last(scratch, depth, MEMORY)))
    started_up, end = accepted + machine[STARTUP], latest_end(scratch)
    ready = larger(started_up, end)
    cycle = ready + (1 if base & (machine[ALIGNMENT_BYTES] - 1) != 0 else 0)
    clear = r.usable_all[v]
    if load:
        clear = larger(clear, r.taken_all[v] + 1)
    if cycle < clear or base & 3 != 0 or machine[STREAMS] == 0:
        return False
    if cycle < outcome[BANKS_FREE] and not _banks_are_free(r, scratch, base >> 2, n, cycle):
        return False
    push_accepted(scratch, depth, MEMORY, accepted)
    if accepted > issue:
        book(r, BY_PORT, issue, accepted, retired)
    book(r, BY_STARTUP, accepted, started_up, retired)
    if ready > started_up:
        book(r, BY_PORT, started_up, ready, retired)
    if cycle > ready:
        book(r, BY_ALIGNMENT, ready, cycle, retired)
    rate, busy, scale = machine[WORDS_PER_CYCLE], machine[BANK_BUSY], machine[WORDS_SCALE]
    tail = larger(0, n - busy * rate)
    ahead = tail * scale >> 32
    last = cycle + ((n - 1) * scale >> 32)
    outcome[RUN_BANK], outcome[RUN_WORDS] = bank_of((base >> 2) + tail, machine[BANKS]), n - tail
    outcome[RUN_CYCLE], outcome[RUN_LEFT] = cycle + ahead, rate - (tail - ahead * rate)
    outcome[BANKS_FREE] = last + busy
    push_access(scratch, last + 1, base, base + 4 * n, code[i + STORE])
    r.unit_busy[MEMORY] += last - cycle + 1
    if load:
        r.counters[WORDS_LOADED] += n
        r.usable_all[v] = last + 1
        r.usable_accumulator[v] = larger(r.usable_accumulator[v], last + 1)
        give(w, scratch, v, BY_WORDS, cycle + 1, n)
    else:
        r.counters[WORDS_STORED] += n
        r.taken_all[v] = larger(r.taken_all[v], last)
        take(w, scratch, v, BY_WORDS, cycle, n)
    outcome[ACCEPT], outcome[START], outcome[FIRST] = accepted, cycle, cycle + 1
    outcome[LAST] = outcome[RETIRE] = last + 1
    outcome[WORDS] = n
    return True


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
    scale, by, tracks = scratch.machine[WORDS_SCALE], scratch.machine[WORDS_SHIFT], scratch.tracks
    shift = offset + record - 1
    ahead = before - word
    if by >= 0:
        for k in range(done, n):
            tracks[at + k] = cycle + (ahead + (shift + k * record >> 2) >> by)
    else:
        for k in range(done, n):
            tracks[at + k] = cycle + ((ahead + (shift + k * record >> 2)) * scale >> 32)


@inline
def settle(r: Any, scratch: Any) -> None:
    """Note the banks of the words of which :func:`_occupy` has put this off."""
    outcome, machine = scratch.outcome, scratch.machine
    bank, now, left = outcome[RUN_BANK], outcome[RUN_CYCLE], outcome[RUN_LEFT]
    banks, rate, busy = machine[BANKS], machine[WORDS_PER_CYCLE], machine[BANK_BUSY]
    for _ in range(outcome[RUN_WORDS]):
        r.bank_free[bank] = now + busy
        bank = bank + 1 if bank + 1 < banks else 0
        left -= 1
        if left == 0:
            now, left = now + 1, rate
    outcome[RUN_WORDS] = 0


@inline
def _occupy(r: Any, scratch: Any, first: Any, word: Any, words: Any, cycle: Any, before: Any) -> Any:
    """Occupy banks with the words from ``word`` to ``words``, which go without waiting; give the last cycle.

    Word ``word`` goes in ``cycle``, after ``before`` others. Words that free their banks before the next
    access can begin leave no trace, and the trace of the others is drawn only when an access comes so soon.
    """
    outcome, machine = scratch.outcome, scratch.machine
    rate, scale, busy = machine[WORDS_PER_CYCLE], machine[WORDS_SCALE], machine[BANK_BUSY]
    last = cycle + ((before + words - 1 - word) * scale >> 32)
    tail = larger(word, words - busy * rate)
    ahead = (before + tail - word) * scale >> 32
    outcome[RUN_BANK] = bank_of(first + tail, machine[BANKS])
    outcome[RUN_WORDS] = words - tail
    outcome[RUN_CYCLE] = cycle + ahead
    outcome[RUN_LEFT] = rate - (before + tail - word - ahead * rate)
    return last


@function
def time_records(w: Any, i: Any, n: Any, issue: Any, retired: Any) -> None:
    """Time a contiguous access of n records, to or from vector registers, that issued in ``issue``."""
    r, scratch = record_of(w), scratch_of(w)
    code, machine, outcome = scratch.program, scratch.machine, scratch.outcome
    s, banks, busy, rate = machine[SECTION_SIZE], machine[BANKS], machine[BANK_BUSY], machine[WORDS_PER_CYCLE]
    base, record, scale = outcome[ADDRESS], code[i + RECORD_BYTES], code[i + RECORD_SCALE]
    end, offset, first = base + n * record, base & 3, base >> 2
    words = (end - 1 >> 2) - first + 1
    unaligned = 1 if base & (machine[ALIGNMENT_BYTES] - 1) != 0 else 0
    cycle = _begin(r, scratch, issue, unaligned, retired)
    elements_clear = larger(operand_clear(r, code, i), hazard_clear(r, code, i))
    clear = larger(elements_clear, outcome[BANKS_FREE])
    if banks < rate * busy:
        clear = NEVER
    operand = hazard = 0
    if code[i + PLAIN] == 0:
        operand, hazard = whole_operand(r, code, i), whole_hazard(r, code, i)
        if larger(operand, hazard) > cycle:
            clear = larger(clear, larger(operand, hazard))
    if cycle < outcome[BANKS_FREE] and outcome[RUN_WORDS] > 0:
        settle(r, scratch)
    outcome[RUN_WORDS] = 0
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
            book(r, word_cause(now, operand, hazard), free, now, retired)
        if word == 0:
            outcome[START] = now
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
            outcome[START] = cycle
        _fill_records(scratch, at, record, done, n, offset, word, cycle, in_cycle)
        last = _occupy(r, scratch, first, word, words, cycle, in_cycle)
        in_use += last - cycle + (1 if in_cycle == 0 else 0)
        cycle = last
    outcome[FIRST] = scratch.tracks[at] + 1
    pass_elements(w, scratch, code, i, n, track, 0, 1)
    _end(r, scratch, i, cycle, base, end, words, in_use)


@inline
def _enter_slices(
    r: Any, machine: Any, store: Any, cache_first: Any, done: Any, needed: Any, n: Any
) -> tuple[Any, Any]:
    """Operand and hazard cycle of the slices in which the elements from ``done`` to ``needed`` are the first.

    Without chaining, of all slices of the access, with its first element.
    """
    s = machine[SECTION_SIZE]
    begin, stop = (cache_first + done) // s, (cache_first + needed - 1) // s + 1
    if machine[CHAINING] == 0:
        begin, stop = (cache_first // s, (cache_first + n - 1) // s + 1) if done == 0 else (0, 0)
    elif done > 0 and (cache_first + done) % s > 0:
        begin += 1
    operand, hazard = 0, 0
    for slice_ in range(begin, stop):
        if store:
            operand = larger(operand, r.slice_usable[slice_])
        else:
            hazard = larger(hazard, larger(r.slice_usable[slice_], r.slice_taken[slice_] + 1))
    return operand, hazard


@inline
def _leave_slices(r: Any, s: Any, store: Any, cache_first: Any, done: Any, through: Any, cycle: Any) -> None:
    """Note that the elements from ``done`` to ``through`` have passed by ``cycle``."""
    for slice_ in range((cache_first + done) // s, (cache_first + through - 1) // s + 1):
        if store:
            r.slice_taken[slice_] = larger(r.slice_taken[slice_], cycle)
        else:
            r.slice_usable[slice_] = cycle + 1
            r.slice_accumulator[slice_] = cycle + 1


@function
def time_slices(w: Any, i: Any, n: Any, cache_first: Any, issue: Any, retired: Any) -> None:
    """Time a contiguous access of n elements, to or from the vector cache, that issued in ``issue``."""
    r, scratch = record_of(w), scratch_of(w)
    code, machine, outcome = scratch.program, scratch.machine, scratch.outcome
    s, banks, busy, rate = machine[SECTION_SIZE], machine[BANKS], machine[BANK_BUSY], machine[WORDS_PER_CYCLE]
    base, record, store = outcome[ADDRESS], code[i + RECORD_BYTES], code[i + STORE] == 1
    end, offset, first = base + n * record, base & 3, base >> 2
    words = (end - 1 >> 2) - first + 1
    unaligned = 1 if base & (machine[ALIGNMENT_BYTES] - 1) != 0 else 0
    cycle = _begin(r, scratch, issue, unaligned, retired)
    free_banks = outcome[BANKS_FREE] if banks >= rate * busy else NEVER
    word, done, in_cycle, in_use = 0, 0, 0, 0
    while word < words:
        free = cycle + 1 if in_cycle == rate else cycle
        behind = 4 * (word + 1) - offset
        needed, through = smaller(n, (behind - 1) // record + 1), smaller(n, behind // record)
        operand, hazard = 0, 0
        if needed > done:
            operand, hazard = _enter_slices(r, machine, store, cache_first, done, needed, n)
        if outcome[RUN_WORDS] > 0:
            settle(r, scratch)
        bank = bank_of(first + word, banks)
        now = larger(larger(free, r.bank_free[bank]), larger(operand, hazard))
        if now > free:
            book(r, word_cause(now, operand, hazard), free, now, retired)
        if word == 0:
            outcome[START] = now
        if now > cycle or in_cycle == 0:
            cycle, in_cycle = now, 0
            in_use += 1
        in_cycle += 1
        r.bank_free[bank] = now + busy
        if through > done:
            if done == 0:
                outcome[FIRST] = now + 1
            _leave_slices(r, s, store, cache_first, done, through, now)
            done = through
        word += 1
        # Inside a slice nothing but a bank can hold up a word: as far as its elements go, in one step.
        border = smaller(n, (cache_first + done + s - 1) // s * s - cache_first)
        until = offset + border * record >> 2
        if cycle >= free_banks and done > 0 and until > word:
            last = _occupy(r, scratch, first, word, until, cycle, in_cycle)
            through = (4 * until - offset) // record
            if through > done:
                completing = offset + through * record - 1 >> 2
                now = cycle + (in_cycle + completing - word) // rate
                _leave_slices(r, s, store, cache_first, done, through, now)
                done = through
            in_use += last - cycle
            in_cycle = (in_cycle + until - word - 1) % rate + 1
            cycle, word = last, until
    if machine[CHAINING] == 0:
        _leave_slices(r, s, store, cache_first, 0, n, cycle)
    _end(r, scratch, i, cycle, base, end, words, in_use)


@inline
def time_access(w: Any, code: Any, i: Any, n: Any, cache_first: Any, issue: Any, retired: Any) -> None:
    """Time an access of n elements whose address stands in ``outcome``."""
    if code[i + PATTERN] != CONTIGUOUS:
        time_elements(w, i, n, issue, retired)
    elif code[i + CACHE] == 1:
        time_slices(w, i, n, cache_first, issue, retired)
    elif code[i + SIMPLE] == 0 or not time_words(w, i, n, issue, retired):
        time_records(w, i, n, issue, retired)
