"""All arrays of a run as one table of addresses.

The arrays belong to the Python side, which keeps them alive; compiled code gets the address of the table and
names them again, in :mod:`vecsim.engines.jit.arrays.views`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from isa.declaration import REGISTERS, SPECIAL_REGISTERS, Unit
from isa.state import State
from vecsim.engines.columns import control, outcomes, parameter, work
from vecsim.engines.columns.counters import Counter
from vecsim.engines.columns.tracks import TRACKS
from vecsim.engines.decoded import NONE, SCALARS
from vecsim.engines.record import TimingRecord
from vecsim.engines.run_arrays import Placed

MOST_OWN = 32
"""Numbers, and as many counters, that all extensions of a machine may have together."""
PHYSICAL = 62
"""Physical vector registers that a machine may have."""

RECORD = tuple(field.name for field in fields(TimingRecord))


Ints = npt.NDArray[np.int64]
Scratch = dict[str, Ints]
"""The code, the machine and room to work in, by the names of :data:`SCRATCH`."""

OF_REGISTERS = {
    "ready_bound": 0,
    "taken_bound": -1,
    "ready_track": NONE,
    "ready_add": 0,
    "ready_count": 0,
    "taken_track": NONE,
    "taken_add": 0,
    "taken_count": 0,
}
"""Arrays with a number for each vector register, (V + 1,), and what they hold at the beginning: bounds and
tracks, see :mod:`vecsim.engines.jit.single_port.registers`."""
SCRATCH = (
    *("program", "machine", "work", "order", "facts", "wakes", "semantics", "slow_paths", "runs"),
    *("hazards", "outcome", "timeline", "starts", "ring_dispatched", "ring_history"),
    *("tracks", "track_pace", "track_number", *OF_REGISTERS),
)
"""Arrays that are no state of a run.

program, machine
    See :mod:`vecsim.engines.columns`, ``instruction`` and ``parameter``.
work, order, facts
    What the timing rules keep in addition to the record, :mod:`vecsim.engines.rules`.
wakes
    See :mod:`vecsim.engines.jit.general.wakes`.
semantics
    (operations,) addresses of compiled semantics, :mod:`vecsim.engines.jit.semantics`.
slow_paths
    (1,) the address of :mod:`vecsim.engines.jit.single_port.slow_paths`.
runs
    See :mod:`vecsim.engines.jit.single_port.preparation`.
hazards
    (s,) from when the elements of the instruction being timed may be written.
outcome
    See :mod:`vecsim.engines.columns.outcomes`.
timeline
    How many rows of the timeline there are, and then the rows.
starts
    See :mod:`vecsim.engines.columns.starts`.
ring_dispatched, ring_history
    See :mod:`vecsim.engines.jit.single_port.port`.
tracks, track_pace, track_number
    (TRACKS, s) cycles; (TRACKS,) most elements in a cycle; (TRACKS,) the how manieth track it was.
"""

_SIZES = {
    "control": control.PLACES,
    "scalar_ready": SCALARS,
    **dict.fromkeys(("ready_all", "taken_all", "ready_accumulator", "ready_behind"), PHYSICAL + 1),
    **dict.fromkeys(("unit_free", "unit_slot", "queued", "unit_busy"), len(Unit)),
    "counters": len(Counter) + MOST_OWN,
    **dict.fromkeys(("x", "f"), REGISTERS),
    "special": len(SPECIAL_REGISTERS),
    "machine": parameter.PLACES + MOST_OWN,
    "work": work.PLACES,
    **dict.fromkeys(OF_REGISTERS, REGISTERS + 1),
    **dict.fromkeys(("track_pace", "track_number"), TRACKS),
    "outcome": outcomes.PLACES,
}
"""Small arrays that are in the table itself, with room for the largest machine, so that compiled code finds
them without loading an address."""

FAR = (
    *("v", "mask", "cache", "memory", "address", "row"),
    *(name for name in RECORD if name not in _SIZES),
    *(name for name in SCRATCH if name not in _SIZES),
)
"""Arrays whose addresses are in the table, in this order; the section size follows."""

SECTION = len(FAR)
NEAR = {name: SECTION + 1 + sum(list(_SIZES.values())[:i]) for i, name in enumerate(_SIZES)}
"""Where each of the small arrays begins in the table."""
LENGTHS = SECTION + 1 + sum(_SIZES.values())
"""Where the bytes of each array are, of those whose addresses are in the table and then of the others."""
SIZED = (*FAR, *NEAR)
OWN = LENGTHS + len(SIZED)
"""Where the addresses of the arrays of extensions begin; their bytes follow."""


def table_of(
    state: State, record: TimingRecord, scratch: Scratch, own: Sequence[Placed] = ()
) -> tuple[Ints, State, TimingRecord, Scratch]:
    """Make the table of a run.

    Parameters
    ----------
    state, record, scratch
        The arrays.
    own
        Where in ``record.own`` the arrays of extensions are.

    Returns
    -------
    table, state, record, scratch
        The table; what was given, with the small arrays as views of the table.
    """
    table = np.zeros(OWN + 2 * len(own), np.int64)
    size = record.own.itemsize
    table[OWN : OWN + len(own)] = [record.own.ctypes.data + size * each.begin for each in own]
    table[OWN + len(own) :] = [size * (each.end - each.begin) for each in own]

    def moved(name: str, values: Ints) -> Ints:
        view = table[NEAR[name] : NEAR[name] + len(values)]
        view[:] = values
        return view

    near: dict[str, Any] = {name: moved(name, getattr(record, name)) for name in RECORD if name in NEAR}
    record = replace(record, **near)
    f = moved("f", state.f)
    state = state._replace(
        x=moved("x", state.x),
        f=f,
        fs=f.view(np.float32),
        fd=f.view(np.float64),
        special=moved("special", state.special),
    )
    scratch = {name: moved(name, each) if name in NEAR else each for name, each in scratch.items()}
    arrays = state._asdict() | {name: getattr(record, name) for name in RECORD} | scratch
    table[: len(FAR)] = [arrays[name].ctypes.data for name in FAR]
    table[LENGTHS:OWN] = [arrays[name].nbytes for name in SIZED]
    table[SECTION] = state.section
    return table, state, record, scratch
