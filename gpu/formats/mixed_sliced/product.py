"""The product of the sliced formats with two index widths, for skewed matrices.

What bounds it: each entry is 10 bytes in float64 and 6 in float32 where its column is near (12 and 8 else),
read once at the rate of memory; and x[column] is a gather. On an H200 gathers go at 700 thousand million a
second out of L1, 160 out of L2: 32-byte sectors at 5 TB/s, which the stream of the matrix takes, too. So
values and columns pass L1 by, and hubs, often-read elements of x, are copied side by side to stay in it.
"""

import functools
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gpu.formats.mixed_sliced.container import MixedSliced
from gpu.kernel_parts.loads import EARLY_IF, LOADS_IF
from gpu.kernel_parts.near_and_far_entries import (
    adding,
    adding_all_groups,
    adding_own_groups,
    fetching,
    gathering,
    hub_element,
    near_element,
    summing,
)
from gpu.kernel_parts.ordered_copies import ordered_copies
from gpu.kernel_parts.row_results import PieceSums
from gpu.kernel_parts.several_vectors import ONE_VECTOR, MultipliesSeveral, Share
from gpu.runtime.cuda import WARP, cuda
from gpu.runtime.kernel_sequence import let_next_begin, wait_for_previous
from gpu.runtime.launches import X, Y
from gpu.runtime.memory import real_type, upload

_load_place = LOADS_IF[4]
GROUPS_AT_ONCE = 4
"""Groups of near entries that are loaded before x may be read."""
MANY_GROUPS_AT_ONCE, FEW_SLICES = 8, 2**14
"""The same where rows are longer, and slices so few that registers are no matter."""
MOST_WARPS = 32
"""Warps of a block at most."""


