"""The SimPy engine: the reference model, one process a part, one event a part and cycle of work."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np
import simpy

from isa.declaration import Instruction
from isa.state import State, interpreted
from vecsim.engines.access import what_is_wrong
from vecsim.engines.base import BaseEngine
from vecsim.engines.columns import control, instruction, starts, work
from vecsim.engines.fault import Fault
from vecsim.engines.flat_arrays import machine_numbers, program_table
from vecsim.engines.own_code import OwnCodeError, failure
from vecsim.engines.own_rules import interpreted_rules, own_arrays, users_rules
from vecsim.engines.own_semantics import users_semantics
from vecsim.engines.record import TimingRecord
from vecsim.engines.run_arrays import Arrays
from vecsim.engines.simpy.clocked import BOUNDARY, Alarm
from vecsim.engines.simpy.parts import Parts, at_end
from vecsim.support.errors import is_interrupt

ROWS = 1024
"""Rows of the timeline that are written before they are kept."""


def executing(rows: Sequence[Instruction], program: list[int], m: State) -> Callable[[Any, int, int], Any]:
    """Return ``(r, i, n)``, which calls the semantics of an instruction.

    Parameters
    ----------
    rows
        Those of the instruction set, by the number of the operation.
    program
        The program, :mod:`vecsim.engines.flat_arrays`.
    m
        The state, as :func:`isa.state.interpreted` gives it.
    """
    own = users_semantics(rows, m)
    known = [(own.get(row.opcode) or partial(row.semantics, m), len(row.operands)) for row in rows]

    def execute(r: Any, i: int, n: int) -> Any:
        semantics, count = known[program[i + instruction.OPERATION]]
        first = i + instruction.FIELD
        return semantics(n, *program[first : first + count])

    return execute


class _FaultFoundError(Exception):
    """Ends SimPy's run; SimPy makes it anew on the way, so it says nothing."""


class SimpyEngine(BaseEngine):
    """A program under way on the SimPy model; see :class:`vecsim.engines.protocol.Engine`."""

    _program: list[int] | None = None

    def _connect(self, cycle: int, state: State, record: TimingRecord) -> None:
        """Make the environment and its processes around a record, at the boundary before ``cycle``."""
        self._state, self._record = state, record
        if self._program is None:
            self._program = program_table(self._decoded, len(record.renamed)).reshape(-1).tolist()
        self._rules = interpreted_rules(self.machine.own_rules)
        self._environment = environment = simpy.Environment(initial_time=cycle)
        numbers = machine_numbers(self.machine, record, len(self.program), len(state.memory))
        m = interpreted(state)
        self._make_timeline_room(ROWS)
        r: Any = Arrays(
            *(self._program, numbers.tolist(), m, record, self._rows, self._starts, own_arrays(self.machine)),
            bounded=bool(users_rules(self.machine.own_rules)),
        )
        self._r = r
        if self._timeline is not None:
            r.work[work.TIMELINE] = 2 if self._starts[starts.ENOUGH] else 1
        self._rules.list_flight(r)
        execute = executing(self.program.instruction_set.instructions, self._program, m)
        self._end: Alarm | None = None
        self._count_reached: Alarm | None = None
        self._stop_count = 0
        issue_rule = self._rules.make_issue(execute, execute, execute)
        Parts(environment, r, self._rules, issue_rule, self._watch)

    def _watch(self, cycle: int) -> None:
        """Stop at a fault, at the end, and after the instructions asked for; keep rows of the timeline."""
        r = self._r
        if r.work[work.TROUBLE]:
            r.work[work.TROUBLE] = 0
            self._fault = Fault(self.program, self.pc, cycle, what_is_wrong(r))
            raise _FaultFoundError
        now = int(self._environment.now)
        if self._count_reached is not None and r.control[control.COUNT] >= self._stop_count:
            self._count_reached.set(cycle + 1 - now, BOUNDARY)
            self._count_reached = None
        if self._end is not None and at_end(r):
            self._end.set(r.control[control.LAST_RETIRED] - now, BOUNDARY)
            self._end = None
        if r.timeline[0] >= ROWS or r.starts[starts.COUNT] > r.starts[starts.ENOUGH]:
            self._keep_rows()

    @property
    def cycle(self) -> int:
        """See :attr:`vecsim.engines.protocol.Engine.cycle`."""
        return int(self._environment.now) if self._fault is None else self._fault.cycle

    def _failed_at(self) -> tuple[int, int]:
        return int(self._environment.now), self.pc

    def _advance(self, cycle: int | None, instructions: int | None) -> None:
        environment = self._environment
        if (
            self.finished
            or (cycle is not None and cycle <= self.cycle)
            or (instructions is not None and instructions < 1)
        ):
            return
        if self._fault is not None:
            raise self._fault
        self._end = Alarm(environment)
        stops: list[simpy.Event] = [self._end]
        if cycle is not None:
            at_cycle = Alarm(environment)
            at_cycle.set(cycle - self.cycle, BOUNDARY)
            stops.append(at_cycle)
        if instructions is not None:
            self._count_reached = Alarm(environment)
            self._stop_count = int(self._record.control[control.COUNT]) + instructions
            stops.append(self._count_reached)
        if at_end(self._r):
            self._end.set(int(self._record.control[control.LAST_RETIRED]) - self.cycle, BOUNDARY)
            self._end = None
        try:
            with np.errstate(all="ignore"):
                environment.run(until=environment.any_of(stops))
        except _FaultFoundError:
            assert self._fault is not None
            raise self._fault from None
        except OwnCodeError:
            raise
        except BaseException as error:
            users = users_rules(self.machine.own_rules)
            if not users or is_interrupt(error):
                raise
            raise failure(error.__cause__ or error, users, rule=True) from error  # SimPy raises its own
        finally:
            self._end = self._count_reached = None
