"""A program and a machine as rows: structured arrays of :mod:`vecsim.engines.state`."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from isa.declaration import Unit
from vecsim.engines.decoded import Decoded
from vecsim.engines.record import TimingRecord
from vecsim.engines.state.instruction import END_OF_PROGRAM, Instruction
from vecsim.engines.state.machine import MachineNumbers
from vecsim.engines.state.memory import CacheNumbers
from vecsim.engines.state.row import COUNT, NONE, NUMBERS, fields_of, new_rows
from vecsim.engines.state.run import LEVELS, STORES
from vecsim.machine import WORD_BYTES, Machine
from vecsim.machine.description import flat

VECTOR_ACCESSES, SCALAR_ACCESSES = 1, 2
"""Bits of ``Cache.serves``."""
Rows = npt.NDArray[Any]
Ints = npt.NDArray[np.int64]

_SETS = {
    "reads": "read_set",
    "writes": "write_set",
    "whole_reads": "whole_read_set",
    "whole_writes": "whole_write_set",
    "accumulators": "added_set",
}


def program_rows(decoded: Decoded, machine: Machine) -> Rows:
    """Return a decoded program of n instructions as (n + 1,) rows of ``Instruction``, the last after its end.

    What bears the name of a field goes there.
    """
    count = len(decoded.operation)
    table = new_rows(Instruction, (count + 1,))
    table["timing"][count] = END_OF_PROGRAM
    table["number"] = np.arange(count + 1)
    rows = table[:count]
    for field in fields_of(Instruction):
        values: Ints | None = getattr(decoded, field.name, None)
        if values is None:
            continue
        if field.counted:
            rows[field.name][COUNT] = (values != NONE).sum(axis=1)
            rows[field.name][NUMBERS] = np.where(values == NONE, field.initial, values)
        else:
            rows[field.name] = values
    apart = (rows["unit"] == Unit.MEMORY) & (rows["store"] == 1) & (machine.store_ports > 0)
    rows["queue"] = np.where(apart, STORES, rows["unit"])
    for name, bits in _SETS.items():
        values = getattr(decoded, name)
        registers = values if values.ndim > 1 else values[:, None]
        members = np.where(registers == NONE, 0, 1 << np.maximum(registers, 0))
        rows[bits] = np.bitwise_or.reduce(members, axis=1)
    return table


def machine_numbers(machine: Machine, record: TimingRecord, instructions: int, memory_bytes: int) -> Rows:
    """Return the (1,) row ``MachineNumbers`` of a machine and of a run.

    Parameters
    ----------
    machine
        Its description: ``sparse_unit.p`` goes to ``sparse_unit_p``.
    record
        Returns the dimensions of its arrays.
    instructions
        How many the program has.
    memory_bytes
        How large memory is.
    """
    described = {name.replace(".", "_"): value for name, value in flat(machine.numbers()).items()}
    described |= {
        "instructions": instructions,
        "memory_bytes": memory_bytes,
        "registers": len(record.vectors),
        "slots": len(record.slots),
        "transfers": record.transfers.shape[1],
        "pending": len(record.pending),
        "ports": machine.ports,
        "units": len(record.units),
        "flat_memory": machine.has_flat_memory,
        "vector_level": _level(machine, VECTOR_ACCESSES),
        "scalar_level": _level(machine, SCALAR_ACCESSES),
    }
    numbers = new_rows(MachineNumbers, (1,))
    for field in fields_of(MachineNumbers):
        numbers[field.name] = described.get(field.name, 0)
    return numbers


def cache_numbers(machine: Machine) -> Rows:
    """Return the (2,) rows ``CacheNumbers`` of a machine."""
    rows = new_rows(CacheNumbers, (LEVELS,))
    for row, cache in zip(rows, machine.caches, strict=True):
        for name in (field.name for field in fields_of(CacheNumbers)):
            row[name] = getattr(cache, name, 0)
        row["line_shift"] = (cache.line_bytes // WORD_BYTES).bit_length() - 1
    return rows


def _level(machine: Machine, whose: int) -> int:
    """Return the cache that accesses go to first; -1 for none."""
    levels = (k for k, cache in enumerate(machine.caches) if cache.sets and cache.serves & whose)
    return next(levels, NONE)


def extension_numbers(machine: Machine) -> npt.NDArray[np.int64]:
    """Return the (E,) numbers of a machine's extensions."""
    names = machine.added_numbers()
    described = flat(machine.numbers()) if names else {}
    return np.array([described[name] for name in names], np.int64)
