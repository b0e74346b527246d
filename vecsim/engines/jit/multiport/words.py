"""The words of an access of which each is an element of one register, timed in one loop.

Other accesses go by the rules of :mod:`vecsim.engines.rules.ports`, which this derives again.
"""

from __future__ import annotations

from typing import Any

from isa.declaration import Unit
from vecsim.engines.jit.compiler.functions import apart
from vecsim.engines.rules.banks import words_in_a_cycle
from vecsim.engines.rules.numbers import NEVER, larger, smaller
from vecsim.engines.rules.operands import clear_from
from vecsim.engines.rules.ports import begin_transfer, finish_transfer, first_cycle, run_port
from vecsim.engines.rules.renaming import instruction_of
from vecsim.engines.state import causes
from vecsim.engines.state.flight import FOLLOWS_ELEMENT

MEMORY = int(Unit.MEMORY)
GENERAL, CONTIGUOUS, ADDRESSES = range(3)
"""How the words of an access are timed: by the rules; here, by the base address or by that of each."""


@apart
def step_access(r: Any, port: Any, cycle: Any, until: Any) -> Any:
    """Transfer the words of a port that go before ``until``, none later than may be known in ``cycle``.

    Returns the cycle before which the next does not go, NEVER if it waits for what is not known.
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
    following = _pass_words(r, port, slot, moving, cycle, until)
    if slot.word > word:
        r.scratch.started = slot.number + 1
    if slot.word < slot.words:
        return following
    finish_transfer(r, port, slot)
    return cycle if r.ports[port].accesses > 0 else NEVER


@apart
def _look_at(r: Any, slot: Any, moving: Any) -> None:
    """Note how the words of an access are timed, and the registers that they read and write."""
    instruction = instruction_of(r, slot)
    moving.age, moving.window, moving.kind = slot.age, 2, GENERAL
    whole = len(instruction.whole_reads) + len(instruction.whole_writes)
    if r.machine.flat_memory == 0 or instruction.cache == 1 or whole > 0 or r.scratch.timeline == 2:
        return
    reads, writes = len(instruction.reads), len(instruction.writes)
    if reads > 2 or writes > 1:
        return
    if slot.end_byte >= 0:
        if instruction.record_bytes == 4 and slot.address & 3 == 0:
            moving.kind, moving.rate = CONTIGUOUS, words_in_a_cycle(r, instruction, True)
    elif instruction.value_bytes <= 4 and r.machine.merge_bytes == 0:
        moving.kind, moving.rate = ADDRESSES, words_in_a_cycle(r, instruction, False)
    moving.first_read = instruction.reads[0] if reads > 0 else -1
    moving.second_read = instruction.reads[1] if reads > 1 else -1
    moving.written = instruction.writes[0] if writes > 0 else -1
    moving.clear = 0
    moving.limit = -1


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
            if depends[older.number] & FOLLOWS_ELEMENT != 0 and element < older.first + older.elements:
                limit = smaller(limit, larger(element, older.first + older.element))
                latency = 1
                if moving.written < 0 and older.unit != MEMORY:
                    latency = r.program[older.pc].latency
                window = smaller(window, 1 + latency)
            k += 1
    elif clear_from(r, instruction_of(r, slot)) <= larger(slot.words_from, slot.cycle):
        moving.clear = 1
    moving.limit, moving.window = limit, window


def _pass_words(r: Any, port: Any, slot: Any, moving: Any, cycle: Any, until: Any) -> Any:
    """Transfer words as :func:`step_access` does; return the same."""
    oldest = r.order[0] == slot.number
    alone = oldest and r.machine.ports == 1 and r.machine.disambiguation < 2
    if alone:
        until = NEVER
    banks, mask, busy_for = r.machine.banks, r.machine.banks - 1, r.machine.bank_busy
    power, contiguous = banks & mask == 0, moving.kind == CONTIGUOUS
    addresses, base = r.word_address[slot.number], slot.address >> 2
    a, b, d, rate, clear = moving.first_read, moving.second_read, moving.written, moving.rate, moving.clear
    limit = moving.limit
    ready_a, taken_a = r.ready[larger(a, 0)], r.taken[larger(a, 0)]
    ready_b, taken_b = r.ready[larger(b, 0)], r.taken[larger(b, 0)]
    ready_d, taken_d = r.ready[larger(d, 0)], r.taken[larger(d, 0)]
    word, last, in_cycle = slot.word, slot.cycle, slot.in_cycle
    final, free_banks = slot.words - 1, r.banks
    busy, operands, hazards, conflicts, attributed, following = 0, 0, 0, 0, 0, NEVER
    retired = r.control.retired
    while word <= final:
        if word >= limit:
            slot.element, slot.cycle = word, last
            _find_limit(r, slot, moving)
            limit, clear = moving.limit, moving.clear
            if word >= limit:
                break
        free = last if in_cycle < rate else last + 1
        if word == 0:
            free = slot.words_from
        if free >= until:
            following = free
            break
        operand, hazard = 0, 0
        if clear == 0:
            if a >= 0:
                operand = ready_a[word]
            if b >= 0:
                operand = larger(operand, ready_b[word])
            if d >= 0:
                hazard = larger(ready_d[word], taken_d[word] + 1)
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
            slot.first_ready = start + 1
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
        if a >= 0:
            taken_a[word] = larger(taken_a[word], start)
        if b >= 0:
            taken_b[word] = larger(taken_b[word], start)
        if d >= 0:
            ready_d[word] = start + 1
        if start > last:
            busy, in_cycle = busy + 1, 0
        in_cycle += 1
        last = start
        word += 1
    slot.word = slot.element = word
    slot.cycle, slot.in_cycle, slot.arrives = last, in_cycle, last + 1
    r.units[MEMORY].busy += busy
    if operands + hazards + conflicts > 0:
        account = r.accounts[slot.pc]
        _book(slot, account, causes.VECTOR_RAW, operands)
        _book(slot, account, causes.VECTOR_WAR_WAW, hazards)
        _book(slot, account, causes.BANK_CONFLICT, conflicts)
        account.attributed[causes.BANK_CONFLICT] += attributed
        slot.attributed += attributed
    return following


def _book(slot: Any, account: Any, cause: Any, cycles: Any) -> None:
    """Book the cycles that an access waited for a cause."""
    slot.waits[cause] += cycles
    account.waited[cause] += cycles
