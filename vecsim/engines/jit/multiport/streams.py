"""What the loop knows of the access that a port transfers, and what its words change.

Word w goes when the registers of all elements are ready that have a byte in it, and before it nothing but the
words before, its bank and its port hold it up.
"""

from __future__ import annotations

from typing import Any

from isa.declaration import Pattern, Unit
from vecsim.engines.jit.compiler.functions import apart
from vecsim.engines.jit.multiport.wake_ups import book, wake_followers
from vecsim.engines.rules.addresses import words_of_element
from vecsim.engines.rules.banks import words_in_a_cycle
from vecsim.engines.rules.caches import FIRST, goes_through
from vecsim.engines.rules.numbers import NEVER, larger, smaller
from vecsim.engines.rules.operands import clear_from, whole_hazard, whole_operand
from vecsim.engines.rules.ports import begin_transfer, first_cycle
from vecsim.engines.rules.renaming import instruction_of
from vecsim.engines.state import causes
from vecsim.engines.state.flight import FOLLOWS_ELEMENT

MEMORY, LISTED = int(Unit.MEMORY), int(Pattern.LISTED)
GENERAL, FLAT, CACHED = range(3)
"""How the words of an access are timed: by the rules; or as a stream, whose words go between banks and
registers alone, or through caches.
"""
GOES, STALLED, NOT_READY, NOT_KNOWN = range(4)
"""Why a stream goes no further in a cycle: it has no more words that might; memory holds one up; a register
is not ready; or it is not known when it is.
"""


@apart
def look_at(r: Any, port: Any, moving: Any, slot: Any, cycle: Any) -> None:
    """Note how the words of an access are timed that a port begins, or goes on, to transfer."""
    instruction = instruction_of(r, slot)
    contiguous = slot.end_byte >= 0
    moving.age, moving.slot, moving.kind = slot.age, slot.number, GENERAL
    moving.word = moving.noted = slot.word
    moving.words, moving.at, moving.blocked, moving.window = slot.words, cycle, 0, 2
    moving.contiguous, moving.base = 1 if contiguous else 0, slot.address >> 2
    moving.wide = 0 if contiguous else words_of_element(instruction) - 1
    moving.record, moving.offset = 4 + 4 * moving.wide, 0
    if contiguous:
        moving.record, moving.offset = instruction.record_bytes, slot.address & 3
    moving.rate = words_in_a_cycle(r, instruction, contiguous)
    reads, writes = len(instruction.reads), len(instruction.writes)
    moving.first_read = instruction.reads[0] if reads > 0 else -1
    moving.second_read = instruction.reads[1] if reads > 1 else -1
    moving.first_write = instruction.writes[0] if writes > 0 else -1
    moving.second_write = instruction.writes[1] if writes > 1 else -1
    moving.last, moving.in_cycle = slot.cycle, slot.in_cycle
    moving.free = slot.cycle + 1 if slot.in_cycle == moving.rate else slot.cycle
    moving.limit, moving.clear, moving.started = slot.word, 0, NEVER
    moving.operands = moving.hazards = moving.used = moving.waits = 0
    other = instruction.cache == 1 or instruction.masked == 1 or reads > 2 or writes > 2
    other = other or r.scratch.timeline == 2 or instruction.pattern == LISTED
    if contiguous:  # the last element of a recorded program may have fewer bytes
        other = other or slot.end_byte - slot.address < slot.elements * instruction.record_bytes
    other = other or slot.words > 4 * r.machine.section_size + 1
    if not (other or (r.machine.merge_bytes > 0 and not contiguous)):
        moving.kind = FLAT if r.machine.flat_memory == 1 else CACHED
        moving.hits = _may_hit(r, instruction.store)
    if slot.blocked > 0:
        moving.blocked = 1
    else:
        may_begin(r, port, moving, slot)


def _may_hit(r: Any, store: Any) -> Any:
    """Return 1 if a word that the first cache has needs nothing but its line there."""
    first = r.cache_numbers[FIRST]
    plain = r.machine.vector_level == FIRST and first.perfect == 0 and first.banks == 0
    return 1 if plain and not goes_through(r, FIRST, store) else 0


def may_begin(r: Any, port: Any, moving: Any, slot: Any) -> None:
    """Find the first cycle for a word of a stream whose access may begin."""
    if slot.words_from < 0:
        slot.words_from = first_cycle(r, slot, port)
    if slot.word == 0:
        moving.free = slot.words_from
    moving.at = larger(moving.at, moving.free)


