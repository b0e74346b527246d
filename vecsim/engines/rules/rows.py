"""Rows of the timeline, :data:`vecsim.engines.timeline.COLUMNS` (docs/timing.md, "Waiting and charging")."""

from __future__ import annotations

from typing import Any

from isa.declaration import Timing
from vecsim.engines import timeline
from vecsim.engines.cause import WAITS
from vecsim.engines.columns import control, flight, instruction
from vecsim.engines.rules.addresses import words_of_element
from vecsim.engines.rules.numbers import larger

ACCESS = int(Timing.ACCESS)
ROW = len(timeline.COLUMNS)
"""Integers in a row; the last of them are the waits."""
BEFORE_WAITS = ROW - WAITS


def open_row(r: Any) -> Any:
    """Count a row; give where it begins."""
    at = 1 + r.timeline[0] * ROW
    r.timeline[0] += 1
    return at


def write_scalar_row(r: Any, i: Any, cause: Any, waited: Any, cycle: Any, retire: Any) -> None:
    """Write the row of the instruction that has just issued and touches no unit.

    Parameters
    ----------
    waited
        How many cycles it waited before issue.
    cycle
        The cycle of issue.
    """
    rows, at, access = r.timeline, open_row(r), r.program[i + instruction.PATTERN] > 0
    rows[at], rows[at + 1] = i // instruction.WIDTH, r.control[control.COUNT] - 1
    rows[at + 2], rows[at + 3], rows[at + 4] = 0, -1, 0
    rows[at + 5], rows[at + 6], rows[at + 7] = cycle, cycle, cycle
    rows[at + 8], rows[at + 9], rows[at + 10] = retire, retire, retire
    rows[at + 11] = r.address[0] if access else -1
    rows[at + 12] = words_of_element(r, i) if access else 0
    for j in range(WAITS):
        rows[at + BEFORE_WAITS + j] = 0
    rows[at + BEFORE_WAITS + cause] = larger(waited, 0)


def write_vector_row(r: Any, slot: Any, result: Any, retire: Any) -> None:
    """Write the row of an instruction that leaves flight."""
    rows, at, slots, own = r.timeline, open_row(r), r.slots, slot * flight.COLUMNS
    i = slots[own + flight.PC] * instruction.WIDTH
    access = r.program[i + instruction.TIMING] == ACCESS
    rows[at], rows[at + 1] = slots[own + flight.PC], slots[own + flight.AGE]
    rows[at + 2], rows[at + 3] = slots[own + flight.UNIT], slots[own + flight.PORT]
    rows[at + 4], rows[at + 5] = slots[own + flight.ELEMENTS], slots[own + flight.ISSUED_AT]
    rows[at + 6], rows[at + 7] = slots[own + flight.DISPATCHED_AT], slots[own + flight.START_CYCLE]
    rows[at + 8], rows[at + 9], rows[at + 10] = slots[own + flight.FIRST_READY], result, retire
    rows[at + 11] = slots[own + flight.ADDRESS] if access else -1
    rows[at + 12] = slots[own + flight.WORDS] if access else 0
    for j in range(WAITS):
        rows[at + BEFORE_WAITS + j] = r.waits[slot * WAITS + j]
