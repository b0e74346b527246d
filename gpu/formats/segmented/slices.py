"""The kernel that multiplies slices by segments of x in shared memory, and leaves a sum for each slot."""

import functools
from typing import Any

import numpy as np

from gpu.kernel_parts.async_copies import START_WIDE, WIDE_BYTES, is_aligned, start_copy, wait_for_copies
from gpu.kernel_parts.loads import LOADS_IF
from gpu.kernel_parts.step_loads import row_loads, step_loads
from gpu.kernel_parts.unrolled import in_turn, one_by_one
from gpu.kernel_parts.warps import sum_of_neighbours
from gpu.runtime.cuda import SIMULATED, WARP, cuda, device_function
from gpu.runtime.kernel_sequence import let_next_begin, wait_for_previous

RECORD = 4
"""Words of a slice: first step; steps, and above them the logarithms of threads a slot and of slots a thread;
first slot; slots."""
BYTE = 0xFF
"""Of the second word, the steps."""
SHARE = 4
"""Words of a share of a block: segment, first slice, the one after its last, element brought first."""

_record = LOADS_IF[RECORD]


FIRST = WIDE_BYTES // 4
"""Elements of shared memory before those of x, so that 16 bytes can be copied at once; the last is 0."""


def _products(steps: range) -> Any:
    """Make the function that adds the products of these steps of a thread."""
    return in_turn([_product(k) for k in steps])


def _product(k: int) -> Any:
    @device_function
    def product(total: Any, fetched: Any, held: Any) -> Any:
        return total + fetched[0][k] * held[fetched[1][k] + (FIRST - 1)]

    return product


def _store_of(direct: bool) -> Any:
    """Make the function that stores the sum of a slot, or adds it to y."""

    @device_function
    def store(sums: Any, slot: Any, row: Any, total: Any, alpha: Any) -> None:
        if direct:
            cuda.atomic.add(sums, np.int64(row), alpha * total)
        else:
            sums[np.uint64(slot)] = total

    return store


def _several(real: Any, steps: int, each: int, direct: bool) -> Any:
    """Make the function that adds and stores the sums of this many slots of a thread."""
    store = _store_of(direct)

    def of_turn(turn: int) -> Any:
        add = _products(range(turn, steps, each))
        ahead = np.uint32(WARP * turn)

        @device_function
        def one(record: Any, fetched: Any, rows: Any, held: Any, lane: Any, sums: Any, alpha: Any) -> None:
            slot, total = np.uint32(lane + ahead), add(real(0), fetched, held)
            if slot < record[3]:
                store(sums, np.uint32(record[2] + slot), rows[turn], total, alpha)

        return one

    return one_by_one([of_turn(turn) for turn in range(each)])


def _by_slots(real: Any, steps: int, most: int, direct: bool) -> Any:
    """Make the function that adds and stores the sums of a thread with 2, 4, ... or `most` slots."""

    def from_(bits: int) -> Any:
        several = _several(real, steps, 1 << bits, direct)
        if 2 << bits > most:
            return several
        others = from_(bits + 1)

        @device_function
        def choose(record: Any, fetched: Any, rows: Any, held: Any, lane: Any, sums: Any, alpha: Any) -> None:
            if np.uint32(record[1] >> np.uint32(16)) == np.uint32(bits):
                several(record, fetched, rows, held, lane, sums, alpha)
            else:
                others(record, fetched, rows, held, lane, sums, alpha)

        return choose

    return from_(1)


