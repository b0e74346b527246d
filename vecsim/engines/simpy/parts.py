"""The parts of the machine, each a process, and what they tell each other.

A part that is called looks at the arrays of the run, does by a rule what can be done in this cycle, and gets
the cycle to look again; without one it sleeps until another part wakes it. What happened is in ``scratch``.
"""

from __future__ import annotations

from collections.abc import Callable

import simpy

from isa.declaration import Unit
from vecsim.engines.simpy.clocked import DISPATCH, EXECUTE, ISSUE, Clocked
from vecsim.engines.state.run import STORES, Run
from vecsim.engines.user_rules import CalledRules


class Part(Clocked):
    """A part of the machine; subclasses say what it does in a cycle and whom that concerns.

    ``number`` is that of its unit, or of a memory port.
    """

    def __init__(self, environment: simpy.Environment, parts: Parts, number: int = 0) -> None:
        self.parts, self.number = parts, number
        self.r, self.rules = parts.r, parts.rules
        super().__init__(environment)


class Issue(Part):
    """In-order issue."""

    phase = ISSUE

    def step(self, cycle: int) -> int:
        """Issue what can issue in this cycle."""
        wake: int = self.parts.issue_rule(self.r, cycle)
        self.parts.after_issue(cycle)
        return wake


class Queue(Part):
    """The queue in front of a unit; the memory ports share one."""

    phase = DISPATCH

    def step(self, cycle: int) -> int:
        """Dispatch what can be dispatched in this cycle; issue may have waited for room."""
        wake: int = self.rules.step_queue(self.r, self.number, cycle)
        if self.parts.hand_over(cycle):
            self.parts.issue.wake(cycle)
        return wake


class ExecutingUnit(Part):
    """An add, a multiply or a sparse unit."""

    phase = EXECUTE

    def current_slot(self) -> int:
        """Return the slot of the instruction that it works on, -1 for none."""
        return self.r.units[self.number].slot

    def step(self, cycle: int) -> int:
        """Start the elements that can start in this cycle."""
        if self.rules.kind_of(self.r, self.number) == Unit.SPARSE:
            wake: int = self.rules.step_sparse(self.r, self.number, cycle)
        else:
            wake = self.rules.step_arithmetic(self.r, self.number, cycle)
        self.parts.after_start(cycle)
        return wake


class Port(Part):
    """A memory port; all ports share the banks, where the older access goes first."""

    def current_phase(self) -> int:
        """Order ports that act in the same cycle by the age of their access."""
        if self.r.machine.ports == 1:
            return EXECUTE + 1
        return EXECUTE + 1 + int(self.rules.current_age(self.r, self.number))

    def current_slot(self) -> int:
        """Return the slot of the access that it transfers, -1 for none."""
        slot: int = self.rules.current_slot(self.r, self.number)
        return slot

    def step(self, cycle: int) -> int:
        """Transfer the words that can go in this cycle."""
        if self.current_phase() > self.alarm_phase:
            return cycle  # its access came in an earlier phase of this very cycle: again, in its turn
        wake: int = self.rules.step_port(self.r, self.number, cycle)
        self.parts.after_start(cycle)
        return wake


class Parts:
    """All parts of a machine around the arrays of a run.

    Parameters
    ----------
    r
        The arrays.
    rules
        Those of the machine.
    issue_rule
        What its ``make_issue`` gives, :func:`vecsim.engines.rules.issue.make_issue`.
    watch
        Called with the cycle after each step of issue and after an instruction has left flight.
    """

    def __init__(
        self,
        environment: simpy.Environment,
        r: Run,
        rules: CalledRules,
        issue_rule: Callable[[Run, int], int],
        watch: Callable[[int], None],
    ) -> None:
        self.r, self.rules = r, rules
        self.issue_rule = issue_rule
        self.watch = watch
        ports = range(r.machine.ports)
        units = range(Unit.ADD, r.machine.units)
        self.queues = {unit: Queue(environment, self, unit) for unit in (STORES, int(Unit.MEMORY), *units)}
        self.issue = Issue(environment, self)
        self.units = {unit: ExecutingUnit(environment, self, unit) for unit in units}
        self.ports = [Port(environment, self, port) for port in ports]
        self.executing: list[ExecutingUnit | Port] = [*self.units.values(), *self.ports]

    def after_issue(self, cycle: int) -> None:
        """Wake those that got an instruction."""
        self.hand_over(cycle)
        self.watch(cycle)

    def hand_over(self, cycle: int) -> bool:
        """Wake the parts that got an instruction; return whether there are any.

        Units and ports act in this cycle, queues in the next.
        """
        scratch = self.r.scratch
        queues, units, ports = scratch.handed_queues, scratch.handed_units, scratch.handed_ports
        if not queues | units | ports:
            return False
        scratch.handed_queues = scratch.handed_units = scratch.handed_ports = 0
        for unit, queue in self.queues.items():
            if queues >> unit & 1:
                queue.wake(cycle + 1)
        for unit, part in self.units.items():
            if units >> unit & 1:
                part.wake(cycle)
        if ports:
            for port in self.ports:
                if ports >> port.number & 1:
                    port.wake(cycle)
        return True

    def after_start(self, cycle: int) -> None:
        """Wake those that waited for elements that have started, or for an instruction that left flight."""
        scratch = self.r.scratch
        left, slot = scratch.left, scratch.started - 1
        if not left and slot < 0:
            return
        scratch.left = scratch.started = 0
        if left or scratch.awaits_element:
            self.issue.wake(cycle + 1)
        for part in self.executing:
            if part.asleep and (left or self.rules.follows_elements(self.r, part.current_slot(), slot)):
                part.wake(cycle + 1)
        if left:
            for queue in self.queues.values():
                queue.wake(cycle + 1)
            self.watch(cycle)


def at_end(r: Run) -> bool:
    """Return whether halt has issued and nothing is in flight, so that the last retirement is known."""
    return r.control.halted == 1 and r.scratch.in_flight == 0
