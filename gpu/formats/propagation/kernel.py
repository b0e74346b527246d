"""The kernel of propagation blocking: blocks of threads that multiply beside blocks that add up.

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
from dataclasses import dataclass
from typing import Any

import numpy as np

from gpu.formats.propagation.entries import (
    group_loader,
    item_multiplier,
    place_loader,
    placer,
    product_loader,
    segment_filler,
)
from gpu.kernel_parts.handed_over import acquire, pause
from gpu.kernel_parts.loads import LOADS
from gpu.kernel_parts.row_results import write_row
from gpu.runtime.cuda import SIMULATED, cuda, device_function
from gpu.runtime.launches import let_next_begin, wait_for_previous
from vecsim.formats.propagation.container import LONGEST_SLOT

TICKET, ENDED, STATES = 0, 1, 2
"""Counters: bins that have been given out; blocks that have ended; then those of the super-blocks. Of each
the parts multiplied, of each the bins added up, and of each whether each part is claimed."""
RECORD = 8
"""Words of a bin: row or piece, rows, first group in its super-block and of all, groups, first slot and first
element of `row_slots`, super-block."""
IS_PIECE = 1 << 31
"""Stands in the rows of a bin that is a piece of a row."""
STEPS = 4
"""Diagonals that are added at once."""
DIAGONALS = LONGEST_SLOT + 1 + STEPS
"""Elements that say where diagonals begin; the last ones stand for diagonals without places."""
PATIENCE = 1 if SIMULATED else 20_000
"""So often a counter is read before its reader helps, some milliseconds: nothing has to be waited for so long
unless blocks cannot run."""
ENDLESS = 1000 if SIMULATED else 2**31 - 1
"""So often it is read if what is waited for is under way: in the simulator it must be there."""


_load_words = LOADS[RECORD // 2]


@dataclass(frozen=True)
class Arrangement:
    """How blocks of threads share the work.

    Attributes
    ----------
    threads
        Of a block, a multiple of 32.
    resident
        Blocks that shall run on a multiprocessor at a time; one of them multiplies, the others add up.
    ring
        Super-blocks whose products there is room for, 2 or more.
    batch
        Groups of products that a thread loads at once: 1, 2 or 4.
    passing
        Whether what is stored of the matrix leaves the L2 cache before the products do.
    """

    threads: int = 64 if SIMULATED else 384
    resident: int = 3
    ring: int = 3
    batch: int = 4
    passing: bool = True


@device_function
def _reached(counters: Any, place: Any, wanted: Any, patience: Any) -> Any:
    """Say whether a counter gets so far within so many reads; a thread."""
    reads = np.int32(0)
    while acquire(counters, place) < wanted:
        reads = np.int32(reads + 1)
        if reads >= patience:
            return False
        pause()
    return True


@device_function
def _tell(counters: Any, place: Any) -> None:
    """Add one to a counter, after all that the threads that met here have written; a thread."""
    cuda.threadfence()
    cuda.atomic.add(counters, place, np.int32(1))


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
def _record_of(records: Any, bin_: Any) -> Any:
    """Load the words of a bin."""
    at = np.int64(bin_) * RECORD
    return _load_words(records, at), _load_words(records, at + RECORD // 2)


@device_function
def _strided_total(held: Any, diagonal: Any, slot: Any, zero: Any) -> Any:
    """Add the products of a slot, four loads at a time."""
    total, j, more = zero, np.int32(0), True
    while more:
        begin1, begin2 = diagonal[np.uint32(j + 1)], diagonal[np.uint32(j + 2)]
        begin3, begin4 = diagonal[np.uint32(j + 3)], diagonal[np.uint32(j + 4)]
        at0, at1 = np.int32(diagonal[np.uint32(j)] + slot), np.int32(begin1 + slot)
        at2, at3 = np.int32(begin2 + slot), np.int32(begin3 + slot)
        more = at3 < begin4
        product0 = held[np.uint32(at0)] if at0 < begin1 else zero
        product1 = held[np.uint32(at1)] if at1 < begin2 else zero
        product2 = held[np.uint32(at2)] if at2 < begin3 else zero
        product3 = held[np.uint32(at3)] if more else zero
        total = total + product0 + product1 + product2 + product3
        j = np.int32(j + STEPS)
    return total


def bin_adder(arrangement: Arrangement) -> Any:
    """Make ``add(of_bins, bin, record, first_places, held, diagonal, ring, counters, told, results)``.

    It adds up a bin whose products are there. All threads call it; they have met since `held` was last read.

    Parameters
    ----------
    arrangement
        How the work is shared.
    """
    threads, batch = arrangement.threads, arrangement.batch
    load_places = place_loader(threads, batch, arrangement.passing)
    load_products, place = product_loader(threads, batch), placer(threads, batch)
    slots_of_ring = arrangement.ring

    @device_function
    def add(
        of_bins: Any,
        bin_: Any,
        record: Any,
        loaded: Any,
        held: Any,
        diagonal: Any,
        ring: Any,
        counters: Any,
        told: Any,
        results: Any,
    ) -> None:
        places, row_slots, ranks, diagonals = of_bins
        slot_groups, nowhere, pieces, y, alpha, beta, zero = results
        thread = np.int32(cuda.threadIdx.x)
        if thread < DIAGONALS:
            j = min(thread, np.int32(LONGEST_SLOT))
            diagonal[thread] = np.int32(diagonals[np.int64(bin_) * (LONGEST_SLOT + 1) + j])
        rows = np.int32(record[0][1] & np.uint32(IS_PIECE - 1))
        first_slot, first_row = np.int64(record[1][1]), np.int64(record[1][2])
        # What the rows begin with comes while the products do.
        mine, begin, end, rank = thread, np.uint32(0), np.uint32(0), np.uint32(0)
        if mine < rows:
            begin, end = np.uint32(row_slots[first_row + mine]), np.uint32(row_slots[first_row + mine + 1])
        group, stored = thread, np.int32(record[0][3])
        groups = np.int32(record[1][0])
        at = np.int32(np.int32(record[1][3]) % slots_of_ring * slot_groups + np.int32(record[0][2]))
        while group < groups:
            products = load_products(ring, np.int32(at + group), np.int32(at + groups))
            place(held, loaded, products, group, groups, nowhere)
            group = np.int32(group + batch * threads)
            if group < groups:
                loaded = load_places(places, np.int32(stored + group), np.int32(stored + groups))
        if begin < end:
            rank = np.uint32(ranks[first_slot + begin])
        cuda.syncthreads()
        if thread == 0:
            _tell(counters, told)
        slot, slots = thread, diagonal[1]
        while slot < slots:
            # The first product of a slot is its own, so its total may stand there.
            held[np.uint32(slot)] = _strided_total(held, diagonal, slot, zero)
            slot = np.int32(slot + threads)
        cuda.syncthreads()
        while mine < rows:
            total = zero
            if begin < end:
                total = held[rank]
                begin = np.uint32(begin + np.uint32(1))
            while begin < end:
                total += held[np.uint32(ranks[first_slot + begin])]
                begin = np.uint32(begin + np.uint32(1))
            if rows == np.int32(record[0][1]):
                write_row(y, np.uint64(record[0][0] + np.uint64(mine)), total, alpha, beta, zero)
            else:
                pieces[np.uint64(record[0][0])] = total
            mine = np.int32(mine + threads)
            if mine < rows:
                begin, end = np.uint32(row_slots[first_row + mine]), np.uint32(row_slots[first_row + mine + 1])
                if begin < end:
                    rank = np.uint32(ranks[first_slot + begin])

    return add


@functools.cache
def propagation_kernel(real: Any, arrangement: Arrangement) -> Any:
    """Make the kernel for values and sums of this type."""
    threads, slots_of_ring = arrangement.threads, arrangement.ring
    load = group_loader(threads, arrangement.passing)
    multiply, fill = item_multiplier(threads, load), segment_filler(threads)
    load_places = place_loader(threads, arrangement.batch, arrangement.passing)
    add, kind = bin_adder(arrangement), np.dtype(real)
    options = {} if SIMULATED else {"launch_bounds": (threads, arrangement.resident)}

    @device_function
    def help_multiply(super_block, stored, of_parts, x, held, mail, ring, slot_groups, counters):
        """Multiply what of a super-block nobody has begun, and wait for the rest; all threads of a block."""
        items, part_columns, super_bins, parts, supers = of_parts
        thread = np.int32(cuda.threadIdx.x)
        if thread == 0 and super_block >= slots_of_ring:
            before = np.int32(super_block - slots_of_ring)
            bins = np.int32(super_bins[before + 1] - super_bins[before])
            _reached(counters, STATES + supers + before, bins, ENDLESS)
        part = np.int32(0)
        while part < parts:
            if thread == 0:
                claim = STATES + (2 + part) * supers + super_block
                mail[2] = cuda.atomic.exch(counters, claim, np.int32(1))
            cuda.syncthreads()
            claimed = mail[2] == 0
            cuda.syncthreads()
            if claimed:
                fill(held, x, np.int32(part_columns[2 * part]), np.int32(part_columns[2 * part + 1]), thread)
                item = np.int32(items[part * supers + super_block])
                end = np.int32(items[part * supers + super_block + 1])
                loaded = load(stored[0], stored[1], stored[2], np.int32(item + thread), end)
                cuda.syncthreads()
                slot = np.int32(super_block % slots_of_ring * slot_groups)
                multiply(stored, held, ring, slot, (item, end), (end, end), loaded, thread)
                cuda.syncthreads()
                if thread == 0:
                    _tell(counters, STATES + super_block)
            part = np.int32(part + 1)
        if thread == 0:
            _reached(counters, STATES + super_block, np.int32(parts), ENDLESS)
        cuda.syncthreads()

    @cuda.jit(**options)
    def kernel(values, columns, destinations, items, part_columns, super_bins, parts, supers, multiplying,
               places, row_slots, ranks, diagonals, records, bins,
               ring, slot_groups, nowhere, counters, pieces, x, y, alpha, beta):  # fmt: skip
        """Multiply a part in each super-block, or add up bins, a block of threads.

        Parameters
        ----------
        values, destinations, items, row_slots, ranks, super_bins
            Of `vecsim.formats.PropagationBlocks`.
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
            The place for products of padding: behind all others.
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
        of_bins = (places, row_slots, ranks, diagonals)
        results = (slot_groups, np.uint32(nowhere), pieces, y, alpha, beta, real(0))
        sums, claims = STATES + supers, STATES + 2 * supers
        let_next_begin()
        wait_for_previous()
        if block < multiplying:
            part, super_block, held_part, turn = block, np.int32(0), np.int32(-1), np.int32(0)
            item = np.int32(items[part * supers])
            end = np.int32(items[part * supers + 1])
            loaded = load(values, columns, destinations, np.int32(item + thread), end)
            if thread == 0:
                mail[1] = np.int32(cuda.atomic.exch(counters, claims + part * supers, np.int32(1)) == 0)
            cuda.syncthreads()
            state = np.int32(mail[1] | 2)
            while super_block < supers:
                next_part, next_super = np.int32(part + multiplying), super_block
                if next_part >= parts:
                    next_part, next_super = block, np.int32(super_block + 1)
                next_item, next_end, next_state = end, end, np.int32(0)
                if next_super < supers:
                    next_item = np.int32(items[next_part * supers + next_super])
                    next_end = np.int32(items[next_part * supers + next_super + 1])
                    # Claimed beforehand, and asked beforehand whether the ring has room for it.
                    if thread == 0:
                        claim = claims + next_part * supers + next_super
                        next_state = np.int32(cuda.atomic.exch(counters, claim, np.int32(1)) == 0)
                        before = np.int32(next_super - slots_of_ring)
                        wanted = np.int32(0)
                        if before >= 0:
                            wanted = np.int32(super_bins[before + 1] - super_bins[before])
                        if before < 0 or acquire(counters, sums + before) >= wanted:
                            next_state = np.int32(next_state | 2)
                if state == 1:
                    before = np.int32(super_block - slots_of_ring)
                    wanted = np.int32(super_bins[before + 1] - super_bins[before])
                    if thread == 0:
                        mail[2] = np.int32(_reached(counters, sums + before, wanted, PATIENCE))
                    cuda.syncthreads()
                    if mail[2] == 0:
                        cuda.syncthreads()
                        help_multiply(
                            before, stored, of_parts, x, held, mail, ring, slot_groups, counters
                        )
                        bin_ = np.int32(0)
                        while bin_ >= 0:
                            if thread == 0:
                                mail[2] = _drawn_below(counters, super_bins[before + 1])
                            cuda.syncthreads()
                            bin_ = np.int32(mail[2])
                            cuda.syncthreads()
                            if bin_ >= 0:
                                record = _record_of(records, bin_)
                                first = np.int32(record[0][3])
                                last = np.int32(first + np.int32(record[1][0]))
                                ahead = load_places(places, np.int32(first + thread), last)
                                add(of_bins, bin_, record, ahead, held, diagonal, ring, counters,
                                    sums + before, results)  # fmt: skip
                        if thread == 0:
                            _reached(counters, sums + before, wanted, ENDLESS)
                        cuda.syncthreads()
                        held_part = np.int32(-1)
                        loaded = load(values, columns, destinations, np.int32(item + thread), end)
                if state & 1:
                    if held_part != part:
                        cuda.syncthreads()
                        first = np.int32(part_columns[2 * part])
                        fill(held, x, first, np.int32(part_columns[2 * part + 1]), thread)
                        cuda.syncthreads()
                        held_part = part
                    slot = np.int32(super_block % slots_of_ring * slot_groups)
                    following = (next_item, next_end)
                    loaded = multiply(stored, held, ring, slot, (item, end), following, loaded, thread)
                else:
                    loaded = load(values, columns, destinations, np.int32(next_item + thread), next_end)
                if thread == 0:
                    mail[turn] = next_state
                cuda.syncthreads()
                if state & 1 and thread == 0:
                    _tell(counters, STATES + super_block)
                state = mail[turn]
                turn = np.int32(1 - turn)
                part, super_block, item, end = next_part, next_super, next_item, next_end
        else:
            if thread == 0:
                mail[0] = cuda.atomic.add(counters, TICKET, np.int32(1))
            cuda.syncthreads()
            bin_, known = np.int32(mail[0]), np.int32(-1)
            while bin_ < bins:
                record = _record_of(records, bin_)
                super_block, first = np.int32(record[1][3]), np.int32(record[0][3])
                last = np.int32(first + np.int32(record[1][0]))
                ahead = load_places(places, np.int32(first + thread), last)
                if thread == 0:
                    mail[1] = cuda.atomic.add(counters, TICKET, np.int32(1))
                    if super_block > known:
                        place = STATES + super_block
                        mail[2] = np.int32(_reached(counters, place, np.int32(parts), PATIENCE))
                cuda.syncthreads()
                next_bin = np.int32(mail[1])
                if super_block > known:
                    if mail[2] == 0:
                        cuda.syncthreads()
                        help_multiply(
                            super_block, stored, of_parts, x, held, mail, ring, slot_groups, counters
                        )
                    known = super_block
                add(of_bins, bin_, record, ahead, held, diagonal, ring, counters, sums + super_block, results)
                bin_ = next_bin
        cuda.syncthreads()
        if thread == 0:
            cuda.threadfence()
            mail[0] = cuda.atomic.add(counters, ENDED, np.int32(1))
        cuda.syncthreads()
        if mail[0] == np.int32(cuda.gridDim.x - 1):
            at = thread
            while at < counters.size:
                counters[at] = np.int32(0)
                at = np.int32(at + threads)

    return kernel
