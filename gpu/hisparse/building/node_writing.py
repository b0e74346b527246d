"""What writes nodes, a node a block of threads: inner ones, and leaves that are made of sorted entries."""

import functools
from typing import Any

import numpy as np

from gpu.hisparse.node_layout import DENSE, FIRST_COORDINATE, FIRST_DENSE_SLOT
from gpu.hisparse.node_shapes import first_slots, padded_count, units
from gpu.runtime.cuda import SIMULATED, cuda, device_function
from gpu.runtime.kernel_sequence import begin_in_sequence

NODE_THREADS = 32 if SIMULATED else 128


def heads(width: int, node_size: int) -> Any:
    """Make ``begin(words, halves, reference, shape, last)``: all of a node but its entries, by one thread.

    Parameters
    ----------
    width
        Bytes of a slot.
    node_size
        d.
    """
    first_slot, unit_count = first_slots(width), units(width, node_size)

    @device_function
    def begin(words: Any, halves: Any, reference: Any, shape: Any) -> None:
        at = np.int64(reference) & ~3
        count = np.int32(shape >> 2)
        words[at] = np.uint32(count)
        words[at + 1] = np.uint32(1)
        if shape & 3 == DENSE:
            words[at + 2] = np.uint32(0)
            words[at + 3] = np.uint32(0)
        else:
            padded = padded_count(count)
            slots = np.int64(first_slot(count) // 2)
            half = FIRST_COORDINATE // 2 + np.int64(padded)
            while half < slots:
                halves[2 * at + half] = np.uint16(0)
                half += 1
            half = slots + np.int64(count) * (width // 2)
            while half < np.int64(unit_count(shape)) * 8:
                halves[2 * at + half] = np.uint16(0)
                half += 1

    return begin


@functools.cache
def inner_kernel(bits: int) -> Any:
    """Make the kernel that writes the inner nodes of a level.

    Parameters
    ----------
    bits
        log2 of d.
    """
    begin, first_slot = heads(4, 1 << bits), first_slots(4)
    mask, places = (1 << bits) - 1, 1 << 2 * bits

    @cuda.jit
    def kernel(keys, nodes, firsts, parents, shapes, references, words, halves):
        """Write a node.

        Parameters
        ----------
        keys, nodes
            int64, and uint32 of 2: the children, of `node_kernels.place_kernel`.
        firsts, parents, shapes
            int32: of `parents_kernel` and `parent_shapes_kernel`.
        references
            uint32: where each node begins, plus its type.
        words, halves
            The pool.
        """
        begin_in_sequence()
        node = np.int64(cuda.blockIdx.x)
        thread = np.int32(cuda.threadIdx.x)
        if node < parents[0]:
            reference, shape = references[node], shapes[node]
            at, count = np.int64(reference) & ~3, np.int32(shape >> 2)
            first = np.int64(firsts[node])
            if thread == 0:
                begin(words, halves, reference, shape)
            if shape & 3 == DENSE:
                place = thread
                while place < places:
                    words[at + FIRST_DENSE_SLOT // 4 + place] = np.uint32(0)
                    place = np.int32(place + NODE_THREADS)
            cuda.syncthreads()
            child = thread
            last = padded_count(count) if shape & 3 != DENSE else count
            while child < last:
                own = first + min(child, np.int32(count - 1))
                key = np.int32(keys[own] & ((1 << 2 * bits) - 1))
                if shape & 3 == DENSE:
                    words[at + FIRST_DENSE_SLOT // 4 + key] = nodes[2 * own]
                else:
                    half = (key >> bits) << 8 | (key & mask)
                    halves[2 * at + FIRST_COORDINATE // 2 + child] = np.uint16(half)
                    if child < count:
                        words[at + first_slot(count) // 4 + child] = nodes[2 * own]
                child = np.int32(child + NODE_THREADS)

    return kernel


@functools.cache
def fill_kernel(real: Any, bits: int) -> Any:
    """Make the kernel that writes leaves.

    Parameters
    ----------
    real
        np.float32 or np.float64.
    bits
        log2 of d.
    """
    width, mask, most = np.dtype(real).itemsize, (1 << bits) - 1, 1 << 2 * bits
    begin, first_slot = heads(width, 1 << bits), first_slots(width)

    @cuda.jit
    def kernel(keys, entries, firsts, shapes, references, words, halves, values):
        """Write a leaf.

        Parameters
        ----------
        keys, entries
            int64 keys and values of the entries, in order.
        firsts
            int32: the first entry of each leaf.
        shapes, references
            int32 and uint32: the shape of each leaf, and where it begins, plus its type.
        words, halves, values
            The pool.
        """
        begin_in_sequence()
        leaf, thread = np.int64(cuda.blockIdx.x), np.int32(cuda.threadIdx.x)
        reference, shape, first = references[leaf], shapes[leaf], np.int64(firsts[leaf])
        at, count = np.int64(reference) & ~3, np.int32(shape >> 2)
        if thread == 0:
            begin(words, halves, reference, shape)
        if shape & 3 == DENSE:
            to_slots = (4 * at + FIRST_DENSE_SLOT) // width
            place = thread
            while count < most and place < most:
                values[to_slots + place] = real(-0.0)
                place = np.int32(place + NODE_THREADS)
            cuda.syncthreads()
            entry = thread
            while entry < count:
                values[to_slots + (keys[first + entry] & (most - 1))] = entries[first + entry]
                entry = np.int32(entry + NODE_THREADS)
        else:
            to_halves, to_slots = 2 * at + FIRST_COORDINATE // 2, (4 * at + first_slot(count)) // width
            entry = thread
            while entry < padded_count(count):
                place = np.int32(keys[first + min(entry, np.int32(count - 1))] & (most - 1))
                halves[to_halves + entry] = np.uint16((place >> bits) << 8 | (place & mask))
                if entry < count:
                    values[to_slots + entry] = entries[first + entry]
                entry = np.int32(entry + NODE_THREADS)

    return kernel
