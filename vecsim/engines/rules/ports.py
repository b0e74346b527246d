"""A vector memory port in front of the word-interleaved banks (docs/timing.md, "Accesses" and "Banks").

An access becomes the port's current one when the access before it has ended; its words then go one after
the other, up to ``words_per_cycle`` (contiguous) or ``addresses_per_cycle`` (strided, indexed) a cycle,
each when its bank is free and its data are there.
"""

from __future__ import annotations

from typing import Any

from isa.declaration import Unit
from vecsim.engines.columns import causes, counters, flight, history, instruction, parameter, work
from vecsim.engines.rules.accounts import book_wait, word_cause
from vecsim.engines.rules.addresses import words_of_element
from vecsim.engines.rules.banks import bank_of, word_passes, word_places, word_start, words_in_a_cycle
from vecsim.engines.rules.flight import leave
from vecsim.engines.rules.hazards import first_blocked
from vecsim.engines.rules.numbers import NEVER, larger
from vecsim.engines.rules.operands import (
    clear_from,
    element_hazard,
    element_operand,
    pass_elements,
    whole_hazard,
    whole_operand,
)
from vecsim.engines.rules.queues import port_history_of
from vecsim.engines.rules.renaming import row_of
from vecsim.engines.rules.starts import note_start
from vecsim.engines.rules.vector_cache import any_blocked, entered, mark_slices, slices_free, slices_ready

MEMORY = int(Unit.MEMORY)


def unaligned(r: Any, at: Any) -> Any:
    """Give 1 for a contiguous access whose first address is not aligned, 0 for others."""
    if r.slots[at + flight.LAST_BYTE] < 0:
        return 0
    return 1 if r.slots[at + flight.ADDRESS] % r.machine[parameter.ALIGNMENT_BYTES] != 0 else 0


def first_cycle(r: Any, at: Any, port: Any) -> Any:
    """Give B, the first cycle in which a word of an access that waits for no older one may go."""
    started_up = r.slots[at + flight.DISPATCHED_AT] + r.machine[parameter.STARTUP]
    ready = larger(started_up, r.port_history[port_history_of(r, port) + history.END])
    return larger(ready, r.slots[at + flight.ORDER_END]) + unaligned(r, at)


def _begin(r: Any, slot: Any, port: Any, cycle: Any) -> None:
    """Book the waits up to the first word, which goes in this cycle."""
    at = slot * flight.COLUMNS
    dispatched, base = r.slots[at + flight.DISPATCHED_AT], r.slots[at + flight.BASE]
    started_up, aligned = dispatched + r.machine[parameter.STARTUP], base - unaligned(r, at)
    in_turn = r.port_history[port_history_of(r, port) + history.END] == aligned
    r.slots[at + flight.START_CYCLE] = cycle
    book_wait(r, slot, causes.PORT, r.slots[at + flight.ISSUED_AT], dispatched)
    book_wait(r, slot, causes.STARTUP, dispatched, started_up)
    book_wait(r, slot, causes.PORT if in_turn else causes.MEMORY_ORDER, started_up, aligned)
    book_wait(r, slot, causes.ALIGNMENT, aligned, base)


def _word_cycles(r: Any, i: Any, at: Any, word: Any, done: Any, needed: Any) -> tuple[Any, Any]:
    """Give operand and hazard cycle of a word: of its elements from ``done`` to ``needed``."""
    operand, hazard = 0, 0
    if word == 0:
        operand, hazard = whole_operand(r, i, -1), whole_hazard(r, i, -1)
    if r.program[i + instruction.CACHE] == 1:
        begin, end = entered(r, at, done, needed)
        if r.program[i + instruction.STORE] == 1:
            return larger(operand, slices_ready(r, begin, end)), hazard
        return operand, larger(hazard, slices_free(r, begin, end))
    for element in range(done, needed):
        operand = larger(operand, element_operand(r, i, element))
        hazard = larger(hazard, element_hazard(r, i, element))
    return operand, hazard


