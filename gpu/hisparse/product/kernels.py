"""The kernels of HiSparse: a stripe of d elements of y a block of threads, in either direction.

A warp takes a segment at once and adds to its d sums in shared memory; the loads of the next segments are
issued before the present ones are added.

A kernel takes one vector, or several at once: x and y are then matrices row by row, and a warp has d sums for
each vector. An entry is read once for all of them.
"""

import functools
from typing import Any

import numpy as np

from gpu.hisparse.product.dealing import BY_GROUPS, COLLIDING, DISTINCT
from gpu.hisparse.product.segment_loads import (
    descriptions,
    fetching,
    gathering,
    lefts,
)
from gpu.hisparse.product.segments import KIND_SHIFT
from gpu.kernel_parts.loads import LOADS
from gpu.kernel_parts.row_results import write_row
from gpu.kernel_parts.unrolled import one_by_one, together
from gpu.runtime.cuda import EVERY_LANE, SIMULATED, WARP, cuda, device_function
from gpu.runtime.kernel_sequence import begin_in_sequence, let_next_begin, wait_for_previous

CHUNK = 4
"""Words of the record of a block: its first segment, the last and one, its stripe, and its piece and one."""
RESIDENT = 1024
"""Threads of a multiprocessor that there must be registers for."""
MOST_BLOCKS = 32
"""Of a multiprocessor."""
BATCH = {4: 2, 8: 1}
"""Segments that a warp loads at once, by the bytes of a value."""


@device_function
def _add_in_turn(sums: Any, at: Any, product: Any, wanted: Any, lane: Any) -> None:
    """Add the products of a warp where some have the same place: those of one by their lanes."""
    key = np.int32(at) if wanted else np.int32(0x10000 + lane)
    same = np.uint32(cuda.match_any_sync(EVERY_LANE, key))
    turn = np.int32(cuda.popc(np.uint32(same & np.uint32((np.uint32(1) << np.uint32(lane)) - np.uint32(1)))))
    now = np.int32(0)
    while cuda.ballot_sync(EVERY_LANE, turn >= now) != 0:
        if turn == now and wanted:
            sums[at] += product
        cuda.syncwarp()
        now = np.int32(now + 1)


def _add_several(add: Any, vectors: int, places: int) -> Any:
    """Make ``add`` for several vectors, whose sums are `places` apart."""

    def of_vector(k: int) -> Any:
        @device_function
        def add_one(segment: Any, fetched: Any, gathered: Any, sums: Any, own: Any, lane: Any) -> None:
            add(segment, fetched, gathered[k], sums, np.int32(own + k * places), lane)

        return add_one

    return one_by_one([of_vector(k) for k in range(vectors)])


