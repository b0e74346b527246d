"""Rows of blocks in the hash table as it was published, on the device: inserted with atomics and probing.

A thread takes a row, hashes its number of entries in the block, and asks for the place with an atomic. Where
somebody has it, the thread goes on to the next place, after the last to the first, until it has one (HBP,
section III-B and algorithm 2). Which of several rows gets a place depends on which thread comes first, so
two runs may order rows differently. The table of a block is in shared memory, as are the lists of the other
orders (`gpu.hbp.building.counted_order`).

====================  ======================================================================
`one_by_one_kernel`   a compare-and-swap for each place that a row comes to; a block of threads a block
`by_words_kernel`     32 places at once: a word has a bit for each free place, and the threads of a warp that
                      want the same place ask for free ones that follow each other; a warp a block
====================  ======================================================================

Both fill the table as rows that come one after the other would. The second saves the walk over places that
are taken, since most rows of a block of a sparse matrix have no entries and begin at place 0, and the
contention of warps for the same place.

A count is read and a place written for each row of each block, 134 MB on a Kronecker graph of scale 18. On an
H100 that is 45 us at 3.0 TB/s; `docs/papers/hbp.md` has the times measured.
"""

import functools
from typing import Any

import numpy as np

from gpu.hbp.building.counted_order import SHARED_BYTES, warps_with
from gpu.hbp.building.row_hash import any_hash_of, hash_of
from gpu.runtime.cuda import EVERY_LANE, SIMULATED, WARP, cuda, device_function
from gpu.runtime.kernel_sequence import begin_in_sequence

PROBING = ("probing", "probing-words")
"""Orders by these kernels."""
PROBING_THREADS = 64 if SIMULATED else 512
"""Of a block of threads whose threads come to one place after the other, at most."""
ALL_FREE = np.uint32(0xFFFFFFFF)
NOBODY = np.int32(-1)


def threads_that_probe(block_rows: int) -> int:
    """Return the threads of a block of threads for a block of this many rows; 0 where these are too many."""
    return min(PROBING_THREADS, block_rows) if 4 * block_rows <= SHARED_BYTES else 0


