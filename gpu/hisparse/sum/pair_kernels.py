"""The kernels of a dual traversal: what begins it, one for the inner nodes of a level, one for the leaves.

The union of the entries of two nodes is found by a bitmap of d x d bits in shared memory, for every combination
of types and whatever is transposed; the paper sorts or merges the coordinates of sparse nodes there. A new node
gets its place from an atomic counter, as in the paper.
"""

import functools
from typing import Any

import numpy as np

from gpu.hisparse.building.node_writing import heads as node_heads
from gpu.hisparse.inner_nodes import children, load_word, sizes_of
from gpu.hisparse.node_layout import (
    DENSE,
    FIRST_COORDINATE,
    FIRST_DENSE_SLOT,
    REFERENCE_BYTES,
    dense_from,
)
from gpu.hisparse.node_shapes import first_slots, padded_count, shape_of, units
from gpu.hisparse.sum.leaf_counting import shapes_of_pairs
from gpu.hisparse.sum.leaf_places import LEAF_THREADS, Bitmap, bit_of, places
from gpu.hisparse.sum.leaf_writing import WINDOW, written
from gpu.hisparse.sum.pair_queues import COPIES, ITEM, PAIRS, append, draw
from gpu.kernel_parts.row_results import rounded_product
from gpu.runtime.cuda import SIMULATED, WARP, cuda, device_function
from gpu.runtime.kernel_sequence import begin_in_sequence

RESIDENT = 2 if SIMULATED else 8
"""Blocks of a multiprocessor that there must be registers for; so many are launched."""
LEAF_BITS = 32
"""The counter of places has units of 16 bytes in its low 32 bits, and leaves in the others."""
ROOT_SLOT = 0
"""The word of a pool whose slot stands for that of the root: the first 16 bytes belong to no node."""
_WARPS = LEAF_THREADS // WARP


@cuda.jit
def begin_kernel(heads, tails, queues, allocator, root_items, root_keys, copied_items, copied_keys, queue,
                 first, second, words):  # fmt: skip
    """Empty all queues but for the roots, a queue a thread.

    Parameters
    ----------
    heads, tails, queues
        int32, one a queue, and how many there are.
    allocator
        int64 of 1, see `LEAF_BITS`.
    root_items, root_keys, copied_items, copied_keys
        The queues of pairs and of copies of the level of the roots.
    queue
        The first of these.
    first, second
        The roots, 0 without one.
    words
        The pool of the sum.
    """
    at = np.int64(cuda.grid(1))
    begin_in_sequence()
    if at < queues:
        heads[at] = np.int32(0)
        tails[at] = np.int32(1 if at == queue and (first != 0 or second != 0) else 0)
    if at == 0:
        allocator[0] = np.int64(1)
        words[ROOT_SLOT] = np.uint32(0)
        root_items[0], root_items[1] = np.uint32(first), np.uint32(second)
        root_items[2], root_keys[0] = np.uint32(ROOT_SLOT), np.int64(0)


def _placing(width: int, node_size: int, leaf: bool) -> Any:
    """Make ``place(allocator, capacity, shape, slot, words)``: a new node's reference and its number as a leaf.

    One thread calls it. It writes the reference to the slot; without room it is 0.
    """
    unit_count, counted = units(width, node_size), (1 << LEAF_BITS) if leaf else 0

    @device_function
    def place(allocator: Any, capacity: Any, shape: Any, slot: Any, words: Any) -> Any:
        size = np.int64(unit_count(shape))
        taken = cuda.atomic.add(allocator, 0, np.int64(size + np.int64(counted)))
        unit, number = taken & np.int64(0xFFFFFFFF), taken >> LEAF_BITS
        reference = np.int64(unit * 4 + (shape & 3)) if unit + size <= capacity else np.int64(0)
        words[np.int64(slot)] = np.uint32(reference)
        return reference, number

    return place


