"""Slices of a sorted matrix in another order: neighbours in the matrix near each other again."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numba import njit, prange

from .sliced import Sliced
from .slicing import SLICINGS

LONG = 4
"""A slice over so many times as wide as the mean is long: it goes first, so that nobody waits for it."""


def slices_by_first_row(matrix: Sliced) -> Sliced:
    """Give the same matrix with its slices in the order of the first row of each.

    Sorting all rows by length puts rows into one slice that lie far apart, and neighbouring rows into slices
    that run at different times; what they read of x has then left the cache. A slice is free to stand
    anywhere: in the order of their first rows, slices that run at the same time read x at the same places,
    and each is as narrow as before. Those over four times as wide as the mean stay in front.

    Parameters
    ----------
    matrix
        With 32-bit columns, single entries and rows that are whole, as the arrangement ``pellr`` makes it.

    Raises
    ------
    ValueError
        If it has short columns, blocks, or rows in pieces.
    """
    if matrix.slicing.index_bits != 32 or matrix.slicing.block != 1 or len(matrix.split_rows):
        raise ValueError("slices are ordered of matrices with 32-bit columns, single entries and whole rows")
    if not len(matrix.perm):
        return matrix
    height = matrix.slice_height
    perm = matrix.perm.reshape(-1, height)
    widths = (matrix.slice_ptr[1:] - matrix.slice_ptr[:-1]).astype(np.int64)
    # The mark of no row is above all rows.
    first_row = perm.min(axis=1).astype(np.int64)
    long = widths > LONG * widths.mean()
    order = np.argsort(np.where(long, np.arange(len(widths)) - len(widths), first_row), kind="stable")
    slice_ptr = np.concatenate((np.zeros(1, np.int64), np.cumsum(widths[order])))
    columns, values = np.empty_like(matrix.columns), np.empty_like(matrix.values)
    step = height * matrix.slicing.group
    _copy(order, matrix.slice_ptr.astype(np.int64), slice_ptr, step, matrix.columns, columns)
    _copy(order, matrix.slice_ptr.astype(np.int64), slice_ptr, step, matrix.values, values)
    lengths = matrix.lengths
    return replace(
        matrix,
        slice_ptr=slice_ptr.astype(np.uint32),
        perm=perm[order].ravel(),
        lengths=lengths.reshape(-1, height)[order].ravel() if len(lengths) else lengths,
        columns=columns,
        values=values,
    )


def pellr_near(matrix: Any) -> Sliced:
    """Convert a SciPy sparse matrix to PELLR with its slices in the order of their first rows.

    Raises
    ------
    UserError
        As `Sliced.from_scipy`.
    """
    return slices_by_first_row(Sliced.from_scipy(matrix, slicing=SLICINGS["pellr"]))


@njit(parallel=True, cache=True)
def _copy(order: Any, old_ptr: Any, new_ptr: Any, step: int, old: Any, new: Any) -> None:
    """Copy the slices of one array, each read once and written once."""
    for s in prange(len(order)):
        begin = old_ptr[order[s]] * step
        at = new_ptr[s] * step
        for k in range((new_ptr[s + 1] - new_ptr[s]) * step):
            new[at + k] = old[begin + k]
