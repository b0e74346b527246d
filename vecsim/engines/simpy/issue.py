"""In-order issue: the scalar side, and the way of a vector instruction into the queue of its unit."""

from __future__ import annotations

import simpy

from isa.declaration import Timing, Unit
from isa.semantics.numbers import wrap
from vecsim.engines import access
from vecsim.engines.columns import (
    AGE,
    BY_ISSUE,
    BY_ORDER,
    BY_PORT,
    BY_RAW,
    BY_SCALAR_RAW_WAW,
    BY_UNIT,
    COUNT,
    ELEMENT_OPERATIONS,
    FETCH,
    HALTED,
    ISSUE_CYCLE,
    ISSUED,
    PC,
    SCALAR_BYTES,
    SCALAR_INSTRUCTIONS,
    TAKEN_BRANCHES,
    VECTOR_INSTRUCTIONS,
)
from vecsim.engines.fault import Trouble
from vecsim.engines.record import PENDING
from vecsim.engines.simpy.clocked import BOUNDARY, ISSUE, Clocked
from vecsim.engines.simpy.core import Awaited, Core
from vecsim.engines.simpy.dispatch import Dispatcher
from vecsim.engines.simpy.flight import enter
from vecsim.engines.static import Static

SCALAR, BRANCH, SCALAR_LOAD, SCALAR_STORE, HALT, EXTRACT = (
    int(Timing.SCALAR),
    int(Timing.BRANCH),
    int(Timing.SCALAR_LOAD),
    int(Timing.SCALAR_STORE),
    int(Timing.HALT),
    int(Timing.EXTRACT),
)
MEMORY = int(Unit.MEMORY)


