"""The product of HBP repaired: many warps share a segment of x, and a row sums the slots that it has.

The groups of a column of blocks are cut into pieces of so many entries; a block of threads takes pieces one
behind the other, and fetches a segment of x where the column of blocks changes. Its warps take groups in
turn. A second kernel sums the slots of each row in their order, so the bits are the same in every run.
"""

import functools
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gpu.formats.hbp import RESERVED_BYTES
from gpu.kernel_parts.row_results import write_row
from gpu.runtime.cuda import SIMULATED, WARP, cuda
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
from vecsim.formats import ActiveHBP
from vecsim.formats.hbp.container import BLOCK_COLUMNS

THREADS = 64 if SIMULATED else 256
"""Of a block, which share a segment of x."""
PIECE = 64 if SIMULATED else 8192
"""Entries of a piece: from these on it ends with a group."""


@functools.cache
def pieces_kernel(real: Any, segment: int) -> Any:
    """Make the kernel that multiplies pieces by their segments of x.

    Parameters
    ----------
    real
        np.float32 or np.float64.
    segment
        Columns of a block.
    """

    @cuda.jit
    def kernel(columns, values, steps, group_slots, group_begins, piece_groups, piece_columns,
               pieces, width, x, sums):  # fmt: skip
        """Multiply this block's pieces, a group a warp, a slot a thread.

        Parameters
        ----------
        columns, values, steps, group_slots, group_begins
            Of `vecsim.formats.ActiveHBP`.
        piece_groups, piece_columns
            int32: where the groups of each piece begin, and its column of blocks.
        pieces, width
            How many; columns of the matrix.
        x
            real of N.
        sums
            real, one a slot.
        """
        held = cuda.shared.array(segment, real)
        thread, blocks = np.int64(cuda.threadIdx.x), np.int64(cuda.gridDim.x)
        warp, lane = thread // WARP, thread % WARP
        piece = pieces * np.int64(cuda.blockIdx.x) // blocks
        end = pieces * np.int64(cuda.blockIdx.x + 1) // blocks
        let_next_begin()
        wait_for_previous()
        held_column = np.int64(-1)
        while piece < end:
            column = np.int64(piece_columns[np.uint64(piece)])
            if column != held_column:
                cuda.syncthreads()
                at = thread
                while at < segment and column * segment + at < width:
                    held[at] = x[np.uint64(column * segment + at)]
                    at += THREADS
                cuda.syncthreads()
                held_column = column
            group = np.int64(piece_groups[np.uint64(piece)]) + warp
            last = np.int64(piece_groups[np.uint64(piece + 1)])
            while group < last:
                slot = np.int64(group_slots[np.uint64(group)]) + lane
                if slot < group_slots[np.uint64(group + 1)]:
                    at = np.int64(group_begins[np.uint64(group)]) + lane
                    step = np.int64(steps[np.uint64(at)])
                    total = values[np.uint64(at)] * held[columns[np.uint64(at)]]
                    while step > 0:
                        at += step
                        step = np.int64(steps[np.uint64(at)])
                        total += values[np.uint64(at)] * held[columns[np.uint64(at)]]
                    sums[np.uint64(slot)] = total
                group += THREADS // WARP
            piece += 1

    return kernel


@functools.cache
def combine_kernel(real: Any) -> Any:
    """Make the kernel that sums the slots of each row, a thread a row."""

    @cuda.jit
    def kernel(sums, row_pointers, row_slots, rows, y, alpha, beta):
        """Sum the slots of a row in their order.

        Parameters
        ----------
        sums
            real, one a slot.
        row_pointers, row_slots
            Of `vecsim.formats.ActiveHBP`.
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
        if row < rows:
            total = real(0)
            for at in range(row_pointers[np.uint64(row)], row_pointers[np.uint64(row + 1)]):
                total += sums[np.uint64(row_slots[np.uint64(at)])]
            write_row(y, np.uint64(row), total, alpha, beta, real(0))

    return kernel


class ActiveHBPProduct(LaunchedInTurn):
    """An `ActiveHBP` matrix on the device, and the launches of its product.

    Parameters
    ----------
    matrix
        The matrix, in blocks of 4096 columns at most.
    threads_per_block
        Of the second kernel.

    Raises
    ------
    UserError
        Its blocks are wider.
    """

    def __init__(self, matrix: ActiveHBP, threads_per_block: int) -> None:
        if matrix.block_columns > BLOCK_COLUMNS:
            raise UserError(
                f"blocks of {matrix.block_columns} columns do not fit into shared memory: use "
                f"{BLOCK_COLUMNS} at most"
            )
        real, rows = real_type(matrix.values), matrix.shape[0]
        groups, columns = _pieces(matrix)
        pieces = len(columns)
        arrays = (matrix.columns, matrix.values, matrix.steps, matrix.group_slots, matrix.group_begins)
        first = [*map(upload, (*arrays, groups, columns))]
        second = [*map(upload, (matrix.row_pointers, matrix.row_slots))]
        sums = upload(np.zeros(len(matrix.rows), real))
        self._arrays = [*first, *second, sums]
        blocks = min(pieces, _resident_blocks(matrix.block_columns * real(0).itemsize))
        kernel = pieces_kernel(real, matrix.block_columns)
        adding = -(-rows // threads_per_block)
        self.launches = [
            *launches_of(kernel, blocks, THREADS, [*first, pieces, matrix.shape[1], X, sums], real),
            *launches_of(
                combine_kernel(real), adding, threads_per_block, [sums, *second, rows, Y, ALPHA, BETA], real
            ),
        ]

    @property
    def device_arrays(self) -> list[Any]:
        """All arrays on the device."""
        return self._arrays


def _pieces(matrix: ActiveHBP) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Give where the groups of each piece begin, and the column of blocks of each."""
    begins = matrix.group_begins[:-1].astype(np.int64)
    columns = matrix.group_columns
    first_of_column = np.searchsorted(columns, columns)  # the first group of each group's column
    number = (begins - begins[first_of_column]) // PIECE
    starts = np.flatnonzero((np.diff(columns, prepend=-1) != 0) | (np.diff(number, prepend=-1) != 0))
    return np.append(starts, len(columns)).astype(np.int32), columns[starts].astype(np.int32)


def _resident_blocks(segment_bytes: int) -> int:
    """Give how many blocks of threads run at a time, each with its segment of x."""
    if SIMULATED:
        return 2
    multiprocessors, shared_bytes = shared_memory()
    return multiprocessors * min(2048 // THREADS, shared_bytes // (segment_bytes + RESERVED_BYTES))
