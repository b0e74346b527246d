"""Entries of each row in each block, on the device (HBP, algorithm 2), and the hash that follows from them.

The published algorithm walks along each row, a thread a row. A hub row of a million entries would keep one
thread, so here a thread has a row in a few neighbouring blocks: it looks for the first entry by bisection,
and for where each block ends from there on.
"""

import numpy as np

from gpu.kernel_parts.bisection import first_from
from gpu.runtime.cuda import SIMULATED, cuda, device_function
from gpu.runtime.kernel_sequence import begin_in_sequence

SHIFTS = 31
"""Values of a that are tried; with the last one every 32-bit number is in the first class."""
FOUND = SHIFTS + 1
"""What a block of threads counts for the choice of a hash."""
BLOCKS_OF_THREAD = 2 if SIMULATED else 8
"""Neighbouring blocks in which a thread counts its row."""


@device_function
def _first_near(columns, begin, end, column):
    """Return what `first_from` does, likely near `begin`: it looks one, two, four further on, and so on."""
    step = np.int64(1)
    while begin + step <= end and columns[np.uint64(begin + step - 1)] < column:
        step *= 2
    return first_from(columns, begin + step // 2, min(end, begin + step - 1), column)


@cuda.jit
def row_counts_kernel(pointers, columns, rows, across, block_rows, block_columns, slots, starts, counts):
    """Count the entries of each row of each block, a thread a row in `BLOCKS_OF_THREAD` of them.

    Parameters
    ----------
    pointers, columns
        int32: the matrix in CRS, columns rising in each row.
    rows, across
        M, and blocks of a row of blocks.
    block_rows, block_columns
        Of a block.
    slots
        Rows of all blocks.
    starts, counts
        int32, one a slot: the first entry, and how many there are.
    """
    thread = np.uint32(cuda.grid(1))
    shares = np.uint32((across + BLOCKS_OF_THREAD - 1) // BLOCKS_OF_THREAD)
    begin_in_sequence()
    # Divisions of 32 bits are short ones.
    share = np.uint32(thread // np.uint32(block_rows))
    within, down = np.int64(thread - np.uint32(share * np.uint32(block_rows))), np.uint32(share // shares)
    block = np.int64(np.uint32(share - np.uint32(down * shares))) * BLOCKS_OF_THREAD
    row = np.int64(down) * block_rows + within
    slot = (np.int64(down) * across + block) * block_rows + within
    if slot < slots:
        start, behind = np.int64(0), np.int64(0)
        if row < rows:
            begin, behind = np.int64(pointers[np.uint64(row)]), np.int64(pointers[np.uint64(row + 1)])
            start = np.int64(first_from(columns, begin, behind, block * block_columns))
        last = min(across, block + BLOCKS_OF_THREAD)
        while block < last:
            block += 1
            end = np.int64(_first_near(columns, start, behind, block * block_columns))
            starts[np.uint64(slot)] = np.int32(start)
            counts[np.uint64(slot)] = np.int32(end - start)
            start = end
            slot += block_rows


@cuda.jit
def lengths_kernel(pointers, rows, slots, lengths):
    """Write how many entries whole rows have, a thread each; rows after the last have none.

    Parameters
    ----------
    pointers, rows
        As of `row_counts_kernel`.
    slots
        Rows of all rows of blocks.
    lengths
        int32, one each.
    """
    row = np.int64(cuda.grid(1))
    begin_in_sequence()
    if row < slots:
        length = np.int32(0)
        if row < rows:
            length = np.int32(pointers[np.uint64(row + 1)] - pointers[np.uint64(row)])
        lengths[np.uint64(row)] = length


@cuda.jit
def over_kernel(counts, slots, classes, result):
    """Count the rows with entries, and for each a those that aggregation would put above the last class.

    Parameters
    ----------
    counts, slots
        As of `row_counts_kernel`.
    classes
        Of aggregated numbers.
    result
        int32, `FOUND` a block of threads: rows over for each a, and after these all rows with entries.
    """
    own = cuda.shared.array(FOUND, np.int32)
    thread = np.int64(cuda.threadIdx.x)
    begin_in_sequence()
    if thread == 0:
        for at in range(FOUND):
            own[at] = np.int32(0)
    cuda.syncthreads()
    slot, filled = np.int64(cuda.grid(1)), np.int32(0)
    while slot < slots:
        count = counts[np.uint64(slot)]
        if count > 0:
            filled = np.int32(filled + 1)
            shift = 0
            while count >> shift > classes - 1:
                cuda.atomic.add(own, shift, 1)
                shift += 1
        slot += np.int64(cuda.gridsize(1))
    cuda.atomic.add(own, SHIFTS, filled)
    cuda.syncthreads()
    if thread < FOUND:
        result[np.uint64(np.int64(cuda.blockIdx.x) * FOUND + thread)] = own[thread]
