"""All arrays of a run as one table of addresses.

The arrays belong to the Python side, which keeps them alive; compiled code gets the address of the table and
names them again, in :mod:`vecsim.engines.jit.arrays.views`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields, replace
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from isa.declaration import REGISTERS, SPECIAL_REGISTERS, Unit
from isa.state import State
from vecsim.engines.columns import control, outcomes, parameter, work
from vecsim.engines.columns.counters import Counter
from vecsim.engines.columns.tracks import TRACKS
from vecsim.engines.decoded import SCALARS
from vecsim.engines.record import TimingRecord
from vecsim.engines.run_arrays import Placed

MOST_OWN = 32
"""Numbers, and as many counters, that all extensions of a machine may have together."""
PHYSICAL = 62
"""Physical vector registers that a machine may have."""

RECORD = tuple(field.name for field in fields(TimingRecord))


class Scratch(NamedTuple):
    """What is no state of a run: the code, the machine, and room to work in.

    Attributes
    ----------
    program, machine
        See :mod:`vecsim.engines.columns`, ``instruction`` and ``parameter``.
    work, order, facts
        What the rules of time keep beside the record, :mod:`vecsim.engines.rules`.
    wakes
        See :mod:`vecsim.engines.jit.general.loop`.
    semantics
        (operations,) addresses of compiled semantics; see :mod:`vecsim.engines.jit.semantics`.
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
    ready_bound, taken_bound
        (V + 1,) see :mod:`vecsim.engines.jit.single_port.registers`.
    ring_dispatched, ring_history
        See :mod:`vecsim.engines.jit.single_port.port`.
    tracks, track_pace, track_number
        (TRACKS, s) cycles; (TRACKS,) most elements in a cycle; (TRACKS,) the how manieth track it was.
    ready_track, ready_add, ready_count, taken_track, taken_add, taken_count
        (V + 1,) the tracks of the vector registers; see :mod:`vecsim.engines.jit.single_port.registers`.
    """

    program: Any
    machine: Any
    work: Any
    order: Any
    facts: Any
    wakes: Any
    semantics: Any
    slow_paths: Any
    runs: Any
    hazards: Any
    outcome: Any
    timeline: Any
    starts: Any
    ready_bound: Any
    taken_bound: Any
    ring_dispatched: Any
    ring_history: Any
    tracks: Any
    track_pace: Any
    track_number: Any
    ready_track: Any
    ready_add: Any
    ready_count: Any
    taken_track: Any
    taken_add: Any
    taken_count: Any


_SIZES = {
    "control": control.PLACES,
    "scalar_ready": SCALARS,
    "ready_all": PHYSICAL + 1,
    "taken_all": PHYSICAL + 1,
    "ready_accumulator": PHYSICAL + 1,
    "ready_behind": PHYSICAL + 1,
    "unit_free": len(Unit),
    "unit_slot": len(Unit),
    "queued": len(Unit),
    "counters": len(Counter) + MOST_OWN,
    "unit_busy": len(Unit),
    "x": REGISTERS,
    "f": REGISTERS,
    "special": len(SPECIAL_REGISTERS),
    "machine": parameter.PLACES + MOST_OWN,
    "work": work.PLACES,
    "ready_bound": REGISTERS + 1,
    "taken_bound": REGISTERS + 1,
    "ready_track": REGISTERS + 1,
    "ready_add": REGISTERS + 1,
    "ready_count": REGISTERS + 1,
    "taken_track": REGISTERS + 1,
    "taken_add": REGISTERS + 1,
    "taken_count": REGISTERS + 1,
    "track_pace": TRACKS,
    "track_number": TRACKS,
    "outcome": outcomes.PLACES,
}
"""Small arrays that are in the table itself, with room for the largest machine, so that compiled code finds
them without loading an address."""

FAR = (
    *("v", "mask", "cache", "memory", "address", "row"),
    *("slots", "waits", "depends", "word_address", "rows", "ready", "taken"),
    *("slice_ready", "slice_taken", "slice_accumulator", "bank_free", "queue", "dispatched"),
    *("port_slots", "port_count", "port_history", "ledger", "hidden", "own"),
    *("names", "physical", "displaced", "next_free", "renamed", "scalar_writer"),
    *(
        "program",
        "order",
        "facts",
        "wakes",
        "hazards",
        "timeline",
        "starts",
        "ring_dispatched",
        "ring_history",
        "tracks",
        "runs",
        "semantics",
        "slow_paths",
    ),
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
) -> tuple[npt.NDArray[np.int64], State, TimingRecord, Scratch]:
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

    def moved(name: str, values: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        view = table[NEAR[name] : NEAR[name] + len(values)]
        view[:] = values
        return view

    near_record: dict[str, Any] = {
        name: moved(name, getattr(record, name)) for name in RECORD if name in NEAR
    }
    record = replace(record, **near_record)
    f = moved("f", state.f)
    state = state._replace(
        x=moved("x", state.x),
        f=f,
        fs=f.view(np.float32),
        fd=f.view(np.float64),
        special=moved("special", state.special),
    )
    scratch = scratch._replace(
        **{name: moved(name, getattr(scratch, name)) for name in Scratch._fields if name in NEAR}
    )
    arrays = {**state._asdict(), **{name: getattr(record, name) for name in RECORD}}
    arrays |= {name: getattr(scratch, name) for name in Scratch._fields}
    table[: len(FAR)] = [arrays[name].ctypes.data for name in FAR]
    table[LENGTHS:OWN] = [arrays[name].nbytes for name in SIZED]
    table[SECTION] = state.section
    return table, state, record, scratch
