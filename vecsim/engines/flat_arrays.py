"""A program and a machine as flat arrays of integers.

:mod:`vecsim.engines.columns` has the columns, ``instruction`` and ``parameter``.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from vecsim.engines.columns import instruction, parameter
from vecsim.engines.decoded import NONE, Decoded
from vecsim.engines.record import TimingRecord
from vecsim.machine import Machine
from vecsim.machine.description import flat

Ints = npt.NDArray[np.int64]

_SETS = {
    "reads": instruction.READ_SET,
    "writes": instruction.WRITE_SET,
    "whole_reads": instruction.WHOLE_READ_SET,
    "whole_writes": instruction.WHOLE_WRITE_SET,
    "accumulator": instruction.ADDED_SET,
}


def program_table(decoded: Decoded, room: int = 0) -> Ints:
    """Write a decoded program of n instructions as (n + 1 + room, ``WIDTH``) int64.

    What bears the name of a column goes there; lists follow their length.

    Parameters
    ----------
    room
        Rows behind the end, which is row n, for the instructions in flight of a machine that renames.
    """
    count = len(decoded.operation)
    table = np.full((count + 1 + room, instruction.WIDTH), NONE, np.int64)
    table[count, instruction.AWAITED : instruction.AWAITED + 4] = 0
    table[count, instruction.TIMING] = instruction.END_OF_PROGRAM
    rows = table[:count]
    rows[:, instruction.FIELD : instruction.FIELD + 5] = decoded.fields
    for name, values in decoded._asdict().items():
        column = getattr(instruction, name.upper(), None)
        if column is not None and values.ndim == 1:
            rows[:, column] = values
        elif column is not None:
            rows[:, column] = (values != NONE).sum(axis=1)
            rows[:, column + 1 : column + 1 + values.shape[1]] = values
    for name, column in _SETS.items():
        values = getattr(decoded, name)
        registers = values if values.ndim > 1 else values[:, None]
        bits = np.where(registers == NONE, 0, 1 << np.maximum(registers, 0))
        rows[:, column] = np.bitwise_or.reduce(bits, axis=1)
    awaited = rows[:, instruction.AWAITED + 1 : instruction.AWAITED + 4]
    awaited[awaited == NONE] = 0
    rows[:, instruction.FOLLOWING] = np.arange(1, count + 1)
    return table


def machine_numbers(
    machine: Machine, record: TimingRecord, instructions: int, memory_bytes: int
) -> npt.NDArray[np.int64]:
    """Return the (``PLACES`` + E,) numbers of a machine and of a run, in the places that bear their names.

    The E numbers of the machine's extensions come behind them.

    Parameters
    ----------
    machine
        Its description: ``sparse_unit.p`` goes to ``SPARSE_UNIT_P``.
    record
        Gives the dimensions of its arrays.
    instructions
        How many the program has.
    memory_bytes
        How large memory is.
    """
    described = flat(machine.numbers())
    own = [described.pop(name) for name in machine.added_numbers()]
    fields = {name.replace(".", "_"): value for name, value in described.items()}
    fields |= {
        "instructions": instructions,
        "memory_bytes": memory_bytes,
        "registers": len(record.ready_all),
        "slots": len(record.slots),
        "displaced": record.displaced.shape[1],
        "history": record.port_history.shape[1],
        "hidden": len(record.hidden),
    }
    numbers = np.zeros(parameter.PLACES, np.int64)
    for name, value in fields.items():
        place = getattr(parameter, name.upper(), None)
        if place is not None:
            numbers[place] = value
    return np.append(numbers, np.array(own, np.int64))
