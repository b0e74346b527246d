"""Rows of blocks in order by counting, on the device: by classes, by a sort, by the dynamic programme.

A block of threads takes a block of the matrix into shared memory. A pass counts the rows of each digit and
puts them one behind the other, stable and without an atomic that decides an order, as a radix sort does; each
warp takes neighbouring rows. Classes are one pass; a sort takes one for each seven bits of the largest
number, which is one or two. So the baseline is a sort in shared memory, better than one of all rows at once.
"""

import functools
from typing import Any, Literal

import numpy as np

from gpu.conversion.hbp.hash_order import ORDER_THREADS
from gpu.runtime.cuda import EVERY_LANE, WARP, cuda, device_function
from gpu.runtime.launches import let_next_begin, wait_for_previous
from vecsim.formats.hbp.ordering import GROUP_COST

DIGIT_BITS = 7
DIGITS = 1 << DIGIT_BITS
"""More than there are classes of 32-bit numbers with `CLASS_BITS` up to 2."""
MOST_CLASS_BITS = 2
WARPS = ORDER_THREADS // WARP
CELLS = DIGITS * WARPS
Kind = Literal["classes", "sort", "dynamic"]


@device_function
def _class_of(count, bits, digits):
    """Give the class of a number that has so many binary digits; see `vecsim.formats.hbp.ordering`."""
    shift = max(0, digits - bits - 1)
    return (shift << bits) + (count >> shift)


