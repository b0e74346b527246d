"""The result of a run: cycles, counters, cycle attribution and waits, the final state."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from isa.declaration import Unit
from isa.program import Program
from isa.state import State
from vecsim.engines.attribution import Attribution, read_attribution
from vecsim.engines.cause import Cause
from vecsim.engines.lines import CACHES, Line, lines_of
from vecsim.engines.physical import Physical, float_operations, physical
from vecsim.engines.record import TimingRecord
from vecsim.engines.recorded.program import RecordedProgram
from vecsim.engines.state.counters import OF_A_CACHE, REFILL_BYTES, Counter
from vecsim.engines.timeline import TimelineWriter
from vecsim.machine import WORD_BYTES, Machine
from vecsim.support.overview import Overview

EVERY_RUN = ("words_loaded", "words_stored", "taken_branches")
"""What is counted on every machine; the rest only where there is what it counts."""
LARGEST_CAUSES = 3
"""Causes that the summary of a run names."""


@dataclass(frozen=True, repr=False)
class Run(Overview):
    """The result of a run.

    Attributes
    ----------
    program, machine
        What ran, and on what.
    cycles
        Up to and with the last retirement after halt.
    counters
        What :meth:`vecsim.engines.attribution.Ledger.counters` returns, and by the name of
        :class:`vecsim.engines.state.counters.Counter`, lower case.
    cycles_by_cause
        Every cycle of the run attributed to one cause, by the name of ``Cause``; the values sum to
        ``cycles``.
    waited
        Cycles that instructions waited, by cause, summed over instructions (they overlap).
    busy
        Cycles in which a unit started an element or a port transferred a word, by unit. Where their rates are
        limited also those in which bytes passed ``main_memory``, and lines entered a cache (``l1_refill``,
        ``l2_refill``), up to the end of the run.
    attribution
        The cycles of each instruction of the program; `cycles_by_cause` and `waited` are its sums.
    state
        Final registers and memory.
    timeline
        Columns of :data:`vecsim.engines.timeline.COLUMNS`, if it was asked for and not streamed.
    """

    program: Program
    machine: Machine
    cycles: int
    counters: dict[str, int]
    cycles_by_cause: dict[str, int]
    waited: dict[str, int]
    busy: dict[str, int]
    attribution: Attribution
    state: State
    timeline: dict[str, npt.NDArray[np.int64]] | None = None

    @property
    def instructions(self) -> int:
        """Instructions executed."""
        return self.counters["instructions"]

    @property
    def memory_counters(self) -> dict[str, int]:
        """What merging, caches and main memory counted, by name; empty on a machine that has none of them."""
        names = [each.name.lower() for each in Counter]
        return {
            name: self.counters[name] for name in names if name in self.counters and name not in EVERY_RUN
        }

    @property
    def lines(self) -> tuple[Line, ...]:
        """Every instruction that was executed, with what it came to, in the order of the program."""
        return lines_of(self.program, self.attribution)

    @property
    def vector_bytes(self) -> int:
        """Bytes that passed the vector memory ports."""
        return WORD_BYTES * (self.counters["words_loaded"] + self.counters["words_stored"])

    @property
    def bytes_moved(self) -> int:
        """Bytes between memory and processor, vector and scalar."""
        return self.vector_bytes + self.counters["scalar_bytes"]

    @property
    def peak_share(self) -> float:
        """What the vector ports moved, as a share of their peak in all cycles; over 1 with merged words."""
        return self.vector_bytes / (self.cycles * self.machine.peak_bytes_per_cycle) if self.cycles else 0.0

    @property
    def physical(self) -> Physical | None:
        """Time, floating-point operations and bytes in a second.

        None where the clock is not stated, and of recorded programs, whose operations are not counted.
        """
        if isinstance(self.program, RecordedProgram):
            return None
        operations = float_operations(self.program, self.attribution)
        return physical(self.machine.clock_mhz, self.cycles, operations, self.bytes_moved)

    def overview(self) -> dict[str, object]:
        """Return cycles, instructions, what was moved, and the causes that most cycles are attributed to."""
        largest = sorted(self.cycles_by_cause.items(), key=lambda item: -item[1])[:LARGEST_CAUSES]
        return {
            "machine": self.machine.label,
            "cycles": self.cycles,
            "instructions": self.instructions,
            "bytes_moved": self.bytes_moved,
            "peak_share": self.peak_share,
            "cycles_by_cause": {name: cycles for name, cycles in largest if cycles},
        }

    def to_dict(self) -> dict[str, Any]:
        """Return everything but registers, memory and timeline as plain data."""
        return {
            "machine": self.machine.to_dict(),
            "cycles": self.cycles,
            "instructions": self.instructions,
            "bytes_moved": self.bytes_moved,
            "peak_share": self.peak_share,
            "counters": self.counters,
            "cycles_by_cause": self.cycles_by_cause,
            "waited": self.waited,
            "busy": self.busy,
            **({} if self.physical is None else {"physical": self.physical.to_dict()}),
        }


def make_run(
    program: Program, machine: Machine, state: State, record: TimingRecord, timeline: TimelineWriter | None
) -> Run:
    """Return what a run has come to, from an engine's record.

    Parameters
    ----------
    program, machine
        What ran, and on what.
    state, record
        The engine's registers and memory, and its record.
    timeline
        What collected the rows of its timeline, if any were asked for.
    """
    columns, attribution = None, read_attribution(program, record.accounts)
    cycles = int(record.control["last_retired"][0])
    if timeline is not None:
        timeline.flush()
        columns = timeline.columns() if timeline.request.sink is None else None
    return Run(
        program=program,
        machine=machine,
        cycles=cycles,
        counters=attribution.counters() | _counted(machine, record.counters),
        cycles_by_cause=_named(attribution.attributed.sum(axis=0), Cause),
        waited=_named(attribution.waited.sum(axis=0), Cause),
        busy=_named(_busy_units(machine, record), Unit) | _busy_paths(machine, record, cycles),
        attribution=attribution,
        state=state,
        timeline=columns,
    )


def _counted(machine: Machine, values: npt.NDArray[np.int64]) -> dict[str, int]:
    """Return what was counted by name: what every run counts, then what extensions of the machine count."""
    every, added = _named(values[: len(Counter)], Counter), values[len(Counter) :].tolist()
    counted = {name: every[name] for name in EVERY_RUN} | memory_counters(machine, values)
    return counted | dict(zip(machine.counter_names, added, strict=True))


def memory_counters(machine: Machine, values: npt.NDArray[np.int64]) -> dict[str, int]:
    """Return what merging, caches and main memory counted, by name; empty if a machine has none of them.

    Parameters
    ----------
    values
        (n,) by :class:`vecsim.engines.state.counters.Counter`, and more.
    """
    parts = {"l1": machine.l1.bytes, "l2": machine.l2.bytes, "": not machine.has_flat_memory}
    return {
        name: value
        for name, value in _named(values[: len(Counter)], Counter).items()
        if name not in EVERY_RUN and parts[name[:2] if name[:2] in parts else ""]
    }


def _busy_units(machine: Machine, record: TimingRecord) -> npt.NDArray[np.int64]:
    """Return the (5,) cycles in which units of a kind were busy, summed over units of the kind."""
    busy, further = np.split(record.units["busy"].copy(), [len(Unit)])
    counts = (machine.add_units - 1, machine.multiply_units - 1, machine.sparse_units - 1)
    np.add.at(busy, np.repeat((Unit.ADD, Unit.MULTIPLY, Unit.SPARSE), counts), further)
    return busy


def _busy_paths(machine: Machine, record: TimingRecord, cycles: int) -> dict[str, int]:
    """Return the cycles up to the end in which the paths of limited rate were busy, by name.

    What passes after the end is left out: it takes no longer than until the path is free.
    """
    result, memory = {}, machine.main_memory
    if memory.bytes:
        passed = int(record.counters[Counter.MAIN_MEMORY_BYTES]) * memory.cycles
        later = max(0, int(record.main_memory["passed"][0]) - cycles * memory.bytes)
        result["main_memory"] = max(0, -(-(passed - later) // memory.bytes))
    for at, (name, cache) in enumerate(zip(CACHES, machine.caches, strict=True)):
        if cache.bytes and cache.refill_bytes:
            lines = int(record.counters[REFILL_BYTES + OF_A_CACHE * at]) // cache.line_bytes
            later = max(0, int(record.caches["refilled_at"][at]) - cycles)
            result[f"{name}_refill"] = max(0, lines * -(-cache.line_bytes // cache.refill_bytes) - later)
    return result


def _named(values: Any, names: type[Cause] | type[Counter] | type[Unit]) -> dict[str, int]:
    """Return an array of the record as a dictionary by lower-case names."""
    return {names(i).name.lower(): int(value) for i, value in enumerate(values)}
