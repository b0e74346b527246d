"""The machine as a flat array of integers; :mod:`vecsim.engines.columns.parameter` has its places."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from vecsim.engines.columns import parameter
from vecsim.engines.record import TimingRecord
from vecsim.machine import Machine
from vecsim.machine.description import flat


def machine_numbers(
    machine: Machine, record: TimingRecord, instructions: int, memory_bytes: int
) -> npt.NDArray[np.int64]:
    """Give the (``PLACES`` + E,) numbers of a machine and of a run, in the places that bear their names.

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
