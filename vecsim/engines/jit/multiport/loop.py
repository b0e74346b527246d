"""The compiled loop for any machine: the timing rules, cycle by cycle, as the SimPy model calls them.

Several ports meet at the banks, so no access can be timed before the older ones are. Every part, the queues,
issue, the units and the ports, acts at most once a cycle, in phases: queues dispatch, instructions issue,
units and ports start elements, ports in the order of the age of their access. What a part does another sees
in the next cycle. Each names the cycle in which to look at it again, or sleeps until something goes on
elsewhere, and cycles in which nobody acts are left out.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from vecsim.engines.jit.arrays.cells import int64_at
from vecsim.engines.jit.arrays.views import extended_run_of
from vecsim.engines.jit.compiler.functions import apart, smaller
from vecsim.engines.jit.interface import FINISHED, FULL, STILL, STOPPED, TROUBLE
from vecsim.engines.jit.multiport import ahead, clocked, wake_ups
from vecsim.engines.jit.rules import compiler_of_rules
from vecsim.engines.jit.semantics import Semantics
from vecsim.engines.jit.state import ISSUE
from vecsim.engines.jit.user.functions import begin_user_code
from vecsim.engines.rules import issue
from vecsim.engines.user_code import MOST_STILL
from vecsim.engines.user_rules import Extensions, users_rules

MANY = 1 << 30
"""Words stay before the cycle in which a run stops after a number of instructions less than this."""


def make_multiport_loop(semantics: Semantics, extensions: Extensions = ()) -> Callable[..., int]:
    """Return the plain function that runs a program with these semantics, to be compiled.

    ``run(table, stop_cycle, stop_count, capacity)`` is as
    :func:`vecsim.engines.jit.single_port.loop.make_single_port_loop` describes it. The cycle that comes next
    is in ``outcome``, before and after.

    Parameters
    ----------
    semantics
        What executes instructions.
    extensions
        Those of the machine.
    """
    arrays = tuple(array.name for each in extensions for array in each.arrays)
    checked = bool(users_rules(extensions))
    run_of = extended_run_of(arrays, checked=checked)
    rule = compiler_of_rules(extensions)

    way: Any = clocked if extensions else ahead
    times_ahead = way.TIMES_AHEAD
    begin, dispatch, execute = rule(wake_ups.begin), rule(way.dispatch), rule(way.execute)
    hand_over, wake_all, next_cycle = rule(way.hand_over), rule(way.wake_all), rule(way.next_cycle)
    step_issue = rule(apart(issue.make_issue(*semantics)))

    def run(table: Any, stop_cycle: Any, stop_count: Any, capacity: Any) -> Any:
        r = run_of(int64_at(table))
        begin(r, capacity, times_ahead)
        if r.control.halted == 1 and r.scratch.in_flight == 0:
            return FINISHED
        still = 0
        room = r.machine.slots + r.machine.issue_width
        while True:
            cycle, count = r.outcome.cycle, r.control.count
            if cycle >= stop_cycle:
                return STOPPED
            if capacity >= 0 and r.scratch.rows + room > capacity:
                return FULL
            if r.scratch.timeline == 2 and r.scratch.starts >= r.scratch.enough_starts:
                return FULL
            dispatch(r, cycle)
            if r.wake_ups[ISSUE] <= cycle:
                r.wake_ups[ISSUE] = step_issue(r, cycle)
                if r.scratch.fault == 1:
                    r.outcome.start = cycle
                    return TROUBLE
                if r.scratch.handed_queues | r.scratch.handed_units | r.scratch.handed_ports != 0:
                    hand_over(r, cycle)
            if count < stop_count <= r.control.count:
                stop_cycle = smaller(stop_cycle, cycle + 1)
            left, until = stop_count - r.control.count, stop_cycle
            if 0 < left < MANY:
                until = smaller(until, cycle + 1 + left // r.machine.issue_width)
            execute(r, cycle, until)
            if r.control.halted == 1 and r.scratch.in_flight == 0:
                r.outcome.cycle = cycle + 1
                return FINISHED
            if r.scratch.left == 1:
                wake_all(r, cycle + 1)
            following = next_cycle(r)
            if checked:
                begin_user_code()
                still = still + 1 if following <= cycle else 0
                if still > MOST_STILL:
                    return STILL
            r.outcome.cycle = smaller(stop_cycle, following)

    return run
