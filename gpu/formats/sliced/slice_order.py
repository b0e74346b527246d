"""In which order the slices of a sorted matrix are best taken: neighbours in the matrix near each other."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gpu.formats.sliced.container import Sliced

LONG = 4
"""A slice over so many times as wide as the mean is long: it goes first, so that nobody waits for it."""


def slices_by_first_row(matrix: Sliced) -> NDArray[np.uint32]:
    """Give the slices of a matrix in the order of the first row of each.

    Sorting all rows by length puts rows into one slice that lie far apart, and neighbouring rows into slices
    that run at different times; what they read of x has then left the cache. The arrays may stay as they are:
    slices can be taken in any order. In that of their first rows, those that run at the same time read x at
    the same places. Those over four times as wide as the mean stay in front.

    Returns
    -------
    ndarray
        uint32 of S: the number of each slice, in the order in which they are to be taken.
    """
    slices = np.arange(matrix.slices)
    if not len(matrix.perm):
        return slices.astype(np.uint32)
    widths = np.diff(matrix.slice_ptr.astype(np.int64))
    # The marks of no row and of pieces are above all rows.
    first_row = matrix.perm.reshape(-1, matrix.slice_height).min(axis=1).astype(np.int64)
    long = widths > LONG * widths.mean()
    order = np.argsort(np.where(long, slices - len(slices), first_row), kind="stable")
    return order.astype(np.uint32)
