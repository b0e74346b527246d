"""When each part of the machine acts next, in the compiled loop for any machine, and who is woken.

The functions are plain, and compiled with the rules that they name (:mod:`vecsim.engines.jit.rules`).
"""

from __future__ import annotations

from typing import Any

from isa.declaration import Unit
from vecsim.engines.jit.compiler.functions import apart
from vecsim.engines.jit.state import ISSUE, PORT, UNIT
from vecsim.engines.rules.flight import list_flight
from vecsim.engines.rules.hazards import follows_elements
from vecsim.engines.rules.numbers import NEVER
from vecsim.engines.rules.ports import current_slot
from vecsim.engines.rules.queues import dispatch_next
from vecsim.engines.state.row import NONE

ADD = int(Unit.ADD)


def begin(r: Any, capacity: Any, times_ahead: Any) -> None:
    """Rebuild from the record what a run keeps next to it; everybody looks in the first cycle."""
    enough = r.scratch.enough_starts
    r.scratch.reset()
    r.scratch.enough_starts, r.scratch.times_ahead = enough, times_ahead
    if capacity >= 0:
        r.scratch.timeline = 2 if enough > 0 else 1
    list_flight(r)
    for part in range(PORT + r.machine.ports):
        r.wake_ups[part] = 0
    if times_ahead == 2:  # what another engine left to be dispatched in the first cycle makes room for issue
        for unit in range(ADD, r.machine.units):
            if r.units[unit].slot < 0 and r.units[unit].queued > 0:
                dispatch_next(r, unit, r.units[unit].free_at)
        r.scratch.handed_units = 0
    r.outcome.words_until = 0
    for port in range(r.machine.ports):
        r.moving[port].age = NONE


def wake(r: Any, part: Any, cycle: Any) -> None:
    """Wake a part that sleeps."""
    if r.wake_ups[part] == NEVER:
        r.wake_ups[part] = cycle


def book(slot: Any, account: Any, cause: Any, cycles: Any) -> None:
    """Book cycles that an instruction waited for a cause and that are not attributed to it.

    Parameters
    ----------
    slot, account
        The instruction in flight, and its account.
    cycles
        How many.
    """
    slot.waits[cause] += cycles
    account.waited[cause] += cycles


def wake_followers(r: Any, cycle: Any) -> None:
    """Wake those that sleep and wait for elements that have just started; they see them in ``cycle``."""
    slot = r.scratch.started - 1
    r.scratch.started = 0
    if r.slots[slot].followers > 0:
        _wake_all_that_follow(r, slot, cycle)
    if r.scratch.awaits_element == 1:
        wake(r, ISSUE, cycle)


@apart
def _wake_all_that_follow(r: Any, slot: Any, cycle: Any) -> None:
    """Wake the units and ports that sleep and whose instruction follows elements of the one in a slot."""
    for unit in range(ADD, r.machine.units):
        if r.wake_ups[UNIT + unit] == NEVER and follows_elements(r, r.units[unit].slot, slot):
            r.wake_ups[UNIT + unit] = cycle
    for port in range(r.machine.ports):
        if r.wake_ups[PORT + port] == NEVER and follows_elements(r, current_slot(r, port), slot):
            r.wake_ups[PORT + port] = cycle
