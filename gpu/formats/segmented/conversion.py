"""The way from CSR to segments of columns: slots found and sorted, then every entry written at its place."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gpu.formats.mixed_sliced.filling import WARP, column_counts, sorted_in_windows
from gpu.formats.segmented import filling
from gpu.formats.sliced.filling import by_falling
from vecsim.formats.array_types import IntArray
from vecsim.formats.pointers import pointers_of
from vecsim.formats.thread_count import threads_that_pay
from vecsim.support.errors import UserError

SHORT_SLOTS = 16
"""Entries a slot, on the average, below which a thread may have several: otherwise few have, and all pay."""
LEAST_SAVED = 2**19
"""Slots that an order of the columns has to save next to those of a copied x, for the further launch."""
FEW_SEGMENTS, EVEN_MULTIPLE = 4, 32
"""Segments that are made alike at most, and what their columns are a multiple of."""
PARTS_A_THREAD = 4
"""Parts of the rows that are counted apart, for each thread."""


@dataclass(frozen=True)
class Sizes:
    """How a matrix is cut.

    Attributes
    ----------
    segment_columns
        Columns of a segment.
    even
        Whether they may be fewer, where that makes segments alike.
    window
        Slots that are sorted together.
    steps
        Steps of a slice, at most.
    by_degree
        Whether columns stand in the order of their entries; None where that saves more than it costs.
    """

    segment_columns: int
    even: bool
    window: int
    steps: int
    by_degree: bool | None


@dataclass(frozen=True)
class _Counts:
    """What parts of the rows have in segments of the columns.

    Attributes
    ----------
    segment_columns
        Columns of a segment.
    order, place
        (N,) uint32: the column at each place, and the place of each; empty where columns stand as they are.
    begins
        (parts + 1,) int64: where the rows of each part begin.
    in_segments
        (parts, segments, 2) int64: rows with entries there, and entries.
    """

    segment_columns: int
    order: NDArray[np.uint32]
    place: NDArray[np.uint32]
    begins: IntArray
    in_segments: IntArray

    @property
    def slots(self) -> int:
        """How many rows of segments have entries."""
        return int(self.in_segments[..., 0].sum())


@dataclass(frozen=True)
class _Slots:
    """What rows have in segments: row, first entry and entries of each; and where those of segments begin."""

    rows: IntArray
    begins: IntArray
    lengths: IntArray
    of_segments: IntArray


def converted(csr: Any, sizes: Sizes) -> tuple[int, dict[str, NDArray[Any]]]:
    """Return columns of a segment, and the arrays of a `SegmentedSliced` by name.

    Parameters
    ----------
    csr
        The matrix, sorted CSR without duplicates.
    sizes
        How it is cut.
    """
    counts = _counts(csr, sizes)
    codes, values = np.empty(csr.nnz, np.uint16), np.empty(csr.nnz, csr.data.dtype)
    slots = _cut(_slots(csr, counts, codes, values), sizes.steps * WARP)
    window_ptr, window_segment = _windows(slots.of_segments, sizes.window)
    none = np.zeros(len(slots.rows), np.int64)
    order = sorted_in_windows(slots.lengths, none, window_ptr, sizes.steps, WARP)
    lengths = slots.lengths[order]
    cut = filling.cut_slices(lengths, window_ptr, sizes.steps, csr.nnz < SHORT_SLOTS * len(lengths))
    first, last, window, threads_of, each_of = (np.ascontiguousarray(cut[:, k]) for k in range(5))
    step_ptr = pointers_of(cut[:, 5])
    if step_ptr[-1] * WARP > 2**31 - 1:
        raise UserError(
            f"{step_ptr[-1] * WARP} entries with padding are too many for 32 bits: use another format"
        )
    stored_columns = np.zeros(int(step_ptr[-1]) * WARP, np.uint16)
    stored_values = np.zeros(len(stored_columns), values.dtype)
    filling.fill(
        *(slots.begins[order], lengths, codes, values, first, last, threads_of, each_of, step_ptr),
        *(stored_columns, stored_values),
    )
    places = np.empty(len(order), np.int64)
    places[order] = np.arange(len(order))
    pointers = pointers_of(np.bincount(slots.rows, minlength=csr.shape[0]))
    row_slots = np.empty(len(order), np.uint32)
    filling.slots_by_row(slots.rows, places, pointers, row_slots)
    return counts.segment_columns, {
        "column_order": counts.order,
        "columns": stored_columns,
        "values": stored_values,
        "step_ptr": step_ptr.astype(np.uint32),
        "slot_ptr": np.append(first, len(order)).astype(np.uint32),
        "threads_per_slot": threads_of.astype(np.uint8),
        "slots_per_thread": each_of.astype(np.uint8),
        "slice_segments": window_segment[window].astype(np.int32),
        "row_pointers": pointers.astype(np.uint32),
        "row_slots": row_slots,
    }


def _counts(csr: Any, sizes: Sizes) -> _Counts:
    """Count slots and entries, columns in the order that is asked for, or by degree if that saves enough."""
    parts = max(1, min(csr.shape[0], PARTS_A_THREAD * threads_that_pay(csr.nnz)))
    # Of about as many entries each, whatever the lengths of the rows.
    begins = np.searchsorted(csr.indptr, np.arange(parts + 1) * csr.nnz // parts).astype(np.int64)
    begins[0], begins[-1] = 0, csr.shape[0]
    if sizes.by_degree is not None:
        return _counted(csr, sizes, begins, by_degree=sizes.by_degree)
    natural = _counted(csr, sizes, begins, by_degree=False)
    if natural.slots - csr.shape[0] <= saving_that_pays(csr.shape[1]):
        return natural
    ordered = _counted(csr, sizes, begins, by_degree=True)
    return ordered if natural.slots - ordered.slots > saving_that_pays(csr.shape[1]) else natural


def saving_that_pays(width: int) -> int:
    """Return the slots that an order of this many columns has to save: a copied element costs about one."""
    return width + LEAST_SAVED


def even_columns(width: int, columns: int) -> int:
    """Return the columns of segments that are alike, where there are few: a block brings less of x then.

    Parameters
    ----------
    width
        N.
    columns
        Of a segment at most.
    """
    segments = max(1, -(-width // columns))
    if segments > FEW_SEGMENTS:
        return columns
    return min(columns, max(1, -(-width // segments // EVEN_MULTIPLE)) * EVEN_MULTIPLE)


def _counted(csr: Any, sizes: Sizes, begins: IntArray, *, by_degree: bool) -> _Counts:
    columns = sizes.segment_columns
    if sizes.even and not by_degree:
        columns = even_columns(csr.shape[1], columns)
    order = order_by_degree(csr.indices, csr.shape[1]) if by_degree else np.empty(0, np.uint32)
    place = np.empty(len(order), np.uint32)
    place[order] = np.arange(len(order), dtype=np.uint32)
    counts = np.zeros((len(begins) - 1, -(-csr.shape[1] // columns), 2), np.int64)
    filling.count(csr.indptr, csr.indices, place, columns, begins, counts)
    return _Counts(columns, order, place, begins, counts)


def order_by_degree(indices: NDArray[Any], width: int) -> NDArray[np.uint32]:
    """Return the columns in the order of their entries, most first, (N,) uint32."""
    order: NDArray[np.uint32] = by_falling(column_counts(indices, width), np.arange(width, dtype=np.uint32))
    return order


def _slots(csr: Any, counts: _Counts, codes: NDArray[np.uint16], values: NDArray[Any]) -> _Slots:
    """Find the slots, segment by segment and row by row, and write their entries in this order."""
    parts, segments = counts.in_segments.shape[:2]
    before = np.zeros((segments * parts + 1, 2), np.int64)
    np.cumsum(counts.in_segments.transpose(1, 0, 2).reshape(-1, 2), axis=0, out=before[1:])
    number = int(before[-1, 0])
    first_slot, first_entry = (
        np.ascontiguousarray(before[:-1, k].reshape(segments, parts).T) for k in range(2)
    )
    rows, starts = np.empty(number, np.int64), np.empty(number, np.int64)
    filling.deal(
        *(csr.indptr, csr.indices, csr.data, counts.place, counts.segment_columns, counts.begins),
        *(first_slot, first_entry, rows, starts, codes, values),
    )
    return _Slots(rows, starts, np.diff(starts, append=csr.nnz), before[::parts, 0].copy())


def _cut(slots: _Slots, longest: int) -> _Slots:
    """Cut long slots into several of even length."""
    pieces = -(-slots.lengths // longest)
    of = np.repeat(np.arange(len(pieces)), pieces)
    nth = np.arange(len(of)) - np.repeat(np.cumsum(pieces) - pieces, pieces)
    begin = slots.lengths[of] * nth // pieces[of]
    lengths = slots.lengths[of] * (nth + 1) // pieces[of] - begin
    return _Slots(slots.rows[of], slots.begins[of] + begin, lengths, pointers_of(pieces)[slots.of_segments])


def _windows(of_segments: IntArray, window: int) -> tuple[IntArray, IntArray]:
    """Cut the slots of each segment into windows; return their begins, with the end, and their segments."""
    counts = -(-np.diff(of_segments) // window)
    segment = np.repeat(np.arange(len(counts)), counts)
    nth = np.arange(len(segment)) - np.repeat(np.cumsum(counts) - counts, counts)
    return np.append(of_segments[segment] + nth * window, of_segments[-1]), segment
