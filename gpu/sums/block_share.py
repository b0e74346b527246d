"""A share of the merge as a block of threads works on it in shared memory: its columns, and where rows end.

Functions of the device that stay within one thread; the kernels are in `merge_kernels`.
"""

from typing import Any

import numpy as np

from gpu.kernel_parts.loads import VECTOR_IF
from gpu.kernel_parts.row_results import rounded_product
from gpu.kernel_parts.unrolled import one_by_one, together
from gpu.runtime.cuda import SIMULATED, device_function
from gpu.sums.shares import cut_of_row

THREADS = 32 if SIMULATED else 256
"""Of a block."""
ITEMS = 5 if SIMULATED else 15
"""Items of the merge a thread; odd, so that neighbours' places lie in different banks."""
PLACES = THREADS * ITEMS
STEP = PLACES - 1
"""Items of the merge a block. One place is left for the second entry of a pair at the end."""
WORDS = PLACES + 8
"""Of shared memory for columns and ends of rows: each is an item, but for the last row and what is after."""
BATCH = 2 if SIMULATED else 4
"""Entries of the sum whose values a thread has running at once."""
NO_COLUMN = np.int32(2**31 - 1)
"""Larger than every column number: there are at most 2^31 - 1 columns."""
HALF = 16
"""Bits of a place in a share. Two places are one word, A's above B's: ends of rows, sources of entries."""
LOW = (1 << HALF) - 1

_load = VECTOR_IF[1]


def _fetched(k: int) -> Any:
    """Make ``fetch(first, second, first_at, second_at, first_count, count, thread)``: one column."""

    @device_function
    def fetch(
        first: Any, second: Any, first_at: Any, second_at: Any, first_count: Any, count: Any, thread: Any
    ) -> Any:
        place = np.int32(thread + k * THREADS)
        one = _load(first, np.int64(first_at) + place, place < first_count)[0]
        wanted = place >= first_count and place < count
        other = _load(second, np.int64(second_at) + np.int32(place - first_count), wanted)[0]
        return np.int32(one | other)

    return fetch


def _stored(k: int) -> Any:
    """Make ``store(words, columns, count, thread)``: what was fetched, to shared memory."""

    @device_function
    def store(words: Any, columns: Any, count: Any, thread: Any) -> None:
        place = np.uint32(thread + k * THREADS)
        if place < count:
            words[place] = columns[k]

    return store


fetch_columns = together([_fetched(k) for k in range(ITEMS)])
"""Device function: the columns of A and B that a thread brings, all loads running at once."""
store_columns = one_by_one([_stored(k) for k in range(ITEMS)])
"""Device function: these into shared memory, A's first."""


@device_function
def store_ends(first_pointers: Any, second_pointers: Any, rows: Any, begin: Any, end: Any, words: Any,
               count: Any, thread: Any) -> None:  # fmt: skip
    """Put after the columns where each row's entries end; `begin` and `end` are (row, place, place).

    Parameters
    ----------
    first_pointers, second_pointers
        int32 of rows + 1.
    rows
        Of both matrices.
    begin, end
        Where the share of the block begins and ends: row, entry of A, entry of B.
    words
        int32 of shared memory.
    count
        Entries of both in the share.
    thread
        Of the block.
    """
    place = thread
    while place <= np.int32(end[0] - begin[0]):
        following = np.uint64(min(np.int64(begin[0]) + place + 1, np.int64(rows)))
        first = np.int32(min(first_pointers[following], end[1]) - begin[1])
        second = np.int32(min(second_pointers[following], end[2]) - begin[2])
        words[np.uint32(count + place)] = np.int32((first << HALF) | second)
        place = np.int32(place + THREADS)


@device_function
def limits_of_thread(items: Any, begin: Any, thread: Any, block: Any) -> Any:
    """Return from which item of its block's share to which a thread goes; `begin` is where the block does.

    Parameters
    ----------
    items
        Of the share.
    begin
        Rows, entries of A and entries of B before it, added.
    thread, block
        Which.
    """
    target = np.int64(block) * STEP + np.int64(thread) * ITEMS - begin
    return np.int32(max(target, np.int64(0))), np.int32(min(target + ITEMS, np.int64(items)))


