"""Rows cut by segments of the columns that fit into the shared memory of a multiprocessor, in slices.

A gather of x out of the L2 cache fetches 32 bytes; out of shared memory it costs next to nothing, and 16 bits
number a column there. So the columns are cut into segments as large as shared memory. What a row has in one
is a *slot*, whose sum goes to memory; a second step adds the sums of each row. That pays where slots have
several entries: rows are long, or there are few columns. Columns may stand in the order of their entries, so
that hubs are in the same segments.

Within a segment slots are sorted by their lengths, in windows, and stored in slices of 32 threads, long slots
with several threads each, short ones several a thread: SELL-C-sigma in each segment (Kreutzer et al. 2014),
but with about as many entries in each slice. Segments of x in shared memory are those of HBP (Yan, Diao, Liu,
An, Xu), which has 4096 columns and a slot for each row of each block.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from vecsim.formats.array_types import FloatArray, IntArray, Shape
from vecsim.formats.base import StoredAsArrays
from vecsim.formats.canonical_csr import canonical_csr
from vecsim.formats.invariants import check_pointers, check_range, require
from vecsim.formats.thread_count import as_many_threads_as_pay
from vecsim.support.errors import UserError

WARP = 32
SEGMENT_BYTES = 229_376
"""Of x in a segment by default: 224 of the 227 KiB that a block of threads may have on an H100 or H200."""
MOST_COLUMNS = 2**16 - 1
"""Columns of a segment that 16 bits tell apart; 0 marks padding."""
WINDOW = 4096
"""Slots that are sorted together, few, so that the sums of neighbouring rows stay near each other."""
STEPS = 8
"""Steps of a slice, at most: what a thread loads at once. A slot with more entries has more threads."""
MOST_STEPS = 16


@dataclass(frozen=True, eq=False, repr=False)
class SegmentedSliced(StoredAsArrays):
    """A matrix in slices of slots, segment by segment.

    Attributes
    ----------
    shape
        Rows M and columns N.
    segment_columns
        Columns of a segment.
    column_order
        (N,) uint32: the column of the matrix that stands at each place; empty where columns stand as they
        are.
    columns, values
        (32 steps,) uint16 and floats: 1 + the column in its segment; 0 and 0 in padding.
    step_ptr, slot_ptr
        (S + 1,) uint32: the steps and the slots before each slice.
    threads_per_slot
        (S,) uint8: 1 to 32, a power of two.
    slots_per_thread
        (S,) uint8: 1 to 16, a power of two, and 1 where a slot has several threads. Where a thread has p
        slots, its steps are of each in turn, and slot j of the slice is number j // 32 of thread j % 32.
    slice_segments
        (S,) int32: the segment of each slice; they ascend.
    row_pointers, row_slots
        (M + 1,) and (slots,) uint32: the slots of each row, in the order in which their sums are added.
    """

    shape: Shape
    segment_columns: int
    column_order: NDArray[np.uint32]
    columns: NDArray[np.uint16]
    values: FloatArray
    step_ptr: NDArray[np.uint32]
    slot_ptr: NDArray[np.uint32]
    threads_per_slot: NDArray[np.uint8]
    slots_per_thread: NDArray[np.uint8]
    slice_segments: NDArray[np.int32]
    row_pointers: NDArray[np.uint32]
    row_slots: NDArray[np.uint32]

    @classmethod
    def from_scipy(
        cls,
        matrix: Any,
        *,
        segment_columns: int | None = None,
        window: int = WINDOW,
        steps: int = STEPS,
        by_degree: bool | None = None,
    ) -> Self:
        """Convert a SciPy sparse matrix, in compiled loops over all cores.

        Parameters
        ----------
        matrix
            Any sparse matrix or array; duplicates are summed, explicit zeros kept.
        segment_columns
            Columns of a segment, 1 to 65,535; by default as many as take 224 KiB of x, or fewer that make up
            to four segments alike.
        window
            Slots that are sorted together, 1 or more.
        steps
            Steps of a slice, at most, 1 to 16.
        by_degree
            Whether columns stand in the order of their entries, most first: often that makes fewer slots, but
            x has to be copied first. By default they do where more slots are saved than elements are copied.

        Raises
        ------
        UserError
            If it is not a real matrix of two dimensions, or too large; or a size is not possible.
        """
        from gpu.formats.segmented.conversion import Sizes, converted

        csr = canonical_csr(matrix)
        chosen = segment_columns_for(csr.data.itemsize) if segment_columns is None else segment_columns
        if not 1 <= chosen <= MOST_COLUMNS:
            raise UserError(f"segments of {chosen} columns are not possible: use 1 to {MOST_COLUMNS}")
        if window < 1:
            raise UserError(f"windows of {window} slots are not possible: use 1 or more")
        if not 1 <= steps <= MOST_STEPS:
            raise UserError(f"slices of {steps} steps are not possible: use 1 to {MOST_STEPS}")
        with as_many_threads_as_pay(csr.nnz + csr.shape[0]):
            columns, arrays = converted(csr, Sizes(chosen, segment_columns is None, window, steps, by_degree))
        return cls((int(csr.shape[0]), int(csr.shape[1])), columns, **arrays)

    @property
    def slices(self) -> int:
        """How many slices there are."""
        return len(self.threads_per_slot)

    @property
    def nnz(self) -> int:
        """Stored entries, explicit zeros included, padding not."""
        return int(np.count_nonzero(self.columns))

    def structure(self) -> Mapping[str, object]:
        """Return order of columns, segments with entries, slices, slots, places for entries with padding."""
        return {
            "columns": "by their entries" if len(self.column_order) else "as they are",
            "segments": len(np.unique(self.slice_segments)),
            "slices": self.slices,
            "slots": len(self.row_slots),
            "places": len(self.columns),
        }

    def coordinates(self) -> tuple[IntArray, IntArray]:
        """Return row and column of each entry, int64, in storage order, without padding."""
        at = np.flatnonzero(self.columns)
        slice_ = np.searchsorted(self.step_ptr, at // WARP, side="right") - 1
        slot = self.slot_ptr[slice_] + self._slot_in_slice(at, slice_)
        row_of_slot = np.empty(len(self.row_slots), np.int64)
        row_of_slot[self.row_slots] = np.repeat(np.arange(self.shape[0]), np.diff(self.row_pointers))
        columns = self.slice_segments[slice_].astype(np.int64) * self.segment_columns + self.columns[at] - 1
        if len(self.column_order):
            columns = self.column_order[columns].astype(np.int64)
        return row_of_slot[slot], columns

    def _slot_in_slice(self, at: IntArray, slice_: IntArray) -> IntArray:
        """Return the slot of each place, counted in its slice, int64."""
        step = at // WARP - self.step_ptr[slice_].astype(np.int64)
        of_thread = step % self.slots_per_thread[slice_]
        return of_thread * WARP + at % WARP // self.threads_per_slot[slice_]

    def triplets(self) -> tuple[IntArray, IntArray, FloatArray]:
        """Return row, column (int64) and value of each entry, in storage order, without padding."""
        return *self.coordinates(), self.values[np.flatnonzero(self.columns)]

    def check(self) -> None:
        """Check every invariant of the format.

        Raises
        ------
        ValueError
            Naming the first one that is broken.
        """
        rows, slots, steps = self.shape[0], len(self.row_slots), int(self.step_ptr[-1])
        require(len(self.columns) == len(self.values) == WARP * steps, "a step must have 32 places")
        check_pointers("step_ptr", self.step_ptr, self.slices, steps)
        check_pointers("slot_ptr", self.slot_ptr, self.slices, slots)
        require((np.diff(self.step_ptr) <= MOST_STEPS).all(), f"a slice must have {MOST_STEPS} steps at most")
        threads = self.threads_per_slot.astype(np.int64)
        require(np.isin(threads, 2 ** np.arange(6)).all(), "threads a slot must be 1, 2, 4, 8, 16 or 32")
        each = self.slots_per_thread.astype(np.int64)
        require(np.isin(each, 2 ** np.arange(5)).all(), "slots a thread must be 1, 2, 4, 8 or 16")
        require(((threads == 1) | (each == 1)).all(), "a slot of several threads must be their only one")
        require(
            (np.diff(self.slot_ptr) * threads <= WARP * each).all(), "a slice must have 32 threads at most"
        )
        require((np.diff(self.slice_segments) >= 0).all(), "segments of slices must ascend")
        check_pointers("row_pointers", self.row_pointers, rows, slots)
        require((np.sort(self.row_slots) == np.arange(slots)).all(), "row_slots must name each slot once")
        named = np.sort(self.column_order)
        whole = len(named) in (0, self.shape[1]) and (named == np.arange(len(named))).all()
        require(whole, "column_order must name each column once, or none")
        require((self.columns <= self.segment_columns).all(), "columns must be in their segment")
        require(not self.values[self.columns == 0].any(), "padding must have the value 0")
        slice_ = np.repeat(np.arange(self.slices), WARP * np.diff(self.step_ptr))
        taken = self._slot_in_slice(np.arange(len(self.columns)), slice_) < np.diff(self.slot_ptr)[slice_]
        require(not self.columns[~taken].any(), "entries must stand in the threads of slots")
        check_range("columns of entries", self.coordinates()[1], self.shape[1])


def segment_columns_for(itemsize: int) -> int:
    """Return the columns of a segment by default, for elements of x of this many bytes."""
    return min(MOST_COLUMNS, SEGMENT_BYTES // itemsize)
