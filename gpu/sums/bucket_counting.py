"""How many entries each part of a matrix has in each bucket of neighbouring columns.

The entries are cut into tiles, and these into as many chunks as blocks of threads are resident. A table has
the entries of each bucket in each chunk, and then where those of the chunk begin within the bucket.
"""

import functools
from typing import Any

import numpy as np

from gpu.kernel_parts.loads import VECTOR_IF
from gpu.kernel_parts.warps import sum_of_warp
from gpu.runtime.cuda import EVERY_LANE, SIMULATED, WARP, cuda
from gpu.runtime.kernel_sequence import begin_in_sequence

THREADS = 64 if SIMULATED else 256
"""Of a block that takes a tile."""
EACH = 2 if SIMULATED else 8
"""Entries of a tile that a thread takes."""
SEGMENT = WARP * EACH
"""Entries of a tile that a warp takes, one after the other."""
TILE = THREADS * EACH
SLOTS = 64 if SIMULATED else 1024
"""Buckets of a chunk that are counted in shared memory."""
SCAN_THREADS = 64 if SIMULATED else 512
AT_ONCE = 4
_SEGMENTS = SCAN_THREADS // WARP
_load = VECTOR_IF[1]


@cuda.jit
def rows_kernel(pointers, rows, segment_rows):
    """Store in which row each segment of the entries begins, a row a thread.

    Parameters
    ----------
    pointers
        int32 of rows + 1.
    rows
        Of the matrix.
    segment_rows
        int32, one a segment.
    """
    row = np.int64(cuda.grid(1))
    begin_in_sequence()
    if row < rows:
        end = np.int64(pointers[np.uint64(row + 1)])
        segment = (np.int64(pointers[np.uint64(row)]) + SEGMENT - 1) // SEGMENT
        while segment * SEGMENT < end:
            segment_rows[np.uint64(segment)] = np.int32(row)
            segment += 1


