"""The arrays of a run inside compiled code, and how functions are compiled.

Compiled functions take the table of addresses and name what they need; a name that is not used costs
nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numba

from isa.state import State
from vecsim.engines.jit.arrays import RECORD, SCRATCH, STATE_ARRAYS, Record, Scratch
from vecsim.engines.jit.cells import float32_at, float64_at, int32_at, int64_at, uint8_at, uint32_at

_OPTIONS: dict[str, Any] = {"error_model": "numpy", "no_cpython_wrapper": True, "no_cfunc_wrapper": True}
inline: Callable[[Callable[..., Any]], Any] = numba.njit(forceinline=True, **_OPTIONS)
"""For functions that are small or called in one place: no call remains."""
function: Callable[[Callable[..., Any]], Any] = numba.njit(**_OPTIONS)
"""For functions that stay functions, also in what calls them."""


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
        int64_at(w[RECORD]),
        int64_at(w[RECORD + 1]),
        int64_at(w[RECORD + 2]),
        int64_at(w[RECORD + 3]),
        uint8_at(w[RECORD + 4]),
        int64_at(w[RECORD + 5]),
        int64_at(w[RECORD + 6]),
        int64_at(w[RECORD + 7]),
        int64_at(w[RECORD + 8]),
        int64_at(w[RECORD + 9]),
        int64_at(w[RECORD + 10]),
        int64_at(w[RECORD + 11]),
        int64_at(w[RECORD + 12]),
        int64_at(w[RECORD + 13]),
        int64_at(w[RECORD + 14]),
        int64_at(w[RECORD + 15]),
        int64_at(w[RECORD + 16]),
        int64_at(w[RECORD + 17]),
        int64_at(w[RECORD + 18]),
        int64_at(w[RECORD + 19]),
        int64_at(w[RECORD + 20]),
        int64_at(w[RECORD + 21]),
        int64_at(w[RECORD + 22]),
        int64_at(w[RECORD + 23]),
        int64_at(w[RECORD + 24]),
        int64_at(w[RECORD + 25]),
        int64_at(w[RECORD + 26]),
        int64_at(w[RECORD + 27]),
    )


@inline
def scratch_of(w: Any) -> Any:
    """Name the code, the machine and the room to work in."""
    return Scratch(
        int64_at(w[SCRATCH]),
        int64_at(w[SCRATCH + 1]),
        int64_at(w[SCRATCH + 2]),
        int64_at(w[SCRATCH + 3]),
        int64_at(w[SCRATCH + 4]),
        int64_at(w[SCRATCH + 5]),
        int64_at(w[SCRATCH + 6]),
        int64_at(w[SCRATCH + 7]),
        int64_at(w[SCRATCH + 8]),
        int64_at(w[SCRATCH + 9]),
    )


assert STATE_ARRAYS == 17
