"""The second pass of a sum of HiSparse: the entries of each leaf, a pair of leaves a block of threads.

The rank of an entry is the number of bits before its own, in a bitmap of the places of both operands. A block
notes for a window of ranks which entries of A and of B each comes from, and writes the coordinates of an
operand that is not transposed, whose ranks rise; then values are read, added and written by neighbouring
threads at neighbouring addresses. No atomic decides where an entry goes, so a sum is
the same in every run.
"""

import functools
from typing import Any

import numpy as np

from gpu.hisparse.building.node_writing import heads
from gpu.hisparse.node_layout import DENSE, FIRST_COORDINATE, FIRST_DENSE_SLOT
from gpu.hisparse.node_shapes import first_slots, is_there, padded_count
from gpu.hisparse.sum.leaf_places import (
    LEAF_THREADS,
    RECORD,
    Bitmap,
    load,
    marked,
    places,
    put_dense,
    read_entry,
    wanted,
)
from gpu.kernel_parts.row_results import rounded_product
from gpu.runtime.cuda import SIMULATED, WARP, cuda, device_function
from gpu.runtime.kernel_sequence import begin_in_sequence

WINDOW = 8 if SIMULATED else 1024
"""Entries of the sum whose sources are noted at once."""
TURNED_WINDOW = 8 if SIMULATED else 2048
"""If an operand is transposed and leaves have more entries: in each window its coordinates are read again."""
RESIDENT, RESIDENT_WIDE = 12, 5
"""Blocks of a multiprocessor that there must be registers for, and with wider windows."""
NONE = 0xFFFF
"""No source; or, of a dense leaf, the last place of 256 x 256, see `_CORNER`."""
_NEXT_FIRST, _NEXT_SECOND, _CORNER = range(3)
"""Of four shared words: the next entry of A to be noted, of B; who has the last place of a dense leaf."""


def _noted(real: Any, bits: int, transposed: bool, drop_zeros: bool, second: bool) -> Any:
    """Make ``note``: the entries of an operand to the ranks of a window that they have in the sum.

    Ranks rise with the entries of an operand that is not transposed, so the next window goes on at `begin`.
    """
    width, most = np.dtype(real).itemsize, 1 << 2 * bits
    place_of, rank_of, first_slot = places(bits, transposed), Bitmap(bits).rank_of(), first_slots(width)
    is_wanted, node_size = wanted(real, drop_zeros), 1 << bits
    whose, following = np.int32(2 if second else 1), _NEXT_SECOND if second else _NEXT_FIRST

    @device_function
    def take(entry: Any, half: Any, values: Any, slots: Any, factor: Any, union: Any, ranks: Any,
             sources: Any, low: Any, high: Any, to: Any, to_halves: Any, whole: Any) -> Any:  # fmt: skip
        rank = rank_of(place_of(half), union, ranks)
        if rank >= low and rank < high and is_wanted(factor, values, slots + entry):
            sources[np.uint32(rank - low)] = np.uint16(entry)
            if not transposed:
                to[to_halves + rank] = np.uint16(half)
                if rank == whole - 1:
                    for more in range(whole, padded_count(whole)):
                        to[to_halves + more] = np.uint16(half)
        return rank < high

    @device_function
    def note(halves: Any, values: Any, reference: Any, count: Any, factor: Any, thread: Any, union: Any,
             ranks: Any, sources: Any, shared: Any, begin: Any, low: Any, high: Any, to: Any, to_halves: Any,
             whole: Any) -> None:  # fmt: skip
        at = np.int64(reference) & ~3
        if np.int64(reference) & 3 == DENSE:
            slots = (4 * at + FIRST_DENSE_SLOT) // width
            entry = thread
            while count > 0 and entry < most:
                if is_there(values[slots + entry], count == most):
                    half = np.int32((entry >> bits) << 8 | (entry & (node_size - 1)))
                    take(entry, half, values, slots, factor, union, ranks, sources, low, high, to,
                         to_halves, whole)  # fmt: skip
                    if entry == NONE and is_wanted(factor, values, slots + entry):
                        cuda.atomic.or_(shared, _CORNER, whose)
                entry = np.int32(entry + LEAF_THREADS)
        else:
            first = 2 * at + FIRST_COORDINATE // 2
            slots = (4 * at + first_slot(count)) // width
            entry = np.int32(thread if transposed else begin + thread)
            taken, inside = np.int32(0), True
            while entry < count and (inside or transposed):
                entry1 = np.int32(entry + LEAF_THREADS)
                half0 = load(halves, first + entry, True)[0]
                half1 = load(halves, first + entry1, entry1 < count)[0]
                inside = take(entry, half0, values, slots, factor, union, ranks, sources, low,
                              high, to, to_halves, whole)  # fmt: skip
                taken = np.int32(taken + (1 if inside else 0))
                if entry1 < count:
                    inside = take(entry1, half1, values, slots, factor, union, ranks, sources, low,
                                  high, to, to_halves, whole)  # fmt: skip
                    taken = np.int32(taken + (1 if inside else 0))
                entry = np.int32(entry + 2 * LEAF_THREADS)
            if not transposed and taken > 0:
                cuda.atomic.add(shared, following, taken)

    return note


