"""Which rows are sampled: runs of neighbouring rows spread over the matrix, the same ones in every run."""

from typing import Any

import numpy as np
from numba import njit

COUNTED_LENGTHS = 4096
"""Rows with fewer entries are sorted by counting."""


@njit(cache=True)
def sampled_runs(indptr: Any, height: int, wanted: int) -> Any:
    """Return the first row of some runs of `height` rows, and the weight of each of its entries.

    All of them if they are at most `wanted`. Otherwise each is as likely as it has entries, since these may
    stand in few of the rows; so an entry weighs the less, the more there are in its run. There must be
    entries.
    """
    rows = len(indptr) - 1
    runs = (rows + height - 1) // height
    nnz = np.int64(indptr[rows])
    taken = min(runs, wanted)
    firsts, weights = np.zeros(taken, np.int64), np.zeros(taken, np.float64)
    count, row = 0, 0
    for k in range(taken):
        if runs <= wanted:
            first: Any = k * height
            weight = 1.0 / nnz
        else:
            entry = k * (nnz // taken) + nnz // taken // 2
            row = _row_of(indptr, entry, row)
            first = row // height * height
            weight = 1.0 / taken / (indptr[min(rows, first + height)] - indptr[first])
        if count and firsts[count - 1] == first:
            weights[count - 1] += weight
        else:
            firsts[count], weights[count] = first, weight
            count += 1
    return firsts[:count], weights[:count]


@njit(cache=True)
def _row_of(indptr: Any, entry: Any, low: Any) -> Any:
    """Return the row with this entry; it is `low` or after it.

    It is sought around where it would be, were the rest of the rows equally long.
    """
    rows = len(indptr) - 1
    left = np.int64(indptr[rows]) - np.int64(indptr[low])
    guess: Any = low + np.int64((entry - indptr[low]) / left * (rows - low))
    guess = max(low, min(rows - 1, guess))
    high, step = rows, 16
    if indptr[guess] <= entry:
        low = guess
        while low + step < rows and indptr[low + step] <= entry:
            low += step
            step *= 2
        high = min(rows, low + step)
    else:
        high = guess
        while high - step > low and indptr[high - step] > entry:
            high -= step
            step *= 2
        low = max(low, high - step)
    # indptr[low] <= entry < indptr[high]
    while high - low > 1:
        middle = (low + high) // 2
        if indptr[middle] <= entry:
            low = middle
        else:
            high = middle
    return low


@njit(cache=True)
def rows_of_runs(indptr: Any, indices: Any, first: Any, rows: int) -> Any:
    """Return pointers and columns of the runs of this many rows that begin at `first`.

    Parameters
    ----------
    indptr, indices
        Of the matrix.
    first
        First row of each run.
    rows
        Of a run.
    """
    pointers = np.zeros(len(first) * rows + 1, indptr.dtype)
    entries = 0
    for run in range(len(first)):
        begin = indptr[first[run]]
        for row in range(rows):
            pointers[run * rows + row + 1] = entries + indptr[first[run] + row + 1] - begin
        entries += indptr[first[run] + rows] - begin
    columns = np.empty(entries, indices.dtype)
    at = 0
    for run in range(len(first)):
        begin, end = indptr[first[run]], indptr[first[run] + rows]
        columns[at : at + end - begin] = indices[begin:end]
        at += end - begin
    return pointers, columns


@njit(cache=True)
def by_falling_length(lengths: Any) -> Any:
    """Return places by falling length, equal lengths in order: by counting, the longest ones by merging."""
    long = 0
    counts = np.zeros(COUNTED_LENGTHS + 1, np.int64)
    for length in lengths:
        if length >= COUNTED_LENGTHS:
            long += 1
        else:
            counts[length] += 1
    order = np.empty(len(lengths), np.int64)
    longest = np.empty(long, np.int64)
    at = 0
    # Where those of each length begin.
    begin = np.empty(COUNTED_LENGTHS, np.int64)
    behind = long
    for length in range(COUNTED_LENGTHS - 1, -1, -1):
        begin[length] = behind
        behind += counts[length]
    for k in range(len(lengths)):
        if lengths[k] >= COUNTED_LENGTHS:
            longest[at] = k
            at += 1
        else:
            order[begin[lengths[k]]] = k
            begin[lengths[k]] += 1
    if long > 0:
        order[:long] = longest[np.argsort(-lengths[longest], kind="mergesort")]
    return order
