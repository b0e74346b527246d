"""Rows of the timeline, written when an instruction is timed to its end at issue."""

from __future__ import annotations

from typing import Any

from isa.declaration import Timing
from vecsim.engines.cause import WAITS
from vecsim.engines.columns import instruction, ledger, outcomes
from vecsim.engines.jit.accounts import row_of
from vecsim.engines.jit.functions import function, inline
from vecsim.engines.jit.views import record_of, scratch_of, state_of
from vecsim.engines.rules.rows import ROW

ACCESS = int(Timing.ACCESS)


@inline
def note_times(outcome: Any, dispatched: Any, start: Any, first: Any, result: Any) -> None:
    """Note the times of an instruction that retires with its last result.

    Parameters
    ----------
    outcome
        ``outcome`` of ``Scratch``.
    dispatched, start
        The cycles of its dispatch and of its first element.
    first
        The cycle from which its first result is ready.
    """
    outcome[outcomes.DISPATCH], outcome[outcomes.START], outcome[outcomes.FIRST] = dispatched, start, first
    outcome[outcomes.LAST] = outcome[outcomes.RETIRE] = result


@inline
def open_row(r: Any, i: Any) -> None:
    """Remember the waits before an instruction is executed, to tell those of this time."""
    waited = row_of(i) + ledger.WAITED
    for j in range(WAITS):
        r.waits[j] = r.ledger[waited + ledger.BY_CAUSE * j]


@inline
def _write_row(r: Any, rows: Any, i: Any, age: Any, unit: Any, port: Any, n: Any) -> Any:
    """Open a row of the timeline; give where its cycles go."""
    at, waited = 1 + rows[0] * ROW, row_of(i) + ledger.WAITED
    rows[0] += 1
    rows[at], rows[at + 1], rows[at + 2], rows[at + 3], rows[at + 4] = (
        i // instruction.WIDTH,
        age,
        unit,
        port,
        n,
    )
    for j in range(WAITS):
        rows[at + ROW - WAITS + j] = r.ledger[waited + ledger.BY_CAUSE * j] - r.waits[j]
    return at + 5


@function
def write_scalar_row(w: Any, i: Any, age: Any, cycle: Any, retire: Any) -> None:
    """Write the row of a scalar instruction.

    Parameters
    ----------
    cycle
        The cycle of issue.
    """
    m, r, scratch = state_of(w), record_of(w), scratch_of(w)
    code, rows = scratch.program, scratch.timeline
    at = _write_row(r, rows, i, age, 0, -1, 0)
    access = code[i + instruction.PATTERN] > 0
    rows[at], rows[at + 1], rows[at + 2] = cycle, cycle, cycle
    rows[at + 3], rows[at + 4], rows[at + 5] = retire, retire, retire
    rows[at + 6] = m.address[0] if access else -1
    rows[at + 7] = code[i + instruction.VALUE_BYTES] + 3 >> 2 if access else 0


@function
def write_vector_row(w: Any, i: Any, age: Any, issue: Any) -> None:
    """Write the row of a vector instruction, from what timing it left."""
    r, scratch = record_of(w), scratch_of(w)
    code, rows, outcome = scratch.program, scratch.timeline, scratch.outcome
    access = code[i + instruction.TIMING] == ACCESS
    at = _write_row(
        r,
        rows,
        i,
        age,
        code[i + instruction.UNIT],
        0 if access else -1,
        outcome[outcomes.ELEMENTS],
    )
    rows[at] = issue
    rows[at + 1], rows[at + 2], rows[at + 3] = (
        outcome[outcomes.DISPATCH],
        outcome[outcomes.START],
        outcome[outcomes.FIRST],
    )
    rows[at + 4], rows[at + 5] = outcome[outcomes.LAST], outcome[outcomes.RETIRE]
    rows[at + 6] = outcome[outcomes.ADDRESS] if access else -1
    rows[at + 7] = outcome[outcomes.WORDS] if access else 0
