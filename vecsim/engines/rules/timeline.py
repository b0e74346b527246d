"""Rows of the timeline, ``TimelineRow`` (docs/timing.md, "Waits and cycle attribution")."""

from __future__ import annotations

from isa.declaration import Timing
from vecsim.engines.cause import WAITS
from vecsim.engines.rules.addresses import words_of_element
from vecsim.engines.rules.numbers import larger
from vecsim.engines.state.accounts import TimelineRow
from vecsim.engines.state.flight import Slot
from vecsim.engines.state.instruction import Instruction
from vecsim.engines.state.run import Run

ACCESS = int(Timing.ACCESS)


def open_row(r: Run) -> TimelineRow:
    """Return the next free row ("Waits and cycle attribution")."""
    row = r.timeline[r.scratch.rows]
    r.scratch.rows += 1
    return row


def write_scalar_row(
    r: Run, instruction: Instruction, cause: int, waited: int, cycle: int, retire: int
) -> None:
    """Write the row of an instruction that has issued and needs no unit ("Waits and cycle attribution").

    Parameters
    ----------
    waited
        How many cycles it waited before issue.
    cycle
        The cycle of issue.
    """
    row, access = open_row(r), instruction.pattern > 0
    row.pc, row.age = instruction.number, r.control.count - 1
    row.unit, row.port, row.vl = 0, -1, 0
    row.issue = row.dispatch = row.start = cycle
    row.first = row.last = row.retire = retire
    row.address = r.address[0] if access else -1
    row.words = words_of_element(instruction) if access else 0
    for k in range(WAITS):
        row.waits[k] = 0
    row.waits[cause] = larger(waited, 0)


def write_vector_row(r: Run, slot: Slot, result: int, retire: int) -> None:
    """Write the row of an instruction that leaves flight ("Waits and cycle attribution")."""
    row, access = open_row(r), r.program[slot.pc].timing == ACCESS
    row.pc, row.age = slot.pc, slot.age
    row.unit, row.port, row.vl = slot.unit, slot.port, slot.elements
    row.issue, row.dispatch, row.start = slot.issued_at, slot.dispatched_at, slot.start_cycle
    row.first, row.last, row.retire = slot.first_ready, result, retire
    row.address = slot.address if access else -1
    row.words = slot.words if access else 0
    for k in range(WAITS):
        row.waits[k] = slot.waits[k]
