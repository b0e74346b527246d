"""Operations: the numbers by which compiled code knows instructions.

Those of the base set are its own numbers, in every set that has them, so that code which was compiled for the
base set executes them there; what a set adds comes behind.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from isa.declaration import Instruction, InstructionSet, Timing, Unit
from isa.instructions import BASE

BASE_ROWS = dict(enumerate(BASE.instructions))
VECTOR_ROWS = {i: row for i, row in BASE_ROWS.items() if row.unit != Unit.SCALAR}
BRANCH_ROWS = {i: row for i, row in BASE_ROWS.items() if row.timing == Timing.BRANCH}
SCALAR_ROWS = {i: row for i, row in BASE_ROWS.items() if i not in VECTOR_ROWS and i not in BRANCH_ROWS}
"""Instructions of the base set by operation: vector instructions, branches and the others."""


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
