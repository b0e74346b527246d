"""What compiled code keeps in addition to the state of a run.

Most is of the single-port loop. A *schedule* is a list of the cycles in which the elements of an instruction
pass; registers name the schedule that they follow (:mod:`vecsim.engines.jit.single_port.registers`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from isa.declaration import REGISTERS
from vecsim.engines.state.row import NONE, Row
from vecsim.engines.state.run import MOST_PORTS, MOST_UNITS, Run, Temporary

BY_WORDS, BY_LANES, BY_ENTRIES, SHIFTED = range(4)
"""Steady schedules, which never change: element k goes in cycle k // words per cycle, k // lanes, k // p."""
PHASES = 8
"""From SHIFTED on, one for each phase from 1 on: element k passes in cycle (k + phase) // words per cycle."""
BY_RECORDS = SHIFTED + PHASES - 1
"""Of records of several words: each passes with its last word, the words going from cycle 0 on."""
FIRST_FREE = BY_RECORDS + 1
FREE = 32
"""Schedules taken in turn; at any time half of them are safe from being taken again. A power of two."""
SCHEDULES = FIRST_FREE + FREE
"""How many schedules there are."""

AHEAD = 256
"""The most cycles that the ports transfer words ahead of the clock before they look around."""
ISSUE, QUEUE, UNIT, PORT = 0, 1, 1 + MOST_UNITS, 1 + 2 * MOST_UNITS
"""Places in the array ``wake_ups``: issue; the queue of each unit and the units, by unit number; the
ports."""
ASTRAY = -1
"""The value of ``Outcome.next`` after a jump out of the program."""


@dataclass(slots=True, eq=False)
class Outcome(Row):
    """What timing an instruction gives, in addition to what it leaves in the record, and where a loop is."""

    dispatch: int = 0
    start: int = 0
    first: int = 0
    last: int = 0
    retire: int = 0
    """Cycles of dispatch, of the first element, from which the first and the last result is ready, of
    retirement. Of an instruction that cannot be executed ``start`` is the cycle in which it would have
    issued."""
    address: int = 0
    end_byte: int = 0
    words: int = 0
    elements: int = 0
    """Of an access its address and words; of a contiguous one the first byte after it; how many elements."""
    busy: int = 0
    """In how many cycles elements of an instruction start."""
    waited: int = 0
    """How many cycles elements of an instruction wait for operands after its first possible one."""
    cycle: int = 0
    """The cycle that comes next, for a loop that goes cycle by cycle."""
    streams: int = 0
    """How many ports transfer an access."""
    words_until: int = 0
    """The cycle before which the words of all ports have gone."""
    news: int = 0
    """1 if something has happened that blocked accesses may have waited for."""

    next: int = 0
    """The number of the instruction that comes next."""
    before: int = 0
    """The cycle of the issue before it."""
    issued: int = 0
    """How many issued in that cycle."""
    earliest: int = 0
    """The cycle in which issue allows the next."""
    retired_by: int = 0
    """The latest cycle in which one has retired."""
    seen: int = 0
    """How many instructions have issued."""
    until: int = 0
    """The cycle before which to stop."""
    leads_to: int = 0
    """The number of the instruction to which a branch leads."""
    scalars_ready_by: int = 0
    """The cycle from which every scalar register is ready but for those that come with a last element."""
    last_case: int = 0
    """Of the scalar blocks, the case that was executed for the first time last; 0 for none."""

    banks_free: int = 0
    """The cycle from which every bank is free."""
    settled_free: int = 0
    """The cycle from which every bank is free of words but those that are not yet noted."""
    run_bank: int = 0
    run_words: int = 0
    run_cycle: int = 0
    run_left: int = 0
    """The last words of a contiguous access whose banks are not yet noted: the bank of the first, how many
    words, its cycle, and how many words go in that cycle."""
    schedules_made: int = 0
    """How many schedules have been taken into use."""


@dataclass(slots=True, eq=False)
class ScheduledRegister(Row):
    """The schedules and bounds that a vector register follows.

    Element k is ready in cycle ``ready_schedule``[k] + ``ready_add`` for k < ``ready_count``, and no earlier
    than ``ready_bound``; the same for when it is taken.
    """

    ready_schedule: int = NONE
    ready_add: int = 0
    ready_count: int = 0
    ready_bound: int = 0
    taken_schedule: int = NONE
    taken_add: int = 0
    taken_count: int = 0
    taken_bound: int = NONE


