"""Rows of blocks in order by counting, on the device: by the hash, by classes, or by a sort; a warp a block.

A pass counts the rows of each digit and puts them one after the other, stable and without an atomic, as a
radix sort does: 32 rows at a time, in their order, find among themselves which have the same digit, and how
many there were before. The hash and classes are one pass; a sort takes one for each seven bits of the largest
number of the block, which is one or two. So the baseline is a sort in shared memory, better than one of all
rows at once.

Sorted rows may be cut into groups by the dynamic programme of DP2D, a warp a block too.
"""

import functools
from typing import Any

import numpy as np

from gpu.hbp.building.row_hash import any_hash_of, hash_of
from gpu.hbp.ordering import CLASS_BITS, GROUP_COST
from gpu.kernel_parts.warps import most_of_warp, sum_through
from gpu.runtime.cuda import EVERY_LANE, SIMULATED, WARP, cuda, device_function
from gpu.runtime.kernel_sequence import begin_in_sequence


def warps_that_cut(block_rows: int) -> int:
    """Return 1, for a block of threads that cuts a block of this many rows, or 0 where that is too large."""
    return min(1, warps_with((8 + 8 + 4) * (block_rows + 1)))


@functools.cache
def cut_kernel(block_rows: int) -> Any:
    """Make the kernel for blocks of this many rows, a multiple of 32; one a block of 32 threads."""
    words, sums = block_rows // WARP, block_rows + 1

    @cuda.jit
    def kernel(counts, order, begins):
        """Cut the rows of a block into groups of at most 32 with the least padding.

        Parameters
        ----------
        counts
            int32: entries of each row of each block.
        order
            int32, as many: which row stands at each place, by rising counts.
        begins
            uint8, as many, written: whether a group begins there.
        """
        before = cuda.shared.array(sums, np.int64)
        cost = cuda.shared.array(sums, np.int64)
        start = cuda.shared.array(sums, np.int32)
        lane = np.int32(cuda.threadIdx.x)
        first = np.int64(cuda.blockIdx.x) * block_rows
        begin_in_sequence()
        carried = np.int64(0)
        for batch in range(words):
            at = np.uint64(first + batch * WARP + lane)
            begins[at] = np.uint8(0)
            through = sum_through(counts[np.uint64(first + order[at])], lane)
            before[batch * WARP + lane + 1] = carried + through
            carried += np.int64(cuda.shfl_sync(EVERY_LANE, through, WARP - 1))
        if lane == 0:
            before[0], cost[0] = np.int64(0), np.int64(0)
        cuda.syncwarp()
        for end in range(1, block_rows + 1):
            # A lane tries the group that begins this many rows before: the least cost, then the longest.
            begin = np.int64(end - WARP + lane)
            result = np.int64(1) << np.int64(62)
            if begin >= 0:
                longest = before[end] - before[end - 1]
                padding = longest * (end - begin) - (before[end] - before[begin])
                result = (cost[begin] + padding + GROUP_COST) * WARP + np.int64(lane)
            distance = np.int32(WARP // 2)
            while distance > 0:
                result = min(result, np.int64(cuda.shfl_xor_sync(EVERY_LANE, result, distance)))
                distance = np.int32(distance // 2)
            if lane == 0:
                cost[end] = result // WARP
                start[end] = np.int32(end - WARP + result % WARP)
            cuda.syncwarp()
        if lane == 0:
            behind = np.int32(block_rows)
            while behind > 0:
                behind = start[behind]
                begins[np.uint64(first + behind)] = np.uint8(1)

    return kernel


ORDER_THREADS = 64 if SIMULATED else 256
"""Of a block of threads, at most."""
SHARED_BYTES = 48 << 10
"""Of shared memory that a block of threads may declare."""
BY_COUNTING = ("hash", "classes", "sort")
DIGIT_BITS = 7
DIGITS = 1 << DIGIT_BITS
"""More than there are classes of 32-bit numbers."""
AT_ONCE = 4
"""Counts of a lane whose loads are running together."""
REGISTERS = {"hash": 0, "classes": 0, "sort": 48}
"""The most of a thread, 0: as many as the compiler likes; a sort is faster with more warps than it leaves."""
CELL_BITS = 16
"""A row's cell stands above this many bits, how many of its digit came before it below."""


def warps_with(bytes_of_a_warp: int) -> int:
    """Return how many warps of a block of threads find so much shared memory, bytes, each: 0 or more."""
    return min(ORDER_THREADS // WARP, SHARED_BYTES // bytes_of_a_warp)


def warps_that_count(block_rows: int, method: str) -> int:
    """Return how many blocks of this many rows a block of threads takes, a warp each; 0 where too large.

    Where there is room for a block its rows and its cells are fewer than 16 bits tell apart.

    Parameters
    ----------
    block_rows
        A multiple of 32.
    method
        One of `BY_COUNTING`.
    """
    lists = 2 if method == "sort" else 1
    return warps_with((4 + 2 * lists) * block_rows + 2 * WARP * _stride(block_rows, method))


def _cells_of_lane(block_rows: int, method: str) -> int:
    """Return how many digits a lane adds up: the hash has as many as there are places."""
    return (block_rows if method == "hash" else DIGITS) // WARP


def _stride(block_rows: int, method: str) -> int:
    """Return how far apart the first cells of lanes stand: an odd number of words, so in different banks."""
    cells = _cells_of_lane(block_rows, method)
    return cells + (2 - cells) % 4


@device_function
def _class_of(count):
    """Return the class of a number; see `gpu.hbp.ordering`."""
    shift = max(np.int32(0), np.int32(31 - CLASS_BITS - cuda.clz(np.uint32(count))))
    return np.uint32((shift << CLASS_BITS) + (count >> shift))


@device_function
def _passes_for(most):
    """Return how many passes sort numbers up to the largest that a lane of the warp has."""
    most = most_of_warp(most)
    passes = np.int32(1)
    while most >> (DIGIT_BITS * passes) > 0:
        passes = np.int32(passes + 1)
    return passes


@functools.cache
def _sums_before(cells_of_lane: int, ahead: bool) -> Any:
    """Make what puts the sum before each count in its place, for all of a warp.

    A lane has neighbouring counts. Given back is 0 or, where asked for, how many places a row with the digit
    k must stand ahead so that none stands before the place k (`gpu.hbp.ordering.place_rows`).
    """

    @device_function
    def sums(cells, first, lane):
        own = np.int32(0)
        for k in range(cells_of_lane):
            own = np.int32(own + cells[np.uint32(first + k)])
        before, most = np.int32(sum_through(own, lane) - own), np.int32(0)
        for k in range(cells_of_lane):
            number = cells[np.uint32(first + k)]
            cells[np.uint32(first + k)] = np.uint16(before)
            if ahead:
                most = max(most, np.int32(lane * cells_of_lane + k - before))
            before = np.int32(before + number)
        if ahead:
            most = most_of_warp(most)
        cuda.syncwarp()
        return np.uint32(most)

    return sums


@functools.cache
def counted_order_kernel(block_rows: int, method: str, divides: bool = False) -> Any:
    """Make the kernel for blocks of this many rows, a multiple of 32; `warps_that_count` a block of threads.

    Parameters
    ----------
    block_rows, method
        As of `warps_that_count`.
    divides
        Whether `divides_by_product`.
    """
    warps, words, sorts = warps_that_count(block_rows, method), block_rows // WARP, method == "sort"
    by_hash, by_class = method == "hash", method == "classes"
    cells_of_lane, stride = _cells_of_lane(block_rows, method), _stride(block_rows, method)
    own_cells, lists = WARP * stride, 2 if sorts else 1
    all_cells, all_rows = warps * own_cells, warps * block_rows
    all_lists = lists * all_rows
    at_once = AT_ONCE if words % AT_ONCE == 0 else 1
    sums_before = _sums_before(cells_of_lane, by_hash)
    rows_of_block, padding = np.uint32(block_rows), np.uint32(stride - cells_of_lane)
    each = np.uint32(cells_of_lane)

    @cuda.jit
    def kernel(counts, blocks, a, b, c, d, inverse, order):
        """Put the rows of a block in order.

        Parameters
        ----------
        counts
            int32: entries of each row of each block.
        blocks
            How many there are.
        a, b, c, d, inverse
            Of the hash, `numbers_of`; otherwise not read.
        order
            int32, as many as counts: which row stands at each place.
        """
        cells = cuda.shared.array(all_cells, np.uint16)
        marks = cuda.shared.array(all_rows, np.uint32)
        rows = cuda.shared.array(all_lists, np.uint16)
        result = cuda.local.array(at_once, np.int32)
        lane = np.int32(cuda.threadIdx.x % WARP)
        warp = np.int32(cuda.threadIdx.x // WARP)
        earlier = np.uint32((np.uint32(1) << np.uint32(lane)) - np.uint32(1))
        first_cell, first_row = np.uint32(warp * own_cells), np.uint32(warp * block_rows)
        # Warps after the last block do its work again.
        block = min(np.int64(cuda.blockIdx.x) * warps + warp, np.int64(blocks - 1))
        first = block * block_rows
        taken, built = np.uint32(lists * first_row), np.uint32(lists * first_row)
        a, b, c, d, inverse = np.uint32(a), np.uint32(b), np.uint32(c), np.uint32(d), np.uint32(inverse)
        if sorts:
            taken = np.uint32(built + rows_of_block)
            for batch in range(words):
                row = np.uint32(batch * WARP + lane)
                rows[np.uint32(taken + row)] = np.uint16(row)
        begin_in_sequence()
        most, shift, passes = np.int32(0), np.int32(0), np.int32(1)
        done = np.int32(0)
        while done < passes:
            for k in range(stride):
                cells[np.uint32(first_cell + lane + k * WARP)] = np.uint16(0)
            cuda.syncwarp()
            for batch in range(0, words, at_once):
                for k in range(at_once):
                    row = np.uint32((batch + k) * WARP + lane)
                    if sorts:
                        row = np.uint32(rows[np.uint32(taken + row)])
                    result[k] = counts[np.uint64(first + row)]
                for k in range(at_once):
                    count = result[k]
                    if by_hash and divides:
                        digit = hash_of(np.uint32(count), a, b, c, d, inverse)
                    elif by_hash:
                        digit = any_hash_of(np.uint32(count), a, b, c, d, rows_of_block)
                    elif by_class:
                        digit = _class_of(count)
                    else:
                        most = max(most, count)
                        digit = np.uint32((count >> shift) & (DIGITS - 1))
                    cell = np.uint32(digit + np.uint32(np.uint32(digit // each) * padding))
                    same = np.uint32(cuda.match_any_sync(EVERY_LANE, digit))
                    rank = np.uint32(cuda.popc(same & earlier))
                    before = np.uint32(cells[np.uint32(first_cell + cell)])
                    at = np.uint32(first_row + (batch + k) * WARP + lane)
                    marks[at] = np.uint32((cell << np.uint32(CELL_BITS)) | np.uint32(before + rank))
                    cuda.syncwarp()
                    if rank == 0:
                        cells[np.uint32(first_cell + cell)] = np.uint16(before + np.uint32(cuda.popc(same)))
                    cuda.syncwarp()
            ahead = sums_before(cells, np.uint32(first_cell + lane * stride), lane)
            for batch in range(words):
                row = np.uint32(batch * WARP + lane)
                mark = marks[np.uint32(first_row + row)]
                cell = np.uint32(mark >> np.uint32(CELL_BITS))
                rank = np.uint32(mark & np.uint32((1 << CELL_BITS) - 1))
                place = np.uint32(cells[np.uint32(first_cell + cell)] + rank + ahead)
                if by_hash and place >= rows_of_block:
                    place = np.uint32(place - rows_of_block)
                if sorts:
                    row = np.uint32(rows[np.uint32(taken + row)])
                rows[np.uint32(built + place)] = np.uint16(row)
            cuda.syncwarp()
            if sorts:
                if done == 0:
                    passes = _passes_for(most)
                shift = np.int32(shift + DIGIT_BITS)
            taken, built = built, taken
            done = np.int32(done + 1)
        for batch in range(words):
            at = np.uint32(batch * WARP + lane)
            order[np.uint64(first + at)] = np.int32(rows[np.uint32(taken + at)])

    return kernel


@cuda.jit
def repeat_kernel(rows_order, across, block_rows, slots, order):
    """Write the same order for all blocks of a row of blocks, a thread a place.

    Parameters
    ----------
    rows_order
        int32: the order of each row of blocks.
    across, block_rows, slots
        As of `gpu.hbp.building.row_counts.row_counts_kernel`.
    order
        int32, one a slot.
    """
    slot = np.int64(cuda.grid(1))
    begin_in_sequence()
    if slot < slots:
        # Divisions of 32 bits are short ones.
        block = np.uint32(np.uint32(slot // WARP) // np.uint32(block_rows // WARP))
        down = np.uint32(block // np.uint32(across))
        within = slot - np.int64(block) * block_rows
        order[np.uint64(slot)] = rows_order[np.uint64(np.int64(down) * block_rows + within)]
