"""All arrays of a run as one table of addresses, and their names inside compiled code.

Compiled functions take the table and name what they need; a name that is not used costs nothing. The
arrays themselves belong to the Python side, which keeps them alive.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numba
import numpy as np
import numpy.typing as npt

from isa.state import State
from vecsim.engines.jit.cells import float32_at, float64_at, int32_at, int64_at, uint8_at, uint32_at
from vecsim.engines.record import TimingRecord

_OPTIONS: dict[str, Any] = {"error_model": "numpy", "no_cpython_wrapper": True, "no_cfunc_wrapper": True}
inline: Callable[[Callable[..., Any]], Any] = numba.njit(forceinline=True, **_OPTIONS)
"""For functions that are small or called in one place: no call remains."""
function: Callable[[Callable[..., Any]], Any] = numba.njit(**_OPTIONS)
"""For functions that stay functions, also in what calls them."""


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


_STATE_ARRAYS = len(State._fields) - 1
_SECTION = _STATE_ARRAYS
_RECORD = _SECTION + 1
_SCRATCH = _RECORD + len(Record._fields)


def address_table(state: State, record: TimingRecord, scratch: Scratch) -> npt.NDArray[np.int64]:
    """Give the addresses of all arrays, in the order that :func:`state_of` and the others know."""
    arrays = [getattr(state, name) for name in State._fields if name != "section"]
    table = [array.ctypes.data for array in arrays] + [state.section]
    table += [getattr(record, name).ctypes.data for name in Record._fields]
    table += [array.ctypes.data for array in scratch]
    return np.array(table, np.int64)


@inline
def state_of(w: Any) -> Any:
    """Name the architectural state."""
    return State(
        int64_at(w[0]),
        int64_at(w[1]),
        float32_at(w[2]),
        float64_at(w[3]),
        int64_at(w[4]),
        int64_at(w[5]),
        int32_at(w[6]),
        float32_at(w[7]),
        float64_at(w[8]),
        uint8_at(w[9]),
        int64_at(w[10]),
        float32_at(w[11]),
        float64_at(w[12]),
        uint8_at(w[13]),
        uint32_at(w[14]),
        int64_at(w[15]),
        int64_at(w[16]),
        w[17],
    )


@inline
def record_of(w: Any) -> Any:
    """Name the timing record."""
    return Record(
        int64_at(w[_RECORD]),
        int64_at(w[_RECORD + 1]),
        int64_at(w[_RECORD + 2]),
        int64_at(w[_RECORD + 3]),
        uint8_at(w[_RECORD + 4]),
        int64_at(w[_RECORD + 5]),
        int64_at(w[_RECORD + 6]),
        int64_at(w[_RECORD + 7]),
        int64_at(w[_RECORD + 8]),
        int64_at(w[_RECORD + 9]),
        int64_at(w[_RECORD + 10]),
        int64_at(w[_RECORD + 11]),
        int64_at(w[_RECORD + 12]),
        int64_at(w[_RECORD + 13]),
        int64_at(w[_RECORD + 14]),
        int64_at(w[_RECORD + 15]),
        int64_at(w[_RECORD + 16]),
        int64_at(w[_RECORD + 17]),
        int64_at(w[_RECORD + 18]),
        int64_at(w[_RECORD + 19]),
        int64_at(w[_RECORD + 20]),
        int64_at(w[_RECORD + 21]),
        int64_at(w[_RECORD + 22]),
        int64_at(w[_RECORD + 23]),
        int64_at(w[_RECORD + 24]),
        int64_at(w[_RECORD + 25]),
        int64_at(w[_RECORD + 26]),
        int64_at(w[_RECORD + 27]),
    )


@inline
def scratch_of(w: Any) -> Any:
    """Name the code, the machine and the room to work in."""
    return Scratch(
        int64_at(w[_SCRATCH]),
        int64_at(w[_SCRATCH + 1]),
        int64_at(w[_SCRATCH + 2]),
        int64_at(w[_SCRATCH + 3]),
        int64_at(w[_SCRATCH + 4]),
        int64_at(w[_SCRATCH + 5]),
        int64_at(w[_SCRATCH + 6]),
        int64_at(w[_SCRATCH + 7]),
        int64_at(w[_SCRATCH + 8]),
        int64_at(w[_SCRATCH + 9]),
    )


assert _STATE_ARRAYS == 17
