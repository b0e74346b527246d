"""Which accesses wait for older ones (docs/timing.md, "Memory order")."""

from __future__ import annotations

from isa.declaration import Timing
from vecsim.engines.rules.addresses import base_address, words_of_element
from vecsim.engines.rules.numbers import NEVER, larger
from vecsim.engines.state.flight import MASKED_OFF, Slot
from vecsim.engines.state.instruction import Instruction
from vecsim.engines.state.run import Run
from vecsim.engines.state.units import Transfer

ACCESS = int(Timing.ACCESS)


def must_follow(store: int, first: int, end: int, older_store: int, older_first: int, older_end: int) -> bool:
    """Return whether an access must follow an older one ("Memory order").

    Parameters
    ----------
    older_store
        1 if the older access is a store, 0 for a load.
    first, end, older_first, older_end
        The first byte and the one after the last; the end is -1 if the access is not contiguous.
    """
    if store + older_store == 0:
        return False
    return end < 0 or older_end < 0 or (first < older_end and older_first < end)


def follows_in_flight(r: Run, older: Slot, store: int, first: int, end: int) -> bool:
    """Return whether an access must follow what is in flight in slot ``older`` ("Memory order").

    Parameters
    ----------
    first, end
        Its first byte and the one after its last; the end is -1 if it is not contiguous.
    """
    instruction = r.program[older.pc]
    if instruction.timing != ACCESS:
        return False
    if r.machine.disambiguation == 0:
        return must_follow(store, first, end, instruction.store, older.address, older.end_byte)
    return must_follow(store, first, end, instruction.store, older.lowest, older.highest)


def _touches(r: Run, slot: Slot, word: int) -> bool:
    """Return whether an access in flight transfers the word at an address ("Memory order")."""
    if slot.end_byte >= 0:
        return slot.address >> 2 <= word < slot.end_byte + 3 >> 2
    words = words_of_element(r.program[slot.pc])
    addresses, k = r.word_address[slot.number], 0
    while k < slot.addresses and not addresses[k] <= word < addresses[k] + words:
        k += 1
    return k < slot.addresses


def _touches_any(r: Run, slot: Slot, first: int, end: int) -> bool:
    """Return whether an access in flight transfers a word from ``first`` up to ``end`` ("Memory order")."""
    word = first
    while word < end and not _touches(r, slot, word):
        word += 1
    return word < end


def _meets(r: Run, older: Slot, first: int, words: int) -> bool:
    """Return whether an access in flight transfers a word of an element at ``first`` ("Memory order")."""
    return first != MASKED_OFF and _touches_any(r, older, first, first + words)


def words_meet(r: Run, slot: Slot, older: Slot) -> bool:
    """Return whether two accesses in flight transfer the same word ("Memory order")."""
    if slot.end_byte >= 0:
        return _touches_any(r, older, slot.address >> 2, slot.end_byte + 3 >> 2)
    words = words_of_element(r.program[slot.pc])
    addresses, k = r.word_address[slot.number], 0
    while k < slot.addresses and not _meets(r, older, addresses[k], words):
        k += 1
    return k < slot.addresses


def access_follows(r: Run, slot: Slot, older: Slot) -> bool:
    """Return whether an access must follow what is in flight in slot ``older`` ("Memory order")."""
    if r.program[slot.pc].store + r.program[older.pc].store == 0:
        return False
    return _must_follow(r, slot, older)


def _must_follow(r: Run, slot: Slot, older: Slot) -> bool:
    """Return the same where one of the two is a store ("Memory order")."""
    store, first, end = r.program[slot.pc].store, slot.address, slot.end_byte
    if r.machine.disambiguation > 0:
        first, end = slot.lowest, slot.highest
    follows = follows_in_flight(r, older, store, first, end)
    return follows and (r.machine.disambiguation < 2 or words_meet(r, slot, older))


def scalar_follows(r: Run, older: Slot, store: int, first: int, end: int) -> bool:
    """Return whether a scalar access must follow what is in flight in slot ``older`` ("Memory order")."""
    if not follows_in_flight(r, older, store, first, end):
        return False
    return r.machine.disambiguation < 2 or _touches_any(r, older, first >> 2, end + 3 >> 2)


def latest_transfer(r: Run, port: int) -> Transfer:
    """Return the transfer of a port that ended last ("Accesses")."""
    return r.transfers[port][r.ports[port].latest]


def earlier_transfer(r: Run, port: int, k: int) -> Transfer:
    """Return the k-th transfer of a port before its latest, 0 for that itself ("Accesses")."""
    place = r.ports[port].latest + k
    if place >= r.machine.transfers:
        place -= r.machine.transfers
    return r.transfers[port][place]


def scalar_order_at(r: Run, instruction: Instruction, cycle: int) -> int:
    """Return the end of the accesses that a scalar one must follow, if not before ``cycle`` ("Memory order").

    NEVER while one is in flight.
    """
    first, store = base_address(r, instruction), instruction.store
    end = first + instruction.record_bytes
    for k in range(r.scratch.in_flight):
        if scalar_follows(r, r.slots[r.order[k]], store, first, end):
            return NEVER
    latest = 0
    for port in range(r.machine.ports):
        k = 0
        while k < r.machine.transfers:
            older = earlier_transfer(r, port, k)
            if older.end < cycle:
                break
            if must_follow(store, first, end, older.store, older.first_byte, older.end_byte):
                latest = larger(latest, older.end)
            k += 1
    return latest
