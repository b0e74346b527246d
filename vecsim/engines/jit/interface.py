"""What Python and compiled code both name: operations of instructions, parts, why a loop came back.

The operations of the base set are its own numbers, in every set that has them, so that code which was
compiled for the base set executes them there. What a set adds comes after them.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from isa.declaration import Instruction, InstructionSet, Timing, Unit
from isa.instructions import BASE

BASE_ROWS = dict(enumerate(BASE.instructions))
MASKED_ROWS = {i: row for i, row in BASE_ROWS.items() if row.under_mask}
VECTOR_ROWS = {i: row for i, row in BASE_ROWS.items() if row.unit != Unit.SCALAR and not row.under_mask}
BRANCH_ROWS = {i: row for i, row in BASE_ROWS.items() if row.timing == Timing.BRANCH}
SCALAR_ROWS = {
    i: row for i, row in BASE_ROWS.items() if row.unit == Unit.SCALAR and row.timing != Timing.BRANCH
}
"""Instructions of the base set by operation: vector instructions under mask, the other vector instructions,
branches, and the other scalar instructions."""


class Operations(NamedTuple):
    """The operation of each row of an instruction set; by operation, the rows that the base set has not."""

    numbers: npt.NDArray[np.int64]
    own: dict[int, Instruction]


def operations_of(instruction_set: InstructionSet) -> Operations:
    """Number the rows of an instruction set."""
    number = {row: i for i, row in BASE_ROWS.items()}
    added = [row for row in instruction_set.instructions if row not in number]
    own = dict(enumerate(added, start=len(BASE_ROWS)))
    number |= {row: i for i, row in own.items()}
    return Operations(np.array([number[row] for row in instruction_set.instructions], np.int64), own)


VECTOR, MASKED, USER = "vector", "masked", "user"
"""The parts with the semantics of vector instructions, of those under mask, which only programs that have one
need, and of user-defined instructions."""
SLOW_PATHS = "slow_paths"
"""The part that the single-port loop calls where no closed form holds."""
SINGLE_PORT, MULTIPORT_LOOP = "single_port", "multiport_loop"
RECORDING, MANY, MANY_WITH_MEMORY = "recording", "many_machines", "many_machines_with_memory"
"""The loop that records a run without timing it, the one in which many machines time the record, and the same
of machines whose memory is more than banks."""
PARTS_OF_LOOP = {
    SINGLE_PORT: (SINGLE_PORT, SLOW_PATHS, VECTOR),
    MULTIPORT_LOOP: (MULTIPORT_LOOP, VECTOR),
    RECORDING: (RECORDING, VECTOR),
    MANY: (MANY,),
    MANY_WITH_MEMORY: (MANY_WITH_MEMORY,),
}
"""The parts that each loop needs, itself one of them."""


def row_name(operation: int) -> str:
    """Name the function that executes an instruction, in the object file that has it."""
    return f"row_{operation}"


STOPPED, FINISHED, TROUBLE, FULL, GOING, STILL = range(6)
"""Why a loop came back: at the cycle or instruction asked for; at the end; at an instruction that cannot be
executed, the one at ``PC``; with no room for the next row of the timeline. GOING: not yet. STILL: rules of a
user never look at a later cycle."""

INDEX, LENGTH, PLACE, TURNS = "vecsim_own_index", "vecsim_own_length", "vecsim_own_place", "vecsim_own_turns"
"""Variables of an object file: the index outside an array and its length, where user-defined code is, and
how often its loops have turned."""
