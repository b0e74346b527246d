"""A vector memory port before the word-interleaved banks (docs/timing.md, "Accesses" and "Banks").

An access becomes the port's current one when the access before it has ended. Its words then go one after the
other, up to ``words_per_cycle`` (contiguous) or ``addresses_per_cycle`` (strided, indexed) a cycle, each when
its bank is free and its data are there.
"""

from __future__ import annotations

from isa.declaration import Pattern, Unit
from vecsim.engines.rules.accounts import book_wait, word_cause
from vecsim.engines.rules.addresses import words_of_element
from vecsim.engines.rules.banks import (
    bank_taken,
    memory_cause,
    word_passes,
    word_places,
    word_start,
    words_in_a_cycle,
)
from vecsim.engines.rules.flight import leave, word_is_off
from vecsim.engines.rules.hazards import first_blocked
from vecsim.engines.rules.latency import note_arrival, port_waits_until
from vecsim.engines.rules.memory_order import latest_transfer
from vecsim.engines.rules.merging import goes_along
from vecsim.engines.rules.numbers import NEVER, larger, smaller
from vecsim.engines.rules.operands import (
    clear_from,
    element_hazard,
    element_operand,
    pass_elements,
    whole_hazard,
    whole_operand,
)
from vecsim.engines.rules.renaming import instruction_of
from vecsim.engines.rules.starts import note_start
from vecsim.engines.rules.vector_cache import any_blocked, entered, mark_slices, slices_free, slices_ready
from vecsim.engines.state import causes
from vecsim.engines.state.counters import WORDS_LOADED, WORDS_MERGED, WORDS_STORED
from vecsim.engines.state.flight import Slot
from vecsim.engines.state.instruction import Instruction
from vecsim.engines.state.run import Run

MEMORY, LISTED = int(Unit.MEMORY), int(Pattern.LISTED)


def unaligned(r: Run, slot: Slot) -> int:
    """Return 1 for a contiguous access whose first address is not aligned, 0 for others ("Accesses")."""
    if slot.end_byte < 0:
        return 0
    return 1 if slot.address % r.machine.alignment_bytes != 0 else 0


def first_cycle(r: Run, slot: Slot, port: int) -> int:
    """Return B, the first cycle for a word of an access that waits for no older one ("Accesses")."""
    started_up = slot.dispatched_at + r.machine.startup
    ready = larger(started_up, latest_transfer(r, port).end)
    return larger(ready, slot.order_end) + unaligned(r, slot)


def begin_transfer(r: Run, slot: Slot, port: int, cycle: int) -> None:
    """Book the waits up to the first word, which goes in this cycle ("Waits and cycle attribution")."""
    started_up, aligned = slot.dispatched_at + r.machine.startup, slot.words_from - unaligned(r, slot)
    in_turn = latest_transfer(r, port).end == aligned
    slot.start_cycle = cycle
    book_wait(r, slot, causes.PORT, slot.issued_at, slot.dispatched_at)
    book_wait(r, slot, causes.STARTUP, slot.dispatched_at, started_up)
    book_wait(r, slot, causes.PORT if in_turn else causes.MEMORY_ORDER, started_up, aligned)
    book_wait(r, slot, causes.ALIGNMENT, aligned, slot.words_from)


def _word_cycles(
    r: Run, slot: Slot, instruction: Instruction, word: int, done: int, needed: int
) -> tuple[int, int]:
    """Return operand and hazard cycle of a word: of its elements from ``done`` to ``needed`` ("Accesses")."""
    operand, hazard = 0, 0
    if word == 0:
        operand, hazard = whole_operand(r, instruction, -1), whole_hazard(r, instruction, -1)
    if instruction.cache == 1:
        begin, end = entered(r, slot, done, needed)
        if instruction.store == 1:
            return larger(operand, slices_ready(r, begin, end)), hazard
        return operand, larger(hazard, slices_free(r, begin, end))
    for element in range(done, needed):
        operand = larger(operand, element_operand(r, instruction, element))
        hazard = larger(hazard, element_hazard(r, instruction, element))
    return operand, hazard


def _word(r: Run, slot: Slot, instruction: Instruction, word: int, done: int) -> tuple[int, int, int]:
    """Return what a word touches: the end of its elements, of those complete with it, its word address.

    ``done`` elements are complete before it ("Accesses").
    """
    if instruction.pattern == LISTED:
        return _listed_word(r, slot, instruction, word)
    if slot.end_byte < 0:
        addresses = r.word_address[slot.number]
        if words_of_element(instruction) == 1:
            return word + 1, word + 1, addresses[word]
        element = word >> 1
        return element + 1, (word + 1) >> 1, addresses[element] + (word & 1)
    size = instruction.record_bytes
    passed = 4 * (word + 1) - (slot.address & 3)  # bytes up to the end of this word
    through = done
    while through < slot.elements and (through + 1) * size <= passed:
        through += 1
    if word + 1 == slot.words:
        through = slot.elements
    needed = through + 1 if through < slot.elements and through * size < passed else through
    return needed, through, (slot.address >> 2) + word