@functools.cache
def counted_order_kernel(block_rows: int, kind: Kind) -> Any:
    """Make the kernel for blocks of so many rows, a multiple of 32."""
    by_class, dynamic = kind == "classes", kind == "dynamic"
    sums = block_rows + 1 if dynamic else 1
    share = -(-block_rows // WARPS // WARP) * WARP if block_rows >= WARPS * WARP else WARP

    @cuda.jit
    def kernel(counts, bits, order, begins):
        """Put the rows of a block in order.

        Parameters
        ----------
        counts
            int32: entries of each row of each block.
        bits
            Of classes; else not read.
        order
            int32, as many: which row stands at each place.
        begins
            uint8, as many: whether a group begins there; written by the dynamic programme alone.
        """
        from_rows = cuda.shared.array(block_rows, np.int32)
        to_rows = cuda.shared.array(block_rows, np.int32)
        cells = cuda.shared.array(CELLS, np.int32)
        most = cuda.shared.array(1, np.int32)
        before = cuda.shared.array(sums, np.int64)
        cost = cuda.shared.array(sums, np.int64)
        start = cuda.shared.array(sums, np.int32)
        thread = np.int32(cuda.threadIdx.x)
        lane, warp = np.int32(thread % WARP), np.int32(thread // WARP)
        below = np.uint32((np.uint32(1) << np.uint32(lane)) - np.uint32(1))
        first = np.int64(cuda.blockIdx.x) * block_rows
        let_next_begin()
        wait_for_previous()
        if thread == 0:
            most[0] = np.int32(0)
        cuda.syncthreads()
        row = thread
        while row < block_rows:
            from_rows[row] = row
            cuda.atomic.max(most, 0, counts[np.uint64(first + row)])
            row = np.int32(row + ORDER_THREADS)
        cuda.syncthreads()
        shift, passes = np.int32(0), np.int32(1)
        if not by_class:
            while most[0] >> (DIGIT_BITS * passes) > 0:
                passes = np.int32(passes + 1)
        own_first = np.int32(warp * share)
        own_last = min(np.int32(own_first + share), np.int32(block_rows))
        for _ in range(passes):
            cell = thread
            while cell < CELLS:
                cells[cell] = np.int32(0)
                cell = np.int32(cell + ORDER_THREADS)
            cuda.syncthreads()
            for moving in range(2):
                at = np.int32(own_first + lane)
                while at - lane < own_last:
                    row = from_rows[at]
                    count = counts[np.uint64(first + row)]
                    if by_class:
                        digit = np.int32(_class_of(count, bits, 32 - cuda.clz(np.uint32(count))))
                    else:
                        digit = np.int32((count >> shift) & (DIGITS - 1))
                    same = np.uint32(cuda.match_any_sync(EVERY_LANE, digit))
                    rank = np.int32(cuda.popc(same & below))
                    number = np.int32(cuda.popc(same))
                    place = cells[digit * WARPS + warp]
                    cuda.syncwarp()
                    if moving == 1:
                        to_rows[place + rank] = row
                    if rank == 0:
                        cells[digit * WARPS + warp] = np.int32(place + number)
                    cuda.syncwarp()
                    at = np.int32(at + WARP)
                cuda.syncthreads()
                if moving == 0 and thread < WARP:
                    # The sums before each count, digit by digit, in a digit warp by warp.
                    carried = np.int32(0)
                    cell = lane
                    while cell < CELLS:
                        count_here = cells[cell]
                        whole = count_here
                        distance = np.int32(1)
                        while distance < WARP:
                            earlier = cuda.shfl_up_sync(EVERY_LANE, whole, distance)
                            if lane >= distance:
                                whole = np.int32(whole + earlier)
                            distance = np.int32(distance * 2)
                        cells[cell] = np.int32(carried + whole - count_here)
                        carried = np.int32(carried + cuda.shfl_sync(EVERY_LANE, whole, WARP - 1))
                        cell = np.int32(cell + WARP)
                cuda.syncthreads()
            row = thread
            while row < block_rows:
                from_rows[row] = to_rows[row]
                row = np.int32(row + ORDER_THREADS)
            shift = np.int32(shift + DIGIT_BITS)
            cuda.syncthreads()
        row = thread
        while row < block_rows:
            order[np.uint64(first + row)] = from_rows[row]
            if dynamic:
                begins[np.uint64(first + row)] = np.uint8(0)
            row = np.int32(row + ORDER_THREADS)
        cuda.syncthreads()
        if dynamic and thread < WARP:
            if lane == 0:
                before[0], cost[0] = np.int64(0), np.int64(0)
                for placed in range(block_rows):
                    row = from_rows[placed]
                    before[placed + 1] = before[placed] + np.int64(counts[np.uint64(first + row)])
            cuda.syncwarp()
            for end in range(1, block_rows + 1):
                # A lane tries the group that begins so many rows before: the least cost, then the longest.
                begin = np.int64(end - WARP + lane)
                found = np.int64(1) << np.int64(62)
                if begin >= 0:
                    longest = before[end] - before[end - 1]
                    padding = longest * (end - begin) - (before[end] - before[begin])
                    found = (cost[begin] + padding + GROUP_COST) * WARP + np.int64(lane)
                distance = np.int32(WARP // 2)
                while distance > 0:
                    found = min(found, np.int64(cuda.shfl_xor_sync(EVERY_LANE, found, distance)))
                    distance = np.int32(distance // 2)
                if lane == 0:
                    cost[end] = found // WARP
                    start[end] = np.int32(end - WARP + found % WARP)
                cuda.syncwarp()
            if lane == 0:
                behind = np.int32(block_rows)
                while behind > 0:
                    behind = start[behind]
                    begins[np.uint64(first + behind)] = np.uint8(1)

    return kernel


@cuda.jit
def repeat_kernel(rows_order, across, block_rows, slots, order):
    """Give all blocks of a row of blocks the same order, a thread a place.

    Parameters
    ----------
    rows_order
        int32: the order of each row of blocks.
    across, block_rows, slots
        As of `gpu.conversion.hbp.row_counts.row_counts_kernel`.
    order
        int32, one a slot.
    """
    slot = np.int64(cuda.grid(1))
    let_next_begin()
    wait_for_previous()
    if slot < slots:
        block = slot // block_rows
        order[np.uint64(slot)] = rows_order[np.uint64(block // across * block_rows + slot % block_rows)]
