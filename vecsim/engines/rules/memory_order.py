"""Which accesses wait for older ones (docs/timing.md, "Memory order")."""

from __future__ import annotations

from typing import Any

from isa.declaration import Timing
from vecsim.engines.columns import flight, history, instruction, parameter, work
from vecsim.engines.rules.addresses import base_address
from vecsim.engines.rules.numbers import NEVER, larger

ACCESS = int(Timing.ACCESS)


def must_follow(store: Any, first: Any, end: Any, older_store: Any, older_first: Any, older_end: Any) -> Any:
    """Tell whether an access must follow an older one.

    Parameters
    ----------
    older_store
        1 if the older is a store, 0 for a load.
    first, end, older_first, older_end
        The first byte and the one after the last; the end is -1 if the access is not contiguous.
    """
    if store + older_store == 0:
        return False
    return end < 0 or older_end < 0 or (first < older_end and older_first < end)


def follows_in_flight(r: Any, older: Any, store: Any, first: Any, end: Any) -> Any:
    """Tell whether an access must follow what is in flight in slot ``older``.

    Parameters
    ----------
    first, end
        Its first byte and the one after its last; the end is -1 if it is not contiguous.
    """
    at = older * flight.COLUMNS
    j = r.slots[at + flight.PC] * instruction.WIDTH
    if r.program[j + instruction.TIMING] != ACCESS:
        return False
    older_first, older_end = r.slots[at + flight.ADDRESS], r.slots[at + flight.LAST_BYTE]
    return must_follow(store, first, end, r.program[j + instruction.STORE], older_first, older_end)


def scalar_order_at(r: Any, i: Any, cycle: Any) -> Any:
    """Give the end of the accesses that a scalar access must follow, if it is not before ``cycle``.

    NEVER while one is in flight.
    """
    first, store = base_address(r, i), r.program[i + instruction.STORE]
    end, ended = first + r.program[i + instruction.RECORD_BYTES], r.port_history
    for k in range(r.work[work.FLYING]):
        if follows_in_flight(r, r.order[k], store, first, end):
            return NEVER
    latest, rows = 0, history.COLUMNS * r.machine[parameter.HISTORY]
    for port in range(r.machine[parameter.MEMORY_PORTS]):
        at, stop = port * rows, (port + 1) * rows
        while at < stop and ended[at + history.END] >= cycle:
            older_first, older_end = ended[at + history.FIRST_BYTE], ended[at + history.LAST_BYTE]
            if must_follow(store, first, end, ended[at + history.STORED], older_first, older_end):
                latest = larger(latest, ended[at + history.END])
            at += history.COLUMNS
    return latest
