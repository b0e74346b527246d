"""The transpose of a CSR matrix whose entries stand anywhere: each draws a place in its column.

The columns are counted, each entry placed in its own, and each column sorted. The first kernel draws a rank
for each entry within its column with an integer atomic. Ranks differ from run to run, the counts do not; the
last kernel puts each column's entries in the order of their rows, so that the result is the same to the last
bit in every run.
"""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from gpu.kernel_parts.loads import VECTOR_IF
from gpu.kernel_parts.warps import most_of_warp
from gpu.runtime.cuda import SIMULATED, WARP, cuda
from gpu.runtime.kernel_sequence import begin_in_sequence
from gpu.runtime.launches import Launch
from gpu.runtime.memory import all_or_nothing
from gpu.sorting.prefix_sums import summing
from gpu.sums.device_csr import DeviceCsr, TwoSteps

ENTRIES = 4
"""Entries that a thread counts, or places at once."""
ROW_SHIFT = 32
"""A key has its row above this bit and the number of its entry below."""
ENTRY = (1 << ROW_SHIFT) - 1


@cuda.jit
def clear_kernel(counts, number, longest):
    """Set counts to 0.

    Parameters
    ----------
    counts
        int32.
    number
        How many there are.
    longest
        int32 of 1, also set to 0.
    """
    at = np.int64(cuda.grid(1))
    begin_in_sequence()
    if at < number:
        counts[np.uint64(at)] = np.int32(0)
    if at == 0:
        longest[0] = np.int32(0)


@cuda.jit
def rank_kernel(columns, entries, counts, ranks):
    """Count the entries of each column, and give each its own rank there.

    Parameters
    ----------
    columns
        int32, one an entry.
    entries
        How many there are.
    counts
        int32, one a column.
    ranks
        int32, one an entry.
    """
    begin_in_sequence()
    stride = np.int64(cuda.blockDim.x)
    at = np.int64(cuda.blockIdx.x) * stride * ENTRIES + cuda.threadIdx.x
    if at + (ENTRIES - 1) * stride < entries:
        # All loads are running at once, then all atomics.
        at0, at1 = np.uint64(at), np.uint64(at + stride)
        at2, at3 = np.uint64(at + 2 * stride), np.uint64(at + 3 * stride)
        column0, column1, column2, column3 = columns[at0], columns[at1], columns[at2], columns[at3]
        rank0 = cuda.atomic.add(counts, np.uint64(column0), 1)
        rank1 = cuda.atomic.add(counts, np.uint64(column1), 1)
        rank2 = cuda.atomic.add(counts, np.uint64(column2), 1)
        rank3 = cuda.atomic.add(counts, np.uint64(column3), 1)
        ranks[at0], ranks[at1], ranks[at2], ranks[at3] = rank0, rank1, rank2, rank3
    else:
        while at < entries:
            ranks[np.uint64(at)] = cuda.atomic.add(counts, np.uint64(columns[np.uint64(at)]), 1)
            at += stride


@cuda.jit
def longest_kernel(counts, number, longest):
    """Find the largest count, a count a thread.

    Parameters
    ----------
    counts
        int32.
    number
        How many there are.
    longest
        int32 of 1.
    """
    at = np.int64(cuda.grid(1))
    begin_in_sequence()
    most = most_of_warp(counts[np.uint64(at)] if at < number else np.int32(0))
    if at % WARP == 0 and most > 0:
        cuda.atomic.max(longest, 0, most)


@functools.cache
def place_kernel(threads_per_row: int) -> Any:
    """Make the kernel that puts the key of each entry into its column.

    Parameters
    ----------
    threads_per_row
        A power of two up to 32; each has the loads of four entries running at once.
    """
    stride, load = threads_per_row, VECTOR_IF[1]

    @cuda.jit
    def kernel(pointers, columns, rows, ranks, turned_pointers, keys):
        """Place the entries of a row by some threads.

        Parameters
        ----------
        pointers, columns
            int32: of the matrix.
        rows
            Of the matrix.
        ranks
            int32, one an entry.
        turned_pointers
            int32: where each column begins.
        keys
            int64, one an entry: its row and its number.
        """
        thread = np.int64(cuda.grid(1))
        begin_in_sequence()
        row = thread // stride
        if row < rows:
            at = np.int64(pointers[np.uint64(row)]) + thread % stride
            end = np.int64(pointers[np.uint64(row + 1)])
            while at < end:
                at1, at2, at3 = at + stride, at + 2 * stride, at + 3 * stride
                wanted1, wanted2, wanted3 = at1 < end, at2 < end, at3 < end
                column0, rank0 = load(columns, at, True)[0], load(ranks, at, True)[0]
                column1, rank1 = load(columns, at1, wanted1)[0], load(ranks, at1, wanted1)[0]
                column2, rank2 = load(columns, at2, wanted2)[0], load(ranks, at2, wanted2)[0]
                column3, rank3 = load(columns, at3, wanted3)[0], load(ranks, at3, wanted3)[0]
                to0 = np.uint64(np.int64(load(turned_pointers, np.int64(column0), True)[0]) + rank0)
                to1 = np.uint64(np.int64(load(turned_pointers, np.int64(column1), wanted1)[0]) + rank1)
                to2 = np.uint64(np.int64(load(turned_pointers, np.int64(column2), wanted2)[0]) + rank2)
                to3 = np.uint64(np.int64(load(turned_pointers, np.int64(column3), wanted3)[0]) + rank3)
                keys[to0] = np.int64((row << ROW_SHIFT) | at)
                if wanted1:
                    keys[to1] = np.int64((row << ROW_SHIFT) | at1)
                if wanted2:
                    keys[to2] = np.int64((row << ROW_SHIFT) | at2)
                if wanted3:
                    keys[to3] = np.int64((row << ROW_SHIFT) | at3)
                at += ENTRIES * stride

    return kernel


