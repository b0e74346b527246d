"""The loop over events for machines side by side on a processor."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from vecsim.engines.jit.arrays.cells import int32_at, int64_at
from vecsim.engines.jit.compiler.functions import inline
from vecsim.engines.jit.traces.lanes import SIDE_BY_SIDE, lanes_at
from vecsim.engines.rebinding import rebound
from vecsim.engines.trace_timing.timing import time_events


def make_timing_loop() -> Callable[..., int]:
    """Return the plain function that times a group of machines, to be compiled.

    ``run(events, rows, memory, shape)``: the addresses of the events, of the rows of the program, of the
    memory of the group, and of sizes and places. It returns 0.
    """
    timed = rebound(time_events, dict(SIDE_BY_SIDE), inline)

    def run(events_at: Any, rows_at: Any, memory_at: Any, shape_at: Any) -> Any:
        timed(int32_at(events_at), int32_at(rows_at), lanes_at(memory_at), int64_at(shape_at))
        return 0

    return run
