"""Sums before each of many counts on the device.

Three kernels: a block of threads sums a share of the counts, one block sums what is before each share, and
each block sums again, now from there on. Neighbouring threads have neighbouring counts in both. That moves 12
bytes a count; counting and adding up in one kernel would move 8, but blocks would have to wait for another.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from gpu.kernel_parts.loads import VECTOR_IF
from gpu.kernel_parts.warps import before_in_block, sum_of_warp, sum_through
from gpu.runtime.cuda import EVERY_LANE, SIMULATED, WARP, cuda, device_function
from gpu.runtime.kernel_sequence import begin_in_sequence
from gpu.runtime.launches import Launch, run
from gpu.runtime.memory import all_or_nothing, empty, upload

THREADS = 64 if SIMULATED else 256
WARPS = THREADS // WARP
OF_THREAD = 2 if SIMULATED else 16
"""Counts of a thread, a warp apart; the loads of all are running together."""
OF_WARP = OF_THREAD * WARP
SHARE = OF_WARP * WARPS
"""Counts of a block."""
ONE_BLOCK = 1 << 15
"""Of this many shares one block of threads sums the totals; of more they are summed as counts are."""

SCAN_THREADS = 32 if SIMULATED else 1024
"""Of the one block that sums the totals."""
AT_ONCE = 8
"""Totals that a thread has running."""

_load = VECTOR_IF[1]


@device_function
def _before_warp(counts: Any, number: Any, first: Any, of_warps: Any, result: Any) -> Any:
    """Load the counts of a thread, and return the sum of those of the warps before its own, and of all warps.

    Parameters
    ----------
    counts, number
        All counts.
    first
        The first of the thread.
    of_warps
        int32 of shared memory, one a warp.
    result
        int32 of `OF_THREAD`: takes its counts.
    """
    thread, total = np.int32(cuda.threadIdx.x), np.int32(0)
    for k in range(OF_THREAD):
        result[k] = _load(counts, first + k * WARP, first + k * WARP < number)[0]
    for k in range(OF_THREAD):
        total = np.int32(total + result[k])
    total = sum_of_warp(total)
    if thread % WARP == 0:
        of_warps[thread // WARP] = total
    cuda.syncthreads()
    before, whole = np.int32(0), np.int32(0)
    for warp in range(WARPS):
        if warp < thread // WARP:
            before = np.int32(before + of_warps[warp])
        whole = np.int32(whole + of_warps[warp])
    return before, whole


@cuda.jit
def totals_kernel(counts, number, totals):
    """Add up each share of the counts, a block a share.

    Parameters
    ----------
    counts
        int32.
    number
        How many there are.
    totals
        int32, one a share.
    """
    of_warps = cuda.shared.array(WARPS, np.int32)
    result = cuda.local.array(OF_THREAD, np.int32)
    begin_in_sequence()
    thread, block = np.int32(cuda.threadIdx.x), np.int64(cuda.blockIdx.x)
    first = block * SHARE + thread // WARP * OF_WARP + thread % WARP
    _, whole = _before_warp(counts, number, first, of_warps, result)
    if thread == 0:
        totals[block] = whole


@cuda.jit
def places_kernel(counts, number, offsets, places):
    """Write the sum before each count, and after them that of all.

    Parameters
    ----------
    counts, number
        As of `totals_kernel`.
    offsets
        int32: the sum before each share.
    places
        int32 of number + 1.
    """
    of_warps = cuda.shared.array(WARPS, np.int32)
    result = cuda.local.array(OF_THREAD, np.int32)
    begin_in_sequence()
    thread, block = np.int32(cuda.threadIdx.x), np.int64(cuda.blockIdx.x)
    lane = np.int32(thread % WARP)
    first = block * SHARE + thread // WARP * OF_WARP + lane
    before, _ = _before_warp(counts, number, first, of_warps, result)
    before = np.int32(before + offsets[block])
    for k in range(OF_THREAD):
        through = sum_through(result[k], lane)
        at = first + k * WARP
        if at < number:
            places[at] = np.int32(before + through - result[k])
        if at == number - 1:
            places[number] = np.int32(before + through)
        before = np.int32(before + cuda.shfl_sync(EVERY_LANE, through, WARP - 1))


@cuda.jit
def offsets_kernel(counts, number, offsets):
    """Sum what is before each of the counts, by one block; several blocks take lists one after the other.

    Parameters
    ----------
    counts
        int32, of each list.
    number
        How many there are in a list.
    offsets
        int32 of number + 1 a list; the last is the sum of all.
    """
    totals = cuda.shared.array(WARP, np.int32)
    begin_in_sequence()
    thread, which = np.int32(cuda.threadIdx.x), np.int64(cuda.blockIdx.x)
    share = (number + SCAN_THREADS - 1) // SCAN_THREADS
    begin = min(np.int64(thread) * share, number)
    end = min(begin + share, number)
    own, at = np.int32(0), begin
    while at < end:
        for step in range(AT_ONCE):
            own = np.int32(own + _load(counts, which * number + at + step, at + step < end)[0])
        at += AT_ONCE
    before, whole = before_in_block(own, totals, thread, SCAN_THREADS // WARP)
    result, at = cuda.local.array(AT_ONCE, np.int32), begin
    while at < end:
        for step in range(AT_ONCE):
            result[step] = _load(counts, which * number + at + step, at + step < end)[0]
        for step in range(AT_ONCE):
            if at + step < end:
                offsets[which * (number + 1) + at + step] = before
            before = np.int32(before + result[step])
        at += AT_ONCE
    if thread == 0:
        offsets[which * (number + 1) + number] = whole


def summing(counts: Any, number: int, places: Any) -> list[Launch]:
    """Return the launches that write the sum before each count, and after them that of all.

    Parameters
    ----------
    counts
        int32 device array, not negative; all together below 2^31.
    number
        How many there are, at least one.
    places
        int32 device array of number + 1: what is written.

    Raises
    ------
    OutOfDeviceMemoryError
        The device has too little memory.
    """
    shares = -(-number // SHARE)
    totals, offsets = all_or_nothing(lambda: (empty(shares, np.int32), empty(shares + 1, np.int32)))

    def ready(kernel: Any, blocks: int, threads: int, *arguments: Any) -> Launch:
        return Launch(kernel, blocks, threads, arguments, np.float64)

    if shares > ONE_BLOCK:
        of_totals = summing(totals, shares, offsets)
    else:
        of_totals = [ready(offsets_kernel, 1, SCAN_THREADS, totals, shares, offsets)]
    return [
        ready(totals_kernel, shares, THREADS, counts, number, totals),
        *of_totals,
        ready(places_kernel, shares, THREADS, counts, number, offsets, places),
    ]


def prefix_sums(counts: Any, number: int, stream: Any) -> tuple[Any, int]:
    """Return the sum before each count, after them that of all, and that of all as a number of the host.

    Parameters
    ----------
    counts
        int32 device array, not negative; all together below 2^31.
    number
        How many there are.
    stream
        0, or an object of Numba or cuda.core.

    Returns
    -------
    tuple
        int32 device array of number + 1, and its last element.

    Raises
    ------
    OutOfDeviceMemoryError
        The device has too little memory.
    """
    if not number:
        return upload(np.zeros(1, np.int32)), 0
    places = all_or_nothing(lambda: empty(number + 1, np.int32))
    run(summing(counts, number, places), stream)
    if stream:
        stream.synchronize()
    return places, int(places[number : number + 1].copy_to_host()[0])
