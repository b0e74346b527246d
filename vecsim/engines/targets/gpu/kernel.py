"""The kernel that times machines: a block of threads has machines with the same sizes and one trace.

The source of the timing is that of the processor's loop; here a time is an integer of a thread. The memories
of the machines of a block lie side by side, place by place, so threads that are at the same place read words
that follow each other. No branch depends on a time, so a warp stays together.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from vecsim.engines.cause import Cause
from vecsim.engines.rebinding import rebound
from vecsim.engines.targets.gpu.cuda import SIMULATED, cuda
from vecsim.engines.trace_timing import operations, places
from vecsim.engines.trace_timing.timing import time_events

THREADS = 4 if SIMULATED else 128
"""Machines of a block."""
CAUSES = len(Cause)
NUMBERS, RETIRED, CHARGES, TOTAL = len(places.NUMBERS), places.RETIRED, places.CHARGES, places.TOTAL


class Block(NamedTuple):
    """What a block of threads times; places count elements of the arrays of the kernel.

    Attributes
    ----------
    events, rows, shape, start
        Where its trace, the rows of its program, its sizes and the memory at the beginning are.
    machine, machines
        The first of its machines, and how many they are.
    result
        Where its first result goes.
    """

    events: int
    rows: int
    shape: int
    start: int
    machine: int
    machines: int
    result: int


def _larger(a: Any, b: Any) -> Any:
    a, b = np.int32(a), np.int32(b)
    return a if a > b else b


def _where(condition: Any, a: Any, b: Any) -> Any:
    return np.int32(a) if condition else np.int32(b)


def _spread(value: Any) -> Any:
    return np.int32(value)


def _device_function(plain: Callable[..., Any]) -> Any:
    """Compile a function for the device; in the simulator it stays as it is."""
    return plain if SIMULATED else cuda.jit(device=True)(plain)


_FUNCTIONS = ((operations.larger, _larger), (operations.where, _where), (operations.spread, _spread))
"""Of the operations on times the form for a thread: integers of 32 bits, where Numba takes 64 for a sum."""
_time_events = rebound(
    time_events, {id(plain): _device_function(ours) for plain, ours in _FUNCTIONS}, _device_function
)


@cuda.jit
def time_blocks(
    blocks: Any,
    first: int,
    events: Any,
    rows: Any,
    shapes: Any,
    starts: Any,
    numbers: Any,
    memory: Any,
    room: int,
    cycles: Any,
    by_cause: Any,
) -> None:
    """Time the machines of one block of threads for each.

    Parameters
    ----------
    blocks, first
        (B, 7) what each has to do (:class:`Block`); that of the first block of this launch.
    events, rows, shapes, starts
        Traces, rows of programs, sizes, and memories at the beginning, one after the other.
    numbers
        (NUMBERS, M) the numbers of the machines.
    memory, room
        Integers for the memories of the machines of all blocks; how many for each block.
    cycles, by_cause
        (R,) and (CAUSES, R), for the results.
    """
    lane, block = cuda.threadIdx.x, blocks[first + cuda.blockIdx.x]
    if lane >= block[5]:
        return
    begin = cuda.blockIdx.x * room + lane
    t = memory[begin : begin + room : THREADS]
    shape = shapes[block[2] :]
    for k in range(shape[TOTAL]):
        t[k] = starts[block[3] + k]
    for k in range(NUMBERS):
        t[k] = numbers[k, block[4] + lane]
    _time_events(events[block[0] :], rows[block[1] :], t, shape)
    place = block[6] + lane
    cycles[place] = t[RETIRED]
    for k in range(CAUSES):
        by_cause[k, place] = t[CHARGES + k]
