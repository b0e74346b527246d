"""What the instructions of a program came to, and the rows of a timeline."""

from __future__ import annotations

from dataclasses import dataclass

from vecsim.engines.cause import WAITS
from vecsim.engines.state.row import NONE, Row, array


@dataclass(slots=True, eq=False)
class Account(Row):
    """The cycles of all executions of an instruction of the program, by cause."""

    executions: int = 0
    elements: int = 0
    """How often it was executed, and on how many elements in all."""
    scalar: int = 0
    busy: int = 0
    latency: int = 0
    """Cycles attributed to it while it did not wait: of a scalar instruction; while its words or elements
    passed; for the latency after the last element."""
    waited: list[int] = array(WAITS)
    attributed: list[int] = array(WAITS)
    """By cause, the cycles that it waited, and those of them that are attributed to it."""
    hits: list[int] = array(2)
    misses: list[int] = array(2)
    """Of each cache, the words that were in it, and those that were not."""


@dataclass(slots=True, eq=False)
class PendingRetirement(Row):
    """An instruction whose cycles are known while an older one is in flight.

    They are attributed when that has left flight. Of two neighbours the younger retires later: no cycle is
    attributed to an instruction that retires no later than an older one.
    """

    age: int = 0
    pc: int = 0
    """Its number in program order, and its place in the program."""
    vector: int = 0
    """1 if it is a vector instruction."""
    passed: int = 0
    """Its work ends in this cycle; what follows up to ``retire`` is latency."""
    retire: int = 0
    """The cycle of its retirement."""


@dataclass(slots=True, eq=False)
class TimelineRow(Row):
    """A row of the timeline, :data:`vecsim.engines.timeline.COLUMNS`."""

    pc: int = 0
    age: int = 0
    """Its place in the program, and its number in program order."""
    unit: int = 0
    port: int = NONE
    """Where it executed; the memory port, -1 for none."""
    vl: int = 0
    """How many elements it worked on."""
    issue: int = 0
    dispatch: int = 0
    start: int = 0
    """Cycles of issue, of dispatch and of the first element; a scalar instruction has one for all."""
    first: int = 0
    last: int = 0
    """Cycles from which the first and the last result is ready."""
    retire: int = 0
    """The cycle of its retirement."""
    address: int = NONE
    words: int = 0
    """Of an access, its first byte and how many words; -1 and 0 of others."""
    waits: list[int] = array(WAITS)
    """Cycles that it waited, by cause."""


@dataclass(slots=True, eq=False)
class Start(Row):
    """Elements of an instruction that start in a cycle, or a word that a port transfers.

    The elements that an arithmetic or sparse unit starts in a cycle have one row, the words of an access one
    each.
    """

    age: int = 0
    """The instruction's number in program order."""
    unit: int = 0
    """Where it executes: the number of the unit, also of several of a kind (`vecsim.engines.rules.units`)."""
    port: int = NONE
    bank: int = NONE
    """Of a word its port, and the bank that it takes; -1 of others, and of a word that takes none."""
    cycle: int = 0
    """The cycle."""
