"""The product of HiSparse as its paper schedules it: the tree is walked down in every product (section 4).

Nodes of each level are put into a queue, leaves into four, by their type and size; persistent blocks of
threads draw work from these by atomic tickets. Numba starts no kernel from a kernel, so there is a launch for
each level. The pool is multiplied as it lies, nothing is laid out beforehand, and entries are added to y by
atomics: the last bits differ from run to run. `gpu.prepare` takes `HiSparseProduct`.

An item of a queue is a node at a place: its reference, first row and first column. Heads and tails of the
queues are integers on the device; a ticket is taken by adding to a head.
"""

from __future__ import annotations

import copy
import functools
import math
from typing import Any

import numpy as np

from gpu.hisparse.container import HiSparse
from gpu.hisparse.node_layout import (
    DENSE,
    FIRST_COORDINATE,
    FIRST_DENSE_SLOT,
    REFERENCE_BYTES,
    UNIT_BYTES,
)
from gpu.runtime.cuda import EVERY_LANE, SIMULATED, THREADS_PER_BLOCK, WARP, cuda, device_function
from gpu.runtime.device_info import shared_memory
from gpu.runtime.kernel_sequence import begin_in_sequence
from gpu.runtime.launches import ALPHA, BETA, Launch, LaunchedInTurn, X, Y
from gpu.runtime.memory import all_or_nothing, real_type, upload

THREADS = 32 if SIMULATED else 128
"""Of a block."""
LARGE = 40 if SIMULATED else 1024
"""Entries from which on a leaf is a block's, not a warp's."""
SMALL = 8 if SIMULATED else 64
"""Entries up to which a leaf is small."""
DENSE_BIN, LARGE_BIN, MEDIUM_BIN, SMALL_BIN = range(4)
"""The queues of leaves, in the order in which they are worked off."""
BINS = 4
_WARPS = THREADS // WARP
MEDIUM_AT_ONCE, SMALL_AT_ONCE = 2 * _WARPS, 8 * _WARPS
"""Leaves of a ticket, so that tickets are not what is waited for."""


@device_function
def _first_slot(count: Any, width: Any) -> Any:
    """Return the byte of a sparse node where its slots begin."""
    aligned = np.int32(UNIT_BYTES if count > 2 else min(np.int32(UNIT_BYTES), np.int32(count * width)))
    padded = np.int32(count if count < 3 else (count + 3) & ~3)
    return np.int32((FIRST_COORDINATE + 2 * padded + aligned - 1) & ~(aligned - 1))


@functools.cache
def begin_kernel(real: Any) -> Any:
    """Make the kernel that empties the queues but for the root, and scales y.

    Parameters
    ----------
    real
        np.float32 or np.float64.
    """

    @cuda.jit
    def kernel(heads, tails, queues, root, first, items, y, rows, beta):
        """Scale an element of y a thread.

        Parameters
        ----------
        heads, tails
            int32, one a queue.
        queues
            How many there are.
        root
            Its reference, 0 without one.
        first, items
            The queue that it is put into, and its items, int32.
        y
            real.
        rows
            Its elements.
        beta
            Scalar; y is not read where it is 0.
        """
        at = np.int64(cuda.grid(1))
        begin_in_sequence()
        if at < queues:
            heads[at] = np.int32(0)
            tails[at] = np.int32(1 if at == first and root != 0 else 0)
        if at == 0:
            items[0], items[1], items[2] = np.int32(root), np.int32(0), np.int32(0)
        if at < rows:
            y[at] = beta * y[at] if beta != real(0) else real(0)

    return kernel


@device_function
def _append(queue: Any, here: Any, reference: Any, place: Any, tails: Any, items: Any) -> None:
    """Put an item of each lane that has one into a queue: one atomic operation a warp."""
    lane = np.int32(cuda.threadIdx.x % WARP)
    having = np.uint32(cuda.ballot_sync(EVERY_LANE, here))
    if having != 0:
        first = np.int32(0)
        if lane == 0:
            first = cuda.atomic.add(tails, queue, np.int32(cuda.popc(having)))
        first = cuda.shfl_sync(EVERY_LANE, first, 0)
        before = np.uint32(having & np.uint32((np.uint32(1) << np.uint32(lane)) - np.uint32(1)))
        if here:
            at = np.int64(3 * (np.int64(first) + np.int64(cuda.popc(before))))
            items[at], items[at + 1], items[at + 2] = np.int32(reference), place[0], place[1]


