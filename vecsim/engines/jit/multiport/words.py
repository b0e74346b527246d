"""Accesses of up to two vector registers, timed in one loop.

Other accesses go by the rules of :mod:`vecsim.engines.rules.ports`, which this derives again.
"""

from __future__ import annotations

from typing import Any

from isa.declaration import Pattern, Unit
from vecsim.engines.jit.compiler.functions import apart
from vecsim.engines.jit.multiport.wake_ups import book, wake_followers
from vecsim.engines.rules.banks import words_in_a_cycle
from vecsim.engines.rules.numbers import NEVER, larger, smaller
from vecsim.engines.rules.operands import clear_from, whole_hazard, whole_operand
from vecsim.engines.rules.ports import begin_transfer, finish_transfer, first_cycle, run_port
from vecsim.engines.rules.renaming import instruction_of
from vecsim.engines.state import causes
from vecsim.engines.state.flight import FOLLOWS_ELEMENT

MEMORY, LISTED = int(Unit.MEMORY), int(Pattern.LISTED)
GENERAL, CONTIGUOUS, ADDRESSES = range(3)
"""How the words of an access are timed: by the rules; here, by the base address or by that of each."""


@apart
def step_access(r: Any, port: Any, cycle: Any, until: Any) -> Any:
    """Transfer the words of a port that go before ``until``, none later than may be known in ``cycle``.

    Returns the cycle before which the next does not go, NEVER if it waits for what is not known.

    Parameters
    ----------
    port
        The number of a memory port.
    until
        The cycle before which words go.
    """
    slot, moving = r.slots[r.accesses[port][0]], r.moving[port]
    if slot.blocked > 0:
        moving.window = 2
        return NEVER
    if moving.age != slot.age:
        _look_at(r, slot, moving)
    if moving.kind == GENERAL:
        return run_port(r, port, cycle, until)
    if slot.words_from < 0:
        slot.words_from = first_cycle(r, slot, port)
    if slot.words_from >= until and r.machine.ports > 1:
        return slot.words_from
    word = slot.word
    if moving.plain == 1:
        following = _pass_plain(r, port, slot, moving, cycle, until)
    else:
        following = _pass_records(r, port, slot, moving, cycle, until)
    if slot.word > word:
        r.scratch.started = slot.number + 1
        wake_followers(r, cycle + 1)
    if slot.word < slot.words:
        return following
    finish_transfer(r, port, slot)
    return cycle if r.ports[port].accesses > 0 else NEVER


@apart
def _look_at(r: Any, slot: Any, moving: Any) -> None:
    """Note how the words of an access are timed, and the registers that they read and write."""
    instruction = instruction_of(r, slot)
    moving.age, moving.window, moving.kind = slot.age, 2, GENERAL
    if r.machine.flat_memory == 0 or instruction.cache == 1 or r.scratch.timeline == 2:
        return
    if instruction.masked == 1 or instruction.pattern == LISTED:
        return
    reads, writes = len(instruction.reads), len(instruction.writes)
    if reads > 2 or writes > 2:
        return
    contiguous = slot.end_byte >= 0
    if contiguous and slot.end_byte - slot.address < slot.elements * instruction.record_bytes:
        return
    if contiguous:
        moving.kind, moving.record, moving.offset = CONTIGUOUS, instruction.record_bytes, slot.address & 3
    elif instruction.value_bytes <= 4:
        moving.kind, moving.record, moving.offset = ADDRESSES, 4, 0
    moving.rate = words_in_a_cycle(r, instruction, contiguous)
    moving.first_read = instruction.reads[0] if reads > 0 else -1
    moving.second_read = instruction.reads[1] if reads > 1 else -1
    moving.first_write = instruction.writes[0] if writes > 0 else -1
    moving.second_write = instruction.writes[1] if writes > 1 else -1
    moving.clear, moving.limit = 0, -1
    whole = len(instruction.whole_reads) + len(instruction.whole_writes)
    one = moving.record == 4 and moving.offset == 0 and writes < 2 and whole == 0
    moving.plain = 1 if one and instruction.accumulator < 0 else 0


@apart
def _find_limit(r: Any, slot: Any, moving: Any) -> None:
    """Note the first element from the next on that an older instruction has yet to time.

    Also how many cycles pass at the least from the first word that has not gone until that element goes.
    """
    limit, window = NEVER, NEVER
    if slot.element_waits > 0:
        depends, element, k = r.depends[slot.number], slot.element, 0
        while r.order[k] != slot.number:
            older = r.slots[r.order[k]]
            follows = depends[r.order[k]] & FOLLOWS_ELEMENT != 0
            if follows and element < older.first + older.elements:
                limit = smaller(limit, larger(element, older.first + older.element))
                latency = 1
                if moving.first_write < 0 and older.unit != MEMORY:
                    latency = r.program[older.pc].latency
                window = smaller(window, 1 + latency)
            k += 1
    elif clear_from(r, instruction_of(r, slot)) <= larger(slot.words_from, slot.cycle):
        moving.clear = 1
    moving.limit, moving.window = limit, window


