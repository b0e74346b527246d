"""The kernel of propagation blocking: blocks of threads that multiply next to blocks that add up.

The products of a super-block go into one of a few slots of a ring, which all together stay in the L2 cache. A
block that multiplies keeps the segment of x of its part of the columns in shared memory and goes along the
super-blocks; a block that adds draws bins by a ticket, waits until the super-block of its bin is multiplied,
brings the products of the bin into shared memory, each to its place, and adds.

Whoever waits for long helps: every item, what a part has in a super-block, is claimed before it is
multiplied, so any block can take what nobody has begun. A block waits for super-blocks before its own alone,
and what somebody has begun depends on still earlier ones. So a product ends even if one block runs at a
time, as in the simulator, or if another kernel keeps blocks out. Neither claims nor tickets change what is
added in which order.
"""

import functools
from typing import Any

import numpy as np

from gpu.formats.propagation.arrangement import ENDED, ENDLESS, PATIENCE, STATES, TICKET, Arrangement
from gpu.formats.propagation.bins import (
    DIAGONALS,
    first_places,
    product_placer,
    record_of,
    row_adder,
    slot_adder,
    slots_of_row,
)
from gpu.formats.propagation.entries import group_loader, item_multiplier, segment_filler
from gpu.kernel_parts.handed_over import acquire, add_one_after, pause
from gpu.runtime.cuda import SIMULATED, cuda, device_function
from gpu.runtime.kernel_sequence import begin_in_sequence

IS_CLAIMED, IS_OPEN = 1, 2
"""What a block knows of its next item: that it has claimed it; that the ring has room for its products."""


@device_function
def _reached(counters: Any, place: Any, wanted: Any, patience: Any) -> Any:
    """Return whether a counter gets so far within this many reads; a thread."""
    reads = np.int32(0)
    while acquire(counters, place) < wanted:
        reads = np.int32(reads + 1)
        if reads >= patience:
            return False
        pause()
    return True


@device_function
def _claim(counters: Any, of_parts: Any, part: Any, super_block: Any) -> Any:
    """Claim an item; return whether nobody had; a thread."""
    place = STATES + (2 + np.int64(part)) * of_parts[4] + super_block
    return cuda.atomic.exch(counters, place, np.int32(1)) == 0


@device_function
def _drawn_below(counters: Any, limit: Any) -> Any:
    """Draw a bin below a limit; -1 if there is none left; a thread."""
    seen = acquire(counters, TICKET)
    while seen < limit:
        before = cuda.atomic.cas(counters, TICKET, seen, np.int32(seen + 1))
        if before == seen:
            return np.int32(seen)
        seen = before
    return np.int32(-1)


@device_function
def _item(of_parts: Any, part: Any, super_block: Any) -> Any:
    """Return the groups at which an item begins and ends."""
    at = np.int64(part) * of_parts[4] + super_block
    return np.int32(of_parts[0][at]), np.int32(of_parts[0][at + 1])


@device_function
def _bins_of(of_parts: Any, super_block: Any) -> Any:
    """Count the bins of a super-block."""
    return np.int32(of_parts[2][super_block + 1] - of_parts[2][super_block])


def bin_adder(arrangement: Arrangement) -> Any:
    """Make ``add(of_bins, bin, record, loaded, here, handed, of_parts, results)``.

    It adds up a bin whose products are there. All threads call it; they have met since `held` was last read.

    Parameters
    ----------
    arrangement
        How the work is shared.
    """
    place_products, ring_slots = product_placer(arrangement), arrangement.ring
    add_slots, add_rows = slot_adder(arrangement.threads), row_adder(arrangement.threads)

    @device_function
    def add(
        of_bins: Any,
        bin_: Any,
        record: Any,
        loaded: Any,
        here: Any,
        handed: Any,
        of_parts: Any,
        results: Any,
    ) -> None:
        places, row_slots, ranks, diagonals, _ = of_bins
        held, _, diagonal = here
        ring, slot_groups, counters = handed
        nowhere, pieces, y, alpha, beta, zero = results
        thread, super_block = np.int32(cuda.threadIdx.x), np.int32(record[1][3])
        # What the first row begins with comes while the products do.
        own = slots_of_row(record, row_slots, ranks, thread)
        at = np.int32(super_block % ring_slots * slot_groups + np.int32(record[0][2]))
        place_products(places, record, loaded, held, diagonal, diagonals, ring, at, nowhere, bin_, thread)
        cuda.syncthreads()
        if thread == 0:
            add_one_after(counters, STATES + of_parts[4] + super_block)
        add_slots(held, diagonal, thread, zero)
        cuda.syncthreads()
        add_rows(record, row_slots, ranks, own, held, pieces, y, alpha, beta, thread, zero)

    return add


