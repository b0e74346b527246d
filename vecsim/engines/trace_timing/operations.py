"""The operations on times that the timing is written in.

A time is that of one machine in a thread of a GPU, and of several machines side by side on a processor
(:mod:`vecsim.engines.jit.traces.lanes`), which has another function in the place of each of these.
"""

from __future__ import annotations

from typing import Any


def larger(a: Any, b: Any) -> Any:
    """The later of two times."""
    return a if a > b else b


def where(condition: Any, a: Any, b: Any) -> Any:
    """``a`` where the condition holds, otherwise ``b``."""
    return a if condition else b


def spread(value: Any) -> Any:
    """A number that all machines have, as a time."""
    return value
