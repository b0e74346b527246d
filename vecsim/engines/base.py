"""What all engines do in the same way: start, stop at a boundary between two cycles, and go back to one.

User-defined code fails in the middle of a cycle, when part of what it does is done. So an engine that runs it
remembers where it began, goes back there, and forward to the boundary before that cycle.
"""

from __future__ import annotations

from abc import ABC, abstractmethod

import numpy as np
import numpy.typing as npt

from isa.declaration import EXTENSION_OPCODES
from isa.program import Program
from isa.state import State, new_state
from vecsim.engines.decoded import most_words
from vecsim.engines.fault import Fault
from vecsim.engines.record import Snapshot, TimingRecord, from_snapshot, new_record, take_snapshot
from vecsim.engines.recorded.program import RecordedProgram, most_listed, resolved
from vecsim.engines.result import Run, make_run
from vecsim.engines.state.control import Control
from vecsim.engines.timeline import TimelineRequest, TimelineWriter
from vecsim.engines.user_code import UserCodeError
from vecsim.engines.user_instructions import check_own_instructions
from vecsim.engines.user_rules import check_user_rules, users_rules
from vecsim.engines.user_semantics import is_users
from vecsim.machine import Machine
from vecsim.machine.user_inputs import simulating


class BaseEngine(ABC):
    """A program that runs on an engine; see :class:`vecsim.engines.protocol.Engine`.

    Raises
    ------
    UserError
        The program does not fit the machine, or there is a mistake in a user's own instruction or rule.
    """

    def __init__(
        self,
        program: Program,
        memory: npt.NDArray[np.uint8],
        machine: Machine,
        timeline: TimelineRequest | None = None,
    ) -> None:
        check_user_rules(machine.extensions)
        check_own_instructions(program.instruction_set)
        self.program, self.machine = program, machine
        self._decoded = resolved(program, machine)
        self._timeline = None if timeline is None else TimelineWriter(timeline)
        self._fault: Fault | None = None
        record = new_record(machine, len(program), most_listed(program))
        record.control["pc"] = program.entry
        state = new_state(machine.section_size, machine.vector_registers, memory, most_listed(program))
        if isinstance(program, RecordedProgram):
            program.begin(state)
        self._connect(0, state, record)

    _state: State

    @abstractmethod
    def _connect(self, cycle: int, state: State, record: TimingRecord) -> None:
        """Take over a state and a record, at the boundary before ``cycle``."""

    @abstractmethod
    def _advance(self, cycle: int | None, instructions: int | None) -> None:
        """Advance as :meth:`advance` does; where user-defined code fails, raise UserCodeError."""

    @abstractmethod
    def _failed_at(self) -> tuple[int, int]:
        """Return the cycle and the number of the instruction at which user-defined code has failed."""

    @abstractmethod
    def _written_record(self) -> TimingRecord:
        """Return the record, with all that has happened."""

    @abstractmethod
    def _collect(self) -> None:
        """Hand on the rows of the timeline and the starts that have been written."""

    @property
    @abstractmethod
    def _control(self) -> Control:
        """Where issue and retirement are."""

    @property
    @abstractmethod
    def _in_flight(self) -> bool:
        """True while an instruction has elements that have no cycle yet."""

    @property
    @abstractmethod
    def cycle(self) -> int:
        """See :attr:`vecsim.engines.protocol.Engine.cycle`."""

    @property
    def pc(self) -> int:
        """Number of the instruction that issues next."""
        return self._control.pc

    @property
    def state(self) -> State:
        """Registers and memory, as of the instructions issued so far."""
        return self._state

    @property
    def _at_end(self) -> bool:
        """True when halt has issued and nothing is in flight, so that the last retirement is known."""
        return self._control.halted == 1 and not self._in_flight

    @property
    def finished(self) -> bool:
        """See :attr:`vecsim.engines.protocol.Engine.finished`."""
        return self._at_end and self.cycle >= self._control.last_retired

    def advance(self, *, cycle: int | None = None, instructions: int | None = None) -> None:
        """See :meth:`vecsim.engines.protocol.Engine.advance`."""
        if not self._runs_own_code():
            return self._advance(cycle, instructions)
        begin = self.snapshot()
        try:
            with simulating():
                return self._advance(cycle, instructions)
        except UserCodeError as error:
            at, pc = self._failed_at()
            pc = min(pc, len(self.program.opcode) - 1)
            who = self.program.instruction(pc).mnemonic
            if error.rule:  # at whatever issues next
                who = f"extension {', '.join(each.name for each in self.machine.user_rules)}"
            fault = Fault(self.program, pc, at, f"{who}: {error}")
        self.restore(begin)
        self._advance(at, None)
        self._fault = fault
        raise fault

    def _runs_own_code(self) -> bool:
        if users_rules(self.machine.user_rules):
            return True
        opcodes = set(self.program.opcode.tolist()) & set(EXTENSION_OPCODES)
        return any(is_users(self.program.instruction_set.by_opcode[opcode]) for opcode in opcodes)

    def _timeline_room(self, rows: int, slots: int) -> int:
        """Return for how many rows of the timeline to make room, about ``rows``; 0 without a timeline.

        All instructions in flight may end in one cycle, and those that issue in it.
        """
        return 0 if self._timeline is None else rows + slots + self.machine.issue_width

    def _starts_room(self, starts: int, slots: int) -> int:
        """Return for how many starts to make room, about ``starts``; 0 if nobody asks for them.

        All instructions in flight may be timed to their end in one cycle.
        """
        if self._timeline is None or self._timeline.request.starts is None:
            return 0
        return starts + slots * most_words(self._decoded, self.machine.section_size)

    def snapshot(self) -> Snapshot:
        """See :meth:`vecsim.engines.protocol.Engine.snapshot`."""
        return take_snapshot(self.program, self.machine, self.cycle, self._state, self._written_record())

    def restore(self, snapshot: Snapshot) -> None:
        """See :meth:`vecsim.engines.protocol.Engine.restore`."""
        state, record = from_snapshot(snapshot, self.program, self.machine)
        self._fault = None
        if self._timeline is not None:
            self._timeline.clear()
        self._connect(snapshot.cycle, state, record)

    def result(self) -> Run:
        """See :meth:`vecsim.engines.protocol.Engine.result`."""
        self._collect()
        return make_run(self.program, self.machine, self._state, self._written_record(), self._timeline)
