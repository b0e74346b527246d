"""The words of all ports in order of time, as far ahead of the clock as nothing can interfere.

Ports share nothing but the banks. So it is enough that words go in order of time, those of a cycle in the
order of the age of their accesses, and that no port goes on beyond a cycle in which another one, that waits
for something, may go on:

- An access that is dispatched in a later cycle to a port without one transfers no word before the end of its
  startup.
- A port that waits for an element which has no cycle yet goes on in the cycle after the next at the earliest,
  counted from the first word that has not gone: the word, then the element that waits for it, then its
  reader. If it waits for results alone, the latency of the unit is added.
- No access ends ahead of the clock. So no port chooses its next access, and no instruction retires, before
  all other parts have come to that cycle.

The functions are plain, and compiled with the rules that they name (:mod:`vecsim.engines.jit.rules`).
"""

from __future__ import annotations

from typing import Any

from isa.declaration import Unit
from vecsim.engines.jit.compiler.functions import apart
from vecsim.engines.jit.multiport.units import advance_units, look_at_all, look_at_first
from vecsim.engines.jit.multiport.wake_ups import ISSUE, PORT, QUEUE, UNIT, wake, wake_followers
from vecsim.engines.jit.multiport.words import GENERAL, step_access
from vecsim.engines.rules.numbers import NEVER, larger, smaller
from vecsim.engines.rules.ports import current_age
from vecsim.engines.rules.queues import step_queue
from vecsim.engines.state.run import STORES

MEMORY, ADD = int(Unit.MEMORY), int(Unit.ADD)

TIMES_AHEAD = 2
"""An element is timed as soon as its cycle is known."""


def dispatch(r: Any, cycle: Any) -> None:
    """Dispatch to the ports what can be dispatched in this cycle; units take from their queues themselves."""
    for queue in (MEMORY, STORES):
        if r.wake_ups[QUEUE + queue] <= cycle:
            r.wake_ups[QUEUE + queue] = step_queue(r, queue, cycle)
            if r.scratch.handed_ports != 0:
                hand_over(r, cycle)
                wake(r, ISSUE, cycle)


@apart
def hand_over(r: Any, cycle: Any) -> None:
    """Wake the parts that got an instruction: units and ports in this cycle, the queue in the next."""
    scratch = r.scratch
    for queue in (MEMORY, STORES):
        if scratch.handed_queues >> queue & 1:
            wake(r, QUEUE + queue, cycle + 1)
    for unit in range(ADD, r.machine.units):
        if (scratch.handed_queues | scratch.handed_units) >> unit & 1:
            wake(r, UNIT + unit, cycle)
    for port in range(r.machine.ports):
        if scratch.handed_ports >> port & 1:
            wake(r, PORT + port, cycle)
    scratch.handed_queues = scratch.handed_units = scratch.handed_ports = 0


def execute(r: Any, cycle: Any) -> None:
    """Transfer the words of all ports that go before anything else may happen, and time what follows them."""
    ports = r.machine.ports
    horizon = NEVER - 1 if r.machine.flat_memory == 1 else cycle + 1
    for port in range(ports):
        if r.ports[port].accesses == 0:
            r.wake_ups[PORT + port] = NEVER
            horizon = smaller(horizon, cycle + 1 + r.machine.startup)
        elif r.moving[port].stop == 1 and r.wake_ups[PORT + port] > cycle:
            horizon = smaller(horizon, r.wake_ups[PORT + port])
    bound = -1
    while True:
        chosen, first, oldest, second, younger, window = -1, horizon, NEVER, horizon, NEVER, NEVER
        for port in range(ports):
            start = larger(r.wake_ups[PORT + port], cycle)
            if start < horizon:
                age = current_age(r, port)
                if start < first or (start == first and age < oldest):
                    chosen, first, oldest, second, younger = port, start, age, first, oldest
                elif start < second or (start == second and age < younger):
                    second, younger = start, age
            elif start == NEVER and r.ports[port].accesses > 0:
                window = smaller(window, r.moving[port].window)
        if first >= bound:  # what follows the words up to here has its cycles before others go
            if advance_units(r, cycle):
                bound = -1
                continue
            if chosen < 0:
                return
            bound = horizon if window == NEVER else smaller(horizon, first + window)
        accesses = r.ports[chosen].accesses
        until = smaller(bound, second + 1 if oldest < younger else second)
        following = step_access(r, chosen, cycle, until)
        r.wake_ups[PORT + chosen], r.moving[chosen].stop = following, 0
        if r.scratch.started > 0:
            wake_followers(r, cycle + 1)
        if r.ports[chosen].accesses < accesses:
            if r.moving[chosen].kind == GENERAL:
                look_at_all(r, cycle)
            else:
                look_at_first(r, cycle)
            bound = -1
            if ports > 1:
                horizon = smaller(horizon, cycle + 1)
        elif following == NEVER:
            bound = -1
        elif following <= first:
            horizon, bound, r.moving[chosen].stop = first, -1, 1


@apart
def wake_all(r: Any, cycle: Any) -> None:
    """Wake all that sleep, after an instruction has left flight in the cycle before ``cycle``."""
    r.scratch.left = 0
    wake(r, ISSUE, cycle)
    wake(r, QUEUE + MEMORY, cycle)
    wake(r, QUEUE + STORES, cycle)


def next_cycle(r: Any) -> Any:
    """Return the first cycle in which a part acts."""
    cycle = smaller(r.wake_ups[ISSUE], smaller(r.wake_ups[QUEUE + MEMORY], r.wake_ups[QUEUE + STORES]))
    for port in range(r.machine.ports):
        cycle = smaller(cycle, r.wake_ups[PORT + port])
    return cycle
