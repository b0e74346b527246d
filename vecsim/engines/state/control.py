"""Issue and retirement, and what the timing rules tell the engine."""

from __future__ import annotations

from dataclasses import dataclass

from vecsim.engines.state.row import NONE, Row, array


@dataclass(slots=True, eq=False)
class Control(Row):
    """Where issue and retirement are."""

    pc: int = 0
    """The instruction that issues next."""
    count: int = 0
    """Instructions issued so far, which is the age of the next."""
    halted: int = 0
    """1 after halt has issued."""
    issue_cycle: int = 0
    """The cycle of the latest issue."""
    issued: int = 0
    """How many instructions issued in that cycle."""
    fetch_cycle: int = 0
    """No issue before this cycle: a branch was taken."""
    retired: int = 0
    """The latest retirement of all instructions older than any in flight."""
    last_retired: int = 0
    """The latest retirement known."""
    pending: int = 0
    """Pending retirements."""


@dataclass(slots=True, eq=False)
class Scratch(Row):
    """What the timing rules keep in addition to the record, and what they tell the engine."""

    in_flight: int = 0
    """How many vector instructions are in flight; ``Run.order`` lists their slots, oldest first."""
    times_ahead: int = 0
    """1 if the engine times an instruction to its end as soon as all its cycles are known, 2 if it times each
    element as soon as its cycle is known."""
    next_slot: int = 0
    """Where to look for a free slot first."""
    timeline: int = 0
    """1 to write a timeline, 2 to note the starts of elements, too."""
    awaits_element: int = 0
    """1 while issue waits for an element of an instruction in flight."""
    fault: int = 0
    """1 after an instruction that cannot be executed."""
    started: int = 0
    """1 + the slot whose elements have started, until the engine has seen it."""
    left: int = 0
    """1 after an instruction has left flight, until the engine has seen it."""
    handed_queues: int = 0
    handed_units: int = 0
    handed_ports: int = 0
    """The queues, units and ports that got an instruction, as bits, until the engine has seen it."""
    places: list[int] = array(2, NONE)
    """Where among its lines each cache had one last."""
    rows: int = 0
    """Rows of ``Run.timeline`` in use."""
    starts: int = 0
    """Rows of ``Run.starts`` in use."""
    enough_starts: int = 0
    """After this many an engine hands them on; 0 to note none."""
