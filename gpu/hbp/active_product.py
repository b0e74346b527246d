"""The product of HBP repaired: many warps share a segment of x, and the rest is CRS.

The groups of a column of blocks are cut into pieces of this many entries; a block of threads takes pieces one
after the other, and fetches a segment of x where the column of blocks changes. Its warps take groups in
turn, a slot a lane: where a step begins, the lanes whose slots go on count themselves, which says where their
entries stand. A slot leaves its sum at its own place. The rest is multiplied by the kernel of
`gpu.formats.crs.adaptive`, which writes all of y; then each row with slots adds its sums in their order, one
with many by a warp. So the bits are the same in every run.

Or sums are added to y as they come, after the rest: then there is no memory for them and no step after.
"""

import functools
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gpu.formats.crs.adaptive import CRSAdaptiveProduct
from gpu.hbp.active import ActiveHBP
from gpu.hbp.product import THREADS, require_narrow, resident_blocks
from gpu.kernel_parts.row_results import PieceSums, write_row
from gpu.runtime.cuda import EVERY_LANE, SIMULATED, WARP, cuda
from gpu.runtime.kernel_sequence import begin_in_sequence
from gpu.runtime.launches import ALPHA, Launch, LaunchedInTurn, X, Y, launches_of
from gpu.runtime.memory import on_host, part_of, real_type, upload
from vecsim.formats import CRS

PIECE = 64 if SIMULATED else 8192
"""Entries of a piece: from these on it ends with a group."""
MANY_SUMS = 32
"""A row with more sums has a warp to add them."""


