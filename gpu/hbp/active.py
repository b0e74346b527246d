"""HBP repaired: blocks hold the rows that have many entries there; all other entries stand in CRS.

What is published has a slot for each row of each block, 8 bytes and a sum in each product, so that matrices
with many columns of blocks do not fit. Here a row takes a place in a block where it has at least this many
entries there that its sum costs little next to them; where it has fewer they stay in the rest, a CRS of
32-bit columns. A row with many entries in a block is cut into slots of even length, so that none keeps a warp
for long. Columns are 16-bit numbers within the block, and the length of a slot, a byte, takes the place of
``add_sign``: the lanes of a warp count those of them that go on. A slot leaves its sum at its own place,
and those of a row lie one after the other.

What rows have in columns of blocks, cut into slots, and what is left to the rest.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from gpu.hbp.container import BLOCK_COLUMNS, WARP
from gpu.hbp.hashing import RowHash
from vecsim.formats.array_types import FloatArray, IntArray, Shape
from vecsim.formats.base import StoredAsArrays
from vecsim.formats.canonical_csr import canonical_csr
from vecsim.formats.invariants import check_pointers, check_range, require
from vecsim.formats.pointers import pointers_of
from vecsim.support.errors import UserError


@dataclass(frozen=True, eq=False)
class Segments:
    """The slots of a matrix, row by row, and the entries that are in none.

    Attributes
    ----------
    begins, lengths
        (slots,) int64: the first entry of each in the CSR matrix, and how many there are.
    rows, block_columns
        (slots,) int64: of each.
    rest
        (nnz,) bool: which entries are in no slot.
    rest_counts
        (M,) int64: how many of them each row has.
    """

    begins: IntArray
    lengths: IntArray
    rows: IntArray
    block_columns: IntArray
    rest: NDArray[np.bool_]
    rest_counts: IntArray

    @classmethod
    def of(cls, csr: Any, block_columns: int, least: int, longest: int) -> Self:
        """Cut a matrix.

        Parameters
        ----------
        csr
            A canonical csr_array.
        block_columns
            Columns of a block.
        least
            A row with fewer entries in a block has no slot there.
        longest
            One with more has several there, of lengths that differ by one at most.
        """
        row = np.repeat(np.arange(csr.shape[0]), np.diff(csr.indptr))
        block = csr.indices // block_columns
        starts = np.flatnonzero((np.diff(row, prepend=-1) != 0) | (np.diff(block, prepend=-1) != 0))
        counts = np.diff(starts, append=csr.nnz)
        stored = counts >= least
        rest = np.repeat(~stored, counts)
        rest_counts = np.bincount(row[rest], minlength=csr.shape[0])
        starts, counts = starts[stored], counts[stored]
        pieces = -(-counts // longest)
        segment = np.repeat(np.arange(len(counts)), pieces)
        number = np.arange(len(segment)) - np.repeat(np.cumsum(pieces) - pieces, pieces)
        count, of = counts[segment], pieces[segment]
        first = count * number // of
        begins = starts[segment] + first
        return cls(
            begins,
            count * (number + 1) // of - first,
            row[begins].astype(np.int64),
            block[begins].astype(np.int64),
            rest,
            rest_counts,
        )

    def entries(self, order: IntArray) -> IntArray:
        """Return the entries of the CSR matrix, int64, slot by slot in an order of the slots."""
        lengths = self.lengths[order]
        within = np.arange(int(lengths.sum())) - np.repeat(np.cumsum(lengths) - lengths, lengths)
        return np.repeat(self.begins[order], lengths) + within


MOST_IN_BLOCK = 65_536
"""Rows and columns of a block: this many columns have 16-bit numbers."""
ACTIVE_BLOCK_ROWS = 65_536
"""Of a block by default. With the published 512 half of the lanes of a warp have no entry on a Kronecker
graph, since few slots of a block are alike; with this many 1 % (benchmarks/README.md)."""
LEAST_ENTRIES = 8
"""A row with fewer in a block leaves them to the rest. A group of one slot of 8 then costs 16 bytes each."""
LONGEST_SLOT = 64
"""A row with more entries in a block is cut into several slots."""
MOST_IN_SLOT = 255
"""A length is a byte."""


@dataclass(frozen=True, eq=False, repr=False)
class ActiveHBP(StoredAsArrays):
    """A matrix in blocks, column of blocks by column of blocks, and a rest in CRS.

    A slot is what a row, or a piece of it, has in a block. Slots of a block come in the order of the hash of
    their lengths, 32 of them a group; a group stores the first entries of all its slots, then the second of
    those that have one, and so on.

    Attributes
    ----------
    shape
        Rows M and columns N.
    block_rows, block_columns
        Of a block.
    hash
        What put the slots in order.
    columns
        (entries in blocks,) uint16, within the block.
    values
        (nnz,): of the blocks, then of the rest.
    lengths
        (slots,) uint8: entries of each slot, 1 to 255.
    places
        (slots,) int32: where the sum of each slot goes; those of a row lie side by side, in order of columns.
    group_slots, group_begins
        (groups + 1,) int32: where the slots, and the entries, of each group begin.
    group_columns
        (groups,) int32: which column of blocks it is in; they ascend.
    slot_rows
        (active rows,) int32: rows that have slots; they ascend.
    row_places
        (active rows + 1,) int32: where the sums of each begin.
    rest_pointers, rest_columns
        (M + 1,) and (entries of the rest,) int32: the rest in CRS.
    """

    shape: Shape
    block_rows: int
    block_columns: int
    hash: RowHash
    columns: NDArray[np.uint16]
    values: FloatArray
    lengths: NDArray[np.uint8]
    places: NDArray[np.int32]
    group_slots: NDArray[np.int32]
    group_begins: NDArray[np.int32]
    group_columns: NDArray[np.int32]
    slot_rows: NDArray[np.int32]
    row_places: NDArray[np.int32]
    rest_pointers: NDArray[np.int32]
    rest_columns: NDArray[np.int32]

    @classmethod
    def from_scipy(
        cls,
        matrix: Any,
        *,
        block_rows: int = ACTIVE_BLOCK_ROWS,
        block_columns: int = BLOCK_COLUMNS,
        least: int = LEAST_ENTRIES,
        longest: int = LONGEST_SLOT,
        seed: int = 0,
    ) -> Self:
        """Convert a SciPy sparse matrix.

        Parameters
        ----------
        matrix
            Any sparse matrix or array; duplicates are summed, explicit zeros kept.
        block_rows, block_columns
            From 1 to 65,536.
        least
            Entries that a row must have in a block to be stored there, 1 or more.
        longest
            Entries of a slot, 1 to 255.
        seed
            Of the sample from which the hash is chosen.

        Raises
        ------
        UserError
            If it is not a real matrix of two dimensions, or too large; or a block or slot is not possible.
        """
        for count, what in ((block_rows, "rows"), (block_columns, "columns")):
            if not 1 <= count <= MOST_IN_BLOCK:
                raise UserError(f"blocks of {count} {what} are not possible: use 1 to {MOST_IN_BLOCK}")
        if least < 1:
            raise UserError(f"rows with {least} entries in a block cannot be the least: use 1 or more")
        if not 1 <= longest <= MOST_IN_SLOT:
            raise UserError(f"slots of {longest} entries are not possible: use 1 to {MOST_IN_SLOT}")
        csr = canonical_csr(matrix)
        shape = (int(csr.shape[0]), int(csr.shape[1]))
        result = Segments.of(csr, block_columns, least, longest)
        row_hash = RowHash.sampled(result.lengths, block_rows, seed)
        block = result.block_columns * max(1, -(-shape[0] // block_rows)) + result.rows // block_rows
        order = np.lexsort((row_hash(result.lengths), block))
        lengths = result.lengths[order]
        group_of_slot, group_slots = _groups(block[order])
        stored = _storage_order(lengths, group_of_slot)
        entries = result.entries(order)[stored]
        slot_rows, counts = np.unique(result.rows, return_counts=True)
        return cls(
            shape,
            block_rows,
            block_columns,
            row_hash,
            (csr.indices[entries] % block_columns).astype(np.uint16),
            np.concatenate((csr.data[entries], csr.data[result.rest])),
            lengths.astype(np.uint8),
            order.astype(np.int32),
            group_slots,
            pointers_of(np.bincount(group_of_slot, lengths, len(group_slots) - 1)).astype(np.int32),
            result.block_columns[order][group_slots[:-1]].astype(np.int32),
            slot_rows.astype(np.int32),
            pointers_of(counts).astype(np.int32),
            pointers_of(result.rest_counts).astype(np.int32),
            csr.indices[result.rest].astype(np.int32),
        )

    @property
    def in_blocks(self) -> int:
        """Entries that stand in blocks; the others are the rest."""
        return len(self.columns)

    def structure(self) -> Mapping[str, object]:
        """Return its slots, groups, steps of warps, entries of the rest, and the hash."""
        return {
            "slots": len(self.lengths),
            "groups": len(self.group_columns),
            "steps": int(self.group_steps().sum()),
            "rest": len(self.rest_columns),
            "hash": (self.hash.a, self.hash.b, self.hash.c, self.hash.d),
        }

    def group_steps(self) -> IntArray:
        """Return the longest slot of each group, int64: this many steps a warp takes for it."""
        if not len(self.group_columns):
            return np.zeros(0, np.int64)
        result: IntArray = np.maximum.reduceat(self.lengths, self.group_slots[:-1]).astype(np.int64)
        return result

    def coordinates(self) -> tuple[IntArray, IntArray]:
        """Return row and column of each entry, int64, in storage order."""
        group = np.repeat(np.arange(len(self.group_columns)), np.diff(self.group_slots))
        stored = _storage_order(self.lengths.astype(np.int64), group)
        slots = np.repeat(np.arange(len(self.lengths)), self.lengths)[stored]
        row_of_place = np.repeat(self.slot_rows, np.diff(self.row_places))
        rest_rows = np.repeat(np.arange(self.shape[0]), np.diff(self.rest_pointers))
        rows = np.concatenate((row_of_place[self.places[slots]], rest_rows))
        columns = self.group_columns[group[slots]].astype(np.int64) * self.block_columns + self.columns
        return rows.astype(np.int64), np.concatenate((columns, self.rest_columns))

    def check(self) -> None:
        """Check every invariant of the format.

        Raises
        ------
        ValueError
            Naming the first one that is broken.
        """
        slots, groups, rest = len(self.lengths), len(self.group_columns), len(self.rest_columns)
        require(self.in_blocks + rest == self.nnz, "blocks and rest must have all values")
        check_pointers("group_slots", self.group_slots, groups, slots)
        check_pointers("group_begins", self.group_begins, groups, self.in_blocks)
        check_pointers("row_places", self.row_places, len(self.slot_rows), slots)
        check_pointers("rest_pointers", self.rest_pointers, self.shape[0], rest)
        sizes = np.diff(self.group_slots)
        require(((sizes > 0) & (sizes <= WARP)).all(), f"a group must have 1 to {WARP} slots")
        require((self.lengths > 0).all(), "a slot must have entries")
        group = np.repeat(np.arange(groups), sizes)
        entries = np.bincount(group, self.lengths, groups)
        require((entries == np.diff(self.group_begins)).all(), "a group must have the entries of its slots")
        require((np.diff(self.group_columns) >= 0).all(), "columns of blocks must ascend")
        require((np.sort(self.places) == np.arange(slots)).all(), "places must name each sum once")
        check_range("slot_rows", self.slot_rows, self.shape[0])
        require((np.diff(self.slot_rows) > 0).all(), "slot_rows must ascend")
        require((np.diff(self.row_places) > 0).all(), "rows with slots must have sums")
        require((self.columns < self.block_columns).all(), "columns must be in their block")
        places = np.repeat(self.group_columns.astype(np.int64), entries.astype(np.int64)) * self.block_columns
        check_range("columns of entries in blocks", places + self.columns, self.shape[1])
        check_range("columns of entries", self.rest_columns, self.shape[1])


def _groups(block: IntArray) -> tuple[IntArray, NDArray[np.int32]]:
    """Cut the slots of each block into groups of 32; return the group of each slot, and where each begins."""
    begins = np.flatnonzero(np.diff(block, prepend=-1))
    within = np.arange(len(block)) - np.repeat(begins, np.diff(begins, append=len(block)))
    first = within % WARP == 0
    return np.cumsum(first) - 1, np.append(np.flatnonzero(first), len(block)).astype(np.int32)


def _storage_order(lengths: IntArray, group_of_slot: IntArray) -> IntArray:
    """Return, of entries slot by slot, the order of storage: in each group the first, then the second."""
    begins = np.cumsum(lengths) - lengths
    within = np.arange(int(lengths.sum())) - np.repeat(begins, lengths)
    return np.argsort(np.repeat(group_of_slot, lengths) * (MOST_IN_SLOT + 1) + within, kind="stable")
