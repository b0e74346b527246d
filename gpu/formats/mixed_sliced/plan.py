"""Where the entries of a matrix go in the sliced format with two index widths."""

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from gpu.formats.mixed_sliced import filling
from gpu.formats.mixed_sliced.filling import NEAR_COLUMNS, THREADS_PER_ROW
from gpu.formats.mixed_sliced.slicing import MixedSlicing
from gpu.formats.sliced.filling import by_falling
from gpu.formats.sliced.layout import Pieces
from gpu.formats.sliced.slicing import NO_ROW, WARP
from vecsim.formats.array_types import IntArray, UIntArray
from vecsim.formats.pattern import Pattern
from vecsim.formats.pointers import pointers_of


@dataclass(frozen=True, eq=False)
class Plan:
    """Where everything goes, before any entry is moved; see `MixedSliced` for what it becomes."""

    pattern: Pattern
    slicing: MixedSlicing
    window: int
    hubs: IntArray
    ranks: NDArray[np.uint16]
    window_bases: IntArray
    near_of_row: IntArray
    starts: IntArray
    near: IntArray
    far: IntArray
    first: IntArray
    last: IntArray
    part: IntArray
    threads_per_row: IntArray
    bases: IntArray
    step_ptr: IntArray
    near_ptr: IntArray
    perm: UIntArray
    split_rows: IntArray
    split_ptr: IntArray

    @classmethod
    def of(cls, pattern: Pattern, slicing: MixedSlicing) -> Self:
        """Lay out a pattern."""
        rows, columns = pattern.shape
        indptr, indices = pattern.indptr, pattern.indices
        window = max(1, rows) if slicing.sorting_window is None else slicing.sorting_window
        hubs, ranks = _hubs(indices, columns) if slicing.hubs else _no_hubs()
        window_bases = np.zeros(0, dtype=np.int64)
        if not slicing.hubs:
            window_bases = filling.window_bases(indptr, indices, window, columns)
        near_of_row = filling.count_near(indptr, indices, window_bases, window, ranks)

        steps, uncut_steps = slicing.steps_for(pattern.nnz, pattern.longest)
        cap = slicing.most_threads_per_row * uncut_steps
        pieces = Pieces.of(pattern.lengths, cap)
        row, begin = pieces.row, pieces.piece * cap
        length = np.minimum(cap, pattern.lengths[row] - begin)
        near = np.clip(near_of_row[row] - begin, 0, length)
        far = length - near

        virtual_before = pointers_of(pieces.number)
        window_ptr = virtual_before[np.minimum(rows, np.arange(0, rows + window, window))]
        order = filling.sorted_in_windows(near, far, window_ptr, steps, slicing.most_threads_per_row)
        near, far = near[order], far[order]
        slices = filling.cut_slices(near, far, window_ptr, steps, slicing.most_threads_per_row)
        first, last, part, window_of, threads_per_row, near_steps, far_steps = _widest_first(slices)
        wide = slicing.wide
        near_steps, far_steps = (-(-each // wide) * wide for each in (near_steps, far_steps))
        perm = np.full(WARP * len(first), NO_ROW, dtype=np.uint32)
        slice_of = np.repeat(np.arange(len(first)), np.where(part == 0, last - first, 0))
        within = np.arange(len(slice_of)) - np.searchsorted(slice_of, slice_of)
        perm[slice_of * WARP + within * threads_per_row[slice_of]] = pieces.targets[
            order[first[slice_of] + within]
        ]
        return cls(
            pattern=pattern,
            slicing=slicing,
            window=window,
            hubs=hubs,
            ranks=ranks,
            window_bases=window_bases,
            near_of_row=near_of_row,
            starts=(pattern.indptr[:-1].astype(np.int64)[row] + begin)[order],
            near=near,
            far=far,
            first=first,
            last=last,
            part=part,
            threads_per_row=threads_per_row,
            bases=window_bases[window_of] if not slicing.hubs else window_bases,
            step_ptr=pointers_of(near_steps + far_steps),
            near_ptr=pointers_of(near_steps),
            perm=perm,
            split_rows=pieces.split_rows,
            split_ptr=pieces.split_ptr,
        )

    def thread_lengths(self, entries: IntArray) -> NDArray[np.uint8]:
        """Return the steps of each thread, of near or of far entries; none if they are not kept."""
        if not self.slicing.thread_lengths:
            return np.zeros(0, dtype=np.uint8)
        slices = (self.first, self.last, self.part, self.threads_per_row)
        lengths: NDArray[np.uint8] = filling.steps_of_threads(entries, *slices)
        return lengths

    @property
    def stored_bytes(self) -> int:
        """Bytes of values and columns, padding included."""
        steps, near = int(self.step_ptr[-1]), int(self.near_ptr[-1])
        return WARP * (steps * self.pattern.value_bytes + 2 * near + 4 * (steps - near))


def _widest_first(slices: IntArray) -> IntArray:
    """Return a contiguous row for each column, the slices of rows with several first, by falling threads."""
    threads_per_row = slices[:, THREADS_PER_ROW]
    order = np.argsort(np.where(threads_per_row > WARP, -threads_per_row, 0), kind="stable")
    return np.ascontiguousarray(slices[order].T)


def _hubs(indices: Any, columns: int) -> tuple[IntArray, NDArray[np.uint16]]:
    """Return the columns with most entries, at most 65,535, and 1 + its place among them for each column."""
    counts = filling.column_counts(indices, columns)
    hubs: IntArray = by_falling(counts, np.flatnonzero(counts))[:NEAR_COLUMNS]
    ranks = np.zeros(columns, dtype=np.uint16)
    ranks[hubs] = np.arange(1, len(hubs) + 1)
    return hubs, ranks


def _no_hubs() -> tuple[IntArray, NDArray[np.uint16]]:
    return np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.uint16)
