"""Engines by name: those of the command line, and those that only the tests know."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from isa.program import Program
from vecsim.engines.protocol import Engine, StartEngine
from vecsim.engines.running import ENGINES, start, whole_words
from vecsim.engines.simpy.engine import SimpyEngine
from vecsim.engines.timeline import TimelineRequest
from vecsim.machine import Machine

from .wasm_host import WASM

Memory = npt.NDArray[np.uint8]


def _planted(program: Program, memory: Memory, machine: Machine, timeline: TimelineRequest | None) -> Engine:
    """Wrong on purpose: multiplies take a cycle more. What does not find it finds nothing."""
    latency = machine.latency.model_copy(update={"multiply": machine.latency.multiply + 1})
    return SimpyEngine(program, memory, machine.model_copy(update={"latency": latency}), timeline)


VARIANTS: dict[str, StartEngine] = {"simpy-planted": _planted, **WASM}


def names() -> list[str]:
    """Every name that :func:`start_engine` takes."""
    return [*ENGINES, *VARIANTS]


def start_engine(
    name: str,
    program: Program,
    memory: Memory,
    machine: Machine,
    timeline: TimelineRequest | None,
) -> Engine:
    """Start an engine on a copy of memory. The program has no data segments."""
    if program.data:
        raise ValueError("memory is its own file here: .data is not laid out")
    if name in ENGINES:
        return start(program, memory, machine, engine=name, timeline=timeline)
    return VARIANTS[name](program, whole_words(memory), machine, timeline)
