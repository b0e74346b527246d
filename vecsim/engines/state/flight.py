"""The vector instructions in flight.

An instruction is in flight from its issue to the cycle in which its last element starts. From then on its
whole future is known, and is in the state of the registers.
"""

from __future__ import annotations

from dataclasses import dataclass

from vecsim.engines.cause import WAITS
from vecsim.engines.state.row import NONE, Row, array

MASKED_OFF = -8
"""In ``Run.word_address``: neither its word nor the one after it is a word of memory."""

FOLLOWS_ELEMENT, FOLLOWS_WHOLE, FOLLOWS_SLICE, FOLLOWS_ORDER = 1, 2, 4, 8
"""Bits of ``Run.depends``, what an instruction waits for in an older one.

ELEMENT: its element k for element k of the older one. WHOLE: for the older one to leave flight. SLICE: for
the same slice of the vector cache. ORDER: for the end of the older access.
"""


@dataclass(slots=True, eq=False)
class Slot(Row):
    """A vector instruction in flight."""

    number: int = NONE
    """The place of the slot among all."""
    age: int = NONE
    """The instruction's number in program order; -1: the slot is free."""
    pc: int = 0
    """Its place in the program."""
    unit: int = 0
    """The unit that it waits for or works in."""
    port: int = NONE
    """The memory port; -1 before dispatch, and of other units."""
    lowest: int = 0
    highest: int = 0
    """The first byte that an access touches, and the one after the last."""
    elements: int = 0
    """How many elements it works on."""
    recovery: int = 0
    """Cycles that its unit takes after the last of them, or those that this element takes less."""
    first: int = 0
    """The number of the first, in its registers."""
    issued_at: int = 0
    dispatched_at: int = NONE
    """Cycles of issue and of dispatch; -1: it waits in the queue."""
    words_from: int = NONE
    """B of docs/timing.md, the first cycle in which a word may go; -1: not yet known."""
    element: int = 0
    """Elements that have started, or that have been transferred."""
    word: int = 0
    words: int = 0
    """Words transferred, or entries that a sparse instruction has started, of how many."""
    addresses: int = 0
    """How many addresses there are in ``Run.word_address``, of an access that is not contiguous."""
    address: int = NONE
    end_byte: int = NONE
    """The first byte of an access, and the one after its last; -1: it is not contiguous."""
    start_cycle: int = NONE
    """The cycle of the first element; -1: it has not started."""
    cycle: int = NONE
    in_cycle: int = 0
    """The cycle of the latest element or word, and how many started in it."""
    arrives: int = 0
    """The cycle from which all words transferred so far are where they go."""
    order_end: int = 0
    """When the last of the accesses ended that it had to follow."""
    attributed: int = 0
    """Cycles attributed to it for waiting while it was the oldest."""
    first_ready: int = NONE
    """The cycle from which its first result is ready."""
    slice: int = NONE
    """The slice of the vector cache that a sparse instruction adds to."""
    cache_first: int = NONE
    """The first element of the vector cache that an access moves."""
    kept_set: int = 0
    """As bits, the physical registers from which elements were kept in what it reads as a whole."""
    waits: list[int] = array(WAITS)
    """Cycles that it has waited, by cause."""

    followers: int = 0
    """How many younger instructions wait for anything of it."""
    blocked: int = 0
    """How many older instructions must leave flight before it may start."""
    element_waits: int = 0
    slice_waits: int = 0
    """How many it follows element by element, and slice by slice."""


@dataclass(slots=True, eq=False)
class TouchedRegisters(Row):
    """The vector registers of an instruction in flight, as bits, next to each other for comparison."""

    written: int = 0
    read: int = 0
    """Those that it writes or adds to, and those that it reads, element by element or as a whole."""
    access: int = 0
    """1 if it is an access."""
