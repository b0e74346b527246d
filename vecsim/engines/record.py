"""The one record of an engine's state: all that decides what happens next, as flat arrays.

A snapshot is a copy of this record; an engine started from it goes on exactly as the one that it was
taken from (docs/timing.md, "State").
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

import numpy as np
import numpy.typing as npt

from isa.declaration import Unit
from isa.program import Program
from isa.state import ARCHITECTURAL, State, copy_into, new_state
from vecsim.engines.cause import WAITS
from vecsim.engines.columns import control, flight, history, instruction, ledger, renaming
from vecsim.engines.columns.counters import Counter
from vecsim.engines.decoded import SCALARS
from vecsim.machine import Machine
from vecsim.machine.description import SCALAR_REGISTERS, flat
from vecsim.results.digests import SHOWN_DIGITS, program_sha256
from vecsim.support.errors import UserError

Ints = npt.NDArray[np.int64]

PENDING = 1 << 60
"""The ready cycle of a scalar register whose value comes with a vector result not yet timed."""


@dataclass
class TimingRecord:
    """All timing state; N slots, P ports, V + 1 vector registers (the mask is number V), s elements, I
    instructions of the program.

    Of a machine with renaming V + 1 is the number of physical vector registers and the mask.

    Cycle arrays hold the cycle from which something is ready (``ready``, ``scalar_ready``, ``bank_free``) or
    in which it happened (``taken``).
    """

    control: Ints
    scalar_ready: Ints
    """(68,) scalar registers; PENDING if a vector instruction in flight writes it."""
    slots: Ints
    """(N, COLUMNS) the vector instructions in flight, :mod:`vecsim.engines.columns.flight`."""
    waits: Ints
    """(N, WAITS) cycles waited so far by cause."""
    depends: npt.NDArray[np.uint8]
    """(N, N) depends[i, j]: what i waits for in j, bits of :mod:`vecsim.engines.columns.flight`."""
    word_address: Ints
    """(N, s) word address of each element of strided and indexed accesses."""
    rows: Ints
    """(N, s) row of each entry of sparse instructions."""
    ready: Ints
    """((V + 1) * s,) element by element."""
    taken: Ints
    """((V + 1) * s,) latest cycle in which a reader took the element."""
    ready_all: Ints
    """(V + 1,) from here on every element is ready."""
    taken_all: Ints
    """(V + 1,) latest cycle in which any element was taken."""
    ready_accumulator: Ints
    """(V + 1,) like ready_all without what the sparse unit wrote, which it forwards to itself."""
    ready_behind: Ints
    """(V + 1,) from here on the elements are ready that were left as they were when it was renamed."""
    names: Ints
    """(registers + 1,) where each vector register that programs name is, and the mask."""
    physical: Ints
    """(V + 1, STATES) what became of each physical register, :mod:`vecsim.engines.columns.renaming`."""
    displaced: Ints
    """(KINDS, D, COLUMNS) physical registers in the order in which they get free, a ring for each kind."""
    next_free: Ints
    """(KINDS,) where in its ring the next is."""
    renamed: Ints
    """(N, WIDTH) the rows of the instructions in flight, or none without renaming of vector registers."""
    scalar_writer: Ints
    """(68,) with renaming the age of the youngest instruction that writes each scalar register."""
    slice_ready: Ints
    """(s,) slices of the vector cache."""
    slice_taken: Ints
    slice_accumulator: Ints
    bank_free: Ints
    """(banks,)."""
    unit_free: Ints
    """(5,) the cycle from which an instruction may be dispatched to an arithmetic or sparse unit again."""
    unit_slot: Ints
    """(5,) the slot that the unit works on, -1."""
    queue: Ints
    """(5, unit_queue + 1) slots that wait for the unit, oldest first."""
    queued: Ints
    """(5,) how many."""
    dispatched: Ints
    """(5, unit_queue + 1) cycles of the latest dispatches, newest first; -1 for none."""
    port_slots: Ints
    """(P, accesses_in_flight) dispatched accesses whose transfer has not ended, oldest first."""
    port_count: Ints
    port_history: Ints
    """(P, accesses_in_flight + unit_queue + 1, 4) the accesses that ended last, newest first: end cycle,
    first byte, last byte (exclusive; -1: not contiguous), store. So many may be under way, if they are
    timed ahead."""
    ledger: Ints
    """(I, COLUMNS) what each instruction of the program came to, :mod:`vecsim.engines.columns.ledger`."""
    hidden: Ints
    """(H, COLUMNS) instructions that are charged later, :mod:`vecsim.engines.columns.ledger`."""
    counters: Ints
    """(3 + E,) by Counter, then those of the machine's extensions."""
    own: Ints
    """The arrays of the machine's extensions, one behind the other."""
    unit_busy: Ints
    """(5,) cycles in which a unit started an element or a port transferred a word."""


