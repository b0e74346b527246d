"""The compiled engine: the same machine as the SimPy model, to the last digit, far faster."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from isa.program import Program
from isa.state import State, interpreted
from vecsim.engines.access import what_is_wrong
from vecsim.engines.base import BaseEngine
from vecsim.engines.columns import control, flight, instruction, outcomes, starts, work
from vecsim.engines.fault import Fault
from vecsim.engines.flat_arrays import machine_numbers, program_table
from vecsim.engines.jit.arrays.table import OF_REGISTERS, table_of
from vecsim.engines.jit.general import wakes
from vecsim.engines.jit.interface import FULL, GENERAL_LOOP, STILL, STOPPED, TROUBLE
from vecsim.engines.jit.object_files.machine_code import Loop, loop_of, machine_code
from vecsim.engines.jit.single_port.preparation import (
    add_reciprocals,
    constant_tracks,
    mark_shortcuts,
    quick_runs,
)
from vecsim.engines.own_code import STANDSTILL, OwnCodeError
from vecsim.engines.own_rules import own_arrays
from vecsim.engines.record import TimingRecord
from vecsim.engines.run_arrays import Arrays
from vecsim.engines.timeline import CHUNK, TimelineRequest
from vecsim.machine import Machine

NEVER = 1 << 60
SLICE_CYCLES = 20_000_000
"""Cycles after which compiled code comes back, so that an interrupt is heard."""


class JitEngine(BaseEngine):
    """A program under way in compiled code; see :class:`vecsim.engines.protocol.Engine`.

    With ``general`` the loop for any machine runs it, also where the one for one port could.
    """

    def __init__(
        self,
        program: Program,
        memory: npt.NDArray[np.uint8],
        machine: Machine,
        timeline: TimelineRequest | None = None,
        *,
        general: bool = False,
    ) -> None:
        self._general = general
        super().__init__(program, memory, machine, timeline)

    def _connect(self, cycle: int, state: State, record: TimingRecord) -> None:
        """Lay the arrays of a state and a record out for compiled code, at the boundary before ``cycle``."""
        machine, slots = self.machine, len(record.slots)
        self._cycle, self._state, self._record = cycle, state, record
        room = self._make_timeline_room(CHUNK)
        general = self._general or self._in_flight or self._starts[starts.ENOUGH]
        self._loop = loop = GENERAL_LOOP if general else loop_of(machine)
        code = machine_code(self.program.instruction_set, loop, machine.own_rules)
        self._run: Loop = code.loop
        registers = machine.vector_registers + 1
        operations = code.operations[self._decoded.operation]
        program = program_table(self._decoded._replace(operation=operations), len(record.renamed))
        mark_shortcuts(program[: len(operations)])
        numbers = machine_numbers(machine, record, len(operations), len(state.memory))
        add_reciprocals(numbers)
        tracks, pace = constant_tracks(machine)
        sizes = {
            "work": work.PLACES,
            "order": slots,
            "facts": slots * flight.FACTS,
            "wakes": wakes.PORT + machine.memory_ports,
            "hazards": machine.section_size,
            "outcome": outcomes.PLACES,
            "ring_dispatched": record.dispatched.size,
            "ring_history": record.port_history[0].size,
            "track_number": len(pace),
        }
        scratch = {
            "program": program.reshape(-1),
            "machine": numbers,
            "semantics": code.semantics,
            "slow_paths": code.slow_paths,
            "runs": quick_runs(program[: len(operations) + 1].reshape(-1), machine),
            "timeline": self._rows,
            "starts": self._starts,
            "tracks": tracks,
            "track_pace": pace,
            **{name: np.zeros(size, np.int64) for name, size in sizes.items()},
            **{name: np.full(registers, value, np.int64) for name, value in OF_REGISTERS.items()},
        }
        self._capacity = -1 if self._timeline is None else room
        found = table_of(state, record, scratch, own_arrays(machine))
        self._table, self._state, self._record, self._scratch = found

    @property
    def cycle(self) -> int:
        """See :attr:`vecsim.engines.protocol.Engine.cycle`."""
        return self._cycle

    def _failed_at(self) -> tuple[int, int]:
        outcome = self._scratch["outcome"]
        if self._loop == GENERAL_LOOP:
            return int(outcome[outcomes.CYCLE]), self.pc
        return int(outcome[outcomes.START]), int(outcome[outcomes.AT]) // instruction.WIDTH

    def _advance(self, cycle: int | None, instructions: int | None) -> None:
        if instructions is not None and instructions < 1:
            return
        record, outcome = self._record, self._scratch["outcome"]
        end = NEVER if cycle is None else cycle
        count = -1 if instructions is None else int(record.control[control.COUNT]) + instructions
        if self._fault is not None and self._cycle < end:
            raise self._fault
        while self._cycle < end and not self._at_end:
            stop = min(end, self._cycle + SLICE_CYCLES)
            outcome[outcomes.CYCLE] = outcome[outcomes.START] = self._cycle
            within = 0 <= self.pc <= len(self._decoded.operation)  # a snapshot may be of a jump astray
            status = self._run(self._table.ctypes.data, stop, count, self._capacity) if within else TROUBLE
            self._keep_rows()
            if status == TROUBLE:
                self._raise()
            if status == STILL:
                raise OwnCodeError("", f"RuntimeError: {STANDSTILL}", rule=True)
            # A boundary may be left, with rows yet to be written.
            if 0 <= count <= record.control[control.COUNT]:
                end = min(end, int(record.control[control.ISSUE_CYCLE]) + 1)
            if status == STOPPED:
                self._cycle = min(stop, end)
            elif status == FULL:
                self._cycle = int(outcome[outcomes.CYCLE])
        if self._at_end:
            self._cycle = max(self._cycle, min(end, int(record.control[control.LAST_RETIRED])))

    def _raise(self) -> None:
        """Say what the instruction at ``pc`` cannot do."""
        scratch, m = self._scratch, interpreted(self._state)
        program, machine = scratch["program"].tolist(), scratch["machine"].tolist()
        r = Arrays(program, machine, m, self._record, self._rows, self._starts)
        self._fault = Fault(self.program, self.pc, int(scratch["outcome"][outcomes.START]), what_is_wrong(r))
        self._cycle = self._fault.cycle
        raise self._fault