def warps_that_probe(block_rows: int) -> int:
    """Return how many blocks of this many rows a block of threads takes, a warp each; 0 where too large."""
    return warps_with(2 * block_rows + 4 * (block_rows // WARP))


def probing_grid(block_rows: int, blocks: int, method: str) -> tuple[int, int]:
    """Return the grid of an order of `PROBING`: blocks of threads, and threads; both 0 where too large."""
    if method == "probing":
        threads = threads_that_probe(block_rows)
        return (blocks if threads else 0), threads
    warps = warps_that_probe(block_rows)
    return (-(-blocks // warps) if warps else 0), warps * WARP


@functools.cache
def one_by_one_kernel(block_rows: int, divides: bool = False) -> Any:
    """Make the kernel that comes to one place after the other, for blocks of this many rows.

    Parameters
    ----------
    block_rows
        A multiple of 32.
    divides
        Whether `gpu.hbp.building.row_hash.divides_by_product`.
    """
    threads, rows_of_block = threads_that_probe(block_rows), np.uint32(block_rows)

    @cuda.jit
    def kernel(counts, blocks, a, b, c, d, inverse, order):
        """Insert the rows of a block.

        Parameters
        ----------
        counts
            int32: entries of each row of each block.
        blocks
            How many there are.
        a, b, c, d, inverse
            Of the hash, `gpu.hbp.building.row_hash.numbers_of`.
        order
            int32, as many as counts, written: which row stands at each place.
        """
        table = cuda.shared.array(block_rows, np.int32)
        first = np.int64(cuda.blockIdx.x) * block_rows
        a, b, c, d, inverse = np.uint32(a), np.uint32(b), np.uint32(c), np.uint32(d), np.uint32(inverse)
        begin_in_sequence()
        for row in range(cuda.threadIdx.x, block_rows, threads):
            table[row] = NOBODY
        cuda.syncthreads()
        for row in range(cuda.threadIdx.x, block_rows, threads):
            count = counts[np.uint64(first + row)]
            if divides:
                place = hash_of(np.uint32(count), a, b, c, d, inverse)
            else:
                place = any_hash_of(np.uint32(count), a, b, c, d, rows_of_block)
            while cuda.atomic.cas(table, place, NOBODY, np.int32(row)) != NOBODY:
                place = np.uint32(place + np.uint32(1))
                if place == rows_of_block:
                    place = np.uint32(0)
        cuda.syncthreads()
        for at in range(cuda.threadIdx.x, block_rows, threads):
            order[np.uint64(first + at)] = table[at]

    return kernel


@device_function
def _set_bit(bits, number):
    """Return which bit of a word is the one after this many that are set."""
    place, half = np.uint32(0), np.uint32(WARP // 2)
    while half > 0:
        lower = np.uint32(cuda.popc(np.uint32(bits & np.uint32((np.uint32(1) << half) - np.uint32(1)))))
        if number >= lower:
            number = np.uint32(number - lower)
            bits = np.uint32(bits >> half)
            place = np.uint32(place + half)
        half = np.uint32(half >> np.uint32(1))
    return place


@functools.cache
def by_words_kernel(block_rows: int, divides: bool = False) -> Any:
    """Make the kernel that looks at 32 places at once; parameters as of `one_by_one_kernel`."""
    warps, words, rows_of_block = warps_that_probe(block_rows), block_rows // WARP, np.uint32(block_rows)
    all_rows, all_words = warps * block_rows, warps * words

    @cuda.jit
    def kernel(counts, blocks, a, b, c, d, inverse, order):
        """Insert the rows of a block.

        Parameters
        ----------
        counts
            int32: entries of each row of each block.
        blocks
            How many there are.
        a, b, c, d, inverse
            Of the hash, `gpu.hbp.building.row_hash.numbers_of`.
        order
            int32, as many as counts, written: which row stands at each place.
        """
        table = cuda.shared.array(all_rows, np.uint16)
        free = cuda.shared.array(all_words, np.uint32)
        lane, warp = np.uint32(cuda.threadIdx.x % WARP), np.uint32(cuda.threadIdx.x // WARP)
        earlier = np.uint32((np.uint32(1) << lane) - np.uint32(1))
        first_word, first_row = np.uint32(warp * np.uint32(words)), np.uint32(warp * rows_of_block)
        # Warps after the last block do its work again, but maybe in another order: they write nothing.
        own_block = np.int64(cuda.blockIdx.x) * warps + np.int64(warp)
        block = min(own_block, np.int64(blocks - 1))
        first = block * block_rows
        a, b, c, d, inverse = np.uint32(a), np.uint32(b), np.uint32(c), np.uint32(d), np.uint32(inverse)
        begin_in_sequence()
        at = lane
        while at < words:
            free[np.uint32(first_word + at)] = ALL_FREE
            at = np.uint32(at + np.uint32(WARP))
        cuda.syncwarp()
        following = counts[np.uint64(first + lane)]
        for batch in range(words):
            count, row = following, np.uint32(batch * WARP + lane)
            if batch + 1 < words:
                following = counts[np.uint64(first + row + WARP)]
            if divides:
                place = hash_of(np.uint32(count), a, b, c, d, inverse)
            else:
                place = any_hash_of(np.uint32(count), a, b, c, d, rows_of_block)
            waiting, left = True, ALL_FREE
            while left != 0:
                word, bits = np.uint32(place // np.uint32(WARP)), np.uint32(0)
                # A lane with its place has a number that nobody shares.
                wanted = np.uint32(rows_of_block + lane)
                if waiting:
                    bits = np.uint32(free[np.uint32(first_word + word)])
                    bits = np.uint32(bits & np.uint32(ALL_FREE << np.uint32(place % np.uint32(WARP))))
                    while bits == 0:
                        word = np.uint32(word + np.uint32(1))
                        if word == words:
                            word = np.uint32(0)
                        bits = np.uint32(free[np.uint32(first_word + word)])
                    place = np.uint32(word * np.uint32(WARP) + np.uint32(cuda.ffs(bits) - 1))
                    wanted = place
                rank = np.uint32(cuda.popc(np.uint32(cuda.match_any_sync(EVERY_LANE, wanted)) & earlier))
                if waiting:
                    here = np.uint32(cuda.popc(bits))
                    while here <= rank:
                        rank = np.uint32(rank - here)
                        word = np.uint32(word + np.uint32(1))
                        if word == words:
                            word = np.uint32(0)
                        bits = np.uint32(free[np.uint32(first_word + word)])
                        here = np.uint32(cuda.popc(bits))
                # Nobody takes a place before all have counted the free ones.
                cuda.syncwarp()
                if waiting:
                    bit = _set_bit(bits, rank)
                    own = np.uint32(np.uint32(1) << bit)
                    place = np.uint32(word * np.uint32(WARP) + bit)
                    before = np.uint32(cuda.atomic.and_(free, np.uint32(first_word + word), np.uint32(~own)))
                    if before & own:
                        table[np.uint32(first_row + place)] = np.uint16(row)
                        waiting = False
                left = np.uint32(cuda.ballot_sync(EVERY_LANE, waiting))
        if own_block < blocks:
            for batch in range(words):
                at = np.uint32(batch * WARP + lane)
                order[np.uint64(first + at)] = np.int32(table[np.uint32(first_row + at)])

    return kernel


def probing_kernel(block_rows: int, method: str, divides: bool) -> Any:
    """Return the kernel of an order of `PROBING`; parameters as of `one_by_one_kernel`."""
    return (one_by_one_kernel if method == "probing" else by_words_kernel)(block_rows, divides)
