"""What compiled code keeps in addition to the state of a run.

Most is of the single-port loop. A *schedule* is a list of the cycles in which the elements of an instruction
pass; registers name the schedule that they follow (:mod:`vecsim.engines.jit.single_port.registers`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from isa.declaration import REGISTERS
from vecsim.engines.state.row import NONE, Row
from vecsim.engines.state.run import MOST_PORTS, Run, Temporary

BY_WORDS, BY_LANES, BY_ENTRIES, SHIFTED = range(4)
"""Steady schedules, which never change: element k goes in cycle k // words per cycle, k // lanes, k // p."""
PHASES = 8
"""From SHIFTED on, one for each phase from 1 on: element k passes in cycle (k + phase) // words per cycle."""
FIRST_FREE = SHIFTED + PHASES - 1
FREE = 32
"""Schedules taken in turn; at any time half of them are safe from being taken again. A power of two."""
SCHEDULES = FIRST_FREE + FREE
"""How many schedules there are."""

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
    words: int = 0
    elements: int = 0
    """Of an access its address and words; how many elements."""
    busy: int = 0
    """In how many cycles elements of an instruction start."""
    waited: int = 0
    """How many cycles elements of an instruction wait for operands after its first possible one."""
    cycle: int = 0
    """The cycle that comes next, for a loop that goes cycle by cycle."""

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
    """What :mod:`vecsim.engines.jit.multiport.words` knows of the access that a port transfers."""

    age: int = NONE
    """The number of the access in program order; -1: nothing is known."""
    kind: int = 0
    """How its words are timed."""
    plain: int = 0
    """1 if each word is one element, and no register is an operand as a whole."""
    rate: int = 0
    """The most words in a cycle."""
    first_read: int = NONE
    second_read: int = NONE
    first_write: int = NONE
    second_write: int = NONE
    """The vector registers that it reads and writes element by element, or -1."""
    record: int = 4
    offset: int = 0
    """Bytes from an element to the next, as far as its words are concerned; where in a word it begins."""
    clear: int = 0
    """1 if only the banks hold up what is left of it."""
    limit: int = 0
    """The first element that an older instruction has yet to time, as far as known."""
    stop: int = 0
    """1 if the next word is the last, or ends a wait, so that it does not go ahead of the clock."""
    window: int = 0
    """If that holds it up, the cycles from the first word of all ports that has not gone to it, at least."""


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
    earliest: Annotated[list[list[int]], Temporary()]
    """(P, s) from when registers let the elements of these accesses go."""
    wake_ups: Annotated[list[int], Temporary()]
    """See :mod:`vecsim.engines.jit.multiport.wake_ups`."""
    semantics: Annotated[list[int], Temporary()]
    """(operations,) addresses of compiled semantics, :mod:`vecsim.engines.jit.semantics`."""
    slow_paths: Annotated[list[int], Temporary()]
    """(1,) the address of :mod:`vecsim.engines.jit.single_port.slow_paths`."""
