"""What simulating a product gives: the numbers that tables, figures and files of results are made of."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from programs.loading import ALLOWED_ERROR

METHODS = {"crs": "CRS", "jd": "JD", "bbcs": "BBCS", "hism": "HiSM", "chism": "CHiSM"}
"""The programs as the paper calls them, in the order of its bars."""

Times = Mapping[str, float]
"""Cycles of each program on one matrix, as a multiple of CHiSM's."""
Cycles = Mapping[str, Mapping[str, int]]
"""Cycles by matrix and program."""


@dataclass(frozen=True)
class Timing:
    """What one program took on one matrix.

    Attributes
    ----------
    program
        Its name.
    cycles, instructions, bytes_moved, relative_error
        See :class:`programs.measurement.Measurement`.
    """

    program: str
    cycles: int
    instructions: int
    bytes_moved: int
    relative_error: float


@dataclass(frozen=True)
class Measured:
    """What all programs took.

    Attributes
    ----------
    timings
        By the name of the matrix and of the program; of a matrix all programs or none.
    failed
        Why there are none, by the name of the matrix.
    """

    timings: Mapping[str, Mapping[str, Timing]]
    failed: Mapping[str, str]

    def cycles(self) -> dict[str, dict[str, int]]:
        """Return the cycles alone."""
        return {
            matrix: {program: timing.cycles for program, timing in timings.items()}
            for matrix, timings in self.timings.items()
        }

    def wrong(self) -> tuple[str, ...]:
        """Name the results that SciPy's contradict, a line each."""
        return tuple(
            f"{timing.program} on {matrix}: the relative error is {timing.relative_error:.1e}"
            for matrix, timings in self.timings.items()
            for timing in timings.values()
            if not timing.relative_error <= ALLOWED_ERROR
        )


def relative(cycles: Mapping[str, int]) -> dict[str, float]:
    """Return the cycles of each program on one matrix as multiples of CHiSM's: what the figures show."""
    return {program: count / cycles["chism"] for program, count in cycles.items()}