def _word(r: Any, slot: Any, i: Any, word: Any, done: Any) -> tuple[Any, Any, Any]:
    """Give the end of the elements that a word touches, of those complete with it, and its word address.

    ``done`` elements are complete before it.
    """
    at = slot * flight.COLUMNS
    if r.slots[at + flight.LAST_BYTE] < 0:
        words = slot * r.machine[parameter.SECTION_SIZE]
        if words_of_element(r, i) == 1:
            return word + 1, word + 1, r.word_address[words + word]
        element = word >> 1
        return element + 1, (word + 1) >> 1, r.word_address[words + element] + (word & 1)
    first, n, size = (
        r.slots[at + flight.ADDRESS],
        r.slots[at + flight.ELEMENTS],
        r.program[i + instruction.RECORD_BYTES],
    )
    behind = 4 * (word + 1) - (first & 3)
    through = done
    while through < n and (through + 1) * size <= behind:
        through += 1
    needed = through + 1 if through < n and through * size < behind else through
    return needed, through, (first >> 2) + word


def _pass(r: Any, i: Any, at: Any, done: Any, through: Any, cycle: Any) -> None:
    """Note that the elements from ``done`` to ``through`` have passed in this cycle."""
    if done == 0:
        r.slots[at + flight.FIRST_READY] = cycle + 1
    if r.program[i + instruction.CACHE] == 1:
        first = r.slots[at + flight.CACHE_FIRST]
        mark_slices(r, r.program[i + instruction.STORE], first + done, first + through, cycle)
    else:
        pass_elements(r, i, done, through, cycle, cycle + 1)


def _is_clear(r: Any, i: Any, at: Any) -> Any:
    """Tell whether only banks can hold up what is left of an access that waits for no element."""
    if r.program[i + instruction.CACHE] == 1:
        return False
    whole = r.program[i + instruction.WHOLE_READS] + r.program[i + instruction.WHOLE_WRITES]
    if r.slots[at + flight.WORD] == 0 and whole > 0:
        return False
    return clear_from(r, i) <= larger(r.slots[at + flight.BASE], r.slots[at + flight.CYCLE])


def _transfer(r: Any, slot: Any, i: Any, port: Any, cycle: Any, ahead: Any) -> Any:
    """Transfer the words that can go in this cycle; give the cycle to go on in, NEVER if blocked.

    With ``ahead`` all that are left are timed now.
    """
    at, waits = slot * flight.COLUMNS, slot * flight.FACTS
    rate = words_in_a_cycle(r, i, r.slots[at + flight.LAST_BYTE] >= 0)
    word, words, done = (
        r.slots[at + flight.WORD],
        r.slots[at + flight.WORDS],
        r.slots[at + flight.ELEMENT],
    )
    last_cycle, in_cycle = r.slots[at + flight.CYCLE], r.slots[at + flight.IN_CYCLE]
    in_slices = r.program[i + instruction.CACHE] == 1 and r.facts[waits + flight.SLICE_WAITS] > 0
    limit = first_blocked(r, slot, done) if r.facts[waits + flight.ELEMENT_WAITS] > 0 else NEVER
    clear, wake = limit == NEVER and _is_clear(r, i, at), NEVER
    while word < words:
        needed, through, address = _word(r, slot, i, word, done)
        places = word_places(r, i, port, address)
        free = last_cycle if in_cycle + places <= rate else last_cycle + 1
        if word == 0:
            free = r.slots[at + flight.BASE]
        operand, hazard = 0, 0
        if not clear:
            blocked = needed > limit
            if in_slices:
                begin, end = entered(r, at, done, needed)
                blocked = blocked or any_blocked(r, slot, begin, end)
            if blocked:
                wake = NEVER if free <= cycle else free
                break
            operand, hazard = _word_cycles(r, i, at, word, done, needed)
        start = word_start(r, i, port, address, larger(free, larger(operand, hazard)))
        if start > cycle:
            if not ahead:
                wake = start
                break
            cycle = start
        if word == 0:
            _begin(r, slot, port, cycle)
        if free < cycle:
            book_wait(r, slot, word_cause(cycle, operand, hazard), free, cycle)
        word_passes(r, i, port, address, cycle)
        note_start(r, slot, bank_of(r, address), cycle)
        if through > done:
            _pass(r, i, at, done, through, cycle)
            done = through
        r.unit_busy[MEMORY] += 1 if last_cycle < cycle else 0
        in_cycle = in_cycle + places if last_cycle == cycle else places
        last_cycle = cycle
        word += 1
    r.slots[at + flight.WORD], r.slots[at + flight.ELEMENT] = word, done
    r.slots[at + flight.CYCLE], r.slots[at + flight.IN_CYCLE] = last_cycle, in_cycle
    return wake


