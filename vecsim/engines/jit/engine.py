"""The compiled engine: the same machine as the SimPy model, to the last digit, far faster."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from isa.program import Program
from isa.state import State, interpreted
from vecsim.engines.access import what_is_wrong
from vecsim.engines.base import BaseEngine
from vecsim.engines.cause import WAITS
from vecsim.engines.fault import Fault
from vecsim.engines.interpreted_run import InterpretedRun, interpreted_program
from vecsim.engines.jit.arrays.table import table_of
from vecsim.engines.jit.interface import FULL, MULTIPORT_LOOP, SINGLE_PORT, STILL, STOPPED, TROUBLE
from vecsim.engines.jit.object_files.machine_code import Loop, MachineCode, loop_of, machine_code
from vecsim.engines.jit.single_port.preparation import (
    add_reciprocals,
    mark_shortcuts,
    runs_on_single_port,
    scalar_blocks,
    steady_record,
    steady_schedules,
)
from vecsim.engines.jit.state import AHEAD, PORT, MovingAccess, Outcome, ScheduledRegister
from vecsim.engines.program_rows import cache_numbers, extension_numbers, machine_numbers, program_rows
from vecsim.engines.record import TimingRecord
from vecsim.engines.result import memory_counters
from vecsim.engines.rules.numbers import NEVER
from vecsim.engines.state.accounts import Start, TimelineRow
from vecsim.engines.state.control import Control
from vecsim.engines.state.control import Scratch as ScratchRow
from vecsim.engines.state.flight import TouchedRegisters
from vecsim.engines.state.row import new_rows
from vecsim.engines.timeline import CHUNK, TimelineRequest
from vecsim.engines.user_code import STANDSTILL, UserCodeError
from vecsim.engines.user_rules import own_arrays
from vecsim.machine import Machine

OF_WORDS = ("went", "arrived", "earliest", "operand")
SLICE_CYCLES = 20_000_000
"""Cycles after which compiled code comes back, so that an interrupt is heard."""


class JitEngine(BaseEngine):
    """A program in flight in compiled code; see :class:`vecsim.engines.protocol.Engine`.

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
        self._cycle = cycle
        rows, starts = self._timeline_room(CHUNK, slots), self._starts_room(CHUNK, slots)
        masked = bool(self._decoded.masked.any())
        general = self._general or masked or starts > 0 or not runs_on_single_port(self._decoded)
        general = general or bool((record.slots["age"] >= 0).any())
        self._loop = loop = MULTIPORT_LOOP if general else loop_of(machine)
        code = self._machine_code(loop, masked=masked)
        self._run: Loop = code.loop
        operations = code.operations[self._decoded.operation]
        program = program_rows(self._decoded._replace(operation=operations), machine)
        record_bytes = steady_record(self._decoded)
        mark_shortcuts(program[:-1], record_bytes)
        numbers = machine_numbers(machine, record, len(operations), len(state.memory))
        add_reciprocals(numbers)
        schedules, pace = steady_schedules(machine, record_bytes)
        scratch = {
            "program": program,
            "machine": numbers,
            "cache_numbers": cache_numbers(machine),
            "numbers": extension_numbers(machine),
            "scratch": new_rows(ScratchRow, (1,)),
            "touched": new_rows(TouchedRegisters, (slots,)),
            "order": np.zeros(slots, np.int64),
            "timeline": new_rows(TimelineRow, (rows,)),
            "starts": new_rows(Start, (starts,)),
            "outcome": new_rows(Outcome, (1,)),
            "scheduled": new_rows(ScheduledRegister, (machine.vector_registers + 1,)),
            "schedules": schedules,
            "pace": pace,
            "serial": np.zeros(len(pace), np.int64),
            "hazards": np.zeros(machine.section_size, np.int64),
            "waits": np.zeros(WAITS, np.int64),
            "blocks": scalar_blocks(program, machine) if loop == SINGLE_PORT else np.zeros(1, np.int64),
            "moving": new_rows(MovingAccess, (machine.ports,)),
            "turns": np.zeros(machine.ports, np.int64),
            "word_waits": np.zeros((machine.ports, 3 * AHEAD), np.int64),
            **{name: np.zeros((machine.ports, 4 * machine.section_size + 1), np.int64) for name in OF_WORDS},
            "wake_ups": np.zeros(PORT + machine.ports, np.int64),
            "semantics": code.semantics,
            "slow_paths": code.slow_paths,
        }
        scratch["scratch"]["enough_starts"] = CHUNK if starts else 0
        self._capacity = -1 if self._timeline is None else rows
        self._table, self._state, self._record, self._scratch = table_of(
            state, record, scratch, own_arrays(machine)
        )

    def _machine_code(self, loop: str, *, masked: bool) -> MachineCode:
        """Return the compiled code of a loop, with the instructions under mask if the program has one."""
        return machine_code(self.program.instruction_set, loop, self.machine.user_rules, masked=masked)

    def _written_record(self) -> TimingRecord:
        return self._record

    def _collect(self) -> None:
        if self._timeline is not None:
            counts = self._scratch["scratch"]
            rows = self._scratch["timeline"][: counts["rows"][0]]
            self._timeline.take(rows, self._scratch["starts"][: counts["starts"][0]])
            counts["rows"] = counts["starts"] = 0

    @property
    def _control(self) -> Control:
        return Control(*self._record.control[0].item())

    @property
    def _in_flight(self) -> bool:
        return self._loop == MULTIPORT_LOOP and bool((self._record.slots["age"] >= 0).any())

    @property
    def cycle(self) -> int:
        """See :attr:`vecsim.engines.protocol.Engine.cycle`."""
        return self._cycle

    def _failed_at(self) -> tuple[int, int]:
        outcome = self._scratch["outcome"][0]
        if self._loop == MULTIPORT_LOOP:
            return int(outcome["cycle"]), self.pc
        return int(outcome["start"]), int(outcome["next"])

    def _advance(self, cycle: int | None, instructions: int | None) -> None:
        if instructions is not None and instructions < 1:
            return
        outcome, control = self._scratch["outcome"], self._record.control
        end = NEVER if cycle is None else cycle
        count = -1 if instructions is None else int(control["count"][0]) + instructions
        if self._fault is not None and self._cycle < end:
            raise self._fault
        while self._cycle < end and not self._at_end:
            stop = min(end, self._cycle + SLICE_CYCLES)
            outcome["cycle"] = outcome["start"] = self._cycle
            within = 0 <= self.pc <= len(self._decoded.operation)  # a snapshot may be of a jump astray
            status = self._run(self._table.ctypes.data, stop, count, self._capacity) if within else TROUBLE
            self._collect()
            if status == TROUBLE:
                self._raise()
            if status == STILL:
                raise UserCodeError("", f"RuntimeError: {STANDSTILL}", rule=True)
            # A boundary may be left, with rows yet to be written.
            if 0 <= count <= control["count"][0]:
                end = min(end, int(control["issue_cycle"][0]) + 1)
            if status == STOPPED:
                self._cycle = min(stop, end)
            elif status == FULL:
                self._cycle = int(outcome["cycle"][0])
        if self._at_end:
            self._cycle = max(self._cycle, min(end, int(control["last_retired"][0])))

    def run_other(self, loop: Loop, progress: npt.NDArray[np.int64], words: npt.NDArray[np.int32]) -> int:
        """Let another loop run the program, which keeps its own time; return why it came back.

        Parameters
        ----------
        loop
            ``loop(table, progress, words, capacity)``, the addresses of the arrays.
        progress, words
            Arrays that the loop fills.
        """
        return loop(self._table.ctypes.data, progress.ctypes.data, words.ctypes.data, len(words))

    @property
    def memory_counters(self) -> dict[str, int]:
        """What merging, caches and main memory have counted so far, by name."""
        return memory_counters(self.machine, self._record.counters)

    def _raise(self) -> None:
        """Raise what the instruction at ``pc`` cannot do."""
        scratch = self._scratch
        r = InterpretedRun(
            interpreted_program(scratch["program"]),
            scratch["machine"],
            scratch["cache_numbers"],
            [],
            interpreted(self._state),
            self._record,
        )
        start = int(scratch["outcome"]["start"][0])
        self._fault = Fault(self.program, self.pc, start, what_is_wrong(r))
        self._cycle = self._fault.cycle
        raise self._fault
