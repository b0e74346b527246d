"""The product of HBP as it was published: a warp a block, a segment of x in shared memory, then the rows.

Blocks are numbered column of blocks by column of blocks, and handed out in shares of neighbours in one
column. The warps of a block of threads hold one segment of x together: with one each, as many warps as have
room would be too few for the memory (docs/papers/hbp.md). A part of the shares is allocated beforehand, as
many to each block of threads; the others go to whoever is ready first, by a ticket, and within a share the
blocks go to the warps likewise (section III-C, algorithm 3). How large that part is follows from the size of
the matrix and the number of threads: see `ALLOCATIONS`. Each block leaves its sums in separate slots, and a
second kernel sums the blocks of a row in their order. So results do not depend on which warp took which
block. Or sums are added to y with atomics as they come.
"""

import functools
from collections.abc import Callable, Mapping
from typing import Any, Literal

import numpy as np

from gpu.hbp.container import BLOCK_COLUMNS, HBP, LAST
from gpu.kernel_parts.row_results import write_row
from gpu.runtime.cuda import EVERY_LANE, SIMULATED, WARP, cuda, device_function
from gpu.runtime.device_info import shared_memory
from gpu.runtime.kernel_sequence import begin_in_sequence
from gpu.runtime.launches import ALPHA, BETA, LaunchedInTurn, X, Y, launches_of
from gpu.runtime.memory import real_type, upload, zeros
from vecsim.support.errors import UserError

