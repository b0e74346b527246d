"""The product of CRS by blocks of equal work: CSR-Adaptive (Greathouse and Daga, SC 2014).

A block of threads takes consecutive rows of about as many entries as it has places for: neighbouring threads
multiply neighbouring entries and leave the products in shared memory, where then the rows are summed by as
many lanes each as the block has for them. Rows keep their order, nothing is padded and nothing but x is
gathered, so what bounds it is the stream of CRS, 12 or 8 bytes an entry, or where x does not stay in the L1
cache the gathers (160 thousand million a second out of L2 on an H200).
"""

import functools
from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from vecsim.formats import CRS
from vecsim.formats.structure import Structure, Work

from .cuda import EVERY_LANE, THREADS_PER_BLOCK, WARP, cuda, device_function
from .launching import ALPHA, BETA, Launch, X, Y, let_next_begin, wait_for_previous
from .loads import STREAMED_IF, VECTOR_IF
from .memory import real_type, upload
from .row_sums import PieceSums

# Entries that a thread multiplies, a multiple of 4.
ENTRIES_PER_THREAD = 4
# A row of more than this part of a block has one to itself.
LONG_SHARE = 8
# Marks a block of whole rows.
WHOLE_ROWS = 2**32 - 1

_stream, _gather = STREAMED_IF[1], VECTOR_IF[1]


@device_function
def _product(values: Any, columns: Any, x: Any, at: Any, last: Any) -> Any:
    """Give the product of an entry, 0 from `last` on."""
    wanted = at < last
    value, column = _stream(values, at, wanted), _stream(columns, at, wanted)
    return value[0] * _gather(x, np.int64(column[0]), wanted)[0]


