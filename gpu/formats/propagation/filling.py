"""Compiled loops that cut columns into parts and rows into bins, and put entries in both of their orders."""

from typing import Any

import numpy as np
from numba import njit, prange


@njit(cache=True)
def parts_of_columns(counts: Any, share: int, widest: int, first_part: Any, copies: Any, begins: Any) -> int:
    """Cut columns into parts of at most this many entries and columns, as long as there is room for parts.

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
        How many parts it takes; what is after the room for them is not written.
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
    """Count entries into a bin until one does not fit; return that one, and the padded entries of the bin."""
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
    """Cut rows into bins whose entries, those of each part padded to whole groups, are at most this many.

    A row that does not fit has separate bins.

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


@njit(parallel=True, cache=True)
def count_slots(
    pointers: Any, bin_rows: Any, row_counts: Any, bin_entries: Any, longest: int, counts: Any
) -> None:
    """Count the slots of each bin, a row of n entries having ceil(n / longest).

    Parameters
    ----------
    pointers
        (M + 1,): where the entries of each row begin.
    bin_rows, row_counts
        (bins,): the first row of each bin, and its rows.
    bin_entries
        (bins + 1,): where the entries of each bin begin.
    longest
        Entries of a slot.
    counts
        (bins,) int64: what is written.
    """
    for bin_ in prange(len(counts)):
        result = 0
        for row in range(bin_rows[bin_], bin_rows[bin_] + row_counts[bin_]):
            begin = max(pointers[row], bin_entries[bin_])
            end = min(pointers[row + 1], bin_entries[bin_ + 1])
            result += -(-(end - begin) // longest)
        counts[bin_] = result


@njit(parallel=True, cache=True)
def fill_slots(
    pointers: Any,
    bin_rows: Any,
    row_counts: Any,
    bin_entries: Any,
    longest: int,
    bin_slots: Any,
    bin_pointers: Any,
    row_slots: Any,
    ranks: Any,
    diagonals: Any,
) -> None:
    """Sort the slots of each bin by falling length, those of one length in their order.

    Parameters
    ----------
    pointers, bin_rows, row_counts, bin_entries, longest
        As of `count_slots`.
    bin_slots, bin_pointers
        (bins + 1,): where the slots and the pointers of each bin begin.
    row_slots, ranks, diagonals
        Of `gpu.formats.propagation.container.PropagationBlocks`: what is written.
    """
    for bin_ in prange(len(bin_rows)):
        of_length = np.zeros(longest + 2, np.int64)
        slot, at = 0, bin_pointers[bin_]
        for row in range(bin_rows[bin_], bin_rows[bin_] + row_counts[bin_]):
            begin = max(pointers[row], bin_entries[bin_])
            end = min(pointers[row + 1], bin_entries[bin_ + 1])
            row_slots[at] = slot
            at += 1
            while begin < end:
                of_length[min(longest, end - begin)] += 1
                begin += longest
                slot += 1
        row_slots[at] = slot
        # Longer slots have the first ranks; diagonal j has a place for each slot of over j entries.
        next_rank = np.zeros(longest + 2, np.int64)
        for length in range(longest - 1, -1, -1):
            next_rank[length] = next_rank[length + 1] + of_length[length + 1]
        diagonals[bin_, 0] = 0
        for j in range(longest):
            diagonals[bin_, j + 1] = diagonals[bin_, j] + next_rank[j]
        slot = bin_slots[bin_]
        for row in range(bin_rows[bin_], bin_rows[bin_] + row_counts[bin_]):
            begin = max(pointers[row], bin_entries[bin_])
            end = min(pointers[row + 1], bin_entries[bin_ + 1])
            while begin < end:
                length = min(longest, end - begin)
                ranks[slot] = next_rank[length]
                next_rank[length] += 1
                begin += longest
                slot += 1


@njit(parallel=True, cache=True)
def fill_entries(
    pointers: Any,
    indices: Any,
    data: Any,
    parts: Any,
    part_columns: Any,
    bin_rows: Any,
    row_counts: Any,
    bin_entries: Any,
    longest: int,
    bin_slots: Any,
    ranks: Any,
    diagonals: Any,
    groups: Any,
    stored_groups: Any,
    product_groups: Any,
    block_groups: Any,
    group: int,
    values: Any,
    columns: Any,
    destinations: Any,
    places: Any,
) -> None:
    """Write every entry at its place in the order of parts, and where its product goes in that of bins.

    Parameters
    ----------
    pointers, indices, data
        The matrix, sorted CSR without duplicates.
    parts, part_columns
        The part of each entry; the first column of each part.
    bin_rows, row_counts, bin_entries, longest
        As of `count_slots`.
    bin_slots, ranks, diagonals
        As `fill_slots` wrote them.
    groups, stored_groups, product_groups
        (bins, parts): the groups of each run, and where they begin in the two orders.
    block_groups
        (bins,): where the groups of the super-block of each bin begin.
    group
        Entries of a group.
    values, columns, destinations, places
        Of `gpu.formats.propagation.container.PropagationBlocks`: what is written, padding apart.
    """
    for bin_ in prange(len(bin_rows)):
        stored, product = stored_groups[bin_] * group, product_groups[bin_] * group
        slot = bin_slots[bin_]
        for row in range(bin_rows[bin_], bin_rows[bin_] + row_counts[bin_]):
            begin = max(pointers[row], bin_entries[bin_])
            end = min(pointers[row + 1], bin_entries[bin_ + 1])
            within = 0
            for entry in range(begin, end):
                if within == longest:
                    within = 0
                    slot += 1
                part = parts[entry]
                values[stored[part]] = data[entry]
                columns[stored[part]] = indices[entry] - part_columns[part]
                places[product[part]] = diagonals[bin_, within] + ranks[slot]
                stored[part] += 1
                product[part] += 1
                within += 1
            if end > begin:
                slot += 1
        for part in range(groups.shape[1]):
            for number in range(groups[bin_, part]):
                destination = product_groups[bin_, part] + number - block_groups[bin_]
                destinations[stored_groups[bin_, part] + number] = destination
