"""The product of HBP as it was published: a warp a block, a segment of x in shared memory, then the rows.

Blocks are numbered column of blocks by column of blocks, and handed out in shares of neighbours in one
column. The warps of a block of threads hold one segment of x together: with one each, as many warps as have
room would be too few for the memory (docs/papers/hbp.md). A part of the shares is allocated beforehand, as
many to each block of threads; the others go to whoever is ready first, by a ticket, and within a share the
blocks go to the warps likewise (section III-C, algorithm 3). Each block leaves its sums in separate slots,
and a second kernel sums the blocks of a row in their order. So results do not depend on which warp took which
block.
"""

import functools
from typing import Any

import numpy as np

from gpu.hbp.container import BLOCK_COLUMNS, HBP, LAST
from gpu.kernel_parts.row_results import write_row
from gpu.runtime.cuda import EVERY_LANE, SIMULATED, WARP, cuda, device_function
from gpu.runtime.device_info import shared_memory
from gpu.runtime.kernel_sequence import begin_in_sequence
from gpu.runtime.launches import ALPHA, BETA, LaunchedInTurn, X, Y, launches_of
from gpu.runtime.memory import real_type, upload, zeros
from vecsim.support.errors import UserError

FIXED = 0.5
"""Of the shares this many are allocated beforehand."""
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
def blocks_kernel(real: Any, segment: int) -> Any:
    """Make the kernel that multiplies blocks by their segments of x, a warp a block.

    Parameters
    ----------
    real
        np.float32 or np.float64.
    segment
        Columns of a block.
    """

    @cuda.jit
    def kernel(columns, values, add_sign, zero_row, output_hash, begin_nnz,
               down, across, block_rows, width, share, fixed, tickets, x, sums):  # fmt: skip
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
            real, one a slot: the sum of each row of each block; 0 before where a row has no entry.
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
                            sums[np.uint64(first_slot + output_hash[np.uint64(slot)])] = total
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


class HBPProduct(LaunchedInTurn):
    """An `HBP` matrix on the device, and the launches of its product.

    Attributes
    ----------
    combine
        Those of its launches that sum the blocks of each row.

    Parameters
    ----------
    matrix
        The matrix, in blocks of 4096 columns at most.
    threads_per_block
        Of the second kernel; the first has blocks of another size, each with its segment of x.

    Raises
    ------
    UserError
        Its blocks are wider.
    """

    def __init__(self, matrix: HBP, threads_per_block: int) -> None:
        require_narrow(matrix.block_columns)
        real = real_type(matrix.values)
        slots, across = len(matrix.output_hash), matrix.across
        down = slots // matrix.block_rows // max(1, across)
        resident = resident_blocks(matrix.block_columns * real(0).itemsize)
        share = share_of(down * across, resident)
        shares = -(-down // share) * across
        blocks = min(max(1, shares), resident)
        fixed = int(FIXED * shares) // blocks
        self._arrays = [
            *map(upload, (matrix.columns, matrix.values, matrix.add_sign, matrix.zero_row)),
            *map(upload, (matrix.output_hash, matrix.begin_nnz)),
        ]
        tickets, sums = zeros(1, np.int32), zeros(slots, real)
        self._room = [tickets, sums]
        sizes = (down, across, matrix.block_rows, matrix.shape[1], share, fixed)
        self.combine = launches_of(
            combine_kernel(real),
            -(-matrix.shape[0] // threads_per_block),
            threads_per_block,
            [sums, across, matrix.block_rows, matrix.shape[0], tickets, Y, ALPHA, BETA],
            real,
        )
        self.launches = [
            *launches_of(
                blocks_kernel(real, matrix.block_columns),
                blocks if slots else 0,
                THREADS,
                [*self._arrays, *sizes, tickets, X, sums],
                real,
            ),
            *self.combine,
        ]
        self.device_arrays = [*self._arrays, *self._room]


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
