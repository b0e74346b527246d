"""Propagation blocking: entries in order of their columns, and where the product of each goes by rows.

Beamer, Asanovic and Patterson (IPDPS 2017) split a product whose columns lie anywhere in two: entries are
multiplied column by column, where x is near, and the products are written in bins of rows, whose sums are
near, too. Here all places are known from the conversion on: nothing is counted or sorted in a product, and
each sum has one order.

The columns are cut into parts of about as many entries each, the rows into bins whose products fit into
shared memory, bins into super-blocks whose products fit into a cache. A *run* is what a bin has in a part,
padded to whole groups of four entries. The runs are stored part by part, and in a part bin by bin; their
products go bin by bin, and in a bin part by part. So in either order neighbours stay together for a run, and
a group needs one number: where its products go. Within a bin each row is cut into slots of at most 32
entries, and each product has a place so that slot r adds places r, d_1 + r, d_2 + r and so on: jagged
diagonals.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from gpu.formats.propagation.sizes import ENTRY_LIMIT, GROUP, LONGEST_SLOT, PADDING, Sizes
from vecsim.formats.array_types import FloatArray, IntArray, Shape
from vecsim.formats.base import StoredAsArrays
from vecsim.formats.canonical_csr import canonical_csr
from vecsim.formats.invariants import check_pointers, require
from vecsim.formats.pointers import pointers_of
from vecsim.formats.representable import ALWAYS_MADE_BYTES, MAX_GROWTH, too_large
from vecsim.formats.thread_count import as_many_threads_as_pay
from vecsim.support.errors import UserError

PARTS = 132
"""Parts of the columns by default: one for each multiprocessor of an H200."""
WIDEST_PART = 16_384
"""Columns of a part by default; 65,536 is the most that 16 bits can number."""
BIN_ENTRIES = 8192
"""Of a bin by default, padding included."""
SUPER_BYTES = 8 << 20
"""Of the products of a super-block by default, padding included."""
SUPER_BLOCKS = 6
"""The fewest super-blocks: a small matrix has smaller ones instead of fewer."""
LEAST_IN_PART = 4096
"""A matrix whose parts would have fewer entries has fewer parts."""


@dataclass(frozen=True, eq=False, repr=False)
class PropagationBlocks(StoredAsArrays):
    """A matrix in runs, ordered by parts of its columns, with the places of its products by bins of rows.

    Attributes
    ----------
    shape
        Rows M and columns N.
    part_columns
        (parts, 2) int32: the first column of each part, and its columns. A column with more entries than a
        part should have is several parts, which take its rows in turn.
    values
        (4 groups,): by part, in a part by bin; 0 in padding.
    columns
        (4 groups,) uint16, counted from the first of the part; 0 in padding.
    destinations
        (groups,) uint32: the group that the products become, counted from the first of the super-block.
    items
        (parts times super-blocks + 1,) int32: the groups at which begins what each part has in each
        super-block, part by part.
    places
        (4 groups,) uint16, in the order of the products: the place of each in its bin, 65,535 in padding.
    bin_groups, bin_slots
        (bins + 1,) int32: where the groups and the slots of each bin begin.
    super_bins
        (super-blocks + 1,) int32: where the bins of each super-block begin.
    bin_rows
        (bins, 2) int32: the first row of each bin, and its rows. A row that fits into no bin is one row of
        several.
    row_slots
        (rows of all bins + bins,) uint16: a bin has the slot at which each of its rows begins, then its
        slots.
    ranks
        (slots,) uint16: the place of the first product of each slot, those of a row side by side.
    diagonals
        (bins, 33) uint16: where the places of the first products of slots begin, of the second, and so on.
    """

    shape: Shape
    part_columns: NDArray[np.int32]
    values: FloatArray
    columns: NDArray[np.uint16]
    destinations: NDArray[np.uint32]
    items: NDArray[np.int32]
    places: NDArray[np.uint16]
    bin_groups: NDArray[np.int32]
    bin_slots: NDArray[np.int32]
    super_bins: NDArray[np.int32]
    bin_rows: NDArray[np.int32]
    row_slots: NDArray[np.uint16]
    ranks: NDArray[np.uint16]
    diagonals: NDArray[np.uint16]

    @classmethod
    def from_scipy(
        cls,
        matrix: Any,
        *,
        parts: int | None = None,
        widest_part: int = WIDEST_PART,
        bin_entries: int = BIN_ENTRIES,
        super_entries: int | None = None,
    ) -> Self:
        """Convert a SciPy sparse matrix, in compiled loops over all cores.

        Parameters
        ----------
        matrix
            Any sparse matrix or array; duplicates are summed, explicit zeros kept.
        parts
            Parts of the columns, if they need not be more to be narrow enough: by default 132, and fewer for
            a small matrix.
        widest_part
            Columns of a part, 1 to 65,536.
        bin_entries
            Entries of a bin, padding included, and rows: 4 to 65,532.
        super_entries
            Entries of a super-block, padding and the last bin apart; by default 2^20 in float64 and 2^21 in
            float32, and fewer for a small matrix.

        Raises
        ------
        UserError
            If it is not a real matrix of two dimensions, or too large; or a size is not possible.
        NotRepresentableError
            If padding would make it larger than four times CRS (and a MiB).
        """
        from gpu.formats.propagation.conversion import converted

        if not 1 <= widest_part <= ENTRY_LIMIT:
            raise UserError(f"parts of {widest_part} columns are not possible: use 1 to {ENTRY_LIMIT}")
        if not GROUP <= bin_entries <= ENTRY_LIMIT - GROUP:
            raise UserError(
                f"bins of {bin_entries} entries are not possible: use {GROUP} to {ENTRY_LIMIT - GROUP}"
            )
        if parts is not None and not 1 <= parts < ENTRY_LIMIT:
            raise UserError(f"{parts} parts are not possible: use 1 to {ENTRY_LIMIT - 1}")
        if super_entries is not None and super_entries < 1:
            raise UserError(f"super-blocks of {super_entries} entries are not possible: use 1 or more")
        csr = canonical_csr(matrix)
        chosen = parts or max(1, min(PARTS, csr.nnz // LEAST_IN_PART))
        of_super = super_entries or max(
            bin_entries, min(SUPER_BYTES // csr.data.itemsize, csr.nnz // SUPER_BLOCKS)
        )
        with as_many_threads_as_pay(csr.nnz + csr.shape[0]):
            arrays = converted(csr, Sizes(chosen, widest_part, bin_entries, of_super))
        built = cls((int(csr.shape[0]), int(csr.shape[1])), **arrays)
        crs = csr.nnz * (csr.data.itemsize + 4) + 4 * (csr.shape[0] + 1)
        if built.nbytes > max(ALWAYS_MADE_BYTES, MAX_GROWTH * crs):
            raise too_large("padding", built.nbytes, crs, MAX_GROWTH, "use fewer parts, or another format")
        return built

    @property
    def parts(self) -> int:
        """How many parts the columns have."""
        return len(self.part_columns)

    @property
    def bins(self) -> int:
        """How many bins the rows have."""
        return len(self.bin_rows)

    @property
    def super_blocks(self) -> int:
        """How many super-blocks the bins have."""
        return len(self.super_bins) - 1

    @property
    def nnz(self) -> int:
        """Stored entries of the matrix, explicit zeros included, padding not."""
        return int(np.count_nonzero(self.places != PADDING))

    def structure(self) -> Mapping[str, object]:
        """Return parts, bins, super-blocks and slots, and the places for entries, padding included."""
        return {
            "parts": self.parts,
            "bins": self.bins,
            "super-blocks": self.super_blocks,
            "slots": len(self.ranks),
            "places": len(self.places),
        }

    def triplets(self) -> tuple[IntArray, IntArray, FloatArray]:
        """Return row, column (int64) and value of each entry, in storage order, without padding."""
        stored = self.products()
        real = np.flatnonzero(self.places[stored] != PADDING)
        part = np.repeat(np.arange(self.parts), self._part_counts())
        columns = self.part_columns[part, 0].astype(np.int64) + self.columns
        rows = self._rows_of_products()[stored]
        return rows[real], columns[real], self.values[real]

    def products(self) -> IntArray:
        """Return, for each entry in storage order, where its product stands in the order of the products."""
        items = self.items.astype(np.int64)
        counts = items[1:] - items[:-1]
        block = np.tile(np.arange(self.super_blocks), self.parts)
        begins = self.bin_groups[self.super_bins[:-1]].astype(np.int64)
        groups = np.repeat(begins[block], counts) + self.destinations
        result: IntArray = (groups[:, None] * GROUP + np.arange(GROUP)).ravel()
        return result

    def _part_counts(self) -> IntArray:
        """Count the entries of each part, padding included."""
        begins = self.items[:: max(1, self.super_blocks)].astype(np.int64)
        return (begins[1:] - begins[:-1])[: self.parts] * GROUP

    def _rows_of_products(self) -> IntArray:
        """Return the row of each product; anything in padding."""
        rows = np.zeros(len(self.places), np.int64)
        pointers = pointers_of(self.bin_rows[:, 1] + 1)
        for bin_ in range(self.bins):
            begin, end = (int(group) * GROUP for group in self.bin_groups[bin_ : bin_ + 2])
            place = self.places[begin:end].astype(np.int64)
            diagonal = self.diagonals[bin_].astype(np.int64)
            j = np.searchsorted(diagonal, place, side="right") - 1
            # In padding there is no rank to look up.
            rank = np.where(place == PADDING, 0, place - diagonal[np.minimum(j, LONGEST_SLOT - 1)])
            ranks = self.ranks[self.bin_slots[bin_] : self.bin_slots[bin_ + 1]]
            begins = self.row_slots[pointers[bin_] : pointers[bin_ + 1]].astype(np.int64)
            slots = begins[1:] - begins[:-1]
            row_of_rank = np.zeros(len(ranks) + 1, np.int64)
            row_of_rank[ranks] = self.bin_rows[bin_, 0] + np.repeat(np.arange(len(slots)), slots)
            rows[begin:end] = row_of_rank[np.minimum(rank, len(ranks))]
        return rows

    def check(self) -> None:
        """Check every invariant of the format.

        Raises
        ------
        ValueError
            Naming the first one that is broken.
        """
        groups = len(self.destinations)
        for name in ("values", "columns", "places"):
            require(len(getattr(self, name)) == GROUP * groups, f"{name} must have four elements a group")
        check_pointers("items", self.items, self.parts * self.super_blocks, groups)
        check_pointers("bin_groups", self.bin_groups, self.bins, groups)
        check_pointers("bin_slots", self.bin_slots, self.bins, len(self.ranks))
        check_pointers("super_bins", self.super_bins, self.super_blocks, self.bins)
        require(self.diagonals.shape == (self.bins, LONGEST_SLOT + 1), "diagonals must have 33 a bin")
        require((self.diagonals[:, 0] == 0).all(), "the first diagonal must begin at 0")
        require((self.diagonals[:, 1:] >= self.diagonals[:, :-1]).all(), "diagonals must never fall")
        require((self.diagonals[:, 1] == np.diff(self.bin_slots)).all(), "a slot must have a first product")
        lengths = self.bin_rows[:, 1].astype(np.int64)
        pointers = int(lengths.sum()) + self.bins
        require(len(self.row_slots) == pointers, "row_slots must have one a row and a bin")
        self._check_rows()
        products = np.sort(self.products())
        require(np.array_equal(products, np.arange(GROUP * groups)), "destinations must name each group once")
        self._check_places()
        padding = self.places[self.products()] == PADDING
        require(not self.values[padding].any(), "padding must have the value 0")
        part = np.repeat(np.arange(self.parts), self._part_counts())
        require((self.columns < self.part_columns[part, 1]).all(), "columns must be in their part")
        self.check_coordinates()

    def _check_rows(self) -> None:
        """Check that bins have all rows in their order, a row of several bins alone in each."""
        first, count = self.bin_rows[:, 0].astype(np.int64), self.bin_rows[:, 1].astype(np.int64)
        require((count > 0).all(), "a bin must have rows")
        ends = np.concatenate(([0], first + count))
        again = np.append(first == ends[:-1] - 1, False)
        alone = np.append(count == 1, True)
        alone[1:] &= np.append(0, count)[1:] == 1 if len(count) else True
        require((first[~again[:-1]] == ends[:-1][~again[:-1]]).all(), "bins must have the rows in order")
        require(alone[again].all(), "a row of several bins must be alone in each")
        require(ends[-1] == self.shape[0], "bins must have all rows")

    def _check_places(self) -> None:
        """Check that the products of a bin have each place once, and slots each rank."""
        for bin_ in range(self.bins):
            place = self.places[GROUP * self.bin_groups[bin_] : GROUP * self.bin_groups[bin_ + 1]]
            place = np.sort(place[place != PADDING])
            whole = np.array_equal(place, np.arange(self.diagonals[bin_, -1]))
            require(whole, "the products of a bin must have each place once")
            ranks = np.sort(self.ranks[self.bin_slots[bin_] : self.bin_slots[bin_ + 1]])
            whole = np.array_equal(ranks, np.arange(len(ranks)))
            require(whole, "the slots of a bin must have each rank once")