def _note_earliest(r: Any, slot: Any, moving: Any, earliest: Any) -> None:
    """Note from when registers let the elements go whose operands and hazards are known."""
    a, b, d = moving.first_read, moving.second_read, moving.first_write
    k, end = slot.element, smaller(moving.limit, slot.elements)
    while moving.clear == 1 and k < end:
        earliest[k] = 0
        k += 1
    while k < end:
        cycle = 0
        if a >= 0:
            cycle = r.ready[a][k]
        if b >= 0:
            cycle = larger(cycle, r.ready[b][k])
        if d >= 0:
            cycle = larger(cycle, larger(r.ready[d][k], r.taken[d][k] + 1))
        earliest[k] = cycle
        k += 1


def _pass_plain(r: Any, port: Any, slot: Any, moving: Any, cycle: Any, until: Any) -> Any:
    """Transfer words that are one element each, as :func:`step_access` does; return the same."""
    oldest = r.order[0] == slot.number
    alone = oldest and r.machine.ports == 1 and r.machine.disambiguation < 2
    if alone:
        until = NEVER
    word, last, in_cycle = slot.word, slot.cycle, slot.in_cycle
    if word == 0:  # as if the words before had left no room before the first cycle
        if slot.words_from >= until:
            return slot.words_from
        last, in_cycle = slot.words_from - 1, moving.rate
    earliest, free_banks, banks, busy_for = r.earliest[port], r.banks, r.machine.banks, r.machine.bank_busy
    mask, final = banks - 1, slot.words - 1
    power, contiguous = banks & mask == 0, moving.kind == CONTIGUOUS
    addresses, base = r.word_address[slot.number], slot.address >> 2
    a, b, d, rate, limit = (
        moving.first_read,
        moving.second_read,
        moving.first_write,
        moving.rate,
        moving.limit,
    )
    taken_a, taken_b, ready_d = r.taken[larger(a, 0)], r.taken[larger(b, 0)], r.ready[larger(d, 0)]
    busy, operands, hazards, conflicts, attributed, following = 0, 0, 0, 0, 0, NEVER
    # Ahead of the clock no access ends, nor a wait whose cycles may be attributed to it.
    ahead = cycle if not (alone or oldest) else NEVER
    while word <= final:
        if word >= limit:
            slot.element = word
            _find_limit(r, slot, moving)
            _note_earliest(r, slot, moving, earliest)
            limit = moving.limit
            if word >= limit:
                break
        free = last if in_cycle < rate else last + 1
        ready = larger(free, earliest[word])
        address = base + word if contiguous else addresses[word]
        bank = free_banks[address & mask if power else address % banks]
        start = larger(ready, bank.free_at)
        if start >= until or (start > ahead and (word == 0 or start > ready)):
            following = larger(free, start)
            break
        if word == final and start > cycle and not alone:
            following = start
            break
        if word == 0:
            begin_transfer(r, slot, port, start)
            slot.first_ready = start + 1
        if start > free:
            if start > ready:
                conflicts += start - free
                if oldest:
                    attributed += larger(start - larger(free, r.control.retired), 0)
            elif (a >= 0 and r.ready[a][word] == start) or (b >= 0 and r.ready[b][word] == start):
                operands += start - free
            else:
                hazards += start - free
        bank.free_at = start + busy_for
        if d >= 0:
            ready_d[word] = start + 1
        if a >= 0:
            taken_a[word] = larger(taken_a[word], start)
            if b >= 0:
                taken_b[word] = larger(taken_b[word], start)
        busy += 1 if start > last else 0
        in_cycle = 1 if start > last else in_cycle + 1
        last = start
        word += 1
    if word > slot.word:
        slot.word = slot.element = word
        slot.cycle, slot.in_cycle, slot.arrives = last, in_cycle, last + 1
        r.units[MEMORY].busy += busy
        _book_waits(r, slot, operands, hazards, conflicts, attributed)
    return following


