"""Kernels that make the slots of `gpu.hbp.active.ActiveHBP` of a matrix that is on the device in CRS."""

import numpy as np

from gpu.hbp.building.filling import AT_ONCE, four_entries
from gpu.hbp.hashing import CLASSES
from gpu.kernel_parts.bisection import first_from
from gpu.kernel_parts.warps import sum_of_warp
from gpu.runtime.cuda import EVERY_LANE, WARP, cuda, device_function
from gpu.runtime.kernel_sequence import begin_in_sequence


@device_function
def _row_of(pointers, rows, entry):
    """Return the row of an entry: the last one that begins at it or before, and is not empty."""
    return first_from(pointers, 1, rows, entry + 1) - 1


@cuda.jit
def narrow_kernel(wide, number, narrow):
    """Copy numbers that fit 32 bits, a thread each.

    Parameters
    ----------
    wide
        int64.
    number
        How many there are.
    narrow
        int32.
    """
    at = np.int64(cuda.grid(1))
    begin_in_sequence()
    if at < number:
        narrow[np.uint64(at)] = np.int32(wide[np.uint64(at)])


@cuda.jit
def mark_kernel(pointers, columns, rows, entries, block_columns, marks):
    """Mark where a row begins or enters another column of blocks, a thread an entry.

    Parameters
    ----------
    pointers, columns
        int32: the matrix in CRS, columns rising in each row.
    rows, entries
        M and nnz.
    block_columns
        Of a block.
    marks
        int32, one an entry: 1 or 0.
    """
    entry = np.int64(cuda.grid(1))
    begin_in_sequence()
    if entry < entries:
        begins = entry == 0
        if entry > 0:
            own = np.int64(columns[np.uint64(entry)])
            before = np.int64(columns[np.uint64(entry - 1)])
            begins = own <= before or own // block_columns != before // block_columns
            if not begins:
                begins = np.int64(pointers[np.uint64(_row_of(pointers, rows, entry))]) == entry
        marks[np.uint64(entry)] = np.int32(1 if begins else 0)


@cuda.jit
def begin_kernel(marks, numbers, entries, segments, begins):
    """Store where each segment begins, a thread an entry.

    Parameters
    ----------
    marks, entries
        As of `mark_kernel`.
    numbers
        int32, one an entry: marks before it.
    segments
        How many there are.
    begins
        int32 of one more: the first entry of each, then the number of entries.
    """
    entry = np.int64(cuda.grid(1))
    begin_in_sequence()
    if entry < entries and marks[np.uint64(entry)] == 1:
        begins[np.uint64(numbers[np.uint64(entry)])] = np.int32(entry)
    if entry == 0:
        begins[np.uint64(segments)] = np.int32(entries)


@cuda.jit
def weigh_kernel(pointers, rows, begins, segments, least, longest, slots, rests, row_rests):
    """Count the slots of each segment, or the entries that it leaves to the rest, a thread each.

    Parameters
    ----------
    pointers, rows
        As of `mark_kernel`.
    begins, segments
        As of `begin_kernel`.
    least, longest
        As of `ActiveHBP.from_scipy`.
    slots, rests
        int32, one a segment.
    row_rests
        int32, one a row, zero before: entries that it leaves to the rest.
    """
    segment = np.int64(cuda.grid(1))
    begin_in_sequence()
    if segment < segments:
        begin = np.int64(begins[np.uint64(segment)])
        count = np.int64(begins[np.uint64(segment + 1)]) - begin
        pieces, rest = np.int64(0), np.int64(0)
        if count >= least:
            pieces = (count + longest - 1) // longest
        else:
            rest = count
            cuda.atomic.add(row_rests, np.uint64(_row_of(pointers, rows, begin)), np.int32(count))
        slots[np.uint64(segment)] = np.int32(pieces)
        rests[np.uint64(segment)] = np.int32(rest)


@cuda.jit
def emit_kernel(pointers, columns, values, rows, begins, segments, block_rows, block_columns, down,
                first_slots, first_rests, counts, slot_begins, slot_lengths, slot_rows, slot_blocks,
                rest_columns, rest_values):  # fmt: skip
    """Write the slots of each segment, or its entries of the rest, a thread each.

    Parameters
    ----------
    pointers, columns, values, rows
        The matrix in CRS, and M.
    begins, segments
        As of `begin_kernel`.
    block_rows, block_columns, down
        Of a block; rows of blocks.
    first_slots, first_rests
        int32, one a segment: the slots, and the entries of the rest, before it.
    counts
        int32, one a segment: its slots.
    slot_begins, slot_lengths
        int32, one a slot: its first entry, and how many it has.
    slot_rows, slot_blocks
        int64, one a slot: its row, and its block, column of blocks by column of blocks.
    rest_columns, rest_values
        int32 and real: the rest.
    """
    segment = np.int64(cuda.grid(1))
    begin_in_sequence()
    if segment < segments:
        begin = np.int64(begins[np.uint64(segment)])
        count = np.int64(begins[np.uint64(segment + 1)]) - begin
        pieces = np.int64(counts[np.uint64(segment)])
        if pieces == 0:
            place = np.int64(first_rests[np.uint64(segment)])
            for at in range(count):
                rest_columns[np.uint64(place + at)] = columns[np.uint64(begin + at)]
                rest_values[np.uint64(place + at)] = values[np.uint64(begin + at)]
        else:
            row = _row_of(pointers, rows, begin)
            block = np.int64(columns[np.uint64(begin)]) // block_columns * down + row // block_rows
            slot = np.int64(first_slots[np.uint64(segment)])
            for piece in range(pieces):
                first, behind = count * piece // pieces, count * (piece + 1) // pieces
                slot_begins[np.uint64(slot + piece)] = np.int32(begin + first)
                slot_lengths[np.uint64(slot + piece)] = np.int32(behind - first)
                slot_rows[np.uint64(slot + piece)] = row
                slot_blocks[np.uint64(slot + piece)] = block


