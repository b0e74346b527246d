"""What the processes of the SimPy model share: the record, the instructions in flight, who waits for whom.

The lists here (``order``, ``followers``, ...) are views of the record, rebuilt from it after a restore.
"""

from __future__ import annotations

from enum import IntEnum

import numpy as np

from isa.declaration import Pattern, Timing, Unit
from isa.state import State, interpreted
from vecsim.engines.columns import (
    ADDRESS,
    AGE,
    CACHE_FIRST,
    DISPATCHED_AT,
    ELEMENT,
    ELEMENTS,
    FIRST,
    FIRST_READY,
    HALTED,
    ISSUED_AT,
    LAST_BYTE,
    LAST_RETIRED,
    ORDER_END,
    PORT,
    SLICE,
    SLOT_PC,
    START_CYCLE,
    UNIT,
    WAIT_ELEMENT,
    WAIT_ORDER,
    WAIT_SLICE,
    WAIT_WHOLE,
    WORDS,
)
from vecsim.engines.record import TimingRecord
from vecsim.engines.simpy.accounts import Accounts
from vecsim.engines.simpy.clocked import BOUNDARY, Alarm, Clocked
from vecsim.engines.static import Static
from vecsim.engines.timeline import TimelineWriter
from vecsim.machine import Machine

MEMORY, SPARSE = int(Unit.MEMORY), int(Unit.SPARSE)
CONTIGUOUS = int(Pattern.CONTIGUOUS)
ACCESS = int(Timing.ACCESS)
NEVER = 1 << 60


class Awaited(IntEnum):
    """What keeps the next instruction from issuing until an instruction in flight has gone on."""

    NOTHING = 0
    REGISTER = 1  # a scalar register that comes with the last element
    ELEMENT = 2  # an element of a vector register
    ACCESS = 3  # an older access
    ROOM = 4  # its unit, or room in the queue


def _remove(rows: list[memoryview], row: memoryview) -> None:
    """Take out a row by identity; memoryviews compare by content."""
    for i, other in enumerate(rows):
        if other is row:
            del rows[i]
            return