@functools.cache
def pieces_kernel(real: Any, segment: int, direct: bool) -> Any:
    """Make the kernel that multiplies pieces by their segments of x.

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
    def kernel(columns, values, lengths, places, group_slots, group_begins, piece_groups, piece_columns,
               pieces, width, x, sums, alpha):  # fmt: skip
        """Multiply this block's pieces, a group a warp, a slot a lane.

        Parameters
        ----------
        columns, values, lengths, places, group_slots, group_begins
            Of `gpu.hbp.active.ActiveHBP`; places are the rows of the slots where sums are added to y.
        piece_groups, piece_columns
            int32: where the groups of each piece begin, and its column of blocks.
        pieces, width
            How many; columns of the matrix.
        x
            real of N.
        sums
            real: one a slot, or y.
        alpha
            A scalar of the real type: the factor of what is added to y.
        """
        held = cuda.shared.array(segment, real)
        thread, blocks = np.int64(cuda.threadIdx.x), np.int64(cuda.gridDim.x)
        warp, lane = thread // WARP, thread % WARP
        below = np.uint32((np.uint32(1) << np.uint32(lane)) - np.uint32(1))
        piece = pieces * np.int64(cuda.blockIdx.x) // blocks
        end = pieces * np.int64(cuda.blockIdx.x + 1) // blocks
        begin_in_sequence()
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
                length = np.int32(0)
                if slot < group_slots[np.uint64(group + 1)]:
                    length = np.int32(lengths[np.uint64(slot)])
                begin = np.int64(group_begins[np.uint64(group)])
                step, total = np.int32(0), real(0)
                going = np.uint32(cuda.ballot_sync(EVERY_LANE, step < length))
                while going != 0:
                    if step < length:
                        at = begin + np.int64(cuda.popc(going & below))
                        total += values[np.uint64(at)] * held[columns[np.uint64(at)]]
                    begin += np.int64(cuda.popc(going))
                    step = np.int32(step + 1)
                    going = np.uint32(cuda.ballot_sync(EVERY_LANE, step < length))
                if length > 0:
                    if direct:
                        cuda.atomic.add(sums, np.int64(places[np.uint64(slot)]), alpha * total)
                    else:
                        sums[np.uint64(places[np.uint64(slot)])] = total
                group += THREADS // WARP
            piece += 1

    return kernel


@functools.cache
def add_sums_kernel(real: Any) -> Any:
    """Make the kernel that adds the sums of rows that have few, a thread a row."""

    @cuda.jit
    def kernel(sums, slot_rows, row_places, number, y, alpha):
        """Add the sums of a row in their order.

        Parameters
        ----------
        sums
            real, one a slot, those of a row side by side.
        slot_rows, row_places
            Of `gpu.hbp.active.ActiveHBP`.
        number
            Of rows with slots.
        y
            real of M.
        alpha
            A scalar of the real type.
        """
        at = np.int64(cuda.grid(1))
        begin_in_sequence()
        if at < number:
            place, end = np.int64(row_places[np.uint64(at)]), np.int64(row_places[np.uint64(at + 1)])
            if end - place <= MANY_SUMS:
                total = real(0)
                while place < end:
                    total += sums[np.uint64(place)]
                    place += 1
                write_row(y, np.uint64(slot_rows[np.uint64(at)]), total, alpha, real(1), real(0))

    return kernel


class ActiveHBPProduct(LaunchedInTurn):
    """An `ActiveHBP` matrix on the device, and the launches of its product.

    Products of the same object must not overlap: they share the sums of the slots.

    Attributes
    ----------
    combine
        Those of its launches that add the sums of slots; none where they are added as they come.

    Parameters
    ----------
    matrix
        The matrix, in blocks of 4096 columns at most, on the host or the device.
    threads_per_block
        Of the kernels after the first.
    direct
        Whether sums of slots are added to y as they come: there is no memory for them and no further step.
        The order is another one in each run, and so may be the last bits.

    Raises
    ------
    UserError
        Its blocks are wider.
    """

    def __init__(self, matrix: ActiveHBP, threads_per_block: int, *, direct: bool = False) -> None:
        require_narrow(matrix.block_columns)
        real = real_type(matrix.values)
        own = part_of(matrix.values, 0, matrix.in_blocks)
        rest = CRS(
            matrix.shape,
            on_host(matrix.rest_pointers),
            matrix.rest_columns,
            part_of(matrix.values, matrix.in_blocks, matrix.nnz),
        )
        groups, columns = pieces_of(matrix)
        places = upload(rows_of_slots(matrix) if direct else matrix.places)
        first = [
            *(upload(matrix.columns), upload(own), upload(matrix.lengths), places),
            *(upload(matrix.group_slots), upload(matrix.group_begins), upload(groups), upload(columns)),
        ]
        self._rest = CRSAdaptiveProduct(rest, threads_per_block)
        self._arrays = first
        blocks = min(len(columns), resident_blocks(matrix.block_columns * real(0).itemsize))
        kernel = pieces_kernel(real, matrix.block_columns, direct)
        self.combine: list[Launch] = []
        sums = Y if direct else self._added_behind(matrix, real, threads_per_block)
        arguments = [*first, len(columns), matrix.shape[1], X, sums, ALPHA]
        multiply = launches_of(kernel, blocks, THREADS, arguments, real)
        in_order = [*self._rest.launches, *multiply] if direct else [*multiply, *self._rest.launches]
        self.launches = [*in_order, *self.combine]
        self.device_arrays = [*self._arrays, *self._rest.device_arrays]

    def _added_behind(self, matrix: ActiveHBP, real: Any, threads: int) -> Any:
        """Keep the arrays and launches that add the sums of slots in their order; return where these go."""
        rows, places = upload(matrix.slot_rows), upload(matrix.row_places)
        row_places = on_host(matrix.row_places)
        many = np.flatnonzero(np.diff(row_places) > MANY_SUMS)
        ends = row_places[many], row_places[many + 1]
        long_rows = PieceSums(
            real,
            on_host(matrix.slot_rows)[many],
            *ends,
            threads,
            pieces=len(matrix.lengths),
            beta=real(1),
        )
        self._arrays = [*self._arrays, rows, places, *long_rows.device_arrays]
        adding = [long_rows.pieces, rows, places, len(matrix.slot_rows), Y, ALPHA]
        self.combine = [
            *launches_of(add_sums_kernel(real), -(-len(matrix.slot_rows) // threads), threads, adding, real),
            *long_rows.launches,
        ]
        return long_rows.pieces


def rows_of_slots(matrix: ActiveHBP) -> NDArray[np.uint32]:
    """Return the row of each slot."""
    by_place = np.repeat(on_host(matrix.slot_rows), np.diff(on_host(matrix.row_places)))
    rows: NDArray[np.uint32] = by_place[on_host(matrix.places)].astype(np.uint32)
    return rows


def pieces_of(matrix: ActiveHBP) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Return where the groups of each piece begin, and the column of blocks of each."""
    begins = on_host(matrix.group_begins)[:-1].astype(np.int64)
    columns = on_host(matrix.group_columns)
    first_of_column = np.searchsorted(columns, columns)  # the first group of each group's column
    number = (begins - begins[first_of_column]) // PIECE
    starts = np.flatnonzero((np.diff(columns, prepend=-1) != 0) | (np.diff(number, prepend=-1) != 0))
    return np.append(starts, len(columns)).astype(np.int32), columns[starts].astype(np.int32)
