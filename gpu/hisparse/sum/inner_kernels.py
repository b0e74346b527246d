"""The inner nodes of a sum, a node a block of threads."""

import functools
from typing import Any

import numpy as np

from gpu.hisparse.node_layout import DENSE, FIRST_COORDINATE, FIRST_DENSE_SLOT
from gpu.hisparse.node_shapes import first_slots, padded_count
from gpu.hisparse.sum.writing import heads
from gpu.runtime.cuda import SIMULATED, cuda
from gpu.runtime.launches import let_next_begin, wait_for_previous

INNER_THREADS = 32 if SIMULATED else 128


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
            int64, and uint32 of 2: the children, see `place_kernel`.
        firsts, parents, shapes
            int32: of `parents_kernel` and `parent_shapes_kernel`.
        references
            uint32: where each node begins, plus its type.
        words, halves
            The pool.
        """
        let_next_begin()
        wait_for_previous()
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
                    place = np.int32(place + INNER_THREADS)
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
                child = np.int32(child + INNER_THREADS)

    return kernel