@apart
def find_limit(r: Any, port: Any, moving: Any) -> None:
    """Note the first word whose registers have no cycle yet, and from when they let the words before it go.

    Also how many cycles after the next word of another port they may have one.
    """
    slot = r.slots[moving.slot]
    if slot.blocked > 0:
        moving.blocked, moving.window = 1, _window_of_blocked(r, slot)
        return
    if moving.blocked == 1:
        moving.blocked = 0
        may_begin(r, port, moving, slot)
    if slot.element_waits == 0:
        instruction, moving.limit = instruction_of(r, slot), NEVER
        whole = len(instruction.whole_reads) + len(instruction.whole_writes)
        if (slot.word > 0 or whole == 0) and clear_from(r, instruction) <= larger(moving.free, slot.cycle):
            moving.clear = 1
            return
        _note_earliest(r, port, moving, slot, slot.elements)
        return
    element, window = _first_unknown(r, slot, moving.first_write < 0)
    moving.limit = NEVER
    if element < slot.elements:
        moving.limit = larger(moving.word, moving.offset + element * moving.record >> 2)
    if moving.limit == moving.word:
        moving.blocked, moving.window = 1, window
    else:
        _note_earliest(r, port, moving, slot, smaller(element, slot.elements))


def _first_unknown(r: Any, slot: Any, only_reads: Any) -> Any:
    """Return the first element that an older instruction has yet to time; how long it takes, at least."""
    limit, window = NEVER, NEVER
    depends, element, k = r.depends[slot.number], slot.element, 0
    while r.order[k] != slot.number:
        older = r.slots[r.order[k]]
        follows = depends[r.order[k]] & FOLLOWS_ELEMENT != 0 and older.element < older.elements
        if follows and element < older.first + older.elements:
            limit = smaller(limit, larger(element, older.first + older.element))
            latency = 1
            if older.unit == MEMORY:
                latency = 0
            elif only_reads:
                latency = r.program[older.pc].latency
            window = smaller(window, 1 + latency)
        k += 1
    return limit, window


def _window_of_blocked(r: Any, slot: Any) -> Any:
    """Return how many cycles after the next word the instructions may have left flight that it waits for.

    NEVER if there is an access among them, for no access leaves flight ahead of the clock.
    """
    window, depends, k = 2, r.depends[slot.number], 0
    while r.order[k] != slot.number:
        older = r.slots[r.order[k]]
        if depends[r.order[k]] > FOLLOWS_ELEMENT and older.unit == MEMORY:
            return NEVER
        k += 1
    return window


def _note_earliest(r: Any, port: Any, moving: Any, slot: Any, end: Any) -> None:
    """Note from when registers let the words go that end before an element, or with the last."""
    earliest, operand, begin = r.earliest[port], r.operand[port], moving.word
    if moving.record == 4 and moving.offset == 0:
        _note_plain(r, moving, begin, end, earliest, operand)
    else:
        _note_records(r, moving, slot.element, end, earliest, operand)
    if begin == 0:
        instruction = instruction_of(r, slot)
        operand[0] = larger(operand[0], whole_operand(r, instruction, -1))
        hazard = whole_hazard(r, instruction, -1)
        earliest[0] = larger(earliest[0], larger(operand[0], hazard))


def _note_plain(r: Any, moving: Any, begin: Any, end: Any, earliest: Any, operand: Any) -> None:
    """Note it for elements that are a word each."""
    for k in range(begin, end):
        operand[k] = 0
    if moving.first_read >= 0:
        _raise(operand, begin, end, r.ready[moving.first_read])
    if moving.second_read >= 0:
        _raise(operand, begin, end, r.ready[moving.second_read])
    for k in range(begin, end):
        earliest[k] = operand[k]
    if moving.first_write >= 0:
        _raise_to_free(earliest, begin, end, r.ready[moving.first_write], r.taken[moving.first_write])
    if moving.second_write >= 0:
        _raise_to_free(earliest, begin, end, r.ready[moving.second_write], r.taken[moving.second_write])


def _raise_to_free(earliest: Any, begin: Any, end: Any, ready: Any, taken: Any) -> None:
    """Raise cycles to those from which elements may be overwritten."""
    for k in range(begin, end):
        earliest[k] = larger(earliest[k], larger(ready[k], taken[k] + 1))


def _note_records(r: Any, moving: Any, k: Any, end: Any, earliest: Any, operand: Any) -> None:
    """Note it for words that have a part of an element, or several."""
    a, b, d, e = moving.first_read, moving.second_read, moving.first_write, moving.second_write
    word, record, offset = moving.word, moving.record, moving.offset
    last = smaller(moving.limit, moving.words)
    while word < last:
        ready, free = 0, 0
        past = 4 * word + 4 - offset  # the bytes up to the end of this word
        while k < end and k * record < past:
            if a >= 0:
                ready = larger(ready, r.ready[a][k])
            if b >= 0:
                ready = larger(ready, r.ready[b][k])
            if d >= 0:
                free = larger(free, larger(r.ready[d][k], r.taken[d][k] + 1))
            if e >= 0:
                free = larger(free, larger(r.ready[e][k], r.taken[e][k] + 1))
            if (k + 1) * record > past:  # it goes on in the next word
                break
            k += 1
        earliest[word], operand[word] = larger(ready, free), ready
        word += 1