@device_function
def share_of_thread(words: Any, first_count: Any, count: Any, items: Any, passed: Any) -> Any:
    """Find where a thread begins in the share of its block, `passed` items of the merge from there.

    Returns row, entry of A and entry of B, as of the block, and where A's and B's entries of that row end.

    Parameters
    ----------
    words
        int32 of shared memory: columns of A, columns of B, ends of rows.
    first_count, count
        Entries of A in the share, and of both.
    items
        Of the share.
    passed
        Of them, before the thread.
    """
    low, high = np.int32(0), np.int32(items - count)
    while low < high:
        middle = np.int32((low + high + 1) >> 1)
        ends = words[np.uint32(count + middle - 1)]
        if np.int32((ends >> HALF) + (ends & LOW) + middle) <= passed:
            low = middle
        else:
            high = np.int32(middle - 1)
    first, second = np.int32(0), np.int32(0)
    if low > 0:
        ends = words[np.uint32(count + low - 1)]
        first, second = np.int32(ends >> HALF), np.int32(ends & LOW)
    ends = words[np.uint32(count + low)]
    first_end, second_end = np.int32(ends >> HALF), np.int32(ends & LOW)
    taken, other = cut_of_row(
        words,
        first,
        np.int32(first_end - first),
        words,
        np.int32(first_count + second),
        np.int32(second_end - second),
        np.int32(passed - low - first - second),
    )
    return low, np.int32(first + taken), np.int32(second + other), first_end, second_end


@device_function
def column_at(words: Any, place: Any, end: Any, offset: Any) -> Any:
    """Return the column at a place of A or B, or what is beyond all columns where the row has ended.

    Parameters
    ----------
    words
        int32 of shared memory.
    place, end
        The entry, and where those of its row end.
    offset
        Where those of its matrix begin.
    """
    return words[np.uint32(offset + place)] if place < end else NO_COLUMN


def is_stored(real: Any, drop_zeros: bool) -> Any:
    """Make the function that says whether an entry of the sum stays; an entry below 0 is none.

    Parameters
    ----------
    real
        np.float32 or np.float64.
    drop_zeros
        Whether those that are 0 are left out; values are not read otherwise.
    """
    product = rounded_product(real)

    @device_function
    def every(first_values: Any, second_values: Any, first: Any, second: Any, alpha: Any, beta: Any) -> Any:
        return True

    @device_function
    def other_than_zero(
        first_values: Any, second_values: Any, first: Any, second: Any, alpha: Any, beta: Any
    ) -> Any:
        total = real(0)
        if first >= 0:
            total = product(alpha, first_values[np.uint64(first)])
        if second >= 0:
            total += product(beta, second_values[np.uint64(second)])
        return total != real(0)

    return other_than_zero if drop_zeros else every


def _gathered(k: int) -> Any:
    """Make ``gather(sources, first, second, first_at, second_at, whole, place)``: one pair."""

    @device_function
    def gather(
        sources: Any, first: Any, second: Any, first_at: Any, second_at: Any, whole: Any, place: Any
    ) -> Any:
        at = np.int32(place + k * THREADS)
        source = sources[np.uint32(at)] if at < whole else np.int32(0)
        one, two = np.int32(source >> HALF), np.int32(source & LOW)
        value = _load(first, np.int64(first_at) + np.int32(one - 1), one > 0)[0]
        other = _load(second, np.int64(second_at) + np.int32(two - 1), two > 0)[0]
        return one, two, value, other

    return gather


gather_values = together([_gathered(k) for k in range(BATCH)])
"""Device function: the values of A and B that a batch of entries of the sum is made of."""


def written(real: Any) -> Any:
    """Make the function that writes a batch of entries of the sum.

    Parameters
    ----------
    real
        np.float32 or np.float64.
    """
    return one_by_one([_written(real, k) for k in range(BATCH)])


def _written(real: Any, k: int) -> Any:
    product = rounded_product(real)

    @device_function
    def write(
        words: Any, gathered: Any, columns: Any, values: Any, first_count: Any, offset: Any, whole: Any,
        place: Any, alpha: Any, beta: Any,
    ) -> None:  # fmt: skip
        at = np.int32(place + k * THREADS)
        one, two, value, other = gathered[k]
        if at < whole:
            source = np.uint32(one - 1) if one > 0 else np.uint32(first_count + two - 1)
            total = product(alpha, value)
            if two > 0:
                total = total + product(beta, other) if one > 0 else product(beta, other)
            to = np.uint64(np.int64(offset) + at)
            columns[to] = words[source]
            values[to] = total

    return write
