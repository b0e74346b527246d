"""Rows of dense blocks, counted without finding the blocks' columns."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any, Self

import numpy as np
from numba import njit
from numpy.typing import NDArray

from gpu.choice.row_lengths import RowLengths, places
from gpu.choice.sector_counts import emptied, place_of
from gpu.formats.sliced.layout import elements
from vecsim.formats.pointers import pointers_of

ROW_BITS = 31
"""Of the number of a row of blocks."""


@dataclass(frozen=True, eq=False)
class BlockRows:
    """How many dense blocks with an entry each row of blocks has.

    Attributes
    ----------
    block
        b: a block has b x b elements.
    rows
        M of the matrix.
    counts
        int64 of M / b, rounded up: the blocks of each row of blocks.
    """

    block: int
    rows: int
    counts: NDArray[np.int64]

    @classmethod
    def of(cls, indptr: Any, indices: Any, shape: tuple[int, int], block: int) -> Self:
        """Count the blocks of a sorted CSR matrix.

        Parameters
        ----------
        indptr, indices
            Of the matrix.
        shape
            Its rows and columns.
        block
            Rows and columns of a block.
        """
        return cls(block, shape[0], _count(indptr, indices, block, -(-shape[1] // block)))

    @cached_property
    def total(self) -> int:
        """All blocks."""
        return int(self.counts.sum())

    @property
    def mean(self) -> float:
        """Blocks a row of blocks."""
        return self.total / max(1, len(self.counts))

    @property
    def elements(self) -> int:
        """Elements of all blocks, in the rows that were counted."""
        return elements(self.counts, self.rows, self.block)

    @cached_property
    def row_lengths(self) -> RowLengths:
        """How many rows of blocks have each number of blocks."""
        return RowLengths.of(self._pointers)

    @cached_property
    def _pointers(self) -> NDArray[np.int64]:
        return pointers_of(self.counts)

    def places(self, *, height: int, window: int | None, group: int) -> int:
        """Return the places for blocks; parameters as of `gpu.choice.row_lengths.places`."""
        return places(self._pointers, self.row_lengths, height=height, window=window, group=group)


@njit(cache=True)
def _count(indptr: Any, indices: Any, block: int, block_columns: int) -> Any:
    """Count the blocks of each row of blocks."""
    rows = len(indptr) - 1
    counts = np.empty((rows + block - 1) // block, np.int64)
    table = emptied(np.empty(0, np.int64), min(len(indices), block_columns))
    divisor = np.uint32(block)
    for block_row in range(len(counts)):
        last = min(rows, (block_row + 1) * block)
        count = 0
        for column in indices[indptr[block_row * block] : indptr[last]]:
            block_column = np.int64(np.uint32(column) // divisor)
            word = (block_column << ROW_BITS) | block_row
            at = place_of(table, block_column, ROW_BITS)
            count += table[at] != word
            table[at] = word
        counts[block_row] = count
    return counts
