"""The one record of an engine's state: all that decides what happens next, as arrays.

A snapshot is a copy of this record; an engine started from it goes on exactly as the one that it was
taken from (docs/timing.md, "State").
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from isa.program import Program
from isa.state import ARCHITECTURAL, State, copy_into, new_state
from vecsim.engines.decoded import SCALARS
from vecsim.engines.recorded.program import most_listed
from vecsim.engines.state.counters import Counter
from vecsim.engines.state.registers import KINDS, VECTOR
from vecsim.engines.state.row import new_rows
from vecsim.engines.state.run import KINDS_OF_UNITS, LEVELS, RECORD, Part, Record
from vecsim.machine import Machine
from vecsim.machine.description import SCALAR_REGISTERS, flat
from vecsim.results.digests import SHOWN_DIGITS, program_sha256
from vecsim.support.errors import UserError


class Sizes(NamedTuple):
    """The dimensions of the arrays of a record, by their names in :class:`vecsim.engines.state.run.Run`."""

    scalars: int
    slots: int
    section: int
    addresses: int
    registers: int
    named: int
    kinds: int
    displaced: int
    renamed: int
    banks: int
    units: int
    depth: int
    ports: int
    accesses: int
    transfers: int
    instructions: int
    pending: int
    counters: int
    outstanding: int
    levels: int
    lines: int
    misses: int
    cache_banks: int
    rowed_banks: int


class TimingRecord:
    """All timing state, as arrays by the names that :class:`vecsim.engines.state.run.Run` declares.

    Rows are elements of structured arrays (:func:`vecsim.engines.state.row.layout`).
    """

    own: npt.NDArray[np.int64]
    """The arrays of the machine's extensions, one after the other."""

    def __init__(self, arrays: Mapping[str, npt.NDArray[Any]]) -> None:
        self.arrays = dict(arrays)

    def __getattr__(self, name: str) -> npt.NDArray[Any]:
        """Return an array by its name."""
        try:
            return self.__dict__["arrays"][name]  # type: ignore[no-any-return]
        except KeyError:
            raise AttributeError(name) from None


def sizes_of(machine: Machine, instructions: int, listed: int = 0) -> Sizes:
    """Return the dimensions for a machine and a program of this many instructions.

    ``listed`` is the most addresses of a listed access.
    """
    named = machine.vector_registers
    queue, ports, accesses = machine.unit_queue, machine.ports, machine.accesses_in_flight
    slots = ports * accesses + (queue + 1) * machine.queues
    return Sizes(
        scalars=SCALARS,
        slots=slots,
        section=machine.section_size,
        addresses=max(machine.section_size, listed),
        registers=max(named, machine.physical_vector_registers) + 1,
        named=named + 1,
        kinds=KINDS,
        displaced=max(_spare_vectors(machine), machine.physical_scalar_registers - SCALAR_REGISTERS, 0),
        renamed=slots if machine.physical_vector_registers else 0,
        banks=machine.banks,
        units=KINDS_OF_UNITS + machine.units - 3,
        depth=queue + 1,
        ports=ports,
        accesses=accesses,
        transfers=accesses + queue + 1,
        instructions=instructions,
        pending=_most_pending(machine, slots),
        counters=len(Counter) + sum(len(each.counters) for each in machine.extensions),
        outstanding=machine.words_outstanding,
        levels=LEVELS,
        lines=max(cache.sets * cache.ways for cache in machine.caches),
        misses=max(cache.misses if cache.sets else 0 for cache in machine.caches),
        cache_banks=max(cache.banks if cache.sets else 0 for cache in machine.caches),
        rowed_banks=machine.banks if machine.main_memory.row_words else 0,
    )


def new_record(machine: Machine, instructions: int, listed: int = 0) -> TimingRecord:
    """Return the record of a machine that has done nothing, for a program of this many instructions.

    ``listed`` is the most addresses of a listed access.
    """
    sizes = sizes_of(machine, instructions, listed)
    arrays = {name: _new(part, sizes) for name, part in RECORD.items()}
    arrays["slots"]["number"] = np.arange(sizes.slots)
    arrays["vectors"]["written"] = machine.section_size
    arrays["names"][:] = np.arange(sizes.named)
    spare = _spare_vectors(machine)
    arrays["displaced"][VECTOR, :spare]["register"] = machine.vector_registers + 1 + np.arange(spare)
    return TimingRecord(arrays | {"own": _own(machine)})


def _new(part: Part, sizes: Sizes) -> npt.NDArray[Any]:
    """Return an array of a record at the beginning; a single row is one of a single element."""
    assert isinstance(part.mark, Record)
    shape = tuple(getattr(sizes, name) for name in part.mark.dimensions) or (1,)
    if part.row is not None:
        return new_rows(part.row, shape)
    return np.full(shape, part.mark.fill, np.uint8 if part.byte else np.int64)


def _spare_vectors(machine: Machine) -> int:
    """Return how many physical vector registers there are more than programs name."""
    return max(machine.physical_vector_registers - machine.vector_registers, 0)


def _most_pending(machine: Machine, slots: int) -> int:
    """Return twice what ``pending`` may have to hold, so that it is seldom tidied up.

    Instructions retire in different cycles, later than the latest issue: scalar instructions that issue in
    a cycle within their longest latency, those of a unit that end in it within its longest latency.
    """
    numbers = flat(machine.numbers())
    latencies = sum(int(value) for name, value in numbers.items() if "latency" in name)
    return 2 * (slots + latencies + machine.section_size.bit_length())


def _own(machine: Machine) -> npt.NDArray[np.int64]:
    """Return the arrays of extensions as they are at the beginning."""
    arrays = [array for extension in machine.extensions for array in extension.arrays]
    return np.concatenate(
        [np.zeros(0, np.int64), *(np.full(each.size_on(machine), each.fill, np.int64) for each in arrays)]
    )


@dataclass(frozen=True)
class Snapshot:
    """A copy of everything at the boundary of a cycle; program and machine are named by their digests."""

    program: str
    machine: str
    cycle: int
    architectural: dict[str, npt.NDArray[Any]]
    timing: dict[str, npt.NDArray[Any]]


def take_snapshot(
    program: Program, machine: Machine, cycle: int, state: State, record: TimingRecord
) -> Snapshot:
    """Copy the state and the record of a program in flight.

    Parameters
    ----------
    program, machine
        What runs, and on what.
    cycle
        The boundary before which it stopped.
    state, record
        All that decides what happens next.
    """
    return Snapshot(
        program_sha256(program),
        machine.sha256,
        cycle,
        {name: getattr(state, name).copy() for name in ARCHITECTURAL},
        {name: values.copy() for name, values in record.arrays.items()},
    )


def from_snapshot(snapshot: Snapshot, program: Program, machine: Machine) -> tuple[State, TimingRecord]:
    """Return a new state and record that hold what the snapshot holds.

    Raises
    ------
    UserError
        The snapshot is of another program or another machine.
    """
    for what, taken, here in (
        ("program", snapshot.program, program_sha256(program)),
        ("machine", snapshot.machine, machine.sha256),
    ):
        if taken != here:
            raise UserError(
                f"the snapshot is of another {what}, of digest {taken[:SHOWN_DIGITS]}; "
                f"its digest must be {here[:SHOWN_DIGITS]}"
            )
    memory = np.zeros_like(snapshot.architectural["memory"])
    listed = most_listed(program)
    state = new_state(machine.section_size, machine.vector_registers, memory, listed)
    record = new_record(machine, len(program), listed)
    for name, values in snapshot.timing.items():
        record.arrays[name][...] = values
    copy_into(state, snapshot.architectural)
    return state, record