@functools.cache
def mixed_sliced_kernel(
    real: Any,
    *,
    wide: int,
    hubs: bool,
    thread_lengths: bool,
    far: bool,
    shared_rows: bool,
    at_once: int = GROUPS_AT_ONCE,
    share: Share = ONE_VECTOR,
) -> Any:
    """Make the kernel: a warp a slice, four loads of `wide` entries ahead, then a tree over a row's threads.

    `near_x` is the copy of the hubs, or x itself where near columns count from the base of the slice. The
    first `at_once` groups of near entries are loaded before x may be read, `far` ones where there are any.
    With `shared_rows` the warps of a block share its longest rows, so it must have as many.

    Parameters
    ----------
    real
        np.float32 or np.float64: the type of values and sums.
    wide
        Entries that a thread loads at once.
    hubs
        Whether near columns are numbers of hubs.
    thread_lengths
        Whether the steps of each thread are kept.
    far
        Whether there are far entries.
    shared_rows
        Whether any row has more than 32 threads.
    at_once
        Groups of near entries that are loaded before the wait, with one vector.
    share
        What a thread has of the vectors. Several need a matrix without hubs and without shared rows.
    """
    stride = WARP * wide
    groups_of = adding_own_groups if thread_lengths else adding_all_groups
    far_factor = near_element(share)
    near_factor = hub_element if hubs else far_factor
    at_once, parts, sum_of_threads = share.at_once(at_once), share.parts, share.sum_of_threads()
    zeros, source_of, write, write_piece = (
        share.zeros(real),
        share.source(),
        share.write(),
        share.write_piece(),
    )
    near_groups = groups_of(adding(near_factor, wide, share), stride)
    far_groups = groups_of(adding(far_factor, wide, share), stride)
    first_near, near_factors = (
        fetching(EARLY_IF[wide], stride, at_once),
        gathering(near_factor, wide, at_once),
    )
    first_far, far_factors = fetching(EARLY_IF[wide], stride, 1), gathering(far_factor, wide, 1)
    near_sum, far_sum = summing(wide, at_once, share), summing(wide, 1, share)
    no_row = np.uint32(2**32 - 1)
    no_base = np.uint32(0)

    @cuda.jit
    def kernel(
        values,
        near_columns,
        far_columns,
        places,
        perm,
        near_lengths,
        far_lengths,
        slices,
        shared_slices,
        rows,
        near_x,
        x,
        y,
        pieces,
        alpha,
        beta,
        count,
        first_column,
        length,
    ):
        """Sum the rows of a slice a warp.

        Parameters
        ----------
        values
            real, one a place for an entry, padding included: near entries of a slice, then
            far ones.
        near_columns, far_columns
            uint16 and uint32, one a place for a near or a far entry; 0 is padding.
        places
            uint32 of 4 a slice, as `_places` packs them.
        perm
            uint32 of 32 a slice: the row whose first thread this is, M + p for piece
            p.
        near_lengths, far_lengths
            uint8 of 32 a slice: steps in which each thread has an entry; read with
            `thread_lengths`.
        slices, shared_slices, rows
            S; how many of them share rows; M.
        near_x
            real: x, or the copy of the hubs.
        x
            real of N.
        y
            real of M.
        pieces
            real, one a piece of a row.
        alpha, beta
            Scalars of the real type; y is not read where beta is 0.
        count, first_column, length
            As `ONE_COLUMN` of `gpu.kernel_parts.several_vectors`.
        """
        thread = cuda.grid(1)
        part = thread % parts
        thread //= parts
        number = thread >> 5
        lane = thread & 31
        zero = real(0)
        total = zeros()
        source = source_of(x, part, count, first_column, length)
        near_source = source_of(near_x, part, count, first_column, length)
        threads_per_row = np.int32(1)
        row = no_row
        let_next_begin()
        if number < slices:
            place = _load_place(places, 4 * number, True)
            step, near, base = np.int64(place[0]), np.int64(place[1]), place[2]
            sizes = np.int32(place[3])
            threads_per_row = np.int32(1) << (sizes & 15)
            near_count, far_count = (sizes >> 4) & 1023, sizes >> 14
            own_near, own_far = near_count, far_count
            if thread_lengths:
                own_near = (np.int32(near_lengths[np.uint64(thread)]) + (wide - 1)) // wide
                if far:
                    own_far = (np.int32(far_lengths[np.uint64(thread)]) + (wide - 1)) // wide
            row = perm[np.uint64(thread)]
            at = step * WARP + lane * wide
            near_at = near * WARP + lane * wide
            far_at = (step - near) * WARP + lane * wide
            near_fetched = first_near(values, at, near_columns, near_at, own_near)
            first_far_at = at + near_count * stride
            if far:
                # In flight while the near entries are added; most rows have no more far ones.
                far_fetched = first_far(values, first_far_at, far_columns, far_at, own_far)
            wait_for_previous()
            factors = near_factors(near_fetched, base, near_source)
            if far:
                of_far = far_factors(far_fetched, no_base, source)
            total = near_sum(total, near_fetched, factors)
            at += at_once * stride
            near_at += at_once * stride
            left, own_left = near_count - at_once, own_near - at_once
            total = near_groups(total, values, at, near_columns, near_at, base, near_source, left, own_left)
            if far:
                total = far_sum(total, far_fetched, of_far)
                at = first_far_at + stride
                far_at += stride
                left, own_left = far_count - 1, own_far - 1
                total = far_groups(total, values, at, far_columns, far_at, no_base, source, left, own_left)
        in_warp = np.int32(WARP) if threads_per_row > WARP else np.int32(threads_per_row)
        total = sum_of_threads(total, in_warp)
        if shared_rows:
            sums = cuda.shared.array(MOST_WARPS, real)
            warp = cuda.threadIdx.x >> 5
            # All threads of a block take the same way.
            if number - warp < shared_slices:
                if lane == 0:
                    sums[warp] = total
                cuda.syncthreads()
                if threads_per_row > WARP and row != no_row:
                    for other in range(1, threads_per_row >> 5):
                        total += sums[warp + other]
        if row < rows:
            write(y, row, total, alpha, beta, zero, rows, source)
        elif row != no_row:
            write_piece(pieces, np.uint64(row) - np.uint64(rows), total, source)

    return kernel