def helpers(arrangement: Arrangement, load: Any, multiply: Any, fill: Any, add: Any, first: Any) -> Any:
    """Make what all threads of a block call that has waited for long: they take what nobody has begun.

    ``help_multiply(super_block, stored, of_parts, x, here, handed)`` ends when a super-block is multiplied,
    ``help_all(super_block, stored, of_parts, of_bins, x, here, handed, results)`` when it is added up. Both
    overwrite `held`, which no thread may need any more.

    Parameters
    ----------
    arrangement
        How the work is shared.
    load, multiply, fill
        For groups, items and segments.
    add, first
        For a bin, and what is loaded of it beforehand.
    """
    ring_slots = arrangement.ring

    @device_function
    def help_multiply(super_block: Any, stored: Any, of_parts: Any, x: Any, here: Any, handed: Any) -> None:
        held, mail, _ = here
        ring, slot_groups, counters = handed
        _, part_columns, _, parts, supers = of_parts
        thread, slot = np.int32(cuda.threadIdx.x), np.int32(super_block % ring_slots * slot_groups)
        if thread == 0 and super_block >= ring_slots:
            before = np.int32(super_block - ring_slots)
            _reached(counters, STATES + supers + before, _bins_of(of_parts, before), ENDLESS)
        part = np.int32(0)
        while part < parts:
            if thread == 0:
                mail[2] = np.int32(_claim(counters, of_parts, part, super_block))
            cuda.syncthreads()
            claimed = mail[2] != 0
            cuda.syncthreads()
            if claimed:
                fill(held, x, part_columns[2 * part], part_columns[2 * part + 1], thread)
                begin, end = _item(of_parts, part, super_block)
                loaded = load(stored[0], stored[1], stored[2], np.int32(begin + thread), end)
                cuda.syncthreads()
                multiply(stored, held, ring, slot, (begin, end), (end, end), loaded, thread)
                cuda.syncthreads()
                if thread == 0:
                    add_one_after(counters, STATES + super_block)
            part = np.int32(part + 1)
        if thread == 0:
            _reached(counters, STATES + super_block, np.int32(parts), ENDLESS)
        cuda.syncthreads()

    @device_function
    def help_all(
        super_block: Any,
        stored: Any,
        of_parts: Any,
        of_bins: Any,
        x: Any,
        here: Any,
        handed: Any,
        results: Any,
    ) -> None:
        mail, counters, thread = here[1], handed[2], np.int32(cuda.threadIdx.x)
        help_multiply(super_block, stored, of_parts, x, here, handed)
        bin_ = np.int32(0)
        while bin_ >= 0:
            if thread == 0:
                mail[2] = _drawn_below(counters, of_parts[2][super_block + 1])
            cuda.syncthreads()
            bin_ = np.int32(mail[2])
            cuda.syncthreads()
            if bin_ >= 0:
                record = record_of(of_bins[4], bin_)
                ahead = first(of_bins[0], record, thread)
                add(of_bins, bin_, record, ahead, here, handed, of_parts, results)
        if thread == 0:
            bins = _bins_of(of_parts, super_block)
            _reached(counters, STATES + of_parts[4] + super_block, bins, ENDLESS)
        cuda.syncthreads()

    return help_multiply, help_all


