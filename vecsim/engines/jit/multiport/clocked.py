"""The parts of the machine cycle by cycle: what a part does another sees in the next cycle.

So rules of a user are called in the cycles in which the SimPy model calls them. The functions are plain, and
compiled with the rules that they name (:mod:`vecsim.engines.jit.rules`).
"""

from __future__ import annotations

from typing import Any

from isa.declaration import Unit
from vecsim.engines.jit.compiler.functions import apart
from vecsim.engines.jit.multiport.wake_ups import wake, wake_followers
from vecsim.engines.jit.state import ISSUE, PORT, QUEUE, UNIT
from vecsim.engines.rules.arithmetic import step_arithmetic
from vecsim.engines.rules.numbers import NEVER, smaller
from vecsim.engines.rules.ports import current_age, step_port
from vecsim.engines.rules.queues import step_queue
from vecsim.engines.rules.sparse import step_sparse
from vecsim.engines.rules.units import kind_of

ADD, SPARSE = int(Unit.ADD), int(Unit.SPARSE)

TIMES_AHEAD = 1
"""An instruction is timed to its end as soon as all its cycles are known."""


def dispatch(r: Any, cycle: Any) -> None:
    """Dispatch from the queues what can be dispatched in this cycle."""
    for unit in range(r.machine.units):
        if r.wake_ups[QUEUE + unit] <= cycle:
            r.wake_ups[QUEUE + unit] = step_queue(r, unit, cycle)
            if r.scratch.handed_queues | r.scratch.handed_units | r.scratch.handed_ports != 0:
                hand_over(r, cycle)
                wake(r, ISSUE, cycle)


@apart
def hand_over(r: Any, cycle: Any) -> None:
    """Wake the parts that got an instruction: units and ports in this cycle, queues in the next."""
    for unit in range(r.machine.units):
        if r.scratch.handed_queues >> unit & 1:
            wake(r, QUEUE + unit, cycle + 1)
    for unit in range(ADD, r.machine.units):
        if r.scratch.handed_units >> unit & 1:
            wake(r, UNIT + unit, cycle)
    for port in range(r.machine.ports):
        if r.scratch.handed_ports >> port & 1:
            wake(r, PORT + port, cycle)
    r.scratch.handed_queues = r.scratch.handed_units = r.scratch.handed_ports = 0


def execute(r: Any, cycle: Any, stop: Any) -> None:
    """Start the elements and transfer the words that can go in this cycle, of the oldest access first."""
    for unit in range(ADD, r.machine.units):
        if r.wake_ups[UNIT + unit] <= cycle:
            r.wake_ups[UNIT + unit] = (
                step_sparse(r, unit, cycle) if kind_of(r, unit) == SPARSE else step_arithmetic(r, unit, cycle)
            )
            if r.scratch.started > 0:
                wake_followers(r, cycle + 1)
    port = _oldest_port(r, cycle)
    while port >= 0:
        r.wake_ups[PORT + port] = step_port(r, port, cycle)
        if r.scratch.started > 0:
            wake_followers(r, cycle + 1)
        port = _oldest_port(r, cycle)


def _oldest_port(r: Any, cycle: Any) -> Any:
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


@apart
def wake_all(r: Any, cycle: Any) -> None:
    """Wake all that sleep, after an instruction has left flight in the cycle before ``cycle``."""
    r.scratch.left = 0
    wake(r, ISSUE, cycle)
    for unit in range(r.machine.units):
        wake(r, QUEUE + unit, cycle)
    for unit in range(ADD, r.machine.units):
        wake(r, UNIT + unit, cycle)
    for port in range(r.machine.ports):
        wake(r, PORT + port, cycle)


def next_cycle(r: Any) -> Any:
    """Return the first cycle in which a part acts."""
    cycle = r.wake_ups[ISSUE]
    for unit in range(r.machine.units):
        cycle = smaller(cycle, r.wake_ups[QUEUE + unit])
    for unit in range(ADD, r.machine.units):
        cycle = smaller(cycle, r.wake_ups[UNIT + unit])
    for port in range(r.machine.ports):
        cycle = smaller(cycle, r.wake_ups[PORT + port])
    return cycle
