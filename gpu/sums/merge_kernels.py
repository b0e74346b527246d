"""The two passes of a sum of CSR matrices, an equal share of the merge a block of threads.

A block brings its columns into shared memory, and each thread finds its own few items there. The first pass
counts the entries of the sum, of each thread and each block; the second knows from these where each entry
goes. It notes for each where it comes from, so that values are read and results written by neighbouring
threads at neighbouring addresses, and no value passes through shared memory.
"""

import functools
from typing import Any

import numpy as np

from gpu.kernel_parts.warps import before_in_block
from gpu.runtime.cuda import WARP, cuda, device_function
from gpu.runtime.kernel_sequence import begin_in_sequence
from gpu.sums.block_share import (
    BATCH,
    HALF,
    LOW,
    NO_COLUMN,
    PLACES,
    THREADS,
    WORDS,
    column_at,
    fetch_columns,
    gather_values,
    is_stored,
    limits_of_thread,
    share_of_thread,
    store_columns,
    store_ends,
    written,
)
from gpu.sums.shares import RECORD

ROUND = THREADS * BATCH
"""Entries of the sum that a block writes at once."""


@device_function
def share_of_block(first_pointers: Any, first_columns: Any, second_pointers: Any, second_columns: Any,
                   rows: Any, records: Any, words: Any) -> Any:  # fmt: skip
    """Bring columns and ends of rows of this block's share into shared memory, and say what it has.

    Returns its first row, entry of A and entry of B; entries of A, entries of both, and items.

    Parameters
    ----------
    first_pointers, first_columns, second_pointers, second_columns
        Of both matrices, int32.
    rows
        Of both.
    records
        int32 of 4 a cut, of `cut_kernel`.
    words
        int32 of shared memory.
    """
    thread, block = np.int32(cuda.threadIdx.x), np.int64(cuda.blockIdx.x)
    at = np.uint64(RECORD * block)
    begin = records[at], records[at + np.uint64(1)], records[at + np.uint64(2)]
    at = np.uint64(RECORD * block + RECORD)
    end = records[at], records[at + np.uint64(1)], records[at + np.uint64(2)]
    row, first_at, second_at = begin
    first_count = np.int32(end[1] - first_at)
    count = np.int32(first_count + np.int32(end[2] - second_at))
    columns = fetch_columns(first_columns, second_columns, first_at, second_at, first_count, count, thread)
    store_ends(first_pointers, second_pointers, rows, begin, end, words, count, thread)
    store_columns(words, columns, count, thread)
    cuda.syncthreads()
    return row, first_at, second_at, first_count, count, np.int32(count + np.int32(end[0] - row))


def _merging(stays: Any, note_row: Any, note_entry: Any) -> Any:
    """Make the function that goes through the items of a thread, and returns where the next entry goes.

    Parameters
    ----------
    stays
        What `is_stored` makes.
    note_row
        ``note_row(notes, row, place)``: a row has ended; the next entry goes to this place.
    note_entry
        ``note_entry(notes, place, source)``: the entry at a place is made of these of A and B.
    """

    @device_function
    def merged(words: Any, share: Any, at: Any, stop: Any, first_values: Any, second_values: Any,
               alpha: Any, beta: Any, notes: Any, place: Any) -> Any:  # fmt: skip
        _, first_at, second_at, first_count, count, items = share
        row, one, two, one_end, two_end = share_of_thread(words, first_count, count, items, at)
        at = np.int32(row + one + two)
        column = column_at(words, one, one_end, np.int32(0))
        other = column_at(words, two, two_end, first_count)
        while at < stop:
            if min(column, other) == NO_COLUMN:
                row, at = np.int32(row + 1), np.int32(at + 1)
                note_row(notes, row, place)
                ends = words[np.uint32(count + row)]
                one_end, two_end = np.int32(ends >> HALF), np.int32(ends & LOW)
                column = column_at(words, one, one_end, np.int32(0))
                other = column_at(words, two, two_end, first_count)
            else:
                of_first, of_second = column <= other, other <= column
                first = np.int64(first_at) + one if of_first else np.int64(-1)
                second = np.int64(second_at) + two if of_second else np.int64(-1)
                source = np.int32(0)
                if of_first:
                    one, at = np.int32(one + 1), np.int32(at + 1)
                    source = np.int32(one << HALF)
                    column = column_at(words, one, one_end, np.int32(0))
                if of_second:
                    two, at = np.int32(two + 1), np.int32(at + 1)
                    source = np.int32(source | two)
                    other = column_at(words, two, two_end, first_count)
                if stays(first_values, second_values, first, second, alpha, beta):
                    note_entry(notes, place, source)
                    place = np.int32(place + 1)
        return place

    return merged


@device_function
def _nothing(notes: Any, first: Any, second: Any) -> None:
    """Note nothing."""


