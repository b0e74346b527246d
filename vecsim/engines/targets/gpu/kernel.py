"""The kernel that times machines: a block of threads has machines with the same sizes and one trace.

The source of the timing is that of the processor's loop; here a time is that of a few machines of a thread.
The memories of the machines of a block lie side by side, place by place, so threads that are at the same
place read words that follow each other. No branch depends on a time, so a warp stays together.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

from vecsim.engines.cause import Cause
from vecsim.engines.rebinding import rebound
from vecsim.engines.targets.gpu.cuda import SIMULATED, cuda
from vecsim.engines.targets.gpu.kept import compile_or_load
from vecsim.engines.trace_timing import operations, places
from vecsim.engines.trace_timing.timing import time_events
from vecsim.engines.trace_timing.variants import replacements

if SIMULATED:
    from vecsim.engines.targets.gpu import simulated_lanes as lanes
else:
    from vecsim.engines.targets.gpu import lanes  # type: ignore[no-redef]

WIDTH = lanes.WIDTH
BLOCK, MACHINES = lanes.THREADS, lanes.THREADS * WIDTH
"""Threads of a block, and machines."""
CAUSES = len(Cause)
RETIRED, LATEST, CHARGES, TOTAL = places.RETIRED, places.LATEST, places.CHARGES, places.TOTAL
LAST_CYCLE = places.LAST_CYCLE
SIGNATURE = (
    "void(int64[:, ::1], int64, int32[::1], int32[::1], int32[::1], int32[::1], int32[:, ::1], int32[::1], "
    "int64, int32[::1], int32[:, ::1])"
)
"""Of the kernel."""


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


def _device_function(plain: Callable[..., Any]) -> Any:
    """Compile a function for the device; in the simulator it stays as it is."""
    return plain if SIMULATED else cuda.jit(device=True)(plain)


@cache
def time_blocks(*, with_memory: bool) -> Any:
    """Return the kernel that times the machines of one block of threads for each, ready on this GPU.

    It takes

    blocks, first
        (B, 7) what each has to do (:class:`Block`); that of the first block of this launch.
    events, rows, shapes, starts
        Traces, rows of programs, sizes, and memories at the beginning, one after the other.
    numbers
        (n, M) what the memory of each machine begins with.
    memory, room
        Integers for the memories of the machines of all blocks; how many for each block.
    cycles, by_cause
        (R,) and (CAUSES, R), for the results.

    Parameters
    ----------
    with_memory
        Whether the memory of the machines is more than banks.
    """
    known = dict(lanes.SIDE_BY_SIDE)
    timed = rebound(time_events, known, _device_function, replacements(with_memory))
    spread = known.get(id(operations.spread), operations.spread)

    @cuda.jit
    def kernel(
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
        machine, block = cuda.threadIdx.x * WIDTH, blocks[first + cuda.blockIdx.x]
        if machine >= block[5]:
            return
        begin = cuda.blockIdx.x * room + machine
        t, shape = lanes.times_at(memory, begin), lanes.words_at(shapes, block[2])
        for k in range(shape[TOTAL]):
            t[k] = spread(starts[block[3] + k])
        last = block[5] - 1
        for k in range(numbers.shape[0]):
            for i in range(WIDTH):
                memory[begin + k * MACHINES + i] = numbers[k, block[4] + min(machine + i, last)]
        timed(lanes.words_at(events, block[0]), lanes.words_at(rows, block[1]), t, shape)
        place = block[6] + machine
        for i in range(min(WIDTH, block[5] - machine)):
            cycles[place + i] = max(lanes.time_of(t[RETIRED], i), lanes.time_of(t[LATEST], i) & LAST_CYCLE)
            for k in range(CAUSES):
                by_cause[k, place + i] = lanes.time_of(t[CHARGES + k], i)

    if not SIMULATED:
        compile_or_load(kernel, SIGNATURE)
    return kernel
