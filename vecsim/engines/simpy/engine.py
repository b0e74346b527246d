"""The SimPy engine: the reference model, one process a part, one event a part and cycle of work."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np
import simpy

from isa.declaration import Instruction
from isa.state import State, interpreted
from vecsim.engines.access import what_is_wrong
from vecsim.engines.base import BaseEngine
from vecsim.engines.fault import Fault
from vecsim.engines.interpreted_run import ExtendedRun, InterpretedRun, interpreted_program
from vecsim.engines.program_rows import cache_numbers, extension_numbers, machine_numbers, program_rows
from vecsim.engines.record import TimingRecord
from vecsim.engines.rules.issue import Execute
from vecsim.engines.simpy.clocked import BOUNDARY, Alarm
from vecsim.engines.simpy.parts import Parts, at_end
from vecsim.engines.state.accounts import Start, TimelineRow
from vecsim.engines.state.control import Control
from vecsim.engines.state.instruction import Instruction as Row
from vecsim.engines.state.row import new_rows, store
from vecsim.engines.state.run import Run
from vecsim.engines.timeline import CHUNK
from vecsim.engines.user_code import UserCodeError, failure
from vecsim.engines.user_rules import interpreted_rules, own_arrays, users_rules
from vecsim.engines.user_semantics import users_semantics
from vecsim.support.errors import is_interrupt

ROWS = 1024
"""Rows of the timeline that are written before they are handed on."""


def executing(rows: Sequence[Instruction], m: State) -> Execute:
    """Return ``(r, instruction, n)``, which calls the semantics of an instruction.

    Parameters
    ----------
    rows
        Those of the instruction set, by the number of the operation.
    m
        The state, as :func:`isa.state.interpreted` returns it.
    """
    own = users_semantics(rows, m)
    known = [(own.get(row.opcode) or partial(row.semantics, m), len(row.operands)) for row in rows]

    def execute(r: Run, instruction: Row, n: int) -> object:
        semantics, count = known[instruction.operation]
        return semantics(n, *instruction.fields[:count])

    return execute


class _FaultFoundError(Exception):
    """Ends SimPy's run; SimPy makes it again on the way, so it says nothing."""


class SimpyEngine(BaseEngine):
    """A program in flight on the SimPy model; see :class:`vecsim.engines.protocol.Engine`."""

    _program: list[Row] | None = None

    def _connect(self, cycle: int, state: State, record: TimingRecord) -> None:
        """Make the environment and its processes around a record, at the boundary before ``cycle``."""
        self._state, self._record = state, record
        users = bool(users_rules(self.machine.user_rules))
        if self._program is None:
            self._program = interpreted_program(program_rows(self._decoded, self.machine), bounded=users)
        self._rules = interpreted_rules(self.machine.user_rules)
        self._environment = environment = simpy.Environment(initial_time=cycle)
        numbers = machine_numbers(self.machine, record, len(self.program), len(state.memory))
        m, own = interpreted(state), own_arrays(self.machine)
        rows = self._timeline_room(ROWS, len(record.slots))
        starts = self._starts_room(CHUNK, len(record.slots))
        self._rows, self._starts = new_rows(TimelineRow, (rows,)), new_rows(Start, (starts,))
        self._r = r = (ExtendedRun if own else InterpretedRun)(
            self._program,
            numbers,
            cache_numbers(self.machine),
            extension_numbers(self.machine).tolist(),
            m,
            record,
            own,
            timeline=rows,
            starts=starts,
            bounded=users,
        )
        r.scratch.timeline = (rows > 0) + (starts > 0)
        r.scratch.enough_starts = CHUNK
        self._rules.list_flight(r)
        execute = executing(self.program.instruction_set.instructions, m)
        self._end: Alarm | None = None
        self._count_reached: Alarm | None = None
        self._stop_count = 0
        issue_rule = self._rules.make_issue(execute, execute, execute)
        Parts(environment, r, self._rules, issue_rule, self._watch)

    def _written_record(self) -> TimingRecord:
        self._r.write(self._record)
        return self._record

    def _collect(self) -> None:
        r = self._r
        if self._timeline is not None:
            rows, starts = self._rows[: r.scratch.rows], self._starts[: r.scratch.starts]
            store(rows, r.timeline[: r.scratch.rows])
            store(starts, r.starts[: r.scratch.starts])
            self._timeline.take(rows, starts)
            r.scratch.rows = r.scratch.starts = 0

    @property
    def _control(self) -> Control:
        return self._r.control

    @property
    def _in_flight(self) -> bool:
        return self._r.scratch.in_flight > 0

    def _watch(self, cycle: int) -> None:
        """Stop at a fault, at the end, and after the instructions asked for; hand rows of the timeline on."""
        r = self._r
        if r.scratch.fault:
            r.scratch.fault = 0
            self._fault = Fault(self.program, self.pc, cycle, what_is_wrong(r))
            raise _FaultFoundError
        now = int(self._environment.now)
        if self._count_reached is not None and r.control.count >= self._stop_count:
            self._count_reached.set(cycle + 1 - now, BOUNDARY)
            self._count_reached = None
        if self._end is not None and at_end(r):
            self._end.set(r.control.last_retired - now, BOUNDARY)
            self._end = None
        if r.scratch.rows >= ROWS or r.scratch.starts > r.scratch.enough_starts:
            self._collect()

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
            self._stop_count = self._control.count + instructions
            stops.append(self._count_reached)
        if at_end(self._r):
            self._end.set(self._control.last_retired - self.cycle, BOUNDARY)
            self._end = None
        try:
            with np.errstate(all="ignore"):
                environment.run(until=environment.any_of(stops))
        except _FaultFoundError:
            assert self._fault is not None
            raise self._fault from None
        except UserCodeError:
            raise
        except BaseException as error:
            users = users_rules(self.machine.user_rules)
            if not users or is_interrupt(error):
                raise
            raise failure(error.__cause__ or error, users, rule=True) from error  # SimPy raises its own
        finally:
            self._end = self._count_reached = None
