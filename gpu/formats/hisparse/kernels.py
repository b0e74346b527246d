"""The kernels of HiSparse: a stripe of d elements of y a block of threads, in either direction.

A warp takes a segment at once and adds to d sums of its own in shared memory; the loads of the next segments
are sent off before the present ones are added.
"""

import functools
from typing import Any

import numpy as np

from gpu.formats.hisparse.dealing import BY_GROUPS, COLLIDING, DISTINCT, SEGMENT
from gpu.formats.hisparse.segments import BLOCK_SHIFT, KIND_SHIFT, entries_at_once
from gpu.kernel_parts.loads import LOADS, STREAMED_IF, VECTOR_IF
from gpu.kernel_parts.row_results import write_row
from gpu.runtime.cuda import EVERY_LANE, SIMULATED, WARP, cuda, device_function
from gpu.runtime.launches import let_next_begin, wait_for_previous

CHUNK = 4
"""Words of the record of a block: its first segment, the last and one, its stripe, and its piece and one."""
RESIDENT = 1024
"""Threads of a multiprocessor that there must be registers for."""
MOST_BLOCKS = 32
"""Of a multiprocessor."""
BATCH = {4: 2, 8: 1}
"""Segments that a warp loads at once, by the bytes of a value."""


@device_function
def _count(segment: Any) -> Any:
    """Give the entries of a segment; none of what stands for no segment."""
    less_one = np.int32(segment[1] & np.uint32(SEGMENT - 1))
    return np.int32(less_one + (np.int32(1) if segment[1] != 0 else np.int32(0)))


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


def _descriptions(batch: int) -> Any:
    """Make ``describe(words, at, end)``: a tuple of (begin, rest) for so many segments; 0 behind the end."""
    load = STREAMED_IF[2]

    @device_function
    def describe(words: Any, at: Any, end: Any) -> Any:
        return (load(words, np.int64(at) * 2, at < end),)

    if batch == 1:
        return describe
    others = _descriptions(batch - 1)

    @device_function
    def describe_all(words: Any, at: Any, end: Any) -> Any:
        first = describe(words, at, end)
        return (first[0], *others(words, np.int32(at + 1), end))

    return describe_all


