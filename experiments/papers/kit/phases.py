"""What measurements share: where their time goes, and why a part of them failed, in a line."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager

from vecsim.support.errors import UserError

LONGEST = 300
"""Letters of a reason that are kept."""


@contextmanager
def clock(seconds: dict[str, float], phase: str) -> Iterator[None]:
    """Add the time of a block to a phase.

    Parameters
    ----------
    seconds
        By phase.
    phase
        Which one.
    """
    begun = time.perf_counter()
    try:
        yield
    finally:
        seconds[phase] = seconds.get(phase, 0.0) + time.perf_counter() - begun


def one_line(error: Exception) -> str:
    """Say in a line what went wrong; what was not foreseen with its type."""
    text = " ".join(str(error).split())[:LONGEST]
    return text if isinstance(error, UserError) else f"{type(error).__name__}: {text}"
