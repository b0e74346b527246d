"""The product of COO: a warp sums a run of entries by a segmented scan, whatever rows they belong to."""

import functools
from typing import Any

import numpy as np

from gpu.formats.coo.container import COO
from gpu.kernel_parts.row_results import PieceSums, scaling
from gpu.runtime.cuda import EVERY_LANE, SIMULATED, WARP, cuda
from gpu.runtime.kernel_sequence import begin_in_sequence
from gpu.runtime.launches import ALPHA, LaunchedInTurn, X, Y, launches_of
from gpu.runtime.memory import real_type, upload

ENTRIES_PER_THREAD = 2 if SIMULATED else 16
"""Entries that a thread takes in turn."""


@functools.cache
def coo_kernel(real: Any, entries_per_thread: int) -> Any:
    """Make the kernel: ``y += alpha A x`` for rows within one warp's run, pieces of the others.

    Piece 2 w is of the row that began before the run of warp w, 2 w + 1 of the one that goes on after it; a
    row that does both is piece 2 w. Each warp writes both, 0 where there is none.
    """
    run = entries_per_thread * WARP

    @cuda.jit
    def kernel(rows, columns, values, entries, x, y, pieces, alpha):
        """Sum a run of entries a warp.

        Parameters
        ----------
        rows, columns
            uint32 of nnz, by row.
        values
            real of nnz.
        entries
            nnz.
        x
            real of N.
        y
            real of M, which holds beta y.
        pieces
            real of 2 a warp.
        alpha
            A scalar of the real type.
        """
        thread = cuda.grid(1)
        warp = thread // WARP
        lane = thread % WARP
        begin_in_sequence()
        begin = warp * run
        end = min(begin + run, entries)
        first_row, last_row = np.int32(-1), np.int32(-1)
        began_before, goes_on = False, False
        if begin < end:
            first_row, last_row = np.int32(rows[np.uint64(begin)]), np.int32(rows[np.uint64(end - 1)])
            began_before = begin > 0 and np.int32(rows[np.uint64(begin - 1)]) == first_row
            goes_on = end < entries and np.int32(rows[np.uint64(end)]) == last_row
            if lane == 0 and not began_before:
                pieces[np.uint64(2 * warp)] = real(0)
            if lane == 0 and (not goes_on or (began_before and first_row == last_row)):
                pieces[np.uint64(2 * warp + 1)] = real(0)
        carried_row, carried = np.int32(-1), real(0)
        for turn in range(entries_per_thread):
            at = begin + turn * WARP + lane
            row, total = np.int32(-2), real(0)
            if at < end:
                row = np.int32(rows[np.uint64(at)])
                total = values[np.uint64(at)] * x[columns[np.uint64(at)]]
            ended_row, ended = np.int32(-1), real(0)
            if lane == 0:
                if carried_row == row:
                    total += carried
                else:
                    ended_row, ended = carried_row, carried
            distance = 1
            while distance < WARP:
                other_total = cuda.shfl_up_sync(EVERY_LANE, total, distance)
                other_row = cuda.shfl_up_sync(EVERY_LANE, row, distance)
                if lane >= distance and other_row == row:
                    total += other_total
                distance *= 2
            next_row = cuda.shfl_down_sync(EVERY_LANE, row, 1)
            carried_row = cuda.shfl_sync(EVERY_LANE, row, WARP - 1)
            carried = cuda.shfl_sync(EVERY_LANE, total, WARP - 1)
            # Lane 0 may have two rows to write: the one carried in, which ended there, and its own.
            if ended_row >= 0:
                if began_before and ended_row == first_row:
                    pieces[np.uint64(2 * warp)] = ended
                else:
                    y[np.uint64(ended_row)] += alpha * ended
            if lane < WARP - 1 and row >= 0 and next_row != row:
                if began_before and row == first_row:
                    pieces[np.uint64(2 * warp)] = total
                elif goes_on and row == last_row:
                    pieces[np.uint64(2 * warp + 1)] = total
                else:
                    y[np.uint64(row)] += alpha * total
        if lane == 0 and carried_row >= 0:
            if began_before and carried_row == first_row:
                pieces[np.uint64(2 * warp)] = carried
            elif goes_on and carried_row == last_row:
                pieces[np.uint64(2 * warp + 1)] = carried
            else:
                y[np.uint64(carried_row)] += alpha * carried

    return kernel


class COOProduct(LaunchedInTurn):
    """A `COO` matrix on the device, and the launches of its product.

    Parameters
    ----------
    matrix
        The matrix.
    threads_per_block
        A multiple of 32.
    on_top
        Whether the product is added to what y holds: ``y += alpha A x``, whatever beta is.
    """

    def __init__(
        self,
        matrix: COO,
        threads_per_block: int,
        *,
        on_top: bool = False,
    ) -> None:
        self.real = real_type(matrix.values)
        run = ENTRIES_PER_THREAD * WARP
        warps = -(-matrix.nnz // run)
        self.arrays = [
            upload(matrix.rows.view(np.uint32)),
            upload(matrix.columns.view(np.uint32)),
            upload(matrix.values),
        ]
        self.values = self.arrays[2]
        # By then y holds beta y.
        self.split = PieceSums(
            self.real,
            *_rows_over_several_runs(matrix.rows, run),
            threads_per_block,
            pieces=2 * warps,
            beta=self.real(1),
        )
        blocks = -(-warps * WARP // threads_per_block)
        kernel = coo_kernel(self.real, ENTRIES_PER_THREAD)
        arguments = [*self.arrays, matrix.nnz, X, Y, self.split.pieces, ALPHA]
        self.launches = [
            *([] if on_top else scaling(matrix.shape[0], self.real)),
            *launches_of(kernel, blocks, threads_per_block, arguments, self.real),
            *self.split.launches,
        ]
        self.device_arrays = [*self.arrays, *self.split.device_arrays]


def _rows_over_several_runs(rows: Any, run: int) -> tuple[Any, Any, Any]:
    """Return the rows that cross the end of a run, and where their pieces begin and end."""
    ends = np.arange(run, len(rows), run)
    crossed = ends[rows[ends - 1] == rows[ends]]
    row, index, count = np.unique(rows[crossed], return_index=True, return_counts=True)
    first_warp = crossed[index] // run - 1
    # From the second piece of its first warp to the first piece of its last one.
    return row, 2 * first_warp + 1, 2 * (first_warp + count) + 1