@functools.cache
def expand_kernel(bits: int) -> Any:
    """Make the kernel that puts the children of the nodes of a level into queues.

    Parameters
    ----------
    bits
        log2 of d.
    """
    mask, places = (1 << bits) - 1, 1 << 2 * bits

    @cuda.jit
    def kernel(words, halves, heads, tails, queue, items, shift, dense, large, medium, small):
        """Draw nodes, one a block, until the queue is empty.

        Parameters
        ----------
        words, halves
            The pool, as words and as coordinates.
        heads, tails
            int32, one a queue.
        queue
            Of the level.
        items
            int32 of 3 an item.
        shift
            log2 of the rows of a child.
        dense, large, medium, small
            The items of the queues of leaves; or `dense` that of the inner nodes below, where `queue` is not
            the one above the leaves.
        """
        sampled = cuda.shared.array(1, np.int32)
        begin_in_sequence()
        thread, above_leaves = np.int32(cuda.threadIdx.x), queue == BINS
        number, more = tails[queue], True
        while more:
            cuda.syncthreads()
            if thread == 0:
                sampled[0] = cuda.atomic.add(heads, queue, 1)
            cuda.syncthreads()
            ticket = sampled[0]
            more = ticket < number
            if more:
                reference = np.int64(items[3 * ticket]) & np.int64(0xFFFFFFFF)
                row, column = items[3 * ticket + 1], items[3 * ticket + 2]
                at, is_dense = reference & ~3, reference & 3 == DENSE
                count = np.int32(words[at])
                begin = FIRST_DENSE_SLOT if is_dense else _first_slot(count, REFERENCE_BYTES)
                slots = at + np.int64(begin // 4)
                last = np.int32(places if is_dense else count)
                for step in range((last + THREADS - 1) // THREADS):
                    child = np.int32(step * THREADS + thread)
                    own = np.int64(words[slots + child]) if child < last else np.int64(0)
                    own_row, own_column = np.int32(child >> bits), np.int32(child & mask)
                    if not is_dense and child < last:
                        half = np.int32(halves[2 * at + FIRST_COORDINATE // 2 + child])
                        own_row, own_column = np.int32(half >> 8), np.int32(half & 255)
                    own_row = np.int32(row + (own_row << shift))
                    own_column = np.int32(column + (own_column << shift))
                    there = own != 0
                    if above_leaves:
                        size = np.int32(words[own & ~3]) if there else np.int32(0)
                        of_dense = there and own & 3 == DENSE
                        sparse, child_at = there and not of_dense, (own_row, own_column)
                        is_large, is_small = size >= LARGE, size <= SMALL
                        is_medium = sparse and not (is_large or is_small)
                        _append(DENSE_BIN, of_dense, own, child_at, tails, dense)
                        _append(LARGE_BIN, sparse and is_large, own, child_at, tails, large)
                        _append(MEDIUM_BIN, is_medium, own, child_at, tails, medium)
                        _append(SMALL_BIN, sparse and is_small, own, child_at, tails, small)
                    else:
                        _append(queue - 1, there, own, (own_row, own_column), tails, dense)

    return kernel


@functools.cache
def leaves_kernel(real: Any, bits: int, is_transposed: bool) -> Any:
    """Make the kernel that multiplies the leaves of all queues.

    Parameters
    ----------
    real
        np.float32 or np.float64.
    bits
        log2 of d.
    is_transposed
        Whether the product is that of the transpose.
    """
    width, mask, places = np.dtype(real).itemsize, (1 << bits) - 1, 1 << 2 * bits

    @device_function
    def multiply(halves: Any, values: Any, item: Any, items: Any, first: Any, stride: Any, words: Any, x: Any,
                 y: Any, alpha: Any) -> None:  # fmt: skip
        reference = np.int64(items[3 * item]) & np.int64(0xFFFFFFFF)
        row, column = np.int64(items[3 * item + 1]), np.int64(items[3 * item + 2])
        at, is_dense = reference & ~3, reference & 3 == DENSE
        count = np.int32(words[at])
        full = count == places
        begin = FIRST_DENSE_SLOT if is_dense else _first_slot(count, width)
        slots = (4 * at + np.int64(begin)) // width
        entry, last = np.int32(first), np.int32(places if is_dense else count)
        while entry < last:
            value = values[slots + entry]
            own_row, own_column = np.int32(entry >> bits), np.int32(entry & mask)
            if not is_dense:
                half = np.int32(halves[2 * at + FIRST_COORDINATE // 2 + entry])
                own_row, own_column = np.int32(half >> 8), np.int32(half & 255)
            if not is_dense or full or value != real(0) or math.copysign(1.0, value) > 0:
                if is_transposed:
                    cuda.atomic.add(y, column + own_column, alpha * value * x[row + own_row])
                else:
                    cuda.atomic.add(y, row + own_row, alpha * value * x[column + own_column])
            entry = np.int32(entry + stride)

    @device_function
    def draw(heads: Any, queue: Any, at_once: Any, sampled: Any) -> Any:
        cuda.syncthreads()
        if cuda.threadIdx.x == 0:
            sampled[0] = cuda.atomic.add(heads, queue, at_once)
        cuda.syncthreads()
        return sampled[0]

    @cuda.jit
    def kernel(words, halves, values, heads, tails, dense, large, medium, small, x, y, alpha):
        """Draw leaves until all queues are empty: the large ones first.

        Parameters
        ----------
        words, halves, values
            The pool, as words, coordinates and values.
        heads, tails
            int32, one a queue.
        dense, large, medium, small
            int32 of 3 an item: the queues of leaves.
        x, y
            Vectors.
        alpha
            Scalar.
        """
        sampled = cuda.shared.array(1, np.int32)
        begin_in_sequence()
        thread = np.int32(cuda.threadIdx.x)
        warp, lane = np.int32(thread // WARP), np.int32(thread % WARP)
        number = tails[DENSE_BIN]
        ticket = draw(heads, DENSE_BIN, 1, sampled)
        while ticket < number:
            multiply(halves, values, ticket, dense, thread, THREADS, words, x, y, alpha)
            ticket = draw(heads, DENSE_BIN, 1, sampled)
        number = tails[LARGE_BIN]
        ticket = draw(heads, LARGE_BIN, 1, sampled)
        while ticket < number:
            multiply(halves, values, ticket, large, thread, THREADS, words, x, y, alpha)
            ticket = draw(heads, LARGE_BIN, 1, sampled)
        number = tails[MEDIUM_BIN]
        ticket = draw(heads, MEDIUM_BIN, MEDIUM_AT_ONCE, sampled)
        while ticket < number:
            for own in range(ticket + warp, min(np.int32(ticket + MEDIUM_AT_ONCE), number), _WARPS):
                multiply(halves, values, own, medium, lane, WARP, words, x, y, alpha)
            ticket = draw(heads, MEDIUM_BIN, MEDIUM_AT_ONCE, sampled)
        number = tails[SMALL_BIN]
        ticket = draw(heads, SMALL_BIN, SMALL_AT_ONCE, sampled)
        while ticket < number:
            for own in range(ticket + warp, min(np.int32(ticket + SMALL_AT_ONCE), number), _WARPS):
                multiply(halves, values, own, small, lane, WARP, words, x, y, alpha)
            ticket = draw(heads, SMALL_BIN, SMALL_AT_ONCE, sampled)

    return kernel


RESIDENT = 12
"""Persistent blocks of a multiprocessor."""


class HiSparseTraversal(LaunchedInTurn):
    """A `HiSparse` matrix on the device, and the launches of its product by traversal.

    Products of the same object must not overlap: they share the queues.

    Parameters
    ----------
    matrix
        The matrix.

    Attributes
    ----------
    transposed
        The product of the transpose, of the same pool and queues; it has no attribute `transposed`.
    """

    def __init__(self, matrix: HiSparse) -> None:
        tree = matrix.content
        self.real = real_type(tree.pool.values)
        self.scale = self.real(matrix.scale)
        self._root, self._shape, self._bits = tree.root, tree.shape, tree.geometry.bits
        numbers = [len(each.references) for each in tree.nodes]
        # After the queues of leaves there is one for each inner level.
        sizes = [numbers[0]] * BINS + [max(1, number) for number in numbers[1:]]
        self._words = all_or_nothing(lambda: upload(tree.pool.words))
        self._queues = all_or_nothing(
            lambda: [cuda.device_array(3 * max(1, size), np.int32) for size in sizes]
        )
        self._heads, self._tails = (upload(np.zeros(len(sizes) + 1, np.int32)) for _ in range(2))
        self.launches = self._launches(matrix.transposed)
        self.transposed = copy.copy(self)
        self.transposed.launches = self._launches(not matrix.transposed)

    def _launches(self, is_transposed: bool) -> list[Launch]:
        rows = self._shape[int(is_transposed)]
        blocks = 2 if SIMULATED else RESIDENT * shared_memory()[0]
        words, halves, values = self._words, self._words.view(np.uint16), self._words.view(self.real)
        inner = list(range(len(self._queues) - 1, BINS - 1, -1))
        first = len(self._queues) - 1 if inner else LARGE_BIN
        results = [
            Launch(begin_kernel(self.real), max(1, -(-rows // THREADS_PER_BLOCK)), THREADS_PER_BLOCK,
                   (self._heads, self._tails, len(self._queues), self._root, first, self._queues[first], Y,
                    rows, BETA),
                   self.real)
        ]  # fmt: skip
        for queue in inner:
            below = self._queues[:BINS] if queue == BINS else [self._queues[queue - 1]] * BINS
            shift = self._bits * (queue - BINS + 1)
            results.append(
                Launch(expand_kernel(self._bits), blocks, THREADS,
                       (words, halves, self._heads, self._tails, queue, self._queues[queue], shift, *below),
                       self.real)
            )  # fmt: skip
        kernel = leaves_kernel(self.real, self._bits, is_transposed)
        arguments = (words, halves, values, self._heads, self._tails, *self._queues[:BINS], X, Y, ALPHA)
        return [*results, Launch(kernel, blocks, THREADS, arguments, self.real)]

    def launch(self, x: Any, y: Any, alpha: Any, beta: Any, stream: Any) -> None:
        """Put ``y = alpha A x + beta y`` on the stream, A with its scale; parameters as of a `Launch`.

        Parameters
        ----------
        x, y, alpha, beta, stream
            As of a `Launch`.
        """
        super().launch(x, y, self.scale * alpha, beta, stream)
