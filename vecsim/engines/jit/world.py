"""The arrays of a run inside compiled code, and how functions are compiled.

Compiled functions take the table of addresses and name what they need; a name that is not used costs
nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numba

from isa.state import State
from vecsim.engines.jit.arrays import FAR, NEAR, SECTION, Record, Scratch
from vecsim.engines.jit.cells import as_float32, as_float64, as_int32, as_uint32, int64_at, shifted, uint8_at

_OPTIONS: dict[str, Any] = {"error_model": "numpy", "no_cpython_wrapper": True, "no_cfunc_wrapper": True}
inline: Callable[[Callable[..., Any]], Any] = numba.njit(forceinline=True, **_OPTIONS)
"""For functions that are small or called in one place: no call remains."""
function: Callable[[Callable[..., Any]], Any] = numba.njit(forceinline=False, **_OPTIONS)
"""For functions that stay functions, also in what calls them. (Without the False it would inherit the True of
a function that calls it.)"""


_V = FAR.index("v")
_MASK = FAR.index("mask")
_CACHE = FAR.index("cache")
_MEMORY = FAR.index("memory")
_ADDRESS = FAR.index("address")
_ROW = FAR.index("row")
_SLOTS = FAR.index("slots")
_WAITS = FAR.index("waits")
_DEPENDS = FAR.index("depends")
_WORD_ADDRESS = FAR.index("word_address")
_ROWS = FAR.index("rows")
_USABLE = FAR.index("usable")
_TAKEN = FAR.index("taken")
_SLICE_USABLE = FAR.index("slice_usable")
_SLICE_TAKEN = FAR.index("slice_taken")
_SLICE_ACCUMULATOR = FAR.index("slice_accumulator")
_BANK_FREE = FAR.index("bank_free")
_QUEUE = FAR.index("queue")
_ACCEPTED = FAR.index("accepted")
_PORT_SLOTS = FAR.index("port_slots")
_PORT_COUNT = FAR.index("port_count")
_PORT_HISTORY = FAR.index("port_history")
_PROGRAM = FAR.index("program")
_HAZARDS = FAR.index("hazards")
_TIMELINE = FAR.index("timeline")
_RING_ACCEPTED = FAR.index("ring_accepted")
_RING_HISTORY = FAR.index("ring_history")
_RUNS = FAR.index("runs")
_TRACKS = FAR.index("tracks")

_CONTROL = NEAR["control"]
_READY = NEAR["ready"]
_USABLE_ALL = NEAR["usable_all"]
_TAKEN_ALL = NEAR["taken_all"]
_USABLE_ACCUMULATOR = NEAR["usable_accumulator"]
_UNIT_FREE = NEAR["unit_free"]
_UNIT_SLOT = NEAR["unit_slot"]
_QUEUED = NEAR["queued"]
_CHARGED = NEAR["charged"]
_WAITED = NEAR["waited"]
_COUNTERS = NEAR["counters"]
_UNIT_BUSY = NEAR["unit_busy"]
_X = NEAR["x"]
_F = NEAR["f"]
_SPECIAL = NEAR["special"]
_MACHINE = NEAR["machine"]
_USABLE_FLOOR = NEAR["usable_floor"]
_TAKEN_FLOOR = NEAR["taken_floor"]
_TRACK_PACE = NEAR["track_pace"]
_TRACK_NUMBER = NEAR["track_number"]
_USABLE_TRACK = NEAR["usable_track"]
_USABLE_ADD = NEAR["usable_add"]
_USABLE_COUNT = NEAR["usable_count"]
_TAKEN_TRACK = NEAR["taken_track"]
_TAKEN_ADD = NEAR["taken_add"]
_TAKEN_COUNT = NEAR["taken_count"]
_OUTCOME = NEAR["outcome"]


@inline
def state_of(w: Any) -> Any:
    """Name the architectural state."""
    f, v, cache, memory = shifted(w, _F), int64_at(w[_V]), int64_at(w[_CACHE]), uint8_at(w[_MEMORY])
    return State(
        shifted(w, _X),
        f,
        as_float32(f),
        as_float64(f),
        shifted(w, _SPECIAL),
        v,
        as_int32(v),
        as_float32(v),
        as_float64(v),
        uint8_at(w[_MASK]),
        cache,
        as_float32(cache),
        as_float64(cache),
        memory,
        as_uint32(memory),
        int64_at(w[_ADDRESS]),
        int64_at(w[_ROW]),
        w[SECTION],
    )


@inline
def record_of(w: Any) -> Any:
    """Name the timing record."""
    return Record(
        shifted(w, _CONTROL),
        shifted(w, _READY),
        int64_at(w[_SLOTS]),
        int64_at(w[_WAITS]),
        uint8_at(w[_DEPENDS]),
        int64_at(w[_WORD_ADDRESS]),
        int64_at(w[_ROWS]),
        int64_at(w[_USABLE]),
        int64_at(w[_TAKEN]),
        shifted(w, _USABLE_ALL),
        shifted(w, _TAKEN_ALL),
        shifted(w, _USABLE_ACCUMULATOR),
        int64_at(w[_SLICE_USABLE]),
        int64_at(w[_SLICE_TAKEN]),
        int64_at(w[_SLICE_ACCUMULATOR]),
        int64_at(w[_BANK_FREE]),
        shifted(w, _UNIT_FREE),
        shifted(w, _UNIT_SLOT),
        int64_at(w[_QUEUE]),
        shifted(w, _QUEUED),
        int64_at(w[_ACCEPTED]),
        int64_at(w[_PORT_SLOTS]),
        int64_at(w[_PORT_COUNT]),
        int64_at(w[_PORT_HISTORY]),
        shifted(w, _CHARGED),
        shifted(w, _WAITED),
        shifted(w, _COUNTERS),
        shifted(w, _UNIT_BUSY),
    )


@inline
def scratch_of(w: Any) -> Any:
    """Name the code, the machine and the room to work in."""
    return Scratch(
        int64_at(w[_PROGRAM]),
        shifted(w, _MACHINE),
        int64_at(w[_RUNS]),
        int64_at(w[_HAZARDS]),
        shifted(w, _OUTCOME),
        int64_at(w[_TIMELINE]),
        shifted(w, _USABLE_FLOOR),
        shifted(w, _TAKEN_FLOOR),
        int64_at(w[_RING_ACCEPTED]),
        int64_at(w[_RING_HISTORY]),
        int64_at(w[_TRACKS]),
        shifted(w, _TRACK_PACE),
        shifted(w, _TRACK_NUMBER),
        shifted(w, _USABLE_TRACK),
        shifted(w, _USABLE_ADD),
        shifted(w, _USABLE_COUNT),
        shifted(w, _TAKEN_TRACK),
        shifted(w, _TAKEN_ADD),
        shifted(w, _TAKEN_COUNT),
    )
