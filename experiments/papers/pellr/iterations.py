"""Formulas (1) and (2) of the PELLR paper: iterations of warps and work, from the lengths of the rows."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

WARP = 32
"""Threads of a warp; the paper's example has 8."""

ELLR_ROWS = (
    (2, 3, 3, 4, 4, 4, 2, 4),
    (2, 3, 2, 3, 2, 3, 2, 2),
    (2, 2, 7, 3, 3, 3, 3, 3),
    (4, 3),
)
"""Lengths of the rows of each warp of 8 that the paper prints for ELLPACK-R (section 3, below Figure 5)."""
PELLR_ROWS = (
    (7, 4, 4, 4, 4, 4, 3, 3),
    (3, 3, 3, 3, 3, 3, 3, 3),
    (2, 2, 2, 2, 2, 2, 2, 2),
    (2, 2),
)
"""The same for PELLR; the paper fills both last warps up with rows of length 0."""
EXAMPLE_WIDTH = 8
PRINTED_ITERATIONS = {"ELLPACK-R": 18, "PELLR": 14}
"""What the paper says they take."""


def iterations_by_warp(lengths: ArrayLike, width: int = WARP) -> NDArray[np.int64]:
    """Return what formula (1) sums: the longest row of each warp, in the order of the rows.

    Parameters
    ----------
    lengths
        Entries of each row.
    width
        Threads, and so rows, of a warp.
    """
    longest: NDArray[np.int64] = _warps(lengths, width).max(axis=1, initial=0)
    return longest


def iterations(lengths: ArrayLike, width: int = WARP) -> int:
    """Return the iterations of all warps with one thread a row: formula (1).

    ELLPACK-R takes the rows in order, PELLR sorted by falling length. A warp is as slow as its longest row.
    """
    return int(iterations_by_warp(lengths, width).sum())


def sorted_iterations(lengths: ArrayLike, width: int = WARP) -> int:
    """Return the iterations once all rows are sorted by falling length, as PELLR has them."""
    return iterations(np.sort(np.asarray(lengths, dtype=np.int64))[::-1], width)


def work(lengths: ArrayLike, width: int = WARP, *, missing_rows: bool = True) -> int:
    """Return the operations of a product: formula (2), one multiplication an entry, one addition less a row.

    Parameters
    ----------
    missing_rows
        As printed, the formula sums over all threads of the last warp: each without a row has length 0 and
        counts -1. False sums over the rows that exist.
    """
    warps = _warps(lengths, width)
    rows = warps.size if missing_rows else np.asarray(lengths).size
    return int(2 * warps.sum() - rows)


def _warps(lengths: ArrayLike, width: int) -> NDArray[Any]:
    given = np.asarray(lengths, dtype=np.int64)
    padded = np.zeros(-(-len(given) // width) * width, np.int64)
    padded[: len(given)] = given
    return padded.reshape(-1, width)
