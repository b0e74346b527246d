"""What a block of threads does with a bin: products to their places, sums of slots, sums of rows.

The block must meet between these three, and before the first.
"""

from typing import Any

import numpy as np

from gpu.formats.propagation.arrangement import IS_PIECE, RECORD, STEPS, Arrangement
from gpu.formats.propagation.entries import place_loader, placer, product_loader
from gpu.formats.propagation.sizes import LONGEST_SLOT
from gpu.kernel_parts.loads import LOADS
from gpu.kernel_parts.row_results import write_row
from gpu.runtime.cuda import device_function

DIAGONALS = LONGEST_SLOT + 1 + STEPS
"""Elements that say where diagonals begin; the last ones stand for diagonals without places."""
_load_words = LOADS[RECORD // 2]


@device_function
def record_of(records: Any, bin_: Any) -> Any:
    """Load the words of a bin.

    Parameters
    ----------
    records, bin_
        Of all bins; which.
    """
    at = np.int64(bin_) * RECORD
    return _load_words(records, at), _load_words(records, at + RECORD // 2)


def first_places(arrangement: Arrangement) -> Any:
    """Make ``load(places, record, thread)``: the places of the first products of a thread.

    Parameters
    ----------
    arrangement
        How the work is shared.
    """
    load_places = place_loader(arrangement.threads, arrangement.batch, arrangement.passing)

    @device_function
    def load(places: Any, record: Any, thread: Any) -> Any:
        first = np.int32(record[0][3])
        return load_places(places, np.int32(first + thread), np.int32(first + np.int32(record[1][0])))

    return load


def product_placer(arrangement: Arrangement) -> Any:
    """Make ``place(places, record, loaded, held, diagonal, diagonals, ring, at, nowhere, bin, thread)``.

    It brings the products of a bin, which begin at the group `at` of the ring, to their places in `held`, and
    the beginnings of its diagonals into `diagonal`.

    Parameters
    ----------
    arrangement
        How the work is shared.
    """
    threads, batch = arrangement.threads, arrangement.batch
    load_places = place_loader(threads, batch, arrangement.passing)
    load_products, place_batch = product_loader(threads, batch), placer(threads, batch)

    @device_function
    def place(
        places: Any,
        record: Any,
        loaded: Any,
        held: Any,
        diagonal: Any,
        diagonals: Any,
        ring: Any,
        at: Any,
        nowhere: Any,
        bin_: Any,
        thread: Any,
    ) -> None:
        if thread < DIAGONALS:
            j = min(thread, np.int32(LONGEST_SLOT))
            diagonal[thread] = np.int32(diagonals[np.int64(bin_) * (LONGEST_SLOT + 1) + j])
        group, stored = thread, np.int32(record[0][3])
        groups = np.int32(record[1][0])
        while group < groups:
            products = load_products(ring, np.int32(at + group), np.int32(at + groups))
            place_batch(held, loaded, products, group, groups, nowhere)
            group = np.int32(group + batch * threads)
            if group < groups:
                loaded = load_places(places, np.int32(stored + group), np.int32(stored + groups))

    return place


@device_function
def _slot_total(held: Any, diagonal: Any, slot: Any, zero: Any) -> Any:
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


def slot_adder(threads: int) -> Any:
    """Make ``add(held, diagonal, thread, zero)``: the sum of each slot to the place of its first product.

    Nobody but the thread of a slot reads or writes there.

    Parameters
    ----------
    threads
        Of a block.
    """

    @device_function
    def add(held: Any, diagonal: Any, thread: Any, zero: Any) -> None:
        slot, slots = thread, diagonal[1]
        while slot < slots:
            held[np.uint32(slot)] = _slot_total(held, diagonal, slot, zero)
            slot = np.int32(slot + threads)

    return add


@device_function
def slots_of_row(record: Any, row_slots: Any, ranks: Any, row: Any) -> Any:
    """Return begin and end of a row's slots, and the place of the sum of the first.

    Parameters
    ----------
    record
        Of the bin.
    row_slots, ranks
        Of `gpu.formats.propagation.container.PropagationBlocks`.
    row
        Which of the bin; after its last one there are no slots.
    """
    begin, end, rank = np.uint32(0), np.uint32(0), np.uint32(0)
    if row < np.int32(record[0][1] & np.uint32(IS_PIECE - 1)):
        first = np.int64(record[1][2]) + row
        begin, end = np.uint32(row_slots[first]), np.uint32(row_slots[first + 1])
        if begin < end:
            rank = np.uint32(ranks[np.int64(record[1][1]) + begin])
    return begin, end, rank


def row_adder(threads: int) -> Any:
    """Make ``add(record, row_slots, ranks, own, held, pieces, y, alpha, beta, thread, zero)``: rows to y.

    Parameters
    ----------
    threads
        Of a block.
    """

    @device_function
    def add(
        record: Any,
        row_slots: Any,
        ranks: Any,
        own: Any,
        held: Any,
        pieces: Any,
        y: Any,
        alpha: Any,
        beta: Any,
        thread: Any,
        zero: Any,
    ) -> None:
        begin, end, rank = own
        row, rows = thread, np.int32(record[0][1] & np.uint32(IS_PIECE - 1))
        while row < rows:
            total = zero
            if begin < end:
                total = held[rank]
                begin = np.uint32(begin + np.uint32(1))
            while begin < end:
                total += held[np.uint32(ranks[np.int64(record[1][1]) + begin])]
                begin = np.uint32(begin + np.uint32(1))
            if rows == np.int32(record[0][1]):
                write_row(y, np.uint64(record[0][0] + np.uint64(row)), total, alpha, beta, zero)
            else:
                pieces[np.uint64(record[0][0])] = total
            row = np.int32(row + threads)
            begin, end, rank = slots_of_row(record, row_slots, ranks, row)

    return add
