"""Compiled loops of the conversion to segments of columns: over all cores, entry by entry."""

from typing import Any

import numpy as np
from numba import njit, prange

from gpu.formats.mixed_sliced.filling import WARP, threads_per_row_for

SLICE_FIELDS = 6
"""What `cut_slices` returns for each slice."""
PADDING = 8
"""Places of a slice whose threads have several slots, for one that is empty, at least."""


@njit(parallel=True, cache=True)
def count(indptr: Any, indices: Any, place: Any, segment_columns: int, begins: Any, result: Any) -> None:
    """Count, in each part of the rows and each segment, rows that have entries there and their entries.

    Parameters
    ----------
    indptr, indices
        Of the matrix, CSR without duplicates: (M + 1,) and (nnz,) integers.
    place
        (N,) integers: where each column stands; empty where columns stand as they are.
    segment_columns
        Columns of a segment.
    begins
        (parts + 1,) int64: where the rows of each part begin.
    result
        (parts, segments, 2) int64, zero before: rows, entries.
    """
    moved = len(place) > 0
    for part in prange(len(begins) - 1):
        last = np.full(result.shape[1], -1, np.int64)
        for row in range(begins[part], begins[part + 1]):
            for k in range(indptr[row], indptr[row + 1]):
                column = np.int64(place[indices[k]]) if moved else np.int64(indices[k])
                segment = column // segment_columns
                result[part, segment, 1] += 1
                if last[segment] != row:
                    last[segment] = row
                    result[part, segment, 0] += 1


@njit(parallel=True, cache=True)
def deal(
    indptr: Any,
    indices: Any,
    data: Any,
    place: Any,
    segment_columns: int,
    begins: Any,
    first_slot: Any,
    first_entry: Any,
    slot_rows: Any,
    slot_begins: Any,
    codes: Any,
    values: Any,
) -> None:
    """Write entries segment by segment, and in it row by row.

    Parameters
    ----------
    indptr, indices, data, place, segment_columns, begins
        As of `count`; (nnz,) floats.
    first_slot, first_entry
        (parts, segments) int64: where the rows and the entries of each begin.
    slot_rows, slot_begins
        int64, one for each row of each segment: what is written, its row and where its entries begin.
    codes, values
        (nnz,) uint16 and floats: likewise, 1 + the column in the segment, and the value.
    """
    moved = len(place) > 0
    for part in prange(len(begins) - 1):
        slot, entry = first_slot[part].copy(), first_entry[part].copy()
        last = np.full(len(slot), -1, np.int64)
        for row in range(begins[part], begins[part + 1]):
            for k in range(indptr[row], indptr[row + 1]):
                column = np.int64(place[indices[k]]) if moved else np.int64(indices[k])
                segment = column // segment_columns
                at = entry[segment]
                if last[segment] != row:
                    slot_rows[slot[segment]], slot_begins[slot[segment]] = row, at
                    slot[segment] += 1
                    last[segment] = row
                codes[at], values[at] = column - segment * segment_columns + 1, data[k]
                entry[segment] = at + 1


@njit(cache=True)
def slots_by_row(rows: Any, places: Any, pointers: Any, slots: Any) -> None:
    """Write the places of the sums of each row, those of one row in the order in which they come here.

    Parameters
    ----------
    rows, places
        int64, one a slot: its row, and where its sum goes.
    pointers
        (M + 1,) int64: where those of each row begin.
    slots
        uint32, one a slot: what is written.
    """
    at = pointers[:-1].copy()
    for slot in range(len(rows)):
        slots[at[rows[slot]]] = places[slot]
        at[rows[slot]] += 1


@njit(cache=True)
def _slots_per_thread(lengths: Any, first: int, end: int, steps: int) -> int:
    """Return how many of the slots from here on each thread has: as many as it has steps for.

    Fewer where the slots after are so much shorter that over one place in `PADDING` would be empty.
    """
    each = 1
    while 2 * each * lengths[first] <= steps:
        each *= 2
    while each > 1:
        last = min(first + WARP * each, end)
        entries = lengths[first:last].sum()
        if first + WARP * (each // 2) < end and PADDING * (WARP * each * lengths[first] - entries) <= (
            WARP * each * lengths[first]
        ):
            break
        each //= 2
    return each


@njit(cache=True)
def cut_slices(lengths: Any, window_ptr: Any, steps: int, several: bool) -> Any:
    """Cut sorted slots into slices, (S, 6) int64; none crosses a window.

    Returns for each: first slot, the one after its last, window, threads a slot, slots a thread, steps.

    Parameters
    ----------
    lengths
        int64: entries of each slot, falling within a window, 32 times `steps` at most.
    window_ptr
        int64: the first slot of each window, then their number.
    steps
        Steps of a slice, at most.
    several
        Whether a thread may have several slots.
    """
    slices = np.empty((len(lengths), SLICE_FIELDS), np.int64)
    count = 0
    for window in range(len(window_ptr) - 1):
        slot, end = window_ptr[window], window_ptr[window + 1]
        while slot < end:
            threads = threads_per_row_for(lengths[slot], steps, WARP)
            each = _slots_per_thread(lengths, slot, end, steps) if several and threads == 1 else 1
            last = min(slot + WARP * each // threads, end)
            slices[count, 0], slices[count, 1], slices[count, 2] = slot, last, window
            slices[count, 3], slices[count, 4] = threads, each
            slices[count, 5] = (lengths[slot] + threads - 1) // threads * each
            slot = last
            count += 1
    return slices[:count].copy()


@njit(parallel=True, cache=True)
def fill(
    starts: Any,
    lengths: Any,
    codes: Any,
    data: Any,
    first: Any,
    last: Any,
    threads_of: Any,
    each_of: Any,
    step_ptr: Any,
    columns: Any,
    values: Any,
) -> None:
    """Write columns and values of all slices; they are zero before.

    Parameters
    ----------
    starts, lengths
        int64, one a slot: where its entries begin, and how many there are.
    codes, data
        uint16 and floats, as `deal` writes them.
    first, last
        (S,) int64: the first slot of each slice, and the one after its last.
    threads_of, each_of
        (S,) int64: threads a slot, and slots a thread.
    step_ptr
        (S + 1,) int64: the steps before each slice.
    columns, values
        uint16 and floats: what is written.
    """
    for s in prange(len(threads_of)):
        for slot in range(first[s], last[s]):
            turn, lane = (slot - first[s]) // WARP, (slot - first[s]) % WARP
            if threads_of[s] > 1:
                turn, lane = 0, (slot - first[s]) * threads_of[s]
            for k in range(lengths[slot]):
                step, thread = k // threads_of[s] * each_of[s] + turn, lane + k % threads_of[s]
                at = (step_ptr[s] + step) * WARP + thread
                columns[at], values[at] = codes[starts[slot] + k], data[starts[slot] + k]
