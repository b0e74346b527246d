"""What the processes of the SimPy model share: the record, the instructions in flight, who waits for whom.

The lists here (``order``, ``followers``, ...) are views of the record, rebuilt from it after a restore.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from isa.declaration import Pattern, Timing, Unit
from isa.state import State
from vecsim.engines.record import PENDING, TimingRecord
from vecsim.engines.simpy.columns import (
    ACCEPTED_AT,
    ADDRESS,
    AFTER,
    AGE,
    CACHE_FIRST,
    CHARGED,
    CYCLE,
    ELEMENT,
    ELEMENTS,
    EXECUTING,
    FIRST,
    FIRST_USABLE,
    HALTED,
    ISSUED_AT,
    LAST_BYTE,
    LAST_RETIRED,
    ORDER_END,
    PORT,
    RETIRED,
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
from vecsim.engines.simpy.static import Static
from vecsim.engines.timeline import TimelineWriter
from vecsim.machine import Machine

if TYPE_CHECKING:
    from vecsim.engines.simpy.clocked import Alarm, Clocked

MEMORY, SPARSE = int(Unit.MEMORY), int(Unit.SPARSE)
CONTIGUOUS = int(Pattern.CONTIGUOUS)
ACCESS = int(Timing.ACCESS)


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
        self.record = record
        self.instructions = instructions
        self.timeline = timeline
        self.section = machine.section_size
        self.control = memoryview(record.control)
        self.ready = memoryview(record.ready)
        self.slots = [memoryview(row) for row in record.slots]
        self.waits = [memoryview(row) for row in record.waits]
        self.word_address = [memoryview(row) for row in record.word_address]
        self.rows = [memoryview(row) for row in record.rows]
        self.usable = memoryview(record.usable)
        self.taken = memoryview(record.taken)
        self.usable_all = memoryview(record.usable_all)
        self.taken_all = memoryview(record.taken_all)
        self.usable_accumulator = memoryview(record.usable_accumulator)
        self.slice_usable = memoryview(record.slice_usable)
        self.slice_taken = memoryview(record.slice_taken)
        self.slice_accumulator = memoryview(record.slice_accumulator)
        self.charged = memoryview(record.charged)
        self.waited = memoryview(record.waited)
        self.counters = memoryview(record.counters)
        self.unit_busy = memoryview(record.unit_busy)
        self.queued = memoryview(record.queued)
        self.issue_watches_elements = False
        """True while the next instruction to issue waits for an element of a vector register."""
        self.end: Alarm | None = None
        """Fires at the boundary after the last instruction has left flight."""
        self.count_reached: Alarm | None = None
        self.stop_count = 0
        """Number of instructions after which ``count_reached`` fires; 0 for never."""
        self.issue: Clocked
        self.dispatchers: dict[int, Clocked]
        self.units: dict[int, Clocked]
        self.ports: list[Clocked]
        count = len(self.slots)
        self.static = [instructions[0]] * count
        self.element_waits: list[list[int]] = [[] for _ in range(count)]
        self.slice_waits: list[list[int]] = [[] for _ in range(count)]
        self.blocked: list[int] = [0] * count
        self.followers: list[list[int]] = [[] for _ in range(count)]
        self.order = sorted(
            (i for i in range(count) if self.slots[i][AGE] >= 0), key=lambda i: self.slots[i][AGE]
        )
        for i in self.order:
            self.static[i] = instructions[self.slots[i][SLOT_PC]]
        for i in self.order:
            self._list_waits(i)

    def check_end(self) -> None:
        """Let the run stop at the next boundary if halt has issued and nothing is in flight."""
        if self.control[HALTED] and not self.order and self.end is not None:
            self.end.set(1, 0)
            self.end = None

    # Who waits for whom

    def _list_waits(self, slot: int) -> None:
        """Rebuild what ``slot`` waits for from its row of ``depends``."""
        kinds = self.record.depends[slot]
        older = [int(j) for j in np.flatnonzero(kinds)]
        self.element_waits[slot] = [j for j in older if kinds[j] & WAIT_ELEMENT]
        self.slice_waits[slot] = [j for j in older if kinds[j] & WAIT_SLICE]
        self.blocked[slot] = int(np.bitwise_or.reduce(kinds)) & (WAIT_WHOLE | WAIT_ORDER)
        for j in older:
            if slot not in self.followers[j]:
                self.followers[j].append(slot)

    def link(self, slot: int, kinds: dict[int, int]) -> None:
        """Let ``slot`` wait for each older slot in ``kinds`` in the ways that its bits say."""
        row = self.record.depends[slot]
        row[:] = 0
        for j, bits in kinds.items():
            row[j] = bits
        if kinds:
            self._list_waits(slot)
        else:
            self.element_waits[slot], self.slice_waits[slot], self.blocked[slot] = [], [], 0

    def element_blocked(self, slot: int, element: int) -> bool:
        """Tell whether an older instruction in flight has yet to start this element."""
        return any(self.starts_later(self.slots[j], element) for j in self.element_waits[slot])

    @staticmethod
    def starts_later(row: memoryview, element: int) -> bool:
        """Tell whether an instruction in flight has this element of a register before it."""
        first = row[FIRST]
        return bool(first + row[ELEMENT] <= element < first + row[ELEMENTS])

    def slice_blocked(self, slot: int, slice_: int) -> bool:
        """Tell whether an older instruction in flight has yet to complete this slice of the cache."""
        begin, end = slice_ * self.section, (slice_ + 1) * self.section
        for j in self.slice_waits[slot]:
            row = self.slots[j]
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
            self._ring_unit(i, cycle + 1)
        if self.issue_watches_elements:
            self.issue.ring(cycle + 1)

    def _ring_unit(self, slot: int, cycle: int) -> None:
        row = self.slots[slot]
        if row[ACCEPTED_AT] < 0:
            return
        process = self.ports[row[PORT]] if row[UNIT] == MEMORY else self.units[row[UNIT]]
        if process.asleep:
            process.ring(cycle)

    # Waiting and charging

    def wait(self, slot: int, cause: int, begin: int, end: int) -> None:
        """Book that ``slot`` waited in the cycles from ``begin`` to ``end`` (exclusive)."""
        if end <= begin:
            return
        self.waits[slot][cause] += end - begin
        self.waited[cause] += end - begin
        if self.order[0] == slot:
            begin = max(begin, self.control[RETIRED])
            if end > begin:
                self.charged[cause] += end - begin
                self.slots[slot][CHARGED] += end - begin

    def retire_scalar(self, retire: int, cause: int, begin: int, end: int) -> None:
        """Book an instruction that is known at issue: it waited before it, and retires at ``retire``."""
        if retire > self.control[LAST_RETIRED]:
            self.control[LAST_RETIRED] = retire
        if end > begin:
            self.waited[cause] += end - begin
        if self.order:
            row = self.slots[self.order[-1]]
            if retire > row[AFTER]:
                row[AFTER] = retire
            return
        retired = self.control[RETIRED]
        begin = max(begin, retired)
        if end > begin:
            self.charged[cause] += end - begin
            retired = end
        if retire > retired:
            self.charged[EXECUTING] += retire - retired
            retired = retire
        self.control[RETIRED] = retired

    # The end of an instruction's time in flight

    def finish(self, slot: int, cycle: int, result: int, retire: int) -> None:
        """Take ``slot`` out of flight: its last element started in ``cycle``.

        ``result`` is the cycle from which its late results are usable.
        """
        row, static = self.slots[slot], self.static[slot]
        self._complete_registers(static, cycle, result)
        self.order.remove(slot)
        self._complete_scalars(static, result)
        self._book(slot, row, retire)
        if self.timeline is not None:
            self._write_timeline(slot, row, static, result, retire)
        for i in self.followers[slot]:
            depends = self.record.depends[i]
            if depends[slot] & WAIT_ORDER:
                self.slots[i][ORDER_END] = max(self.slots[i][ORDER_END], cycle + 1)
            depends[slot] = 0
            self._list_waits(i)
            self._ring_unit(i, cycle + 1)
        self._unlink(slot)
        row[AGE] = -1
        self.check_end()
        self.issue.ring(cycle + 1)
        if self.queued[row[UNIT]]:
            self.dispatchers[row[UNIT]].ring(cycle + 1)

    def _unlink(self, slot: int) -> None:
        """Forget what ``slot`` waited for and who waited for it; the slot is free again."""
        depends = self.record.depends[slot]
        for j in np.flatnonzero(depends):
            self.followers[int(j)].remove(slot)
        depends[:] = 0
        self.followers[slot] = []

    def _complete_registers(self, static: Static, cycle: int, result: int) -> None:
        s, record = self.section, self.record
        for v in static.whole_reads:
            record.taken[v * s : (v + 1) * s] = cycle
            self.taken_all[v] = max(self.taken_all[v], cycle)
        for v in static.whole_writes:
            record.usable[v * s : (v + 1) * s] = result
            self.usable_all[v] = max(self.usable_all[v], result)
            self.usable_accumulator[v] = max(self.usable_accumulator[v], result)
        v = static.accumulator
        if v >= 0:
            record.usable[v * s : (v + 1) * s] = result
            self.usable_all[v] = max(self.usable_all[v], result)
        for v in static.reads:
            self.taken_all[v] = max(self.taken_all[v], cycle)
        for v in static.writes:
            self.usable_all[v] = max(self.usable_all[v], result)
            self.usable_accumulator[v] = max(self.usable_accumulator[v], result)

    def _complete_scalars(self, static: Static, result: int) -> None:
        for register in static.late_writes:
            if not any(register in self.static[i].late_writes for i in self.order):
                self.ready[register] = result

    def _book(self, slot: int, row: memoryview, retire: int) -> None:
        """Charge the rest of its cycles, or hand its retirement to the older one that hides it."""
        control = self.control
        if retire > control[LAST_RETIRED]:
            control[LAST_RETIRED] = retire
        older = [i for i in self.order if self.slots[i][AGE] < row[AGE]]
        if older:
            row_before = self.slots[older[-1]]
            row_before[AFTER] = max(row_before[AFTER], retire, row[AFTER])
            return
        retired = control[RETIRED]
        if retire > retired:
            self.charged[EXECUTING] += retire - retired - row[CHARGED]
            retired = retire
        if row[AFTER] > retired:
            self.charged[EXECUTING] += row[AFTER] - retired
            retired = row[AFTER]
        control[RETIRED] = retired

    def _write_timeline(
        self, slot: int, row: memoryview, static: Static, result: int, retire: int
    ) -> None:
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
                row[ACCEPTED_AT],
                row[START_CYCLE],
                row[FIRST_USABLE],
                result,
                retire,
                row[ADDRESS] if memory else -1,
                row[WORDS] if memory else 0,
                *self.waits[slot],
            ),
        )

    def conflicts(self, slot: int, store: bool, first: int, last: int) -> bool:
        """Tell whether a younger access must follow the access in ``slot``.

        ``first`` to ``last`` (exclusive) are its bytes, ``last`` -1 if it is not contiguous.
        """
        static, row = self.static[slot], self.slots[slot]
        if static.timing != ACCESS or not (store or static.store):
            return False
        if last < 0 or row[LAST_BYTE] < 0:
            return True
        return bool(first < row[LAST_BYTE] and row[ADDRESS] < last)


