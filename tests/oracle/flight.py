"""An instruction in flight: its times as far as they are known, and what it waits for in older ones."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import cached_property

from isa.declaration import Pattern, Timing, Unit
from tests.oracle import shape
from tests.oracle.shape import Use, Word
from tests.oracle.steps import Step
from tests.oracle.waits import Wait
from vecsim.machine import WORD_BYTES, Machine

NEVER = math.inf
"""A time that is not known yet: something older has to happen first."""


@dataclass(eq=False)
class Flight:
    """An instruction that has issued.

    Attributes
    ----------
    issue, dispatch
        I and D of docs/timing.md.
    starts
        e(k) of the elements that have started.
    transfers
        t(w) of the words that have gone, of an access.
    arrivals
        The first cycle in which each element of an access is where it goes: a(w) of its last word.
    older
        Older instructions that were in flight when it issued.
    uses
        Registers and slices that it reads and writes.
    port
        Number of the port that it went to, -1 of none.
    """

    step: Step
    machine: Machine
    issue: int
    older: list[Flight]
    uses: list[Use]
    dispatch: float = NEVER
    starts: list[int] = field(default_factory=list)
    transfers: list[int] = field(default_factory=list)
    arrivals: list[int] = field(default_factory=list)
    port: int = -1
    before_in_queue: Flight | None = None
    """The instruction before it in its queue, of whatever port."""
    before_on_port: Flight | None = None
    waits: list[Wait] = field(default_factory=list)

    @cached_property
    def words(self) -> list[Word]:
        return shape.words(self.step, self.machine.section_size)

    @property
    def is_access(self) -> bool:
        return self.step.row.unit == Unit.MEMORY

    @cached_property
    def latency(self) -> int:
        """Cycles from the start of an element to its result (*Issue*, *Accesses*, *Arithmetic*)."""
        row, machine = self.step.row, self.machine
        if row.timing == Timing.SPARSE:
            return machine.sparse_unit.latency
        if row.timing == Timing.SCALAR_LOAD:
            return machine.scalar_load_latency
        latency: int = getattr(machine.latency, row.latency)
        if row.timing == Timing.REDUCTION:
            latency += math.ceil(math.log2(self.step.n)) if self.step.n else 0
        return latency

    @cached_property
    def interval(self) -> int:
        """Cycles from elements that start in one cycle to the next ones (*Arithmetic*)."""
        return self.machine.divide_interval if self.step.row.latency == "divide" else 1

    # What is known

    @property
    def finished(self) -> bool:
        """Whether its last element has started."""
        return len(self.starts) >= max(self.step.n, 1)

    def start(self, k: int) -> float:
        """e(k)."""
        return self.starts[k] if k < len(self.starts) else NEVER

    @property
    def last_start(self) -> float:
        """e(last)."""
        return self.starts[-1] if self.finished else NEVER

    def ready(self, k: int) -> float:
        """ready(k): of a sum and of the sparse unit all is ready with the last element."""
        if self.is_access and self.step.n:
            return self.arrivals[k] if k < len(self.arrivals) else NEVER
        if self.step.row.timing in (Timing.REDUCTION, Timing.SPARSE):
            return self.last_start + self.latency
        return self.start(k) + self.latency

    @property
    def first_ready(self) -> float:
        """The timeline's ``first`` (*Waits and cycle attribution*)."""
        if self.step.row.timing == Timing.SPARSE:
            return self.start(0) + self.latency
        return self.ready(0)

    @property
    def last_ready(self) -> float:
        return self.ready(max(self.step.n, 1) - 1)

    @property
    def end(self) -> float:
        """The end of a transfer, t(last) + 1 (*Accesses*)."""
        return self.last_start + 1

    @property
    def retire(self) -> float:
        """R: with the last result (*Arithmetic*, *Accesses*)."""
        return self.last_ready

    # What its elements wait for

    @cached_property
    def conflicts(self) -> list[tuple[Use, Flight, Use]]:
        """Return pairs of uses of a register, one of them a write: (ours, the older instruction, its use)."""
        return [
            (ours, older, theirs)
            for older in self.older
            for theirs in older.uses
            for ours in self.uses
            if ours.name == theirs.name
            and (ours.writes or theirs.writes)
            and not (ours.forwarded and theirs.forwarded)  # *Sparse unit*
        ]

    def hazards(self, *elements: int) -> dict[str, float]:
        """The cycles from which no RAW, and no WAR or WAW hazard holds any of the elements up."""
        actual = [self._hazards(k) for k in elements]
        return {"vector_raw": max(raw for raw, _ in actual), "vector_war_waw": max(war for _, war in actual)}

    def _hazards(self, k: int) -> tuple[float, float]:
        raw = war_waw = 0.0
        for ours, older, theirs in self.conflicts:
            j = self._element_waited_for(k, ours, older, theirs)
            if j is None:
                continue
            if ours.reads and theirs.writes:  # *Chaining*
                raw = max(raw, older.ready(j))
            if ours.writes and theirs.writes:  # *WAR and WAW hazards*
                war_waw = max(war_waw, older.ready(j))
            if ours.writes and theirs.reads:
                war_waw = max(war_waw, older.start(j) + 1)
        return raw, war_waw

    def _element_waited_for(self, k: int, ours: Use, older: Flight, theirs: Use) -> int | None:
        """The element of an older instruction that element k waits for; None if there is none."""
        if not self.machine.chaining:
            return older.step.n - 1
        if ours.whole or theirs.whole:
            return theirs.end - 1 if ours.begin <= k < ours.end else None
        j = k + ours.offset - theirs.offset
        return j if theirs.begin <= j < theirs.end else None

    # Memory order

    @cached_property
    def before_in_memory(self) -> list[Flight]:
        """Older accesses that a load or store waits for (*Memory order*)."""
        return [older for older in self.older if older.is_access and older.step.n and self._ordered(older)]

    def _ordered(self, older: Flight) -> bool:
        if not (self.is_store or older.is_store):
            return False
        section = self.machine.section_size
        if self.machine.disambiguation == 2 and self.compared.isdisjoint(older.compared):
            return False
        of = shape.hull if self.machine.disambiguation else shape.byte_range
        a, b = of(self.step, section), of(older.step, section)
        return a is None or b is None or (a.start < b.stop and b.start < a.stop)

    @cached_property
    def compared(self) -> set[int]:
        """The words that count for `disambiguation` = 2 (*Memory order*, *Masks*)."""
        contiguous = shape.byte_range(self.step, self.machine.section_size) is not None
        return {word.number for word, off in zip(self.words, self.off, strict=True) if contiguous or not off}

    def memory_order(self) -> float:
        return max((older.end for older in self.before_in_memory), default=0)

    @property
    def is_store(self) -> bool:
        return shape.is_store(self.step)

    @cached_property
    def rate(self) -> int:
        """Words that go in a cycle (*Accesses*)."""
        access = self.step.row.access
        assert access is not None
        what = "words" if access.pattern == Pattern.CONTIGUOUS else "addresses"
        own: int = getattr(self.machine, f"store_{what}_per_cycle")
        all_: int = getattr(self.machine, f"{what}_per_cycle")
        return own if own and self.port >= self.machine.memory_ports else all_

    @cached_property
    def merged(self) -> list[bool]:
        """*Merging*: whether each word goes along with an earlier one of its window."""
        access, block = self.step.row.access, self.machine.merge_bytes
        assert access is not None
        if not block or access.pattern == Pattern.CONTIGUOUS:
            return [False] * len(self.words)
        blocks = [word.number * WORD_BYTES // block for word in self.words]
        window = self.machine.merge_window
        return [
            not self.off[w] and any(blocks[j] == each and not self.off[j] for j in range(w - w % window, w))
            for w, each in enumerate(blocks)
        ]

    @cached_property
    def off(self) -> list[bool]:
        """*Masks*: whether each word belongs to elements that are masked off alone."""
        return [self.step.off.issuperset(range(word.first, word.last + 1)) for word in self.words]

    @cached_property
    def goes(self) -> list[bool]:
        """Whether each word goes to memory."""
        return [not merged and not off for merged, off in zip(self.merged, self.off, strict=True)]

    @cached_property
    def counts(self) -> list[bool]:
        """Whether each word counts for the rate of its port."""
        placed = self.machine.masked_elements == 0
        return [goes or (off and placed) for goes, off in zip(self.goes, self.off, strict=True)]

    @cached_property
    def unaligned(self) -> bool:
        """Whether an access takes the cycle of alignment (*Accesses*)."""
        access = self.step.row.access
        assert access is not None
        contiguous = access.pattern == Pattern.CONTIGUOUS
        return contiguous and self.step.addresses[0] % self.machine.alignment_bytes != 0
