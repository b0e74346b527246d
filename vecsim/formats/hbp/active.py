"""HBP repaired: only rows that have entries in a block take a place there.

What is published has a slot for each row of each block, 8 bytes and a sum in each product, so that matrices
with many columns of blocks do not fit. Here a block without entries is not stored, nor is a row without
entries in its block; columns are 16-bit numbers within the block, and the way to the next entry of a row, at
most a warp's width, is a byte. Rows that collide come side by side instead of in the next free place.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from vecsim.errors import UserError
from vecsim.formats.array_types import FloatArray, IntArray, Shape
from vecsim.formats.base import StoredAsArrays
from vecsim.formats.canonical_csr import canonical_csr
from vecsim.formats.hbp.container import BLOCK_COLUMNS, BLOCK_ROWS, WARP
from vecsim.formats.hbp.hashing import RowHash
from vecsim.formats.invariants import check_pointers, require

MOST_IN_BLOCK = 65_536
"""Rows and columns of a block: so many have 16-bit numbers."""


@dataclass(frozen=True, eq=False, repr=False)
class ActiveHBP(StoredAsArrays):
    """A matrix in blocks, column of blocks by column of blocks; each has a slot for each row with entries.

    Slots of a block come in the order of the hash of their lengths, 32 of them a group.

    Attributes
    ----------
    shape
        Rows M and columns N.
    block_rows, block_columns
        Of a block.
    hash
        What put the rows in order.
    columns
        (nnz,) uint16, within the block.
    values
        (nnz,).
    steps
        (nnz,) uint8: how far it is to the next entry of the same row in the block; 0: there is none.
    rows
        (slots,) int32: the row of the matrix.
    group_slots, group_begins
        (groups + 1,) int32: where the slots, and the entries, of each group begin.
    group_columns
        (groups,) int32: which column of blocks it is in; they ascend.
    row_pointers, row_slots
        (M + 1,) and (slots,) int32: the slots of each row, by columns of blocks.
    """

    shape: Shape
    block_rows: int
    block_columns: int
    hash: RowHash
    columns: NDArray[np.uint16]
    values: FloatArray
    steps: NDArray[np.uint8]
    rows: NDArray[np.int32]
    group_slots: NDArray[np.int32]
    group_begins: NDArray[np.int32]
    group_columns: NDArray[np.int32]
    row_pointers: NDArray[np.int32]
    row_slots: NDArray[np.int32]

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
        block_rows, block_columns
            From 1 to 65,536.
        seed
            Of the sample from which the hash is chosen.

        Raises
        ------
        UserError
            If it is not a real matrix of two dimensions, or too large; or a block is not possible.
        """
        for count, what in ((block_rows, "rows"), (block_columns, "columns")):
            if not 1 <= count <= MOST_IN_BLOCK:
                raise UserError(f"blocks of {count} {what} are not possible: use 1 to {MOST_IN_BLOCK}")
        csr = canonical_csr(matrix)
        shape = (int(csr.shape[0]), int(csr.shape[1]))
        down = max(1, -(-shape[0] // block_rows))
        row = np.repeat(np.arange(shape[0]), np.diff(csr.indptr))
        # A segment is what a row has in a block; they are numbered by column of blocks, block and row.
        keys, segment, counts = np.unique(
            (csr.indices // block_columns).astype(np.int64) * down * block_rows + row,
            return_inverse=True,
            return_counts=True,
        )
        row_hash = RowHash.sampled(counts, block_rows, seed)
        block = keys // block_rows
        order = np.lexsort((keys, row_hash(counts), block))
        place = np.empty(len(keys), np.int64)
        place[order] = np.arange(len(keys))
        group_of_slot, group_slots = _groups(block[order])
        slot = place[segment]
        columns, values, steps = _filled(csr, slot, counts[order], group_of_slot, block_columns)
        rows = keys[order] % (down * block_rows)
        return cls(
            shape,
            block_rows,
            block_columns,
            row_hash,
            columns,
            values,
            steps,
            rows.astype(np.int32),
            group_slots,
            _pointers(np.bincount(group_of_slot[slot], minlength=len(group_slots) - 1)),
            (block[order] // down)[group_slots[:-1]].astype(np.int32),
            _pointers(np.bincount(rows, minlength=shape[0])),
            np.argsort(rows, kind="stable").astype(np.int32),
        )

    def structure(self) -> Mapping[str, object]:
        """Return its slots, groups, and the hash."""
        return {
            "slots": len(self.rows),
            "groups": len(self.group_columns),
            "hash": (self.hash.a, self.hash.b, self.hash.c, self.hash.d),
        }

    def coordinates(self) -> tuple[IntArray, IntArray]:
        """Return row and column of each entry, int64, in storage order."""
        slots = self._slots_of_entries()
        group = np.searchsorted(self.group_slots, slots, side="right") - 1
        first = self.group_columns[group].astype(np.int64) * self.block_columns
        return self.rows[slots].astype(np.int64), first + self.columns

    def _slots_of_entries(self) -> IntArray:
        """Follow each row through its block, as a thread does; -1 where nobody comes by."""
        found = np.full(self.nnz, -1, np.int64)
        slots = np.arange(len(self.rows))
        group = np.repeat(np.arange(len(self.group_columns)), np.diff(self.group_slots))
        at = self.group_begins[group].astype(np.int64) + slots - self.group_slots[group]
        while len(slots):
            found[at] = slots
            step = self.steps[at]
            slots, at = slots[step > 0], at[step > 0] + step[step > 0]
        return found

    def check(self) -> None:
        """Check every invariant of the format.

        Raises
        ------
        ValueError
            Naming the first one that is broken.
        """
        slots, groups = len(self.rows), len(self.group_columns)
        check_pointers("group_slots", self.group_slots, groups, slots)
        check_pointers("group_begins", self.group_begins, groups, self.nnz)
        check_pointers("row_pointers", self.row_pointers, self.shape[0], slots)
        require((np.diff(self.group_slots) <= WARP).all(), f"a group must have at most {WARP} slots")
        require((np.diff(self.group_columns) >= 0).all(), "columns of blocks must ascend")
        require((np.sort(self.row_slots) == np.arange(slots)).all(), "row_slots must name each slot once")
        own = np.repeat(np.arange(self.shape[0]), np.diff(self.row_pointers))
        require((self.rows[self.row_slots] == own).all(), "row_slots must be those of their row")
        found = self._slots_of_entries()
        require((found >= 0).all(), "every entry must be on the way of a row")
        group = np.searchsorted(self.group_slots, found, side="right") - 1
        mine = np.repeat(np.arange(groups), np.diff(self.group_begins))
        require((group == mine).all(), "a row must keep to the entries of its group")
        require((self.coordinates()[1] < self.shape[1]).all(), "columns must lie in the matrix")


def _groups(block: IntArray) -> tuple[IntArray, NDArray[np.int32]]:
    """Cut the slots of each block into groups of 32; give the group of each slot, and where each begins."""
    begins = np.flatnonzero(np.diff(block, prepend=-1))
    within = np.arange(len(block)) - np.repeat(begins, np.diff(begins, append=len(block)))
    first = within % WARP == 0
    return np.cumsum(first) - 1, np.append(np.flatnonzero(first), len(block)).astype(np.int32)


def _filled(
    csr: Any, slot: IntArray, counts: IntArray, group_of_slot: IntArray, block_columns: int
) -> tuple[NDArray[np.uint16], FloatArray, NDArray[np.uint8]]:
    """Give columns, values and steps.

    Parameters
    ----------
    csr
        The matrix.
    slot
        Of each entry.
    counts, group_of_slot
        Of each slot.
    block_columns
        Of a block.
    """
    by_slot = np.argsort(slot, kind="stable")
    begins = np.cumsum(counts) - counts
    which = np.empty(csr.nnz, np.int64)
    which[by_slot] = np.arange(csr.nnz) - begins[slot[by_slot]]
    order = np.lexsort((slot, which, group_of_slot[slot]))
    at = np.empty(csr.nnz, np.int64)
    at[order] = np.arange(csr.nnz)
    along = at[by_slot]
    steps = np.empty(csr.nnz, np.uint8)
    last = which[by_slot] == counts[slot[by_slot]] - 1
    steps[along] = np.where(last, 0, np.diff(along, append=0))
    return (csr.indices[order] % block_columns).astype(np.uint16), csr.data[order], steps


def _pointers(counts: NDArray[np.integer[Any]]) -> NDArray[np.int32]:
    return np.concatenate((np.zeros(1, np.int64), np.cumsum(counts))).astype(np.int32)