def _book_waits(r: Any, slot: Any, operands: Any, hazards: Any, conflicts: Any, attributed: Any) -> None:
    """Book the cycles that an access waited, by cause; those for banks that are attributed to it."""
    if operands + hazards + conflicts > 0:
        account = r.accounts[slot.pc]
        book(slot, account, causes.VECTOR_RAW, operands)
        book(slot, account, causes.VECTOR_WAR_WAW, hazards)
        book(slot, account, causes.BANK_CONFLICT, conflicts)
        account.attributed[causes.BANK_CONFLICT] += attributed
        slot.attributed += attributed


def _pass_records(r: Any, port: Any, slot: Any, moving: Any, cycle: Any, until: Any) -> Any:
    """Transfer words as :func:`step_access` does; return the same."""
    oldest = r.order[0] == slot.number
    alone = oldest and r.machine.ports == 1 and r.machine.disambiguation < 2
    if alone:
        until = NEVER
    banks, mask, busy_for = r.machine.banks, r.machine.banks - 1, r.machine.bank_busy
    power, contiguous = banks & mask == 0, moving.kind == CONTIGUOUS
    addresses, base = r.word_address[slot.number], slot.address >> 2
    a, b, rate, clear = moving.first_read, moving.second_read, moving.rate, moving.clear
    d, e, limit = moving.first_write, moving.second_write, moving.limit
    ready_a, taken_a = r.ready[larger(a, 0)], r.taken[larger(a, 0)]
    ready_b, taken_b = r.ready[larger(b, 0)], r.taken[larger(b, 0)]
    ready_d, taken_d = r.ready[larger(d, 0)], r.taken[larger(d, 0)]
    ready_e, taken_e = r.ready[larger(e, 0)], r.taken[larger(e, 0)]
    word, element, last, in_cycle = slot.word, slot.element, slot.cycle, slot.in_cycle
    final, free_banks, elements, record = slot.words - 1, r.banks, slot.elements, moving.record
    busy, operands, hazards, conflicts, attributed, following = 0, 0, 0, 0, 0, NEVER
    retired = r.control.retired
    while word <= final:
        passed, through, ends = 4 * word + 4 - moving.offset, element, (element + 1) * record
        while through < elements and ends <= passed:
            through, ends = through + 1, ends + record
        needed = through + 1 if through < elements and ends - record < passed else through
        if needed > limit:
            slot.element, slot.cycle = element, last
            _find_limit(r, slot, moving)
            limit, clear = moving.limit, moving.clear
            if needed > limit:
                break
        free = last if in_cycle < rate else last + 1
        if word == 0:
            free = slot.words_from
        if free >= until:
            following = free
            break
        operand, hazard = 0, 0
        if clear == 0:
            k = element
            while k < needed:
                if a >= 0:
                    operand = larger(operand, ready_a[k])
                    if b >= 0:
                        operand = larger(operand, ready_b[k])
                if d >= 0:
                    hazard = larger(hazard, larger(ready_d[k], taken_d[k] + 1))
                    if e >= 0:
                        hazard = larger(hazard, larger(ready_e[k], taken_e[k] + 1))
                k += 1
        if word == 0:
            operand = larger(operand, whole_operand(r, instruction_of(r, slot), -1))
            hazard = larger(hazard, whole_hazard(r, instruction_of(r, slot), -1))
        earliest = larger(free, larger(operand, hazard))
        address = base + word if contiguous else addresses[word]
        bank = free_banks[address & mask if power else address % banks]
        start = larger(earliest, bank.free_at)
        if start >= until:
            following = start
            break
        # Ahead of the clock no access ends, nor a wait whose cycles may be attributed to it.
        waited = word == 0 or start > earliest
        if start > cycle and not alone and (word == final or (waited and not oldest)):
            following = start
            break
        if word == 0:
            begin_transfer(r, slot, port, start)
        if start > free:
            if start == operand:
                operands += start - free
            elif start == hazard:
                hazards += start - free
            else:
                conflicts += start - free
                if oldest:
                    attributed += larger(start - larger(free, retired), 0)
        bank.free_at = start + busy_for
        if start > last:
            busy, in_cycle = busy + 1, 0
        in_cycle += 1
        last = start
        word += 1
        if element == 0 and through > 0:
            slot.first_ready = start + 1
        while element < through:
            if a >= 0:
                taken_a[element] = larger(taken_a[element], start)
                if b >= 0:
                    taken_b[element] = larger(taken_b[element], start)
            if d >= 0:
                ready_d[element] = start + 1
                if e >= 0:
                    ready_e[element] = start + 1
            element += 1
    slot.word, slot.element = word, element
    slot.cycle, slot.in_cycle, slot.arrives = last, in_cycle, last + 1
    r.units[MEMORY].busy += busy
    _book_waits(r, slot, operands, hazards, conflicts, attributed)
    return following
