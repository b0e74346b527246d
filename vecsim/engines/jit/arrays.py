"""All arrays of a run as one table of addresses.

The arrays belong to the Python side, which keeps them alive; compiled code gets the address of the table and
names them again, in :mod:`vecsim.engines.jit.world`.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from isa.state import State
from vecsim.engines.record import TimingRecord


class Record(NamedTuple):
    """The timing record, :class:`vecsim.engines.record.TimingRecord`, with every array flat."""

    control: Any
    ready: Any
    slots: Any
    waits: Any
    depends: Any
    word_address: Any
    rows: Any
    usable: Any
    taken: Any
    usable_all: Any
    taken_all: Any
    usable_accumulator: Any
    slice_usable: Any
    slice_taken: Any
    slice_accumulator: Any
    bank_free: Any
    unit_free: Any
    unit_slot: Any
    queue: Any
    queued: Any
    accepted: Any
    port_slots: Any
    port_count: Any
    port_history: Any
    charged: Any
    waited: Any
    counters: Any
    unit_busy: Any


class Scratch(NamedTuple):
    """What is no state of a run: the code, the machine, and room to work in.

    Attributes
    ----------
    program, machine
        See :mod:`vecsim.engines.jit.code`.
    cycles, hazards
        (s,) cycles of the elements of the instruction in hand.
    outcome
        See :mod:`vecsim.engines.jit.outcome`.
    timeline
        How many rows of the timeline there are, and then the rows.
    usable_floor, taken_floor
        (V + 1,) see :mod:`vecsim.engines.jit.operands`.
    accepted, history
        See :mod:`vecsim.engines.jit.rings`.
    """

    program: Any
    machine: Any
    cycles: Any
    hazards: Any
    outcome: Any
    timeline: Any
    usable_floor: Any
    taken_floor: Any
    accepted: Any
    history: Any


STATE_ARRAYS = len(State._fields) - 1
SECTION = STATE_ARRAYS
RECORD = SECTION + 1
SCRATCH = RECORD + len(Record._fields)


def address_table(state: State, record: TimingRecord, scratch: Scratch) -> npt.NDArray[np.int64]:
    """Give the addresses of all arrays, in the order that :mod:`vecsim.engines.jit.world` knows."""
    arrays = [getattr(state, name) for name in State._fields if name != "section"]
    table = [array.ctypes.data for array in arrays] + [state.section]
    table += [getattr(record, name).ctypes.data for name in Record._fields]
    table += [array.ctypes.data for array in scratch]
    return np.array(table, np.int64)