@functools.cache
def count_kernel(words: int) -> Any:
    """Make the kernel that counts the entries of each bucket in a chunk.

    Parameters
    ----------
    words
        Of a bitmap of the buckets, a multiple of the threads.
    """

    @cuda.jit
    def kernel(columns, entries, shift, buckets, tiles, table, chunk_bits, scattered):
        """Count the entries of a chunk, a chunk a block.

        A bucket is counted in shared memory where its slot there is not another's; neighbouring rows seldom
        have two of one slot.

        Parameters
        ----------
        columns
            int32, one an entry.
        entries
            How many there are.
        shift
            log2 of the columns of a bucket.
        buckets
            How many there are.
        tiles
            Of a chunk.
        table
            int32, a row of buckets a chunk.
        chunk_bits
            uint32, a bitmap a chunk: which buckets it has.
        scattered
            int32 of 1, set to 0.
        """
        present = cuda.shared.array(words, np.uint32)
        owners = cuda.shared.array(SLOTS, np.int32)
        counts = cuda.shared.array(SLOTS, np.int32)
        result = cuda.local.array(EACH, np.int32)
        begin_in_sequence()
        thread, own = np.int32(cuda.threadIdx.x), np.int64(cuda.blockIdx.x) * buckets
        lane = np.int32(thread % WARP)
        bucket = np.int64(thread)
        while bucket < buckets:
            table[np.uint64(own + bucket)] = np.int32(0)
            bucket += THREADS
        for step in range(SLOTS // THREADS):
            owners[np.uint32(thread + step * THREADS)] = np.int32(-1)
            counts[np.uint32(thread + step * THREADS)] = np.int32(0)
        for step in range(words // THREADS):
            present[np.uint32(thread + step * THREADS)] = np.uint32(0)
        if own == 0 and thread == 0:
            scattered[0] = np.int32(0)
        cuda.syncthreads()
        begin = np.int64(cuda.blockIdx.x) * tiles * TILE
        end = min(begin + tiles * TILE, entries)
        begin += (thread // WARP) * SEGMENT + lane
        for _ in range(tiles):
            for step in range(EACH):
                at = begin + step * WARP
                column = np.int32(_load(columns, at, at < end)[0])
                result[step] = np.int32(column >> shift) if at < end else np.int32(-1)
            for step in range(EACH):
                # The first of neighbours of one bucket counts for all of them.
                mine = result[step]
                previous = cuda.shfl_up_sync(EVERY_LANE, mine, 1)
                first = lane == 0 or previous != mine
                heads = np.uint32(cuda.ballot_sync(EVERY_LANE, first))
                behind = np.uint32((heads >> np.uint32(lane)) >> np.uint32(1))
                following = np.int32(cuda.ffs(behind)) if behind != 0 else np.int32(WARP - lane)
                if first and mine >= 0:
                    slot = np.uint32(mine & (SLOTS - 1))
                    owner = owners[slot]
                    if owner < 0:
                        owner = cuda.atomic.cas(owners, slot, np.int32(-1), mine)
                        owner = mine if owner < 0 else owner
                    if owner == mine:
                        cuda.atomic.add(counts, slot, following)
                    else:
                        cuda.atomic.add(table, np.uint64(own + mine), following)
                        bit = np.uint32(np.uint32(1) << np.uint32(mine & 31))
                        if present[np.uint32(mine >> 5)] & bit == 0:
                            cuda.atomic.or_(present, np.uint32(mine >> 5), bit)
            begin += TILE
        cuda.syncthreads()
        for step in range(SLOTS // THREADS):
            slot = np.uint32(thread + step * THREADS)
            owner = owners[slot]
            if owner >= 0:
                table[np.uint64(own + owner)] = counts[slot]
                bit = np.uint32(np.uint32(1) << np.uint32(owner & 31))
                cuda.atomic.or_(present, np.uint32(owner >> 5), bit)
        cuda.syncthreads()
        for step in range(words // THREADS):
            word = thread + step * THREADS
            chunk_bits[np.uint64(np.int64(cuda.blockIdx.x) * words + word)] = present[np.uint32(word)]

    return kernel


@cuda.jit
def scan_kernel(table, chunks, buckets, totals, scattered):
    """Write what each bucket has in the chunks before each, 32 buckets a block.

    Parameters
    ----------
    table
        int32, of `count_kernel`; what is written, too.
    chunks, buckets
        Its rows and columns.
    totals
        int32, one a bucket: all its entries.
    scattered
        int32 of 1, to which the numbers of the table that are not 0 are added.
    """
    sums = cuda.shared.array(SCAN_THREADS, np.int32)
    begin_in_sequence()
    thread = np.int32(cuda.threadIdx.x)
    lane, segment = np.int32(thread % WARP), np.int32(thread // WARP)
    bucket = np.int64(cuda.blockIdx.x) * WARP + lane
    share = (chunks + _SEGMENTS - 1) // _SEGMENTS
    first = min(np.int64(segment) * share, chunks)
    last = min(first + share, chunks)
    own, several = np.int32(0), np.int32(0)
    chunk = first
    while chunk < last:
        for step in range(AT_ONCE):
            at = chunk + step
            number = np.int32(_load(table, at * buckets + bucket, at < last and bucket < buckets)[0])
            own = np.int32(own + number)
            several = np.int32(several + (1 if number != 0 else 0))
        chunk += AT_ONCE
    sums[np.uint32(thread)] = own
    several = sum_of_warp(several)
    if lane == 0 and several > 0:
        cuda.atomic.add(scattered, 0, several)
    cuda.syncthreads()
    before, total = np.int32(0), np.int32(0)
    for each in range(_SEGMENTS):
        number = sums[np.uint32(each * WARP + lane)]
        if each < segment:
            before = np.int32(before + number)
        total = np.int32(total + number)
    if segment == 0 and bucket < buckets:
        totals[np.uint64(bucket)] = total
    chunk = first
    while chunk < last:
        at = chunk
        wanted = bucket < buckets
        number0 = np.int32(_load(table, at * buckets + bucket, wanted)[0])
        number1 = np.int32(_load(table, (at + 1) * buckets + bucket, wanted and at + 1 < last)[0])
        number2 = np.int32(_load(table, (at + 2) * buckets + bucket, wanted and at + 2 < last)[0])
        number3 = np.int32(_load(table, (at + 3) * buckets + bucket, wanted and at + 3 < last)[0])
        for number in (number0, number1, number2, number3):
            if wanted and at < last:
                table[np.uint64(at * buckets + bucket)] = before
            before = np.int32(before + number)
            at += 1
        chunk += AT_ONCE