@cuda.jit
def key_kernel(lengths, slots, a, b, c, d, bits, keys, numbers):
    """Compute the sort keys of slots and number the slots, a thread each.

    Parameters
    ----------
    lengths
        int32, one a slot.
    slots
        How many there are.
    a, b, c, d
        Of the hash.
    bits
        Of the place that it gives; above them stands the block.
    keys
        int64, one a slot: the block, and then the key.
    numbers
        int32, one a slot: which it is.
    """
    slot = np.int64(cuda.grid(1))
    begin_in_sequence()
    if slot < slots:
        length = np.int64(lengths[np.uint64(slot)])
        place = min(length >> a, np.int64(CLASSES - 1)) * b + length * c % d
        keys[np.uint64(slot)] = keys[np.uint64(slot)] << bits | place
        numbers[np.uint64(slot)] = np.int32(slot)


@cuda.jit
def block_groups_kernel(firsts, blocks, groups):
    """Count the groups of each block that has slots, a thread each.

    Parameters
    ----------
    firsts
        int32 of one more: the first slot of each, then the number of slots.
    blocks
        How many there are.
    groups
        int32, one a block.
    """
    block = np.int64(cuda.grid(1))
    begin_in_sequence()
    if block < blocks:
        slots = firsts[np.uint64(block + 1)] - firsts[np.uint64(block)]
        groups[np.uint64(block)] = np.int32((slots + WARP - 1) // WARP)


@cuda.jit
def group_kernel(keys, firsts, blocks, first_groups, groups, down, group_slots, group_columns):
    """Store where the slots of each group begin, and its column of blocks, a thread a group.

    Parameters
    ----------
    keys
        int64, one a block with slots: its number.
    firsts, blocks
        As of `block_groups_kernel`.
    first_groups
        int32, one a block: the groups before it.
    groups
        How many there are.
    down
        Rows of blocks.
    group_slots
        int32 of one more.
    group_columns
        int32, one a group.
    """
    group = np.int64(cuda.grid(1))
    begin_in_sequence()
    if group < groups:
        block = _row_of(first_groups, blocks, group)
        within = group - np.int64(first_groups[np.uint64(block)])
        group_slots[np.uint64(group)] = np.int32(np.int64(firsts[np.uint64(block)]) + within * WARP)
        group_columns[np.uint64(group)] = np.int32(keys[np.uint64(block)] // down)
    if group == 0:
        group_slots[np.uint64(groups)] = firsts[np.uint64(blocks)]


@cuda.jit
def group_entries_kernel(numbers, slot_lengths, group_slots, groups, lengths, totals):
    """Count the entries of each group, and put the lengths of its slots in their order, a warp each.

    Parameters
    ----------
    numbers
        int32: the slots in their order.
    slot_lengths
        As of `emit_kernel`.
    group_slots, groups
        As of `group_kernel`.
    lengths
        uint8, one a slot.
    totals
        int32, one a group.
    """
    lane, group = np.int64(cuda.threadIdx.x) % WARP, np.int64(cuda.grid(1)) // WARP
    begin_in_sequence()
    length = np.int32(0)
    if group < groups:
        slot = np.int64(group_slots[np.uint64(group)]) + lane
        if slot < group_slots[np.uint64(group + 1)]:
            length = slot_lengths[np.uint64(numbers[np.uint64(slot)])]
            lengths[np.uint64(slot)] = np.uint8(length)
    total = sum_of_warp(length)
    if group < groups and lane == 0:
        totals[np.uint64(group)] = total


@cuda.jit
def fill_kernel(columns, values, numbers, slot_begins, slot_lengths, group_slots, group_begins, groups,
                block_columns, own_columns, user_values):  # fmt: skip
    """Put the entries of a group at their places: the first of all its slots, then the second, a warp each.

    Parameters
    ----------
    columns, values
        Of the matrix in CRS.
    numbers, slot_begins, slot_lengths, group_slots, groups
        As of `group_entries_kernel` and `emit_kernel`.
    group_begins
        int32: where the entries of each group begin.
    block_columns
        Of a block.
    own_columns, user_values
        Of `gpu.hbp.active.ActiveHBP`.
    """
    lane, group = np.int64(cuda.threadIdx.x) % WARP, np.int64(cuda.grid(1)) // WARP
    below = np.uint32((np.uint32(1) << np.uint32(lane)) - np.uint32(1))
    begin_in_sequence()
    length, source, place = np.int32(0), np.int64(0), np.int64(0)
    if group < groups:
        slot = np.int64(group_slots[np.uint64(group)]) + lane
        place = np.int64(group_begins[np.uint64(group)])
        if slot < group_slots[np.uint64(group + 1)]:
            number = np.int64(numbers[np.uint64(slot)])
            length, source = slot_lengths[np.uint64(number)], np.int64(slot_begins[np.uint64(number)])
    step = np.int32(0)
    going = np.uint32(cuda.ballot_sync(EVERY_LANE, step < length))
    while going != 0:
        loaded = four_entries(columns, values, source, step, length)
        for which in range(AT_ONCE):
            if step < length:
                at = place + np.int64(cuda.popc(going & below))
                own_columns[np.uint64(at)] = np.uint16(np.uint32(loaded[0][which]) % np.uint32(block_columns))
                user_values[np.uint64(at)] = loaded[1][which]
            place += np.int64(cuda.popc(going))
            step = np.int32(step + 1)
            going = np.uint32(cuda.ballot_sync(EVERY_LANE, step < length))
