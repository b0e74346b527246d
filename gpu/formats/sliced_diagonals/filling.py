"""Compiled, parallel loops that find the diagonals of slices and write their entries along them.

A slice is a warp of rows; its steps are its diagonals, rising. They are found by merging: offsets rise along
a row, so one walk along the steps found so far serves a row, and a step that is missing is put in between.
Slices of more than `MERGED` diagonals, where that would cost much, are sorted instead: by merging rows, since
these rise.
"""

from typing import Any

import numpy as np
from numba import njit, prange

from gpu.formats.sliced.slicing import WARP

MERGED = 256
_SEED, _PRIME = np.uint64(0xCBF29CE484222325), np.uint64(0x9E3779B97F4A7C15)


@njit(cache=True)
def _merge(indptr: Any, indices: Any, first: int, last: int, offsets: Any, masks: Any) -> Any:
    """Put in the diagonals of rows first .. last - 1, and who has them; return how many, -1 if too many."""
    count = 0
    for row in range(first, last):
        bit = np.uint32(1) << np.uint32(row - first)
        k = 0
        for place in range(indptr[row], indptr[row + 1]):
            offset = np.int64(indices[place]) - row
            while k < count and offsets[k] < offset:
                k += 1
            if k == count or offsets[k] != offset:
                if count == len(offsets):
                    return -1
                for after in range(count, k, -1):
                    offsets[after] = offsets[after - 1]
                    masks[after] = masks[after - 1]
                offsets[k], masks[k] = offset, np.uint32(0)
                count += 1
            masks[k] |= bit
            k += 1
    return count


@njit(cache=True)
def _sort(indptr: Any, indices: Any, first: int, last: int) -> Any:
    """Return the diagonals of rows first .. last - 1, and the rows that have them as bits."""
    keys = _sorted_keys(indptr, indices, first, last)
    offsets, masks = np.empty(len(keys), np.int64), np.zeros(len(keys), np.uint32)
    count = 0
    for key in keys:
        offset = key // WARP
        if count == 0 or offsets[count - 1] != offset:
            offsets[count] = offset
            count += 1
        masks[count - 1] |= np.uint32(1) << np.uint32(key % WARP)
    return offsets[:count], masks[:count]


