"""How many steps slices take, counted from the lengths of rows alone: a slice is as wide as its longest row.

Rows may be sorted by falling length within windows of several slices. All counts are linear in the rows.
"""

from typing import Any

import numpy as np
from numba import njit, prange

from vecsim.formats.thread_count import as_many_threads_as_pay, threads_that_pay

COUNTED_LENGTHS = 4096
"""Rows of a window that are all shorter are sorted by counting them."""
ROWS_AT_ONCE = 1024
"""Rows whose lengths are held at a time, where windows are not larger."""


def steps_of_slices(pointers: Any, height: int, window: int, group: int) -> int:
    """Count the steps of all slices.

    Parameters
    ----------
    pointers
        Where each row begins, then the end of the last.
    height
        Rows of a slice.
    window
        Rows are sorted by falling length within each run of this many; 1 leaves them in order.
    group
        Entries of a row that a step takes.

    Returns
    -------
    int
        The sum over all slices of the entries of the longest row over `group`, rounded up.
    """
    rows = len(pointers) - 1
    if window < height or window % height:
        window = height  # sorting within a slice changes no width
    at_once = window if window > height else height * max(1, ROWS_AT_ONCE // height)
    runs = (rows + at_once - 1) // at_once
    threads = threads_that_pay(rows)
    if threads == 1:
        return int(_steps_of_runs(pointers, 0, runs, at_once, height, group, window > height))
    with as_many_threads_as_pay(rows):
        return int(_steps_in_parts(pointers, threads, runs, at_once, height, group, window > height))


@njit(parallel=True, cache=True)
def _steps_in_parts(
    pointers: Any, parts: int, runs: int, at_once: int, height: int, group: int, is_sorted: bool
) -> Any:
    result = np.zeros(parts, np.int64)
    for part in prange(parts):
        first, last = part * runs // parts, (part + 1) * runs // parts
        result[part] = _steps_of_runs(pointers, first, last, at_once, height, group, is_sorted)
    return result.sum()


@njit(cache=True)
def _steps_of_runs(
    pointers: Any, first: int, last: int, at_once: int, height: int, group: int, is_sorted: bool
) -> Any:
    """Count the steps of the runs of `at_once` rows from `first` to `last`, the latter excluded."""
    rows = len(pointers) - 1
    lengths = np.empty(min(at_once, rows), np.int32)
    count = 0
    for run in range(first, last):
        begin, end = run * at_once, min(rows, (run + 1) * at_once)
        own = pointers[begin : end + 1]
        for k in range(end - begin):
            lengths[k] = np.int32(own[k + 1] - own[k])
        if is_sorted:
            count += steps_sorted(lengths[: end - begin], height, group)
        else:
            count += steps_in_order(lengths[: end - begin], height, group)
    return count


@njit(cache=True)
def steps_in_order(lengths: Any, height: int, group: int) -> Any:
    """Count the steps of slices of rows of these lengths in their order."""
    count = 0
    for begin in range(0, len(lengths), height):
        count += (_longest(lengths[begin : begin + height]) + group - 1) // group
    return count


@njit(cache=True)
def steps_sorted(lengths: Any, height: int, group: int) -> Any:
    """Count the steps of slices of rows of these lengths, sorted by falling length."""
    longest, shortest = _longest(lengths), _shortest(lengths)
    if longest == shortest:
        return (len(lengths) + height - 1) // height * ((longest + group - 1) // group)
    if longest < COUNTED_LENGTHS:
        of_length = np.zeros(longest + 1, np.int64)
        for length in lengths:
            of_length[length] += 1
        return steps_by_length(of_length, height, group)
    # A merge sort: Numba's other one takes quadratic time for some orders that matrices have.
    rising = np.argsort(lengths, kind="mergesort")
    count: Any = 0
    for k in range(len(lengths) - 1, -1, -height):
        count += (np.int64(lengths[rising[k]]) + group - 1) // group
    return count


@njit(cache=True)
def steps_by_length(of_length: Any, height: int, group: int) -> Any:
    """Count the steps of rows sorted by falling length; `of_length` says how many have each."""
    # Slices begin at the rows 0, height, 2 height ..; `before` rows are longer than this length.
    count, before, slices = 0, 0, 0
    for length in range(len(of_length) - 1, 0, -1):
        if of_length[length] > 0:
            before += of_length[length]
            begun = (before + height - 1) // height
            count += (begun - slices) * ((length + group - 1) // group)
            slices = begun
    return count


@njit(cache=True)
def _longest(lengths: Any) -> Any:
    longest = lengths.dtype.type(0)
    for length in lengths:
        longest = max(longest, length)
    return np.int64(longest)


@njit(cache=True)
def _shortest(lengths: Any) -> Any:
    shortest = lengths[0]
    for length in lengths:
        shortest = min(shortest, length)
    return np.int64(shortest)
