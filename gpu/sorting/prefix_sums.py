"""Sums before each of many counts on the device.

Three kernels: a block of threads sums a share of the counts, one block sums what is before each share, and
each block sums again, now from there on. Neighbouring threads have neighbouring counts in both. That moves 12
bytes a count; counting and adding up in one kernel would move 8, but blocks would have to wait for another.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from gpu.hisparse.building.tree_building import enqueue, room
from gpu.kernel_parts.loads import VECTOR_IF
from gpu.runtime.cuda import EVERY_LANE, SIMULATED, WARP, cuda, device_function
from gpu.runtime.launches import let_next_begin, wait_for_previous
from gpu.runtime.memory import all_or_nothing, upload
from gpu.sums.merge_kernels import SCAN_THREADS, offsets_kernel

THREADS = 64 if SIMULATED else 256
WARPS = THREADS // WARP
OF_THREAD = 2 if SIMULATED else 16
"""Counts of a thread, a warp apart; the loads of all are under way together."""
OF_WARP = OF_THREAD * WARP
SHARE = OF_WARP * WARPS
"""Counts of a block."""
ONE_BLOCK = 1 << 15
"""Of so many shares one block of threads sums the totals; of more they are summed as counts are."""

_load = VECTOR_IF[1]


@device_function
def _before_warp(counts: Any, number: Any, first: Any, of_warps: Any, found: Any) -> Any:
    """Load the counts of a thread, and give the sum of those of the warps before its own, and of all warps.

    Parameters
    ----------
    counts, number
        All counts.
    first
        The first of the thread.
    of_warps
        int32 of shared memory, one a warp.
    found
        int32 of `OF_THREAD`: takes its counts.
    """
    thread, total = np.int32(cuda.threadIdx.x), np.int32(0)
    for k in range(OF_THREAD):
        found[k] = _load(counts, first + k * WARP, first + k * WARP < number)[0]
    for k in range(OF_THREAD):
        total = np.int32(total + found[k])
    distance = np.int32(WARP // 2)
    while distance > 0:
        total = np.int32(total + cuda.shfl_xor_sync(EVERY_LANE, total, distance))
        distance = np.int32(distance // 2)
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
    found = cuda.local.array(OF_THREAD, np.int32)
    let_next_begin()
    wait_for_previous()
    thread, block = np.int32(cuda.threadIdx.x), np.int64(cuda.blockIdx.x)
    first = block * SHARE + thread // WARP * OF_WARP + thread % WARP
    _, whole = _before_warp(counts, number, first, of_warps, found)
    if thread == 0:
        totals[block] = whole


@cuda.jit
def places_kernel(counts, number, offsets, places):
    """Give the sum before each count, and behind them that of all.

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
    found = cuda.local.array(OF_THREAD, np.int32)
    let_next_begin()
    wait_for_previous()
    thread, block = np.int32(cuda.threadIdx.x), np.int64(cuda.blockIdx.x)
    lane = np.int32(thread % WARP)
    first = block * SHARE + thread // WARP * OF_WARP + lane
    before, _ = _before_warp(counts, number, first, of_warps, found)
    before = np.int32(before + offsets[block])
    for k in range(OF_THREAD):
        through = found[k]
        distance = np.int32(1)
        while distance < WARP:
            other = cuda.shfl_up_sync(EVERY_LANE, through, distance)
            if lane >= distance:
                through = np.int32(through + other)
            distance = np.int32(distance * 2)
        at = first + k * WARP
        if at < number:
            places[at] = np.int32(before + through - found[k])
        if at == number - 1:
            places[number] = np.int32(before + through)
        before = np.int32(before + cuda.shfl_sync(EVERY_LANE, through, WARP - 1))


def prefix_sums(counts: Any, number: int, stream: Any) -> tuple[Any, int]:
    """Give the sum before each count, behind them that of all, and that of all as a number of the host.

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
    shares = -(-number // SHARE)
    totals, places = all_or_nothing(lambda: (room(shares, np.int32), room(number + 1, np.int32)))
    enqueue(totals_kernel, (shares, THREADS), (counts, number, totals), stream)
    if shares > ONE_BLOCK:
        offsets, _ = prefix_sums(totals, shares, stream)
    else:
        offsets = all_or_nothing(lambda: room(shares + 1, np.int32))
        enqueue(offsets_kernel, (1, SCAN_THREADS), (totals, shares, offsets), stream)
    enqueue(places_kernel, (shares, THREADS), (counts, number, offsets, places), stream)
    if stream:
        stream.synchronize()
    return places, int(places[number : number + 1].copy_to_host()[0])
