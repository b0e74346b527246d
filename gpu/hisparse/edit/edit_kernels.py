"""A batch of edits next to the entries of the leaves that it touches: both merged, and what stays marked.

Lists of keys rise, so that the place of a key in the merged list is its own place plus the number of keys
of the other list before it.

Leaves that a batch does not touch are listed among those that it makes; they stay where they are.
"""

import functools
from typing import Any

import numpy as np

from gpu.hisparse.node_layout import DENSE, FIRST_COORDINATE, FIRST_DENSE_SLOT
from gpu.hisparse.node_shapes import KIND_BITS, first_slots, is_there, units
from gpu.kernel_parts.bisection import first_from
from gpu.runtime.cuda import SIMULATED, cuda
from gpu.runtime.kernel_sequence import begin_in_sequence

COPY_THREADS = 32 if SIMULATED else 128


@cuda.jit
def untouched_kernel(leaf_keys, leaves, touched_keys, touched, stay):
    """Mark the leaves that a batch does not touch, a leaf a thread.

    Parameters
    ----------
    leaf_keys, leaves
        int64: of the matrix, and how many.
    touched_keys, touched
        int64: the keys that the batch touches, and how many.
    stay
        int32: what is written, 1 or 0.
    """
    at = np.int64(cuda.grid(1))
    begin_in_sequence()
    if at < leaves:
        key = leaf_keys[at]
        place = first_from(touched_keys, 0, touched, key)
        hit = place < touched and touched_keys[min(place, touched - 1)] == key
        stay[at] = np.int32(0 if hit else 1)


@cuda.jit
def reused_kernel(stay, places, leaves, leaf_keys, leaf_nodes, made_keys, built, keys, shapes, sources):
    """Put leaves that stay among those that are made, a leaf of the matrix a thread.

    Parameters
    ----------
    stay, places, leaves
        Of `untouched_kernel`, the sums before each, and how many.
    leaf_keys, leaf_nodes
        int64 and uint32 of 2: of the matrix.
    made_keys, built
        int64: of leaves that are made, and how many.
    keys, shapes, sources
        What is written: int64 keys, int32 shapes, uint32 references to where each leaf is now.
    """
    at = np.int64(cuda.grid(1))
    begin_in_sequence()
    if at < leaves and stay[at] == 1:
        to = np.int64(places[at]) + first_from(made_keys, 0, built, leaf_keys[at])
        keys[to] = leaf_keys[at]
        shapes[to] = np.int32(
            np.int32(leaf_nodes[2 * at + 1]) << KIND_BITS | np.int32(leaf_nodes[2 * at] & 3)
        )
        sources[to] = leaf_nodes[2 * at]


@cuda.jit
def made_kernel(made_keys, made_shapes, built, leaf_keys, leaves, places, reused, keys, shapes, sources, own):
    """Put leaves that are made among those that stay, one a thread.

    Parameters
    ----------
    made_keys, made_shapes, built
        int64 and int32: of leaves that are made, and how many.
    leaf_keys, leaves, places, reused
        Of the matrix: keys, how many, the sums of those that stay before each, and of all.
    keys, shapes, sources
        As of `reused_kernel`; it has no source, 0.
    own
        int32: the place of each in the list.
    """
    at = np.int64(cuda.grid(1))
    begin_in_sequence()
    if at < built:
        leaf = first_from(leaf_keys, 0, leaves, made_keys[at])
        to = at + np.int64(places[min(leaf, leaves - 1)] if leaf < leaves else reused)
        keys[to], shapes[to], sources[to] = made_keys[at], made_shapes[at], np.uint32(0)
        own[at] = np.int32(to)


@cuda.jit
def listed_kernel(nodes, leaves, shapes, sources):
    """List the leaves of a matrix as they are, a leaf a thread.

    Parameters
    ----------
    nodes, leaves
        uint32 of 2 a leaf, reference and entries, and how many there are.
    shapes, sources
        What is written: int32 shapes and uint32 references.
    """
    at = np.int64(cuda.grid(1))
    begin_in_sequence()
    if at < leaves:
        shapes[at] = np.int32(np.int32(nodes[2 * at + 1]) << KIND_BITS | np.int32(nodes[2 * at] & 3))
        sources[at] = nodes[2 * at]


