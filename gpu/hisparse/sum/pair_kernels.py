"""The kernels of a dual traversal: what begins it, one for the inner nodes of a level, one for the leaves.

The union of the entries of two nodes is found by a bitmap of d x d bits in shared memory, for every
combination of types and whatever is transposed; the paper sorts or merges the coordinates of sparse nodes
there. A new node gets its place from an atomic counter, as in the paper.
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
from gpu.runtime.cuda import EVERY_LANE, SIMULATED, WARP, cuda, device_function
from gpu.runtime.kernel_sequence import begin_in_sequence

RESIDENT = 2 if SIMULATED else 8
"""Blocks of a multiprocessor that there must be registers for, and that are launched."""
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
    """Make ``place(pool, shape, slot)``: a new node's reference, and its number among the leaves.

    One thread calls it. It writes the reference to the slot; without room it is 0.
    """
    unit_count, counted = units(width, node_size), (1 << LEAF_BITS) if leaf else 0

    @device_function
    def place(pool: Any, shape: Any, slot: Any) -> Any:
        allocator, capacity, words = pool[0], pool[1], pool[2]
        size = np.int64(unit_count(shape))
        taken = cuda.atomic.add(allocator, 0, np.int64(size + np.int64(counted)))
        unit, number = taken & np.int64(0xFFFFFFFF), taken >> LEAF_BITS
        reference = np.int64(unit * 4 + (shape & 3)) if unit + size <= capacity else np.int64(0)
        words[np.int64(slot)] = np.uint32(reference)
        return reference, number

    return place


def _marking(bits: int, transposed: bool) -> Any:
    """Make ``mark(union, node, words, thread)``: set the bits of the places of the children of an operand."""
    child_of, size_of, place_of = children(bits), sizes_of(bits), places(bits, transposed)
    word_of = Bitmap(bits).word()

    @device_function
    def mark(union: Any, node: Any, words: Any, thread: Any) -> None:
        count, last = size_of(node != 0, node, words)
        entry = thread
        while entry < last:
            own, half = child_of(True, node, count, entry, words)
            if own != 0:
                place = place_of(half)
                cuda.atomic.or_(union, word_of(place), bit_of(place))
            entry = np.int32(entry + LEAF_THREADS)

    return mark


def _heading(bits: int) -> Any:
    """Make ``head(pool, reference, shape, thread)``: an inner node without children, and its first slot."""
    begin, first_slot = node_heads(REFERENCE_BYTES, 1 << bits), first_slots(REFERENCE_BYTES)
    most = 1 << 2 * bits

    @device_function
    def head(pool: Any, reference: Any, shape: Any, thread: Any) -> Any:
        words, halves = pool[2], pool[3]
        count, is_dense = np.int32(shape >> 2), shape & 3 == DENSE
        slots = (reference & ~3) + np.int64((FIRST_DENSE_SLOT if is_dense else first_slot(count)) // 4)
        if thread == 0:
            begin(words, halves, reference, shape)
        place = thread
        while place < np.int32(most if is_dense else count):
            words[slots + place] = np.uint32(0)
            place = np.int32(place + LEAF_THREADS)
        cuda.syncthreads()
        return slots

    return head


def _slots(bits: int) -> Any:
    """Make ``slot_of(made, place, marks)``: the word of a child in the new node, whose place is written."""
    rank_of, mask = Bitmap(bits).rank_of(), (1 << bits) - 1

    @device_function
    def slot_of(made: Any, place: Any, marks: Any, halves: Any) -> Any:
        reference, shape, slots = made
        if shape & 3 == DENSE:
            return slots + np.int64(place)
        rank, count = rank_of(place, marks[0], marks[1]), np.int32(shape >> 2)
        half = np.uint16((place >> bits) << 8 | (place & mask))
        to = 2 * (reference & ~3) + FIRST_COORDINATE // 2
        halves[to + rank] = half
        if rank == count - 1:
            for more in range(count, padded_count(count)):
                halves[to + more] = half
        return slots + np.int64(rank)

    return slot_of


def _queueing(bits: int, transposed: bool, second: bool) -> Any:
    """Make ``enqueue``: the children of one operand into the queues below.

    A has written its children to their slots before. B takes them from there for its pairs, and leaves 0;
    what A then finds in a slot only A has.
    """
    child_of, size_of, place_of, slot_of = (
        children(bits),
        sizes_of(bits),
        places(bits, transposed),
        _slots(bits),
    )

    @device_function
    def enqueue(node: Any, given: Any, made: Any, marks: Any, pool: Any, key: Any, level: Any, thread: Any,
                below: Any) -> None:  # fmt: skip
        words, halves = pool[2], pool[3]
        count, last = size_of(node != 0, node, given)
        step = np.int32(0)
        while step < last:
            entry = np.int32(step + thread)
            own, half = child_of(entry < last, node, count, entry, given)
            there, slot, child_key, other = own != 0, np.int64(0), np.int64(0), np.int64(0)
            if there:
                place = place_of(half)
                slot, child_key = slot_of(made, place, marks, halves), key << 2 * bits | np.int64(place)
                other = np.int64(words[slot])
                if second:
                    words[slot] = np.uint32(0)
            if not second:
                there, other = other != 0, np.int64(0)
            # A node that is transposed, and a dense leaf, is no plain copy.
            alone = there and other == 0 and not transposed and not (level == 0 and own & 3 == DENSE)
            one, two = (other, own) if second else (own, other)
            append(there and not alone, (one, two, slot, child_key), 2 * level + PAIRS, below)
            append(alone, (own, np.int64(second), slot, child_key), 2 * level + COPIES, below)
            step = np.int32(step + LEAF_THREADS)

    return enqueue


def _joined(bits: int, transposed: tuple[bool, bool]) -> Any:
    """Make ``join(shared, pair, given, pool, thread, below)``: the node of the sum of two inner nodes."""
    child_of, size_of, place_of = children(bits), sizes_of(bits), places(bits, transposed[0])
    mark_first, mark_second = (_marking(bits, way) for way in transposed)
    enqueue_first, enqueue_second = (_queueing(bits, way, k == 1) for k, way in enumerate(transposed))
    clear, rank, head, slot_of = Bitmap(bits).clear(), Bitmap(bits).rank(), _heading(bits), _slots(bits)
    place_node = _placing(REFERENCE_BYTES, 1 << bits, False)
    dense_at = dense_from(1 << bits, REFERENCE_BYTES)

    @device_function
    def store_first(node: Any, given: Any, made: Any, marks: Any, pool: Any, thread: Any) -> None:
        words, halves = pool[2], pool[3]
        count, last = size_of(node != 0, node, given)
        entry = thread
        while entry < last:
            own, half = child_of(True, node, count, entry, given)
            if own != 0:
                words[slot_of(made, place_of(half), marks, halves)] = np.uint32(own)
            entry = np.int32(entry + LEAF_THREADS)

    @device_function
    def join(shared: Any, pair: Any, given: Any, pool: Any, thread: Any, below: Any) -> None:
        union, ranks, totals, placed = shared
        first, second, slot, key, level = pair
        clear(union, thread)
        mark_first(union, first, given[0], thread)
        mark_second(union, second, given[1], thread)
        count = rank(union, ranks, totals, thread)
        shape = shape_of(count, count >= dense_at)
        if thread == 0:
            placed[0] = place_node(pool, shape, slot)[0]
        cuda.syncthreads()
        reference, marks = placed[0], (union, ranks)
        if reference != 0:
            made = (reference, shape, head(pool, reference, shape, thread))
            store_first(first, given[0], made, marks, pool, thread)
            cuda.syncthreads()
            enqueue_second(second, given[1], made, marks, pool, key, level, thread, below)
            cuda.syncthreads()
            enqueue_first(first, given[0], made, marks, pool, key, level, thread, below)

    return join


def _copied_inner(bits: int) -> Any:
    """Make ``copy``: an inner node as it is, and its children into the queues below."""
    child_of, size_of, place_of = children(bits), sizes_of(bits), places(bits, False)
    place_node, unit_count = _placing(REFERENCE_BYTES, 1 << bits, False), units(REFERENCE_BYTES, 1 << bits)
    first_slot = first_slots(REFERENCE_BYTES)

    @device_function
    def copy(placed: Any, item: Any, given: Any, pool: Any, thread: Any, below: Any) -> None:
        node, which, slot, key, level = item
        count, last = size_of(True, node, given)
        is_dense = node & 3 == DENSE
        shape = shape_of(count, is_dense)
        if thread == 0:
            placed[0] = place_node(pool, shape, slot)[0]
        cuda.syncthreads()
        reference, words = placed[0], pool[2]
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
                is_pair, there = level == 0 and own & 3 == DENSE, own != 0
                one, two = (np.int64(0), own) if which == 1 else (own, np.int64(0))
                append(there and is_pair, (one, two, slots + entry, child_key), 2 * level + PAIRS, below)
                alone = there and not is_pair
                append(alone, (own, which, slots + entry, child_key), 2 * level + COPIES, below)
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
    def kernel(items, keys, copied, copied_keys, heads, tails, queue, first_words, second_words, words,
               halves, allocator, capacity, pair_items, pair_keys, copy_items, copy_keys):  # fmt: skip
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
        below, pool = (
            (tails, pair_items, pair_keys, copy_items, copy_keys),
            (allocator, capacity, words, halves),
        )
        own, given = (union, ranks, totals, placed), (first_words, second_words)
        end, item = tails[queue + PAIRS], draw(heads, queue + PAIRS, 1, shared)
        while item < end:
            at = np.int64(ITEM * item)
            pair = (np.int64(items[at]), np.int64(items[at + 1]), items[at + 2], keys[item], level)
            join(own, pair, given, pool, thread, below)
            item = draw(heads, queue + PAIRS, 1, shared)
        end, item = tails[queue + COPIES], draw(heads, queue + COPIES, 1, shared)
        while item < end:
            at = np.int64(ITEM * item)
            which = np.int64(copied[at + 1])
            one = (np.int64(copied[at]), which, copied[at + 2], copied_keys[item], level)
            if which == 1:
                copy(placed, one, second_words, pool, thread, below)
            else:
                copy(placed, one, first_words, pool, thread, below)
            item = draw(heads, queue + COPIES, 1, shared)

    return kernel


@device_function
def list_leaf(listed: Any, number: Any, key: Any, reference: Any, shape: Any) -> None:
    """Write key, reference and entries of a leaf to the lists of leaves.

    Parameters
    ----------
    listed
        The lists: int64 keys, and uint32 of 2.
    number
        Of the leaf.
    key, reference, shape
        What is written.
    """
    listed[0][number] = key
    listed[1][2 * number], listed[1][2 * number + 1] = np.uint32(reference), np.uint32(shape >> 2)


def _copied_leaf(real: Any, bits: int) -> Any:
    """Make ``copy(...)``: a sparse leaf that is not transposed, times a factor, by a warp."""
    width = np.dtype(real).itemsize
    place_node, first_slot = _placing(width, 1 << bits, True), first_slots(width)
    begin, product = node_heads(width, 1 << bits), rounded_product(real)

    @device_function
    def copy(lane: Any, item: Any, factor: Any, given: Any, pool: Any, listed: Any) -> None:
        node, slot, key = item
        given_words, given_halves, given_values = given
        words, halves, values = pool[2], pool[3], pool[4]
        source = node & ~3
        count = np.int32(load_word(given_words, source)[0])
        shape, reference = shape_of(count, False), np.int64(0)
        if lane == 0:
            reference, number = place_node(pool, shape, slot)
            if reference != 0:
                begin(words, halves, reference, shape)
                list_leaf(listed, number, key, reference, shape)
        reference = cuda.shfl_sync(EVERY_LANE, reference, 0)
        if reference != 0:
            to, first = reference & ~3, np.int64(first_slot(count))
            at, to_at = 2 * source + FIRST_COORDINATE // 2, 2 * to + FIRST_COORDINATE // 2
            from_slot, to_slot = (4 * source + first) // width, (4 * to + first) // width
            entry = lane
            while entry < padded_count(count):
                halves[to_at + entry] = given_halves[at + entry]
                if entry < count:
                    values[to_slot + entry] = product(factor, given_values[from_slot + entry])
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
        thread, listed = np.int32(cuda.threadIdx.x), (leaf_keys, leaf_nodes)
        pool = (allocator, capacity, words, halves, values)
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
                reference, number = place_node(pool, shape, items[at + 2])
                placed[0] = reference
                if reference != 0:
                    list_leaf(listed, number, keys[item], reference, shape)
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
                one = (np.int64(copied[at]), copied[at + 2], copied_keys[own])
                if copied[at + 1] == 1:
                    given = (second_words, second_halves, second_values)
                    copy(thread % WARP, one, beta, given, pool, listed)
                else:
                    given = (first_words, first_halves, first_values)
                    copy(thread % WARP, one, alpha, given, pool, listed)
            item = draw(heads, COPIES, _WARPS, shared)

    return kernel
