"""Row lengths and bandwidths of a pattern of compound entries, as Figures 3 and 4 of the paper show them."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gpu.compound.compound_matrix import CompoundMatrix


@dataclass(frozen=True)
class FiveNumbers:
    """A box and its whiskers: least, lower quartile, median, upper quartile, greatest."""

    least: float
    lower: float
    median: float
    upper: float
    greatest: float

    @classmethod
    def of(cls, values: NDArray[np.int64]) -> "FiveNumbers":
        """Return those of some values; zeros of none."""
        if not len(values):
            return cls(0.0, 0.0, 0.0, 0.0, 0.0)
        return cls(*(float(number) for number in np.percentile(values, (0, 25, 50, 75, 100))))


@dataclass(frozen=True)
class PatternStatistics:
    """How long the rows of a matrix are, and how far their columns reach.

    Attributes
    ----------
    row_lengths
        Entries of a row.
    bandwidths
        Equation (3): the highest column of a row less the lowest, of rows that have any.
    """

    row_lengths: FiveNumbers
    bandwidths: FiveNumbers


def pattern_statistics(matrix: CompoundMatrix) -> PatternStatistics:
    """Return the statistics of a matrix; a row and a column of blocks count once."""
    lengths = np.diff(matrix.indptr).astype(np.int64)
    filled = np.flatnonzero(lengths)
    first, last = matrix.indptr[filled], matrix.indptr[filled + 1] - 1
    reach = matrix.indices[last].astype(np.int64) - matrix.indices[first]
    return PatternStatistics(FiveNumbers.of(lengths), FiveNumbers.of(reach))
