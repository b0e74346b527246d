"""One level of a hierarchical sparse matrix."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vecsim.formats.array_types import IntArray


@dataclass(frozen=True, eq=False)
class Level:
    """All block arrays of one level, one after the other.

    Attributes
    ----------
    array_ptr
        int64 of arrays + 1: where each block array begins, then the number of entries.
    row, column
        uint16, position of each entry within its s x s block.
    """

    array_ptr: IntArray
    row: NDArray[np.uint16]
    column: NDArray[np.uint16]

    @property
    def arrays(self) -> int:
        """Number of block arrays."""
        return len(self.array_ptr) - 1

    @property
    def entries(self) -> int:
        """Number of entries over all its arrays."""
        return len(self.row)
