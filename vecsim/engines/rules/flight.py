"""How a vector instruction enters flight, and how it leaves it (docs/timing.md, "Issue" and "The end")."""

from __future__ import annotations

from isa.declaration import Pattern, Timing
from vecsim.engines.rules.accounts import retire_from_flight
from vecsim.engines.rules.addresses import (
    ENDING,
    LEVELS_AT,
    LEVELS_MASK,
    MISSING_MASK,
    NOT_ACCESSED,
    base_address,
    contiguous_bytes,
    list_length,
    listed_address,
    words_of_element,
)
from vecsim.engines.rules.hazards import count_wait, follow_older, note_touched, release
from vecsim.engines.rules.numbers import NEVER, larger, smaller
from vecsim.engines.rules.operands import complete
from vecsim.engines.rules.renaming import (
    instruction_of,
    is_renamed,
    name_registers,
    note_retirement,
    pass_on,
)
from vecsim.engines.rules.timeline import write_vector_row
from vecsim.engines.state.flight import MASKED_OFF, Slot
from vecsim.engines.state.instruction import Instruction
from vecsim.engines.state.run import Run

ACCESS, SPARSE = int(Timing.ACCESS), int(Timing.SPARSE)
CONTIGUOUS, LISTED = int(Pattern.CONTIGUOUS), int(Pattern.LISTED)


def list_flight(r: Run) -> None:
    """Rebuild from the record the order of age, and how much each slot waits for ("Issue")."""
    in_flight = 0
    for number in range(r.machine.slots):
        slot = r.slots[number]
        slot.blocked = slot.element_waits = slot.slice_waits = slot.followers = 0
        if slot.age >= 0:
            k = in_flight
            while k > 0 and r.slots[r.order[k - 1]].age > slot.age:
                r.order[k] = r.order[k - 1]
                k -= 1
            r.order[k] = number
            in_flight += 1
    r.scratch.in_flight = in_flight
    for k in range(in_flight):
        slot = r.slots[r.order[k]]
        note_touched(r, slot)
        for j in range(k):
            bits = r.depends[slot.number][r.order[j]]
            count_wait(slot, bits, 1)
            r.slots[r.order[j]].followers += 1 if bits != 0 else 0


def enter(r: Run, instruction: Instruction, cycle: int, n: int) -> Slot:
    """Return a slot for n >= 1 elements of an instruction that issues in ``cycle`` ("Issue")."""
    number = r.scratch.next_slot
    while r.slots[number].age >= 0:
        number = number + 1 if number + 1 < r.machine.slots else 0
    r.scratch.next_slot = number + 1 if number + 1 < r.machine.slots else 0
    slot = r.slots[number]
    slot.reset()
    slot.number = number
    slot.age, slot.pc = r.control.count, instruction.number
    slot.unit, slot.elements, slot.issued_at = instruction.unit, n, cycle
    slot.recovery = _recovery(r, instruction)
    _name_elements(r, slot, instruction)
    name_registers(r, slot, instruction)
    if instruction.timing == ACCESS:
        _place_words(r, slot, instruction)
    elif instruction.timing == SPARSE:  # those of a recorded program are in a list
        slot.words = list_length(r, instruction) if instruction.base_register >= 0 else n
    if instruction.masked == 1:
        _note_mask(r, slot, instruction)
    follow_older(r, slot)
    r.order[r.scratch.in_flight] = number
    r.scratch.in_flight += 1
    return slot


def _recovery(r: Run, instruction: Instruction) -> int:
    """Return the cycles that a unit takes after the last element ("Recorded programs").

    They belong to the part that has the last element of an instruction.
    """
    ending = r.special[ENDING]
    if (instruction.recovery == 0 and instruction.level == 0 and instruction.pair == 0) or ending == 0:
        return 0
    levels, missing = ending >> LEVELS_AT & LEVELS_MASK, ending >> 1 & MISSING_MASK
    return instruction.recovery + instruction.level * levels - (instruction.pair * missing >> 1)


def _name_elements(r: Run, slot: Slot, instruction: Instruction) -> None:
    """Note where in a register, or in the vector cache, the elements are ("Chaining", "Vector cache")."""
    if instruction.cache == 1:
        slot.cache_first = r.x[instruction.element_register]
    elif instruction.element_register >= 0:
        slot.first = r.x[instruction.element_register] & (r.machine.section_size - 1)
    if instruction.slice_register >= 0:
        slot.slice = r.x[instruction.slice_register]