@dataclass(slots=True, eq=False)
class MovingAccess(Row):
    """The access that a port transfers, in the loop for any machine (:mod:`vecsim.engines.jit.multiport`)."""

    age: int = NONE
    """The number of the access in program order; -1: there is none."""
    slot: int = NONE
    """Its slot."""
    kind: int = 0
    """How its words are timed."""
    at: int = 0
    """The cycle in which to look at it again."""
    word: int = 0
    words: int = 0
    """Words that have gone, of how many."""
    noted: int = 0
    """As many of them as the slot knows of."""
    limit: int = 0
    """The first word whose registers have no cycle yet, as far as known."""
    clear: int = 0
    """1 if no register holds up what is left."""
    blocked: int = 0
    """1 if it is not known when the next word may go."""
    window: int = 0
    """If so, how many cycles after the next word of another port that may be, at least."""
    rate: int = 0
    """The most words in a cycle."""
    contiguous: int = 0
    base: int = 0
    """1 if its words follow each other; the address of the first, in words."""
    wide: int = 0
    """1 if its elements have two words, each at its own address."""
    record: int = 4
    offset: int = 0
    """Bytes from an element to the next among its words; where in its word the first begins."""
    first_read: int = NONE
    second_read: int = NONE
    first_write: int = NONE
    second_write: int = NONE
    """The vector registers that it reads and writes element by element, or -1."""
    last: int = 0
    in_cycle: int = 0
    """The cycle of the latest word, and how many went in it."""
    free: int = 0
    """The cycle from which its port has room for the next word."""
    started: int = 0
    """The cycle of its first word until that is booked; otherwise NEVER."""
    used: int = 0
    operands: int = 0
    hazards: int = 0
    """In how many cycles words went, and how many cycles they waited by cause, until that is booked."""
    waits: int = 0
    """How many waits for memory are in ``CompiledRun.word_waits``."""
    hits: int = 0
    """1 if a word that the first cache has needs nothing else of memory."""


class CompiledRun(Run):
    """All arrays that compiled code names."""

    __slots__ = ()

    outcome: Annotated[Outcome, Temporary(1)]
    scheduled: Annotated[list[ScheduledRegister], Temporary(REGISTERS + 1)]
    """(V + 1,)"""
    schedules: Annotated[list[list[int]], Temporary()]
    """(SCHEDULES, s) cycles."""
    pace: Annotated[list[int], Temporary(SCHEDULES)]
    """(SCHEDULES,) the most elements of each schedule in a cycle."""
    serial: Annotated[list[int], Temporary(SCHEDULES)]
    """(SCHEDULES,) which one it was of all that have been taken into use."""
    hazards: Annotated[list[int], Temporary()]
    """(s,) from when the elements of the instruction being timed may be written."""
    waits: Annotated[list[int], Temporary()]
    """(WAITS,) the waits of an instruction before this execution of it."""
    blocks: Annotated[list[int], Temporary()]
    """The scalar blocks, :mod:`vecsim.engines.jit.single_port.preparation`."""
    moving: Annotated[list[MovingAccess], Temporary(MOST_PORTS)]
    """(P,) the accesses that the ports transfer, in the loop for any machine."""
    turns: Annotated[list[int], Temporary(MOST_PORTS)]
    """(P,) the ports whose accesses move, oldest access first; ``Outcome.streams`` says how many."""
    went: Annotated[list[list[int]], Temporary()]
    arrived: Annotated[list[list[int]], Temporary()]
    """(P, 4 s + 1) the cycles of their words, and from when these are where they go."""
    earliest: Annotated[list[list[int]], Temporary()]
    operand: Annotated[list[list[int]], Temporary()]
    """(P, 4 s + 1) from when registers let the words go; from when what they carry is ready."""
    word_waits: Annotated[list[list[int]], Temporary()]
    """(P, 3 AHEAD) waits of words for memory that are not yet booked, each from, to and its cause."""
    wake_ups: Annotated[list[int], Temporary()]
    """See :mod:`vecsim.engines.jit.multiport.wake_ups`."""
    semantics: Annotated[list[int], Temporary()]
    """(operations,) addresses of compiled semantics, :mod:`vecsim.engines.jit.semantics`."""
    slow_paths: Annotated[list[int], Temporary()]
    """(1,) the address of :mod:`vecsim.engines.jit.single_port.slow_paths`."""
