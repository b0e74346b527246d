"""Processes of the SimPy model and the phases of a cycle.

Every process is memoryless: it looks at the record, does what it can do in this cycle, and either names
the cycle in which to look again or sleeps until another process rings. So processes can be started again
at the boundary of any cycle. All effects of a cycle on other processes are at least one cycle
later, except for the phases below, so the order in which SimPy runs the events of one phase is of no
consequence; memory ports alone meet in the same cycle, at the banks, and their phase is the age of
their access.
"""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

import simpy

from vecsim.engines.rules.numbers import NEVER
from vecsim.engines.user_code import MOST_STILL, STANDSTILL

BOUNDARY = 0
"""Phase before all others: where a run stops. SimPy itself uses 1 to tell that it has stopped."""
DISPATCH = 2
"""Phase in which queues dispatch to their units."""
ISSUE = 3
"""Phase in which instructions issue."""
EXECUTE = 4
"""Phase of the arithmetic and sparse units; a memory port adds 1 + the age of its access."""


class Alarm(simpy.Event):
    """An event that fires once, at a cycle and a phase that are named when it is set."""

    def set(self, delay: int, phase: int) -> None:
        """Fire ``delay`` cycles from now."""
        self._ok = True
        self._value = None
        self.env.schedule(self, phase, delay)  # type: ignore[arg-type]


class Clocked:
    """A process that acts at most once a cycle. Subclasses give :meth:`step`."""

    phase = EXECUTE

    def __init__(self, environment: simpy.Environment) -> None:
        self.environment = environment
        self.asleep = False
        self.alarm: Alarm
        self.alarm_phase: int
        self._wake_in(0)
        environment.process(self._run())

    def current_phase(self) -> int:
        """Phase of the next wake-up."""
        return self.phase

    def step(self, cycle: int) -> int:
        """Act in this cycle; give the next cycle to act in, NEVER to sleep until rung."""
        raise AssertionError("a clocked process defines step()")

    def wake(self, cycle: int) -> None:
        """Wake the process at ``cycle`` if it sleeps."""
        if self.asleep:
            self.asleep = False
            self._set_alarm(cycle - int(self.environment.now))

    def _run(self) -> Generator[simpy.Event, Any, None]:
        environment, still = self.environment, 0
        while True:
            yield self.alarm
            now = int(environment.now)
            wake = self.step(now)
            if wake >= NEVER:
                self.alarm = Alarm(environment)
                self.asleep = True
                continue
            still = still + 1 if wake <= now else 0
            if wake < now or still > MOST_STILL:  # by a rule of a user
                raise RuntimeError(STANDSTILL)
            self._wake_in(wake - now)

    def _wake_in(self, delay: int) -> None:
        self.alarm = Alarm(self.environment)
        self._set_alarm(delay)

    def _set_alarm(self, delay: int) -> None:
        self.alarm_phase = self.current_phase()
        self.alarm.set(delay, self.alarm_phase)
