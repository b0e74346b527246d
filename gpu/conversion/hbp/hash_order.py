"""Rows of blocks in the order of the published hash, on the device: a block of threads each.

All rows of a block probe at once. A row takes a place if that is free or held by a later row, which then goes
on from there. Earlier rows are preferred at every place, so whoever comes first, the places are those that
the rows would take one behind the other: stable matching (Gale and Shapley 1962) with one preference.
"""

import functools
from typing import Any

import numpy as np

from gpu.runtime.cuda import EVERY_LANE, SIMULATED, WARP, cuda
from gpu.runtime.launches import let_next_begin, wait_for_previous
from vecsim.formats.hbp.hashing import CLASSES

ORDER_THREADS = 64 if SIMULATED else 256
"""Of a block."""


@functools.cache
def hash_order_kernel(block_rows: int) -> Any:
    """Make the kernel for blocks of so many rows, a multiple of 32."""

    @cuda.jit
    def kernel(counts, a, b, c, d, order):
        """Put the rows of a block in order.

        Parameters
        ----------
        counts
            int32: entries of each row of each block.
        a, b, c, d
            Of `vecsim.formats.hbp.hashing.RowHash`.
        order
            int32, as many: which row stands at each place.
        """
        table = cuda.shared.array(block_rows, np.int32)
        without = cuda.shared.array(block_rows, np.int32)
        thread = np.int64(cuda.threadIdx.x)
        first = np.int64(cuda.blockIdx.x) * block_rows
        let_next_begin()
        wait_for_previous()
        row = thread
        while row < block_rows:
            table[row] = np.int32(block_rows)
            row += ORDER_THREADS
        cuda.syncthreads()
        row = thread
        while row < block_rows:
            count = np.int64(counts[np.uint64(first + row)])
            if count > 0:
                place = (min(count >> a, np.int64(CLASSES - 1)) * b + count * c % d) % block_rows
                own = np.int32(row)
                while own < block_rows:
                    held = cuda.atomic.min(table, place, own)
                    own = held if held > own else own
                    place = place + 1 if place + 1 < block_rows else np.int64(0)
            row += ORDER_THREADS
        cuda.syncthreads()
        if thread < WARP:
            # Rows without entries, in their order, to the places that are left.
            below = np.uint32((np.uint32(1) << np.uint32(thread)) - np.uint32(1))
            row, found = thread, np.int64(0)
            while row < block_rows:
                empty = counts[np.uint64(first + row)] == 0
                lanes = np.uint32(cuda.ballot_sync(EVERY_LANE, empty))
                if empty:
                    without[found + np.int64(cuda.popc(lanes & below))] = np.int32(row)
                found += np.int64(cuda.popc(lanes))
                row += WARP
            cuda.syncwarp()
            place, found = thread, np.int64(0)
            while place < block_rows:
                free = table[place] == block_rows
                lanes = np.uint32(cuda.ballot_sync(EVERY_LANE, free))
                if free:
                    table[place] = without[found + np.int64(cuda.popc(lanes & below))]
                found += np.int64(cuda.popc(lanes))
                place += WARP
        cuda.syncthreads()
        row = thread
        while row < block_rows:
            order[np.uint64(first + row)] = table[row]
            row += ORDER_THREADS

    return kernel