@functools.cache
def propagation_kernel(real: Any, arrangement: Arrangement) -> Any:
    """Make the kernel for values and sums of this type."""
    threads, ring_slots, kind = arrangement.threads, arrangement.ring, np.dtype(real)
    load, fill = group_loader(threads, arrangement.passing), segment_filler(threads)
    multiply, add, first = item_multiplier(threads, load), bin_adder(arrangement), first_places(arrangement)
    help_multiply, help_all = helpers(arrangement, load, multiply, fill, add, first)
    options = {} if SIMULATED else {"launch_bounds": (threads, arrangement.resident)}

    @device_function
    def multiply_parts(block, multiplying, stored, of_parts, of_bins, x, here, handed, results):
        """Go along the super-blocks with the parts of a block of threads: its own, and this many apart."""
        held, mail, _ = here
        ring, slot_groups, counters = handed
        _, part_columns, _, parts, supers = of_parts
        thread = np.int32(cuda.threadIdx.x)
        part, super_block, held_part, turn = block, np.int32(0), np.int32(-1), np.int32(0)
        begin, end = _item(of_parts, part, super_block)
        loaded = load(stored[0], stored[1], stored[2], np.int32(begin + thread), end)
        if thread == 0:
            mail[1] = np.int32(_claim(counters, of_parts, part, super_block))
        cuda.syncthreads()
        state = np.int32(mail[1] | IS_OPEN)
        while super_block < supers:
            next_part, next_super = np.int32(part + multiplying), super_block
            if next_part >= parts:
                next_part, next_super = block, np.int32(super_block + 1)
            next_begin, next_end, next_state = end, end, np.int32(0)
            if next_super < supers:
                next_begin, next_end = _item(of_parts, next_part, next_super)
                # Claimed beforehand, and asked beforehand whether there is room: so nobody waits for answers.
                if thread == 0:
                    next_state = np.int32(_claim(counters, of_parts, next_part, next_super))
                    before, added = np.int32(next_super - ring_slots), np.int32(0)
                    if before >= 0:
                        added = acquire(counters, STATES + supers + before) - _bins_of(of_parts, before)
                    if added >= 0:
                        next_state = np.int32(next_state | IS_OPEN)
            if state == IS_CLAIMED:
                before = np.int32(super_block - ring_slots)
                if thread == 0:
                    bins = _bins_of(of_parts, before)
                    mail[2] = np.int32(_reached(counters, STATES + supers + before, bins, PATIENCE))
                cuda.syncthreads()
                if mail[2] == 0:
                    cuda.syncthreads()
                    help_all(before, stored, of_parts, of_bins, x, here, handed, results)
                    held_part = np.int32(-1)
                    loaded = load(stored[0], stored[1], stored[2], np.int32(begin + thread), end)
            if state & IS_CLAIMED:
                if held_part != part:
                    cuda.syncthreads()
                    fill(held, x, part_columns[2 * part], part_columns[2 * part + 1], thread)
                    cuda.syncthreads()
                    held_part = part
                slot = np.int32(super_block % ring_slots * slot_groups)
                item, following = (begin, end), (next_begin, next_end)
                loaded = multiply(stored, held, ring, slot, item, following, loaded, thread)
            else:
                loaded = load(stored[0], stored[1], stored[2], np.int32(next_begin + thread), next_end)
            if thread == 0:
                mail[turn] = next_state
            cuda.syncthreads()
            if state & IS_CLAIMED and thread == 0:
                add_one_after(counters, STATES + super_block)
            state = mail[turn]
            turn = np.int32(1 - turn)
            part, super_block, begin, end = next_part, next_super, next_begin, next_end

    @device_function
    def add_bins(bins, stored, of_parts, of_bins, x, here, handed, results):
        """Add up the bins whose tickets a block of threads takes."""
        mail, counters, thread = here[1], handed[2], np.int32(cuda.threadIdx.x)
        if thread == 0:
            mail[0] = cuda.atomic.add(counters, TICKET, np.int32(1))
        cuda.syncthreads()
        bin_, known = np.int32(mail[0]), np.int32(-1)
        while bin_ < bins:
            record = record_of(of_bins[4], bin_)
            super_block, ahead = np.int32(record[1][3]), first(of_bins[0], record, thread)
            if thread == 0:
                mail[1] = cuda.atomic.add(counters, TICKET, np.int32(1))
                if super_block > known:
                    parts = np.int32(of_parts[3])
                    mail[2] = np.int32(_reached(counters, STATES + super_block, parts, PATIENCE))
            cuda.syncthreads()
            next_bin = np.int32(mail[1])
            if super_block > known:
                if mail[2] == 0:
                    cuda.syncthreads()
                    help_multiply(super_block, stored, of_parts, x, here, handed)
                known = super_block
            add(of_bins, bin_, record, ahead, here, handed, of_parts, results)
            bin_ = next_bin

    @cuda.jit(**options)
    def kernel(values, columns, destinations, items, part_columns, super_bins, parts, supers, multiplying,
               places, row_slots, ranks, diagonals, records, bins,
               ring, slot_groups, nowhere, counters, pieces, x, y, alpha, beta):  # fmt: skip
        """Multiply a part in each super-block, or add up bins, a block of threads.

        Parameters
        ----------
        values, destinations, items, row_slots, ranks, super_bins
            Of `gpu.formats.propagation.container.PropagationBlocks`.
        part_columns, diagonals
            The same, in one dimension.
        columns, places
            The same, two in a uint32.
        parts, supers, bins
            How many there are.
        multiplying
            Blocks that multiply: those with the first numbers.
        records
            uint32 of 8 a bin.
        ring, slot_groups
            Room for the products of some super-blocks; groups of each.
        nowhere
            The place for products of padding: after all others.
        counters
            int32, zero before and after.
        pieces
            real, one for each bin that has a part of a row.
        x
            real of N.
        y
            real of M.
        alpha, beta
            Scalars of the real type; y is not read where beta is 0.
        """
        held = cuda.shared.array(0, kind)
        mail = cuda.shared.array(4, np.int32)
        diagonal = cuda.shared.array(DIAGONALS, np.int32)
        thread, block = np.int32(cuda.threadIdx.x), np.int32(cuda.blockIdx.x)
        stored, of_parts = (values, columns, destinations), (items, part_columns, super_bins, parts, supers)
        of_bins, here = (places, row_slots, ranks, diagonals, records), (held, mail, diagonal)
        handed = (ring, slot_groups, counters)
        results = (np.uint32(nowhere), pieces, y, alpha, beta, real(0))
        begin_in_sequence()
        if block < multiplying:
            multiply_parts(block, multiplying, stored, of_parts, of_bins, x, here, handed, results)
        else:
            add_bins(bins, stored, of_parts, of_bins, x, here, handed, results)
        cuda.syncthreads()
        if thread == 0:
            cuda.threadfence()
            mail[0] = cuda.atomic.add(counters, ENDED, np.int32(1))
        cuda.syncthreads()
        # Nobody reads a counter any more: the next product finds them as this one did.
        if mail[0] == np.int32(cuda.gridDim.x - 1):
            at = thread
            while at < counters.size:
                counters[at] = np.int32(0)
                at = np.int32(at + threads)

    return kernel