@njit(cache=True)
def _sorted_keys(indptr: Any, indices: Any, first: int, last: int) -> Any:
    """Return diagonal and row of each entry of rows first .. last - 1, in one number, rising.

    Rows rise already, so neighbouring ones are merged until one is left: five times for a whole slice.
    Numba's sort would take quadratic time where a full row comes before entries in the first column.
    """
    begin, runs = np.int64(indptr[first]), last - first
    keys = np.empty(np.int64(indptr[last]) - begin, np.int64)
    merged = np.empty_like(keys)
    # Where each run of rising keys ends, that of row `first` + k after ends[k].
    ends = np.zeros(runs + 1, np.int64)
    for k in range(runs):
        ends[k + 1] = np.int64(indptr[first + k + 1]) - begin
        for at in range(ends[k], ends[k + 1]):
            keys[at] = (np.int64(indices[begin + at]) - (first + k)) * WARP + k
    while runs > 1:
        for k in range(0, runs, 2):
            left, middle, end = ends[k], ends[k + 1], ends[min(k + 2, runs)]
            right = middle
            for at in range(left, end):
                if left < middle and (right == end or keys[left] <= keys[right]):
                    merged[at] = keys[left]
                    left += 1
                else:
                    merged[at] = keys[right]
                    right += 1
            ends[k // 2 + 1] = end
        runs = (runs + 1) // 2
        keys, merged = merged, keys
    return keys


@njit(cache=True)
def _diagonals(indptr: Any, indices: Any, first: int, last: int) -> Any:
    """Return the diagonals of rows first .. last - 1, rising, and the rows that have them as bits."""
    offsets, masks = np.empty(MERGED, np.int64), np.empty(MERGED, np.uint32)
    count = _merge(indptr, indices, first, last, offsets, masks)
    if count < 0:
        return _sort(indptr, indices, first, last)
    return offsets[:count], masks[:count]


@njit(parallel=True, cache=True)
def counted(indptr: Any, indices: Any) -> Any:
    """Return the steps of each slice, and a hash of them.

    Equal steps have equal hashes; the other way round nearly always.
    """
    rows = len(indptr) - 1
    slices = (rows + WARP - 1) // WARP
    counts, hashes = np.zeros(slices, np.int64), np.zeros(slices, np.uint64)
    for s in prange(slices):
        first, last = s * WARP, min(rows, (s + 1) * WARP)
        offsets, masks = _diagonals(indptr, indices, first, last)
        mixed = _SEED
        for k in range(len(offsets)):
            mixed = (mixed ^ np.uint64(offsets[k])) * _PRIME
            mixed = (mixed ^ (mixed >> np.uint64(29)) ^ np.uint64(masks[k])) * _PRIME
            mixed ^= mixed >> np.uint64(32)
        counts[s], hashes[s] = len(offsets), mixed
    return counts, hashes


@njit(parallel=True, cache=True)
def filled(indptr: Any, indices: Any, of_pattern: Any, pattern_ptr: Any, steps: Any) -> Any:
    """Write the steps of each pattern, from the slice that `of_pattern` names.

    Parameters
    ----------
    indptr, indices
        Of the matrix, sorted CSR without duplicates: (M + 1,) and (nnz,) integers.
    of_pattern
        int64: a slice that has each pattern of steps.
    pattern_ptr
        int64: where the steps of each pattern begin, then their number.
    steps
        (K, 2) int32: what is written, diagonal and rows that have it.
    """
    rows = len(indptr) - 1
    for p in prange(len(of_pattern)):
        first = of_pattern[p] * WARP
        last = min(rows, first + WARP)
        offsets, masks = _diagonals(indptr, indices, first, last)
        for k in range(pattern_ptr[p + 1] - pattern_ptr[p]):
            steps[pattern_ptr[p] + k, 0] = offsets[k]
            steps[pattern_ptr[p] + k, 1] = np.int32(masks[k])


@njit(parallel=True, cache=True)
def placed(
    indptr: Any, indices: Any, data: Any, first_step: Any, last_step: Any, steps: Any, values: Any
) -> Any:
    """Write the values of each slice, step by step; return whether the steps of each slice are its own.

    The entries of a slice take as many places as in CSR, so a slice begins where its first row does.

    Parameters
    ----------
    indptr, indices, data
        The matrix, sorted CSR without duplicates: (M + 1,) and (nnz,) integers, (nnz,) floats.
    first_step, last_step
        (S,) int64: which of `steps` are those of each slice, `last_step` excluded.
    steps
        (K, 2) int32: diagonal, and the rows that have it as bits.
    values
        (nnz,) floats: what is written.
    """
    rows = len(indptr) - 1
    slices = len(first_step)
    fits = np.ones(slices, np.bool_)
    for s in prange(slices):
        first, last = s * WARP, min(rows, (s + 1) * WARP)
        begin, end = np.int64(first_step[s]), np.int64(last_step[s])
        start = np.empty(end - begin + 1, np.int64)
        start[0] = indptr[first]
        for k in range(begin, end):
            mask, members = np.uint32(steps[k, 1]), 0
            while mask:
                mask &= mask - np.uint32(1)
                members += 1
            start[k - begin + 1] = start[k - begin] + members
        if start[end - begin] != indptr[last]:
            fits[s] = False
            continue
        for row in range(first, last):
            bit = np.uint32(1) << np.uint32(row - first)
            step: Any = begin
            for place in range(indptr[row], indptr[row + 1]):
                offset = np.int64(indices[place]) - row
                while step < end and steps[step, 0] < offset:
                    step += 1
                if step == end or steps[step, 0] != offset or not np.uint32(steps[step, 1]) & bit:
                    fits[s] = False
                    break
                # Rows come in order, so the places of a step are taken in order.
                values[start[step - begin]] = data[place]
                start[step - begin] += 1
                step += 1
    return fits
