"""What an instruction waits for and what it does (docs/timing.md, "Waits and cycle attribution")."""

from __future__ import annotations

from enum import IntEnum


class Cause(IntEnum):
    """The closed list: first why an instruction waits, then what it does when it does not.

    RAW: what it reads is not ready. WAR, WAW: what it writes has yet to be read, or written, by an older one.
    A scalar register that is not ready holds up reader and writer alike, so both are one cause.
    FREE_REGISTER: no physical register is free, on a machine that renames. WORDS_AWAITED: a port or a cache
    waits for as many words or lines as it may. BANDWIDTH: main memory passes no more bytes. MEMORY_LATENCY:
    the last words of a load have not arrived.
    """

    ISSUE = 0
    SCALAR_RAW_WAW = 1
    VECTOR_RAW = 2
    VECTOR_WAR_WAW = 3
    UNIT = 4
    PORT = 5
    STARTUP = 6
    ALIGNMENT = 7
    BANK_CONFLICT = 8
    MEMORY_ORDER = 9
    FREE_REGISTER = 10
    WORDS_AWAITED = 11
    BANDWIDTH = 12
    SCALAR_WORK = 13
    CONTIGUOUS_TRANSFER = 14
    INDEXED_TRANSFER = 15
    CACHE_TRANSFER = 16
    MEMORY_LATENCY = 17
    ADD_ELEMENTS = 18
    ADD_LATENCY = 19
    MULTIPLY_ELEMENTS = 20
    MULTIPLY_LATENCY = 21
    SUM_ELEMENTS = 22
    SUM_LATENCY = 23
    SPARSE_ELEMENTS = 24
    SPARSE_LATENCY = 25

    @property
    def label(self) -> str:
        """Its name in tables: ``vector RAW``, ``bank conflict``."""
        return _LABELS.get(self) or self.name.lower().replace("_", " ")


_LABELS = {
    Cause.SCALAR_RAW_WAW: "scalar RAW/WAW",
    Cause.VECTOR_RAW: "vector RAW",
    Cause.VECTOR_WAR_WAW: "vector WAR/WAW",
    Cause.CACHE_TRANSFER: "vector-cache transfer",
}


def label(name: str) -> str:
    """Return what tables call a cause, by its name in results; one of an older version by its own words."""
    known = Cause.__members__.get(name.upper())
    return name.replace("_", " ") if known is None else known.label


WAITS = int(Cause.SCALAR_WORK)
"""How many of them are causes of waiting."""
