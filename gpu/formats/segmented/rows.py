"""The kernel that adds the sums of the slots of each row."""

import functools
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gpu.kernel_parts.loads import LOADS_IF, VECTOR_IF
from gpu.kernel_parts.row_results import write_row
from gpu.kernel_parts.unrolled import one_by_one, together
from gpu.kernel_parts.warps import sum_of_reals
from gpu.runtime.cuda import EVERY_LANE, WARP, cuda, device_function
from gpu.runtime.kernel_sequence import let_next_begin, wait_for_previous

MANY_SLOTS = 32
"""A row with more has a warp to add them."""
WINDOW = 2
"""Words of a window of rows: its first row, and the slots before it."""

_slot = LOADS_IF[1]
_sum = VECTOR_IF[1]


def _slots_ahead(threads: int, times: int) -> Any:
    """Make the function that loads the places of this many sums for each thread."""

    def place(k: int) -> Any:
        @device_function
        def ahead(slots: Any, at: Any, end: Any) -> Any:
            return _slot(slots, at + k * threads, at + k * threads < end)[0]

        return ahead

    return together([place(k) for k in range(times)])


def _sums_of(threads: int, times: int) -> Any:
    """Make the function that loads the sums at these places."""

    def of_place(k: int) -> Any:
        @device_function
        def own(sums: Any, result: Any, at: Any, end: Any) -> Any:
            return _sum(sums, np.int64(result[k]), at + k * threads < end)[0]

        return own

    return together([of_place(k) for k in range(times)])


def _kept(threads: int, times: int) -> Any:
    """Make the function that stores what each thread has loaded."""

    def of_place(k: int) -> Any:
        @device_function
        def keep(held: Any, loaded: Any, at: Any) -> None:
            held[at + k * threads] = loaded[k]

        return keep

    return one_by_one([of_place(k) for k in range(times)])


def windows_of(row_pointers: NDArray[Any], most: int) -> NDArray[np.uint32]:
    """Cut rows into windows that end where the next this many rows and slots, counted together, begin.

    So blocks of threads add about as many sums, wherever rows have many. A window has no more than `most`
    rows, and of its first row alone it may have more slots.

    Parameters
    ----------
    row_pointers
        (M + 1,) integers: the slots before each row.
    most
        Rows and slots of a window.

    Returns
    -------
    (WINDOW (windows + 1),) uint32
        Of each its first row and the slots before that; at the end all rows and slots.
    """
    rows = len(row_pointers) - 1
    number = (row_pointers[1:].astype(np.int64) + np.arange(rows)) // most
    edges = np.append(np.flatnonzero(np.diff(number, prepend=-1)), rows)
    return np.stack((edges, row_pointers[edges]), axis=1).astype(np.uint32).ravel()


@functools.cache
def rows_kernel(real: Any, threads: int, at_once: int) -> Any:
    """Make the kernel that adds the sums of the slots of each row, a window of rows a block of threads.

    Parameters
    ----------
    real
        np.float32 or np.float64.
    threads
        Of a block, a multiple of 32.
    at_once
        Sums that a thread brings into shared memory at once. A window has no more rows.
    """
    chunk = threads * at_once
    ahead, load, keep = _slots_ahead(threads, at_once), _sums_of(threads, at_once), _kept(threads, at_once)

    @cuda.jit
    def kernel(sums, pointers, slots, windows, y, alpha, beta):
        """Bring sums into shared memory, and add those of a row a thread, or of one with many a warp.

        Parameters
        ----------
        sums
            real, one a slot.
        pointers, slots
            `row_pointers` and `row_slots` of `gpu.formats.segmented.container.SegmentedSliced`.
        windows
            As `windows_of` returns them.
        y
            real of M.
        alpha, beta
            Scalars of the real type; y is not read where beta is 0.
        """
        held = cuda.shared.array(chunk, real)
        results = cuda.shared.array(chunk, real)
        thread, place = np.int64(cuda.threadIdx.x), WINDOW * np.int64(cuda.blockIdx.x)
        first, at = np.int64(windows[place]), np.int64(windows[place + 1])
        last_row, end = np.int64(windows[place + WINDOW]), np.int64(windows[place + WINDOW + 1])
        # Whole warps go through it, since one may add for a row of another lane.
        window = -(-(last_row - first) // WARP) * WARP
        let_next_begin()
        result = ahead(slots, at + thread, end)
        k = thread
        while k < window:
            results[k] = real(0)
            k += threads
        wait_for_previous()
        while at < end:
            loaded = load(sums, result, at + thread, end)
            result = ahead(slots, at + chunk + thread, end)
            keep(held, loaded, thread)
            cuda.syncthreads()
            k = thread
            while k < window:
                row, own, last = np.uint64(first + k), np.int64(0), np.int64(0)
                if first + k < last_row:
                    own = max(np.int64(pointers[row]) - at, np.int64(0))
                    last = min(np.int64(pointers[row + np.uint64(1)]) - at, np.int64(chunk))
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
                    of_lane = sum_of_reals(of_lane)
                    if np.int32(thread & 31) == leader:
                        total = of_lane
                results[k] += total
                k += threads
            at += chunk
            cuda.syncthreads()
        k = thread
        while first + k < last_row:
            write_row(y, np.uint64(first + k), results[k], alpha, beta, real(0))
            k += threads

    return kernel
