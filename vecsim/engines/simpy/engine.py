"""The SimPy engine: the reference model, one process a unit, one event a unit and cycle of work."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import simpy

from isa.declaration import Unit
from isa.program import Program
from isa.state import State, new_state
from vecsim.engines.decoded import decode
from vecsim.engines.fault import Fault, Trouble
from vecsim.engines.protocol import Run, make_run
from vecsim.engines.record import Control, Snapshot, from_snapshot, new_record, take_snapshot
from vecsim.engines.simpy.arithmetic import Arithmetic
from vecsim.engines.simpy.clocked import BOUNDARY, Alarm, Clocked
from vecsim.engines.simpy.core import NEVER, Core
from vecsim.engines.simpy.dispatch import Dispatcher
from vecsim.engines.simpy.issue import Issue
from vecsim.engines.simpy.memory import MemoryPort
from vecsim.engines.simpy.sparse import Sparse
from vecsim.engines.static import unpack
from vecsim.engines.timeline import TimelineRequest, TimelineWriter
from vecsim.machine import Machine


class SimpyEngine:
    """A program under way on the SimPy model; see :class:`vecsim.engines.protocol.Engine`.

    With ``look_ahead = False`` every unit goes cycle by cycle: slower, with the same result.
    """

    def __init__(
        self,
        program: Program,
        memory: npt.NDArray[np.uint8],
        machine: Machine,
        timeline: TimelineRequest | None = None,
        *,
        look_ahead: bool = True,
    ) -> None:
        self._look_ahead = look_ahead
        self.program = program
        self.machine = machine
        self._instructions = unpack(program, decode(program, machine), machine)
        self._timeline = None if timeline is None else TimelineWriter(timeline)
        self._fault: Fault | None = None
        state = new_state(machine.section_size, machine.vector_registers, memory)
        record = new_record(machine)
        record.control[Control.PC] = program.entry
        self._build(0, Core(machine, state, record, self._instructions, self._timeline))

    def _build(self, cycle: int, core: Core) -> None:
        """Make the environment and its processes around a core, at the boundary before ``cycle``."""
        self._environment = environment = simpy.Environment(initial_time=cycle)
        self._core = core
        core.look_ahead = self._look_ahead
        units = [unit for unit in Unit if unit != Unit.SCALAR]
        queues = {int(unit): Dispatcher(environment, core, int(unit)) for unit in units}
        core.dispatchers = dict[int, Clocked](queues)
        core.issue = Issue(environment, core, queues)
        core.units = {
            int(Unit.ADD): Arithmetic(environment, core, int(Unit.ADD)),
            int(Unit.MULTIPLY): Arithmetic(environment, core, int(Unit.MULTIPLY)),
            int(Unit.SPARSE): Sparse(environment, core),
        }
        core.ports = [MemoryPort(environment, core, port) for port in range(self.machine.memory_ports)]
        core.connect()

    @property
    def cycle(self) -> int:
        """See :attr:`vecsim.engines.protocol.Engine.cycle`."""
        return int(self._environment.now) if self._fault is None else self._fault.cycle

    @property
    def pc(self) -> int:
        """Number of the instruction that issues next."""
        return self._core.control[Control.PC]

    @property
    def state(self) -> State:
        """Registers and memory, as of the instructions issued so far."""
        return self._core.state

    @property
    def finished(self) -> bool:
        """See :attr:`vecsim.engines.protocol.Engine.finished`."""
        control = self._core.control
        return self._core.at_end and self.cycle >= control[Control.LAST_RETIRED]

    def advance(self, *, cycle: int | None = None, instructions: int | None = None) -> None:
        """See :meth:`vecsim.engines.protocol.Engine.advance`."""
        environment, core = self._environment, self._core
        if (
            self.finished
            or (cycle is not None and cycle <= self.cycle)
            or (instructions is not None and instructions < 1)
        ):
            return
        if self._fault is not None:
            raise self._fault
        core.end = Alarm(environment)
        stops: list[simpy.Event] = [core.end]
        core.stop_cycle = NEVER if cycle is None else cycle
        if cycle is not None:
            at_cycle = Alarm(environment)
            at_cycle.set(cycle - self.cycle, BOUNDARY)
            stops.append(at_cycle)
        if instructions is not None:
            core.count_reached = Alarm(environment)
            core.stop_count = core.control[Control.AGE] + instructions
            stops.append(core.count_reached)
        core.check_end()
        try:
            with np.errstate(all="ignore"):
                environment.run(until=environment.any_of(stops))
        except Trouble as trouble:
            self._fault = Fault(self.program, self.pc, core.issue_cycle, str(trouble))
            raise self._fault from None
        finally:
            core.end, core.stop_count = None, 0

    def snapshot(self) -> Snapshot:
        """See :meth:`vecsim.engines.protocol.Engine.snapshot`."""
        return take_snapshot(self.program, self.machine, self.cycle, self._core.state, self._core.record)

    def restore(self, snapshot: Snapshot) -> None:
        """See :meth:`vecsim.engines.protocol.Engine.restore`."""
        state, record = from_snapshot(snapshot, self.program, self.machine)
        self._fault = None
        if self._timeline is not None:
            self._timeline.clear()
        self._build(snapshot.cycle, Core(self.machine, state, record, self._instructions, self._timeline))

    def result(self) -> Run:
        """See :meth:`vecsim.engines.protocol.Engine.result`."""
        return make_run(self.machine, self._core.state, self._core.record, self._timeline)
