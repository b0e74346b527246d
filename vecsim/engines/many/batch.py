"""Machines that are timed together on the record of a run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from isa.instructions import BASE
from vecsim.engines.cause import Cause
from vecsim.engines.decoded import decode
from vecsim.engines.jit.interface import MANY
from vecsim.engines.jit.object_files.machine_code import machine_code
from vecsim.engines.jit.traces.recording import REMEMBERED
from vecsim.engines.many.trace import Trace
from vecsim.engines.trace_timing import places
from vecsim.engines.trace_timing.places import NUMBERS, WIDTH, Sizes
from vecsim.engines.trace_timing.rows import rows_of
from vecsim.engines.user_rules import replaces_rules
from vecsim.machine import Machine

ALIGNMENT = 64
LAST_CYCLE = 1 << 30
"""Times are 32-bit integers: what takes as long is left to an engine for one machine."""
LARGEST_NUMBER = 1 << 16
"""The largest number of a machine in which machines may differ."""

Ints = npt.NDArray[np.int32]


def is_timed(machine: Machine) -> bool:
    """Return whether a machine is one of those that are timed together: docs/engines.md says which."""
    if replaces_rules(machine) or machine.ports != 1 or machine.disambiguation or machine.renames:
        return False
    if not machine.has_flat_memory:
        return False
    if sizes_of(machine).ends > REMEMBERED:
        return False
    return bool(numbers_of([machine]).max() <= LARGEST_NUMBER)


def sizes_of(machine: Machine) -> Sizes:
    """Return what machines that are timed together have in common."""
    return Sizes(
        machine.section_size,
        machine.vector_registers,
        machine.banks,
        machine.unit_queue,
        machine.accesses_in_flight,
        machine.add_units,
        machine.multiply_units,
        machine.sparse_units,
        machine.masked_elements,
        machine.chaining,
    )


def numbers_of(machines: Sequence[Machine]) -> Ints:
    """Return the (NUMBERS, M) numbers in which M machines that are timed together may differ."""
    return np.array([[_number(machine, name) for machine in machines] for name in NUMBERS], np.int32)


def _number(machine: Machine, name: str) -> int:
    value: Any = machine
    for part in name.split("."):
        value = getattr(value, part)
    return int(value)


@dataclass(frozen=True, eq=False)
class Group:
    """Machines that time the record of one run together.

    Attributes
    ----------
    events
        (n,) words of the record.
    rows
        (instructions, ROW) the program (:func:`vecsim.engines.trace_timing.rows.rows_of`).
    sizes
        What the machines have in common.
    numbers
        (NUMBERS, M), of each of M machines its numbers.
    """

    events: Ints
    rows: Ints
    sizes: Sizes
    numbers: Ints

    @property
    def count(self) -> int:
        """How many machines there are."""
        return int(self.numbers.shape[1])


def group_of(trace: Trace, machine: Machine, numbers: Ints) -> Group:
    """Return machines as a group.

    Parameters
    ----------
    trace
        The record of the run.
    machine
        One of the machines; the others differ from it in ``numbers`` alone.
    numbers
        What :func:`numbers_of` returns.
    """
    rows = rows_of(trace.program, decode(trace.program, machine))
    return Group(trace.events, rows, sizes_of(machine), numbers)


@dataclass(frozen=True, eq=False)
class Times:
    """What M machines came to.

    Attributes
    ----------
    cycles
        (M,) cycles; -1 of a machine that takes too long to be timed here.
    by_cause
        (M, len(Cause)) cycles by cause.
    """

    cycles: npt.NDArray[np.int64]
    by_cause: npt.NDArray[np.int64]


def time_group(group: Group) -> Times:
    """Time the machines of a group on this processor."""
    count, shape = group.count, np.array(group.sizes.places(), np.int64)
    run = machine_code(BASE, MANY).loop
    start, memory = start_of(group.sizes), _aligned(int(shape[places.TOTAL]) * WIDTH)
    lanes = memory.reshape(-1, WIDTH)
    cycles, by_cause = np.zeros(count, np.int64), np.zeros((count, len(Cause)), np.int64)
    for first in range(0, count, WIDTH):
        some = group.numbers[:, first : first + WIDTH]
        width = some.shape[1]
        lanes[:] = start[:, None]
        lanes[: len(NUMBERS), :width], lanes[: len(NUMBERS), width:] = some, some[:, :1]
        run(group.events.ctypes.data, group.rows.ctypes.data, memory.ctypes.data, shape.ctypes.data)
        cycles[first : first + width] = lanes[places.RETIRED, :width]
        by_cause[first : first + width] = lanes[places.CHARGES : places.CHARGES + len(Cause), :width].T
    cycles[cycles >= LAST_CYCLE] = -1
    return Times(cycles, by_cause)


def start_of(sizes: Sizes) -> Ints:
    """Return the (n,) memory of a machine when a run begins, without its numbers."""
    shape = sizes.places()
    memory = np.zeros(shape[places.TOTAL], np.int32)
    memory[places.ONE] = 1
    memory[places.DISPATCHED] = -1
    for begin, end in places.NEGATIVE:
        memory[shape[begin] : shape[end]] = -1
    return memory


def _aligned(count: int) -> Ints:
    """Return (count,) integers whose address is a multiple of a group's bytes."""
    raw = np.empty(4 * count + ALIGNMENT, np.uint8)
    offset = -raw.ctypes.data % ALIGNMENT
    return raw[offset : offset + 4 * count].view(np.int32)
