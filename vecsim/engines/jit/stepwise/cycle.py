"""The phases of a cycle, and the way to the next cycle in which somebody acts."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from isa.declaration import Unit
from vecsim.engines.columns import AGE, COUNT, HALTED
from vecsim.engines.jit.cells import int64_at
from vecsim.engines.jit.code import IN_FLIGHT, ISSUE_WIDTH, PORTS, SLOTS
from vecsim.engines.jit.functions import function, inline
from vecsim.engines.jit.integers import smaller
from vecsim.engines.jit.outcome import CYCLE, FINISHED, FULL, START, STOPPED, TROUBLE
from vecsim.engines.jit.semantics import Semantics
from vecsim.engines.jit.stepwise.arithmetic import step_arithmetic
from vecsim.engines.jit.stepwise.facts import port_wake
from vecsim.engines.jit.stepwise.flight import list_order, list_slot
from vecsim.engines.jit.stepwise.issue import make_issue
from vecsim.engines.jit.stepwise.memory import step_port
from vecsim.engines.jit.stepwise.places import (
    AWAITS_ELEMENT,
    FLYING,
    ISSUE_WAKE,
    LEFT_FLIGHT,
    NEVER,
    ORDER,
    PROGRESS,
    QUEUE_WAKE,
    SLOT_COLUMNS,
    STATUS,
    TIMELINE,
    UNIT_WAKE,
)
from vecsim.engines.jit.stepwise.queues import step_queue
from vecsim.engines.jit.stepwise.sparse import step_sparse
from vecsim.engines.jit.views import record_of, scratch_of

MEMORY, ADD, SPARSE = int(Unit.MEMORY), int(Unit.ADD), int(Unit.SPARSE)


@function
def _begin(w: Any, capacity: Any) -> None:
    """Rebuild from the record what a run keeps beside it; everybody looks in the first cycle."""
    r, scratch = record_of(w), scratch_of(w)
    machine, work = scratch.machine, scratch.outcome
    list_order(r, work, machine[SLOTS])
    for k in range(work[FLYING]):
        list_slot(w, work[ORDER + k])
    work[STATUS], work[PROGRESS], work[AWAITS_ELEMENT] = STOPPED, 0, 0
    work[TIMELINE] = 1 if capacity >= 0 else 0
    work[ISSUE_WAKE] = 0
    for unit in range(MEMORY, SPARSE + 1):
        work[QUEUE_WAKE + unit] = 0
        work[UNIT_WAKE + unit] = 0
    work[UNIT_WAKE + MEMORY] = NEVER
    for port in range(machine[PORTS]):
        work[port_wake(machine, port)] = 0


@inline
def _oldest_port(r: Any, machine: Any, work: Any, cycle: Any) -> Any:
    """Of the ports that act in this cycle, the one with the oldest access; -1 for none."""
    wakes, found, oldest = port_wake(machine, 0), -1, NEVER
    for port in range(machine[PORTS]):
        if work[wakes + port] <= cycle:
            if r.port_count[port] == 0:
                work[wakes + port] = NEVER
            else:
                age = r.slots[r.port_slots[port * machine[IN_FLIGHT]] * SLOT_COLUMNS + AGE]
                if age < oldest:
                    found, oldest = port, age
    return found


@inline
def _ring(work: Any, at: Any, cycle: Any) -> None:
    """Wake one that sleeps."""
    if work[at] == NEVER:
        work[at] = cycle


@inline
def _ring_all(machine: Any, work: Any, cycle: Any) -> None:
    """Wake those that sleep and may have waited for what went on in the cycle before ``cycle``."""
    if work[PROGRESS] == 0:
        return
    left = work[PROGRESS] & LEFT_FLIGHT != 0
    if left or work[AWAITS_ELEMENT] == 1:
        _ring(work, ISSUE_WAKE, cycle)
    for unit in range(ADD, SPARSE + 1):
        _ring(work, UNIT_WAKE + unit, cycle)
    for port in range(machine[PORTS]):
        _ring(work, port_wake(machine, port), cycle)
    if left:
        for unit in range(MEMORY, SPARSE + 1):
            _ring(work, QUEUE_WAKE + unit, cycle)
    work[PROGRESS] = 0


@inline
def _next_cycle(machine: Any, work: Any) -> Any:
    """The first cycle in which somebody acts."""
    cycle = work[ISSUE_WAKE]
    for unit in range(MEMORY, SPARSE + 1):
        cycle = smaller(cycle, smaller(work[QUEUE_WAKE + unit], work[UNIT_WAKE + unit]))
    for port in range(machine[PORTS]):
        cycle = smaller(cycle, work[port_wake(machine, port)])
    return cycle


def make_stepwise(semantics: Semantics) -> Callable[..., int]:
    """Give the plain function that runs a program with these semantics, to be compiled.

    ``run(table, stop_cycle, stop_count, capacity)`` as :func:`vecsim.engines.jit.one_port.make_one_port`
    describes it; the cycle that comes next is in ``outcome``, before and after.
    """
    step_issue = make_issue(semantics)

    def run(table: Any, stop_cycle: Any, stop_count: Any, capacity: Any) -> Any:
        w = int64_at(table)
        r, scratch = record_of(w), scratch_of(w)
        machine, work, rows, control = scratch.machine, scratch.outcome, scratch.timeline, r.control
        _begin(w, capacity)
        if control[HALTED] == 1 and work[FLYING] == 0:
            return FINISHED
        room = machine[SLOTS] + machine[ISSUE_WIDTH]
        while True:
            cycle, count = work[CYCLE], control[COUNT]
            if cycle >= stop_cycle:
                return STOPPED
            if capacity >= 0 and rows[0] + room > capacity:
                return FULL
            for unit in range(MEMORY, SPARSE + 1):
                if work[QUEUE_WAKE + unit] <= cycle:
                    work[QUEUE_WAKE + unit] = step_queue(w, unit, cycle)
            if work[ISSUE_WAKE] <= cycle:
                work[ISSUE_WAKE] = step_issue(w, cycle)
                if work[STATUS] == TROUBLE:
                    work[START] = cycle
                    return TROUBLE
            for unit in range(ADD, SPARSE):
                if work[UNIT_WAKE + unit] <= cycle:
                    work[UNIT_WAKE + unit] = step_arithmetic(w, unit, cycle)
            if work[UNIT_WAKE + SPARSE] <= cycle:
                work[UNIT_WAKE + SPARSE] = step_sparse(w, cycle)
            port = _oldest_port(r, machine, work, cycle)
            while port >= 0:
                work[port_wake(machine, port)] = step_port(w, port, cycle)
                port = _oldest_port(r, machine, work, cycle)
            if control[HALTED] == 1 and work[FLYING] == 0:
                work[CYCLE] = cycle + 1
                return FINISHED
            if count < stop_count <= control[COUNT]:
                stop_cycle = smaller(stop_cycle, cycle + 1)
            _ring_all(machine, work, cycle + 1)
            work[CYCLE] = smaller(stop_cycle, _next_cycle(machine, work))

    return run