@cuda.jit
def references_kernel(own, built, references, made_references):
    """Write where each leaf that is made begins, one a thread.

    Parameters
    ----------
    own, built
        Of `made_kernel`, and how many.
    references
        uint32: of all leaves.
    made_references
        uint32: what is written.
    """
    at = np.int64(cuda.grid(1))
    begin_in_sequence()
    if at < built:
        made_references[at] = references[own[at]]


@functools.cache
def copy_kernel(width: int, node_size: int) -> Any:
    """Make the kernel that copies leaves.

    Parameters
    ----------
    width
        Bytes of a value.
    node_size
        d.
    """
    unit_count = units(width, node_size)

    @cuda.jit
    def kernel(sources, shapes, references, given, words):
        """Copy a leaf; only the new matrix refers to the copy.

        Parameters
        ----------
        sources, shapes
            uint32 and int32, of `listed_kernel`.
        references
            uint32: where each begins.
        given, words
            The pools, uint32.
        """
        begin_in_sequence()
        leaf, word = np.int64(cuda.blockIdx.x), np.int64(cuda.threadIdx.x)
        source, to = np.int64(sources[leaf]) & ~3, np.int64(references[leaf]) & ~3
        while word < 4 * np.int64(unit_count(shapes[leaf])):
            words[to + word] = np.uint32(1) if word == 1 else given[source + word]
            word += COPY_THREADS

    return kernel


EXPANDING_THREADS = 32 if SIMULATED else 128
ABSENT, STORED, EDITED = range(3)
"""States of what is merged: a slot of a dense leaf without an entry, an entry, one of the batch."""
NOTHING_WRONG = (1 << 31) - 1


@cuda.jit
def last_of_each_kernel(values, order, firsts, number, kept_values, kept_order):
    """Take the last edit of each position, a position a thread.

    Parameters
    ----------
    values
        Of the batch as it was given.
    order
        int32: which edit stands where, by positions.
    firsts
        int32 of one more: where the edits of each position begin.
    number
        Of positions.
    kept_values, kept_order
        What is written: its value, and which it is.
    """
    at = np.int64(cuda.grid(1))
    begin_in_sequence()
    if at < number:
        edit = order[firsts[at + 1] - 1]
        kept_values[at] = values[edit]
        kept_order[at] = edit


@cuda.jit
def touched_kernel(touched_keys, touched, leaf_keys, leaf_nodes, leaves, most, result, slots):
    """Find the leaves that a batch touches, one a thread.

    Parameters
    ----------
    touched_keys, touched
        int64: the keys of leaves that it has entries in; how many.
    leaf_keys, leaf_nodes, leaves
        Those of the matrix: int64, uint32 of 2, how many.
    most
        d^2.
    result
        int32: which leaf of the matrix each is, -1 for none.
    slots
        int32: the slots of it.
    """
    at = np.int64(cuda.grid(1))
    begin_in_sequence()
    if at < touched:
        key = touched_keys[at]
        leaf = first_from(leaf_keys, 0, leaves, key)
        if leaf < leaves and leaf_keys[min(leaf, leaves - 1)] == key:
            result[at] = np.int32(leaf)
            dense = leaf_nodes[2 * leaf] & np.uint32(3) == DENSE
            slots[at] = np.int32(most) if dense else np.int32(leaf_nodes[2 * leaf + 1])
        else:
            result[at] = np.int32(-1)
            slots[at] = np.int32(0)


