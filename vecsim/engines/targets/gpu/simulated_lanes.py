"""Times and tables in the CUDA simulator: plain integers, a machine in each thread.

It has what :mod:`vecsim.engines.targets.gpu.lanes` has.
"""

from __future__ import annotations

from typing import Any

WIDTH, THREADS = 1, 4
SIDE_BY_SIDE: dict[int, Any] = {}


def times_at(memory: Any, begin: int) -> Any:
    """The times of a machine."""
    return memory[begin::THREADS]


def words_at(table: Any, begin: int) -> Any:
    """A table from an element on."""
    return table[begin:]


def time_of(time: Any, k: int) -> Any:
    """The time of the only machine."""
    return time
