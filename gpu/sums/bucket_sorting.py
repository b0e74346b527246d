"""Entries of a matrix into buckets of neighbouring columns, and those of a bucket into the order of columns.

Both kernels sort tiles of some thousand entries in shared memory, stably: an entry goes after all of its
group (a bucket, or a column) that stand before it in its warp, in the warps before, and in the tiles before.
Which lanes of a warp have the same group they learn from a mask of each group in shared memory, as in a radix
sort of CUB. So the entries of a column stand in the order of their rows, with no atomic deciding where.
"""

import functools
from typing import Any

import numpy as np

from gpu.kernel_parts.loads import VECTOR_IF
from gpu.kernel_parts.warps import before_in_block
from gpu.runtime.cuda import EVERY_LANE, SIMULATED, WARP, cuda, device_function
from gpu.runtime.kernel_sequence import begin_in_sequence
from gpu.sums.bucket_counting import EACH, SEGMENT, THREADS, TILE

GROUPS = THREADS
"""Of a tile that are sorted at once; a thread looks after each."""
ORDER_EACH = (2, 3) if SIMULATED else (8, 10)
"""Entries of a tile of a bucket that a thread takes: where buckets are small, and where they are large."""
RESIDENT = 3
"""Blocks of a multiprocessor that there must be registers for."""
_WARPS = THREADS // WARP
_COUNTERS = _WARPS * GROUPS
_load = VECTOR_IF[1]