Allocation = Literal["by size", "half", "fixed", "competitive"]
"""How shares are allocated to blocks of threads."""
ALLOCATIONS: Mapping[Allocation, Callable[[int, int], int]] = {
    "by size": lambda shares, blocks: shares // blocks,
    "half": lambda shares, blocks: shares // 2 // blocks,
    "fixed": lambda shares, blocks: -(-shares // blocks),
    "competitive": lambda shares, blocks: 0,
}
"""Shares of each block of threads that are allocated beforehand, given all shares and the blocks of threads.

By size is the paper's rule as far as it states one: the division "bases on the scale of the input sparse
matrix and the number of threads allocated", the fixed part has an equal number of blocks for each warp, and
"the unassigned parts are classified as the competitive parts" (section III-C). So all shares are fixed that
can be handed out in equal numbers, and the remainder is competitive. The paper prints no formula. The others
are to compare with: half of them fixed, all of them, none of them."""
RESERVED_BYTES = 1024
"""Of shared memory, which the system takes for each block of threads."""
THREADS = 64 if SIMULATED else 256
"""Of a block, which share a segment of x."""
SHARES = 4
"""For each block of threads that runs at a time, at least, if shares stay large enough for its warps."""
MOST_IN_SHARE = 64
"""Blocks of a share."""


@device_function
def _drawn(counter: Any, lane: Any) -> Any:
    """Draw the next number of a counter for the warp, which all of its lanes get."""
    sampled = np.int32(0)
    if lane == 0:
        sampled = cuda.atomic.add(counter, 0, np.int32(1))
    return np.int64(cuda.shfl_sync(EVERY_LANE, sampled, 0))


@functools.cache
def blocks_kernel(real: Any, segment: int, direct: bool = False) -> Any:
    """Make the kernel that multiplies blocks by their segments of x, a warp a block.

    Parameters
    ----------
    real
        np.float32 or np.float64.
    segment
        Columns of a block.
    direct
        Whether sums are added to y, in no order that is known.
    """

    @cuda.jit
    def kernel(columns, values, add_sign, zero_row, output_hash, begin_nnz,
               down, across, block_rows, width, share, fixed, tickets, x, sums, alpha):  # fmt: skip
        """Multiply the shares of this block of threads, then those that it draws a ticket for.

        Parameters
        ----------
        columns, values, add_sign, zero_row, output_hash, begin_nnz
            Of `gpu.hbp.container.HBP`.
        down, across
            Blocks of a column of blocks, and of a row.
        block_rows, width
            Rows of a block; columns of the matrix.
        share, fixed
            Blocks of a share; shares of each block of threads that are allocated beforehand.
        tickets
            int32 of 1: how many of the other shares have been given out.
        x
            real of N.
        sums
            real, one a slot: the sum of each row of each block; 0 before where a row has no entry. Or y.
        alpha
            A scalar of the real type: the factor of what is added to y.
        """
        held = cuda.shared.array(segment, real)
        next_block = cuda.shared.array(1, np.int32)
        next_share = cuda.shared.array(1, np.int64)
        thread = np.int64(cuda.threadIdx.x)
        lane = thread % WARP
        in_column = (down + share - 1) // share
        shares = in_column * across
        groups = block_rows // WARP
        begin_in_sequence()
        taken = np.int64(0)
        number = np.int64(cuda.blockIdx.x) * fixed
        held_column = np.int64(-1)
        while True:
            if taken >= fixed:
                if thread == 0:
                    ticket = np.int64(cuda.atomic.add(tickets, 0, np.int32(1)))
                    next_share[0] = np.int64(cuda.gridDim.x) * fixed + ticket
                cuda.syncthreads()
                number = next_share[0]
            if number >= shares:
                break
            column = number // in_column
            if thread == 0:
                next_block[0] = np.int32(number % in_column * share)
            if column != held_column:
                at = thread
                while at < segment and column * segment + at < width:
                    held[at] = x[np.uint64(column * segment + at)]
                    at += THREADS
                held_column = column
            cuda.syncthreads()
            end = min(down, (number % in_column + 1) * share)
            row = _drawn(next_block, lane)
            while row < end:
                first_slot = (row * across + column) * block_rows
                group = np.int64(0)
                while group < groups:
                    # Where up to 31 groups begin: those without entries cost nothing more.
                    begins = np.int32(0)
                    if group + lane <= groups:
                        begins = begin_nnz[np.uint64(first_slot // WARP + group + lane)]
                    behind = cuda.shfl_down_sync(EVERY_LANE, begins, 1)
                    filled = group + lane < groups and lane < WARP - 1 and behind > begins
                    left = np.uint32(cuda.ballot_sync(EVERY_LANE, filled))
                    while left != 0:
                        own = np.int32(cuda.ffs(left) - 1)
                        left = np.uint32(left & (left - np.uint32(1)))
                        begin = np.int64(cuda.shfl_sync(EVERY_LANE, begins, own))
                        slot = first_slot + (group + own) * WARP + lane
                        skipped = zero_row[np.uint64(slot)]
                        if skipped != LAST:
                            total = real(0)
                            at = begin + lane - skipped
                            further = add_sign[np.uint64(at)]
                            total += values[np.uint64(at)] * held[columns[np.uint64(at)] - column * segment]
                            while further > 0:
                                at += further
                                further = add_sign[np.uint64(at)]
                                total += (
                                    values[np.uint64(at)] * held[columns[np.uint64(at)] - column * segment]
                                )
                            own_row = np.int64(output_hash[np.uint64(slot)])
                            if direct:
                                cuda.atomic.add(sums, row * block_rows + own_row, alpha * total)
                            else:
                                sums[np.uint64(first_slot + own_row)] = total
                    group += WARP - 1
                row = _drawn(next_block, lane)
            taken += 1
            number += 1
            cuda.syncthreads()

    return kernel


@functools.cache
def combine_kernel(real: Any) -> Any:
    """Make the kernel that sums the blocks of each row, a thread a row."""

    @cuda.jit
    def kernel(sums, across, block_rows, rows, tickets, y, alpha, beta):
        """Sum the blocks of a row in their order, and call the tickets in.

        Parameters
        ----------
        sums, tickets
            See `blocks_kernel`.
        across, block_rows
            Blocks of a row of blocks, rows of a block.
        rows
            M.
        y
            real of M.
        alpha, beta
            Scalars of the real type; y is not read where beta is 0.
        """
        row = np.int64(cuda.grid(1))
        begin_in_sequence()
        if row == 0:
            tickets[0] = np.int32(0)
        if row < rows:
            total = real(0)
            at = row // block_rows * across * block_rows + row % block_rows
            for _ in range(across):
                total += sums[np.uint64(at)]
                at += block_rows
            write_row(y, np.uint64(row), total, alpha, beta, real(0))

    return kernel


@functools.cache
def scale_kernel(real: Any) -> Any:
    """Make the kernel that begins a product whose sums are added to y, a thread a row."""

    @cuda.jit
    def kernel(rows, tickets, y, alpha, beta):
        """Multiply y by beta, and call the tickets in.

        Parameters
        ----------
        rows, tickets, y, alpha, beta
            As of `combine_kernel`.
        """
        row = np.int64(cuda.grid(1))
        begin_in_sequence()
        if row == 0:
            tickets[0] = np.int32(0)
        if row < rows:
            write_row(y, np.uint64(row), real(0), alpha, beta, real(0))

    return kernel


class HBPProduct(LaunchedInTurn):
    """An `HBP` matrix on the device, and the launches of its product.

    Attributes
    ----------
    combine
        Those of its launches that sum the blocks of each row; none where sums are added to y.
    room
        The counter of tickets and the sums of all slots, which every product writes.

    Parameters
    ----------
    matrix
        The matrix, in blocks of 4096 columns at most.
    threads_per_block
        Of the second kernel; the first has blocks of another size, each with its segment of x.
    allocation
        Which part of the blocks is allocated beforehand.
    direct
        Whether the sums of blocks are added to y with atomics as they come, without a second kernel (the
        paper's discussion). The order is another one in each run, and so may be the last bits.
    room
        `room` of another product of a matrix of the same shape, blocks and type, on the same stream; None: it
        has its own.

    Raises
    ------
    UserError
        Its blocks are wider.
    """

    def __init__(
        self,
        matrix: HBP,
        threads_per_block: int,
        allocation: Allocation = "by size",
        *,
        direct: bool = False,
        room: tuple[Any, Any] | None = None,
    ) -> None:
        require_narrow(matrix.block_columns)
        real, rows = real_type(matrix.values), matrix.shape[0]
        slots, across = len(matrix.output_hash), matrix.across
        down = slots // matrix.block_rows // max(1, across)
        resident = resident_blocks(matrix.block_columns * real(0).itemsize)
        share = share_of(down * across, resident)
        shares = -(-down // share) * across
        blocks = min(max(1, shares), resident)
        fixed = ALLOCATIONS[allocation](shares, blocks)
        arrays = [
            *map(upload, (matrix.columns, matrix.values, matrix.add_sign, matrix.zero_row)),
            *map(upload, (matrix.output_hash, matrix.begin_nnz)),
        ]
        self.room = room or (zeros(1, np.int32), zeros(0 if direct else slots, real))
        tickets, sums = self.room
        sizes = (down, across, matrix.block_rows, matrix.shape[1], share, fixed)
        multiply = launches_of(
            blocks_kernel(real, matrix.block_columns, direct),
            blocks if slots else 0,
            THREADS,
            [*arrays, *sizes, tickets, X, Y if direct else sums, ALPHA],
            real,
        )
        of_rows = -(-rows // threads_per_block), threads_per_block
        adding = [sums, across, matrix.block_rows, rows, tickets, Y, ALPHA, BETA]
        scaling = [rows, tickets, Y, ALPHA, BETA]
        self.combine = [] if direct else launches_of(combine_kernel(real), *of_rows, adding, real)
        before = launches_of(scale_kernel(real), *of_rows, scaling, real) if direct else []
        self.launches = [*before, *multiply, *self.combine]
        self.device_arrays = [*arrays, *self.room]


def require_narrow(block_columns: int) -> None:
    """Raise UserError unless a segment of this many columns fits into shared memory."""
    if block_columns > BLOCK_COLUMNS:
        raise UserError(
            f"blocks of {block_columns} columns do not fit into shared memory: use {BLOCK_COLUMNS} at most"
        )


def share_of(blocks: int, resident: int) -> int:
    """Return how many blocks one after the other are handed out together.

    Parameters
    ----------
    blocks
        All of them.
    resident
        Blocks of threads that run at a time.
    """
    return max(THREADS // WARP, min(MOST_IN_SHARE, blocks // (SHARES * resident)))


def resident_blocks(segment_bytes: int) -> int:
    """Return how many blocks of threads run at a time, each with its segment of x."""
    if SIMULATED:
        return 2
    multiprocessors, shared_bytes = shared_memory()
    return multiprocessors * min(2048 // THREADS, shared_bytes // (segment_bytes + RESERVED_BYTES))
