"""Compiled loops over the columns of sampled rows: how far columns of slices, steps and windows lie apart."""

from typing import Any

import numpy as np
from numba import njit, prange

from gpu.choice.sampled_rows import by_falling_length, sampled_runs

SPREAD_SLICES = 2048
STEP_WINDOWS, STEP_SLICES, MOST_STEPS = 8, 4, 64
"""Windows, first slices of each and first steps of these whose columns are looked at."""
NEAR_WINDOWS = 64
NEAR_ENTRIES = 512
SCATTER = 7919


@njit(cache=True)
def _ends(indptr: Any, indices: Any, first: int, last: int) -> Any:
    """Return the lowest and the highest column of some rows; without entries the lowest is the higher one.

    Rows are sorted, so that their ends tell.
    """
    lowest, highest = np.int64(2**62), np.int64(-1)
    own = indptr[first : last + 1]
    for row in range(last - first):
        begin, end = own[row], own[row + 1]
        if begin < end:
            lowest = min(lowest, np.int64(indices[np.uint64(begin)]))
            highest = max(highest, np.int64(indices[np.uint64(end - 1)]))
    return lowest, highest


@njit(parallel=True, cache=True)
def spreads_within(indptr: Any, indices: Any, height: int, block: int, most: int, parts: int) -> Any:
    """Return whether columns of no slice lie more than `most` apart; ends at the first that do.

    Parameters
    ----------
    indptr, indices
        Of the matrix.
    height
        Rows of blocks of a slice.
    block
        Rows and columns of a block, in which columns are counted.
    most
        How far they may lie apart.
    parts
        Of the slices, each for a thread.
    """
    rows, together = len(indptr) - 1, height * block
    slices = (rows + together - 1) // together
    wider = np.zeros(parts, np.int64)
    for part in prange(parts):
        for s in range(part * slices // parts, (part + 1) * slices // parts):
            lowest, highest = _ends(indptr, indices, s * together, min(rows, (s + 1) * together))
            if highest >= 0 and highest // block - lowest // block > most:
                wider[part] = 1
                break
    return wider.max() == 0


@njit(cache=True)
def some_steps_within(indptr: Any, indices: Any, height: int, window: int, most: int) -> Any:
    """Return whether columns of none of some steps lie more than `most` apart.

    Of some windows, whose rows are sorted by falling length, the first slices are looked at. Step j of a
    slice holds the j-th entry of each of its rows.

    Parameters
    ----------
    indptr, indices
        Of the matrix.
    height
        Rows of a slice.
    window
        Rows that are sorted together.
    most
        How far columns may lie apart.
    """
    rows = len(indptr) - 1
    windows = (rows + window - 1) // window
    lengths = np.empty(window, np.int64)
    for k in range(min(windows, STEP_WINDOWS)):
        first = k * windows // min(windows, STEP_WINDOWS) * window
        count = min(rows - first, window)
        for row in range(count):
            lengths[row] = indptr[first + row + 1] - indptr[first + row]
        order = by_falling_length(lengths[:count])
        for begin in range(0, min(count, STEP_SLICES * height), height):
            slice_rows = order[begin : begin + height]
            for j in range(min(MOST_STEPS, lengths[slice_rows[0]])):
                lowest, highest = np.int64(2**62), np.int64(-1)
                for row in slice_rows:
                    if j >= lengths[row]:
                        break
                    column = np.int64(indices[indptr[first + row] + j])
                    lowest, highest = min(lowest, column), max(highest, column)
                if highest - lowest > most:
                    return False
    return True


@njit(cache=True)
def sampled_spreads(indptr: Any, indices: Any, height: int) -> Any:
    """Return the largest distance of two columns of a slice: of some the most, and the mean by entries."""
    rows = len(indptr) - 1
    widest: Any = np.int64(0)
    mean = 0.0
    if rows == 0 or indptr[rows] == 0:
        return widest, mean
    firsts, weights = sampled_runs(indptr, height, SPREAD_SLICES)
    for k in range(len(firsts)):
        last = min(rows, firsts[k] + height)
        lowest, highest = _ends(indptr, indices, firsts[k], last)
        spread = max(np.int64(0), highest - lowest)
        widest = max(widest, spread)
        mean += weights[k] * (indptr[last] - indptr[firsts[k]]) * spread
    return widest, mean


def near_share(indptr: Any, indices: Any, window: int, columns: int) -> float:
    """Return the share of entries within the best `columns` columns of each window of rows.

    Parameters
    ----------
    indptr, indices
        Of the matrix.
    window
        Rows of a window.
    columns
        That are near in each.
    """
    if indptr[-1] == 0:
        return 1.0
    samples, taken, weights = _samples_of_windows(indptr, indices, window)
    # By NumPy, whose sort is several times faster than the one of compiled loops.
    samples.sort(axis=1)
    return float(_near_share(samples, taken, weights, columns))


@njit(cache=True)
def _samples_of_windows(indptr: Any, indices: Any, window: int) -> Any:
    """Return some columns of each of some windows, how many they are, and how much the window weighs."""
    rows = len(indptr) - 1
    firsts, weights = sampled_runs(indptr, window, NEAR_WINDOWS)
    samples = np.full((len(firsts), 2 * NEAR_ENTRIES), np.int64(2**62), np.int64)
    taken = np.zeros(len(firsts), np.int64)
    for k in range(len(firsts)):
        first = np.int64(indptr[firsts[k]])
        entries = np.int64(indptr[min(rows, firsts[k] + window)]) - first
        stride: Any = max(1, entries // NEAR_ENTRIES)
        taken[k] = entries // stride
        weights[k] *= entries
        for j in range(taken[k]):
            # Not at one place of every row, should these be as long as a stride.
            samples[k, j] = indices[first + j * stride + j * SCATTER % stride]
    return samples, taken, weights


@njit(cache=True)
def _near_share(samples: Any, taken: Any, weights: Any, columns: int) -> float:
    """Return the share of entries within the best `columns` columns, of rising samples."""
    near = 0.0
    for k in range(len(taken)):
        best, low = 0, 0
        for high in range(taken[k]):
            while samples[k, high] - samples[k, low] >= columns:
                low += 1
            best = max(best, high - low + 1)
        near += weights[k] * best / max(1, taken[k])
    return near


@njit(cache=True)
def slots(indptr: Any, indices: Any, columns: int) -> int:
    """Count the segments of this many columns in which each row has entries, all rows together.

    Parameters
    ----------
    indptr, indices
        Of a matrix whose rows are sorted.
    columns
        Of a segment.
    """
    count = 0
    for row in range(len(indptr) - 1):
        last = np.int64(-1)
        for k in range(indptr[row], indptr[row + 1]):
            segment = np.int64(indices[k]) // columns
            count += segment != last
            last = segment
    return count