def new_record(machine: Machine, instructions: int) -> TimingRecord:
    """Give the record of a machine that has done nothing, for a program of so many instructions."""
    s, named = machine.section_size, machine.vector_registers
    registers = max(named, machine.physical_vector_registers) + 1
    queue, ports, accesses = machine.unit_queue, machine.memory_ports, machine.accesses_in_flight
    slots = ports * accesses + (queue + 1) * (len(Unit) - 1)
    zeros, units = _zeros, len(Unit)
    record = TimingRecord(
        control=zeros(control.PLACES),
        scalar_ready=zeros(SCALARS),
        slots=zeros(slots, flight.COLUMNS),
        waits=zeros(slots, WAITS),
        depends=np.zeros((slots, slots), np.uint8),
        word_address=zeros(slots, s),
        rows=zeros(slots, s),
        ready=zeros(registers * s),
        taken=zeros(registers * s) - 1,
        ready_all=zeros(registers),
        taken_all=zeros(registers) - 1,
        ready_accumulator=zeros(registers),
        ready_behind=zeros(registers),
        names=np.arange(named + 1, dtype=np.int64),
        physical=zeros(registers, renaming.STATES) - 1,
        displaced=_free_registers(machine),
        next_free=zeros(renaming.KINDS),
        renamed=zeros(slots if machine.physical_vector_registers else 0, instruction.WIDTH),
        scalar_writer=zeros(SCALARS) - 1,
        slice_ready=zeros(s),
        slice_taken=zeros(s) - 1,
        slice_accumulator=zeros(s),
        bank_free=zeros(machine.banks),
        unit_free=zeros(units),
        unit_slot=zeros(units) - 1,
        queue=zeros(units, queue + 1) - 1,
        queued=zeros(units),
        dispatched=zeros(units, queue + 1) - 1,
        port_slots=zeros(ports, accesses) - 1,
        port_count=zeros(ports),
        port_history=zeros(ports, accesses + queue + 1, history.COLUMNS),
        ledger=zeros(instructions, ledger.COLUMNS),
        hidden=zeros(_most_hidden(machine, slots), ledger.HIDDEN),
        counters=zeros(len(Counter) + sum(len(each.counters) for each in machine.extensions)),
        own=_own(machine),
        unit_busy=zeros(units),
    )
    record.slots[:, flight.AGE] = -1
    record.physical[:, renaming.WRITTEN] = s
    return record


def _free_registers(machine: Machine) -> Ints:
    """Give the physical registers beside those that programs name: free from the beginning."""
    vectors = max(machine.physical_vector_registers - machine.vector_registers, 0)
    scalars = max(machine.physical_scalar_registers - SCALAR_REGISTERS, 0)
    rings = _zeros(renaming.KINDS, max(vectors, scalars), renaming.COLUMNS)
    rings[:, :, renaming.AGE] = -1
    rings[renaming.VECTOR, :vectors, renaming.REGISTER] = machine.vector_registers + 1 + np.arange(vectors)
    return rings


def _most_hidden(machine: Machine, slots: int) -> int:
    """Give twice what ``hidden`` may have to hold, so that it is seldom tidied up.

    They retire in cycles of their own, later than the latest issue: scalar instructions that issue in a cycle
    within the longest latency of theirs, those of a unit that end in it within the longest of its own.
    """
    numbers = flat(machine.numbers())
    latencies = sum(int(value) for name, value in numbers.items() if "latency" in name)
    return 2 * (slots + latencies + machine.section_size.bit_length())


def _own(machine: Machine) -> Ints:
    """Give the arrays of extensions as they are at the beginning."""
    arrays = [array for extension in machine.extensions for array in extension.arrays]
    return np.concatenate(
        [_zeros(0), *(np.full(each.size_on(machine), each.fill, np.int64) for each in arrays)]
    )


def _zeros(*shape: int) -> Ints:
    return np.zeros(shape, np.int64)


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
    """Copy the state and the record of a program under way.

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
        {field.name: getattr(record, field.name).copy() for field in fields(record)},
    )


def from_snapshot(snapshot: Snapshot, program: Program, machine: Machine) -> tuple[State, TimingRecord]:
    """Give a new state and record that hold what the snapshot holds.

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
                f"that of this one is {here[:SHOWN_DIGITS]}"
            )
    memory = np.zeros_like(snapshot.architectural["memory"])
    state = new_state(machine.section_size, machine.vector_registers, memory)
    record = new_record(machine, len(program))
    for name, values in snapshot.timing.items():
        getattr(record, name)[...] = values
    copy_into(state, snapshot.architectural)
    return state, record