def _listed_word(r: Run, slot: Slot, instruction: Instruction, word: int) -> tuple[int, int, int]:
    """Return what :func:`_word` does, of a listed access ("Recorded programs")."""
    words = words_of_element(instruction)
    k, of_element = word // words, words * instruction.per_element
    through = (
        slot.elements if word + 1 == slot.words else smaller((word + 1) // of_element, slot.elements - 1)
    )
    return word // of_element + 1, through, r.word_address[slot.number][k] + word % words


def _pass(r: Run, slot: Slot, instruction: Instruction, done: int, through: int, cycle: int) -> None:
    """Note that the elements from ``done`` to ``through`` have passed in this cycle ("Accesses")."""
    if done == 0:
        slot.first_ready = slot.arrives
    if instruction.cache == 1:
        first = slot.cache_first
        mark_slices(r, instruction.store, first + done, first + through, cycle, slot.arrives)
    else:
        pass_elements(r, instruction, done, through, cycle, slot.arrives)


def _is_clear(r: Run, slot: Slot, instruction: Instruction) -> bool:
    """Return whether only banks can hold up what is left of an access ("Accesses").

    It waits for no element.
    """
    if instruction.cache == 1:
        return False
    whole = len(instruction.whole_reads) + len(instruction.whole_writes)
    if slot.word == 0 and whole > 0:
        return False
    return clear_from(r, instruction) <= larger(slot.words_from, slot.cycle)


def _word_goes(r: Run, instruction: Instruction, port: int, address: int, earliest: int) -> int:
    """Return the cycle in which a word goes that nothing but port and memory holds up ("Accesses")."""
    earliest = larger(earliest, port_waits_until(r, port, instruction.store))
    return word_start(r, instruction, port, address, earliest)


def _ends_a_wait(r: Run, slot: Slot, word: int, earliest: int, start: int) -> bool:
    """Return whether an access ends with a word, or a wait whose cycles may be attributed to it ("Banks").

    Whether they are is known only when older instructions have retired.

    Parameters
    ----------
    start
        The cycle in which the word goes.
    """
    if word == slot.words - 1:
        return True
    return (word == 0 or start > earliest) and r.order[0] != slot.number


def _transfer(r: Run, slot: Slot, port: int, cycle: int, until: int) -> int:
    """Transfer the words that go before ``until`` ("Accesses", "Banks", "Masks").

    Those that :func:`_ends_a_wait` names go after ``cycle`` only if ``until`` is NEVER. Returns the cycle to
    go on in, NEVER if blocked.
    """
    instruction = instruction_of(r, slot)
    rate = words_in_a_cycle(r, instruction, slot.end_byte >= 0)
    word, done = slot.word, slot.element
    last_cycle, in_cycle = slot.cycle, slot.in_cycle
    in_slices = instruction.cache == 1 and slot.slice_waits > 0
    limit = first_blocked(r, slot, done) if slot.element_waits > 0 else NEVER
    clear, wake, now = limit == NEVER and _is_clear(r, slot, instruction), NEVER, cycle
    while word < slot.words:
        needed, through, address = _word(r, slot, instruction, word, done)
        off = word_is_off(r, slot, instruction, word, done, needed)
        along = off or goes_along(r, slot, instruction, word, address)
        places = 0 if along else word_places(r, instruction, port, address)
        if off and r.machine.masked_elements == 0:
            places = 1
        free = last_cycle if in_cycle + places <= rate else last_cycle + 1
        if word == 0:
            free = slot.words_from
        if free >= until:
            wake = free
            break
        operand, hazard, earliest = 0, 0, free
        if not clear:
            blocked = needed > limit
            if in_slices:
                begin, end = entered(r, slot, done, needed)
                blocked = blocked or any_blocked(r, slot, begin, end)
            if blocked:
                break
            operand, hazard = _word_cycles(r, slot, instruction, word, done, needed)
            earliest = larger(free, larger(operand, hazard))
        start = earliest if along else _word_goes(r, instruction, port, address, earliest)
        waits = start > now and until != NEVER and _ends_a_wait(r, slot, word, earliest, start)
        if start >= until or waits:
            wake = start
            break
        cycle = larger(cycle, start)
        if word == 0:
            begin_transfer(r, slot, port, cycle)
        if free < cycle:
            cause = word_cause(cycle, operand, hazard)
            if cause == causes.BANK_CONFLICT:
                cause = memory_cause(r, instruction, port, address, cycle)
            book_wait(r, slot, cause, free, cycle)
        arrival = cycle + 1
        if off:
            r.counters[WORDS_STORED if instruction.store == 1 else WORDS_LOADED] -= 1  # _finish counts all
        elif along:
            r.counters[WORDS_MERGED] += 1
        else:
            arrival = word_passes(r, instruction, port, address, cycle)
        slot.arrives = cycle + 1 if instruction.store == 1 else note_arrival(r, port, arrival, along)
        if r.scratch.timeline == 2:  # its bank is worked out for a trace alone
            note_start(r, slot, -1 if along else bank_taken(r, instruction, address), cycle)
        if through > done:
            _pass(r, slot, instruction, done, through, cycle)
            done = through
        r.units[MEMORY].busy += 1 if last_cycle < cycle else 0
        in_cycle = in_cycle + places if last_cycle == cycle else places
        last_cycle = cycle
        word += 1
    slot.word, slot.element = word, done
    slot.cycle, slot.in_cycle = last_cycle, in_cycle
    return wake


def note_transfer(r: Run, port: int, end: int, first_byte: int, end_byte: int, store: int) -> None:
    """Note a transfer that has ended in the place of the oldest of a port ("Accesses").

    Parameters
    ----------
    end
        The cycle after that of its last word.
    first_byte, end_byte
        Its first byte and the one after its last; ``end_byte`` is -1 if it is not contiguous.
    """
    state = r.ports[port]
    state.latest = r.machine.transfers - 1 if state.latest == 0 else state.latest - 1
    ended = r.transfers[port][state.latest]
    ended.end, ended.first_byte, ended.end_byte, ended.store = end, first_byte, end_byte, store


def finish_transfer(r: Run, port: int, slot: Slot) -> None:
    """Take the port's access, whose words have all been timed, out of it ("Accesses")."""
    instruction, last = r.program[slot.pc], slot.cycle
    result = last + 1 if instruction.store == 1 else slot.arrives
    if instruction.cache == 1 and r.machine.chaining == 0:
        begin = slot.cache_first
        mark_slices(r, instruction.store, begin, begin + slot.elements, last, result)
    state, accesses = r.ports[port], r.accesses[port]
    state.accesses -= 1
    for k in range(state.accesses):
        accesses[k] = accesses[k + 1]
    accesses[state.accesses] = -1
    first, end = slot.address, slot.end_byte
    if r.machine.disambiguation > 0:
        first, end = slot.lowest, slot.highest
    note_transfer(r, port, last + 1, first, end, instruction.store)
    r.counters[WORDS_STORED if instruction.store == 1 else WORDS_LOADED] += slot.words
    leave(r, slot, last, result, result)


def step_port(r: Run, port: int, cycle: int) -> int:
    """Transfer the words that can go in this cycle ("Accesses", "Banks"); return the cycle to look again.

    Ports that act in one cycle meet at the banks in the order of the age of their accesses, so the port with
    the oldest is stepped first.
    """
    return run_port(r, port, cycle, cycle + 1)


def run_port(r: Run, port: int, cycle: int, until: int) -> int:
    """Transfer the words of a port that go before ``until`` ("Accesses", "Banks").

    No access ends after ``cycle``. The access of the only port that is the oldest instruction in flight
    depends on nothing whose cycles are not yet known; an engine that times ahead times it to its end.

    Returns the cycle to look again.
    """
    while r.ports[port].accesses > 0:
        slot = r.slots[r.accesses[port][0]]
        if slot.blocked > 0:
            return NEVER
        if slot.words_from < 0:
            slot.words_from = first_cycle(r, slot, port)
        alone = r.order[0] == slot.number and r.machine.ports == 1
        ahead = alone and r.scratch.times_ahead > 0 and r.machine.scalar_level < 0
        end = NEVER if ahead and r.machine.disambiguation < 2 else until
        if slot.words_from >= end:
            return slot.words_from
        word = slot.word
        wake = _transfer(r, slot, port, cycle, end)
        if slot.word > word:
            r.scratch.started = slot.number + 1
        if slot.word < slot.words:
            return wake
        finish_transfer(r, port, slot)
        until = cycle + 1
    return NEVER


def current_slot(r: Run, port: int) -> int:
    """Return the number of the slot of the access that a port transfers; -1 for none ("Accesses")."""
    return -1 if r.ports[port].accesses == 0 else r.accesses[port][0]


def current_age(r: Run, port: int) -> int:
    """Return the age of the access that a port transfers; -1 for none ("Banks")."""
    slot = current_slot(r, port)
    return -1 if slot < 0 else r.slots[slot].age
