"""A vector memory port in front of the word-interleaved banks.

An access becomes the port's current one when the access before it has ended; its words then go one after
the other, up to ``words_per_cycle`` (contiguous) or ``addresses_per_cycle`` (strided, indexed) a cycle,
each when its bank is free and its data are there. Ports that transfer in the same cycle meet at the banks
in the order of the age of their accesses: that is their phase.
"""

from __future__ import annotations

import simpy

from vecsim.engines.columns import (
    ADDRESS,
    AGE,
    BASE,
    BY_ALIGNMENT,
    BY_BANK,
    BY_ORDER,
    BY_PORT,
    BY_RAW,
    BY_STARTUP,
    BY_WAR_WAW,
    CACHE_FIRST,
    CYCLE,
    DISPATCHED_AT,
    ELEMENT,
    ELEMENTS,
    END,
    FIRST_READY,
    IN_CYCLE,
    LAST_BYTE,
    ORDER_END,
    WORD,
    WORDS,
    WORDS_LOADED,
    WORDS_STORED,
)
from vecsim.engines.simpy.clocked import EXECUTE
from vecsim.engines.simpy.core import CONTIGUOUS, MEMORY, NEVER, Core
from vecsim.engines.simpy.pipeline import Pipeline
from vecsim.engines.static import Static