@functools.cache
def expand_kernel(real: Any, bits: int) -> Any:
    """Make the kernel that lists the entries of the touched leaves.

    Parameters
    ----------
    real
        np.float32 or np.float64.
    bits
        log2 of d.
    """
    width, mask, most = np.dtype(real).itemsize, (1 << bits) - 1, 1 << 2 * bits
    first_slot = first_slots(width)

    @cuda.jit
    def kernel(result, places, leaf_keys, leaf_nodes, halves, values, keys, entries, states):
        """Take a touched leaf a block.

        Parameters
        ----------
        result
            int32, of `touched_kernel`.
        places
            int32: where its slots begin in the list.
        leaf_keys, leaf_nodes, halves, values
            Of the matrix.
        keys, entries, states
            What is written: int64 keys, values, int32 states.
        """
        begin_in_sequence()
        touched, thread = np.int64(cuda.blockIdx.x), np.int32(cuda.threadIdx.x)
        leaf = np.int64(result[touched])
        if leaf >= 0:
            key, count = leaf_keys[leaf] << 2 * bits, np.int32(leaf_nodes[2 * leaf + 1])
            reference, to = np.int64(leaf_nodes[2 * leaf]), np.int64(places[touched])
            at, entry = reference & ~3, thread
            if reference & 3 == DENSE:
                slots = (4 * at + FIRST_DENSE_SLOT) // width
                while entry < most:
                    value = values[slots + entry]
                    keys[to + entry] = key | np.int64(entry)
                    entries[to + entry] = value
                    states[to + entry] = np.int32(STORED if is_there(value, count == most) else ABSENT)
                    entry = np.int32(entry + EXPANDING_THREADS)
            else:
                slots = (4 * at + first_slot(count)) // width
                while entry < count:
                    half = np.int64(halves[2 * at + FIRST_COORDINATE // 2 + entry])
                    keys[to + entry] = key | (half >> 8) << bits | half & mask
                    entries[to + entry] = values[slots + entry]
                    states[to + entry] = np.int32(STORED)
                    entry = np.int32(entry + EXPANDING_THREADS)

    return kernel


@cuda.jit
def merge_entries_kernel(first_keys, first_entries, first_states, first_number, second_keys, second_entries,
                         second_number, keys, entries, states):  # fmt: skip
    """Merge entries and edits, one a thread; an edit comes after the entry of its position.

    Parameters
    ----------
    first_keys, first_entries, first_states, first_number
        Of `expand_kernel`, and how many.
    second_keys, second_entries, second_number
        The edits: keys, values, how many.
    keys, entries, states
        What is written.
    """
    at = np.int64(cuda.grid(1))
    begin_in_sequence()
    if at < first_number:
        to = at + first_from(second_keys, 0, second_number, first_keys[at])
        keys[to], entries[to], states[to] = first_keys[at], first_entries[at], first_states[at]
    elif at < first_number + second_number:
        own = at - first_number
        to = own + first_from(first_keys, 0, first_number, second_keys[own] + 1)
        keys[to], entries[to], states[to] = second_keys[own], second_entries[own], np.int32(EDITED)


@cuda.jit
def stay_kernel(keys, states, number, deleting, stay):
    """Mark what stays, a merged one a thread: the last of each position, but what is absent or deleted.

    Parameters
    ----------
    keys, states, number
        Of `merge_entries_kernel`, and how many.
    deleting
        1 if the edits delete, otherwise 0.
    stay
        int32: what is written.
    """
    at = np.int64(cuda.grid(1))
    begin_in_sequence()
    if at < number:
        last = at + 1 == number or keys[min(at + 1, number - 1)] != keys[at]
        state = states[at]
        stays = last and state != ABSENT and (deleting == 0 or state == STORED)
        stay[at] = np.int32(1 if stays else 0)


@cuda.jit
def missing_kernel(edit_keys, edit_order, edits, keys, states, number, wrong):
    """Find the first edit whose position is not stored, an edit a thread.

    Parameters
    ----------
    edit_keys, edit_order, edits
        The edits by position: keys, which each is as it was given, how many.
    keys, states, number
        Of `expand_kernel`, and how many.
    wrong
        int32 of 1: becomes the least number of such an edit.
    """
    at = np.int64(cuda.grid(1))
    begin_in_sequence()
    if at < edits:
        place = first_from(keys, 0, number, edit_keys[at])
        there = place < number and keys[min(place, max(number, 1) - 1)] == edit_keys[at]
        if not there or states[place] == ABSENT:
            cuda.atomic.min(wrong, 0, edit_order[at])


@cuda.jit
def pick_kernel(stay, places, number, keys, entries, kept_keys, kept_entries):
    """Put those that stay side by side, a merged one a thread.

    Parameters
    ----------
    stay, places, number
        Of `stay_kernel`, the sums before each, and how many.
    keys, entries
        What is picked from.
    kept_keys, kept_entries
        What is written.
    """
    at = np.int64(cuda.grid(1))
    begin_in_sequence()
    if at < number and stay[at] == 1:
        kept_keys[places[at]] = keys[at]
        kept_entries[places[at]] = entries[at]