@functools.cache
def crs_adaptive_kernel(real: Any, threads: int, entries_per_thread: int) -> Any:
    """Make the kernel for blocks of so many threads, each of which multiplies so many entries."""
    places = threads * entries_per_thread
    warps = threads // WARP
    whole_rows = np.uint32(WHOLE_ROWS)

    @cuda.jit
    def kernel(  # type: ignore[no-untyped-def]
        block_entries, block_rows, block_pieces, rowptr, columns, values, x, y, pieces, alpha, beta
    ):
        products = cuda.shared.array(places, real)
        let_next_begin()
        block, thread = np.uint32(cuda.blockIdx.x), np.int32(cuda.threadIdx.x)
        first, last = np.int64(block_entries[block]), np.int64(block_entries[block + np.uint32(1)])
        first_row = np.int64(block_rows[block])
        rows = np.int32(np.int64(block_rows[block + np.uint32(1)]) - first_row)
        piece = block_pieces[block]
        zero = real(0)
        # A power of two, so that all threads have a row and a row the lanes of one warp.
        lane_bits = np.int32(0)
        while lane_bits < 5 and (rows << (lane_bits + 1)) <= threads:
            lane_bits += 1
        lanes = np.int32(1) << lane_bits
        row = thread >> lane_bits
        lane = thread & (lanes - 1)
        begin, end = np.int64(0), np.int64(0)
        if piece == whole_rows and row < rows:
            begin = np.int64(rowptr[np.uint64(first_row + row)]) - first
            end = np.int64(rowptr[np.uint64(first_row + row + 1)]) - first

        wait_for_previous()
        own = zero
        for turn in range(0, entries_per_thread, 4):
            place = thread + turn * threads
            # All loads before the first product is stored, so that they are under way together.
            product0 = _product(values, columns, x, first + place, last)
            product1 = _product(values, columns, x, first + place + threads, last)
            product2 = _product(values, columns, x, first + place + 2 * threads, last)
            product3 = _product(values, columns, x, first + place + 3 * threads, last)
            own += (product0 + product1) + (product2 + product3)
            products[place] = product0
            products[place + threads] = product1
            products[place + 2 * threads] = product2
            products[place + 3 * threads] = product3
        cuda.syncthreads()

        if piece != whole_rows:
            # One row fills the block: sums of threads, of warps, of the block.
            offset = WARP // 2
            while offset > 0:
                own += cuda.shfl_xor_sync(EVERY_LANE, own, offset)
                offset //= 2
            if thread % WARP == 0:
                products[thread // WARP] = own
            cuda.syncthreads()
            if thread == 0:
                total = zero
                for warp in range(warps):
                    total += products[warp]
                pieces[piece] = total
        else:
            round_ = np.int32(0)
            while round_ * (threads >> lane_bits) < rows:
                if round_ > 0 and row < rows:
                    begin = np.int64(rowptr[np.uint64(first_row + row)]) - first
                    end = np.int64(rowptr[np.uint64(first_row + row + 1)]) - first
                total = zero
                if row < rows:
                    at = begin + lane
                    while at < end:
                        total += products[at]
                        at += lanes
                distance = lanes >> 1
                while distance > 0:
                    total += cuda.shfl_xor_sync(EVERY_LANE, total, distance)
                    distance >>= 1
                if lane == 0 and row < rows:
                    result = alpha * total
                    target = np.uint64(first_row + row)
                    if beta != zero:
                        result += beta * y[target]
                    y[target] = result
                row += threads >> lane_bits
                round_ += 1

    return kernel


class CRSAdaptiveProduct:
    """A `CRS` matrix on the device with its rows in blocks of equal work, and the launches of its product.

    Parameters
    ----------
    matrix
        The matrix.
    threads_per_block
        A multiple of 32.
    entries_per_thread
        Entries of a block by its threads, a multiple of 4. A row with more than a block has is cut in pieces
        of that size, which a second kernel sums in their order.
    """

    def __init__(
        self, matrix: CRS, threads_per_block: int, *, entries_per_thread: int = ENTRIES_PER_THREAD
    ) -> None:
        self.real = real_type(matrix.values)
        kernel = crs_adaptive_kernel(self.real, threads_per_block, entries_per_thread)
        entries, rows, pieces = row_blocks(matrix.rowptr, threads_per_block * entries_per_thread)
        cut = rows[:-1][pieces != WHOLE_ROWS]
        split_rows, first = np.unique(cut, return_index=True)
        self.arrays = [
            upload(array)
            for array in (
                entries,
                rows,
                pieces,
                matrix.rowptr.view(np.uint32),
                matrix.colidx.view(np.uint32),
                matrix.values,
            )
        ]
        ends = np.append(first[1:], len(cut))[: len(first)]
        self.split = PieceSums(self.real, split_rows, first, ends, threads_per_block)
        arguments = [*self.arrays, X, Y, self.split.pieces, ALPHA, BETA]
        blocks = len(pieces)
        whole = [Launch(kernel, blocks, threads_per_block, arguments, self.real)] if blocks else []
        self.launches = [*whole, *self.split.launches]

    @property
    def device_arrays(self) -> list[Any]:
        """All arrays on the device."""
        return [*self.arrays, *self.split.device_arrays]

    def launch(self, x: Any, y: Any, alpha: Any, beta: Any, stream: Any) -> None:
        """Put ``y = alpha A x + beta y`` on the stream."""
        for each in self.launches:
            each(x, y, alpha, beta, stream)


def crs_adaptive_work(structure: Structure) -> Work:
    """Count the work of `CRSAdaptiveProduct` with blocks of its own choice."""
    places = THREADS_PER_BLOCK * ENTRIES_PER_THREAD
    cut = structure.lengths[structure.lengths > places]
    pieces = int((-(-cut // places)).sum())
    blocks = structure.nnz // places + pieces
    stored = structure.crs_bytes + 12 * blocks + 2 * structure.value_bytes * pieces
    # Products, then a row of a thread out of shared memory.
    return Work(stored, 2 * ENTRIES_PER_THREAD, structure.sectors_along, launches=1 + bool(pieces))


def row_blocks(
    rowptr: NDArray[np.int32], places: int
) -> tuple[NDArray[np.uint32], NDArray[np.uint32], NDArray[np.uint32]]:
    """Cut rows into blocks of at most `places` entries and as many rows.

    Parameters
    ----------
    rowptr
        Where each row begins, then the number of entries.
    places
        Entries of a block. Longer rows are cut; each of their blocks holds a piece of one row.

    Returns
    -------
    tuple of arrays
        uint32: first entry of each block, then their number; first row of each block, then their number (the
        row of a piece); the number of its piece, or 2^32 - 1 where it has whole rows.
    """
    blocks = _count_blocks(rowptr, places)
    entries, rows = np.empty(blocks + 1, dtype=np.uint32), np.empty(blocks + 1, dtype=np.uint32)
    pieces = np.full(blocks, WHOLE_ROWS, dtype=np.uint32)
    _fill_blocks(rowptr, places, entries, rows, pieces)
    return entries, rows, pieces


@njit(cache=True)
def _count_blocks(rowptr: Any, places: int) -> Any:
    row, rows, blocks = 0, len(rowptr) - 1, 0
    while row < rows:
        length = rowptr[row + 1] - rowptr[row]
        if length > places:
            blocks += -(-length // places)
            row += 1
        else:
            row = _next_block(rowptr, row, places)
            blocks += 1
    return blocks


@njit(cache=True)
def _next_block(rowptr: Any, row: int, places: int) -> int:
    """Give the first row that does not fit into the block that begins with `row`."""
    last = min(len(rowptr) - 1, row + places)
    following = row + 1
    # A long row has a block to itself: among short ones a single thread would sum it.
    alone = places // LONG_SHARE
    if rowptr[following] - rowptr[row] > alone:
        return following
    while (
        following < last
        and rowptr[following + 1] - rowptr[row] <= places
        and rowptr[following + 1] - rowptr[following] <= alone
    ):
        following += 1
    return following


@njit(cache=True)
def _fill_blocks(rowptr: Any, places: int, entries: Any, rows_of: Any, pieces: Any) -> None:
    row, rows, block, piece = 0, len(rowptr) - 1, 0, 0
    while row < rows:
        if rowptr[row + 1] - rowptr[row] > places:
            for first in range(rowptr[row], rowptr[row + 1], places):
                entries[block], rows_of[block], pieces[block] = first, row, piece
                block += 1
                piece += 1
            row += 1
        else:
            entries[block], rows_of[block] = rowptr[row], row
            row = _next_block(rowptr, row, places)
            block += 1
    entries[block], rows_of[block] = rowptr[rows], rows
