"""A vector memory port in front of the word-interleaved banks; see :mod:`vecsim.engines.simpy.memory`."""

from __future__ import annotations

from typing import Any

from isa.declaration import Unit
from vecsim.engines.columns import (
    ADDRESS,
    BASE,
    BY_ALIGNMENT,
    BY_BANK,
    BY_ORDER,
    BY_PORT,
    BY_RAW,
    BY_STARTUP,
    BY_WAR_WAW,
    CACHE_FIRST,
    CYCLE,
    DISPATCHED_AT,
    ELEMENT,
    ELEMENTS,
    END,
    FIRST_READY,
    IN_CYCLE,
    ISSUED_AT,
    LAST_BYTE,
    ORDER_END,
    SLICE,
    SLOT_PC,
    START_CYCLE,
    WORD,
    WORDS,
    WORDS_LOADED,
    WORDS_STORED,
)
from vecsim.engines.jit.code import (
    ADDRESSES_PER_CYCLE,
    ALIGNMENT_BYTES,
    BANK_BUSY,
    BANKS,
    CACHE,
    CHAINING,
    HISTORY,
    IN_FLIGHT,
    RECORD_BYTES,
    SECTION_SIZE,
    STARTUP,
    STORE,
    VALUE_BYTES,
    WHOLE_READS,
    WHOLE_WRITES,
    WIDTH,
    WORDS_PER_CYCLE,
)
from vecsim.engines.jit.functions import function, inline
from vecsim.engines.jit.integers import larger
from vecsim.engines.jit.stepwise.accounts import wait
from vecsim.engines.jit.stepwise.facts import facts_of
from vecsim.engines.jit.stepwise.flight import leave
from vecsim.engines.jit.stepwise.operands import (
    clear_from,
    element_hazard,
    element_operand,
    first_blocked,
    pass_elements,
    slice_blocked,
    whole_hazard,
    whole_operand,
)
from vecsim.engines.jit.stepwise.places import (
    BLOCKED,
    ELEMENT_WAITS,
    ELEMENTS_STARTED,
    NEVER,
    PROGRESS,
    SLICE_WAITS,
    SLOT_COLUMNS,
)
from vecsim.engines.jit.views import record_of, scratch_of

MEMORY = int(Unit.MEMORY)
HISTORY_COLUMNS = 4


@inline
def _is_unaligned(row: Any, machine: Any, at: Any) -> Any:
    """1 for a contiguous access whose first address is not aligned, 0 for others."""
    return 1 if row[at + LAST_BYTE] >= 0 and row[at + ADDRESS] % machine[ALIGNMENT_BYTES] != 0 else 0


@inline
def _base(r: Any, machine: Any, at: Any, history: Any) -> Any:
    """The first cycle in which a word of an access that waits for no older one may go."""
    ready = larger(r.slots[at + DISPATCHED_AT] + machine[STARTUP], r.port_history[history + END])
    return larger(ready, r.slots[at + ORDER_END]) + _is_unaligned(r.slots, machine, at)


@function
def _begin(w: Any, slot: Any, history: Any, cycle: Any) -> None:
    """Book the waits up to the first word."""
    r, machine, at = record_of(w), scratch_of(w).machine, slot * SLOT_COLUMNS
    row = r.slots
    dispatched, base = row[at + DISPATCHED_AT], row[at + BASE]
    started_up, aligned = dispatched + machine[STARTUP], base - _is_unaligned(row, machine, at)
    row[at + START_CYCLE] = cycle
    wait(w, slot, BY_PORT, row[at + ISSUED_AT], dispatched)
    wait(w, slot, BY_STARTUP, dispatched, started_up)
    wait(w, slot, BY_PORT if r.port_history[history + END] == aligned else BY_ORDER, started_up, aligned)
    wait(w, slot, BY_ALIGNMENT, aligned, base)


