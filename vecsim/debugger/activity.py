"""What each of the last instructions is at, whichever engine runs them.

An engine may time an instruction to its end ahead of the clock. What is shown of it is only what has come by
now, so that all engines show the same.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from isa.declaration import Unit
from vecsim.debugger.position import AT, Position
from vecsim.engines.cause import WAITS, Cause
from vecsim.engines.state.flight import Slot
from vecsim.engines.state.row import objects

FIRST_WAIT = AT[f"wait_{Cause(0).name.lower()}"]


@dataclass(frozen=True)
class Activity:
    """An instruction of the run, as of a cycle.

    Attributes
    ----------
    age, pc
        Its number in program order, and in the program.
    unit, port
        Where it executes; the memory port, -1 for none or before dispatch.
    elements
        On how many elements.
    issued, dispatched, started, retired
        In which cycle, None for what has not come yet.
    waited
        Cycles that it has waited so far by cause, as far as they are booked.
    """

    age: int
    pc: int
    unit: Unit
    port: int
    elements: int
    issued: int
    dispatched: int | None
    started: int | None
    retired: int | None
    waited: dict[str, int]

    @property
    def phase(self) -> str:
        """``queued``, ``waits``, ``works`` or ``retired``."""
        if self.retired is not None:
            return "retired"
        if self.dispatched is None:
            return "queued"
        return "waits" if self.started is None else "works"

    def letter(self, cycle: int) -> str:
        """Return the sign of a cycle in a pipeline diagram, a blank before its issue and after its end."""
        if cycle < self.issued or (self.retired is not None and cycle >= self.retired):
            return " "
        if cycle == self.issued:
            return "I"
        if self.dispatched is None or cycle < self.dispatched:
            return "q"
        return "w" if self.started is None or cycle < self.started else "="


LEGEND = "I issue, q in the queue, w waits at its unit, = works"


def activities(position: Position) -> list[Activity]:
    """Return the latest instructions in program order."""
    result = {age: _of_row(row, position.cycle) for age, row in position.rows.items()}
    result |= {age: _of_slot(slot, position) for age, slot in position.slots.items()}
    return [result[age] for age in sorted(result)]


def _by(value: int, cycle: int) -> int | None:
    """Return a cycle if it has come."""
    return value if 0 <= value < cycle else None


def _of_row(row: tuple[int, ...], cycle: int) -> Activity:
    retire = row[AT["retire"]]
    waits = {Cause(k).label: row[FIRST_WAIT + k] for k in range(WAITS) if row[FIRST_WAIT + k]}
    scalar = row[AT["unit"]] == Unit.SCALAR
    done = retire <= cycle
    return Activity(
        row[AT["age"]],
        row[AT["pc"]],
        Unit(row[AT["unit"]]),
        row[AT["port"]] if row[AT["dispatch"]] < cycle else -1,
        row[AT["vl"]],
        row[AT["issue"]],
        _by(row[AT["dispatch"]], cycle),
        _by(row[AT["start"]], cycle),
        retire if done else None,
        waits if done or scalar else {},
    )


def _of_slot(slot: int, position: Position) -> Activity:
    (row,) = objects(Slot, position.snapshot.timing["slots"][slot : slot + 1])
    return Activity(
        row.age,
        row.pc,
        Unit(row.unit),
        row.port,
        row.elements,
        row.issued_at,
        _by(row.dispatched_at, position.cycle),
        _by(row.start_cycle, position.cycle),
        None,
        {Cause(k).label: cycles for k, cycles in enumerate(row.waits) if cycles},
    )


def started_elements(activity: Activity, position: Position) -> int | None:
    """Return how many elements of an instruction have started, None where that is not kept."""
    slot = position.slots.get(activity.age)
    if slot is None:
        return None
    return int(position.snapshot.timing["slots"]["element"][slot])


def busy_banks(position: Position) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    """Return for how many cycles each bank is still taken; 0: it is free. An access may be timed ahead."""
    left: np.ndarray[tuple[int], np.dtype[np.int64]] = np.maximum(
        position.snapshot.timing["banks"]["free_at"] - position.cycle, 0
    )
    return left
