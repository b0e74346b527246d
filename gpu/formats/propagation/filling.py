"""Compiled, parallel loops that put entries in both of their orders."""

from typing import Any

import numpy as np
from numba import njit, prange


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
        found = 0
        for row in range(bin_rows[bin_], bin_rows[bin_] + row_counts[bin_]):
            begin = max(pointers[row], bin_entries[bin_])
            end = min(pointers[row + 1], bin_entries[bin_ + 1])
            found += -(-(end - begin) // longest)
        counts[bin_] = found


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