class Core:
    """The record with fast views of it, and the bookkeeping of instructions in flight."""

    def __init__(
        self,
        machine: Machine,
        state: State,
        record: TimingRecord,
        instructions: list[Static],
        timeline: TimelineWriter | None,
    ) -> None:
        self.machine = machine
        self.state = state
        self.interpreted = interpreted(state)
        self.record = record
        self.instructions = instructions
        self.timeline = timeline
        self.section = machine.section_size
        self.one_port = machine.memory_ports == 1
        self.look_ahead = True
        """False makes every unit go cycle by cycle; the result is the same, to the last digit."""
        self.control = memoryview(record.control)
        self.scalar_ready = memoryview(record.scalar_ready)
        self.slots = [memoryview(row) for row in record.slots]
        self.waits = [memoryview(row) for row in record.waits]
        self.word_address = [memoryview(row) for row in record.word_address]
        self.rows = [memoryview(row) for row in record.rows]
        self.ready = memoryview(record.ready)
        self.taken = memoryview(record.taken)
        self.ready_all = memoryview(record.ready_all)
        self.taken_all = memoryview(record.taken_all)
        self.ready_accumulator = memoryview(record.ready_accumulator)
        self.slice_ready = memoryview(record.slice_ready)
        self.slice_taken = memoryview(record.slice_taken)
        self.slice_accumulator = memoryview(record.slice_accumulator)
        self.counters = memoryview(record.counters)
        self.unit_busy = memoryview(record.unit_busy)
        self.queued = memoryview(record.queued)
        self.awaited = Awaited.NOTHING
        """What the next instruction waits for in instructions in flight."""
        self.end: Alarm | None = None
        """Fires at the boundary of the last retirement."""
        self.count_reached: Alarm | None = None
        self.issue_cycle = 0
        """The cycle that issue works on; with nothing in flight it may be ahead."""
        self.stop_cycle = 0
        """Nothing issues in this cycle or later."""
        self.stop_count = 0
        """Number of instructions after which ``count_reached`` fires; 0 for never."""
        self.issue: Clocked
        self.dispatchers: dict[int, Clocked]
        self.units: dict[int, Clocked]
        self.ports: list[Clocked]
        count = len(self.slots)
        self.depends = [memoryview(row) for row in record.depends]
        self.static: list[Static] = instructions[:1] * count
        self.process: list[Clocked | None] = [None] * count
        """The unit or port to which the slot has been dispatched."""
        self.waits_for: list[list[int]] = [[] for _ in range(count)]
        self.element_waits: list[list[memoryview]] = [[] for _ in range(count)]
        self.slice_waits: list[list[memoryview]] = [[] for _ in range(count)]
        self.blocked = [0] * count
        """How many older instructions must have left flight before the slot may start."""
        self.followers: list[list[int]] = [[] for _ in range(count)]
        self.order = sorted(
            (i for i in range(count) if self.slots[i][AGE] >= 0), key=lambda i: self.slots[i][AGE]
        )
        """Slots in flight, oldest first."""
        self.accounts = Accounts(record, self.slots, self.waits, self.order)
        for i in self.order:
            self.static[i] = instructions[self.slots[i][SLOT_PC]]
        for i in self.order:
            self._list_waits(i)

    def connect(self) -> None:
        """Find the processes of the slots that had been dispatched before a restore."""
        for i in self.order:
            row = self.slots[i]
            if row[DISPATCHED_AT] >= 0:
                self.process[i] = self.ports[row[PORT]] if row[UNIT] == MEMORY else self.units[row[UNIT]]

    @property
    def at_end(self) -> bool:
        """True when halt has issued and nothing is in flight, so that the last retirement is known."""
        return bool(self.control[HALTED]) and not self.order

    def check_end(self) -> None:
        """Let the run stop at the last retirement if that is known."""
        if self.at_end and self.end is not None:
            self.end.set(self.control[LAST_RETIRED] - int(self.end.env.now), BOUNDARY)
            self.end = None

    # Who waits for whom

    def _list_waits(self, slot: int) -> None:
        """List what ``slot`` waits for from its row of ``depends``."""
        for j, bits in enumerate(self.depends[slot]):
            if bits:
                self._list_wait(slot, j, bits)

    def _list_wait(self, slot: int, j: int, bits: int) -> None:
        self.waits_for[slot].append(j)
        self.followers[j].append(slot)
        if bits & WAIT_ELEMENT:
            self.element_waits[slot].append(self.slots[j])
        if bits & WAIT_SLICE:
            self.slice_waits[slot].append(self.slots[j])
        if bits & (WAIT_WHOLE | WAIT_ORDER):
            self.blocked[slot] += 1

    def link(self, slot: int, kinds: dict[int, int]) -> None:
        """Let ``slot`` wait for each older slot in ``kinds`` in the ways that its bits say."""
        depends = self.depends[slot]
        for j, bits in kinds.items():
            depends[j] = bits
            self._list_wait(slot, j, bits)

    def _release(self, slot: int, j: int, cycle: int) -> None:
        """Let ``slot`` wait no longer for ``j``, whose last element started in ``cycle``."""
        bits, row = self.depends[slot][j], self.slots[j]
        self.depends[slot][j] = 0
        self.waits_for[slot].remove(j)
        if bits & WAIT_ELEMENT:
            _remove(self.element_waits[slot], row)
        if bits & WAIT_SLICE:
            _remove(self.slice_waits[slot], row)
        if bits & (WAIT_WHOLE | WAIT_ORDER):
            self.blocked[slot] -= 1
        if bits & WAIT_ORDER:
            self.slots[slot][ORDER_END] = max(self.slots[slot][ORDER_END], cycle + 1)

    def first_blocked(self, slot: int, element: int) -> int:
        """The first element from ``element`` on that an older instruction in flight has yet to start."""
        limit = NEVER
        for row in self.element_waits[slot]:
            first = row[FIRST]
            if element < first + row[ELEMENTS]:
                limit = min(limit, max(element, first + row[ELEMENT]))
        return limit

    @staticmethod
    def starts_later(row: memoryview, element: int) -> bool:
        """Tell whether an instruction in flight has this element of a register before it."""
        first = row[FIRST]
        return bool(first + row[ELEMENT] <= element < first + row[ELEMENTS])

    def slice_blocked(self, slot: int, slice_: int) -> bool:
        """Tell whether an older instruction in flight has yet to complete this slice of the cache."""
        begin, end = slice_ * self.section, (slice_ + 1) * self.section
        for row in self.slice_waits[slot]:
            if row[SLICE] >= 0:
                if row[SLICE] == slice_:
                    return True
                continue
            first = row[CACHE_FIRST]
            last = min(end, first + row[ELEMENTS])
            if first < end and last > begin and first + row[ELEMENT] < last:
                return True
        return False

    def progressed(self, slot: int, cycle: int) -> None:
        """Wake what waits for elements of ``slot``; they see them from the next cycle on."""
        for i in self.followers[slot]:
            process = self.process[i]
            if process is not None and process.asleep:
                process.ring(cycle + 1)
        if self.awaited == Awaited.ELEMENT:
            self.issue.ring(cycle + 1)

    # The end of an instruction's time in flight

    def looks_ahead(self, slot: int) -> bool:
        """Tell whether all that is left of ``slot`` can be timed now.

        The oldest instruction in flight depends on nothing unknown: all cycles of those before it are known.
        Only a port that shares the banks with others must go cycle by cycle.
        """
        return (
            self.order[0] == slot
            and self.look_ahead
            and (self.one_port or self.static[slot].timing != ACCESS)
        )

    def all_clear(self, static: Static, cycle: int) -> bool:
        """Tell whether all operands of an instruction that waits for nobody are free from ``cycle`` on."""
        ready_all, taken_all = self.ready_all, self.taken_all
        for v in static.reads:
            if ready_all[v] > cycle:
                return False
        for v in static.writes:
            if ready_all[v] > cycle or taken_all[v] >= cycle:
                return False
        return not static.whole_writes and not static.whole_reads

    def finish(self, slot: int, now: int, last: int, result: int, retire: int) -> None:
        """Take ``slot`` out of flight: its last element starts in ``last``, now or later.

        Parameters
        ----------
        slot
            A row of the table of instructions in flight.
        now
            The cycle in which this becomes known.
        last
            The cycle in which its last element starts.
        result
            The cycle from which its late results are ready.
        retire
            The cycle of its retirement.
        """
        row, static = self.slots[slot], self.static[slot]
        self._complete_registers(static, last, result)
        self.order.remove(slot)
        self._complete_scalars(static, result)
        self.accounts.retire(row, retire)
        if self.timeline is not None:
            self._write_timeline(slot, row, static, result, retire)
        for i in self.followers[slot]:
            self._release(i, slot, last)
            process = self.process[i]
            if process is not None and process.asleep:
                process.ring(now + 1)
        self._free(slot)
        self.check_end()
        if self._awaited_this(static):
            self.issue.ring(now + 1)
        if self.queued[row[UNIT]]:
            self.dispatchers[row[UNIT]].ring(now + 1)

    def _awaited_this(self, static: Static) -> bool:
        """Tell whether issue may have waited for the instruction that just left flight."""
        awaited = self.awaited
        if awaited == Awaited.REGISTER:
            return bool(static.late_writes)
        if awaited == Awaited.ACCESS:
            return static.timing == ACCESS
        return awaited != Awaited.NOTHING

    def _free(self, slot: int) -> None:
        """Forget what ``slot`` waited for and who waited for it."""
        for j in self.waits_for[slot]:
            self.followers[j].remove(slot)
            self.depends[slot][j] = 0
        self.waits_for[slot].clear()
        self.element_waits[slot].clear()
        self.slice_waits[slot].clear()
        self.followers[slot].clear()
        self.process[slot] = None
        self.slots[slot][AGE] = -1

    def _complete_registers(self, static: Static, cycle: int, result: int) -> None:
        s, record = self.section, self.record
        for v in static.whole_reads:
            taken = record.taken[v * s : (v + 1) * s]
            np.maximum(taken, cycle, out=taken)
            self.taken_all[v] = max(self.taken_all[v], cycle)
        for v in static.whole_writes:
            record.ready[v * s : (v + 1) * s] = result
            self.ready_all[v] = max(self.ready_all[v], result)
            self.ready_accumulator[v] = max(self.ready_accumulator[v], result)
        v = static.accumulator
        if v >= 0:
            record.ready[v * s : (v + 1) * s] = result
            self.ready_all[v] = max(self.ready_all[v], result)
        for v in static.reads:
            self.taken_all[v] = max(self.taken_all[v], cycle)
        for v in static.writes:
            self.ready_all[v] = max(self.ready_all[v], result)
            self.ready_accumulator[v] = max(self.ready_accumulator[v], result)

    def _complete_scalars(self, static: Static, result: int) -> None:
        for register in static.late_writes:
            if not any(register in self.static[i].late_writes for i in self.order):
                self.scalar_ready[register] = result

    def _write_timeline(self, slot: int, row: memoryview, static: Static, result: int, retire: int) -> None:
        assert self.timeline is not None
        memory = static.timing == ACCESS
        self.timeline.add(
            row[AGE],
            (
                static.pc,
                row[AGE],
                row[UNIT],
                row[PORT],
                row[ELEMENTS],
                row[ISSUED_AT],
                row[DISPATCHED_AT],
                row[START_CYCLE],
                row[FIRST_READY],
                result,
                retire,
                row[ADDRESS] if memory else -1,
                row[WORDS] if memory else 0,
                *self.waits[slot],
            ),
        )

    def conflicts(self, slot: int, store: bool, first: int, last: int) -> bool:
        """Tell whether a younger access must follow the access in ``slot``.

        Parameters
        ----------
        slot
            The slot of the older access.
        store
            Whether the younger access is a store.
        first, last
            Its first byte and the one after its last; ``last`` is -1 if it is not contiguous.
        """
        static, row = self.static[slot], self.slots[slot]
        if static.timing != ACCESS or not (store or static.store):
            return False
        if last < 0 or row[LAST_BYTE] < 0:
            return True
        return bool(first < row[LAST_BYTE] and row[ADDRESS] < last)