class Issue(Clocked):
    """Issues up to ``issue_width`` instructions a cycle, in program order.

    An instruction issues when the scalar registers that it reads or writes are ready, and, if it is a
    vector instruction, it is dispatched or its unit has room in its queue. Its values are computed here, so
    no value depends on timing.
    """

    phase = ISSUE

    def __init__(self, environment: simpy.Environment, core: Core, queues: dict[int, Dispatcher]) -> None:
        self.core = core
        self.queues = queues
        self.width = core.machine.issue_width
        super().__init__(environment)

    def step(self, cycle: int) -> int | None:
        """Issue what can issue in this cycle."""
        core = self.core
        core.awaited = Awaited.NOTHING
        now = core.issue_cycle = cycle
        control, instructions = core.control, core.instructions
        while not control[HALTED]:
            pc = control[PC]
            if not 0 <= pc < len(instructions):
                raise Trouble("the program runs past its end: halt is missing, or a jump went astray")
            static = instructions[pc]
            ready = self._scalars_ready_at(static)
            if ready is None:
                core.awaited = Awaited.REGISTER
                return None
            start = max(ready, control[FETCH], cycle)
            if control[ISSUED] >= self.width and control[ISSUE_CYCLE] >= start:
                start = control[ISSUE_CYCLE] + 1
            if start > now and not self._looks_ahead(static, start):
                return start
            cycle = core.issue_cycle = start
            if static.unit:
                again = self._issue_vector(static, cycle, ready)
            elif static.timing == SCALAR or static.timing == BRANCH:
                self._issue_scalar(static, cycle, self._wait_cause(cycle, ready))
                continue
            else:
                again = self._issue_other(static, cycle, ready)
            if again is None:
                return None
            if again > cycle:
                if not self._looks_ahead(static, again):
                    return again
                cycle = core.issue_cycle = again
        return None

    def _scalars_ready_at(self, static: Static) -> int | None:
        """From when all scalar registers of an instruction are ready; None if that is not yet known."""
        registers = self.core.scalar_ready
        ready = 0
        for register in static.wait_ready:
            if registers[register] > ready:
                ready = registers[register]
        return None if ready == PENDING else ready

    def _looks_ahead(self, static: Static, cycle: int) -> bool:
        """Tell whether an instruction of the scalar side may issue in a later cycle right now.

        With nothing in flight, nothing that happens until then matters to it.
        """
        core = self.core
        return not static.unit and not core.order and core.look_ahead and cycle < core.stop_cycle

    # The scalar side

    def _issue_scalar(self, static: Static, cycle: int, cause: int) -> None:
        core = self.core
        m, control = core.interpreted, core.control
        following = static.pc + 1
        if static.timing == BRANCH:
            m.address[0] = following
            target = static.target if static.target >= 0 else m.x[static.fields[0]]
            if static.semantics(m, 0, *static.fields):
                following = target
                control[FETCH] = cycle + 1 + core.machine.branch_penalty
                core.counters[TAKEN_BRANCHES] += 1
        else:
            static.semantics(m, 0, *static.fields)
        control[PC] = following
        self._done(static, cycle, cause, cycle + static.latency)

    def _done(self, static: Static, cycle: int, cause: int, retire: int) -> None:
        """Book a scalar instruction that issued in ``cycle``."""
        core = self.core
        for register in static.scalar_writes:
            core.scalar_ready[register] = retire
        core.counters[SCALAR_INSTRUCTIONS] += 1
        begin = self._advance(cycle)
        if core.timeline is not None:
            self._write_timeline(static, cycle, cause, begin, retire)
        core.accounts.retire_scalar(retire, cause, begin, cycle)

    def _advance(self, cycle: int) -> int:
        """Count the instruction; give the cycle of the issue before it."""
        core = self.core
        control = core.control
        before = control[ISSUE_CYCLE]
        if before < cycle:
            control[ISSUE_CYCLE] = cycle
            control[ISSUED] = 1
        else:
            control[ISSUED] += 1
        count = control[COUNT] + 1
        control[COUNT] = count
        if count == core.stop_count and core.count_reached is not None:
            core.count_reached.set(cycle + 1 - int(self.environment.now), BOUNDARY)
            core.stop_cycle = cycle + 1
        return before

    def _issue_other(self, static: Static, cycle: int, ready: int) -> int | None:
        """Words in memory, elements of vector registers, halt; gives the cycle to try again."""
        core = self.core
        m, timing = core.state, static.timing
        operand = order = 0
        if timing == EXTRACT:
            operand_or_none = self._extract_ready(static, cycle)
            if operand_or_none is None or operand_or_none > cycle:
                core.awaited = Awaited.ELEMENT
                return operand_or_none
            operand = operand_or_none
        elif timing in (SCALAR_LOAD, SCALAR_STORE):
            first, last = access.place(m, static, 1)
            if any(core.conflicts(i, static.store, first, last) for i in core.order):
                core.awaited = Awaited.ACCESS
                return None
            order = self._order_end(static.store, first, last)
            if order > cycle:
                return order
            core.counters[SCALAR_BYTES] += static.value_bytes
        cause = self._wait_cause(cycle, ready, operand, order=order)
        static.semantics(core.interpreted, 1, *static.fields)
        core.control[PC] = static.pc + 1
        if timing == HALT:
            core.control[HALTED] = 1
        self._done(static, cycle, cause, cycle + static.latency)
        core.check_end()
        return cycle

    def _extract_ready(self, static: Static, cycle: int) -> int | None:
        """From when the element of an extract is ready; None while an instruction in flight writes it."""
        core = self.core
        s = core.section
        register = static.all_reads[0]
        element = int(core.state.x[static.element]) & (s - 1)
        mask = 1 << register
        for i in core.order:
            writer, row = core.static[i], core.slots[i]
            if (writer.whole_write_mask | writer.accumulator_mask) & mask:
                return None
            if writer.write_mask & mask and core.starts_later(row, element):
                return None
        at = register * s + element
        ready = core.ready[at] if core.machine.chaining else core.ready_all[register]
        if ready <= cycle:
            core.taken[at] = max(core.taken[at], cycle)
            core.taken_all[register] = max(core.taken_all[register], cycle)
        return int(ready)

    def _order_end(self, store: bool, first: int, last: int) -> int:
        """Latest end of the accesses, known to end, that a scalar access must follow."""
        latest = 0
        for history in self.core.record.port_history:
            for end, begin, stop, stored in history:
                if end > latest and (store or stored) and (stop < 0 or (first < stop and begin < last)):
                    latest = int(end)
        return latest

    def _wait_cause(
        self, cycle: int, ready: int, operand: int = 0, *, queue: int = 0, order: int = 0, unit: int = 0
    ) -> int:
        """The condition that let the instruction wait until now; ties go to the first of the list."""
        control, machine = self.core.control, self.core.machine
        before = control[ISSUE_CYCLE]
        if before == cycle:
            return BY_ISSUE
        full = control[ISSUED] >= machine.issue_width
        if max(control[FETCH], before + full) >= cycle:
            return BY_ISSUE
        if ready == cycle:
            return BY_SCALAR_RAW_WAW
        if operand == cycle:
            return BY_RAW
        if queue == cycle:
            return BY_PORT if unit == MEMORY else BY_UNIT
        if order == cycle:
            return BY_ORDER
        return BY_ISSUE

    def _write_timeline(self, static: Static, cycle: int, cause: int, begin: int, retire: int) -> None:
        core = self.core
        assert core.timeline is not None
        waits = [0] * 10
        waits[cause] = max(cycle - begin, 0)
        age = core.control[COUNT] - 1
        address = int(core.state.address[0]) if static.pattern else -1
        words = static.value_bytes // 4 if static.pattern else 0
        core.timeline.add(
            age,
            (static.pc, age, 0, -1, 0, cycle, cycle, cycle, retire, retire, retire, address, words, *waits),
        )

    # Vector instructions

    def _issue_vector(self, static: Static, cycle: int, ready: int) -> int | None:
        """Issue a vector instruction; give the cycle to try again if its unit has no room."""
        core = self.core
        m = core.state
        n = access.elements(m, static)
        if n == 0:
            self._issue_empty(static, cycle, self._wait_cause(cycle, ready))
            return cycle
        queue = self.queues[static.unit]
        room = queue.room_at(cycle)
        if room is None or room > cycle:
            core.awaited = Awaited.ROOM
            return room
        cause = self._wait_cause(cycle, ready, queue=room, unit=static.unit)
        if static.slice >= 0 and not 0 <= int(m.x[static.slice]) < m.section:
            raise Trouble(f"slice {int(m.x[static.slice])} of the vector cache: it has 0 to {m.section - 1}")
        first, last = access.place(m, static, n) if static.pattern else (-1, -1)
        slot = enter(core, static, cycle, n, first, last)
        static.semantics(core.interpreted, n, *static.fields)
        if static.timing == int(Timing.SPARSE):
            core.record.rows[slot, :n] = m.row[:n]
        core.control[PC] = static.pc + 1
        for register in static.scalar_writes:
            core.scalar_ready[register] = cycle + 1
        for register in static.late_writes:
            core.scalar_ready[register] = PENDING
        core.counters[VECTOR_INSTRUCTIONS] += 1
        core.counters[ELEMENT_OPERATIONS] += n
        core.slots[slot][AGE] = core.control[COUNT]
        begin = self._advance(cycle)
        core.accounts.wait(slot, cause, begin, cycle)
        queue.put(slot, cycle)
        return cycle

    def _issue_empty(self, static: Static, cycle: int, cause: int) -> None:
        """A vector instruction of length 0 touches no unit."""
        core = self.core
        core.state.address[0] = wrap(int(core.state.x[static.base]) + static.offset) if static.pattern else 0
        static.semantics(core.interpreted, 0, *static.fields)
        core.control[PC] = static.pc + 1
        for register in static.scalar_writes:
            core.scalar_ready[register] = cycle + 1
        for register in static.late_writes:
            if core.scalar_ready[register] != PENDING:
                core.scalar_ready[register] = max(core.scalar_ready[register], cycle + 1)
        core.counters[VECTOR_INSTRUCTIONS] += 1
        begin = self._advance(cycle)
        if core.timeline is not None:
            self._write_timeline(static, cycle, cause, begin, cycle + 1)
        core.accounts.retire_scalar(cycle + 1, cause, begin, cycle)
