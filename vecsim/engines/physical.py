"""Times and rates of a run in physical units, on a machine that states its clock."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from isa.declaration import Instruction, Timing
from isa.program import Program
from vecsim.engines.attribution import Attribution

HEADS = ("time", "GFLOP/s", "GB/s")
"""What tables call the values of `Physical.texts`."""
_OF_VECTORS = {"add": 1, "multiply": 1, "divide": 1, "sum": 1, "multiply_add": 2}
"""Floating-point operations of an element by the latency of its instruction."""
_SCALARS = ("fadd", "fsub", "fmul", "fdiv", "fsqrt")
_TIMES = ((1.0, "s"), (1e-3, "ms"), (1e-6, "us"))


@dataclass(frozen=True)
class Physical:
    """A run in physical units.

    Attributes
    ----------
    seconds
        How long it takes.
    gflops
        10^9 floating-point operations in a second.
    gigabytes_per_second
        10^9 bytes in a second that pass between memory and processor.
    """

    seconds: float
    gflops: float
    gigabytes_per_second: float

    def texts(self) -> tuple[str, str, str]:
        """Return the three as tables show them, the time with its unit."""
        factor, unit = next((each for each in _TIMES if self.seconds >= each[0]), (1e-9, "ns"))
        return (
            f"{self.seconds / factor:.3g} {unit}",
            f"{self.gflops:.3g}",
            f"{self.gigabytes_per_second:.3g}",
        )

    def in_words(self) -> str:
        """Return the three in a line."""
        time, operations, moved = self.texts()
        return f"{time}, {operations} GFLOP/s, {moved} GB/s"

    def to_dict(self) -> dict[str, float]:
        """Return the three by name."""
        return asdict(self)


def physical(clock_mhz: int, cycles: int, operations: int, moved: int) -> Physical | None:
    """Return a run in physical units; None where the clock is not stated, or nothing ran.

    Parameters
    ----------
    clock_mhz
        The clock in MHz; 0 if it is not stated.
    cycles
        Of the run.
    operations
        Floating-point operations that count.
    moved
        Bytes between memory and processor.
    """
    if not clock_mhz or not cycles:
        return None
    seconds = cycles / (clock_mhz * 1e6)
    return Physical(seconds, operations / seconds / 1e9, moved / seconds / 1e9)


def float_operations(program: Program, attribution: Attribution) -> int:
    """Return how many floating-point operations a program executed, a multiply-add as two.

    Moves, comparisons and conversions count nothing, divisions and square roots count one.

    Parameters
    ----------
    program
        Of n instructions.
    attribution
        What its n instructions came to.
    """
    each: Any = np.array([_of_an_element(program.instruction(pc)) for pc in range(len(program))], np.int64)
    times = np.where(attribution.vector, attribution.elements, attribution.executions)
    return int((each * times).sum())


def _of_an_element(row: Instruction) -> int:
    if row.timing == Timing.SPARSE:
        return 2
    name, _, suffix = row.mnemonic.partition(".")
    if suffix not in ("s", "d"):
        return 0
    return 1 if name in _SCALARS else _OF_VECTORS.get(row.latency, 0)
