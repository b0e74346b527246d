"""Compiled loops that cut columns into parts, and rows into bins."""

from typing import Any

import numpy as np
from numba import njit, prange


@njit(cache=True)
def parts_of_columns(counts: Any, share: int, widest: int, first_part: Any, copies: Any, begins: Any) -> int:
    """Cut columns into parts of at most so many entries and columns, as long as there is room for parts.

    A column with more entries than that has several parts to itself, which take its rows in turn.

    Parameters
    ----------
    counts
        (N,): entries of each column.
    share, widest
        Entries and columns of a part.
    first_part, copies
        (N,) int32: what is written of each column: its first part, and how many it has.
    begins
        (parts, 2) int32: what is written of each part: its first column, and its columns.

    Returns
    -------
    int
        How many parts it takes; what is behind the room for them is not written.
    """
    parts, begin, held = 0, 0, 0
    for column in range(len(counts)):
        count = counts[column]
        if held > 0 and (held + count > share or column - begin == widest):
            if parts < len(begins):
                begins[parts, 0], begins[parts, 1] = begin, column - begin
            parts += 1
            held = 0
        if held == 0:
            begin = column
        first_part[column] = parts
        copies[column] = 1
        if count > share:
            copies[column] = -(-count // share)
            for copy in range(parts, min(parts + copies[column], len(begins))):
                begins[copy, 0], begins[copy, 1] = column, 1
            parts += copies[column]
        else:
            held += count
    if held > 0:
        if parts < len(begins):
            begins[parts, 0], begins[parts, 1] = begin, len(counts) - begin
        parts += 1
    return parts


@njit(parallel=True, cache=True)
def parts_of_entries(pointers: Any, indices: Any, first_part: Any, copies: Any, parts: Any) -> None:
    """Write the part of each entry.

    Parameters
    ----------
    pointers, indices
        The matrix, sorted CSR without duplicates.
    first_part, copies
        As `parts_of_columns` writes them.
    parts
        (nnz,) uint16: what is written.
    """
    for row in prange(len(pointers) - 1):
        for entry in range(pointers[row], pointers[row + 1]):
            column = indices[entry]
            part = first_part[column]
            if copies[column] > 1:
                part += row % copies[column]
            parts[entry] = part


@njit(cache=True)
def _take(
    parts: Any, entry: int, end: int, padded: int, number: int, group: int, most: int, held: Any, held_by: Any
) -> Any:
    """Count entries into a bin until one does not fit; give that one, and the padded entries of the bin."""
    while entry < end:
        part = parts[entry]
        if held_by[part] != number:
            held_by[part], held[part] = number, 0
        if held[part] % group == 0:
            padded += group
            if padded > most:
                break
        held[part] += 1
        entry += 1
    return entry, padded


@njit(cache=True)
def cut_into_bins(
    pointers: Any, parts: Any, number: int, group: int, most: int, most_rows: int, begins: Any
) -> int:
    """Cut rows into bins whose entries, those of each part padded to whole groups, are at most so many.

    A row that does not fit has bins of its own.

    Parameters
    ----------
    pointers
        (M + 1,): where the entries of each row begin.
    parts, number
        (nnz,): the part of each entry; how many parts there are.
    group
        Entries of a group.
    most, most_rows
        Entries and rows of a bin.
    begins
        (bins, 3) int64: what is written of each bin: its first row, its rows, and its first entry.

    Returns
    -------
    int
        How many bins there are.
    """
    held = np.zeros(number, np.int64)
    held_by = np.full(number, -1, np.int64)
    bins, begin, padded, row = 0, 0, 0, 0
    while row < len(pointers) - 1:
        first, end = np.int64(pointers[row]), np.int64(pointers[row + 1])
        entry = first
        if row - begin < most_rows:
            entry, padded = _take(parts, entry, end, padded, bins, group, most, held, held_by)
            if entry == end:
                row += 1
                continue
        if row > begin:
            # The row begins the next bin: what was counted of it here is counted again there.
            begins[bins, 0], begins[bins, 1], begins[bins, 2] = begin, row - begin, pointers[begin]
            bins += 1
            begin, padded = row, 0
            continue
        while entry < end:
            begins[bins, 0], begins[bins, 1], begins[bins, 2] = row, 1, first
            bins += 1
            first = entry
            entry, padded = _take(parts, entry, end, 0, bins, group, most, held, held_by)
        begins[bins, 0], begins[bins, 1], begins[bins, 2] = row, 1, first
        bins += 1
        row += 1
        begin, padded = row, 0
    if row > begin:
        begins[bins, 0], begins[bins, 1], begins[bins, 2] = begin, row - begin, pointers[begin]
        bins += 1
    return bins


@njit(parallel=True, cache=True)
def groups_of_runs(begins: Any, parts: Any, group: int, groups: Any) -> None:
    """Count the groups of the entries that each bin has in each part.

    Parameters
    ----------
    begins
        (bins + 1,): where the entries of each bin begin.
    parts
        (nnz,): the part of each entry.
    group
        Entries of a group.
    groups
        (bins, parts) int64: what is written.
    """
    for bin_ in prange(len(begins) - 1):
        groups[bin_] = 0
        for entry in range(begins[bin_], begins[bin_ + 1]):
            groups[bin_, parts[entry]] += 1
        for part in range(groups.shape[1]):
            groups[bin_, part] = -(-groups[bin_, part] // group)
