"""The product of CRS by blocks of equal work: CSR-Adaptive (Greathouse and Daga, SC 2014), in one kernel.

A block of threads takes consecutive rows of together at most as many entries as it has places for.
Neighbouring threads multiply neighbouring entries and leave the products in shared memory. There the rows
are summed by as many threads each as the block has for them, and rows much longer than their neighbours by a
whole warp. A long row has a block to itself, whose threads go along it and add up as they go. A row too long
for that is cut in pieces; the block that ends last adds them in their order: no second kernel, and the same
bits whichever block it is.

Rows keep their order, nothing is padded and nothing but x is gathered. So the product is limited by the
stream of CRS, 12 or 8 bytes an entry. Where x does not stay in the L1 cache it is limited by the gathers
(160 thousand million a second from L2 on an H200).
"""

import functools
from dataclasses import dataclass
from typing import Any

import numpy as np

from gpu.formats.crs.product import CRSProduct
from gpu.kernel_parts.blocks_of_equal_work import MARK, RECORD, row_blocks
from gpu.kernel_parts.entries_per_thread import adder, loader, multiplier, storer
from gpu.kernel_parts.loads import EARLY_IF, LOADS, STREAMED_IF
from gpu.kernel_parts.row_results import write_row
from gpu.kernel_parts.warps import sum_of_neighbours, sum_of_reals
from gpu.runtime.cuda import EVERY_LANE, SIMULATED, THREADS_PER_BLOCK, WARP, cuda, device_function
from gpu.runtime.kernel_sequence import let_next_begin, wait_for_previous
from gpu.runtime.launches import ALPHA, BETA, LaunchedInTurn, X, Y, launches_of
from gpu.runtime.memory import real_type, upload
from vecsim.formats import CRS

SECTOR_ENTRIES = 8
"""A block loads from a multiple of this many entries on: otherwise loads of a warp would ask for a sector
more."""
MANY_TIMES = 4
"""A row that would give a thread this many times the entries of a thread is summed by a whole warp."""
SMALL_ENTRIES = 1_000_000
"""Up to this many entries the blocks of a small matrix run all at once."""

PIECE_OF_SEVERAL = 512
"""Entries of a piece, where long rows are cut for several vectors."""


@dataclass(frozen=True)
class Arrangement:
    """How the work is dealt to threads.

    Attributes
    ----------
    threads
        Threads of a block, a multiple of 32.
    entries
        Entries of a block by its threads.
    wide
        Neighbouring entries that a thread loads at once: 1, 2 or 4.
    most_times
        A row of more than this many times the entries of a block is cut in pieces of that length.
    ahead
        Whether the next entries of a long row are loaded before x is gathered for the present ones. That
        takes registers, so fewer threads run at a time.
    resident
        Threads of a multiprocessor that there must be registers for: the more there are, the fewer loads each
        has running.
    """

    threads: int
    entries: int = 4
    wide: int = 1
    most_times: int = 1
    ahead: bool = False
    resident: int = 1280

    @property
    def places(self) -> int:
        """Entries of a block; some of what it loads may be of the row before."""
        return self.threads * self.entries - (SECTOR_ENTRIES - 1)


