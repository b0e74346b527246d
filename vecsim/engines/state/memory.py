"""Caches and main memory, which follow the ports."""

from __future__ import annotations

from dataclasses import dataclass

from vecsim.engines.state.row import NONE, Row


@dataclass(slots=True, eq=False)
class CacheNumbers(Row):
    """The numbers of a cache as the machine description names them; then what follows from them."""

    bytes: int = 0
    line_bytes: int = 0
    ways: int = 0
    replacement: int = 0
    hit_latency: int = 0
    banks: int = 0
    write_back: int = 0
    refill_bytes: int = 0
    misses: int = 0
    prefetch: int = 0
    serves: int = 0
    perfect: int = 0

    sets: int = 0
    """How many sets of ``ways`` lines."""
    line_shift: int = 0
    """The binary logarithm of the words of a line."""


@dataclass(slots=True, eq=False)
class CacheState(Row):
    """A cache, next to its lines, its banks and the lines that it waits for."""

    changes: int = 0
    """How often a line was used or came, which dates them."""
    refilled_at: int = 0
    """The cycle from which the path of its lines is free."""


@dataclass(slots=True, eq=False)
class Line(Row):
    """A line of a cache."""

    number: int = NONE
    """Its first byte divided by the bytes of a line; -1: there is none."""
    used: int = 0
    """When it was used last, or came if the oldest is replaced, by ``CacheState.changes``."""
    ready_at: int = 0
    """The cycle from which it is there."""
    words_from: int = 0
    """The cycle from which its cache could wait for it, and from which a port can use it."""
    dirty: int = 0
    """1 if a store has changed it."""
    prefetched: int = 0
    """1 if it was asked for ahead, until it is used."""


@dataclass(slots=True, eq=False)
class MainMemory(Row):
    """What all banks of main memory share."""

    passed: int = 0
    """When its path is free, in cycles times ``main_memory.bytes``."""
