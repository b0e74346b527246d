"""Compiled loops of the conversion to segments of columns: over all cores, entry by entry."""

from typing import Any

import numpy as np
from numba import njit, prange

from vecsim.formats.mixed_sliced.filling import WARP


@njit(parallel=True, cache=True)
def count(indptr: Any, indices: Any, place: Any, segment_columns: int, begins: Any, found: Any) -> None:
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
    found
        (parts, segments, 2) int64, zero before: rows, entries.
    """
    moved = len(place) > 0
    for part in prange(len(begins) - 1):
        last = np.full(found.shape[1], -1, np.int64)
        for row in range(begins[part], begins[part + 1]):
            for k in range(indptr[row], indptr[row + 1]):
                column = np.int64(place[indices[k]]) if moved else np.int64(indices[k])
                segment = column // segment_columns
                found[part, segment, 1] += 1
                if last[segment] != row:
                    last[segment] = row
                    found[part, segment, 0] += 1


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


@njit(parallel=True, cache=True)
def fill(
    starts: Any,
    lengths: Any,
    codes: Any,
    data: Any,
    first: Any,
    last: Any,
    threads_of: Any,
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
        (S,) int64: the first slot of each slice, and the one behind its last.
    threads_of
        (S,) int64: threads a slot.
    step_ptr
        (S + 1,) int64: the steps before each slice.
    columns, values
        uint16 and floats: what is written.
    """
    for s in prange(len(threads_of)):
        for slot in range(first[s], last[s]):
            lane = (slot - first[s]) * threads_of[s]
            for k in range(lengths[slot]):
                step, thread = k // threads_of[s], lane + k % threads_of[s]
                at = (step_ptr[s] + step) * WARP + thread
                columns[at], values[at] = codes[starts[slot] + k], data[starts[slot] + k]