def arrangement_for(entries: int, value_bytes: int, threads: int) -> Arrangement:
    """Choose by the size of a matrix.

    A small matrix is over when its longest chain of loads is, so there blocks are small, all run at once,
    and a long row is gone along by one block, loaded ahead. A large one waits for the memory, so there each
    thread has many loads running. Of the 14 arrangements tried on an H200 these were the best, or within
    6 % of it, on a web-like matrix, two circuit-like ones and a stencil.

    Parameters
    ----------
    entries
        Of the matrix.
    value_bytes
        4 or 8.
    threads
        Of a block for large matrices; at most 256 are taken.
    """
    threads = min(threads, THREADS_PER_BLOCK)
    if entries <= SMALL_ENTRIES:
        return Arrangement(max(WARP, threads // 2 // WARP * WARP), most_times=8, ahead=True, resident=1024)
    if value_bytes == 4:
        return Arrangement(threads, entries=8, wide=4, resident=1536)
    return Arrangement(threads, entries=8, wide=2, resident=1280)


@device_function
def _strided_sum(products: Any, at: Any, end: Any, stride: Any, zero: Any) -> Any:
    """Add products from `at` to `end`, `stride` apart, four loads at a time: some are read in vain."""
    total = zero
    while at < end:
        at1, at2, at3 = np.int32(at + stride), np.int32(at + 2 * stride), np.int32(at + 3 * stride)
        product0, product1 = products[np.uint32(at)], products[np.uint32(at1)]
        product2, product3 = products[np.uint32(at2)], products[np.uint32(at3)]
        total += product0
        total += product1 if at1 < end else zero
        total += product2 if at2 < end else zero
        total += product3 if at3 < end else zero
        at = np.int32(at + 4 * stride)
    return total


def _block_sum(warps: int) -> Any:
    """Make the function that adds the totals of a block; its first thread gets the sum."""

    @device_function
    def block_sum(own: Any, of_warps: Any, thread: Any, zero: Any) -> Any:
        own = sum_of_reals(own)
        cuda.syncthreads()
        if thread % WARP == 0:
            of_warps[np.uint32(thread // WARP)] = own
        cuda.syncthreads()
        total = zero
        if thread == 0:
            for warp in range(warps):
                total += of_warps[np.uint32(warp)]
        return total

    return block_sum


@functools.cache
def crs_adaptive_kernel(real: Any, arrangement: Arrangement) -> Any:
    """Make the kernel for values and sums of this type."""
    threads, entries, wide = arrangement.threads, arrangement.entries, arrangement.wide
    ahead = arrangement.ahead
    groups, warps, turn_places = entries // wide, threads // WARP, threads * entries
    # A row's sum may read so far after its end.
    room = turn_places + 3 * WARP
    many = MANY_TIMES * entries
    thread_bits = threads.bit_length() - 1
    aligned, no_mark = np.int32(-SECTOR_ENTRIES), np.int32(MARK - 1)
    load_early = loader(EARLY_IF, groups, threads, wide)
    load = loader(STREAMED_IF, groups, threads, wide)
    multiply, store = multiplier(groups, threads, wide), storer(groups, threads, wide)
    add, block_sum = adder(groups, threads, wide), _block_sum(warps)
    load_record = LOADS[RECORD]
    # Without them the assembler saves registers, and waits for one element of x before it asks for the next.
    options = {} if SIMULATED else {"launch_bounds": (threads, arrangement.resident // threads)}

    @cuda.jit(**options)
    def kernel(records, rowptr, columns, values, x, y, pieces, pieces_of, arrived, alpha, beta):
        """Sum the rows of one record a block.

        Parameters
        ----------
        records
            uint32 of 4 a block, `RowBlocks.records`: entries and rows of each block.
        rowptr
            uint32 of M + 1: the entry that each row begins with.
        columns
            uint32 of nnz and up to the width of a load after them.
        values
            real, as many.
        x
            real of N.
        y
            real of M.
        pieces
            real, one a block where rows are in pieces: the sum of its piece.
        pieces_of
            uint32 of 2 a block, `RowBlocks.pieces`.
        arrived
            uint32, one a block: how many pieces of a row are done; zero before and after.
        alpha, beta
            Scalars of the real type; y is not read where beta is 0.
        """
        products = cuda.shared.array(room, real)
        is_last = cuda.shared.array(1, np.int32)
        let_next_begin()
        block, thread = np.uint32(cuda.blockIdx.x), np.int32(cuda.threadIdx.x)
        zero = real(0)
        record = load_record(records, np.int64(block) * RECORD)
        word, row = np.int32(record[0]), np.int32(record[1])
        last_word, rows = np.int32(record[2]), np.int32(np.int32(record[3]) - np.int32(record[1]))
        first = np.int32(word & no_mark)
        base = np.int32(first & aligned)
        count = np.int32((last_word & no_mark) - base)
        place = np.int32(thread * wide)
        loaded = load_early(values, columns, np.int64(base) + place, place, count)
        # The most threads a row so that each row has some: a power of two, all in one warp.
        bits_of_row = np.int32(thread_bits - 32 + cuda.clz(np.uint32(rows - 1)))
        bits_of_row = np.int32(max(np.int32(0), min(np.int32(5), bits_of_row)))
        mine = np.int32(thread >> bits_of_row)
        begin, end = np.int32(0), np.int32(0)
        if mine < rows:
            begin = np.int32(np.int32(rowptr[np.uint32(row + mine)]) - base)
            end = np.int32(np.int32(rowptr[np.uint32(row + mine + 1)]) - base)
        wait_for_previous()
        if word >= 0:
            store(products, multiply(loaded, x, place, count), place)
            cuda.syncthreads()
            threads_per_row = np.int32(np.int32(1) << bits_of_row)
            member = np.int32(thread & (threads_per_row - 1))
            summed = np.int32(0)
            while summed < rows:
                if summed > 0:
                    begin, end = np.int32(0), np.int32(0)
                    if mine < rows:
                        begin = np.int32(np.int32(rowptr[np.uint32(row + mine)]) - base)
                        end = np.int32(np.int32(rowptr[np.uint32(row + mine + 1)]) - base)
                is_big = np.int32(end - begin) > np.int32(np.int32(many) << bits_of_row)
                total = zero
                if not is_big:
                    total = _strided_sum(products, np.int32(begin + member), end, threads_per_row, zero)
                total = sum_of_neighbours(total, threads_per_row)
                big = np.uint32(cuda.ballot_sync(EVERY_LANE, is_big and member == 0))
                while big != 0:
                    leader = np.int32(31 - cuda.clz(big))
                    big = np.uint32(big & ~(np.uint32(1) << np.uint32(leader)))
                    big_begin = np.int32(cuda.shfl_sync(EVERY_LANE, begin, leader))
                    big_end = np.int32(cuda.shfl_sync(EVERY_LANE, end, leader))
                    own_place = np.int32(big_begin + thread % WARP)
                    of_lane = _strided_sum(products, own_place, big_end, np.int32(WARP), zero)
                    of_warp = sum_of_reals(of_lane)
                    if thread % WARP == leader:
                        total = of_warp
                if member == 0 and mine < rows:
                    write_row(y, np.uint32(row + mine), total, alpha, beta, zero)
                mine = np.int32(mine + (threads >> bits_of_row))
                summed = np.int32(summed + (threads >> bits_of_row))
        else:
            own, gone, begin = zero, np.int32(0), np.int32(first - base)
            while gone < count:
                gone = np.int32(gone + turn_places)
                further = np.int32(place + turn_places)
                following = loaded
                if ahead:
                    following = load(values, columns, np.int64(base) + further, further, count)
                own = add(own, multiply(loaded, x, place, count), place, begin, count)
                loaded, place = following, further
                if not ahead:
                    loaded = load(values, columns, np.int64(base) + place, place, count)
            total = block_sum(own, products, thread, zero)
            if last_word >= 0:
                if thread == 0:
                    write_row(y, np.uint32(row), total, alpha, beta, zero)
            else:
                first_block = np.uint32(pieces_of[np.uint64(2 * block)])
                number = np.uint32(pieces_of[np.uint64(2 * block + 1)])
                if thread == 0:
                    pieces[block] = total
                    cuda.threadfence()
                    before = cuda.atomic.add(arrived, first_block, np.uint32(1))
                    is_last[0] = np.int32(before + np.uint32(1) == number)
                cuda.syncthreads()
                if is_last[0] != 0:
                    cuda.threadfence()
                    own, piece = zero, np.uint32(thread)
                    while piece < number:
                        own += pieces[np.uint32(first_block + piece)]
                        piece = np.uint32(piece + threads)
                    total = block_sum(own, products, thread, zero)
                    if thread == 0:
                        write_row(y, np.uint32(row), total, alpha, beta, zero)
                        arrived[first_block] = np.uint32(0)

    return kernel


class CRSAdaptiveProduct(LaunchedInTurn):
    """A `CRS` matrix on the device with its rows in blocks of equal work, and the launch of its product.

    Where rows are in pieces, products of the same object must not overlap: they share the sums of the pieces.

    Parameters
    ----------
    matrix
        The matrix.
    threads_per_block
        A multiple of 32, for large matrices; at most 256 are taken.
    arrangement
        How the work is dealt; None takes that of `arrangement_for`.
    """

    def __init__(
        self, matrix: CRS, threads_per_block: int, *, arrangement: Arrangement | None = None
    ) -> None:
        self.real = real_type(matrix.values)
        chosen = arrangement or arrangement_for(matrix.nnz, matrix.values.dtype.itemsize, threads_per_block)
        result = row_blocks(matrix.rowptr, chosen.places, chosen.most_times)
        in_pieces = len(result.pieces) // 2
        # The last group of entries is loaded whole.
        behind = -matrix.nnz % chosen.wide
        self.arrays = [
            upload(result.records),
            upload(matrix.rowptr.view(np.uint32)),
            upload(matrix.colidx.view(np.uint32), behind),
            upload(matrix.values, behind),
        ]
        self.columns, self.values = self.arrays[2:4]
        self.sums = [
            upload(np.zeros(in_pieces, dtype=self.real)),
            upload(result.pieces),
            upload(np.zeros(in_pieces, dtype=np.uint32)),
        ]
        kernel = crs_adaptive_kernel(self.real, chosen)
        arguments = [*self.arrays, X, Y, *self.sums, ALPHA, BETA]
        self.launches = launches_of(kernel, len(result), chosen.threads, arguments, self.real)
        self.device_arrays = [*self.arrays, *self.sums]
        self._of_several: CRSProduct | None = None
        self._like = matrix.shape, matrix.nnz, threads_per_block

    def launch_several(
        self, x: Any, y: Any, size: tuple[int, int], by_columns: bool, alpha: Any, beta: Any, stream: Any
    ) -> bool:
        """Put the product with several vectors on the stream, by the kernel of ``crs-split`` on these arrays.

        Parameters
        ----------
        x, y, size, by_columns, alpha, beta, stream
            As of `MultipliesSeveral.launch_several`.
        """
        if self._of_several is None:
            shape, nnz, threads = self._like
            pointers = self.arrays[1].copy_to_host().view(np.int32)
            # What stands after the last entry is padding; a device has no empty arrays.
            same = CRS(shape, pointers, self.columns[: max(1, nnz)], self.values[: max(1, nnz)])
            self._of_several = CRSProduct(same, threads, row_cap=PIECE_OF_SEVERAL)
        product = self._of_several
        result = product.launch_several(x, y, size, by_columns, alpha, beta, stream)
        shared = {id(product.columns), id(product.values)}
        others = [each for each in product.device_arrays if id(each) not in shared]
        self.device_arrays = [*self.arrays, *self.sums, *others]
        return result
