"""Rows of blocks in the order of the published hash, on the device: a warp a block.

A warp takes 32 rows at a time, in their order, so that whatever was placed before them is there to stay;
which places are free stands in a bit each. Rows that find the same first free place take it and those behind
it one after the other. Where rows that began elsewhere meet, the earlier one stays and the others go on to
the next free place, until all have their own. Earlier rows are preferred at every place, so these are the
places that the rows would take one behind the other: stable matching (Gale and Shapley 1962) with one
preference.
"""

import functools
from typing import Any

import numpy as np

from gpu.runtime.cuda import EVERY_LANE, SIMULATED, WARP, cuda, device_function
from gpu.runtime.launches import let_next_begin, wait_for_previous
from vecsim.formats.hbp.hashing import CLASSES

ORDER_THREADS = 64 if SIMULATED else 256
"""Of a block of threads, at most."""
SHARED_BYTES = 48 << 10
"""Of shared memory that a block of threads may declare."""
ALL_FREE = np.uint32(0xFFFFFFFF)


def warps_of(block_rows: int) -> int:
    """Give how many blocks of so many rows a block of threads takes, a warp each; 0 where too large."""
    return warps_with(4 * block_rows + 4 * (block_rows // WARP))


def warps_with(bytes_of_a_warp: int) -> int:
    """Give how many warps of a block of threads find so much shared memory, bytes, each: 0 or more."""
    return min(ORDER_THREADS // WARP, SHARED_BYTES // bytes_of_a_warp)


@device_function
def _free_from(free: Any, first: Any, words: Any, place: Any) -> Any:
    """Give the first free place from this one on; behind the last comes the first. There is one."""
    word = place // WARP
    bits = np.uint32(free[first + word] & (ALL_FREE << np.uint32(place % WARP)))
    while bits == 0:
        word = np.int32(word + 1 if word + 1 < words else 0)
        bits = free[first + word]
    return np.int32(word * WARP + cuda.ffs(bits) - 1)


@device_function
def _free_behind(free: Any, first: Any, words: Any, place: Any, number: Any) -> Any:
    """Give the free place that is so many free ones behind this one, which is free; there are as many."""
    word = place // WARP
    bits = np.uint32(free[first + word] & (ALL_FREE << np.uint32(place % WARP)))
    here = np.int32(cuda.popc(bits))
    while here <= number:
        number = np.int32(number - here)
        word = np.int32(word + 1 if word + 1 < words else 0)
        bits = free[first + word]
        here = np.int32(cuda.popc(bits))
    while number > 0:
        bits = np.uint32(bits & (bits - np.uint32(1)))
        number = np.int32(number - 1)
    return np.int32(word * WARP + cuda.ffs(bits) - 1)


@functools.cache
def hash_order_kernel(block_rows: int) -> Any:
    """Make the kernel for blocks of so many rows, a multiple of 32; `warps_of` them a block of threads."""
    warps, words = warps_of(block_rows), block_rows // WARP
    all_rows, all_words = warps * block_rows, warps * words

    @cuda.jit
    def kernel(counts, blocks, a, b, c, d, order):
        """Put the rows of a block in order.

        Parameters
        ----------
        counts
            int32: entries of each row of each block.
        blocks
            How many there are.
        a, b, c, d
            Of `vecsim.formats.hbp.hashing.RowHash`.
        order
            int32, as many as counts: which row stands at each place.
        """
        table = cuda.shared.array(all_rows, np.uint16)
        without = cuda.shared.array(all_rows, np.uint16)
        free = cuda.shared.array(all_words, np.uint32)
        lane = np.int32(cuda.threadIdx.x % WARP)
        warp = np.int32(cuda.threadIdx.x // WARP)
        own_rows, own_words = np.int32(warp * block_rows), np.int32(warp * words)
        below = np.uint32((np.uint32(1) << np.uint32(lane)) - np.uint32(1))
        block = np.int64(cuda.blockIdx.x) * warps + warp
        first = block * block_rows + lane
        let_next_begin()
        wait_for_previous()
        word = lane
        while word < words:
            free[own_words + word] = ALL_FREE
            word = np.int32(word + WARP)
        cuda.syncwarp()
        empty, following = np.int32(0), np.int32(0)
        if block < blocks:
            following = counts[np.uint64(first)]
        for batch in range(words):
            count, row = following, np.int32(batch * WARP + lane)
            if block < blocks and batch + 1 < words:
                following = counts[np.uint64(first + (batch + 1) * WARP)]
            lanes = np.uint32(cuda.ballot_sync(EVERY_LANE, count > 0))
            # Lanes without a row to place have numbers of their own, which nobody shares.
            place = np.int32(-1 - lane)
            if count > 0:
                wide = np.int64(count)
                hashed = min(wide >> a, np.int64(CLASSES - 1)) * b + wide * c % d
                place = _free_from(free, own_words, words, np.int32(hashed % block_rows))
            else:
                without[own_rows + empty + np.int32(cuda.popc(~lanes & below))] = np.uint16(row)
            empty = np.int32(empty + WARP - np.int32(cuda.popc(lanes)))
            before = np.uint32(cuda.match_any_sync(EVERY_LANE, place)) & below
            if count > 0 and before != 0:
                place = _free_behind(free, own_words, words, place, np.int32(cuda.popc(before)))
            meeting = lanes
            while meeting != 0:
                before = np.uint32(cuda.match_any_sync(EVERY_LANE, place)) & below
                if before != 0:
                    behind = np.int32(place + 1 if place + 1 < block_rows else 0)
                    place = _free_from(free, own_words, words, behind)
                meeting = np.uint32(cuda.ballot_sync(EVERY_LANE, before != 0))
            cuda.syncwarp()
            if count > 0:
                table[own_rows + place] = np.uint16(row)
                taken = np.uint32(np.uint32(1) << np.uint32(place % WARP))
                cuda.atomic.and_(free, own_words + place // WARP, np.uint32(~taken))
            cuda.syncwarp()
        # Rows without entries, in their order, to the places that are left.
        used = np.int32(0)
        for batch in range(words):
            bits = free[own_words + batch]
            row = np.int32(table[own_rows + batch * WARP + lane])
            if (bits >> np.uint32(lane)) & np.uint32(1) != 0:
                row = np.int32(without[own_rows + used + np.int32(cuda.popc(bits & below))])
            if block < blocks:
                order[np.uint64(first + batch * WARP)] = row
            used = np.int32(used + np.int32(cuda.popc(bits)))

    return kernel
