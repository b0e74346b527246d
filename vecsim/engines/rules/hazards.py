"""Who waits for whom among the instructions in flight (docs/timing.md, "Chaining", "WAR and WAW hazards")."""

from __future__ import annotations

from isa.declaration import Timing
from vecsim.engines.rules.memory_order import access_follows
from vecsim.engines.rules.numbers import NEVER, larger, smaller
from vecsim.engines.rules.renaming import instruction_of, writes_any
from vecsim.engines.rules.vector_cache import cache_waits
from vecsim.engines.state.flight import FOLLOWS_ELEMENT, FOLLOWS_ORDER, FOLLOWS_SLICE, FOLLOWS_WHOLE, Slot
from vecsim.engines.state.instruction import Instruction
from vecsim.engines.state.run import Run

ACCESS = int(Timing.ACCESS)


def register_waits(instruction: Instruction, older: Instruction) -> int:
    """Return what an instruction waits for in an older one, by vector registers ("WAR and WAW hazards").

    Reads and writes of the same elements follow element by element, those of a whole register as a whole.
    """
    reads, writes = instruction.read_set, instruction.write_set
    whole_reads, whole_writes = instruction.whole_read_set, instruction.whole_write_set
    read, written = older.read_set, older.write_set
    whole_read, whole_written = older.whole_read_set, older.whole_write_set
    completed = whole_written | older.added_set
    bits = 0
    if reads & written | writes & (read | written) != 0:  # RAW, WAR, WAW of elements
        bits |= FOLLOWS_ELEMENT
    # Where one of the two addresses the register as a whole: by what the younger does.
    whole = reads & completed | writes & (whole_read | completed)
    whole |= whole_reads & (written | completed)
    whole |= whole_writes & (read | written | whole_read | completed)
    whole |= instruction.added_set & (read | written | whole_read | whole_written)
    if whole != 0:
        bits |= FOLLOWS_WHOLE
    return bits


def count_wait(slot: Slot, bits: int, change: int) -> None:
    """Count a wait of ``slot`` for an older instruction, or count it no longer ("Chaining").

    Parameters
    ----------
    bits
        What it waits for, of :mod:`vecsim.engines.state.flight`.
    change
        1 or -1.
    """
    if bits & FOLLOWS_ELEMENT:
        slot.element_waits += change
    if bits & FOLLOWS_SLICE:
        slot.slice_waits += change
    if bits & (FOLLOWS_WHOLE | FOLLOWS_ORDER):
        slot.blocked += change


def follow_older(r: Run, slot: Slot) -> None:
    """Note what the new instruction in ``slot`` waits for in each one in flight ("WAR and WAW hazards")."""
    access, instruction = r.program[slot.pc].timing == ACCESS, instruction_of(r, slot)
    note_touched(r, slot)
    written = r.touched[slot.number].written
    touched = written | r.touched[slot.number].read
    cached = slot.slice >= 0 or slot.cache_first >= 0
    depends, every = r.depends[slot.number], r.scratch.times_ahead < 2  # a rule of a user is asked of all
    for k in range(r.scratch.in_flight):
        number, bits = r.order[k], 0
        theirs = r.touched[number]
        if every or touched & theirs.written | written & theirs.read != 0:
            bits = register_waits(instruction, instruction_of(r, r.slots[number]))
        if slot.kept_set != 0 and writes_any(r, r.slots[number], slot.kept_set):
            bits |= FOLLOWS_WHOLE
        if cached:
            bits |= cache_waits(r, slot, r.slots[number])
        if access and theirs.access == 1 and access_follows(r, slot, r.slots[number]):
            bits |= FOLLOWS_ORDER
        if bits != 0:
            depends[number] = bits
            r.slots[number].followers += 1
            count_wait(slot, bits, 1)


def note_touched(r: Run, slot: Slot) -> None:
    """Note the registers that the instruction in ``slot`` reads and writes ("WAR and WAW hazards")."""
    instruction, mine = instruction_of(r, slot), r.touched[slot.number]
    mine.written = instruction.write_set | instruction.whole_write_set | instruction.added_set
    mine.read = instruction.read_set | instruction.whole_read_set
    mine.access = 1 if r.program[slot.pc].timing == ACCESS else 0


def release(r: Run, slot: Slot, position: int, last: int) -> None:
    """End all waits for ``slot``, which has left flight from ``position``, and its own ("Chaining")."""
    k = position
    while slot.followers > 0:
        number = r.order[k]
        bits = r.depends[number][slot.number]
        if bits != 0:
            younger = r.slots[number]
            r.depends[number][slot.number] = 0
            slot.followers -= 1
            count_wait(younger, bits, -1)
            if bits & FOLLOWS_ORDER:
                younger.order_end = larger(younger.order_end, last + 1)
        k += 1
    depends = r.depends[slot.number]
    for j in range(position):
        if depends[r.order[j]] != 0:
            depends[r.order[j]] = 0
            r.slots[r.order[j]].followers -= 1


def first_blocked(r: Run, slot: Slot, element: int) -> int:
    """Return the first element from ``element`` on that an older one has yet to start ("Chaining")."""
    limit, k, depends = NEVER, 0, r.depends[slot.number]
    while r.order[k] != slot.number:
        if depends[r.order[k]] & FOLLOWS_ELEMENT != 0:
            older = r.slots[r.order[k]]
            if element < older.first + older.elements:
                limit = smaller(limit, larger(element, older.first + older.element))
        k += 1
    return limit


def follows_elements(r: Run, younger: int, slot: int) -> bool:
    """Return whether the instruction in slot ``younger``, -1 for none, waits for elements ("Chaining").

    Parameters
    ----------
    slot
        The number of the slot whose elements have started.
    """
    if younger < 0:
        return False
    return r.depends[younger][slot] & (FOLLOWS_ELEMENT | FOLLOWS_SLICE) != 0
