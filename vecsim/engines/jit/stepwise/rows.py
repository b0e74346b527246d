"""Rows of the timeline, :data:`vecsim.engines.timeline.COLUMNS`."""

from __future__ import annotations

from typing import Any

from isa.declaration import Timing
from vecsim.engines.columns import (
    ADDRESS,
    AGE,
    COUNT,
    DISPATCHED_AT,
    ELEMENTS,
    FIRST_READY,
    ISSUED_AT,
    PORT,
    SLOT_PC,
    START_CYCLE,
    UNIT,
    WORDS,
)
from vecsim.engines.jit.code import PATTERN, TIMING, VALUE_BYTES, WIDTH
from vecsim.engines.jit.functions import function
from vecsim.engines.jit.integers import larger
from vecsim.engines.jit.outcome import ROW
from vecsim.engines.jit.stepwise.places import SLOT_COLUMNS
from vecsim.engines.jit.views import record_of, scratch_of, state_of
from vecsim.engines.record import WAITS

ACCESS = int(Timing.ACCESS)
BEFORE_WAITS = ROW - WAITS


@function
def write_scalar_row(w: Any, i: Any, cause: Any, waited: Any, cycle: Any, retire: Any) -> None:
    """Write the row of the instruction that has just issued and touches no unit.

    Parameters
    ----------
    waited
        How many cycles it waited before issue.
    cycle
        The cycle of issue.
    """
    m, r, scratch = state_of(w), record_of(w), scratch_of(w)
    code, rows = scratch.program, scratch.timeline
    at = 1 + rows[0] * ROW
    rows[0] += 1
    access = code[i + PATTERN] > 0
    rows[at], rows[at + 1], rows[at + 2], rows[at + 3] = i // WIDTH, r.control[COUNT] - 1, 0, -1
    rows[at + 4], rows[at + 5], rows[at + 6], rows[at + 7] = 0, cycle, cycle, cycle
    rows[at + 8], rows[at + 9], rows[at + 10] = retire, retire, retire
    rows[at + 11] = m.address[0] if access else -1
    rows[at + 12] = code[i + VALUE_BYTES] // 4 if access else 0
    for j in range(WAITS):
        rows[at + BEFORE_WAITS + j] = 0
    rows[at + BEFORE_WAITS + cause] = larger(waited, 0)


@function
def write_vector_row(w: Any, slot: Any, result: Any, retire: Any) -> None:
    """Write the row of an instruction that leaves flight."""
    r, scratch = record_of(w), scratch_of(w)
    rows, row, own = scratch.timeline, r.slots, slot * SLOT_COLUMNS
    at = 1 + rows[0] * ROW
    rows[0] += 1
    access = scratch.program[row[own + SLOT_PC] * WIDTH + TIMING] == ACCESS
    rows[at], rows[at + 1], rows[at + 2] = row[own + SLOT_PC], row[own + AGE], row[own + UNIT]
    rows[at + 3], rows[at + 4], rows[at + 5] = row[own + PORT], row[own + ELEMENTS], row[own + ISSUED_AT]
    rows[at + 6], rows[at + 7] = row[own + DISPATCHED_AT], row[own + START_CYCLE]
    rows[at + 8], rows[at + 9], rows[at + 10] = row[own + FIRST_READY], result, retire
    rows[at + 11] = row[own + ADDRESS] if access else -1
    rows[at + 12] = row[own + WORDS] if access else 0
    for j in range(WAITS):
        rows[at + BEFORE_WAITS + j] = r.waits[slot * WAITS + j]
