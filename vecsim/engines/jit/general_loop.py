"""The compiled loop for any machine: the rules of time, cycle by cycle, as the SimPy model calls them.

Several ports meet at the banks, so no access can be timed before the older ones are. Every part, the queues,
issue, the units and the ports, acts at most once a cycle, in phases: queues dispatch, instructions issue,
units and ports start elements, ports in the order of the age of their access. What a part does another sees
in the next cycle. Each names the cycle in which to look at it again, or sleeps until something goes on
elsewhere, and cycles in which nobody acts are left out.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from isa.declaration import Unit
from vecsim.engines.columns import control, outcomes, parameter, starts, wakes, work
from vecsim.engines.jit.cells import int64_at
from vecsim.engines.jit.functions import function, inline
from vecsim.engines.jit.integers import smaller
from vecsim.engines.jit.rules import compiled_rule
from vecsim.engines.jit.semantics import Semantics
from vecsim.engines.jit.status import FINISHED, FULL, STOPPED, TROUBLE
from vecsim.engines.jit.views import run_of, table_of_run
from vecsim.engines.rules import arithmetic, hazards, issue, ports, queues, sparse
from vecsim.engines.rules import flight as flight_rules
from vecsim.engines.rules.numbers import NEVER

MEMORY, ADD, SPARSE = int(Unit.MEMORY), int(Unit.ADD), int(Unit.SPARSE)

list_flight = compiled_rule(flight_rules.list_flight)
step_queue = compiled_rule(queues.step_queue)
step_arithmetic = compiled_rule(arithmetic.step_arithmetic)
step_sparse = compiled_rule(sparse.step_sparse)
step_port = compiled_rule(ports.step_port)
current_age = compiled_rule(ports.current_age)
current_slot = compiled_rule(ports.current_slot)
follows_elements = compiled_rule(hazards.follows_elements)


@inline
def _begin(r: Any, capacity: Any) -> None:
    """Rebuild from the record what a run keeps beside it; everybody looks in the first cycle."""
    for place in range(work.PLACES):
        r.work[place] = 0
    if capacity >= 0:
        r.work[work.TIMELINE] = 2 if r.starts[starts.ENOUGH] > 0 else 1
    list_flight(r)
    for part in range(wakes.PORT + r.machine[parameter.MEMORY_PORTS]):
        r.wakes[part] = 0
    r.wakes[wakes.UNIT + MEMORY] = NEVER  # the ports are its units


@inline
def _oldest_port(r: Any, cycle: Any) -> Any:
    """Of the ports that act in this cycle, the one with the oldest access; -1 for none."""
    found, oldest = -1, NEVER
    for port in range(r.machine[parameter.MEMORY_PORTS]):
        if r.wakes[wakes.PORT + port] <= cycle:
            age = current_age(r, port)
            if age < 0:
                r.wakes[wakes.PORT + port] = NEVER
            elif age < oldest:
                found, oldest = port, age
    return found


@inline
def _ring(r: Any, part: Any, cycle: Any) -> None:
    """Wake a part that sleeps."""
    if r.wakes[part] == NEVER:
        r.wakes[part] = cycle


@function
def _hand_over(r: Any, cycle: Any) -> None:
    """Wake the parts that got an instruction: units and ports in this cycle, queues in the next."""
    given = r.work[work.GIVEN]
    for unit in range(MEMORY, SPARSE + 1):
        if given >> unit & 1:
            _ring(r, wakes.QUEUE + unit, cycle + 1)
        if given & work.FIRST_UNIT << unit:
            _ring(r, wakes.UNIT + unit, cycle)
    for port in range(r.machine[parameter.MEMORY_PORTS]):
        if given & work.FIRST_PORT << port:
            _ring(r, wakes.PORT + port, cycle)
    r.work[work.GIVEN] = 0


@function
def _ring_followers(r: Any, cycle: Any) -> None:
    """Wake those that sleep and wait for elements that have just started; they see them in ``cycle``."""
    slot = r.work[work.STARTED] - 1
    r.work[work.STARTED] = 0
    if r.work[work.AWAITS_ELEMENT] == 1:
        _ring(r, wakes.ISSUE, cycle)
    for unit in range(ADD, SPARSE + 1):
        if r.wakes[wakes.UNIT + unit] == NEVER and follows_elements(r, r.unit_slot[unit], slot):
            r.wakes[wakes.UNIT + unit] = cycle
    for port in range(r.machine[parameter.MEMORY_PORTS]):
        if r.wakes[wakes.PORT + port] == NEVER and follows_elements(r, current_slot(r, port), slot):
            r.wakes[wakes.PORT + port] = cycle


@function
def _ring_all(r: Any, cycle: Any) -> None:
    """Wake all that sleep, after an instruction has left flight in the cycle before ``cycle``."""
    r.work[work.LEFT] = 0
    for part in range(wakes.PORT + r.machine[parameter.MEMORY_PORTS]):
        if part != wakes.UNIT + MEMORY:
            _ring(r, part, cycle)


@inline
def _next_cycle(r: Any) -> Any:
    """Give the first cycle in which a part acts."""
    cycle = r.wakes[wakes.ISSUE]
    for part in range(1, wakes.PORT + r.machine[parameter.MEMORY_PORTS]):
        cycle = smaller(cycle, r.wakes[part])
    return cycle


def make_general_loop(semantics: Semantics) -> Callable[..., int]:
    """Give the plain function that runs a program with these semantics, to be compiled.

    ``run(table, stop_cycle, stop_count, capacity)`` as :func:`vecsim.engines.jit.one_port.make_one_port`
    describes it; the cycle that comes next is in ``outcome``, before and after.
    """
    scalar, branch, vector = semantics

    @inline
    def execute_scalar(r: Any, operation: Any, n: Any, f0: Any, f1: Any, f2: Any, f3: Any, f4: Any) -> None:
        scalar(table_of_run(r), operation, n, f0, f1, f2, f3, f4)

    @inline
    def is_taken(r: Any, operation: Any, f0: Any, f1: Any, f2: Any, f3: Any, f4: Any) -> Any:
        return branch(table_of_run(r), operation, f0, f1, f2, f3, f4)

    @inline
    def execute_vector(r: Any, operation: Any, n: Any, f0: Any, f1: Any, f2: Any, f3: Any, f4: Any) -> None:
        vector(table_of_run(r), operation, n, f0, f1, f2, f3, f4)

    step_issue = function(compiled_rule(issue.make_issue(execute_scalar, is_taken, execute_vector)).py_func)

    def run(table: Any, stop_cycle: Any, stop_count: Any, capacity: Any) -> Any:
        r = run_of(int64_at(table))
        _begin(r, capacity)
        if r.control[control.HALTED] == 1 and r.work[work.FLYING] == 0:
            return FINISHED
        room = r.machine[parameter.SLOTS] + r.machine[parameter.ISSUE_WIDTH]
        while True:
            cycle, count = r.outcome[outcomes.CYCLE], r.control[control.COUNT]
            if cycle >= stop_cycle:
                return STOPPED
            if capacity >= 0 and r.timeline[0] + room > capacity:
                return FULL
            if r.work[work.TIMELINE] == 2 and r.starts[starts.COUNT] >= r.starts[starts.ENOUGH]:
                return FULL
            for unit in range(MEMORY, SPARSE + 1):
                if r.wakes[wakes.QUEUE + unit] <= cycle:
                    r.wakes[wakes.QUEUE + unit] = step_queue(r, unit, cycle)
                    if r.work[work.GIVEN] != 0:
                        _hand_over(r, cycle)
                        _ring(r, wakes.ISSUE, cycle)
            if r.wakes[wakes.ISSUE] <= cycle:
                r.wakes[wakes.ISSUE] = step_issue(r, cycle)
                if r.work[work.TROUBLE] == 1:
                    r.outcome[outcomes.START] = cycle
                    return TROUBLE
                if r.work[work.GIVEN] != 0:
                    _hand_over(r, cycle)
            for unit in range(ADD, SPARSE):
                if r.wakes[wakes.UNIT + unit] <= cycle:
                    r.wakes[wakes.UNIT + unit] = step_arithmetic(r, unit, cycle)
                    if r.work[work.STARTED] > 0:
                        _ring_followers(r, cycle + 1)
            if r.wakes[wakes.UNIT + SPARSE] <= cycle:
                r.wakes[wakes.UNIT + SPARSE] = step_sparse(r, cycle)
                if r.work[work.STARTED] > 0:
                    _ring_followers(r, cycle + 1)
            port = _oldest_port(r, cycle)
            while port >= 0:
                r.wakes[wakes.PORT + port] = step_port(r, port, cycle)
                if r.work[work.STARTED] > 0:
                    _ring_followers(r, cycle + 1)
                port = _oldest_port(r, cycle)
            if r.control[control.HALTED] == 1 and r.work[work.FLYING] == 0:
                r.outcome[outcomes.CYCLE] = cycle + 1
                return FINISHED
            if count < stop_count <= r.control[control.COUNT]:
                stop_cycle = smaller(stop_cycle, cycle + 1)
            if r.work[work.LEFT] == 1:
                _ring_all(r, cycle + 1)
            r.outcome[outcomes.CYCLE] = smaller(stop_cycle, _next_cycle(r))

    return run
