"""Sliced ELL for skewed matrices: threads by row length, near columns in 16 bits, far ones in 32."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from gpu.formats.mixed_sliced import filling
from gpu.formats.mixed_sliced.plan import Plan
from gpu.formats.mixed_sliced.slicing import SELL_NEAR, MixedSlicing
from gpu.formats.sliced.layout import check_named
from gpu.formats.sliced.slicing import NO_ROW, WARP
from vecsim.formats.array_types import FloatArray, IntArray, Shape, UIntArray
from vecsim.formats.base import StoredAsArrays
from vecsim.formats.canonical_csr import canonical_csr
from vecsim.formats.invariants import check_pointers, check_range, require
from vecsim.formats.pattern import Pattern
from vecsim.formats.pointers import sizes_of
from vecsim.formats.representable import MAX_GROWTH, too_large


@dataclass(frozen=True, eq=False, repr=False)
class MixedSliced(StoredAsArrays):
    """A matrix in slices of a warp, each with as many threads a row as its rows are long.

    Rows are sorted by length (SELL-C-sigma: Kreutzer et al. 2014). Where a row would take more than
    `MixedSlicing.steps` steps of one thread, the slice has 2, 4 .. 32 threads a row and so fewer rows, and
    all threads of a product have about the same work in one kernel. A row with 64 threads or more takes as
    many slices as it has warps, one after the other; such slices are the first, by falling threads, so that
    the first of a row is a multiple of their number. Rows too long even for
    `MixedSlicing.most_threads_per_row` are cut in pieces, whose sums are added in their order.

    Most entries of skewed matrices stand in few columns, so most columns fit 16 bits. A slice stores the near
    entries of its rows first, then the far ones. With `MixedSlicing.hubs`, near columns are numbered by
    falling count, and a product copies their elements of x into that order: often-read ones stand side by
    side and stay in the L1 cache.

    Entry j of the near (or far) entries of a row with L threads, the first of them l, is entry ``j // L``
    of thread ``l + j % L``, counted on over the slices of the row. Entry t of a thread stands at
    ``((t // wide) * 32 + thread) * wide + t % wide`` within the near (far) entries of the slice. The columns
    of near and far entries are separate arrays.

    Attributes
    ----------
    shape
        Rows M and columns N.
    slicing
        How the matrix is arranged.
    step_ptr
        uint32 of S + 1: the step at which each slice begins, then their number. A step holds 32 entries.
    near_ptr
        uint32 of S + 1: the near steps before each slice, then their number; far ones are the other steps.
    threads_per_row
        uint16 of S: threads a row, a power of two.
    bases
        uint32 of S: the first near column of each slice; empty with hubs.
    hubs
        uint32: columns by falling count, at most 65,535; empty without hubs.
    perm
        uint32 of 32 S: the row whose first thread this is; M + p for piece p of the rows in pieces; 2^32 - 1
        for other threads.
    near_lengths, far_lengths
        uint8 of 32 S: the near and the far steps in which each thread has an entry; empty without
        `MixedSlicing.thread_lengths`.
    near_columns
        uint16: 1 + the column's number in `hubs`, or its offset from the base; 0 is padding.
    far_columns
        uint32: 1 + the column; 0 is padding.
    values
        float32 or float64, for each slice those of its near steps, then of its far steps; 0 in padding.
    split_rows
        uint32: the rows that are in pieces, rising.
    split_ptr
        uint32, one more: where the pieces of each begin, then their number.
    """

    shape: Shape
    slicing: MixedSlicing
    step_ptr: UIntArray
    near_ptr: UIntArray
    threads_per_row: NDArray[np.uint16]
    bases: UIntArray
    hubs: UIntArray
    perm: UIntArray
    near_lengths: NDArray[np.uint8]
    far_lengths: NDArray[np.uint8]
    near_columns: NDArray[np.uint16]
    far_columns: UIntArray
    values: FloatArray
    split_rows: UIntArray
    split_ptr: UIntArray

    @classmethod
    def from_scipy(cls, matrix: Any, *, slicing: MixedSlicing = SELL_NEAR) -> Self:
        """Convert a SciPy sparse matrix, in compiled loops over all cores.

        Parameters
        ----------
        matrix
            As `canonical_csr` takes it.
        slicing
            The arrangement.

        Raises
        ------
        UserError
            As `canonical_csr` raises it.
        NotRepresentableError
            If padding would make it larger than four times CRS (and a MiB).
        """
        csr = canonical_csr(matrix)
        plan = Plan.of(Pattern.of(csr), slicing)
        if not plan.pattern.allows(plan.stored_bytes):
            instead = "use a larger sorting_window, or CRS"
            raise too_large("padding", plan.stored_bytes, plan.pattern.crs_bytes, MAX_GROWTH, instead)
        codes, ordered = np.empty(csr.nnz, dtype=np.uint32), np.empty_like(csr.data)
        filling.near_first(
            csr.indptr,
            csr.indices,
            csr.data,
            plan.near_of_row,
            plan.window_bases,
            plan.window,
            plan.ranks,
            codes,
            ordered,
        )
        near_entries = int(plan.near_ptr[-1]) * WARP
        entries = int(plan.step_ptr[-1]) * WARP
        near_columns = np.zeros(near_entries, dtype=np.uint16)
        far_columns = np.zeros(entries - near_entries, dtype=np.uint32)
        values = np.zeros(entries, dtype=csr.data.dtype)
        filling.fill(
            plan.starts,
            plan.near,
            plan.far,
            codes,
            ordered,
            plan.first,
            plan.last,
            plan.part,
            plan.threads_per_row,
            plan.step_ptr,
            plan.near_ptr,
            slicing.wide,
            near_columns,
            far_columns,
            values,
        )
        return cls(
            shape=plan.pattern.shape,
            slicing=slicing,
            step_ptr=plan.step_ptr.astype(np.uint32),
            near_ptr=plan.near_ptr.astype(np.uint32),
            threads_per_row=plan.threads_per_row.astype(np.uint16),
            bases=plan.bases.astype(np.uint32),
            hubs=plan.hubs.astype(np.uint32),
            perm=plan.perm,
            near_lengths=plan.thread_lengths(plan.near),
            far_lengths=plan.thread_lengths(plan.far),
            near_columns=near_columns,
            far_columns=far_columns,
            values=values,
            split_rows=plan.split_rows.astype(np.uint32),
            split_ptr=plan.split_ptr.astype(np.uint32),
        )

    @property
    def slices(self) -> int:
        """S, the number of slices."""
        return len(self.threads_per_row)

    @property
    def nnz(self) -> int:
        """Stored entries of the matrix, explicit zeros included, padding not."""
        return int(np.count_nonzero(self.near_columns) + np.count_nonzero(self.far_columns))

    @cached_property
    def _part(self) -> IntArray:
        """Which of the slices of its row each slice is; 0 where rows have one."""
        part: IntArray = np.arange(self.slices) % np.maximum(1, self.threads_per_row.astype(np.int64) // WARP)
        return part

    @cached_property
    def _entries(self) -> tuple[IntArray, IntArray, FloatArray]:
        """Row, column and value of each entry, without padding, by rows as a product takes them."""
        parts = []
        for near in (True, False):
            columns = self.near_columns if near else self.far_columns
            steps = sizes_of(self.near_ptr) if near else sizes_of(self.step_ptr) - sizes_of(self.near_ptr)
            begin = self.step_ptr[:-1].astype(np.int64) + (0 if near else sizes_of(self.near_ptr))
            slice_of = np.repeat(np.arange(self.slices), steps * WARP)
            within = np.arange(len(columns)) - np.repeat((np.cumsum(steps) - steps) * WARP, steps * WARP)
            group, place = np.divmod(within, WARP * self.slicing.wide)
            lane, step = place // self.slicing.wide, group * self.slicing.wide + place % self.slicing.wide
            threads_per_row, part = self.threads_per_row[slice_of].astype(np.int64), self._part[slice_of]
            lane += part * WARP
            row = self.perm[(slice_of - part) * WARP + lane // threads_per_row * threads_per_row].astype(
                np.int64
            )
            j = step * threads_per_row + lane % threads_per_row
            column = columns.astype(np.int64) - 1
            if near and not self.slicing.hubs:
                column += self.bases[slice_of]
            elif near and len(self.hubs):
                column = self.hubs[np.maximum(column, 0)].astype(np.int64)
            value = self.values[begin[slice_of] * WARP + within]
            parts.append((row, np.full(len(row), 1 - near), j, column, value, columns > 0))
        row, far, j, column, value, stored = (np.concatenate(each) for each in zip(*parts, strict=True))
        piece = np.maximum(0, row - self.shape[0]) * (row >= self.shape[0])
        whole = np.repeat(self.split_rows, sizes_of(self.split_ptr)).astype(np.int64)
        in_pieces = (row >= self.shape[0]) & stored
        row[in_pieces] = whole[piece[in_pieces]]
        order = np.lexsort((j, far, piece, row))
        order = order[stored[order]]
        return row[order], column[order], value[order]

    def structure(self) -> Mapping[str, int]:
        """Return the slices, and the places for near and for far entries, padding included."""
        return {
            "slices": self.slices,
            "near_places": len(self.near_columns),
            "far_places": len(self.far_columns),
        }

    def coordinates(self) -> tuple[IntArray, IntArray]:
        """Return row and column of each entry, int64, without padding: by rows, those of a row in order."""
        return self._entries[0], self._entries[1]

    def triplets(self) -> tuple[IntArray, IntArray, FloatArray]:
        """Return row, column (int64) and value of each entry, without padding, as `coordinates` does."""
        return self._entries

    def check(self) -> None:
        """Check every invariant of the format.

        Raises
        ------
        ValueError
            Naming the first one that is broken.
        """
        require(len(self.values) % WARP == 0, f"values must fill whole steps of {WARP}")
        for name, pointers, entries in (
            ("step_ptr", self.step_ptr, len(self.values)),
            ("near_ptr", self.near_ptr, len(self.near_columns)),
        ):
            check_pointers(name, pointers.astype(np.int64), self.slices, entries // WARP)
            require(not (pointers % self.slicing.wide).any(), f"{name} must be multiples of wide")
        require(
            len(self.near_columns) + len(self.far_columns) == len(self.values),
            "near and far columns must be as many as values",
        )
        require(
            (sizes_of(self.step_ptr) >= sizes_of(self.near_ptr)).all(), "near steps must be within all steps"
        )
        self._check_threads_per_row()
        require(len(self.bases) == (0 if self.slicing.hubs else self.slices), "each slice must have a base")
        require(self.slicing.hubs or not len(self.hubs), "hubs must be empty where columns are near by place")
        check_range("hubs", self.hubs, self.shape[1])
        require(len(np.unique(self.hubs)) == len(self.hubs), "hubs must name each column once")
        if self.slicing.hubs:
            check_range("near_columns", self.near_columns, len(self.hubs) + 1)
        pieces = int(self.split_ptr[-1])
        check_pointers("split_ptr", self.split_ptr.astype(np.int64), len(self.split_rows), pieces)
        check_range("split_rows", self.split_rows, self.shape[0])
        require(len(self.perm) == WARP * self.slices, f"perm must have {WARP} elements a slice")
        lengths = WARP * self.slices if self.slicing.thread_lengths else 0
        require(len(self.near_lengths) == lengths, f"near_lengths must have {lengths} elements")
        require(len(self.far_lengths) == lengths, f"far_lengths must have {lengths} elements")
        if lengths:
            counted = [int(each.sum(dtype=np.int64)) for each in (self.near_lengths, self.far_lengths)]
            stored = [int(np.count_nonzero(each)) for each in (self.near_columns, self.far_columns)]
            require(counted == stored, "near_lengths and far_lengths must count all entries")
        counted_on = self._part[:, None] * WARP + np.arange(WARP)
        first_threads = counted_on % self.threads_per_row.astype(np.int64)[:, None] == 0
        require(
            (self.perm.reshape(-1, WARP)[~first_threads] == NO_ROW).all(),
            "only the first thread of a row has it",
        )
        check_named(self.perm, self.shape[0], self.split_rows, pieces)
        self.check_coordinates()
        require(
            np.count_nonzero(self.values) == np.count_nonzero(self._entries[2]),
            "padding must have the value 0",
        )

    def _check_threads_per_row(self) -> None:
        """Check that threads a row are possible, and that rows of several slices are whole and come first."""
        powers = [1 << bit for bit in range(self.slicing.most_threads_per_row.bit_length())]
        require(
            np.isin(self.threads_per_row, powers).all(),
            f"threads_per_row must be powers of two up to {powers[-1]}",
        )
        wide = self.threads_per_row[self.threads_per_row > WARP].astype(np.int64)
        require((self.threads_per_row[: len(wide)] == wide).all(), "threads_per_row over 32 must come first")
        require((np.diff(wide) <= 0).all(), "threads_per_row over 32 must fall")
        for threads_per_row in np.unique(wide):
            count = np.count_nonzero(wide == threads_per_row)
            require(
                count * WARP % threads_per_row == 0,
                f"slices with {threads_per_row} threads a row must make whole rows",
            )
