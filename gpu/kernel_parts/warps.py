"""Sums over the threads of a warp and of a block, by shuffles. All threads of the warp must take part."""

from typing import Any

import numpy as np

from gpu.runtime.cuda import EVERY_LANE, WARP, cuda, device_function


@device_function
def sum_of_neighbours(total: Any, threads: Any) -> Any:
    """Add the totals of `threads` neighbouring threads as a tree; each gets the sum.

    Parameters
    ----------
    total
        Of this thread, real.
    threads
        A power of two up to 32; their first one is a multiple of it.
    """
    distance = np.int32(threads >> 1)
    while distance > 0:
        total += cuda.shfl_xor_sync(EVERY_LANE, total, distance)
        distance = np.int32(distance >> 1)
    return total


@device_function
def sum_of_reals(total: Any) -> Any:
    """Add the real totals of a warp as a tree; each thread gets the sum."""
    total += cuda.shfl_xor_sync(EVERY_LANE, total, 16)
    total += cuda.shfl_xor_sync(EVERY_LANE, total, 8)
    total += cuda.shfl_xor_sync(EVERY_LANE, total, 4)
    total += cuda.shfl_xor_sync(EVERY_LANE, total, 2)
    return total + cuda.shfl_xor_sync(EVERY_LANE, total, 1)


@device_function
def sum_of_warp(count: Any) -> Any:
    """Add the int32 counts of a warp; each thread gets the sum."""
    distance = np.int32(WARP // 2)
    while distance > 0:
        count = np.int32(count + cuda.shfl_xor_sync(EVERY_LANE, count, distance))
        distance = np.int32(distance // 2)
    return count


@device_function
def most_of_warp(count: Any) -> Any:
    """Return the largest of the int32 counts of a warp, to each thread."""
    distance = np.int32(WARP // 2)
    while distance > 0:
        count = max(count, np.int32(cuda.shfl_xor_sync(EVERY_LANE, count, distance)))
        distance = np.int32(distance // 2)
    return count


@device_function
def sum_through(count: Any, lane: Any) -> Any:
    """Add the int32 counts of the threads of a warp up to this one, which is `lane`."""
    distance = np.int32(1)
    while distance < WARP:
        other = cuda.shfl_up_sync(EVERY_LANE, count, distance)
        if lane >= distance:
            count = np.int32(count + other)
        distance = np.int32(distance * 2)
    return count


@device_function
def before_in_block(count: Any, totals: Any, thread: Any, warps: Any) -> Any:
    """Return the sum of the counts of all threads before this one, and that of all of the block.

    Parameters
    ----------
    count
        Of this thread, int32.
    totals
        int32 of shared memory, one a warp.
    thread
        Of the block.
    warps
        Of the block.
    """
    lane = np.int32(thread % WARP)
    through = sum_through(np.int32(count), lane)
    if lane == WARP - 1:
        totals[thread // WARP] = through
    cuda.syncthreads()
    before, whole = np.int32(through - count), np.int32(0)
    for warp in range(warps):
        if warp < thread // WARP:
            before = np.int32(before + totals[warp])
        whole = np.int32(whole + totals[warp])
    return before, whole
