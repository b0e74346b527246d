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
    instruction = r.program[slot.pc]
    cached = slot.slice >= 0 or slot.cache_first >= 0
    for k in range(r.scratch.in_flight):
        older = r.slots[r.order[k]]
        bits = register_waits(instruction_of(r, slot), instruction_of(r, older))
        if writes_any(r, older, slot.kept_set):
            bits |= FOLLOWS_WHOLE
        if cached:
            bits |= cache_waits(r, slot, older)
        if instruction.timing == ACCESS and access_follows(r, slot, older):
            bits |= FOLLOWS_ORDER
        if bits != 0:
            r.depends[slot.number][older.number] = bits
            count_wait(slot, bits, 1)


def release(r: Run, slot: Slot, position: int, last: int) -> None:
    """End all waits for ``slot``, which has left flight from ``position``, and its own ("Chaining")."""
    for k in range(position, r.scratch.in_flight):
        younger = r.slots[r.order[k]]
        bits = r.depends[younger.number][slot.number]
        if bits != 0:
            r.depends[younger.number][slot.number] = 0
            count_wait(younger, bits, -1)
            if bits & FOLLOWS_ORDER:
                younger.order_end = larger(younger.order_end, last + 1)
    for k in range(position):
        r.depends[slot.number][r.order[k]] = 0


def first_blocked(r: Run, slot: Slot, element: int) -> int:
    """Return the first element from ``element`` on that an older one has yet to start ("Chaining")."""
    limit, k = NEVER, 0
    while r.order[k] != slot.number:
        older = r.slots[r.order[k]]
        follows = r.depends[slot.number][older.number] & FOLLOWS_ELEMENT != 0
        if follows and element < older.first + older.elements:
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
