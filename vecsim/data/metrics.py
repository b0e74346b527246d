"""What the HiSM paper sorts its matrices by: size, locality, average non-zeros per row (section 3.1.1).

Every stored entry counts, explicit zeros too; a symmetric matrix is counted in its expanded form, which is
the only one that `Matrix` knows.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numba import njit, prange

LOCALITY_BLOCK = 32
FEW_ENTRIES = 100_000
"""Up to this many compiling takes longer than plain NumPy."""


@dataclass(frozen=True)
class Metrics:
    """The three criteria of one matrix.

    Attributes
    ----------
    size
        Stored entries.
    locality
        Mean over the non-empty 32 x 32 blocks of their entries, divided by 32.
    average_per_row
        Stored entries divided by rows.
    """

    size: int
    locality: float
    average_per_row: float


def metrics(csr: Any) -> Metrics:
    """Return the three criteria of a SciPy CSR matrix without duplicates.

    Raises
    ------
    ValueError
        If it has no rows or no entries.
    """
    return Metrics(int(csr.nnz), locality(csr), average_per_row(csr))


def nonempty_blocks(csr: Any, block: int) -> int:
    """Return in how many of the aligned `block` x `block` squares of a SciPy CSR matrix entries are stored.

    Each row of squares sorts the squares of its entries, on all cores.
    """
    if csr.nnz <= FEW_ENTRIES:
        row = np.repeat(np.arange(csr.shape[0], dtype=np.int64), np.diff(csr.indptr)) // block
        return len(np.unique(row * (csr.shape[1] // block + 1) + csr.indices // block))
    return int(_nonempty_blocks(csr.indptr, csr.indices, block))


@njit(parallel=True, cache=True)
def _nonempty_blocks(indptr: Any, indices: Any, block: int) -> int:
    rows = len(indptr) - 1
    result = 0
    for stripe in prange((rows + block - 1) // block):
        first, last = indptr[stripe * block], indptr[min(rows, (stripe + 1) * block)]
        squares = np.sort(indices[first:last] // block)
        different = 0
        for k in range(len(squares)):
            different += k == 0 or squares[k] != squares[k - 1]
        result += different
    return result


def locality(csr: Any, block: int = LOCALITY_BLOCK) -> float:
    """Return the mean over the non-empty squares of their entries, divided by the width of a square.

    Parameters
    ----------
    csr
        SciPy CSR matrix without duplicates.
    block
        Width of a square; the paper takes 32.

    Raises
    ------
    ValueError
        If it has no entries.
    """
    if csr.nnz == 0:
        raise ValueError("locality needs a matrix with entries")
    return float(csr.nnz / (block * nonempty_blocks(csr, block)))


def average_per_row(csr: Any) -> float:
    """Return stored entries divided by rows, empty rows counted.

    Raises
    ------
    ValueError
        If it has no rows.
    """
    if csr.shape[0] == 0:
        raise ValueError("an average per row needs a matrix with rows")
    return float(csr.nnz / csr.shape[0])