@inline
def _entered(row: Any, machine: Any, at: Any, done: Any, needed: Any) -> tuple[Any, Any]:
    """Slices of the vector cache that the elements from ``done`` to ``needed`` are the first in: from, to.

    Without chaining, all slices of the access, with its first element.
    """
    s, first = machine[SECTION_SIZE], row[at + CACHE_FIRST]
    if machine[CHAINING] == 0:
        return (first // s, (first + row[at + ELEMENTS] - 1) // s + 1) if done == 0 else (0, 0)
    inside = 1 if done > 0 and (first + done) % s > 0 else 0
    return (first + done) // s + inside, (first + needed - 1) // s + 1


@inline
def _slices_blocked(w: Any, slot: Any, begin: Any, end: Any) -> Any:
    """Tell whether an older instruction in flight has yet to complete one of these slices."""
    blocked = False
    for slice_ in range(begin, end):
        blocked = blocked or slice_blocked(w, slot, slice_)
    return blocked


@inline
def _mark_slices(r: Any, s: Any, store: Any, begin: Any, end: Any, cycle: Any) -> None:
    """Note that the elements of the cache from ``begin`` to ``end`` have passed."""
    for slice_ in range(begin // s, (end - 1) // s + 1):
        if store == 1:
            r.slice_taken[slice_] = larger(r.slice_taken[slice_], cycle)
        else:
            r.slice_ready[slice_] = cycle + 1
            r.slice_accumulator[slice_] = cycle + 1


@inline
def _word_cycles(
    r: Any, code: Any, machine: Any, i: Any, at: Any, word: Any, done: Any, needed: Any
) -> tuple[Any, Any]:
    """Operand and hazard cycle of a word: of its elements from ``done`` to ``needed``."""
    operand, hazard, s = 0, 0, machine[SECTION_SIZE]
    if word == 0:
        none = r.slots[at + SLICE]
        operand, hazard = whole_operand(r, code, i, none), whole_hazard(r, code, i, none)
    if code[i + CACHE] == 1:
        begin, end = _entered(r.slots, machine, at, done, needed)
        for slice_ in range(begin, end):
            if code[i + STORE] == 1:
                operand = larger(operand, r.slice_ready[slice_])
            else:
                hazard = larger(hazard, larger(r.slice_ready[slice_], r.slice_taken[slice_] + 1))
        return operand, hazard
    for element in range(done, needed):
        operand = larger(operand, element_operand(r, code, i, s, element))
        hazard = larger(hazard, element_hazard(r, code, i, s, element))
    return operand, hazard


@inline
def _word(r: Any, code: Any, machine: Any, slot: Any, i: Any, word: Any, done: Any) -> tuple[Any, Any, Any]:
    """End of the elements that a word touches, end of those complete with it, its word address.

    ``done`` elements are complete before it.
    """
    row, at = r.slots, slot * SLOT_COLUMNS
    if row[at + LAST_BYTE] < 0:
        words = slot * machine[SECTION_SIZE]
        if code[i + VALUE_BYTES] == 4:
            return word + 1, word + 1, r.word_address[words + word]
        element = word >> 1
        return element + 1, (word + 1) >> 1, r.word_address[words + element] + (word & 1)
    first, n, record = row[at + ADDRESS], row[at + ELEMENTS], code[i + RECORD_BYTES]
    behind = 4 * (word + 1) - (first & 3)
    through = done
    while through < n and (through + 1) * record <= behind:
        through += 1
    needed = through + 1 if through < n and through * record < behind else through
    return needed, through, (first >> 2) + word


@inline
def _is_clear(r: Any, code: Any, i: Any, at: Any, limit: Any) -> Any:
    """Tell whether only banks can hold up what is left of an access."""
    if limit != NEVER or code[i + CACHE] == 1:
        return False
    if r.slots[at + WORD] == 0 and code[i + WHOLE_READS] + code[i + WHOLE_WRITES] > 0:
        return False
    return clear_from(r, code, i) <= larger(r.slots[at + BASE], r.slots[at + CYCLE])


@inline
def _transfer(w: Any, slot: Any, i: Any, history: Any, cycle: Any) -> Any:
    """Transfer the words that can go in this cycle; give the cycle to go on in, NEVER if blocked."""
    r, scratch = record_of(w), scratch_of(w)
    code, machine, facts = scratch.program, scratch.machine, facts_of(scratch.machine, slot)
    work, row, at = scratch.outcome, r.slots, slot * SLOT_COLUMNS
    s, banks, cache, store = machine[SECTION_SIZE], machine[BANKS], code[i + CACHE] == 1, code[i + STORE]
    rate = machine[WORDS_PER_CYCLE] if row[at + LAST_BYTE] >= 0 else machine[ADDRESSES_PER_CYCLE]
    word, words, done = row[at + WORD], row[at + WORDS], row[at + ELEMENT]
    last_cycle, in_cycle = row[at + CYCLE], row[at + IN_CYCLE]
    limit = first_blocked(w, slot, done) if work[facts + ELEMENT_WAITS] > 0 else NEVER
    clear, wake = _is_clear(r, code, i, at, limit), NEVER
    while word < words:
        free = last_cycle if in_cycle < rate else last_cycle + 1
        if word == 0:
            free = row[at + BASE]
        needed, through, address = _word(r, code, machine, slot, i, word, done)
        operand, hazard = 0, 0
        if not clear:
            blocked = needed > limit
            if cache and work[facts + SLICE_WAITS] > 0:
                begin, end = _entered(row, machine, at, done, needed)
                blocked = blocked or _slices_blocked(w, slot, begin, end)
            if blocked:
                wake = NEVER if free <= cycle else free
                break
            operand, hazard = _word_cycles(r, code, machine, i, at, word, done, needed)
        bank = address & (banks - 1) if banks & (banks - 1) == 0 else address % banks
        start = larger(larger(free, r.bank_free[bank]), larger(operand, hazard))
        if start > cycle:
            wake = start
            break
        if word == 0:
            _begin(w, slot, history, cycle)
        if free < cycle:
            late = BY_WAR_WAW if hazard == cycle else BY_BANK
            wait(w, slot, BY_RAW if operand == cycle else late, free, cycle)
        r.bank_free[bank] = cycle + machine[BANK_BUSY]
        if through > done:
            if done == 0:
                row[at + FIRST_READY] = cycle + 1
            if cache:
                first = row[at + CACHE_FIRST]
                _mark_slices(r, s, store, first + done, first + through, cycle)
            else:
                pass_elements(r, code, i, s, done, through, cycle, cycle + 1)
            done = through
        in_cycle = in_cycle + 1 if last_cycle == cycle else 1
        last_cycle = cycle
        word += 1
    row[at + WORD], row[at + ELEMENT] = word, done
    row[at + CYCLE], row[at + IN_CYCLE] = last_cycle, in_cycle
    return wake


@inline
def _finish(w: Any, port: Any, slot: Any, i: Any, history: Any, cycle: Any) -> None:
    """Note that the last word of the port's access has gone in ``cycle``."""
    r, scratch = record_of(w), scratch_of(w)
    code, machine, at = scratch.program, scratch.machine, slot * SLOT_COLUMNS
    store = code[i + STORE]
    if code[i + CACHE] == 1 and machine[CHAINING] == 0:
        first = r.slots[at + CACHE_FIRST]
        _mark_slices(r, machine[SECTION_SIZE], store, first, first + r.slots[at + ELEMENTS], cycle)
    count, current = r.port_count[port] - 1, port * machine[IN_FLIGHT]
    for j in range(current, current + count):
        r.port_slots[j] = r.port_slots[j + 1]
    r.port_slots[current + count] = -1
    r.port_count[port] = count
    ended = r.port_history
    for j in range(history + HISTORY_COLUMNS * machine[HISTORY] - 1, history + HISTORY_COLUMNS - 1, -1):
        ended[j] = ended[j - HISTORY_COLUMNS]
    ended[history], ended[history + 1] = cycle + 1, r.slots[at + ADDRESS]
    ended[history + 2], ended[history + 3] = r.slots[at + LAST_BYTE], store
    r.counters[WORDS_STORED if store == 1 else WORDS_LOADED] += r.slots[at + WORDS]
    leave(w, slot, cycle, cycle + 1, cycle + 1)


@function
def step_port(w: Any, port: Any, cycle: Any) -> Any:
    """Transfer the words that can go in this cycle; give the cycle to look again."""
    r, scratch = record_of(w), scratch_of(w)
    machine, work = scratch.machine, scratch.outcome
    history = HISTORY_COLUMNS * port * machine[HISTORY]
    while r.port_count[port] > 0:
        slot = r.port_slots[port * machine[IN_FLIGHT]]
        if work[facts_of(machine, slot) + BLOCKED] > 0:
            return NEVER
        row, at = r.slots, slot * SLOT_COLUMNS
        if row[at + BASE] < 0:
            row[at + BASE] = _base(r, machine, at, history)
        if row[at + BASE] > cycle:
            return row[at + BASE]
        i, word, before = row[at + SLOT_PC] * WIDTH, row[at + WORD], row[at + CYCLE]
        wake = _transfer(w, slot, i, history, cycle)
        if row[at + WORD] > word:
            r.unit_busy[MEMORY] += 1 if before < cycle else 0
            work[PROGRESS] |= ELEMENTS_STARTED
        if row[at + WORD] < row[at + WORDS]:
            return wake
        _finish(w, port, slot, i, history, cycle)
    return NEVER