def _add(real: Any, transposed: bool) -> Any:
    """Make ``add(segment, fetched, gathered, sums, own, lane)``: a segment to the sums of its warp."""
    left_of = lefts(real)
    low, high = (np.uint32(0), np.uint32(16)) if transposed else (np.uint32(8), np.uint32(24))
    byte, zero = np.uint32(255), real(0)

    @device_function
    def add(segment: Any, fetched: Any, gathered: Any, sums: Any, own: Any, lane: Any) -> None:
        left, later_left = left_of(segment, lane)
        word0, word1 = fetched[0]
        values = fetched[1]
        at0 = np.uint32(own + (np.uint32(word0 >> low) & byte))
        at1 = np.uint32(own + (np.uint32(word0 >> high) & byte))
        at2 = np.uint32(own + (np.uint32(word1 >> low) & byte))
        at3 = np.uint32(own + (np.uint32(word1 >> high) & byte))
        kind = np.uint32(segment[1] >> np.uint32(KIND_SHIFT)) & np.uint32(3)
        if kind == np.uint32(DISTINCT):
            # A lane without an entry must not read what another one writes.
            sum0 = sums[at0] if left > 0 else zero
            sum1 = sums[at1] if left > 1 else zero
            sum2 = sums[at2] if later_left > 0 else zero
            sum3 = sums[at3] if later_left > 1 else zero
            if left > 0:
                sums[at0] = sum0 + values[0] * gathered[0]
            if left > 1:
                sums[at1] = sum1 + values[1] * gathered[1]
            if later_left > 0:
                sums[at2] = sum2 + values[2] * gathered[2]
            if later_left > 1:
                sums[at3] = sum3 + values[3] * gathered[3]
            cuda.syncwarp()
        elif kind == np.uint32(BY_GROUPS):
            if left > 0:
                sums[at0] += values[0] * gathered[0]
            cuda.syncwarp()
            if left > 1:
                sums[at1] += values[1] * gathered[1]
            cuda.syncwarp()
            if later_left > 0:
                sums[at2] += values[2] * gathered[2]
            cuda.syncwarp()
            if later_left > 1:
                sums[at3] += values[3] * gathered[3]
            cuda.syncwarp()
        elif kind == np.uint32(COLLIDING):
            _add_in_turn(sums, at0, values[0] * gathered[0], left > 0, lane)
            _add_in_turn(sums, at1, values[1] * gathered[1], left > 1, lane)
            _add_in_turn(sums, at2, values[2] * gathered[2], later_left > 0, lane)
            _add_in_turn(sums, at3, values[3] * gathered[3], later_left > 1, lane)

    return add


def _for_all(batch: int, fetch: Any, gather: Any, add: Any) -> tuple[Any, Any, Any]:
    """Make the same three functions for this many segments, unrolled: all fetched, all gathered, all
    added.
    """

    def of_segment(k: int) -> tuple[Any, Any, Any]:
        @device_function
        def fetch_one(segments: Any, coordinates: Any, values: Any, lane: Any) -> Any:
            return fetch(segments[k], coordinates, values, lane)

        @device_function
        def gather_one(segments: Any, fetched: Any, x: Any, lane: Any) -> Any:
            return gather(segments[k], fetched[k], x, lane)

        @device_function
        def add_one(segments: Any, fetched: Any, gathered: Any, sums: Any, own: Any, lane: Any) -> None:
            add(segments[k], fetched[k], gathered[k], sums, own, lane)

        return fetch_one, gather_one, add_one

    fetches, gathers, adds = zip(*map(of_segment, range(batch)), strict=True)
    return together(fetches), together(gathers), one_by_one(adds)


