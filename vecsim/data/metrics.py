"""What the HiSM paper sorts its matrices by: size, locality, average non-zeros per row (section 3.1.1).

Every stored entry counts, explicit zeros too; a symmetric matrix is counted in its expanded form, which is
the only one that `Matrix` knows.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from vecsim.formats.coordinates import rows_of_csr

LOCALITY_BLOCK = 32
# A table of marks up to this size is faster than sorting the numbers of the blocks.
_MARKS = 1 << 27


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

    One pass over the entries; a byte of work space for each square, or a sort where these would be too many.
    """
    rows, columns = csr.shape
    across = -(-columns // block)
    number = rows_of_csr(csr.indptr) // block * across + csr.indices // block
    squares = -(-rows // block) * across
    if squares > _MARKS:
        return len(np.unique(number))
    marks = np.zeros(squares, dtype=np.bool_)
    marks[number] = True
    return int(np.count_nonzero(marks))


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
        raise ValueError("a matrix without entries has no locality")
    return float(csr.nnz / (block * nonempty_blocks(csr, block)))


def average_per_row(csr: Any) -> float:
    """Return stored entries divided by rows, empty rows counted.

    Raises
    ------
    ValueError
        If it has no rows.
    """
    if csr.shape[0] == 0:
        raise ValueError("a matrix without rows has no average per row")
    return float(csr.nnz / csr.shape[0])
