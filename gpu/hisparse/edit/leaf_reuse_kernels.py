"""Leaves that a batch of edits leaves as they are: listed, put among those that it makes, and copied."""

import functools
from typing import Any

import numpy as np

from gpu.hisparse.node_shapes import KIND_BITS, units
from gpu.runtime.cuda import SIMULATED, cuda
from gpu.runtime.kernel_sequence import begin_in_sequence
from gpu.sorting.runs import keys_before

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
        place = keys_before(touched_keys, touched, key)
        hit = place < touched and touched_keys[min(place, touched - 1)] == key
        stay[at] = np.int32(0 if hit else 1)


@cuda.jit
def reused_kernel(stay, places, leaves, leaf_keys, leaf_nodes, made_keys, made, keys, shapes, sources):
    """Put leaves that stay among those that are made, a leaf of the matrix a thread.

    Parameters
    ----------
    stay, places, leaves
        Of `untouched_kernel`, the sums before each, and how many.
    leaf_keys, leaf_nodes
        int64 and uint32 of 2: of the matrix.
    made_keys, made
        int64: of leaves that are made, and how many.
    keys, shapes, sources
        What is written: int64 keys, int32 shapes, uint32 references to where each leaf is now.
    """
    at = np.int64(cuda.grid(1))
    begin_in_sequence()
    if at < leaves and stay[at] == 1:
        to = np.int64(places[at]) + keys_before(made_keys, made, leaf_keys[at])
        keys[to] = leaf_keys[at]
        shapes[to] = np.int32(
            np.int32(leaf_nodes[2 * at + 1]) << KIND_BITS | np.int32(leaf_nodes[2 * at] & 3)
        )
        sources[to] = leaf_nodes[2 * at]


@cuda.jit
def made_kernel(made_keys, made_shapes, made, leaf_keys, leaves, places, reused, keys, shapes, sources, own):
    """Put leaves that are made among those that stay, one a thread.

    Parameters
    ----------
    made_keys, made_shapes, made
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
    if at < made:
        leaf = keys_before(leaf_keys, leaves, made_keys[at])
        to = at + np.int64(places[min(leaf, leaves - 1)] if leaf < leaves else reused)
        keys[to], shapes[to], sources[to] = made_keys[at], made_shapes[at], np.uint32(0)
        own[at] = np.int32(to)


@cuda.jit
def references_kernel(own, made, references, made_references):
    """Give where each leaf that is made begins, one a thread.

    Parameters
    ----------
    own, made
        Of `made_kernel`, and how many.
    references
        uint32: of all leaves.
    made_references
        uint32: what is written.
    """
    at = np.int64(cuda.grid(1))
    begin_in_sequence()
    if at < made:
        made_references[at] = references[own[at]]


@functools.cache
def copy_kernel(width: int, node_size: int) -> Any:
    """Make the kernel that copies leaves that stay.

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
        """Copy a leaf, if this is one that stays; only the new matrix refers to the copy.

        Parameters
        ----------
        sources, shapes
            uint32 and int32, of `reused_kernel`.
        references
            uint32: where each begins.
        given, words
            The pools, uint32.
        """
        begin_in_sequence()
        leaf, thread = np.int64(cuda.blockIdx.x), np.int64(cuda.threadIdx.x)
        source = np.int64(sources[leaf]) & ~3
        if source != 0:
            to, word = np.int64(references[leaf]) & ~3, thread
            while word < 4 * np.int64(unit_count(shapes[leaf])):
                words[to + word] = np.uint32(1) if word == 1 else given[source + word]
                word += COPY_THREADS

    return kernel