def _joined(bits: int, transposed: tuple[bool, bool]) -> Any:
    """Make ``join``: the node of the sum above a pair of inner nodes, and its children into the queues below."""
    child_of, size_of = children(bits), sizes_of(bits)
    place_first, place_second = (places(bits, way) for way in transposed)
    bitmap, mask, most = Bitmap(bits), (1 << bits) - 1, 1 << 2 * bits
    clear, rank, rank_of, word_of = bitmap.clear(), bitmap.rank(), bitmap.rank_of(), bitmap.word()
    begin, first_slot = node_heads(REFERENCE_BYTES, 1 << bits), first_slots(REFERENCE_BYTES)
    place_node = _placing(REFERENCE_BYTES, 1 << bits, False)
    dense_at = dense_from(1 << bits, REFERENCE_BYTES)
    first_turned, second_turned = transposed

    def marking(place_of: Any) -> Any:
        @device_function
        def mark(union: Any, reference: Any, words: Any, thread: Any) -> None:
            count, last = size_of(reference != 0, reference, words)
            entry = thread
            while entry < last:
                own, half = child_of(True, reference, count, entry, words)
                if own != 0:
                    place = place_of(half)
                    cuda.atomic.or_(union, word_of(place), bit_of(place))
                entry = np.int32(entry + LEAF_THREADS)

        return mark

    mark_first, mark_second = marking(place_first), marking(place_second)

    @device_function
    def write_head(reference: Any, shape: Any, words: Any, halves: Any, thread: Any) -> Any:
        at, count = reference & ~3, np.int32(shape >> 2)
        is_dense = shape & 3 == DENSE
        slots = at + np.int64((FIRST_DENSE_SLOT if is_dense else first_slot(count)) // 4)
        if thread == 0:
            begin(words, halves, reference, shape)
        place = thread
        while place < np.int32(most if is_dense else count):
            words[slots + place] = np.uint32(0)
            place = np.int32(place + LEAF_THREADS)
        cuda.syncthreads()
        return slots

    @device_function
    def put_coordinate(reference: Any, shape: Any, rank: Any, place: Any, halves: Any) -> None:
        count = np.int32(shape >> 2)
        half, to = np.uint16((place >> bits) << 8 | (place & mask)), 2 * (reference & ~3) + FIRST_COORDINATE // 2
        halves[to + rank] = half
        if rank == count - 1:
            for more in range(count, padded_count(count)):
                halves[to + more] = half

    def storing(place_of: Any, slot_of: Any) -> Any:
        """Make what writes an operand's children into the slots, where those of the other find them."""

        @device_function
        def store(node: Any, given: Any, union: Any, ranks: Any, reference: Any, shape: Any, slots: Any,
                  words: Any, halves: Any, thread: Any) -> None:  # fmt: skip
            count, last = size_of(node != 0, node, given)
            entry = thread
            while entry < last:
                own, half = child_of(True, node, count, entry, given)
                if own != 0:
                    place = place_of(half)
                    words[slots + slot_of(shape, place, union, ranks)] = np.uint32(own)
                    if shape & 3 != DENSE:
                        put_coordinate(reference, shape, rank_of(place, union, ranks), place, halves)
                entry = np.int32(entry + LEAF_THREADS)

        return store

    @device_function
    def slot_of(shape: Any, place: Any, union: Any, ranks: Any) -> Any:
        return np.int64(place if shape & 3 == DENSE else rank_of(place, union, ranks))

    store_first = storing(place_first, slot_of)

    @device_function
    def is_copied(own: Any, level: Any, is_turned: Any) -> Any:
        return not is_turned and not (level == 0 and own & 3 == DENSE)

    @device_function
    def enqueue_second(node: Any, given: Any, union: Any, ranks: Any, reference: Any, shape: Any, slots: Any,
                       words: Any, halves: Any, key: Any, level: Any, thread: Any, tails: Any, pair_items: Any,
                       pair_keys: Any, copy_items: Any, copy_keys: Any) -> None:  # fmt: skip
        count, last = size_of(node != 0, node, given)
        step = np.int32(0)
        while step < last:
            entry = np.int32(step + thread)
            own, half = child_of(entry < last, node, count, entry, given)
            there, slot, child_key, other = own != 0, np.int64(0), np.int64(0), np.int64(0)
            if there:
                place = place_second(half)
                slot = slots + slot_of(shape, place, union, ranks)
                child_key = key << 2 * bits | np.int64(place)
                other = np.int64(words[slot])
                words[slot] = np.uint32(0)
                if other == 0 and shape & 3 != DENSE:
                    put_coordinate(reference, shape, rank_of(place, union, ranks), place, halves)
            copies = there and other == 0 and is_copied(own, level, second_turned)
            append(there and not copies, other, own, slot, child_key, 2 * level + PAIRS, tails, pair_items,
                   pair_keys)  # fmt: skip
            append(copies, own, 1, slot, child_key, 2 * level + COPIES, tails, copy_items, copy_keys)
            step = np.int32(step + LEAF_THREADS)

    @device_function
    def enqueue_first(node: Any, given: Any, union: Any, ranks: Any, shape: Any, slots: Any, words: Any,
                      key: Any, level: Any, thread: Any, tails: Any, pair_items: Any, pair_keys: Any,
                      copy_items: Any, copy_keys: Any) -> None:  # fmt: skip
        count, last = size_of(node != 0, node, given)
        step = np.int32(0)
        while step < last:
            entry = np.int32(step + thread)
            own, half = child_of(entry < last, node, count, entry, given)
            there, slot, child_key = own != 0, np.int64(0), np.int64(0)
            if there:
                place = place_first(half)
                slot = slots + slot_of(shape, place, union, ranks)
                child_key = key << 2 * bits | np.int64(place)
                # Those that B has, too, are in a queue already.
                there = words[slot] != 0
            copies = there and is_copied(own, level, first_turned)
            append(there and not copies, own, 0, slot, child_key, 2 * level + PAIRS, tails, pair_items,
                   pair_keys)  # fmt: skip
            append(copies, own, 0, slot, child_key, 2 * level + COPIES, tails, copy_items, copy_keys)
            step = np.int32(step + LEAF_THREADS)

    @device_function
    def join(union: Any, ranks: Any, totals: Any, placed: Any, thread: Any, first: Any, second: Any, slot: Any,
             key: Any, level: Any, allocator: Any, capacity: Any, first_words: Any, second_words: Any,
             words: Any, halves: Any, tails: Any, pair_items: Any, pair_keys: Any, copy_items: Any,
             copy_keys: Any) -> None:  # fmt: skip
        clear(union, thread)
        mark_first(union, first, first_words, thread)
        mark_second(union, second, second_words, thread)
        count = rank(union, ranks, totals, thread)
        shape = shape_of(count, count >= dense_at)
        if thread == 0:
            placed[0] = place_node(allocator, capacity, shape, slot, words)[0]
        cuda.syncthreads()
        reference = placed[0]
        if reference != 0:
            slots = write_head(reference, shape, words, halves, thread)
            store_first(first, first_words, union, ranks, reference, shape, slots, words, halves, thread)
            cuda.syncthreads()
            enqueue_second(second, second_words, union, ranks, reference, shape, slots, words, halves, key,
                           level, thread, tails, pair_items, pair_keys, copy_items, copy_keys)  # fmt: skip
            cuda.syncthreads()
            enqueue_first(first, first_words, union, ranks, shape, slots, words, key, level, thread, tails,
                          pair_items, pair_keys, copy_items, copy_keys)  # fmt: skip

    return join


def _copied_inner(bits: int) -> Any:
    """Make ``copy``: an inner node as it is, and its children into the queues below."""
    child_of, size_of = children(bits), sizes_of(bits)
    place_node, unit_count = _placing(REFERENCE_BYTES, 1 << bits, False), units(REFERENCE_BYTES, 1 << bits)
    first_slot, place_of = first_slots(REFERENCE_BYTES), places(bits, False)

    @device_function
    def copy(placed: Any, thread: Any, node: Any, which: Any, slot: Any, key: Any, level: Any, allocator: Any,
             capacity: Any, given: Any, words: Any, tails: Any, pair_items: Any, pair_keys: Any,
             copy_items: Any, copy_keys: Any) -> None:  # fmt: skip
        count, last = size_of(True, node, given)
        is_dense = node & 3 == DENSE
        shape = shape_of(count, is_dense)
        if thread == 0:
            placed[0] = place_node(allocator, capacity, shape, slot, words)[0]
        cuda.syncthreads()
        reference = placed[0]
        if reference != 0:
            source, to, word = node & ~3, reference & ~3, np.int64(thread)
            while word < 4 * np.int64(unit_count(shape)):
                words[to + word] = np.uint32(1) if word == 1 else load_word(given, source + word)[0]
                word += LEAF_THREADS
            slots = to + np.int64((FIRST_DENSE_SLOT if is_dense else first_slot(count)) // 4)
            step = np.int32(0)
            while step < last:
                entry = np.int32(step + thread)
                own, half = child_of(entry < last, node, count, entry, given)
                child_key = key << 2 * bits | np.int64(place_of(half))
                dense_leaf = level == 0 and own & 3 == DENSE
                one, two = (np.int64(0), own) if which == 1 else (own, np.int64(0))
                append(own != 0 and dense_leaf, one, two, slots + entry, child_key, 2 * level + PAIRS, tails,
                       pair_items, pair_keys)  # fmt: skip
                append(own != 0 and not dense_leaf, own, which, slots + entry, child_key, 2 * level + COPIES,
                       tails, copy_items, copy_keys)  # fmt: skip
                step = np.int32(step + LEAF_THREADS)

    return copy


def _options() -> dict[str, Any]:
    return {} if SIMULATED else {"launch_bounds": (LEAF_THREADS, RESIDENT)}


@functools.cache
def inner_kernel(bits: int, transposed: tuple[bool, bool]) -> Any:
    """Make the kernel that works off the pairs and copies of a level of inner nodes.

    Parameters
    ----------
    bits
        log2 of d.
    transposed
        Whether A, and B, are transposed.
    """
    join, copy, room = _joined(bits, transposed), _copied_inner(bits), Bitmap(bits).room

    @cuda.jit(**_options())
    def kernel(items, keys, copied, copied_keys, heads, tails, queue, first_words, second_words, words, halves,
               allocator, capacity, pair_items, pair_keys, copy_items, copy_keys):  # fmt: skip
        """Draw items, one a block, until both queues are empty.

        Parameters
        ----------
        items, keys, copied, copied_keys
            The queues of the level.
        heads, tails, queue
            int32, one a queue, and the first of these.
        first_words, second_words, words, halves
            The pools of A, of B and of the sum; that also as coordinates.
        allocator, capacity
            int64 of 1, see `LEAF_BITS`, and the units that the pool of the sum has.
        pair_items, pair_keys, copy_items, copy_keys
            The queues of the level below.
        """
        union = cuda.shared.array(room, np.uint32)
        ranks = cuda.shared.array(room, np.uint16)
        totals = cuda.shared.array(WARP, np.int32)
        shared = cuda.shared.array(1, np.int32)
        placed = cuda.shared.array(1, np.int64)
        begin_in_sequence()
        thread, level = np.int32(cuda.threadIdx.x), np.int32(queue // 2 - 1)
        end, item = tails[queue + PAIRS], draw(heads, queue + PAIRS, 1, shared)
        while item < end:
            at = np.int64(ITEM * item)
            join(union, ranks, totals, placed, thread, np.int64(items[at]), np.int64(items[at + 1]),
                 items[at + 2], keys[item], level, allocator, capacity, first_words, second_words, words,
                 halves, tails, pair_items, pair_keys, copy_items, copy_keys)  # fmt: skip
            item = draw(heads, queue + PAIRS, 1, shared)
        end, item = tails[queue + COPIES], draw(heads, queue + COPIES, 1, shared)
        while item < end:
            at = np.int64(ITEM * item)
            node, which = np.int64(copied[at]), np.int32(copied[at + 1])
            slot, key = copied[at + 2], copied_keys[item]
            if which == 1:
                copy(placed, thread, node, which, slot, key, level, allocator, capacity, second_words, words,
                     tails, pair_items, pair_keys, copy_items, copy_keys)  # fmt: skip
            else:
                copy(placed, thread, node, which, slot, key, level, allocator, capacity, first_words, words,
                     tails, pair_items, pair_keys, copy_items, copy_keys)  # fmt: skip
            item = draw(heads, queue + COPIES, 1, shared)

    return kernel


def _copied_leaf(real: Any, bits: int) -> Any:
    """Make ``copy(...)``: a sparse leaf that is not transposed, times a factor, by a warp."""
    width = np.dtype(real).itemsize
    place_node, first_slot = _placing(width, 1 << bits, True), first_slots(width)
    begin, product = node_heads(width, 1 << bits), rounded_product(real)

    @device_function
    def copy(lane: Any, node: Any, slot: Any, key: Any, factor: Any, allocator: Any, capacity: Any, given: Any,
             given_halves: Any, given_values: Any, words: Any, halves: Any, values: Any, leaf_keys: Any,
             leaf_nodes: Any) -> None:  # fmt: skip
        source = node & ~3
        count = np.int32(load_word(given, source)[0])
        shape, reference = shape_of(count, False), np.int64(0)
        if lane == 0:
            reference, number = place_node(allocator, capacity, shape, slot, words)
            if reference != 0:
                begin(words, halves, reference, shape)
                leaf_keys[number] = key
                leaf_nodes[2 * number], leaf_nodes[2 * number + 1] = np.uint32(reference), np.uint32(count)
        reference = cuda.shfl_sync(0xFFFFFFFF, reference, 0)
        if reference != 0:
            to, first = reference & ~3, np.int64(first_slot(count))
            entry = lane
            while entry < padded_count(count):
                halves[2 * to + FIRST_COORDINATE // 2 + entry] = given_halves[
                    2 * source + FIRST_COORDINATE // 2 + entry
                ]
                if entry < count:
                    values[(4 * to + first) // width + entry] = product(
                        factor, given_values[(4 * source + first) // width + entry]
                    )
                entry = np.int32(entry + WARP)

    return copy


@functools.cache
def leaves_kernel(real: Any, bits: int, transposed: tuple[bool, bool]) -> Any:
    """Make the kernel that works off the pairs and copies of leaves.

    Parameters
    ----------
    real
        np.float32 or np.float64.
    bits, transposed
        As of `inner_kernel`.
    """
    width, room = np.dtype(real).itemsize, Bitmap(bits).room
    shape_of_pair = shapes_of_pairs(real, bits, transposed, False, dense_from(1 << bits, width))
    write = written(real, bits, transposed, False, WINDOW)
    place_node, copy = _placing(width, 1 << bits, True), _copied_leaf(real, bits)

    @cuda.jit(**_options())
    def kernel(items, keys, copied, copied_keys, heads, tails, first_words, first_halves, first_values,
               second_words, second_halves, second_values, words, halves, values, allocator, capacity,
               leaf_keys, leaf_nodes, alpha, beta):  # fmt: skip
        """Draw pairs, one a block, then copies, one a warp, until both queues are empty.

        Parameters
        ----------
        items, keys, copied, copied_keys
            The queues of leaves.
        heads, tails
            int32, one a queue.
        first_words, first_halves, first_values, second_words, second_halves, second_values
            The pools of A and of B, as words, coordinates and values.
        words, halves, values
            The pool of the sum.
        allocator, capacity
            As of `inner_kernel`.
        leaf_keys, leaf_nodes
            int64, and uint32 of 2: the leaves in the order of their allocation, their references and entries.
        alpha, beta
            Scalars.
        """
        union = cuda.shared.array(room, np.uint32)
        ranks = cuda.shared.array(room, np.uint16)
        sources = cuda.shared.array(WINDOW, np.uint16)
        others = cuda.shared.array(WINDOW, np.uint16)
        totals = cuda.shared.array(WARP, np.int32)
        shared = cuda.shared.array(4, np.int32)
        placed = cuda.shared.array(1, np.int64)
        begin_in_sequence()
        thread = np.int32(cuda.threadIdx.x)
        end, item = tails[PAIRS], draw(heads, PAIRS, 1, shared)
        while item < end:
            at = np.int64(ITEM * item)
            first, second, first_count, second_count = items[at], items[at + 1], np.int32(0), np.int32(0)
            if first != 0:
                first_count = np.int32(load_word(first_words, np.int64(first) & ~3)[0])
            if second != 0:
                second_count = np.int32(load_word(second_words, np.int64(second) & ~3)[0])
            pair = (first, first_count, second, second_count)
            shape = shape_of_pair(union, totals, thread, pair, first_halves, first_values, second_halves,
                                  second_values, alpha, beta)  # fmt: skip
            cuda.syncthreads()
            if thread == 0:
                reference, number = place_node(allocator, capacity, shape, items[at + 2], words)
                placed[0] = reference
                if reference != 0:
                    leaf_keys[number] = keys[item]
                    leaf_nodes[2 * number] = np.uint32(reference)
                    leaf_nodes[2 * number + 1] = np.uint32(shape >> 2)
            cuda.syncthreads()
            if placed[0] != 0:
                write(union, ranks, sources, others, totals, shared, thread, shape, placed[0], pair,
                      first_halves, first_values, second_halves, second_values, words, halves, values, alpha,
                      beta)  # fmt: skip
            item = draw(heads, PAIRS, 1, shared)
        end, item = tails[COPIES], draw(heads, COPIES, _WARPS, shared)
        while item < end:
            own = np.int32(item + thread // WARP)
            if own < end:
                at = np.int64(ITEM * own)
                node, slot, key = np.int64(copied[at]), copied[at + 2], copied_keys[own]
                if copied[at + 1] == 1:
                    copy(thread % WARP, node, slot, key, beta, allocator, capacity, second_words,
                         second_halves, second_values, words, halves, values, leaf_keys,
                         leaf_nodes)  # fmt: skip
                else:
                    copy(thread % WARP, node, slot, key, alpha, allocator, capacity, first_words, first_halves,
                         first_values, words, halves, values, leaf_keys, leaf_nodes)  # fmt: skip
            item = draw(heads, COPIES, _WARPS, shared)

    return kernel
