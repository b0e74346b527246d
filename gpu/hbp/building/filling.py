"""The arrays of HBP filled on the device, a warp a group of 32 places."""

import numpy as np

from gpu.hbp.container import LAST
from gpu.kernel_parts.warps import sum_of_warp
from gpu.runtime.cuda import EVERY_LANE, WARP, cuda, device_function
from gpu.runtime.kernel_sequence import begin_in_sequence

AT_ONCE = 4
"""Entries of a row that a thread has running."""


@device_function
def four_entries(columns, values, source, step, count):
    """Load the columns and the values of four entries of a row, as far as it has them.

    Parameters
    ----------
    columns, values
        Of the matrix in CRS.
    source
        The first entry of the row.
    step, count
        Which is the first of the four; how many the row has.
    """
    zero = values.dtype.type(0)
    column_0, column_1, column_2, column_3 = np.int32(0), np.int32(0), np.int32(0), np.int32(0)
    value_0, value_1, value_2, value_3 = zero, zero, zero, zero
    at = np.uint64(source + step)
    if step < count:
        column_0, value_0 = columns[at], values[at]
    if step + 1 < count:
        column_1, value_1 = columns[at + np.uint64(1)], values[at + np.uint64(1)]
    if step + 2 < count:
        column_2, value_2 = columns[at + np.uint64(2)], values[at + np.uint64(2)]
    if step + 3 < count:
        column_3, value_3 = columns[at + np.uint64(3)], values[at + np.uint64(3)]
    return (column_0, column_1, column_2, column_3), (value_0, value_1, value_2, value_3)


@device_function
def first_slot_of_block(group, block_rows):
    """Return the first slot of the block that has this group of 32; a division of 32 bits is a short one."""
    block = np.uint32(group) // np.uint32(block_rows // WARP)
    return np.int64(block) * block_rows


@cuda.jit
def weigh_groups_kernel(counts, order, block_rows, groups, zero_row, totals):
    """Mark the places of a group without entries, and count its entries.

    Parameters
    ----------
    counts, order
        int32, one a slot: entries of each row of each block; which row stands at each place.
    block_rows
        Of a block.
    groups
        How many there are.
    zero_row
        int32, one a slot, of `gpu.hbp.container.HBP`.
    totals
        int32, one a group.
    """
    lane = np.int64(cuda.threadIdx.x) % WARP
    group = np.int64(cuda.grid(1)) // WARP
    below = np.uint32((np.uint32(1) << np.uint32(lane)) - np.uint32(1))
    begin_in_sequence()
    count, slot = np.int32(0), group * WARP + lane
    if group < groups:
        row = np.int64(order[np.uint64(slot)])
        count = counts[np.uint64(first_slot_of_block(group, block_rows) + row)]
    empty = np.uint32(cuda.ballot_sync(EVERY_LANE, count == 0))
    total = sum_of_warp(count)
    if group < groups:
        zero_row[np.uint64(slot)] = np.int32(LAST if count == 0 else cuda.popc(empty & below))
        if lane == 0:
            totals[np.uint64(group)] = total


@cuda.jit
def fill_groups_kernel(columns, values, starts, counts, order, block_rows, groups, begins,
                       own_columns, user_values, add_sign):  # fmt: skip
    """Put the entries of a group at their places: the first of all its rows, then the second.

    Parameters
    ----------
    columns, values
        Of the matrix in CRS.
    starts, counts, order
        int32, one a slot; see `weigh_groups_kernel` and `gpu.hbp.building.row_counts`.
    block_rows, groups
        As of `weigh_groups_kernel`.
    begins
        int32: where the entries of each group begin.
    own_columns, user_values, add_sign
        Of `gpu.hbp.container.HBP`.
    """
    lane = np.int64(cuda.threadIdx.x) % WARP
    group = np.int64(cuda.grid(1)) // WARP
    below = np.uint32((np.uint32(1) << np.uint32(lane)) - np.uint32(1))
    begin_in_sequence()
    count, source, place = np.int32(0), np.int64(0), np.int64(0)
    if group < groups:
        slot = group * WARP + lane
        of_row = first_slot_of_block(group, block_rows) + np.int64(order[np.uint64(slot)])
        count, source = counts[np.uint64(of_row)], np.int64(starts[np.uint64(of_row)])
        place = np.int64(begins[np.uint64(group)])
    step = np.int32(0)
    going = np.uint32(cuda.ballot_sync(EVERY_LANE, step < count))
    while going != 0:
        # The loads of four steps stand before their stores, which would hold them up.
        loaded = four_entries(columns, values, source, step, count)
        for number in range(AT_ONCE):
            further = np.uint32(cuda.ballot_sync(EVERY_LANE, step + 1 < count))
            if step < count:
                at = place + np.int64(cuda.popc(going & below))
                own_columns[np.uint64(at)] = loaded[0][number]
                user_values[np.uint64(at)] = loaded[1][number]
                way = np.int32(LAST)
                if step + 1 < count:
                    way = np.int32(cuda.popc(going & ~below) + cuda.popc(further & below))
                add_sign[np.uint64(at)] = way
            place += np.int64(cuda.popc(going))
            step = np.int32(step + 1)
            going = further
