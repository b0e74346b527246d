"""The units, the memory ports and the banks."""

from __future__ import annotations

from dataclasses import dataclass

from vecsim.engines.state.row import NONE, Row


@dataclass(slots=True, eq=False)
class UnitState(Row):
    """A unit and the queue before it; the memory ports share one queue."""

    free_at: int = 0
    """From this cycle on an instruction may be dispatched to an arithmetic or sparse unit."""
    slot: int = NONE
    """The slot that it works on."""
    queued: int = 0
    """How many instructions wait in its queue."""
    latest: int = 0
    """Where in its row of ``Run.dispatches`` the latest dispatch is; older ones follow, around the end."""
    turn: int = 0
    """Of the first unit of a kind: which unit of the kind takes the next instruction."""
    busy: int = 0
    """Cycles in which it started an element, or a port transferred a word."""


@dataclass(slots=True, eq=False)
class Port(Row):
    """A vector memory port."""

    accesses: int = 0
    """Accesses dispatched to it whose transfer has not ended."""
    latest: int = 0
    """Where in its row of ``Run.transfers`` the latest transfer is; older ones follow, around the end."""
    arrived: int = 0
    """The cycle from which all loaded words are there that it has transferred."""
    oldest: int = 0
    """Where in its row of ``Run.arrivals`` the oldest is."""


@dataclass(slots=True, eq=False)
class Transfer(Row):
    """The transfer of an access whose words have all been timed."""

    end: int = 0
    """The cycle after that of its last word; 0 of none, which so comes before all others."""
    first_byte: int = 0
    end_byte: int = 0
    """Its first byte and the one after its last; -1: it is not contiguous."""
    store: int = 0
    """1 for a store, 0 for a load."""


@dataclass(slots=True, eq=False)
class Bank(Row):
    """A bank of memory."""

    free_at: int = 0
    """From this cycle on it takes a word."""
