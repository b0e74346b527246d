"""Rows of blocks in order by counting, on the device: by classes, or by a sort; a warp a block.

A pass counts the rows of each digit and puts them one behind the other, stable and without an atomic, as a
radix sort does: 32 rows at a time, in their order, find among themselves which have the same digit, and how
many there were before. Classes are one pass; a sort takes one for each seven bits of the largest number of
the block, which is one or two. So the baseline is a sort in shared memory, better than one of all rows at
once.
"""

import functools
from typing import Any

import numpy as np

from gpu.conversion.hbp.hash_order import warps_with
from gpu.kernel_parts.loads import VECTOR_IF
from gpu.runtime.cuda import EVERY_LANE, WARP, cuda, device_function
from gpu.runtime.launches import let_next_begin, wait_for_previous

DIGIT_BITS = 7
DIGITS = 1 << DIGIT_BITS
"""More than there are classes of 32-bit numbers with `CLASS_BITS` up to 2."""
MOST_CLASS_BITS = 2
OF_LANE = DIGITS // WARP
AT_ONCE = 4
"""Counts of a lane whose loads are under way together."""

_load = VECTOR_IF[1]


@device_function
def _class_of(count, bits, digits):
    """Give the class of a number that has so many binary digits; see `vecsim.formats.hbp.ordering`."""
    shift = max(0, digits - bits - 1)
    return (shift << bits) + (count >> shift)


@device_function
def _sums_before(cells, first, lane):
    """Put the sum before each count in its place, for all of a warp; a lane has neighbouring ones."""
    own = np.int32(0)
    for k in range(OF_LANE):
        own = np.int32(own + cells[first + k])
    through = own
    distance = np.int32(1)
    while distance < WARP:
        earlier = cuda.shfl_up_sync(EVERY_LANE, through, distance)
        if lane >= distance:
            through = np.int32(through + earlier)
        distance = np.int32(distance * 2)
    before = np.int32(through - own)
    for k in range(OF_LANE):
        number = cells[first + k]
        cells[first + k] = before
        before = np.int32(before + number)
    cuda.syncwarp()


@device_function
def _passes_for(most):
    """Give how many passes sort numbers up to the largest that a lane of the warp has."""
    distance = np.int32(WARP // 2)
    while distance > 0:
        most = max(most, np.int32(cuda.shfl_xor_sync(EVERY_LANE, most, distance)))
        distance = np.int32(distance // 2)
    passes = np.int32(1)
    while most >> (DIGIT_BITS * passes) > 0:
        passes = np.int32(passes + 1)
    return passes


def warps_that_count(block_rows: int, by_class: bool) -> int:
    """Give how many blocks of so many rows a block of threads takes, a warp each; 0 where they are too large.

    Where there is room for a block its rows are fewer than 16 bits tell apart.
    """
    bytes_of_a_row = 2 + 1 + (2 if by_class else 4)
    return warps_with(bytes_of_a_row * block_rows + 4 * DIGITS)


@functools.cache
def counted_order_kernel(block_rows: int, by_class: bool) -> Any:
    """Make the kernel for blocks of so many rows, a multiple of 32; `warps_that_count` a block of threads."""
    warps, words = warps_that_count(block_rows, by_class), block_rows // WARP
    lists = 1 if by_class else 2
    all_cells, all_rows = warps * DIGITS, warps * block_rows
    all_lists = lists * all_rows

    @cuda.jit
    def kernel(counts, blocks, bits, order):
        """Put the rows of a block in order.

        Parameters
        ----------
        counts
            int32: entries of each row of each block.
        blocks
            How many there are.
        bits
            Of classes; else not read.
        order
            int32, as many as counts: which row stands at each place.
        """
        cells = cuda.shared.array(all_cells, np.int32)
        offsets = cuda.shared.array(all_rows, np.uint16)
        digits = cuda.shared.array(all_rows, np.uint8)
        rows = cuda.shared.array(all_lists, np.uint16)
        found = cuda.local.array(AT_ONCE, np.int32)
        lane = np.int32(cuda.threadIdx.x % WARP)
        warp = np.int32(cuda.threadIdx.x // WARP)
        below = np.uint32((np.uint32(1) << np.uint32(lane)) - np.uint32(1))
        own_cells, own_rows = np.int32(warp * DIGITS), np.int32(warp * block_rows)
        block = np.int64(cuda.blockIdx.x) * warps + warp
        first = block * block_rows
        taken, made = np.int32(lists * own_rows), np.int32(lists * own_rows)
        if not by_class:
            taken = np.int32(made + block_rows)
        let_next_begin()
        wait_for_previous()
        most, shift, passes = np.int32(0), np.int32(0), np.int32(1)
        done = np.int32(0)
        while done < passes:
            for k in range(OF_LANE):
                cells[own_cells + lane + k * WARP] = np.int32(0)
            cuda.syncwarp()
            for batch in range(0, words, AT_ONCE):
                for k in range(AT_ONCE):
                    at, wanted = np.int32((batch + k) * WARP + lane), block < blocks and batch + k < words
                    row = at
                    if done > 0 and wanted:
                        row = np.int32(rows[taken + at])
                    found[k] = _load(counts, first + row, wanted)[0]
                for k in range(AT_ONCE):
                    if batch + k < words:
                        count, at = found[k], np.int32(own_rows + (batch + k) * WARP + lane)
                        most = max(most, count)
                        if by_class:
                            digit = np.int32(_class_of(count, bits, 32 - cuda.clz(np.uint32(count))))
                        else:
                            digit = np.int32((count >> shift) & (DIGITS - 1))
                        same = np.uint32(cuda.match_any_sync(EVERY_LANE, digit))
                        rank = np.int32(cuda.popc(same & below))
                        before = cells[own_cells + digit]
                        cuda.syncwarp()
                        offsets[at], digits[at] = np.uint16(before + rank), np.uint8(digit)
                        if rank == 0:
                            cells[own_cells + digit] = np.int32(before + np.int32(cuda.popc(same)))
                        cuda.syncwarp()
            _sums_before(cells, np.int32(own_cells + lane * OF_LANE), lane)
            for batch in range(words):
                at = np.int32(batch * WARP + lane)
                row = at
                if done > 0:
                    row = np.int32(rows[taken + at])
                place = cells[own_cells + np.int32(digits[own_rows + at])] + np.int32(offsets[own_rows + at])
                rows[made + place] = np.uint16(row)
            cuda.syncwarp()
            if not by_class:
                if done == 0:
                    passes = _passes_for(most)
                shift = np.int32(shift + DIGIT_BITS)
            taken, made = made, taken
            done = np.int32(done + 1)
        for batch in range(words):
            at = np.int32(batch * WARP + lane)
            if block < blocks:
                order[np.uint64(first + at)] = np.int32(rows[taken + at])

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
