"""Arithmetic and sparse units ahead of the clock.

An element has its cycle as soon as those that it waits for have theirs.

Such a unit shares nothing with others, so the time of its elements follows from those of their operands, and
that of a dispatch from the end of the instruction before.
"""

from __future__ import annotations

from typing import Any

from isa.declaration import Unit
from vecsim.engines.jit.compiler.functions import apart
from vecsim.engines.jit.multiport.wake_ups import ISSUE, PORT, UNIT, wake, wake_followers
from vecsim.engines.rules.arithmetic import step_arithmetic
from vecsim.engines.rules.numbers import NEVER
from vecsim.engines.rules.queues import dispatch_next
from vecsim.engines.rules.sparse import step_sparse
from vecsim.engines.rules.units import kind_of

ADD, SPARSE = int(Unit.ADD), int(Unit.SPARSE)


def advance_units(r: Any, cycle: Any) -> Any:
    """Time what can be timed in the units that something has happened to; return whether there are any."""
    happened, again = False, True
    while again:
        again = False
        for unit in range(ADD, r.machine.units):
            if r.wake_ups[UNIT + unit] != NEVER:
                r.wake_ups[UNIT + unit] = NEVER
                _advance(r, unit, cycle)
                happened = again = True
    return happened


@apart
def _advance(r: Any, unit: Any, cycle: Any) -> None:
    """Time all that can be timed in a unit, one instruction after the other."""
    state = r.units[unit]
    while True:
        if state.slot < 0:
            if state.queued == 0:
                return
            dispatch_next(r, unit, state.free_at)
            r.scratch.handed_units = 0
            wake(r, ISSUE, cycle + 1)
        if kind_of(r, unit) == SPARSE:
            step_sparse(r, unit, cycle)
        else:
            step_arithmetic(r, unit, cycle)
        if r.scratch.started > 0:
            wake_followers(r, cycle + 1)
        if state.slot >= 0:
            return
        look_at_units(r, cycle)


@apart
def look_at_units(r: Any, cycle: Any) -> None:
    """Look at all units and ports again, for an instruction has left flight that they may have waited for."""
    for unit in range(ADD, r.machine.units):
        if r.units[unit].slot >= 0:
            wake(r, UNIT + unit, cycle + 1)
    for port in range(r.machine.ports):
        if r.ports[port].accesses > 0:
            wake(r, PORT + port, cycle + 1)
