"""The kernel that adds the sums of the slots of each row."""

import functools
from typing import Any

import numpy as np

from gpu.kernel_parts.loads import LOADS_IF, VECTOR_IF
from gpu.kernel_parts.row_results import write_row
from gpu.runtime.cuda import EVERY_LANE, WARP, cuda, device_function
from gpu.runtime.launches import let_next_begin, wait_for_previous

MANY_SLOTS = 32
"""A row with more has a warp to add them."""

_slot = LOADS_IF[1]
_sum = VECTOR_IF[1]


def _slots_ahead(threads: int, times: int) -> Any:
    """Make the function that loads the places of so many sums for each thread."""

    @device_function
    def ahead(slots: Any, at: Any, end: Any) -> Any:
        return (_slot(slots, at, at < end)[0],)

    if times == 1:
        return ahead
    others = _slots_ahead(threads, times - 1)

    @device_function
    def all_(slots: Any, at: Any, end: Any) -> Any:
        return (_slot(slots, at, at < end)[0], *others(slots, at + threads, end))

    return all_


def _sums_of(threads: int, times: int) -> Any:
    """Make the function that loads the sums at these places."""

    @device_function
    def one(sums: Any, found: Any, at: Any, end: Any) -> Any:
        return (_sum(sums, np.int64(found[0]), at < end)[0],)

    if times == 1:
        return one
    others = _sums_of(threads, times - 1)

    @device_function
    def all_(sums: Any, found: Any, at: Any, end: Any) -> Any:
        own = _sum(sums, np.int64(found[0]), at < end)[0]
        return (own, *others(sums, found[1:], at + threads, end))

    return all_


def _kept(threads: int, times: int) -> Any:
    """Make the function that stores what each thread has loaded."""

    @device_function
    def one(held: Any, loaded: Any, at: Any) -> None:
        held[at] = loaded[0]

    if times == 1:
        return one
    others = _kept(threads, times - 1)

    @device_function
    def all_(held: Any, loaded: Any, at: Any) -> None:
        held[at] = loaded[0]
        others(held, loaded[1:], at + threads)

    return all_


@functools.cache
def rows_kernel(real: Any, window: int, threads: int, at_once: int) -> Any:
    """Make the kernel that adds the sums of the slots of each row, a window of rows a block of threads.

    Parameters
    ----------
    real
        np.float32 or np.float64.
    window
        Rows of a window, a multiple of 32.
    threads
        Of a block, likewise.
    at_once
        Sums that a thread brings into shared memory at once.
    """
    chunk = threads * at_once
    ahead, load, keep = _slots_ahead(threads, at_once), _sums_of(threads, at_once), _kept(threads, at_once)

    @cuda.jit
    def kernel(sums, pointers, slots, rows, y, alpha, beta):
        """Bring sums into shared memory, and add those of a row a thread, or of one with many a warp.

        Parameters
        ----------
        sums
            real, one a slot.
        pointers, slots
            `row_pointers` and `row_slots` of `vecsim.formats.SegmentedSliced`.
        rows
            M.
        y
            real of M.
        alpha, beta
            Scalars of the real type; y is not read where beta is 0.
        """
        held = cuda.shared.array(chunk, real)
        results = cuda.shared.array(window, real)
        thread, first = np.int64(cuda.threadIdx.x), np.int64(cuda.blockIdx.x) * window
        at, end = np.int64(pointers[first]), np.int64(pointers[min(first + window, rows)])
        let_next_begin()
        found = ahead(slots, at + thread, end)
        k = thread
        while k < window:
            results[k] = real(0)
            k += threads
        wait_for_previous()
        while at < end:
            loaded = load(sums, found, at + thread, end)
            found = ahead(slots, at + chunk + thread, end)
            keep(held, loaded, thread)
            cuda.syncthreads()
            k = thread
            while k < window:
                place, own, last = np.uint64(first + k), np.int64(0), np.int64(0)
                if place < rows:
                    own = max(np.int64(pointers[place]) - at, np.int64(0))
                    last = min(np.int64(pointers[place + np.uint64(1)]) - at, np.int64(chunk))
                many = last - own > MANY_SLOTS
                total = real(0)
                while own < last and not many:
                    total += held[own]
                    own += 1
                left = np.uint32(cuda.ballot_sync(EVERY_LANE, many))
                while left != 0:
                    leader = np.int32(cuda.ffs(left) - 1)
                    left = left & np.uint32(left - 1)
                    other = np.int64(cuda.shfl_sync(EVERY_LANE, own, leader)) + (thread & 31)
                    stop = np.int64(cuda.shfl_sync(EVERY_LANE, last, leader))
                    of_lane = real(0)
                    while other < stop:
                        of_lane += held[other]
                        other += WARP
                    offset = np.int32(WARP // 2)
                    while offset > 0:
                        of_lane += cuda.shfl_xor_sync(EVERY_LANE, of_lane, offset)
                        offset = np.int32(offset >> np.int32(1))
                    if np.int32(thread & 31) == leader:
                        total = of_lane
                results[k] += total
                k += threads
            at += chunk
            cuda.syncthreads()
        k = thread
        while k < window and first + k < rows:
            write_row(y, np.uint64(first + k), results[k], alpha, beta, real(0))
            k += threads

    return kernel
