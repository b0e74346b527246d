"""Warp operations for Numba's CUDA simulator, which has none. Loaded only there.

A simulated thread is a thread of the host, so the lanes of a warp meet at a barrier, leave their values, and
meet again before the next exchange. Every lane of the warp must take part: a kernel must not return before a
warp operation, and the mask must be that of all lanes.
"""

import threading
import time
from collections.abc import Callable
from math import prod
from typing import Any

from numba import cuda
from numba.cuda.simulator import kernel
from numba.cuda.simulator.kernelapi import FakeCUDAModule

WARP = 32
PATIENCE_SECONDS = 30
"""How long the lanes of a warp wait for each other: one that never comes is a fault of the kernel."""
POLLING_SECONDS = 2e-4
"""How long the simulator's own thread leaves the interpreter to those of a block."""

_creating = threading.Lock()


class _Warp:
    """The lanes of one warp of a running block."""

    def __init__(self, lanes: int) -> None:
        self.lanes = lanes
        self.barrier = threading.Barrier(lanes)
        self.values: list[Any] = [None] * lanes

    def exchange(self, lane: int, value: Any) -> list[Any]:
        """Leave a value and return those of all lanes."""
        self.values[lane] = value
        self.barrier.wait(PATIENCE_SECONDS)
        values = list(self.values)
        self.barrier.wait(PATIENCE_SECONDS)
        return values


def _exchanged(value: Any) -> tuple[int, list[Any]]:
    """Return this thread's lane and the values of all lanes of its warp."""
    thread: Any = threading.current_thread()
    number, lane = divmod(thread.thread_id, WARP)
    with _creating:
        warps = thread._manager.__dict__.setdefault("_warps", {})
        if number not in warps:
            threads = prod(thread._manager._block_dim)
            warps[number] = _Warp(min(WARP, threads - number * WARP))
    return lane, warps[number].exchange(lane, value)


def _shuffle(source: Callable[[int, int], int]) -> Callable[..., Any]:
    """Make a shuffle: `source` returns the lane to read from this lane and the operand."""

    def shuffle(self: Any, mask: int, value: Any, operand: int) -> Any:
        lane, values = _exchanged(value)
        at = source(lane, operand)
        return values[at] if 0 <= at < len(values) else value

    return shuffle


def _ballot(self: Any, mask: int, predicate: Any) -> int:
    return sum(1 << lane for lane, value in enumerate(_exchanged(bool(predicate))[1]) if value)


def _match_any(self: Any, mask: int, value: Any) -> int:
    return sum(1 << lane for lane, other in enumerate(_exchanged(value)[1]) if other == value)


OPERATIONS: dict[str, Callable[..., Any]] = {
    "shfl_sync": _shuffle(lambda lane, source: source % WARP),
    "shfl_up_sync": _shuffle(lambda lane, delta: lane - delta),
    "shfl_down_sync": _shuffle(lambda lane, delta: lane + delta),
    "shfl_xor_sync": _shuffle(lambda lane, mask: lane ^ mask),
    "ballot_sync": _ballot,
    "all_sync": lambda self, mask, predicate: all(_exchanged(bool(predicate))[1]),
    "any_sync": lambda self, mask, predicate: any(_exchanged(bool(predicate))[1]),
    "match_any_sync": _match_any,
    "syncwarp": lambda self, mask=0xFFFFFFFF: _exchanged(None) and None,
}


class _Cuda:
    """The ``cuda`` of the kernel that runs, where one does, and of the host."""

    def __getattr__(self, name: str) -> Any:
        running = kernel._kernel_context
        return getattr(running if hasattr(running, name) else cuda, name)


def installed() -> Any:
    """Return the simulator's ``cuda``, with the warp operations, for kernels and functions of any module."""
    for name, operation in OPERATIONS.items():
        setattr(FakeCUDAModule, name, operation)
    kernel.BlockThread.is_alive = _is_alive
    return _Cuda()


def _is_alive(thread: Any) -> bool:
    """Return whether a thread of a block runs, and let the others run.

    The thread that waits for a block asks this of its threads again and again, and would hold the interpreter
    meanwhile: kernels with warp operations would take ten times as long.
    """
    alive = threading.Thread.is_alive(thread)
    if alive:
        time.sleep(POLLING_SECONDS)
    return alive