def _finish(r: Any, port: Any, slot: Any, i: Any) -> None:
    """Take the port's access, whose words have all been timed, out of it."""
    at, store = slot * flight.COLUMNS, r.program[i + instruction.STORE]
    last = r.slots[at + flight.CYCLE]
    if r.program[i + instruction.CACHE] == 1 and r.machine[parameter.CHAINING] == 0:
        first = r.slots[at + flight.CACHE_FIRST]
        mark_slices(r, store, first, first + r.slots[at + flight.ELEMENTS], last)
    count, current = r.port_count[port] - 1, port * r.machine[parameter.ACCESSES_IN_FLIGHT]
    for j in range(current, current + count):
        r.port_slots[j] = r.port_slots[j + 1]
    r.port_slots[current + count] = -1
    r.port_count[port] = count
    newest, ended, columns = port_history_of(r, port), r.port_history, history.COLUMNS
    for j in range(newest + columns * r.machine[parameter.HISTORY] - 1, newest + columns - 1, -1):
        ended[j] = ended[j - columns]
    ended[newest + history.END] = last + 1
    ended[newest + history.FIRST_BYTE] = r.slots[at + flight.ADDRESS]
    ended[newest + history.LAST_BYTE] = r.slots[at + flight.LAST_BYTE]
    ended[newest + history.STORED] = store
    words = r.slots[at + flight.WORDS]
    r.counters[counters.WORDS_STORED if store == 1 else counters.WORDS_LOADED] += words
    leave(r, slot, last, last + 1, last + 1)


def step_port(r: Any, port: Any, cycle: Any) -> Any:
    """Transfer the words that can go in this cycle; give the cycle to look again.

    Ports that act in one cycle meet at the banks in the order of the age of their accesses, so the port with
    the oldest is stepped first. The access of the only port that is the oldest instruction in flight depends
    on nothing whose cycles are not yet known, and so is timed to its end.
    """
    while r.port_count[port] > 0:
        slot = r.port_slots[port * r.machine[parameter.ACCESSES_IN_FLIGHT]]
        if r.facts[slot * flight.FACTS + flight.BLOCKED] > 0:
            return NEVER
        at = slot * flight.COLUMNS
        if r.slots[at + flight.BASE] < 0:
            r.slots[at + flight.BASE] = first_cycle(r, at, port)
        ahead = r.order[0] == slot and r.machine[parameter.MEMORY_PORTS] == 1
        if r.slots[at + flight.BASE] > cycle and not ahead:
            return r.slots[at + flight.BASE]
        i, word = row_of(r, slot), r.slots[at + flight.WORD]
        wake = _transfer(r, slot, i, port, cycle, ahead)
        if r.slots[at + flight.WORD] > word:
            r.work[work.STARTED] = slot + 1
        if r.slots[at + flight.WORD] < r.slots[at + flight.WORDS]:
            return wake
        _finish(r, port, slot, i)
    return NEVER


def current_slot(r: Any, port: Any) -> Any:
    """Give the slot of the access that a port transfers; -1 for none."""
    if r.port_count[port] == 0:
        return -1
    return r.port_slots[port * r.machine[parameter.ACCESSES_IN_FLIGHT]]


def current_age(r: Any, port: Any) -> Any:
    """Give the age of the access that a port transfers; -1 for none."""
    slot = current_slot(r, port)
    return -1 if slot < 0 else r.slots[slot * flight.COLUMNS + flight.AGE]
