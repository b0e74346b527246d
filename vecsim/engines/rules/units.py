"""Which of several units of a kind an instruction goes to (docs/timing.md, "Queues and dispatch").

The first unit of a kind has the number of its :class:`isa.declaration.Unit`. The others have the numbers that
follow, first those that add, then those that multiply, then the sparse ones.
"""

from __future__ import annotations

from isa.declaration import Unit
from vecsim.engines.state.instruction import Instruction
from vecsim.engines.state.run import KINDS_OF_UNITS, Run

ADD, MULTIPLY, SPARSE = int(Unit.ADD), int(Unit.MULTIPLY), int(Unit.SPARSE)


def units_of(r: Run, kind: int) -> int:
    """Return how many units of a kind there are ("Queues and dispatch")."""
    if kind == ADD:
        return r.machine.add_units
    return r.machine.multiply_units if kind == MULTIPLY else r.machine.sparse_units


def units_beyond(r: Run) -> int:
    """Return how many units there are beyond the first of each kind ("Queues and dispatch")."""
    return r.machine.add_units + r.machine.multiply_units + r.machine.sparse_units - 3


def kind_of(r: Run, unit: int) -> int:
    """Return the kind of a unit by its number ("Queues and dispatch")."""
    if unit < KINDS_OF_UNITS:
        return unit
    later = unit - KINDS_OF_UNITS - (r.machine.add_units - 1)
    if later < 0:
        return ADD
    return MULTIPLY if later < r.machine.multiply_units - 1 else SPARSE


def queue_of(r: Run, instruction: Instruction) -> int:
    """Return the queue that an instruction goes to, which has the number of its unit ("Queues and dispatch").

    Instructions go to the units of a kind in turn.
    """
    kind = instruction.queue
    if kind < ADD or r.units[kind].turn == 0:
        return kind
    before = 0 if kind == ADD else r.machine.add_units - 1
    if kind == SPARSE:
        before += r.machine.multiply_units - 1
    return KINDS_OF_UNITS + before + r.units[kind].turn - 1


def take_turn(r: Run, instruction: Instruction) -> None:
    """Let the next unit of its kind come after an instruction that issues ("Queues and dispatch")."""
    kind = instruction.queue
    if kind >= ADD:
        state = r.units[kind]
        state.turn = state.turn + 1 if state.turn + 1 < units_of(r, kind) else 0
