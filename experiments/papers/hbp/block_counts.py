"""The blocks of a matrix counted: how many there are, and how many of them and of their rows are empty."""

from __future__ import annotations

from typing import Any

import numpy as np

from experiments.papers.hbp.results import BlockCounts
from gpu.hbp.container import BLOCK_COLUMNS, BLOCK_ROWS

FEW = 32
"""Entries of a block up to which it counts as one with few."""


def counted(name: str, csr: Any) -> BlockCounts:
    """Count the blocks of the published partition.

    Parameters
    ----------
    name
        Of the matrix.
    csr
        A canonical csr_array.
    """
    rows, columns = csr.shape
    across, down = -(-columns // BLOCK_COLUMNS), -(-rows // BLOCK_ROWS)
    column = csr.indices // BLOCK_COLUMNS
    row = np.repeat(np.arange(rows, dtype=np.int32), np.diff(csr.indptr))
    filled_rows = 1 + int(np.count_nonzero((np.diff(row) != 0) | (np.diff(column) != 0))) if csr.nnz else 0
    entries = np.bincount(row // BLOCK_ROWS * across + column, minlength=down * across)
    return BlockCounts(
        name,
        blocks=down * across,
        filled=int(np.count_nonzero(entries)),
        few=int(np.count_nonzero(entries <= FEW)),
        filled_rows=filled_rows,
    )