def _fetch(real: Any) -> Any:
    """Make ``fetch(segment, coordinates, values, lane)``: two words of coordinates, and four values."""
    wide = entries_at_once(np.dtype(real))
    load_words, load_values = STREAMED_IF[wide // 2], STREAMED_IF[wide]

    @device_function
    def fetch_4(segment: Any, coordinates: Any, values: Any, lane: Any) -> Any:
        unit = np.int64(segment[0]) + lane
        wanted = np.int32(lane * 4) < _count(segment)
        return load_words(coordinates, unit * 2, wanted), load_values(values, unit * 4, wanted)

    @device_function
    def fetch_2(segment: Any, coordinates: Any, values: Any, lane: Any) -> Any:
        left, later_left = _left_of_halves(segment, lane)
        unit = np.int64(segment[0]) + lane
        later = unit + np.int32(np.int32(_count(segment) + 3) >> 2)
        word, later_word = (
            load_words(coordinates, unit, left > 0),
            load_words(coordinates, later, later_left > 0),
        )
        value = load_values(values, unit * 2, left > 0)
        later_value = load_values(values, later * 2, later_left > 0)
        return (word[0], later_word[0]), (value[0], value[1], later_value[0], later_value[1])

    return fetch_4 if wide == 4 else fetch_2


@device_function
def _left_of_halves(segment: Any, lane: Any) -> Any:
    """Give the entries from a lane's first pair to the end of its half, and from its second to the end."""
    count = _count(segment)
    half = np.int32(np.int32(np.int32(count + 3) >> 2) << 1)
    return np.int32(min(half, count) - 2 * lane), np.int32(count - half - 2 * lane)


@device_function
def _left_of_whole(segment: Any, lane: Any) -> Any:
    """Give the entries from a lane's four to the end, for the first two and for the others of these."""
    left = np.int32(_count(segment) - 4 * lane)
    return left, np.int32(left - 2)


def _left(real: Any) -> Any:
    """Give the function that says how many of its first two and of its last two entries a lane has."""
    return _left_of_whole if entries_at_once(np.dtype(real)) == 4 else _left_of_halves


def _gather(real: Any, node_bits: int, transposed: bool) -> Any:
    """Make ``gather(segment, fetched, x, lane)``: the four elements of x that a lane's entries meet."""
    left_of = _left(real)
    low, high = (np.uint32(8), np.uint32(24)) if transposed else (np.uint32(0), np.uint32(16))
    byte, load = np.uint32(255), VECTOR_IF[1]

    @device_function
    def gather(segment: Any, fetched: Any, x: Any, lane: Any) -> Any:
        left, later_left = left_of(segment, lane)
        base = np.int64(segment[1] >> np.uint32(BLOCK_SHIFT)) << node_bits
        word0, word1 = fetched[0]
        x0 = load(x, base + np.int64(np.uint32(word0 >> low) & byte), left > 0)[0]
        x1 = load(x, base + np.int64(np.uint32(word0 >> high) & byte), left > 1)[0]
        x2 = load(x, base + np.int64(np.uint32(word1 >> low) & byte), later_left > 0)[0]
        x3 = load(x, base + np.int64(np.uint32(word1 >> high) & byte), later_left > 1)[0]
        return x0, x1, x2, x3

    return gather


def _add(real: Any, transposed: bool) -> Any:
    """Make ``add(segment, fetched, gathered, sums, own, lane)``: a segment to the sums of its warp."""
    left_of = _left(real)
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


def _for_all(batch: int, fetch: Any, gather: Any, add: Any, k: int = 0) -> tuple[Any, Any, Any]:
    """Make the same three functions for so many segments, unrolled: all fetched, all gathered, all added."""

    @device_function
    def fetch_one(segments: Any, coordinates: Any, values: Any, lane: Any) -> Any:
        return (fetch(segments[k], coordinates, values, lane),)

    @device_function
    def gather_one(segments: Any, fetched: Any, x: Any, lane: Any) -> Any:
        return (gather(segments[k], fetched[k], x, lane),)

    @device_function
    def add_one(segments: Any, fetched: Any, gathered: Any, sums: Any, own: Any, lane: Any) -> None:
        add(segments[k], fetched[k], gathered[k], sums, own, lane)

    if k == batch - 1:
        return fetch_one, gather_one, add_one
    fetch_others, gather_others, add_others = _for_all(batch, fetch, gather, add, k + 1)

    @device_function
    def fetch_all(segments: Any, coordinates: Any, values: Any, lane: Any) -> Any:
        first = fetch_one(segments, coordinates, values, lane)
        return (first[0], *fetch_others(segments, coordinates, values, lane))

    @device_function
    def gather_all(segments: Any, fetched: Any, x: Any, lane: Any) -> Any:
        first = gather_one(segments, fetched, x, lane)
        return (first[0], *gather_others(segments, fetched, x, lane))

    @device_function
    def add_all(segments: Any, fetched: Any, gathered: Any, sums: Any, own: Any, lane: Any) -> None:
        add_one(segments, fetched, gathered, sums, own, lane)
        add_others(segments, fetched, gathered, sums, own, lane)

    return fetch_all, gather_all, add_all


@functools.cache
def stripe_kernel(real: Any, node_bits: int, warps: int, transposed: bool) -> Any:
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
    """
    width, size, threads = np.dtype(real).itemsize, 1 << node_bits, warps * WARP
    batch, places = BATCH[width], warps << node_bits
    describe = _descriptions(batch)
    fetch, gather, add = _for_all(
        batch, _fetch(real), _gather(real, node_bits, transposed), _add(real, transposed)
    )
    load_chunk = LOADS[CHUNK]
    options = {} if SIMULATED else {"launch_bounds": (threads, min(MOST_BLOCKS, RESIDENT // threads))}

    @cuda.jit(**options)
    def kernel(chunks, words, coordinates, values, rows, x, y, pieces, alpha, beta):
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
            real vectors.
        pieces
            real of d a piece: the sums of pieces of stripes.
        alpha, beta
            Scalars of the real type; y is not read where beta is 0.
        """
        sums = cuda.shared.array(places, real)
        let_next_begin()
        thread = np.int32(cuda.threadIdx.x)
        warp, lane = np.int32(thread // WARP), np.int32(thread % WARP)
        chunk = load_chunk(chunks, np.int64(cuda.blockIdx.x) * CHUNK)
        begin, end = np.int32(chunk[0]), np.int32(chunk[1])
        share = np.int32((end - begin + warps - 1) // warps)
        at = np.int32(begin + warp * share)
        end = np.int32(min(end, np.int32(at + share)))
        segments = describe(words, at, end)
        following = describe(words, np.int32(at + batch), end)
        loaded = fetch(segments, coordinates, values, lane)
        own, place = np.int32(warp * size), np.int32(lane)
        while place < size:
            sums[np.uint32(own + place)] = real(0)
            place = np.int32(place + WARP)
        cuda.syncwarp()
        wait_for_previous()
        while at < end:
            gathered = gather(segments, loaded, x, lane)
            next_loaded = fetch(following, coordinates, values, lane)
            after = describe(words, np.int32(at + 2 * batch), end)
            add(segments, loaded, gathered, sums, own, lane)
            segments, following, loaded = following, after, next_loaded
            at = np.int32(at + batch)
        cuda.syncthreads()
        stripe, piece = np.int64(chunk[2]), np.int64(chunk[3])
        place = thread
        while place < size:
            total = sums[np.uint32(place)]
            for other in range(1, warps):
                total += sums[np.uint32(other * size + place)]
            row = np.int64(stripe * size + place)
            if piece > 0:
                pieces[np.uint64((piece - 1) * size + place)] = total
            elif row < rows:
                write_row(y, np.uint64(row), total, alpha, beta, real(0))
            place = np.int32(place + threads)

    return kernel


@functools.cache
def stripe_sums(real: Any, node_bits: int) -> Any:
    """Make the kernel that adds the pieces of cut stripes in their order, an element a thread."""
    size = 1 << node_bits

    @cuda.jit
    def kernel(pieces, cut, count, rows, y, alpha, beta):
        """Sum an element of y a thread.

        Parameters
        ----------
        pieces
            real of d a piece.
        cut
            uint32 of 4 a cut stripe: its number, its first piece, the last one and one, 0.
        count
            How many are cut.
        rows
            Elements of y.
        y
            real of these.
        alpha, beta
            Scalars of the real type; y is not read where beta is 0.
        """
        thread = cuda.grid(1)
        let_next_begin()
        wait_for_previous()
        which, place = thread // size, thread % size
        if which < count:
            row = np.int64(cut[np.uint64(4 * which)]) * size + place
            piece, last = np.int64(cut[np.uint64(4 * which + 1)]), np.int64(cut[np.uint64(4 * which + 2)])
            if row < rows:
                total = real(0)
                while piece < last:
                    total += pieces[np.uint64(piece * size + place)]
                    piece += 1
                write_row(y, np.uint64(row), total, alpha, beta, real(0))

    return kernel
