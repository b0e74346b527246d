"""The engine as WebAssembly in the same worker: the host of runs whose other side is Python."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from isa.program import Program
from vecsim.engines import running
from vecsim.engines.protocol import Engine
from vecsim.engines.targets.wasm.engine import ROWS, WasmEngine
from vecsim.engines.timeline import TimelineRequest
from vecsim.machine import Machine

NAME = "wasm"
"""What the engine is called."""


class ModuleHost:
    """Runs the module; see :class:`vecsim.engines.targets.wasm.engine.Host`.

    Parameters
    ----------
    call
        ``call(packed, stop_cycle, stop_count, capacity)`` of the worker: lets a packed run go on, and returns
        its ``status``, ``content(name)``, the bytes of an array, and ``rows(name)``, those of new rows.
    """

    def __init__(self, call: Callable[..., Any]) -> None:
        self._call = call

    def call(self, run: WasmEngine, stop_cycle: int, stop_count: int, capacity: int) -> int:
        """Let the loop run once."""
        done = self._call(run.packed(), stop_cycle, stop_count, capacity)
        arrays = run.arrays
        for name, array in arrays.items():
            if name not in ROWS:
                done.content(name).assign_to(memoryview(array).cast("B"))
        for name in ROWS:
            written = done.rows(name)
            if written.length:
                written.assign_to(memoryview(arrays[name]).cast("B")[: written.length])
        return int(done.status)


def use(call: Callable[..., Any]) -> None:
    """Add the engine to those of vecsim."""
    host = ModuleHost(call)

    def start(
        program: Program, memory: npt.NDArray[np.uint8], machine: Machine, timeline: TimelineRequest | None
    ) -> Engine:
        return WasmEngine(program, memory, machine, timeline, host=host)

    running.ENGINES[NAME] = start