@device_function
def _note_end(notes: Any, row: Any, place: Any) -> None:
    """Store where a row of the sum ends."""
    _, pointers, first_row, offset = notes
    pointers[np.uint64(np.int64(first_row) + row)] = np.int32(offset + place)


@device_function
def _note_source(notes: Any, place: Any, source: Any) -> None:
    """Store where an entry of the sum comes from."""
    notes[0][np.uint32(place)] = source


@functools.cache
def count_kernel(real: Any, drop_zeros: bool) -> Any:
    """Make the first pass: how many entries the sum has, of each thread and of each block.

    Parameters
    ----------
    real
        np.float32 or np.float64.
    drop_zeros
        Whether entries of the sum that are 0 are left out; values are not read otherwise.
    """
    merged = _merging(is_stored(real, drop_zeros), _nothing, _nothing)

    @cuda.jit
    def kernel(first_pointers, first_columns, first_values, second_pointers, second_columns, second_values,
               rows, records, of_threads, of_blocks, alpha, beta):  # fmt: skip
        """Count a share of the merge a block.

        Parameters
        ----------
        first_pointers, first_columns, first_values, second_pointers, second_columns, second_values
            Both matrices, int32, int32 and real.
        rows
            Of both.
        records
            int32 of 4 a cut, of `cut_kernel`.
        of_threads
            uint8 of a number a thread: entries of the sum.
        of_blocks
            int32, a number a block.
        alpha, beta
            Scalars of the real type.
        """
        words = cuda.shared.array(WORDS, np.int32)
        totals = cuda.shared.array(WARP, np.int32)
        begin_in_sequence()
        thread, block = np.int32(cuda.threadIdx.x), np.int64(cuda.blockIdx.x)
        share = share_of_block(
            first_pointers, first_columns, second_pointers, second_columns, rows, records, words
        )
        begin = np.int64(share[0]) + share[1] + share[2]
        at, stop = limits_of_thread(share[5], begin, thread, block)
        result = np.int32(0)
        if at < stop:
            result = merged(
                words, share, at, stop, first_values, second_values, alpha, beta, None, np.int32(0)
            )
        of_threads[np.uint64(block * THREADS + thread)] = result
        _, whole = before_in_block(result, totals, thread, THREADS // WARP)
        if thread == 0:
            of_blocks[np.uint64(block)] = whole

    return kernel


@functools.cache
def sum_kernel(real: Any, drop_zeros: bool) -> Any:
    """Make the second pass, which writes the sum; parameters as of `count_kernel`.

    Parameters
    ----------
    real, drop_zeros
        As of `count_kernel`.
    """
    merged = _merging(is_stored(real, drop_zeros), _note_end, _note_source)
    write = written(real)

    @cuda.jit
    def kernel(first_pointers, first_columns, first_values, second_pointers, second_columns, second_values,
               rows, records, of_threads, offsets, pointers, columns, values, alpha, beta):  # fmt: skip
        """Write a share of the merge a block.

        Parameters
        ----------
        first_pointers, first_columns, first_values, second_pointers, second_columns, second_values
            Both matrices, int32, int32 and real.
        rows
            Of both.
        records
            int32 of 4 a cut, of `cut_kernel`.
        of_threads
            uint8, of the first pass.
        offsets
            int32: the entries of the sum before each block.
        pointers, columns, values
            The sum: int32 of rows + 1, int32 and real.
        alpha, beta
            Scalars of the real type.
        """
        words = cuda.shared.array(WORDS, np.int32)
        sources = cuda.shared.array(PLACES, np.int32)
        totals = cuda.shared.array(WARP, np.int32)
        begin_in_sequence()
        thread, block = np.int32(cuda.threadIdx.x), np.int64(cuda.blockIdx.x)
        own = np.int32(of_threads[np.uint64(block * THREADS + thread)])
        offset = np.int32(offsets[np.uint64(block)])
        share = share_of_block(
            first_pointers, first_columns, second_pointers, second_columns, rows, records, words
        )
        first_row, first_at, second_at, first_count, _, items = share
        place, whole = before_in_block(own, totals, thread, THREADS // WARP)
        begin = np.int64(first_row) + first_at + second_at
        at, stop = limits_of_thread(items, begin, thread, block)
        if at < stop:
            notes = sources, pointers, first_row, offset
            merged(words, share, at, stop, first_values, second_values, alpha, beta, notes, place)
        if block == 0 and thread == 0:
            pointers[0] = np.int32(0)
        cuda.syncthreads()
        place = thread
        while place < whole:
            gathered = gather_values(sources, first_values, second_values, first_at, second_at, whole, place)
            write(words, gathered, columns, values, first_count, offset, whole, place, alpha, beta)
            place = np.int32(place + ROUND)

    return kernel
