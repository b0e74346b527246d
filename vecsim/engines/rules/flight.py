"""How a vector instruction enters flight, and how it leaves it (docs/timing.md, "Issue" and "State")."""

from __future__ import annotations

from typing import Any

from isa.declaration import Pattern, Timing
from vecsim.engines.cause import WAITS
from vecsim.engines.columns import control, flight, instruction, parameter, work
from vecsim.engines.rules.accounts import retire_from_flight
from vecsim.engines.rules.addresses import base_address, words_of_element
from vecsim.engines.rules.hazards import count_wait, follow_older, release
from vecsim.engines.rules.operands import complete
from vecsim.engines.rules.renaming import (
    is_renamed,
    name_registers,
    note_retirement,
    pass_on,
    restore_row,
    row_of,
)
from vecsim.engines.rules.rows import write_vector_row

ACCESS, CONTIGUOUS = int(Timing.ACCESS), int(Pattern.CONTIGUOUS)


def list_flight(r: Any) -> None:
    """Rebuild from the record what is kept beside it: the order of age, and what each slot waits for."""
    flying = 0
    for slot in range(r.machine[parameter.SLOTS]):
        age = r.slots[slot * flight.COLUMNS + flight.AGE]
        if age >= 0:
            k = flying
            while k > 0 and r.slots[r.order[k - 1] * flight.COLUMNS + flight.AGE] > age:
                r.order[k] = r.order[k - 1]
                k -= 1
            r.order[k] = slot
            flying += 1
    r.work[work.FLYING] = flying
    for k in range(flying):
        slot = r.order[k]
        restore_row(r, slot)
        _clear_facts(r, slot)
        for j in range(k):
            count_wait(r, slot, r.depends[slot * r.machine[parameter.SLOTS] + r.order[j]], 1)


def _clear_facts(r: Any, slot: Any) -> None:
    for j in range(slot * flight.FACTS, (slot + 1) * flight.FACTS):
        r.facts[j] = 0


def enter(r: Any, i: Any, cycle: Any, n: Any) -> Any:
    """Give a free slot, filled for n >= 1 elements of an instruction that issues in ``cycle``."""
    slot, slots = 0, r.slots
    while slots[slot * flight.COLUMNS + flight.AGE] >= 0:
        slot += 1
    at = slot * flight.COLUMNS
    for j in range(flight.COLUMNS):
        slots[at + j] = 0
    for j in range(WAITS):
        r.waits[slot * WAITS + j] = 0
    slots[at + flight.PORT] = slots[at + flight.DISPATCHED_AT] = slots[at + flight.BASE] = -1
    slots[at + flight.START_CYCLE] = slots[at + flight.CYCLE] = slots[at + flight.FIRST_READY] = -1
    slots[at + flight.ADDRESS] = slots[at + flight.LAST_BYTE] = -1
    slots[at + flight.SLICE] = slots[at + flight.CACHE_FIRST] = -1
    slots[at + flight.AGE], slots[at + flight.PC] = r.control[control.COUNT], i // instruction.WIDTH
    slots[at + flight.UNIT] = r.program[i + instruction.UNIT]
    slots[at + flight.ELEMENTS], slots[at + flight.ISSUED_AT] = n, cycle
    _name_elements(r, i, at)
    slots[at + flight.ROW] = name_registers(r, i, slot)
    if r.program[i + instruction.TIMING] == ACCESS:
        _place_words(r, i, slot, n)
    _clear_facts(r, slot)
    follow_older(r, slot)
    r.order[r.work[work.FLYING]] = slot
    r.work[work.FLYING] += 1
    return slot


def _name_elements(r: Any, i: Any, at: Any) -> None:
    """Note where in a register, or in the vector cache, the elements of an instruction are."""
    register = r.program[i + instruction.ELEMENT_REGISTER]
    if r.program[i + instruction.CACHE] == 1:
        r.slots[at + flight.CACHE_FIRST] = r.x[register]
    elif register >= 0:
        r.slots[at + flight.FIRST] = r.x[register] & (r.machine[parameter.SECTION_SIZE] - 1)
    if r.program[i + instruction.SLICE_REGISTER] >= 0:
        r.slots[at + flight.SLICE] = r.x[r.program[i + instruction.SLICE_REGISTER]]


def _place_words(r: Any, i: Any, slot: Any, n: Any) -> None:
    """Note the bytes and words of an access of n elements, whose addresses are in the state."""
    at, base = slot * flight.COLUMNS, base_address(r, i)
    r.slots[at + flight.ADDRESS] = base
    if r.program[i + instruction.PATTERN] == CONTIGUOUS:
        end = base + n * r.program[i + instruction.RECORD_BYTES]
        r.slots[at + flight.LAST_BYTE] = end
        r.slots[at + flight.WORDS] = (end - 1 >> 2) - (base >> 2) + 1
    else:
        r.slots[at + flight.WORDS] = n * words_of_element(r, i)
        words = slot * r.machine[parameter.SECTION_SIZE]
        for k in range(n):
            r.word_address[words + k] = r.address[k] >> 2


def leave(r: Any, slot: Any, last: Any, result: Any, retire: Any) -> None:
    """Take ``slot`` out of flight: its last element starts in ``last``."""
    i, row = r.slots[slot * flight.COLUMNS + flight.PC] * instruction.WIDTH, row_of(r, slot)
    complete(r, row, last, result)
    pass_on(r, row, result)
    note_retirement(r, r.slots[slot * flight.COLUMNS + flight.AGE], retire)
    position = 0
    while r.order[position] != slot:
        position += 1
    r.work[work.FLYING] -= 1
    for k in range(position, r.work[work.FLYING]):
        r.order[k] = r.order[k + 1]
    _complete_scalars(r, i, r.slots[slot * flight.COLUMNS + flight.AGE], result)
    retire_from_flight(r, slot, position, last, retire)
    if r.work[work.TIMELINE] > 0:
        write_vector_row(r, slot, result, retire)
    release(r, slot, position, last)
    r.slots[slot * flight.COLUMNS + flight.AGE] = -1
    r.work[work.LEFT] = 1


def _complete_scalars(r: Any, i: Any, age: Any, result: Any) -> None:
    """Give the scalar registers that come with the last element, but for those that others still write.

    One that is renamed is given by the youngest instruction that writes it.
    """
    for j in range(i + instruction.LATE + 1, i + instruction.LATE + 1 + r.program[i + instruction.LATE]):
        pending = False
        for k in range(r.work[work.FLYING]):
            late = r.slots[r.order[k] * flight.COLUMNS + flight.PC] * instruction.WIDTH + instruction.LATE
            for other in range(late + 1, late + 1 + r.program[late]):
                pending = pending or r.program[other] == r.program[j]
        if is_renamed(r, r.program[j]):
            pending = r.scalar_writer[r.program[j]] != age
        if not pending:
            r.scalar_ready[r.program[j]] = result
