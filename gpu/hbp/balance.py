"""How unlike the rows are that a warp takes up at once, as the HBP paper measures it (section IV-A)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gpu.hbp.container import HBP, WARP
from vecsim.formats.array_types import IntArray


@dataclass(frozen=True)
class Balance:
    """Standard deviations of the entries of rows within groups of 32, each over all groups.

    Attributes
    ----------
    before, after
        (groups,) float64: with the rows of a block in their own order, and in that of the hash. Blocks
        without an entry are left out.
    """

    before: NDArray[np.float64]
    after: NDArray[np.float64]

    @property
    def reduction(self) -> float:
        """By how much of its mean before the mean is less after: 0.42 is 42 %."""
        mean = float(self.before.mean()) if len(self.before) else 0.0
        return 1 - float(self.after.mean()) / mean if mean else 0.0


def balance(matrix: HBP) -> Balance:
    """Measure the balance of the groups of a matrix."""
    placed = matrix.row_counts().reshape(-1, matrix.block_rows)
    own = np.empty_like(placed)
    np.put_along_axis(own, matrix.output_hash.reshape(placed.shape).astype(np.int64), placed, axis=1)
    filled = placed.any(axis=1)
    return Balance(_deviations(own[filled]), _deviations(placed[filled]))


def _deviations(counts: IntArray) -> NDArray[np.float64]:
    result: NDArray[np.float64] = counts.reshape(-1, WARP).std(axis=1)
    return result
