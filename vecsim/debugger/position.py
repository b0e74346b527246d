"""Where a session has stopped: registers, memory and the engine's record, as plain arrays."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from isa.program import Program
from isa.riscv.state import Hart
from isa.state import State, new_state
from vecsim.debugger.hart_state import digest_of, state_of
from vecsim.debugger.names import Names
from vecsim.engines.record import Snapshot, TimingRecord, from_snapshot
from vecsim.engines.timeline import COLUMNS
from vecsim.machine import Machine

if TYPE_CHECKING:
    from vecsim.riscv.timing.replay import Replay

AT = {name: i for i, name in enumerate(COLUMNS)}
"""Where in a row of the timeline each column is."""
IN_FLIGHT = ("age", "pc", "port", "issued_at", "dispatched_at", "start_cycle", "element", "word")
"""Fields of an instruction in flight that are the same at a cycle, however an engine came there."""


@dataclass(frozen=True)
class Position:
    """A stop at the boundary before a cycle.

    Attributes
    ----------
    program, machine, names
        What runs, on what, and what its registers and places are called.
    snapshot
        All that decides what happens next.
    rows
        The timeline's rows, by age, of the latest instructions whose times are known to their end.
    finished
        Whether all has retired.
    fault
        What went wrong, empty if nothing did.
    replay
        The values of a RISC-V program, which are not in the snapshot.
    """

    program: Program
    machine: Machine
    names: Names
    snapshot: Snapshot
    rows: dict[int, tuple[int, ...]]
    finished: bool = False
    fault: str = ""
    replay: Replay | None = None

    @property
    def cycle(self) -> int:
        """The cycle that comes next."""
        return self.snapshot.cycle

    def _control(self, name: str) -> int:
        return int(self.snapshot.timing["control"][name][0])

    @property
    def pc(self) -> int:
        """Number of the instruction that issues next."""
        return self._control("pc")

    @property
    def count(self) -> int:
        """Instructions issued so far: the age of the next."""
        return self._control("count")

    @property
    def halted(self) -> bool:
        """Whether halt has issued."""
        return bool(self._control("halted"))

    @cached_property
    def hart(self) -> Hart | None:
        """The hart of a RISC-V program, after all instructions that have issued; None of another program."""
        return None if self.replay is None else self.replay.snapshot(self.count)

    @property
    def memory(self) -> npt.NDArray[np.uint8]:
        """Simulated memory."""
        memory: npt.NDArray[np.uint8] = self.snapshot.architectural["memory"]
        return memory if self.hart is None else self.hart.memory

    @property
    def vectors(self) -> npt.NDArray[Any]:
        """The (V, n) bits of all vector registers."""
        held = self.snapshot.architectural["v"] if self.hart is None else self.hart.v64
        return np.asarray(held).reshape(self.machine.vector_registers, -1)

    @cached_property
    def state(self) -> State:
        """Registers and memory; a copy of the engine's."""
        if self.hart is not None:
            return state_of(self.hart)
        arrays = self.snapshot.architectural
        machine = self.machine
        state = new_state(machine.section_size, machine.vector_registers, arrays["memory"].copy())
        for name, values in arrays.items():
            getattr(state, name)[...] = values
        return state

    def arrays(self) -> tuple[State, TimingRecord]:
        """Return a state and their own record that hold what the snapshot holds."""
        return from_snapshot(self.snapshot, self.program, self.machine)

    @cached_property
    def slots(self) -> dict[int, int]:
        """The numbers of the slots in use, by age: what is not timed to its end."""
        ages = self.snapshot.timing["slots"]["age"]
        return {int(ages[slot]): int(slot) for slot in np.argsort(ages, kind="stable") if ages[slot] >= 0}

    @cached_property
    def issues(self) -> list[tuple[int, int, int]]:
        """The latest instructions in program order: age, cycle of issue, number in the program."""
        known = {age: (age, row[AT["issue"]], row[AT["pc"]]) for age, row in self.rows.items()}
        slots = self.snapshot.timing["slots"]
        for age, slot in self.slots.items():
            known[age] = (age, int(slots["issued_at"][slot]), int(slots["pc"][slot]))
        return [known[age] for age in sorted(known)]

    @cached_property
    def architectural_digest(self) -> str:
        """SHA-256 of cycle, program counter, registers and memory: the same on every engine."""
        result = hashlib.sha256(f"{self.cycle} {self.pc} {self.count} {self.finished}".encode())
        if self.hart is not None:
            result.update(digest_of(self.hart))
            return result.hexdigest()
        for name in sorted(self.snapshot.architectural):
            result.update(self.snapshot.architectural[name].tobytes())
        return result.hexdigest()

    @cached_property
    def digest(self) -> str:
        """SHA-256 of that and of time: cycle attribution, counters, what is in flight, times of instructions.

        Of the engine's record it has what is the same however the engine came here. The rest is the same in
        what follows from it: an engine may note a bank or a register as taken, or know that it plays no part.
        """
        result = hashlib.sha256(self.architectural_digest.encode())
        timing = self.snapshot.timing
        for values in (timing["control"], timing["accounts"], timing["counters"], timing["units"]["busy"]):
            result.update(values.tobytes())
        for slot in self.slots.values():
            result.update(np.array([timing["slots"][name][slot] for name in IN_FLIGHT]).tobytes())
        result.update(repr(sorted(self.rows.items())).encode())
        return result.hexdigest()