@apart
def note_words(r: Any, port: Any, moving: Any, cycle: Any) -> None:
    """Note what the words that have gone leave in the registers, and wake what follows their elements."""
    slot, went = r.slots[moving.slot], r.went[port]
    word, record, element = moving.word, moving.record, slot.element
    end = smaller(slot.elements, (4 * word - moving.offset) // record)
    arrived = r.arrived[port]
    if moving.kind == FLAT:
        for w in range(moving.noted, word):
            arrived[w] = went[w] + 1
    if moving.record == 4 and moving.offset == 0:
        _pass_plain(r, moving, element, end, went, arrived)
    else:
        _pass_records(r, moving, element, end, went, arrived)
    if element == 0 and end > 0:
        slot.first_ready = arrived[moving.offset + record - 1 >> 2]
    if end > element:
        r.scratch.started = slot.number + 1
        wake_followers(r, cycle + 1)
    slot.word, slot.element, moving.noted = word, end, word
    slot.cycle, slot.in_cycle, slot.arrives = moving.last, moving.in_cycle, arrived[word - 1]


def _pass_plain(r: Any, moving: Any, begin: Any, end: Any, went: Any, arrived: Any) -> None:
    """Note that elements have gone that are a word each."""
    if moving.first_read >= 0:
        _raise(r.taken[moving.first_read], begin, end, went)
        if moving.second_read >= 0:
            _raise(r.taken[moving.second_read], begin, end, went)
    if moving.first_write >= 0:
        _give(r.ready[moving.first_write], begin, end, arrived)
        if moving.second_write >= 0:
            _give(r.ready[moving.second_write], begin, end, arrived)


def _raise(cycles: Any, begin: Any, end: Any, least: Any) -> None:
    """Raise cycles of elements to other cycles."""
    for k in range(begin, end):
        cycles[k] = larger(cycles[k], least[k])


def _give(ready: Any, begin: Any, end: Any, arrived: Any) -> None:
    """Let elements be ready when they have arrived."""
    for k in range(begin, end):
        ready[k] = arrived[k]


def _pass_records(r: Any, moving: Any, begin: Any, end: Any, went: Any, arrived: Any) -> None:
    """Note that elements have gone, each with the word of its last byte."""
    a, b, d, e = moving.first_read, moving.second_read, moving.first_write, moving.second_write
    ready_d, ready_e = r.ready[larger(d, 0)], r.ready[larger(e, 0)]
    taken_a, taken_b = r.taken[larger(a, 0)], r.taken[larger(b, 0)]
    past = moving.offset + (begin + 1) * moving.record - 1
    for k in range(begin, end):
        cycle, ready = went[past >> 2], arrived[past >> 2]
        past += moving.record
        if a >= 0:
            taken_a[k] = larger(taken_a[k], cycle)
        if b >= 0:
            taken_b[k] = larger(taken_b[k], cycle)
        if d >= 0:
            ready_d[k] = ready
        if e >= 0:
            ready_e[k] = ready


def note_wait(r: Any, port: Any, moving: Any, word: Any, now: Any, cause: Any) -> None:
    """Note how long a word has waited that goes now, if for memory for this cause."""
    if moving.clear == 1 or r.earliest[port][word] < now:
        waits, k = r.word_waits[port], 3 * moving.waits
        waits[k], waits[k + 1], waits[k + 2] = moving.free, now, cause
        moving.waits += 1
    elif r.operand[port][word] == now:
        moving.operands += now - moving.free
    else:
        moving.hazards += now - moving.free


def book_words(r: Any, port: Any, moving: Any) -> None:
    """Book the cycles that the words have waited which have gone.

    A cycle is attributed to the oldest instruction. What is older and in flight now is there in all cycles so
    far, so no such cycle is attributed to what is younger.
    """
    if moving.started < NEVER:
        begin_transfer(r, r.slots[moving.slot], port, moving.started)
        moving.started = NEVER
    if moving.used > 0:
        slot = r.slots[moving.slot]
        r.units[MEMORY].busy += moving.used
        account = r.accounts[slot.pc]
        book(slot, account, causes.VECTOR_RAW, moving.operands)
        book(slot, account, causes.VECTOR_WAR_WAW, moving.hazards)
        if moving.waits > 0:
            _book_waits(r, port, moving, slot, account)
        moving.used = moving.operands = moving.hazards = moving.waits = 0


def _book_waits(r: Any, port: Any, moving: Any, slot: Any, account: Any) -> None:
    """Book the waits for memory, and attribute those of the oldest instruction in flight to it."""
    waits, retired = r.word_waits[port], NEVER
    if r.order[0] == moving.slot:
        retired = r.control.retired
    for k in range(0, 3 * moving.waits, 3):
        begin, end, cause = waits[k], waits[k + 1], waits[k + 2]
        book(slot, account, cause, end - begin)
        attributed = larger(end - larger(begin, retired), 0)
        account.attributed[cause] += attributed
        slot.attributed += attributed