def window_for(mean: float, transposed: tuple[bool, bool]) -> int:
    """Choose the window.

    Parameters
    ----------
    mean
        Entries of both operands in a leaf of the sum.
    transposed
        Whether A, and B, are transposed.
    """
    return TURNED_WINDOW if any(transposed) and mean > WINDOW else WINDOW


def written(real: Any, bits: int, transposed: tuple[bool, bool], drop_zeros: bool, window: int) -> Any:
    """Make ``write(shared, thread, shape, reference, pair, pools, ...)``: a leaf of the sum, by a block.

    Parameters
    ----------
    real, bits, transposed, drop_zeros, window
        As of `write_kernel`.
    """
    width, node_size, most = np.dtype(real).itemsize, 1 << bits, 1 << 2 * bits
    clear, product, rank = Bitmap(bits).clear(), rounded_product(real), Bitmap(bits).rank()
    ways = list(enumerate(transposed))
    mark_first, mark_second = (marked(real, bits, way, drop_zeros) for _, way in ways)
    note_first, note_second = (_noted(real, bits, way, drop_zeros, k == 1) for k, way in ways)
    read_first, read_second = (read_entry(real, bits, way) for _, way in ways)
    source_first, source_second = (read_entry(real, bits, way, coordinates=way) for _, way in ways)
    put_first, put_second = (put_dense(real, bits, way, drop_zeros, k == 1) for k, way in ways)
    begin, first_slot = heads(width, node_size), first_slots(width)
    first_transposed, second_transposed = transposed

    @device_function
    def entry_of(at: Any, low: Any, high: Any, count: Any, sources: Any, others: Any, corner: Any,
                 first_halves: Any, first_values: Any, first: Any, first_count: Any,
                 second_halves: Any, second_values: Any, second: Any, second_count: Any) -> Any:  # fmt: skip
        inside = at < high
        slot = np.uint32(at - low if inside else 0)
        one, two = np.int32(sources[slot]), np.int32(others[slot])
        last = at == count - 1
        of_first = inside and (one != NONE or (last and (corner & 1) != 0))
        of_second = inside and (two != NONE or (last and (corner & 2) != 0))
        half, value = source_first(first_halves, first_values, first, first_count, one, of_first)
        other_half, other = source_second(second_halves, second_values, second, second_count, two, of_second)
        return half if of_first else other_half, value, other, of_first, of_second

    @device_function
    def store(at: Any, entry: Any, alpha: Any, beta: Any, halves: Any, values: Any, to_halves: Any,
              to_slots: Any, count: Any, copying: Any) -> None:  # fmt: skip
        half, value, other, of_first, of_second = entry
        noted = (of_first and not first_transposed) or (of_second and not second_transposed)
        if of_first or of_second:
            total = product(alpha, value)
            if of_second:
                total = total + product(beta, other) if of_first else product(beta, other)
            values[to_slots + at] = total
            if copying or not noted:
                halves[to_halves + at] = np.uint16(half)
            if at == count - 1 and (copying or not noted):
                for more in range(count, padded_count(count)):
                    halves[to_halves + more] = np.uint16(half)

    @device_function
    def write(union: Any, ranks: Any, sources: Any, others: Any, totals: Any, shared: Any, thread: Any,
              shape: Any, reference: Any, pair: Any, first_halves: Any, first_values: Any, second_halves: Any,
              second_values: Any, words: Any, halves: Any, values: Any, alpha: Any,
              beta: Any) -> None:  # fmt: skip
        first, first_count, second, second_count = pair
        dense, count = shape & 3 == DENSE, np.int32(shape >> 2)
        at = np.int64(reference) & ~3
        to_halves = 2 * at + FIRST_COORDINATE // 2
        to_slots = (4 * at + (np.int32(FIRST_DENSE_SLOT) if dense else first_slot(count))) // width
        # A leaf of one operand that is not transposed has its entries in order already.
        of_first = second_count == 0 and not first_transposed and np.int64(first) & 3 != DENSE
        of_second = first_count == 0 and not second_transposed and np.int64(second) & 3 != DENSE
        copying = not drop_zeros and not dense and (of_first or of_second)
        if thread == 0:
            begin(words, halves, reference, shape)
        if thread < 4:
            shared[thread] = np.int32(0)
        if dense:
            place = thread
            while count < most and place < most:
                values[to_slots + place] = real(-0.0)
                place = np.int32(place + LEAF_THREADS)
            clear(union, thread)
            mark_first(union, first_halves, first_values, first, first_count, alpha, thread, False)
            cuda.syncthreads()
            put_first(first_halves, first_values, first, first_count, alpha, thread, union, values,
                      to_slots)  # fmt: skip
            cuda.syncthreads()
            put_second(second_halves, second_values, second, second_count, beta, thread, union, values,
                       to_slots)  # fmt: skip
        elif copying:
            entry = thread
            while entry < count:
                one = read_first(first_halves, first_values, first, first_count, entry, of_first)
                two = read_second(second_halves, second_values, second, second_count, entry, of_second)
                half = one[0] if of_first else two[0]
                store(entry, (half, one[1], two[1], of_first, of_second), alpha, beta, halves, values,
                      to_halves, to_slots, count, True)  # fmt: skip
                entry = np.int32(entry + LEAF_THREADS)
        else:
            clear(union, thread)
            mark_first(union, first_halves, first_values, first, first_count, alpha, thread, False)
            mark_second(union, second_halves, second_values, second, second_count, beta, thread, False)
            rank(union, ranks, totals, thread)
            low = np.int32(0)
            while low < count:
                high = min(np.int32(low + window), count)
                place = thread
                while place < high - low:
                    sources[np.uint32(place)] = np.uint16(NONE)
                    others[np.uint32(place)] = np.uint16(NONE)
                    place = np.int32(place + LEAF_THREADS)
                first_begin, second_begin = shared[_NEXT_FIRST], shared[_NEXT_SECOND]
                cuda.syncthreads()
                note_first(first_halves, first_values, first, first_count, alpha, thread, union, ranks,
                           sources, shared, first_begin, low, high, halves, to_halves, count)  # fmt: skip
                note_second(second_halves, second_values, second, second_count, beta, thread, union,
                            ranks, others, shared, second_begin, low, high, halves, to_halves,
                            count)  # fmt: skip
                cuda.syncthreads()
                corner, place = shared[_CORNER], np.int32(low + thread)
                while place < high:
                    later = np.int32(place + LEAF_THREADS)
                    one = entry_of(place, low, high, count, sources, others, corner,
                                   first_halves, first_values, first, first_count,
                                   second_halves, second_values, second, second_count)  # fmt: skip
                    two = entry_of(later, low, high, count, sources, others, corner,
                                   first_halves, first_values, first, first_count,
                                   second_halves, second_values, second, second_count)  # fmt: skip
                    store(place, one, alpha, beta, halves, values, to_halves, to_slots, count, False)
                    store(later, two, alpha, beta, halves, values, to_halves, to_slots, count, False)
                    place = np.int32(later + LEAF_THREADS)
                cuda.syncthreads()
                low = high

    return write


