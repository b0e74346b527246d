"""Queues, ports and units, as far ahead of the clock as nothing can interfere.

Ports share nothing but memory. So it is enough that words go in order of time, those of a cycle in the order
of the age of their accesses, up to a cycle in which another part may interfere:

- An access that is dispatched in a later cycle to a port without one transfers no word before the end of its
  startup.
- A port begins its next access when the clock has come to the end of the one before, and dispatch, too, sees
  that end then. So no instruction leaves flight later than others may look at it.
- Where scalar accesses go to a cache, no word goes ahead of the clock.

The functions are plain, and compiled with the rules that they name (:mod:`vecsim.engines.jit.rules`).
"""

from __future__ import annotations

from typing import Any

from isa.declaration import Unit
from vecsim.engines.jit.compiler.functions import apart
from vecsim.engines.jit.multiport.streams import GENERAL, look_at
from vecsim.engines.jit.multiport.units import look_at_all
from vecsim.engines.jit.multiport.wake_ups import wake
from vecsim.engines.jit.multiport.words import pass_words
from vecsim.engines.jit.state import ISSUE, PORT, QUEUE, UNIT
from vecsim.engines.rules.numbers import NEVER, larger, smaller
from vecsim.engines.rules.ports import finish_transfer
from vecsim.engines.rules.queues import step_queue
from vecsim.engines.state.row import NONE
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


def execute(r: Any, cycle: Any, stop: Any) -> None:
    """Transfer the words of all ports before ``stop`` that nothing else may change, and time what follows."""
    going = _any_acts(r, cycle)
    if not going:
        return
    while going:
        going = pass_words(r, cycle, _arrange(r, cycle, stop))
    for port in range(r.machine.ports):
        moving = r.moving[port]
        if moving.age < 0:
            r.wake_ups[PORT + port] = NEVER
        elif moving.kind != GENERAL:
            r.wake_ups[PORT + port] = moving.last if moving.word == moving.words else moving.at


def _any_acts(r: Any, cycle: Any) -> Any:
    """Return whether a unit or a port has something to do in this cycle."""
    acts = False
    for unit in range(ADD, r.machine.units):
        acts = acts or r.wake_ups[UNIT + unit] != NEVER
    for port in range(r.machine.ports):
        acts = acts or r.wake_ups[PORT + port] <= cycle
    return acts


@apart
def _arrange(r: Any, cycle: Any, stop: Any) -> Any:
    """List the ports whose accesses move, oldest first; return the cycle before which their words may go.

    Accesses end here whose last word has gone by ``cycle``.
    """
    horizon, count = stop, 0
    if r.machine.scalar_level >= 0:  # scalar accesses come to the caches between
        horizon = cycle + 1
    for port in range(r.machine.ports):
        moving = r.moving[port]
        if (
            moving.age >= 0
            and moving.kind != GENERAL
            and moving.word == moving.words
            and moving.last <= cycle
        ):
            awaited = r.slots[moving.slot].followers > 0
            finish_transfer(r, port, r.slots[moving.slot])
            if awaited:
                look_at_all(r, cycle)
            r.outcome.news = 1
        if r.ports[port].accesses == 0:
            moving.age = NONE
            horizon = smaller(horizon, cycle + 1 + r.machine.startup)
            continue
        slot = r.slots[r.accesses[port][0]]
        if moving.age != slot.age:
            look_at(r, port, moving, slot, cycle)
            r.outcome.news = 1
        if moving.word == moving.words:
            horizon = smaller(horizon, moving.last + 1)
            continue
        if moving.kind == GENERAL:
            moving.at, horizon = r.wake_ups[PORT + port], smaller(horizon, cycle + 1)
        _insert(r, count, port)
        count += 1
    r.outcome.streams = count
    if r.outcome.news == 1:
        _let_blocked_look(r, cycle)
    return horizon


def _insert(r: Any, count: Any, port: Any) -> None:
    """Insert a port into the first ``count`` of the ports that move."""
    k, age = count, r.moving[port].age
    while k > 0 and r.moving[r.turns[k - 1]].age > age:
        r.turns[k] = r.turns[k - 1]
        k -= 1
    r.turns[k] = port


def _let_blocked_look(r: Any, cycle: Any) -> None:
    """Let all streams look again that wait for what was not known."""
    for k in range(r.outcome.streams):
        moving = r.moving[r.turns[k]]
        if moving.blocked == 1:
            moving.at = larger(cycle, r.outcome.words_until)
    r.outcome.news = 0


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