def _place_words(r: Run, slot: Slot, instruction: Instruction) -> None:
    """Note the bytes and words of an access, whose addresses are in the state ("Accesses")."""
    n, base = slot.elements, base_address(r, instruction)
    slot.address = base
    if instruction.pattern == CONTIGUOUS:
        slot.end_byte = base + contiguous_bytes(r, instruction, n)
        slot.words = (slot.end_byte - 1 >> 2) - (base >> 2) + 1
        slot.lowest, slot.highest = base, slot.end_byte
    elif instruction.pattern == LISTED:
        _place_listed(r, slot, instruction)
    else:
        slot.addresses = n
        slot.words = n * words_of_element(instruction)
        addresses = r.word_address[slot.number]
        slot.lowest = slot.highest = r.address[0]
        for k in range(n):
            addresses[k] = r.address[k] >> 2
            slot.lowest = smaller(slot.lowest, r.address[k])
            slot.highest = larger(slot.highest, r.address[k])
        slot.highest += instruction.value_bytes


def _place_listed(r: Run, slot: Slot, instruction: Instruction) -> None:
    """Note the words of a listed access ("Recorded programs")."""
    count, addresses = list_length(r, instruction), r.word_address[slot.number]
    slot.addresses, slot.words = count, count * words_of_element(instruction)
    slot.lowest, slot.highest = NEVER, 0
    for k in range(count):
        address = listed_address(r, instruction, k)
        if address == NOT_ACCESSED:
            addresses[k] = MASKED_OFF
        else:
            addresses[k] = address >> 2
            slot.lowest, slot.highest = smaller(slot.lowest, address), larger(slot.highest, address)
    slot.highest += instruction.value_bytes


def _note_mask(r: Run, slot: Slot, instruction: Instruction) -> None:
    """Note which elements are masked off, and the bytes that an access of the others touches ("Masks")."""
    addresses, apart = r.word_address[slot.number], slot.end_byte < 0 and instruction.timing == ACCESS
    lowest, highest = NEVER, 0
    for k in range(slot.elements):
        if r.mask[k] == 0:
            addresses[k] = MASKED_OFF
        elif apart:
            lowest, highest = smaller(lowest, r.address[k]), larger(highest, r.address[k])
        else:
            addresses[k] = 0
    if apart:
        slot.lowest, slot.highest = lowest, highest + instruction.value_bytes


def word_is_off(r: Run, slot: Slot, instruction: Instruction, word: int, begin: int, end: int) -> bool:
    """Return whether a word of an access is masked off, which touches these elements ("Masks").

    Parameters
    ----------
    word
        Its number in the access.
    begin, end
        The first of the elements, and the one after the last.
    """
    if instruction.pattern == LISTED:
        addresses = r.word_address[slot.number]
        return addresses[word // words_of_element(instruction)] == MASKED_OFF
    return is_masked_off(r, slot, instruction, begin, end)


def is_masked_off(r: Run, slot: Slot, instruction: Instruction, begin: int, end: int) -> bool:
    """Return whether all elements from ``begin`` up to ``end`` are masked off ("Masks")."""
    return instruction.masked == 1 and _all_off(r, slot, begin, end)


def _all_off(r: Run, slot: Slot, begin: int, end: int) -> bool:
    """Return whether the mask is 0 of all elements from ``begin`` up to ``end`` ("Masks")."""
    addresses, k = r.word_address[slot.number], begin
    while k < end and addresses[k] == MASKED_OFF:
        k += 1
    return k == end


def leave(r: Run, slot: Slot, last: int, result: int, retire: int) -> None:
    """Take ``slot`` out of flight: its last element starts in ``last`` ("The end")."""
    complete(r, instruction_of(r, slot), last, result)
    pass_on(r, slot, result)
    note_retirement(r, slot.age, retire)
    position = 0
    while r.order[position] != slot.number:
        position += 1
    r.scratch.in_flight -= 1
    for k in range(position, r.scratch.in_flight):
        r.order[k] = r.order[k + 1]
    _complete_scalars(r, slot, result)
    retire_from_flight(r, slot, position, last, retire)
    if r.scratch.timeline > 0:
        write_vector_row(r, slot, result, retire)
    release(r, slot, position, last)
    slot.age = -1
    slot.element_waits = slot.slice_waits = 0  # of older ones that are still in flight
    r.scratch.left = 1


def _complete_scalars(r: Run, slot: Slot, result: int) -> None:
    """Note when scalar registers are ready that come with the last element ("Issue").

    Those that others in flight still write are not. One that is renamed is set by its youngest writer.
    """
    for register in r.program[slot.pc].late:
        awaited = False
        for k in range(r.scratch.in_flight):
            for other in r.program[r.slots[r.order[k]].pc].late:
                awaited = awaited or other == register
        if is_renamed(r, register):
            awaited = r.scalar_writers[register] != slot.age
        if not awaited:
            r.scalars[register].ready_at = result
