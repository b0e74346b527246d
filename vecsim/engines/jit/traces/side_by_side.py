"""The loop over events for machines side by side on a processor."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from vecsim.engines.jit.arrays.cells import int32_at, int64_at
from vecsim.engines.jit.compiler.functions import function, inline
from vecsim.engines.jit.traces.lanes import SIDE_BY_SIDE, lanes_at
from vecsim.engines.rebinding import rebound
from vecsim.engines.trace_timing import lines, memory
from vecsim.engines.trace_timing.timing import time_events
from vecsim.engines.trace_timing.variants import replacements

_APART = {each.__code__ for each in (memory.pass_caches, lines.last_looks_up, lines.pass_line, lines.bring)}
"""The code of functions that stay separate functions: called in several places, or large."""


def _compiling(copy: Callable[..., Any]) -> Any:
    return (function if copy.__code__ in _APART else inline)(copy)


def make_timing_loop(*, with_memory: bool) -> Callable[..., int]:
    """Return the plain function that times a group of machines, to be compiled.

    Parameters
    ----------
    with_memory
        Whether their memory is more than banks.

    ``run(events, rows, memory, shape)``: the addresses of the events, of the rows of the program, of the
    memory of the group, and of sizes and places. It returns 0.
    """
    timed = rebound(time_events, dict(SIDE_BY_SIDE), _compiling, replacements(with_memory))

    def run(events_at: Any, rows_at: Any, memory_at: Any, shape_at: Any) -> Any:
        timed(int32_at(events_at), int32_at(rows_at), lanes_at(memory_at), int64_at(shape_at))
        return 0

    return run
