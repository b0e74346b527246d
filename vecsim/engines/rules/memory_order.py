"""Which accesses wait for older ones (docs/timing.md, "Memory order")."""

from __future__ import annotations

from isa.declaration import Timing
from vecsim.engines.rules.addresses import base_address
from vecsim.engines.rules.numbers import NEVER, larger
from vecsim.engines.state.flight import Slot
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
    return must_follow(store, first, end, instruction.store, older.address, older.end_byte)


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
        if follows_in_flight(r, r.slots[r.order[k]], store, first, end):
            return NEVER
    latest = 0
    for port in range(r.machine.memory_ports):
        k = 0
        while k < r.machine.transfers:
            older = earlier_transfer(r, port, k)
            if older.end < cycle:
                break
            if must_follow(store, first, end, older.store, older.first_byte, older.end_byte):
                latest = larger(latest, older.end)
            k += 1
    return latest