@functools.cache
def stripe_kernel(real: Any, node_bits: int, warps: int, transposed: bool, vectors: int | None = None) -> Any:
    """Make the kernel: a stripe of d elements of y, or a piece of one, a block.

    Parameters
    ----------
    real
        np.float32 or np.float64.
    node_bits
        log2 of d.
    warps
        Of a block.
    transposed
        Whether the product is that of the transpose.
    vectors
        Columns of X taken at once: 1, 2, 4 or 8, at most 32 bytes of them. None where x is one vector.
    """
    one, count = vectors is None, vectors or 1
    size, threads = 1 << node_bits, warps * WARP
    batch, places = BATCH[np.dtype(real).itemsize] if one else 1, warps << node_bits
    room, describe = places * count, descriptions(batch)
    fetch, gather, add = _for_all(
        batch,
        fetching(real),
        gathering(real, node_bits, transposed, count),
        _add_several(_add(real, transposed), count, places),
    )
    load_chunk = LOADS[CHUNK]
    options = {"launch_bounds": (threads, min(MOST_BLOCKS, RESIDENT // threads))}

    @cuda.jit(**(options if one and not SIMULATED else {}))
    def kernel(chunks, words, coordinates, values, rows, x, y, pieces, alpha, beta, stride, first):
        """Sum the segments of a chunk a block.

        Parameters
        ----------
        chunks
            uint32 of 4 a block: its first segment, the last one and one, its stripe, and its piece and
            one, or 0 where the stripe is whole.
        words
            uint32 of 2 a segment, `Segments.words`.
        coordinates
            uint32: of two entries each.
        values
            real, one an entry.
        rows
            Elements of y.
        x, y
            real vectors, or matrices row by row.
        pieces
            real of d a piece, times `vectors`: the sums of pieces of stripes.
        alpha, beta
            Scalars of the real type; y is not read where beta is 0.
        stride, first
            Columns of x and y, and the first that is taken: 1 and 0 of one vector.
        """
        sums = cuda.shared.array(room, real)
        let_next_begin()
        thread = np.int32(cuda.threadIdx.x)
        warp, lane = np.int32(thread // WARP), np.int32(thread % WARP)
        source = (x, 1, 0) if one else (x, stride, first)
        chunk = load_chunk(chunks, np.int64(cuda.blockIdx.x) * CHUNK)
        begin, end = np.int32(chunk[0]), np.int32(chunk[1])
        share = np.int32((end - begin + warps - 1) // warps)
        at = np.int32(begin + warp * share)
        end = np.int32(min(end, np.int32(at + share)))
        segments = describe(words, at, end)
        following = describe(words, np.int32(at + batch), end)
        loaded = fetch(segments, coordinates, values, lane)
        own = np.int32(warp * size)
        for k in range(count):
            place = np.int32(lane)
            while place < size:
                sums[np.uint32(k * places + own + place)] = real(0)
                place = np.int32(place + WARP)
        cuda.syncwarp()
        wait_for_previous()
        while at < end:
            gathered = gather(segments, loaded, source, lane)
            next_loaded = fetch(following, coordinates, values, lane)
            after = describe(words, np.int32(at + 2 * batch), end)
            add(segments, loaded, gathered, sums, own, lane)
            segments, following, loaded = following, after, next_loaded
            at = np.int32(at + batch)
        cuda.syncthreads()
        stripe, piece = np.int64(chunk[2]), np.int64(chunk[3])
        place = thread
        while place < size * count:
            which, vector = (place, 0) if one else (place // count, place % count)
            total = sums[np.uint32(vector * places + which)]
            for other in range(1, warps):
                total += sums[np.uint32(vector * places + other * size + which)]
            row = np.int64(stripe * size + which)
            if piece > 0:
                pieces[np.uint64((piece - 1) * size * count + place)] = total
            elif row < rows:
                to = row if one else row * stride + first + vector
                write_row(y, np.uint64(to), total, alpha, beta, real(0))
            place = np.int32(place + threads)

    return kernel


@functools.cache
def stripe_sums(real: Any, node_bits: int, vectors: int = 1) -> Any:
    """Make the kernel that adds the pieces of cut stripes in their order, an element a thread.

    Parameters
    ----------
    real, node_bits
        As of `stripe_kernel`.
    vectors
        Taken at once.
    """
    size = vectors << node_bits

    @cuda.jit
    def kernel(pieces, cut, count, rows, y, alpha, beta, stride, first):
        """Sum an element of y a thread.

        Parameters
        ----------
        pieces
            real of d a piece, times `vectors`.
        cut
            uint32 of 4 a cut stripe: its number, its first piece, the last one and one, 0.
        count
            How many are cut.
        rows
            Elements of y.
        y
            real of these, of each vector.
        alpha, beta
            Scalars of the real type; y is not read where beta is 0.
        stride, first
            Vectors in y, and the first that is taken: 1 and 0 of one.
        """
        thread = cuda.grid(1)
        begin_in_sequence()
        which, place = thread // size, thread % size
        if which < count:
            row = (np.int64(cut[np.uint64(4 * which)]) << node_bits) + place // vectors
            piece, last = np.int64(cut[np.uint64(4 * which + 1)]), np.int64(cut[np.uint64(4 * which + 2)])
            if row < rows:
                total = real(0)
                while piece < last:
                    total += pieces[np.uint64(piece * size + place)]
                    piece += 1
                at = row * stride + first + place % vectors
                write_row(y, np.uint64(at), total, alpha, beta, real(0))

    return kernel
