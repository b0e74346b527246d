"""What rows have in columns of blocks, cut into slots, and what is left to the rest."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from vecsim.formats.array_types import IntArray


@dataclass(frozen=True, eq=False)
class Segments:
    """The slots of a matrix, row by row, and the entries that are in none.

    Attributes
    ----------
    begins, lengths
        (slots,) int64: the first entry of each in the CSR matrix, and how many there are.
    rows, block_columns
        (slots,) int64: of each.
    rest
        (nnz,) bool: which entries are in no slot.
    rest_counts
        (M,) int64: how many of them each row has.
    """

    begins: IntArray
    lengths: IntArray
    rows: IntArray
    block_columns: IntArray
    rest: NDArray[np.bool_]
    rest_counts: IntArray

    @classmethod
    def of(cls, csr: Any, block_columns: int, least: int, longest: int) -> Self:
        """Cut a matrix.

        Parameters
        ----------
        csr
            A canonical csr_array.
        block_columns
            Columns of a block.
        least
            A row with fewer entries in a block has no slot there.
        longest
            One with more has several there, of lengths that differ by one at most.
        """
        row = np.repeat(np.arange(csr.shape[0]), np.diff(csr.indptr))
        block = csr.indices // block_columns
        starts = np.flatnonzero((np.diff(row, prepend=-1) != 0) | (np.diff(block, prepend=-1) != 0))
        counts = np.diff(starts, append=csr.nnz)
        stored = counts >= least
        rest = np.repeat(~stored, counts)
        rest_counts = np.bincount(row[rest], minlength=csr.shape[0])
        starts, counts = starts[stored], counts[stored]
        pieces = -(-counts // longest)
        segment = np.repeat(np.arange(len(counts)), pieces)
        number = np.arange(len(segment)) - np.repeat(np.cumsum(pieces) - pieces, pieces)
        count, of = counts[segment], pieces[segment]
        first = count * number // of
        begins = starts[segment] + first
        return cls(
            begins,
            count * (number + 1) // of - first,
            row[begins].astype(np.int64),
            block[begins].astype(np.int64),
            rest,
            rest_counts,
        )

    def entries(self, order: IntArray) -> IntArray:
        """Give the entries of the CSR matrix, int64, slot by slot in an order of the slots."""
        lengths = self.lengths[order]
        within = np.arange(int(lengths.sum())) - np.repeat(np.cumsum(lengths) - lengths, lengths)
        return np.repeat(self.begins[order], lengths) + within
