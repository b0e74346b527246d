"""The way from CSR to runs: plans on all entries once each, then every entry written at its two places."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from gpu.formats.propagation import filling
from gpu.formats.propagation.sizes import ENTRY_LIMIT, GROUP, LONGEST_SLOT, PADDING, Sizes
from vecsim.formats.array_types import IntArray
from vecsim.formats.pointers import pointers_of
from vecsim.support.errors import UserError

LEAST_BINS = 8
"""Room for bins next to those that follow from the entries and the rows."""


def converted(csr: Any, sizes: Sizes) -> dict[str, NDArray[Any]]:
    """Return the arrays of `gpu.formats.propagation.container.PropagationBlocks` by name.

    Parameters
    ----------
    csr
        The matrix, sorted CSR without duplicates.
    sizes
        How it is cut.
    """
    pointers, indices = csr.indptr, csr.indices
    part_columns, parts = _parts(csr, sizes)
    number = len(part_columns)
    bin_rows, bin_entries = _bins(pointers, parts, number, sizes)
    bins = len(bin_rows)
    groups = np.empty((bins, number), np.int64)
    filling.groups_of_runs(bin_entries, parts, GROUP, groups)
    product_groups = pointers_of(groups.ravel())
    by_part = pointers_of(np.ascontiguousarray(groups.T).ravel())
    stored_groups = np.ascontiguousarray(by_part[:-1].reshape(number, bins).T)
    all_groups = int(by_part[-1])
    if all_groups * GROUP > 2**31 - 1:
        raise UserError(
            f"{all_groups * GROUP} entries with padding are too many for 32 bits: use another format"
        )
    bin_groups = pointers_of(groups.sum(axis=1))
    super_bins = _super_blocks(bin_groups, max(1, sizes.super_entries // GROUP))
    first, rows = (np.ascontiguousarray(bin_rows[:, k]) for k in range(2))
    counts = np.empty(bins, np.int64)
    filling.count_slots(pointers, first, rows, bin_entries, LONGEST_SLOT, counts)
    bin_slots = pointers_of(counts)
    slots = {
        "row_slots": np.empty(int(rows.sum()) + bins, np.uint16),
        "ranks": np.empty(int(bin_slots[-1]), np.uint16),
        "diagonals": np.empty((bins, LONGEST_SLOT + 1), np.uint16),
    }
    filling.fill_slots(
        pointers, first, rows, bin_entries, LONGEST_SLOT, bin_slots, pointers_of(rows + 1), *slots.values()
    )
    entries = {
        "values": np.zeros(all_groups * GROUP, csr.data.dtype),
        "columns": np.zeros(all_groups * GROUP, np.uint16),
        "destinations": np.empty(all_groups, np.uint32),
        "places": np.full(all_groups * GROUP, PADDING, np.uint16),
    }
    filling.fill_entries(
        *(pointers, indices, csr.data, parts, np.ascontiguousarray(part_columns[:, 0])),
        *(first, rows, bin_entries, LONGEST_SLOT, bin_slots, slots["ranks"], slots["diagonals"]),
        *(groups, stored_groups, product_groups[:-1].reshape(bins, number)),
        np.repeat(bin_groups[super_bins[:-1]], np.diff(super_bins)),
        GROUP,
        *entries.values(),
    )
    return {
        "part_columns": part_columns,
        **entries,
        "items": np.append(stored_groups[super_bins[:-1]].T.ravel(), all_groups).astype(np.int32),
        "bin_groups": bin_groups.astype(np.int32),
        "bin_slots": bin_slots.astype(np.int32),
        "super_bins": super_bins.astype(np.int32),
        "bin_rows": bin_rows.astype(np.int32),
        **slots,
    }


def _parts(csr: Any, sizes: Sizes) -> tuple[NDArray[np.int32], NDArray[np.uint16]]:
    """Cut the columns into as many parts as are wanted, with as few entries as then are possible.

    Returns
    -------
    part_columns, parts
        The first column and the columns of each part; the part of each entry.
    """
    counts = np.bincount(csr.indices, minlength=csr.shape[1])
    first_part, copies = (np.zeros(csr.shape[1], np.int32) for _ in range(2))
    begins = np.empty((sizes.parts, 2), np.int32)

    def cut(share: int) -> int:
        return int(filling.parts_of_columns(counts, share, sizes.widest_part, first_part, copies, begins))

    number = cut(max(1, csr.nnz))
    if number > sizes.parts:  # narrow parts are more, however many entries they have
        begins = np.empty((number, 2), np.int32)
    least, most = max(1, csr.nnz // len(begins)), max(1, csr.nnz)
    while least < most:
        middle = (least + most) // 2
        if cut(middle) <= len(begins):
            most = middle
        else:
            least = middle + 1
    number = cut(most)
    if number >= ENTRY_LIMIT:
        raise UserError(f"{number} parts of the columns are too many: make parts wider")
    parts = np.empty(csr.nnz, np.uint16)
    filling.parts_of_entries(csr.indptr, csr.indices, first_part, copies, parts)
    return begins[:number].copy(), parts


def _bins(
    pointers: NDArray[Any], parts: NDArray[np.uint16], number: int, sizes: Sizes
) -> tuple[IntArray, IntArray]:
    """Cut the rows into bins; return first row and rows of each, and where the entries of each begin."""
    rows, entries = len(pointers) - 1, len(parts)
    most = sizes.bin_entries // GROUP * GROUP
    # A bin ends where a row more would be too much, so any two neighbours have more than fits into one.
    room = 4 * GROUP * entries // most + 2 * (rows // sizes.bin_entries) + LEAST_BINS
    begins = np.empty((room, 3), np.int64)
    bins = filling.cut_into_bins(pointers, parts, number, GROUP, most, sizes.bin_entries, begins)
    return begins[:bins, :2].copy(), np.append(begins[:bins, 2], entries)


def _super_blocks(bin_groups: IntArray, most: int) -> IntArray:
    """Cut bins into super-blocks of about as many groups each, `most` and less than a bin more at most."""
    bins, groups = len(bin_groups) - 1, int(bin_groups[-1])
    block = bin_groups[:-1] * max(1, -(-groups // most)) // max(1, groups)
    return np.append(np.flatnonzero(np.diff(block, prepend=-1)), bins)
