"""The product of HBP as it was published: a warp a block, its segment of x in shared memory, then the rows.

Blocks are taken column of blocks by column of blocks, so that a warp seldom fetches another segment. A part
of them is allocated beforehand, as many to each warp; the others go to whoever is ready first, by a ticket
(section III-C, algorithm 3). Each block leaves its sums in slots of its own, and a second kernel sums the
blocks of a row in their order: so results do not depend on who took which block.
"""

import functools
from typing import Any

import numpy as np

from gpu.kernel_parts.row_results import write_row
from gpu.runtime.cuda import EVERY_LANE, SIMULATED, WARP, cuda, device_function
from gpu.runtime.device_info import shared_memory
from gpu.runtime.launches import (
    ALPHA,
    BETA,
    LaunchedInTurn,
    X,
    Y,
    launches_of,
    let_next_begin,
    wait_for_previous,
)
from gpu.runtime.memory import real_type, upload
from vecsim.errors import UserError
from vecsim.formats import HBP
from vecsim.formats.hbp.container import BLOCK_COLUMNS, LAST

FIXED = 0.5
"""Of the blocks so many are allocated beforehand."""
RESERVED_BYTES = 1024
"""Of shared memory, which the system takes for each block of threads."""


@device_function
def _ticket(tickets: Any, lane: Any) -> Any:
    """Draw a ticket for the warp, which all of its lanes get."""
    drawn = np.int32(0)
    if lane == 0:
        drawn = cuda.atomic.add(tickets, 0, np.int32(1))
    return np.int64(cuda.shfl_sync(EVERY_LANE, drawn, 0))


@functools.cache
def blocks_kernel(real: Any, segment: int) -> Any:
    """Make the kernel that multiplies blocks by their segments of x, a warp a block of threads.

    Parameters
    ----------
    real
        np.float32 or np.float64.
    segment
        Columns of a block.
    """

    @cuda.jit
    def kernel(columns, values, add_sign, zero_row, output_hash, begin_nnz,
               down, across, block_rows, width, fixed, tickets, x, sums):  # fmt: skip
        """Multiply the blocks that are this warp's, then those that it draws a ticket for.

        Parameters
        ----------
        columns, values, add_sign, zero_row, output_hash, begin_nnz
            Of `vecsim.formats.HBP`.
        down, across
            Blocks of a column of blocks, and of a row.
        block_rows, width
            Rows of a block; columns of the matrix.
        fixed
            Blocks of each warp.
        tickets
            int32 of 1: how many of the other blocks have been given out.
        x
            real of N.
        sums
            real, one a slot: the sum of each row of each block.
        """
        held = cuda.shared.array(segment, real)
        lane = np.int64(cuda.threadIdx.x)
        warps = np.int64(cuda.gridDim.x)
        blocks = down * across
        let_next_begin()
        wait_for_previous()
        taken = np.int64(0)
        number = np.int64(cuda.blockIdx.x) * fixed
        if fixed == 0:
            number = _ticket(tickets, lane)
        held_column = np.int64(-1)
        while number < blocks:
            column, row = number // down, number % down
            first_column = column * segment
            if column != held_column:
                cuda.syncwarp()
                at = lane
                while at < segment and first_column + at < width:
                    held[at] = x[np.uint64(first_column + at)]
                    at += WARP
                cuda.syncwarp()
                held_column = column
            first_slot = (row * across + column) * block_rows
            slot = first_slot + lane
            while slot < first_slot + block_rows:
                skipped, total = zero_row[np.uint64(slot)], real(0)
                if skipped != LAST:
                    at = np.int64(begin_nnz[np.uint64(slot // WARP)]) + lane - skipped
                    further = add_sign[np.uint64(at)]
                    total += values[np.uint64(at)] * held[columns[np.uint64(at)] - first_column]
                    while further > 0:
                        at += further
                        further = add_sign[np.uint64(at)]
                        total += values[np.uint64(at)] * held[columns[np.uint64(at)] - first_column]
                sums[np.uint64(first_slot + output_hash[np.uint64(slot)])] = total
                slot += WARP
            taken += 1
            number += 1
            if taken >= fixed:
                number = warps * fixed + _ticket(tickets, lane)

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
        let_next_begin()
        wait_for_previous()
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
        Of the second kernel. A block of threads of the first is one warp, since each has its own segment.

    Raises
    ------
    UserError
        Its blocks are wider.
    """

    def __init__(self, matrix: HBP, threads_per_block: int) -> None:
        if matrix.block_columns > BLOCK_COLUMNS:
            raise UserError(
                f"blocks of {matrix.block_columns} columns do not fit into shared memory: use "
                f"{BLOCK_COLUMNS} at most"
            )
        real = real_type(matrix.values)
        slots, across = len(matrix.output_hash), matrix.across
        down = slots // matrix.block_rows // max(1, across)
        warps = min(max(1, down * across), _resident_warps(matrix.block_columns * real(0).itemsize))
        fixed = int(FIXED * down * across) // warps
        self._arrays = [
            *map(upload, (matrix.columns, matrix.values, matrix.add_sign, matrix.zero_row)),
            *map(upload, (matrix.output_hash, matrix.begin_nnz)),
        ]
        tickets, sums = upload(np.zeros(1, np.int32)), upload(np.zeros(slots, real))
        self._room = [tickets, sums]
        sizes = (down, across, matrix.block_rows, matrix.shape[1], fixed)
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
                warps if slots else 0,
                WARP,
                [*self._arrays, *sizes, tickets, X, sums],
                real,
            ),
            *self.combine,
        ]

    @property
    def device_arrays(self) -> list[Any]:
        """All arrays on the device."""
        return [*self._arrays, *self._room]


def _resident_warps(segment_bytes: int) -> int:
    """Give how many warps run at a time, each with its segment of x."""
    if SIMULATED:
        return 2
    multiprocessors, shared_bytes = shared_memory()
    return multiprocessors * (shared_bytes // (segment_bytes + RESERVED_BYTES))