@functools.cache
def write_kernel(
    real: Any, bits: int, transposed: tuple[bool, bool], drop_zeros: bool, window: int = WINDOW
) -> Any:
    """Make the kernel; the other parameters are of `count_kernel`.

    Parameters
    ----------
    real, bits, transposed, drop_zeros
        As there.
    window
        Entries of the sum whose sources are noted at once.
    """
    resident = RESIDENT if window == WINDOW else RESIDENT_WIDE
    options = {} if SIMULATED else {"launch_bounds": (LEAF_THREADS, resident)}
    room, write = Bitmap(bits).room, written(real, bits, transposed, drop_zeros, window)

    @cuda.jit(**options)
    def kernel(pairs, slots, references, shapes, first_halves, first_values, second_halves, second_values,
               words, halves, values, alpha, beta):  # fmt: skip
        """Take a leaf of the sum a block.

        Parameters
        ----------
        pairs
            uint32 of 4 a pair, of `merge_kernel`.
        slots
            int32, one a leaf of the sum: its pair.
        references, shapes
            uint32 and int32: where the leaf of each pair begins, plus its type, and its shape.
        first_halves, first_values, second_halves, second_values
            The pools of A and B.
        words, halves, values
            The pool of the sum.
        alpha, beta
            The factors.
        """
        union = cuda.shared.array(room, np.uint32)
        ranks = cuda.shared.array(room, np.uint16)
        sources = cuda.shared.array(window, np.uint16)
        others = cuda.shared.array(window, np.uint16)
        totals = cuda.shared.array(WARP, np.int32)
        shared = cuda.shared.array(4, np.int32)
        begin_in_sequence()
        thread, pair = np.int32(cuda.threadIdx.x), np.int64(slots[np.uint64(cuda.blockIdx.x)])
        shape, reference = shapes[pair], references[pair]
        first, first_count = pairs[RECORD * pair], np.int32(pairs[RECORD * pair + 1])
        second, second_count = pairs[RECORD * pair + 2], np.int32(pairs[RECORD * pair + 3])
        if shape != 0:
            both = (first, first_count, second, second_count)
            write(union, ranks, sources, others, totals, shared, thread, shape, reference, both, first_halves,
                  first_values, second_halves, second_values, words, halves, values, alpha,
                  beta)  # fmt: skip

    return kernel