def _places(matrix: MixedSliced) -> NDArray[np.uint32]:
    """Pack what a warp needs to know of its slice into 16 bytes, one load.

    First step, near steps before it, base, and in one word the logarithm of the threads a row (4 bits), the
    groups of near (10 bits) and of far steps.
    """
    places = np.zeros((matrix.slices, 4), dtype=np.uint32)
    places[:, 0], places[:, 1] = matrix.step_ptr[:-1], matrix.near_ptr[:-1]
    if len(matrix.bases):
        places[:, 2] = matrix.bases
    near = np.diff(matrix.near_ptr) // matrix.slicing.wide
    far = np.diff(matrix.step_ptr) // matrix.slicing.wide - near
    bits = np.round(np.log2(matrix.threads_per_row)).astype(np.uint32)
    places[:, 3] = bits | near << 4 | far << 14
    return places.ravel()


def _groups_at_once(matrix: MixedSliced) -> int:
    """Return the groups of near entries a kernel loads before it waits: all of a small matrix, at best."""
    most = int(np.diff(matrix.near_ptr).max(initial=0)) // matrix.slicing.wide
    return groups_at_once(most, matrix.slices)


def groups_at_once(most: float, slices: float) -> int:
    """Return the same for this many groups of a thread, at most, and this many slices."""
    few = most <= GROUPS_AT_ONCE or slices > FEW_SLICES
    return GROUPS_AT_ONCE if few else MANY_GROUPS_AT_ONCE


class MixedSlicedProduct(MultipliesSeveral):
    """A `MixedSliced` matrix on the device, and the launches of its product.

    One kernel; before it, one that copies the hubs if there are any; after it, one that sums the pieces of
    rows if any are cut. The copy of the hubs and the pieces belong to the matrix: its products must not
    overlap. Several vectors are multiplied at once, unless there are hubs or rows of several warps.
    """

    split: PieceSums

    def __init__(
        self,
        matrix: MixedSliced,
        threads_per_block: int,
        *,
        at_once: int | None = None,
    ) -> None:
        self.real = real_type(matrix.values)
        hub_count = len(matrix.hubs)
        shared_slices = int(np.count_nonzero(matrix.threads_per_row > WARP))
        threads = max(threads_per_block, int(matrix.threads_per_row.max(initial=0)))
        kernel = partial(
            mixed_sliced_kernel,
            self.real,
            wide=matrix.slicing.wide,
            hubs=matrix.slicing.hubs,
            thread_lengths=matrix.slicing.thread_lengths,
            far=len(matrix.far_columns) > 0,
            shared_rows=shared_slices > 0,
            at_once=at_once or _groups_at_once(matrix),
        )
        names = ("values", "near_columns", "far_columns", "perm", "near_lengths", "far_lengths")
        arrays = [upload(getattr(matrix, name)) for name in names]
        self.values = arrays[0]
        self.places = upload(_places(matrix))
        self.hubs = upload(matrix.hubs)
        with_hubs = matrix.slicing.hubs
        self.copied = upload(np.zeros(hub_count + 1 if with_hubs else 0, dtype=self.real))
        self.split = PieceSums(
            self.real, matrix.split_rows, matrix.split_ptr[:-1], matrix.split_ptr[1:], threads_per_block
        )
        near_x = self.copied if with_hubs else X
        counts = [matrix.slices, shared_slices, matrix.shape[0]]
        arguments = [*arrays[:3], self.places, *arrays[3:], *counts, near_x, X, Y]
        self.launch_by(kernel, arguments, matrix.slices * WARP, threads)
        if hub_count:
            # Padding reads the zero before the copies.
            copies = ordered_copies(self.real, self.hubs, self.copied[1:], 0)
            self.launches = [*copies, *self.launches]
        of_one = with_hubs or shared_slices
        self.most_parts = 0 if of_one else WARP // int(matrix.threads_per_row.max(initial=1))
        rest = (self.places, self.hubs, self.copied, *self.split.device_arrays)
        self.device_arrays = [*arrays, *rest]
