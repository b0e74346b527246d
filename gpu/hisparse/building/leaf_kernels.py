"""The leaves of a tree that is made of sorted entries, a leaf a block of threads."""

import functools
from typing import Any

import numpy as np

from gpu.hisparse.node_layout import DENSE, FIRST_COORDINATE, FIRST_DENSE_SLOT
from gpu.hisparse.node_shapes import first_slots, padded_count
from gpu.hisparse.sum.writing import heads
from gpu.runtime.cuda import SIMULATED, cuda
from gpu.runtime.launches import let_next_begin, wait_for_previous

LEAF_THREADS = 32 if SIMULATED else 128


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
        let_next_begin()
        wait_for_previous()
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
                place = np.int32(place + LEAF_THREADS)
            cuda.syncthreads()
            entry = thread
            while entry < count:
                values[to_slots + (keys[first + entry] & (most - 1))] = entries[first + entry]
                entry = np.int32(entry + LEAF_THREADS)
        else:
            to_halves, to_slots = 2 * at + FIRST_COORDINATE // 2, (4 * at + first_slot(count)) // width
            entry = thread
            while entry < padded_count(count):
                place = np.int32(keys[first + min(entry, np.int32(count - 1))] & (most - 1))
                halves[to_halves + entry] = np.uint16((place >> bits) << 8 | (place & mask))
                if entry < count:
                    values[to_slots + entry] = entries[first + entry]
                entry = np.int32(entry + LEAF_THREADS)

    return kernel