@functools.cache
def slices_kernel(real: Any, threads: int, steps: int, each: int, direct: bool, x_is_ready: bool) -> Any:
    """Make the kernel that multiplies slices by their segments of x.

    Parameters
    ----------
    real
        np.float32 or np.float64.
    threads
        Of a block.
    steps
        That a slice has at most, 2 or more: all are loaded while the slice before is added.
    each
        Slots that a thread has at most, a power of two.
    direct
        Whether sums are added to y as they come, in no order that is known.
    x_is_ready
        Whether x may be read before the kernel before this one has ended: that one lets this begin only when
        all that came before it has ended, and does not write x.
    """
    warps, kind, half = threads // WARP, np.dtype(real), steps // 2
    fetch, fetch_rows = step_loads(steps, WARP), row_loads(each, WARP)
    add_first, add_others = _products(range(half)), _products(range(half, steps))
    store, several = _store_of(direct), _by_slots(real, steps, max(2, each), direct)
    start_wide, wide = START_WIDE[kind.itemsize], WIDE_BYTES // kind.itemsize
    options = {} if SIMULATED else {"launch_bounds": (threads, 1)}

    @device_function
    def multiply(record: Any, fetched: Any, rows: Any, held: Any, lane: Any, sums: Any, alpha: Any) -> None:
        """Add the products of a slice, and those of the threads of each slot; store the sums of its slots."""
        if each > 1 and np.uint32(record[1] >> np.uint32(16)) > np.uint32(0):
            several(record, fetched, rows, held, lane, sums, alpha)
        else:
            total = add_first(real(0), fetched, held)
            if np.int32(record[1] & np.uint32(BYTE)) > half:
                total = add_others(total, fetched, held)
            bits = np.uint32(np.uint32(record[1] >> np.uint32(8)) & np.uint32(BYTE))
            total = sum_of_neighbours(total, np.int32(np.uint32(1) << bits))
            slot = np.uint32(lane >> bits)
            if np.uint32(slot << bits) == lane and slot < record[3]:
                store(sums, np.uint32(record[2] + slot), rows[0], total, alpha)

    @device_function
    def ahead(columns: Any, values: Any, slot_rows: Any, record: Any, lane: Any) -> Any:
        """Load what a thread needs of a slice: its entries, and the rows of its slots."""
        at = np.int64(record[0]) * WARP + np.int64(lane)
        fetched = fetch(values, columns, at, np.int32(record[1] & np.uint32(BYTE)))
        bits = np.uint32(np.uint32(record[1] >> np.uint32(8)) & np.uint32(BYTE))
        slot, count = np.uint32(lane >> bits), record[3]
        if not direct:
            count = np.uint32(0)
        rows = fetch_rows(slot_rows, np.int64(np.uint32(record[2] + slot)), np.int32(count) - np.int32(slot))
        return fetched, rows

    @device_function
    def bring(held: Any, x: Any, begin: Any, size: Any, transposed: Any, thread: Any) -> None:
        """Start the copies of a segment, from this element on and then from its first."""
        place, all_ = np.int64(0), np.int64(0)
        if is_aligned(x, begin):
            all_, place = size // wide * wide, wide * thread
        while place < all_:
            at = place + transposed
            if at >= all_:
                at -= all_
            start_wide(held, at + FIRST, x, begin + at)
            place += wide * threads
        place = all_ + thread
        while place < size:
            start_copy(held, place + FIRST, x, begin + place)
            place += threads

    @cuda.jit(**options)
    def kernel(columns, values, records, shares, share_begins, segment_columns, width, x,
               slot_rows, sums, alpha):  # fmt: skip
        """Multiply the shares of this block of threads, a slice a warp.

        Parameters
        ----------
        columns, values
            Of `gpu.formats.segmented.container.SegmentedSliced`.
        records, shares
            uint32: `RECORD` words a slice, `SHARE` a share.
        share_begins
            int32: where the shares of each block of threads begin.
        segment_columns, width
            Columns of a segment and of the matrix.
        x
            real of N, columns in their order.
        slot_rows
            uint32, one a slot: its row; read if sums are added directly.
        sums
            real: y, or one a slot.
        alpha
            A scalar of the real type: the factor of what is added to y.
        """
        held = cuda.shared.array(0, kind)
        thread = np.int32(cuda.threadIdx.x)
        warp, lane = np.int32(thread >> np.int32(5)), np.uint32(np.uint32(thread) & np.uint32(31))
        share = np.int32(share_begins[cuda.blockIdx.x])
        last_share = np.int32(share_begins[cuda.blockIdx.x + 1])
        let_next_begin()
        if thread == 0:
            held[FIRST - 1] = real(0)
        waiting = True
        while share < last_share:
            segment = np.int64(shares[SHARE * share])
            number = np.int32(np.int32(shares[SHARE * share + 1]) + warp)
            end = np.int32(shares[SHARE * share + 2])
            transposed = np.int64(shares[SHARE * share + 3])
            record = _record(records, RECORD * np.int64(number), number < end)
            later = np.int32(number + warps)
            next_record = _record(records, RECORD * np.int64(later), later < end)
            fetched, rows = ahead(columns, values, slot_rows, record, lane)
            if not waiting:
                cuda.syncthreads()
            elif not x_is_ready:
                wait_for_previous()
            begin = segment * segment_columns
            bring(held, x, begin, min(segment_columns, width - begin), transposed, np.int64(thread))
            if waiting and x_is_ready:
                wait_for_previous()
            waiting = False
            wait_for_copies()
            cuda.syncthreads()
            # Two slices a turn, in separate registers; after the end one has no steps and no slots.
            while number < end:
                next_fetched, next_rows = ahead(columns, values, slot_rows, next_record, lane)
                later = np.int32(later + warps)
                after_next = _record(records, RECORD * np.int64(later), later < end)
                multiply(record, fetched, rows, held, lane, sums, alpha)
                record = after_next
                fetched, rows = ahead(columns, values, slot_rows, record, lane)
                later = np.int32(later + warps)
                after_next = _record(records, RECORD * np.int64(later), later < end)
                multiply(next_record, next_fetched, next_rows, held, lane, sums, alpha)
                next_record = after_next
                number = np.int32(number + 2 * warps)
            share = np.int32(share + 1)

    return kernel
