"""HBP as it was published: blocks of 512 x 4096, their rows in the order of a hash, 32 of them a warp."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from gpu.hbp.hashing import RowHash, place_rows
from vecsim.formats.array_types import FloatArray, IntArray, Shape
from vecsim.formats.base import StoredAsArrays
from vecsim.formats.canonical_csr import canonical_csr
from vecsim.formats.invariants import check_pointers, check_range, require
from vecsim.formats.pointers import pointers_of
from vecsim.formats.representable import ALWAYS_MADE_BYTES, MAX_GROWTH, too_large
from vecsim.support.errors import UserError

WARP = 32
"""Rows of a group: a warp takes them up at once."""
BLOCK_ROWS, BLOCK_COLUMNS = 512, 4096
"""Of a block, the published partition (section III-A)."""
SLOT_BYTES = 8
"""`output_hash` and `zero_row` of a row of a block."""
LAST = -1
"""The `add_sign` of the last entry of a row in its block, and the `zero_row` of a row without entries."""


@dataclass(frozen=True, eq=False, repr=False)
class HBP(StoredAsArrays):
    """A matrix in blocks, row of blocks by row of blocks (HBP, section III and figure 2).

    Each block has a slot for each of its rows, also where that has no entry; the hash says in which order
    they come. 32 slots one after the other are a group, which a warp multiplies, a thread a row: its
    entries are stored the first of all its rows, then the second of all, and so on.

    Attributes
    ----------
    shape
        Rows M and columns N.
    block_rows, block_columns
        Of a block.
    hash
        What put the rows in order.
    columns
        (nnz,) int32, of the matrix: ``col``.
    values
        (nnz,): ``data``.
    add_sign
        (nnz,) int32: how far it is to the next entry of the same row in the block; -1: there is none.
    zero_row
        (slots,) int32: how many slots of its group before this one have no entry; -1: it has none itself.
    output_hash
        (slots,) int32: which row of its block stands there.
    begin_nnz
        (slots / 32 + 1,) int32: where the entries of each group begin.
    """

    shape: Shape
    block_rows: int
    block_columns: int
    hash: RowHash
    columns: NDArray[np.int32]
    values: FloatArray
    add_sign: NDArray[np.int32]
    zero_row: NDArray[np.int32]
    output_hash: NDArray[np.int32]
    begin_nnz: NDArray[np.int32]

    @classmethod
    def from_scipy(
        cls,
        matrix: Any,
        *,
        block_rows: int = BLOCK_ROWS,
        block_columns: int = BLOCK_COLUMNS,
        seed: int = 0,
    ) -> Self:
        """Convert a SciPy sparse matrix.

        Parameters
        ----------
        matrix
            Any sparse matrix or array; duplicates are summed, explicit zeros kept.
        block_rows
            A multiple of 32.
        block_columns
            1 or more.
        seed
            Of the sample from which the hash is chosen.

        Raises
        ------
        UserError
            If it is not a real matrix of two dimensions, or too large; or a block is not possible.
        NotRepresentableError
            If its slots, rows times column blocks, would make it larger than four times CRS (and a MiB).
        """
        require_block(block_rows, block_columns)
        csr = canonical_csr(matrix)
        shape = (int(csr.shape[0]), int(csr.shape[1]))
        across = -(-shape[1] // block_columns)
        slots = -(-shape[0] // block_rows) * across * block_rows
        _require_reasonable(slots, csr)
        rows = np.repeat(np.arange(shape[0]), np.diff(csr.indptr))
        block = rows // block_rows * across + csr.indices // block_columns
        slot_of_row = block * block_rows + rows % block_rows
        counts = np.bincount(slot_of_row, minlength=slots)
        row_hash = RowHash.sampled(counts, block_rows, seed)
        order = np.empty(slots, np.int32)
        place_rows(row_hash(counts) % block_rows, block_rows, order)
        first_slot = np.arange(slots) // block_rows * block_rows
        place = np.empty(slots, np.int64)
        place[first_slot + order] = np.arange(slots)
        columns, values, add_sign, zero_row = _filled(
            csr, slot_of_row, counts, place, counts[first_slot + order]
        )
        begins = pointers_of(np.bincount(place[slot_of_row] // WARP, minlength=slots // WARP)).astype(
            np.int32
        )
        return cls(
            shape,
            block_rows,
            block_columns,
            row_hash,
            columns,
            values,
            add_sign,
            zero_row,
            output_hash=order,
            begin_nnz=begins,
        )

    @property
    def across(self) -> int:
        """Blocks of a row of blocks."""
        return -(-self.shape[1] // self.block_columns)

    def structure(self) -> Mapping[str, object]:
        """Return the blocks, their slots, those without an entry, and the hash."""
        slots = len(self.output_hash)
        return {
            "blocks": slots // self.block_rows,
            "slots": slots,
            "zero_slots": int(np.count_nonzero(self.zero_row == LAST)),
            "hash": (self.hash.a, self.hash.b, self.hash.c, self.hash.d),
        }

    def row_counts(self) -> IntArray:
        """Return how many entries the row in each slot has in its block, int64."""
        slots = self._slots_of_entries()
        return np.bincount(slots, minlength=len(self.output_hash))

    def coordinates(self) -> tuple[IntArray, IntArray]:
        """Return row and column of each entry, int64, in storage order."""
        slots = self._slots_of_entries()
        block_row = slots // (max(1, self.across) * self.block_rows)
        return block_row * self.block_rows + self.output_hash[slots], self.columns.astype(np.int64)

    def _slots_of_entries(self) -> IntArray:
        """Follow each row through its block, as a thread does (algorithm 3); -1 where nobody comes by."""
        result = np.full(self.nnz, -1, np.int64)
        slots = np.flatnonzero(self.zero_row != LAST)
        at = self.begin_nnz[slots // WARP].astype(np.int64) + slots % WARP - self.zero_row[slots]
        while len(slots):
            result[at] = slots
            further = self.add_sign[at]
            goes_on = further != LAST
            slots, at = slots[goes_on], at[goes_on] + further[goes_on]
        return result

    def check(self) -> None:
        """Check every invariant of the format.

        Raises
        ------
        ValueError
            Naming the first one that is broken.
        """
        slots = -(-self.shape[0] // self.block_rows) * self.across * self.block_rows
        require(len(self.output_hash) == len(self.zero_row) == slots, f"there must be {slots} slots")
        check_pointers("begin_nnz", self.begin_nnz, slots // WARP, self.nnz)
        by_block = np.sort(self.output_hash.reshape(-1, self.block_rows), axis=1)
        require((by_block == np.arange(self.block_rows)).all(), "each row must have one slot of its block")
        check_range("columns", self.columns, self.shape[1])
        require(((self.add_sign == LAST) | (self.add_sign > 0)).all(), "add_sign must be -1 or lead on")
        empty = (self.zero_row == LAST).reshape(-1, WARP)
        before = np.where(empty, LAST, np.cumsum(empty, axis=1))
        require((self.zero_row == before.ravel()).all(), "zero_row must count the empty slots before it")
        result = self._slots_of_entries()
        require((result >= 0).all(), "every entry must be on the way of a row")
        own = np.repeat(np.arange(slots // WARP), np.diff(self.begin_nnz))
        require((result // WARP == own).all(), "a row must keep to the entries of its group")
        block_column = result // self.block_rows % max(1, self.across)
        require((self.columns // self.block_columns == block_column).all(), "columns must be in their block")
        require((self.coordinates()[0] < self.shape[0]).all(), "rows must be in the matrix")


def require_block(block_rows: int, block_columns: int) -> None:
    """Raise UserError unless blocks may be so large."""
    if block_rows < WARP or block_rows % WARP:
        raise UserError(f"blocks of {block_rows} rows are not possible: use a multiple of {WARP}")
    if block_columns < 1:
        raise UserError(f"blocks of {block_columns} columns are not possible: use 1 or more")


def _require_reasonable(slots: int, csr: Any) -> None:
    entry = csr.data.itemsize + 4
    built = slots * SLOT_BYTES + slots // WARP * 4 + csr.nnz * (entry + 4)
    crs = csr.nnz * entry + 4 * (csr.shape[0] + 1)
    if built > max(MAX_GROWTH * crs, ALWAYS_MADE_BYTES):
        what = f"{slots:,} slots, one for each row of each block,"
        raise too_large(what, built, crs, MAX_GROWTH, "use crs, or blocks of more columns")


def _filled(
    csr: Any, slot_of_row: IntArray, counts: IntArray, place: IntArray, placed_counts: IntArray
) -> tuple[Any, Any, Any, Any]:
    """Return columns, values, add_sign and zero_row.

    Parameters
    ----------
    csr
        The matrix.
    slot_of_row
        Of each entry: its row, counted through all blocks.
    counts, place
        Of each row so counted: its entries, and the slot where the hash puts it.
    placed_counts
        The entries of the row in each slot.
    """
    slot = place[slot_of_row]
    begins = pointers_of(counts)[:-1]
    by_row = np.argsort(slot_of_row, kind="stable")
    step = np.empty(csr.nnz, np.int64)
    step[by_row] = np.arange(csr.nnz) - begins[slot_of_row[by_row]]
    order = np.lexsort((slot, step, slot // WARP))
    # Where an entry goes, and so how far it is from one of a row to the next.
    at = np.empty(csr.nnz, np.int64)
    at[order] = np.arange(csr.nnz)
    along = at[by_row]
    further = np.diff(along, append=0)
    add_sign = np.empty(csr.nnz, np.int32)
    add_sign[along] = np.where(step[by_row] == counts[slot_of_row[by_row]] - 1, LAST, further)
    empty = (placed_counts == 0).reshape(-1, WARP)
    zero_row = np.where(empty, LAST, np.cumsum(empty, axis=1)).ravel().astype(np.int32)
    return csr.indices[order].astype(np.int32), csr.data[order], add_sign, zero_row