class MemoryPort(Pipeline):
    """One port; all ports share the banks."""

    def __init__(self, environment: simpy.Environment, core: Core, port: int) -> None:
        record = core.record
        self.port = port
        self.port_count = memoryview(record.port_count)
        self.port_slots = memoryview(record.port_slots[port])
        self.history = memoryview(record.port_history[port])
        self.bank_free = memoryview(record.bank_free)
        self.banks = core.machine.banks
        super().__init__(environment, core)

    def current_phase(self) -> int:
        """Order ports that act in the same cycle by the age of their access."""
        if not self.port_count[self.port]:
            return EXECUTE
        return EXECUTE + 1 + int(self.core.slots[self.port_slots[0]][AGE])

    def step(self, cycle: int) -> int | None:
        """Transfer the words that can go in this cycle, or all that are left (see Core.looks_ahead)."""
        core = self.core
        if self.current_phase() > self.alarm_phase:
            return cycle  # its access came in an earlier phase of this very cycle: once more, in its turn
        while self.port_count[self.port]:
            slot = self.port_slots[0]
            if core.blocked[slot]:
                return None
            row, static = core.slots[slot], core.static[slot]
            ahead = core.looks_ahead(slot)
            if row[BASE] < 0:
                row[BASE] = self._base(row, static)
            if row[BASE] > cycle and not ahead:
                return int(row[BASE])
            word = row[WORD]
            wake = self._transfer(slot, row, static, cycle, ahead)
            if row[WORD] < row[WORDS]:
                if row[WORD] > word:
                    core.progressed(slot, cycle)
                return wake
            self._finish(slot, row, static, cycle)
        return None

    def _base(self, row: memoryview, static: Static) -> int:
        """The first cycle in which a word of the access may go."""
        ready = max(row[DISPATCHED_AT] + self.core.machine.startup, self.history[0, END], row[ORDER_END])
        return int(ready) + self._unaligned(row, static)

    def _unaligned(self, row: memoryview, static: Static) -> int:
        contiguous = static.pattern == CONTIGUOUS
        return int(contiguous and row[ADDRESS] % self.core.machine.alignment_bytes != 0)

    def _transfer(self, slot: int, row: memoryview, static: Static, cycle: int, ahead: bool) -> int | None:
        """Transfer words; give the cycle to go on in, None while one is blocked."""
        core, machine = self.core, self.core.machine
        contiguous = static.pattern == CONTIGUOUS
        rate = machine.words_per_cycle if contiguous else machine.addresses_per_cycle
        word, words, done = row[WORD], row[WORDS], row[ELEMENT]
        last_cycle, in_cycle = row[CYCLE], row[IN_CYCLE]
        limit = core.first_blocked(slot, done) if core.element_waits[slot] else NEVER
        bank_free, banks, busy = self.bank_free, self.banks, machine.bank_busy
        clear = limit == NEVER and not static.cache and core.all_clear(static, row[BASE])
        operand = hazard = 0
        wake: int | None = None
        while word < words:
            free = row[BASE] if word == 0 else last_cycle if in_cycle < rate else last_cycle + 1
            needed, complete, address = self._word(slot, row, static, word)
            if not clear:
                if needed > limit or (static.cache and self._slices_blocked(slot, row, done, needed)):
                    wake = None if free <= cycle else free
                    break
                operand, hazard = self._word_cycles(slot, row, static, word, done, needed)
            start = bank_free[address % banks]
            if free > start:
                start = free
            if operand > start:
                start = operand
            if hazard > start:
                start = hazard
            if start > cycle:
                if not ahead:
                    wake = start
                    break
                cycle = start
            if word == 0:
                self._begin(slot, row, static, cycle)
            if free < cycle:
                cause = BY_RAW if operand == cycle else BY_WAR_WAW if hazard == cycle else BY_BANK
                core.accounts.wait(slot, cause, free, cycle)
            bank_free[address % banks] = cycle + busy
            if complete > done:
                self._mark_elements(row, static, done, complete, cycle)
                done = complete
            if last_cycle == cycle:
                in_cycle += 1
            else:
                last_cycle, in_cycle = cycle, 1
                core.unit_busy[MEMORY] += 1
            word += 1
        row[WORD], row[CYCLE], row[IN_CYCLE] = word, last_cycle, in_cycle
        return wake

    def _word(self, slot: int, row: memoryview, static: Static, word: int) -> tuple[int, int, int]:
        """End of the elements that a word touches, end of those complete with it, its word address."""
        if row[LAST_BYTE] < 0:
            words = self.core.word_address[slot]
            if static.value_bytes == 4:
                return word + 1, word + 1, words[word]
            element = word >> 1
            return element + 1, (word + 1) >> 1, words[element] + (word & 1)
        first, n = row[ADDRESS], row[ELEMENTS]
        address = (first >> 2) + word
        behind = 4 * (address + 1) - first
        record = static.record_bytes
        return min(n, (behind - 1) // record + 1), min(n, behind // record), address

    def _word_cycles(
        self, slot: int, row: memoryview, static: Static, word: int, done: int, needed: int
    ) -> tuple[int, int]:
        """Operand and hazard cycle of a word: of its elements from ``done`` to ``needed``."""
        operand = hazard = 0
        if word == 0:
            operand, hazard = self.whole_cycles(slot, static)
        if static.cache:
            return self._cache_cycles(row, static, done, needed, operand, hazard)
        for element in range(done, needed):
            element_operand, element_hazard = self.element_cycles(static, element)
            if element_operand > operand:
                operand = element_operand
            if element_hazard > hazard:
                hazard = element_hazard
        return operand, hazard

    def _entered(self, row: memoryview, done: int, needed: int) -> range:
        """Slices of the vector cache that the elements from ``done`` to ``needed`` are the first in.

        Without chaining, all slices of the access, with its first element.
        """
        s, first = self.core.section, row[CACHE_FIRST]
        if not self.core.machine.chaining:
            return range(first // s, (first + row[ELEMENTS] - 1) // s + 1) if done == 0 else range(0)
        inside = done > 0 and (first + done) % s > 0
        return range((first + done) // s + inside, (first + needed - 1) // s + 1)

    def _slices_blocked(self, slot: int, row: memoryview, done: int, needed: int) -> bool:
        core = self.core
        if not core.slice_waits[slot]:
            return False
        return any(core.slice_blocked(slot, slice_) for slice_ in self._entered(row, done, needed))

    def _cache_cycles(
        self, row: memoryview, static: Static, done: int, needed: int, operand: int, hazard: int
    ) -> tuple[int, int]:
        """Like _word_cycles for an access that moves slices of the vector cache, on entering a slice."""
        core = self.core
        for slice_ in self._entered(row, done, needed):
            if static.store:
                operand = max(operand, core.slice_ready[slice_])
            else:
                hazard = max(hazard, core.slice_ready[slice_], core.slice_taken[slice_] + 1)
        return operand, hazard

    def _begin(self, slot: int, row: memoryview, static: Static, cycle: int) -> None:
        """Book the waits up to the first word."""
        core = self.core
        self.started(slot, static, cycle, 0)
        started_up = row[DISPATCHED_AT] + core.machine.startup
        aligned = row[BASE] - self._unaligned(row, static)
        core.accounts.wait(slot, BY_STARTUP, row[DISPATCHED_AT], started_up)
        core.accounts.wait(
            slot, BY_PORT if self.history[0, END] == aligned else BY_ORDER, started_up, aligned
        )
        core.accounts.wait(slot, BY_ALIGNMENT, aligned, row[BASE])

    def _mark_elements(self, row: memoryview, static: Static, done: int, complete: int, cycle: int) -> None:
        """Note that the elements from ``done`` to ``complete`` have passed."""
        if row[FIRST_READY] < 0:
            row[FIRST_READY] = cycle + 1
        if static.cache:
            self._mark_slices(row, static, done, complete, cycle)
        else:
            taken, ready = self.core.taken, self.core.ready
            for element in range(done, complete):
                for offset in static.read_offsets:
                    if taken[offset + element] < cycle:
                        taken[offset + element] = cycle
                for offset in static.write_offsets:
                    ready[offset + element] = cycle + 1
        row[ELEMENT] = complete

    def _mark_slices(self, row: memoryview, static: Static, done: int, complete: int, cycle: int) -> None:
        core, s, first = self.core, self.core.section, row[CACHE_FIRST]
        for slice_ in range((first + done) // s, (first + complete - 1) // s + 1):
            if static.store:
                core.slice_taken[slice_] = max(core.slice_taken[slice_], cycle)
            else:
                core.slice_ready[slice_] = core.slice_accumulator[slice_] = cycle + 1

    def _finish(self, slot: int, row: memoryview, static: Static, cycle: int) -> None:
        core, record = self.core, self.core.record
        last = row[CYCLE]
        if static.cache and not core.machine.chaining:
            self._mark_slices(row, static, 0, row[ELEMENTS], last)
        count = self.port_count[self.port] - 1
        for i in range(count):
            self.port_slots[i] = self.port_slots[i + 1]
        self.port_slots[count] = -1
        self.port_count[self.port] = count
        history = record.port_history[self.port]
        history[1:] = history[:-1].copy()
        history[0] = (last + 1, row[ADDRESS], row[LAST_BYTE], static.store)
        core.counters[WORDS_STORED if static.store else WORDS_LOADED] += row[WORDS]
        core.finish(slot, cycle, last, last + 1, last + 1)
