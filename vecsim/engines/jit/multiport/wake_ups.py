"""When each part of the machine acts next, in the compiled loop for any machine, and who is woken.

The functions are plain, and compiled with the rules that they name (:mod:`vecsim.engines.jit.rules`).
"""

from __future__ import annotations

from typing import Any

from isa.declaration import Unit
from vecsim.engines.rules.flight import list_flight
from vecsim.engines.rules.hazards import follows_elements
from vecsim.engines.rules.numbers import NEVER, smaller
from vecsim.engines.rules.ports import current_age, current_slot
from vecsim.engines.state.run import STORES

ISSUE, QUEUE, UNIT, PORT = 0, 0, 5, 10
"""Places in the array ``wake_ups``: issue; the queue of each unit and the units, by unit number; the
ports."""
MEMORY, ADD, SPARSE = int(Unit.MEMORY), int(Unit.ADD), int(Unit.SPARSE)


def begin(r: Any, capacity: Any) -> None:
    """Rebuild from the record what a run keeps next to it; everybody looks in the first cycle."""
    enough = r.scratch.enough_starts
    r.scratch.reset()
    r.scratch.enough_starts, r.scratch.times_ahead = enough, 1
    if capacity >= 0:
        r.scratch.timeline = 2 if enough > 0 else 1
    list_flight(r)
    for part in range(PORT + r.machine.ports):
        r.wake_ups[part] = 0
    r.wake_ups[UNIT + MEMORY] = NEVER  # the ports are its units


def oldest_port(r: Any, cycle: Any) -> Any:
    """Of the ports that act in this cycle, the one with the oldest access; -1 for none."""
    result, oldest = -1, NEVER
    for port in range(r.machine.ports):
        if r.wake_ups[PORT + port] <= cycle:
            age = current_age(r, port)
            if age < 0:
                r.wake_ups[PORT + port] = NEVER
            elif age < oldest:
                result, oldest = port, age
    return result


def wake(r: Any, part: Any, cycle: Any) -> None:
    """Wake a part that sleeps."""
    if r.wake_ups[part] == NEVER:
        r.wake_ups[part] = cycle


def hand_over(r: Any, cycle: Any) -> None:
    """Wake the parts that got an instruction: units and ports in this cycle, queues in the next."""
    for unit in range(MEMORY, STORES + 1):
        if r.scratch.handed_queues >> unit & 1:
            wake(r, QUEUE + unit, cycle + 1)
    for unit in range(ADD, SPARSE + 1):
        if r.scratch.handed_units >> unit & 1:
            wake(r, UNIT + unit, cycle)
    for port in range(r.machine.ports):
        if r.scratch.handed_ports >> port & 1:
            wake(r, PORT + port, cycle)
    r.scratch.handed_queues = r.scratch.handed_units = r.scratch.handed_ports = 0


def wake_followers(r: Any, cycle: Any) -> None:
    """Wake those that sleep and wait for elements that have just started; they see them in ``cycle``."""
    slot = r.scratch.started - 1
    r.scratch.started = 0
    if r.scratch.awaits_element == 1:
        wake(r, ISSUE, cycle)
    for unit in range(ADD, SPARSE + 1):
        if r.wake_ups[UNIT + unit] == NEVER and follows_elements(r, r.units[unit].slot, slot):
            r.wake_ups[UNIT + unit] = cycle
    for port in range(r.machine.ports):
        if r.wake_ups[PORT + port] == NEVER and follows_elements(r, current_slot(r, port), slot):
            r.wake_ups[PORT + port] = cycle


def wake_all(r: Any, cycle: Any) -> None:
    """Wake all that sleep, after an instruction has left flight in the cycle before ``cycle``."""
    r.scratch.left = 0
    for part in range(PORT + r.machine.ports):
        if part != UNIT + MEMORY:
            wake(r, part, cycle)


def next_cycle(r: Any) -> Any:
    """Return the first cycle in which a part acts."""
    cycle = r.wake_ups[ISSUE]
    for part in range(1, PORT + r.machine.ports):
        cycle = smaller(cycle, r.wake_ups[part])
    return cycle
