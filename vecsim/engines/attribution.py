"""What each instruction of a program came to in a run (docs/timing.md, "Waits and cycle attribution")."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from isa.declaration import Instruction, Pattern, Timing, Unit
from isa.program import Program
from vecsim.engines.cause import WAITS, Cause

Ints = npt.NDArray[np.int64]

_BUSY = {
    Unit.SCALAR: Cause.SCALAR_WORK,
    Unit.ADD: Cause.ADD_ELEMENTS,
    Unit.MULTIPLY: Cause.MULTIPLY_ELEMENTS,
    Unit.SPARSE: Cause.SPARSE_ELEMENTS,
}


@dataclass(frozen=True, eq=False)
class Attribution:
    """What all executions of each of n instructions came to, by program counter.

    Attributes
    ----------
    vector
        (n,) whether it is a vector instruction.
    scalar_bytes
        (n,) bytes that it moves between memory and the scalar registers.
    executions, elements
        (n,) how often it was executed, and on how many elements in all.
    attributed
        (n, len(Cause)) cycles that it answers for, by cause; they sum to the cycles of the run.
    waited
        (n, WAITS) cycles that it waited, by cause; they overlap with those of others.
    hits, misses
        (n, 2) requests that it made to each cache (docs/timing.md, "Caches"): answered by a line that is
        there or asked for, or not.
    """

    vector: npt.NDArray[np.bool_]
    scalar_bytes: Ints
    executions: Ints
    elements: Ints
    attributed: Ints
    waited: Ints
    hits: Ints
    misses: Ints

    def counters(self) -> dict[str, int]:
        """Count instructions, scalar and vector ones, elements of these, and bytes of scalar accesses."""
        executions, vectors = int(self.executions.sum()), int(self.executions[self.vector].sum())
        return {
            "instructions": executions,
            "scalar_instructions": executions - vectors,
            "vector_instructions": vectors,
            "element_operations": int(self.elements.sum()),
            "scalar_bytes": int((self.executions * self.scalar_bytes).sum()),
        }


def work_of(row: Instruction) -> tuple[Cause, Cause]:
    """Return what an instruction's cycles are attributed to: while its elements pass, and after the last.

    Parameters
    ----------
    row
        Of an access what follows is the latency of its last words.
    """
    if row.access is not None and row.unit == Unit.MEMORY:
        contiguous = Cause.CACHE_TRANSFER if row.access.cache else Cause.CONTIGUOUS_TRANSFER
        transfer = contiguous if row.access.pattern == Pattern.CONTIGUOUS else Cause.INDEXED_TRANSFER
        return transfer, Cause.MEMORY_LATENCY
    busy = Cause.SUM_ELEMENTS if row.timing == Timing.REDUCTION else _BUSY[row.unit]
    return busy, busy if row.unit == Unit.SCALAR else Cause(busy + 1)


def _scalar_bytes(row: Instruction) -> int:
    return row.access.value_bytes if row.access is not None and row.unit == Unit.SCALAR else 0


def read_attribution(program: Program, rows: npt.NDArray[Any]) -> Attribution:
    """Return the cycle attribution of a record, with the cycles of work by what each instruction does.

    Parameters
    ----------
    program
        Of n instructions.
    rows
        (n,) of :class:`vecsim.engines.state.accounts.Account`.
    """
    count = len(program)
    opcodes, which = np.unique(program.opcode, return_inverse=True)
    known = [program.instruction_set.by_opcode[int(opcode)] for opcode in opcodes]
    work = np.array([work_of(row) for row in known], np.int64).reshape(-1, 2)[which]
    scalar_bytes = np.array([_scalar_bytes(row) for row in known], np.int64)[which]
    attributed = np.zeros((count, len(Cause)), np.int64)
    attributed[:, :WAITS] = rows["attributed"]
    attributed[:, Cause.SCALAR_WORK] = rows["scalar"]
    for part, place in enumerate(("busy", "latency")):
        attributed[np.arange(count), work[:, part]] += rows[place]
    return Attribution(
        vector=work[:, 0] != Cause.SCALAR_WORK,
        scalar_bytes=scalar_bytes,
        executions=rows["executions"].copy(),
        elements=rows["elements"].copy(),
        attributed=attributed,
        waited=rows["waited"].copy(),
        hits=rows["hits"].copy(),
        misses=rows["misses"].copy(),
    )
