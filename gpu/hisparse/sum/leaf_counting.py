"""The first pass of a sum of HiSparse: how many entries each leaf will have.

A block marks the places of an operand's leaf in a bitmap of d x d bits in shared memory, and looks there for
those of the other's. So it matters nothing whether an operand is transposed: its places are.
"""

import functools
from typing import Any

import numpy as np

from gpu.hisparse.node_shapes import shape_of
from gpu.hisparse.sum.leaf_places import LEAF_THREADS, RECORD, Bitmap, marked
from gpu.kernel_parts.warps import before_in_block
from gpu.runtime.cuda import SIMULATED, WARP, cuda, device_function
from gpu.runtime.kernel_sequence import begin_in_sequence

RESIDENT = 16
"""Blocks of a multiprocessor that there must be registers for."""


def shapes_of_pairs(
    real: Any, bits: int, transposed: tuple[bool, bool], drop_zeros: bool, dense_from: int
) -> Any:
    """Make ``shape_of_pair``: the shape of the leaf of the sum of a pair, found out by a block of threads.

    Parameters
    ----------
    real, bits, transposed, drop_zeros, dense_from
        As of `count_kernel`.
    """
    room, most = Bitmap(bits).room, 1 << 2 * bits
    rounds, clear = room // LEAF_THREADS, Bitmap(bits).clear()
    mark_first = marked(real, bits, transposed[0], drop_zeros)
    mark_second = marked(real, bits, transposed[1], drop_zeros)
    find_second = marked(real, bits, transposed[1], False, counting=True)

    @device_function
    def bits_set(bitmap: Any, totals: Any, thread: Any) -> Any:
        cuda.syncthreads()
        own = np.int32(0)
        for step in range(rounds):
            own = np.int32(own + cuda.popc(bitmap[np.uint32(thread + step * LEAF_THREADS)]))
        return before_in_block(own, totals, thread, LEAF_THREADS // WARP)[1]

    @device_function
    def entries_of_both(bitmap: Any, totals: Any, thread: Any, halves: Any, values: Any, first: Any,
                        first_count: Any, other_halves: Any, other_values: Any, second: Any,
                        second_count: Any, alpha: Any, beta: Any) -> Any:  # fmt: skip
        clear(bitmap, thread)
        mark_first(bitmap, halves, values, first, first_count, alpha, thread, False)
        if drop_zeros:
            mark_second(bitmap, other_halves, other_values, second, second_count, beta, thread, False)
            return bits_set(bitmap, totals, thread)
        cuda.syncthreads()
        own = find_second(bitmap, other_halves, other_values, second, second_count, beta, thread, False)
        return np.int32(
            first_count + second_count - before_in_block(own, totals, thread, LEAF_THREADS // WARP)[1]
        )

    @device_function
    def shape_of_pair(bitmap: Any, totals: Any, thread: Any, pair: Any, first_halves: Any, first_values: Any,
                      second_halves: Any, second_values: Any, alpha: Any, beta: Any) -> Any:  # fmt: skip
        first, first_count, second, second_count = pair
        count = np.int32(first_count + second_count)
        if drop_zeros or (first_count > 0 and second_count > 0):
            count = entries_of_both(bitmap, totals, thread, first_halves, first_values, first,
                                    first_count, second_halves, second_values, second, second_count,
                                    alpha, beta)  # fmt: skip
        dense = count >= dense_from
        if dense and count < most:
            # -0.0 means no entry in a dense leaf: with one in the sum it stays sparse.
            cuda.syncthreads()
            clear(bitmap, thread)
            mark_first(bitmap, first_halves, first_values, first, first_count, alpha, thread, True)
            mark_second(bitmap, second_halves, second_values, second, second_count, beta, thread, True)
            dense = bits_set(bitmap, totals, thread) >= count
            cuda.syncthreads()
        return shape_of(count, dense) if count > 0 else np.int32(0)

    return shape_of_pair


@functools.cache
def count_kernel(
    real: Any, bits: int, transposed: tuple[bool, bool], drop_zeros: bool, dense_from: int
) -> Any:
    """Make the kernel of the first pass: the shapes of the leaves of the sum.

    Parameters
    ----------
    real
        np.float32 or np.float64.
    bits
        log2 of d.
    transposed
        Whether A, and B, are transposed.
    drop_zeros
        Whether entries whose product is 0 are left out: for sums of one operand.
    dense_from
        Entries from which on a leaf is dense.
    """
    options: Any = {} if SIMULATED else {"launch_bounds": (LEAF_THREADS, RESIDENT)}
    room = Bitmap(bits).room
    shape_of_pair = shapes_of_pairs(real, bits, transposed, drop_zeros, dense_from)

    @cuda.jit(**options)
    def kernel(pairs, first_halves, first_values, second_halves, second_values, shapes, number, at_once,
               alpha, beta):  # fmt: skip
        """Take some pairs a block, one after the other.

        Parameters
        ----------
        pairs
            uint32 of 4 a pair, of `merge_kernel`.
        first_halves, first_values, second_halves, second_values
            The pools of A and B.
        shapes
            int32, what is written.
        number
            Of pairs.
        at_once
            Pairs of a block.
        alpha, beta
            The factors.
        """
        bitmap = cuda.shared.array(room, np.uint32)
        totals = cuda.shared.array(WARP, np.int32)
        begin_in_sequence()
        thread, pair = np.int32(cuda.threadIdx.x), np.int64(cuda.blockIdx.x) * at_once
        end = min(pair + at_once, number)
        while pair < end:
            first, first_count = pairs[RECORD * pair], np.int32(pairs[RECORD * pair + 1])
            second, second_count = pairs[RECORD * pair + 2], np.int32(pairs[RECORD * pair + 3])
            both = (first, first_count, second, second_count)
            shape = shape_of_pair(bitmap, totals, thread, both, first_halves, first_values,
                                  second_halves, second_values, alpha, beta)  # fmt: skip
            if thread == 0:
                shapes[pair] = shape
            pair += 1

    return kernel