@device_function
def _clear(counters: Any, peers: Any, thread: Any) -> None:
    """Set the counters of a warp to 0."""
    at = np.int32(thread // WARP) * GROUPS + np.int32(thread % WARP)
    for step in range(GROUPS // WARP):
        counters[np.uint32(at + step * WARP)] = np.uint16(0)
        peers[np.uint32(at + step * WARP)] = np.uint32(0)
    cuda.syncwarp()


@device_function
def _rank(group: Any, there: Any, counters: Any, masks: Any, thread: Any) -> Any:
    """Return how many of its group stand before an entry in its warp, and count those of the warp."""
    lane = np.uint32(thread % WARP)
    at = np.uint32(np.int32(thread // WARP) * GROUPS + group)
    if there:
        cuda.atomic.or_(masks, at, np.uint32(np.uint32(1) << lane))
    cuda.syncwarp()
    peers, before = np.uint32(masks[at]), np.int32(counters[at])
    lower = np.int32(cuda.popc(np.uint32(peers & np.uint32((np.uint32(1) << lane) - np.uint32(1)))))
    cuda.syncwarp()
    if there and lower == 0:
        counters[at] = np.uint16(before + np.int32(cuda.popc(peers)))
        masks[at] = np.uint32(0)
    cuda.syncwarp()
    return np.int32(before + lower)


@device_function
def _starts(counters: Any, totals: Any, thread: Any) -> Any:
    """Turn the entries of a thread's group in each warp into where they begin in the sorted tile.

    Returns where the group begins, and how many it has; the block waits for its warps.
    """
    cuda.syncthreads()
    whole = np.int32(0)
    for warp in range(_WARPS):
        whole = np.int32(whole + np.int32(counters[np.uint32(warp * GROUPS + thread)]))
    begin, of_tile = before_in_block(whole, totals, thread, _WARPS)
    totals[WARP - 1] = of_tile
    at = begin
    for warp in range(_WARPS):
        own = np.int32(counters[np.uint32(warp * GROUPS + thread)])
        counters[np.uint32(warp * GROUPS + thread)] = np.uint16(at)
        at = np.int32(at + own)
    return begin, whole


@device_function
def _number_buckets(chunk_bits: Any, begin: Any, each: Any, present: Any, numbers: Any, totals: Any,
                    thread: Any) -> Any:  # fmt: skip
    """Bring the bitmap of a chunk's buckets into shared memory, and return how many there are."""
    for step in range(each):
        word = np.uint32(thread + step * THREADS)
        present[word] = chunk_bits[np.uint64(begin + word)]
    cuda.syncthreads()
    several = np.int32(0)
    for step in range(each):
        several = np.int32(several + cuda.popc(present[np.uint32(thread * each + step)]))
    before, distinct = before_in_block(several, totals, thread, _WARPS)
    for step in range(each):
        numbers[np.uint32(thread * each + step)] = np.uint16(before)
        before = np.int32(before + cuda.popc(present[np.uint32(thread * each + step)]))
    cuda.syncthreads()
    return distinct


@device_function
def _bucket_of(number: Any, words: Any, present: Any, numbers: Any) -> Any:
    """Return the bucket that has a number among those of the chunk."""
    low, high = np.int32(0), np.int32(words - 1)
    while low < high:
        middle = np.int32((low + high + 1) >> 1)
        if np.int32(numbers[np.uint32(middle)]) <= number:
            low = middle
        else:
            high = np.int32(middle - 1)
    left, bits = np.int32(number - np.int32(numbers[np.uint32(low)])), present[np.uint32(low)]
    while left > 0:
        bits = np.uint32(bits & np.uint32(bits - np.uint32(1)))
        left = np.int32(left - 1)
    return np.int32(32 * low + np.int32(cuda.ffs(bits)) - 1)


@device_function
def _mark_rows(pointers: Any, rows: Any, segment_rows: Any, begin: Any, end: Any, marks: Any,
               thread: Any) -> None:  # fmt: skip
    """Note in the places where rows begin which they are, for a warp's segment, and in its first place."""
    lane, own = np.int32(thread % WARP), np.int32(thread // WARP) * SEGMENT
    for step in range(EACH):
        marks[np.uint32(own + step * WARP + lane)] = np.int32(-1)
    cuda.syncwarp()
    first = np.int32(segment_rows[np.uint64(begin // SEGMENT)]) if begin < end else np.int32(rows)
    if lane == 0:
        marks[np.uint32(own)] = first
    row, more = np.int64(first) + 1 + lane, True
    while more:
        at = np.int64(_load(pointers, row, row < rows)[0])
        following = np.int64(_load(pointers, row + 1, row < rows)[0])
        inside = row < rows and at < end
        if inside and following > at:
            marks[np.uint32(own + np.int32(at - begin))] = np.int32(row)
        more = cuda.all_sync(EVERY_LANE, inside)
        row += WARP
    cuda.syncwarp()


@functools.cache
def partition_kernel(real: Any, words: int) -> Any:
    """Make the kernel that brings entries into their buckets.

    Parameters
    ----------
    real
        np.float32 or np.float64.
    words
        Of 32 buckets that there may be, a multiple of the threads.
    """
    each = words // THREADS
    options: Any = {} if SIMULATED else {"launch_bounds": (THREADS, RESIDENT)}

    @cuda.jit(**options)
    def kernel(pointers, columns, values, rows, entries, segment_rows, shift, buckets, tiles, bases, table,
               chunk_bits, to_rows, to_lows, to_values):  # fmt: skip
        """Bring the entries of a chunk into their buckets, tile by tile, a chunk a block.

        Parameters
        ----------
        pointers, columns, values
            The matrix: int32, int32, real.
        rows, entries
            Of it.
        segment_rows
            int32, of `rows_kernel`.
        shift, buckets, tiles
            As of `count_kernel`.
        bases
            int32: where each bucket begins.
        table
            int32: where the entries of each chunk begin in each bucket.
        chunk_bits
            uint32, of `count_kernel`.
        to_rows, to_lows, to_values
            int32, uint16 and real: row, column within the bucket and value of each entry.
        """
        present = cuda.shared.array(words, np.uint32)
        numbers = cuda.shared.array(words, np.uint16)
        held_rows = cuda.shared.array(TILE, np.int32)
        held_places = cuda.shared.array(TILE, np.uint16)
        held_values = cuda.shared.array(TILE, real)
        counters = cuda.shared.array(_COUNTERS, np.uint16)
        peers = cuda.shared.array(_COUNTERS, np.uint32)
        places = cuda.shared.array(GROUPS, np.int32)
        totals = cuda.shared.array(WARP, np.int32)
        result = cuda.local.array(EACH, np.int32)
        groups = cuda.local.array(EACH, np.int32)
        taken = cuda.local.array(EACH, real)
        row_of = cuda.local.array(EACH, np.int32)
        ranks = cuda.local.array(EACH, np.int32)
        begin_in_sequence()
        thread, chunk = np.int32(cuda.threadIdx.x), np.int64(cuda.blockIdx.x)
        lane, of_warp = np.int32(thread % WARP), np.int32(thread // WARP) * SEGMENT
        upto_lane = np.uint32(np.uint32(0xFFFFFFFF) >> np.uint32(31 - lane))
        low_mask = np.int32((1 << shift) - 1)
        distinct = _number_buckets(chunk_bits, chunk * words, each, present, numbers, totals, thread)
        end = min((chunk + 1) * tiles * TILE, entries)
        low = np.int32(0)
        while low < distinct:
            # A thread looks after a bucket: where its next entries go.
            following = np.int32(0)
            if low + thread < distinct:
                bucket = _bucket_of(np.int32(low + thread), words, present, numbers)
                following = np.int32(bases[np.uint64(bucket)] + table[np.uint64(chunk * buckets + bucket)])
            begin = chunk * tiles * TILE
            while begin < end:
                segment = begin + of_warp
                for step in range(EACH):
                    at = segment + step * WARP + lane
                    result[step] = np.int32(_load(columns, at, at < end)[0])
                for step in range(EACH):
                    at = segment + step * WARP + lane
                    taken[step] = _load(values, at, at < end)[0]
                _mark_rows(
                    pointers, rows, segment_rows, segment, min(end, segment + SEGMENT), held_rows, thread
                )
                _clear(counters, peers, thread)
                last = np.int32(0)
                for step in range(EACH):
                    # The row of an entry is that of the last mark up to it.
                    marked = held_rows[np.uint32(of_warp + step * WARP + lane)] >= 0
                    marks = np.uint32(cuda.ballot_sync(EVERY_LANE, marked))
                    upto = np.uint32(marks & upto_lane)
                    source = np.int32(step * WARP + 31 - cuda.clz(upto)) if upto != 0 else last
                    last = np.int32(step * WARP + 31 - cuda.clz(marks)) if marks != 0 else last
                    row_of[step] = held_rows[np.uint32(of_warp + source)]
                    bucket = np.int32(result[step] >> shift)
                    word = np.uint32(bucket >> 5)
                    below = np.uint32((np.uint32(1) << np.uint32(bucket & 31)) - np.uint32(1))
                    group = np.int32(cuda.popc(np.uint32(present[word] & below)))
                    group = np.int32(group + np.int32(numbers[word]) - low)
                    there = segment + step * WARP + lane < end and group >= 0 and group < GROUPS
                    groups[step] = group if there else np.int32(-1)
                for step in range(EACH):
                    there = groups[step] >= 0
                    ranks[step] = _rank(max(groups[step], np.int32(0)), there, counters, peers, thread)
                start, whole = _starts(counters, totals, thread)
                places[np.uint32(thread)] = np.int32(following - start)
                following = np.int32(following + whole)
                cuda.syncthreads()
                for step in range(EACH):
                    if groups[step] >= 0:
                        before = np.int32(counters[np.uint32(thread // WARP * GROUPS + groups[step])])
                        held = np.uint32(before + ranks[step])
                        held_rows[held] = row_of[step]
                        held_places[held] = np.uint16(groups[step] << 8 | (result[step] & low_mask))
                        held_values[held] = taken[step]
                cuda.syncthreads()
                count = totals[WARP - 1]
                for step in range(EACH):
                    place = np.int32(thread + step * THREADS)
                    if place < count:
                        packed = np.int32(held_places[np.uint32(place)])
                        to = np.uint64(places[np.uint32(packed >> 8)] + place)
                        to_rows[to] = held_rows[np.uint32(place)]
                        to_lows[to] = np.uint16(packed & 255)
                        to_values[to] = held_values[np.uint32(place)]
                cuda.syncthreads()
                begin += TILE
            low = np.int32(low + GROUPS)

    return kernel


@functools.cache
def order_kernel(real: Any, each: int) -> Any:
    """Make the kernel that brings the entries of a bucket into the order of their columns.

    Parameters
    ----------
    real
        np.float32 or np.float64.
    each
        Entries of a tile that a thread takes.
    """
    tile = THREADS * each
    options: Any = {} if SIMULATED else {"launch_bounds": (THREADS, RESIDENT)}

    @cuda.jit(**options)
    def kernel(rows, lows, values, shift, buckets, columns, bases, turned_pointers, turned_columns,
               turned_values):  # fmt: skip
        """Write the columns of a bucket, a bucket a block.

        Parameters
        ----------
        rows, lows, values
            What `partition_kernel` wrote.
        shift, buckets
            As of `count_kernel`.
        columns
            Of the matrix.
        bases
            int32 of buckets + 1: where each bucket begins.
        turned_pointers, turned_columns, turned_values
            The transpose: int32, int32, real.
        """
        held_rows = cuda.shared.array(tile, np.int32)
        held_groups = cuda.shared.array(tile, np.uint8)
        held_values = cuda.shared.array(tile, real)
        counters = cuda.shared.array(_COUNTERS, np.uint16)
        peers = cuda.shared.array(_COUNTERS, np.uint32)
        places = cuda.shared.array(GROUPS, np.int32)
        totals = cuda.shared.array(WARP, np.int32)
        groups = cuda.local.array(each, np.int32)
        taken = cuda.local.array(each, real)
        row_of = cuda.local.array(each, np.int32)
        ranks = cuda.local.array(each, np.int32)
        begin_in_sequence()
        thread, bucket = np.int32(cuda.threadIdx.x), np.int64(cuda.blockIdx.x)
        lane = np.int32(thread % WARP)
        begin, end = np.int64(bases[np.uint64(bucket)]), np.int64(bases[np.uint64(bucket + 1)])
        column = (bucket << shift) + thread
        is_column = thread < 1 << shift and column < columns
        several = end - begin > tile
        following = np.int32(begin)
        if several:
            # Of a bucket of several tiles the columns are counted first.
            places[np.uint32(thread)] = np.int32(0)
            cuda.syncthreads()
            at = begin + thread
            while at < end:
                cuda.atomic.add(places, np.uint32(lows[np.uint64(at)]), np.int32(1))
                at += THREADS
            cuda.syncthreads()
            own_place = before_in_block(places[np.uint32(thread)], totals, thread, _WARPS)[0]
            following = np.int32(following + own_place)
            cuda.syncthreads()
        if is_column and (several or begin == end):
            turned_pointers[np.uint64(column)] = following
        if bucket == buckets - 1 and thread == 0:
            turned_pointers[np.uint64(columns)] = np.int32(end)
        while begin < end:
            count = np.int32(min(end - begin, np.int64(tile)))
            steps = np.int32((count + THREADS - 1) // THREADS)
            segment = begin + np.int32(thread // WARP) * steps * WARP + lane
            stop = begin + count
            for step in range(each):
                at = segment + step * WARP
                groups[step] = np.int32(_load(lows, at, step < steps and at < stop)[0])
            for step in range(each):
                at = segment + step * WARP
                row_of[step] = np.int32(_load(rows, at, step < steps and at < stop)[0])
            for step in range(each):
                at = segment + step * WARP
                taken[step] = _load(values, at, step < steps and at < stop)[0]
            _clear(counters, peers, thread)
            for step in range(each):
                if step < steps:
                    there = segment + step * WARP < stop
                    ranks[step] = _rank(groups[step], there, counters, peers, thread)
            start, whole = _starts(counters, totals, thread)
            if several:
                places[np.uint32(thread)] = np.int32(following - start)
                following = np.int32(following + whole)
            elif is_column:
                turned_pointers[np.uint64(column)] = np.int32(np.int32(begin) + start)
            cuda.syncthreads()
            for step in range(each):
                if step < steps and segment + step * WARP < stop:
                    before = np.int32(counters[np.uint32(thread // WARP * GROUPS + groups[step])])
                    held = np.uint32(before + ranks[step])
                    held_rows[held] = row_of[step]
                    held_values[held] = taken[step]
                    if several:
                        held_groups[held] = np.uint8(groups[step])
            cuda.syncthreads()
            for step in range(each):
                place = np.int32(thread + step * THREADS)
                if place < count:
                    offset = np.int32(begin)
                    if several:
                        offset = places[np.uint32(held_groups[np.uint32(place)])]
                    to = np.uint64(offset + place)
                    turned_columns[to] = held_rows[np.uint32(place)]
                    turned_values[to] = held_values[np.uint32(place)]
            cuda.syncthreads()
            begin += tile

    return kernel