@functools.cache
def order_kernel(threads_per_column: int, at_once: int) -> Any:
    """Make the kernel that writes the entries of each column in the order of their rows.

    Parameters
    ----------
    threads_per_column
        A power of two up to 32.
    at_once
        Entries that a thread compares with all others at once, 1 or 3.
    """
    stride = threads_per_column

    @cuda.jit
    def kernel(values, keys, rows, columns, turned_pointers, turned_columns, turned_values):
        """Write a column by some threads: an entry goes after all of smaller rows.

        Parameters
        ----------
        values
            real, one an entry of the matrix.
        keys
            int64, of `place_kernel`.
        rows
            int32, the same memory as keys: every other one is a row.
        columns
            Of the matrix.
        turned_pointers, turned_columns, turned_values
            The transpose: int32, int32, real.
        """
        thread = np.int64(cuda.grid(1))
        begin_in_sequence()
        column = thread // stride
        if column < columns:
            begin = np.int64(turned_pointers[np.uint64(column)])
            count = np.int32(turned_pointers[np.uint64(column + 1)] - begin)
            own = np.int32(thread % stride)
            while own < count:
                key0 = keys[np.uint64(begin + own)]
                key1, key2 = key0, key0
                if at_once == 3 and own + stride < count:
                    key1 = keys[np.uint64(begin + own + stride)]
                if at_once == 3 and own + 2 * stride < count:
                    key2 = keys[np.uint64(begin + own + 2 * stride)]
                row0, row1, row2 = (
                    np.int32(key0 >> ROW_SHIFT),
                    np.int32(key1 >> ROW_SHIFT),
                    np.int32(key2 >> ROW_SHIFT),
                )
                before0, before1, before2 = np.int32(0), np.int32(0), np.int32(0)
                at, end = np.uint64(2 * begin + 1), np.uint64(2 * (begin + count) + 1)
                while at < end:
                    row = rows[at]
                    before0 = np.int32(before0 + np.int32(row < row0))
                    if at_once == 3:
                        before1 = np.int32(before1 + np.int32(row < row1))
                        before2 = np.int32(before2 + np.int32(row < row2))
                    at += np.uint64(2)
                turned_columns[np.uint64(begin + before0)] = row0
                turned_values[np.uint64(begin + before0)] = values[np.uint64(key0 & ENTRY)]
                if at_once == 3 and own + stride < count:
                    turned_columns[np.uint64(begin + before1)] = row1
                    turned_values[np.uint64(begin + before1)] = values[np.uint64(key1 & ENTRY)]
                if at_once == 3 and own + 2 * stride < count:
                    turned_columns[np.uint64(begin + before2)] = row2
                    turned_values[np.uint64(begin + before2)] = values[np.uint64(key2 & ENTRY)]
                own = np.int32(own + at_once * stride)

    return kernel


THREADS = 32 if SIMULATED else 256
"""Of a block."""


class ScatteredTransposition(TwoSteps):
    """The transpose of one matrix, with all room for it, ready to be enqueued.

    Parameters
    ----------
    matrix
        The matrix.

    Attributes
    ----------
    result
        Its transpose, once `launch` has run.
    """

    def __init__(self, matrix: DeviceCsr) -> None:
        rows, width = matrix.shape
        entries = matrix.nnz
        sizes = {"counts": width, "ranks": entries, "longest": 1}
        room: dict[str, Any] = all_or_nothing(
            lambda: {
                **{name: cuda.device_array(max(1, size), np.int32) for name, size in sizes.items()},
                "keys": cuda.device_array(max(1, entries), np.int64),
            }
        )
        self.result = DeviceCsr.empty((width, rows), entries, matrix.dtype)
        self._longest, transposed = room["longest"], self.result
        if not width:
            transposed.pointers.copy_to_device(np.zeros(1, np.int32))
        counts, keys, real = room["counts"], room["keys"], matrix.dtype.type

        def ready(kernel: Any, threads: int, *arguments: Any) -> Launch:
            blocks = max(1, -(-threads // THREADS))
            return Launch(kernel, blocks, THREADS, arguments, real)

        a_row, a_column = threads_for(-(-entries // ENTRIES), rows), threads_for(entries, width)
        self._counting = [
            ready(clear_kernel, width, counts, width, room["longest"]),
            ready(rank_kernel, -(-entries // ENTRIES), matrix.columns, entries, counts, room["ranks"]),
            ready(longest_kernel, width, counts, width, room["longest"]),
            *(summing(counts, width, transposed.pointers) if width else []),
        ]
        self._placing = [
            ready(
                place_kernel(a_row),
                rows * a_row,
                *(matrix.pointers, matrix.columns, rows, room["ranks"], transposed.pointers, keys),
            ),
            ready(
                order_kernel(a_column, 3 if entries > width * WARP else 1),
                width * a_column,
                *(
                    matrix.values,
                    keys,
                    keys.view(np.int32),
                    width,
                    transposed.pointers,
                    transposed.columns,
                    transposed.values,
                ),
            ),
        ]

    def longest_column(self, stream: Any = 0) -> int:
        """Wait for `count` and return the entries of the longest column."""
        if stream:
            stream.synchronize()
        return int(self._longest.copy_to_host()[0])


def threads_for(entries: int, lines: int) -> int:
    """Return the threads a row or column: the power of two from the mean length on, at most a warp."""
    mean = -(-entries // max(1, lines))
    return min(WARP, 1 << max(0, mean - 1).bit_length())
