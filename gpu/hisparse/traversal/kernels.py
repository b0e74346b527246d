"""The kernels of a traversal: what empties the queues, the controller's, one for a level, one for leaves."""

import functools
from typing import Any

import numpy as np

from gpu.hisparse.traversal.node_work import expanded, multiplied
from gpu.hisparse.traversal.queues import FEW, QUEUES, THREADS, queue_of, tag_of, take, workers_of
from gpu.hisparse.traversal.scheduling import (
    EPOCH,
    FINISHED,
    ORDERS,
    PUBLISHED,
    ROLES,
    TICKETS,
    control,
    draw,
    items_of,
)
from gpu.kernel_parts.handed_over import acquire, add_one_after
from gpu.runtime.cuda import EVERY_LANE, SIMULATED, WARP, cuda, device_function
from gpu.runtime.kernel_sequence import begin_in_sequence

RESIDENT = 2 if SIMULATED else 5
"""Blocks of a multiprocessor that there must be registers for, and that stand by."""


@functools.cache
def begin_kernel(real: Any) -> Any:
    """Make the kernel that empties all queues, puts the root into its own, and scales y.

    Parameters
    ----------
    real
        np.float32 or np.float64.
    """

    @cuda.jit
    def kernel(counters, heads, tails, limits, firsts, items, root, queue, level, y, rows, beta):
        """Scale an element of y a thread.

        Parameters
        ----------
        counters, heads, tails, limits, firsts, items
            As of `level_kernel`; the number of the product is raised.
        root, queue, level
            Its reference, 0 without one, its queue and its level.
        y
            real.
        rows
            Its elements.
        beta
            Scalar; y is not read where it is 0.
        """
        at = np.int64(cuda.grid(1))
        begin_in_sequence()
        if at < QUEUES:
            has_root = at == queue and root != 0
            heads[at] = np.int32(0)
            tails[at] = limits[at] = np.int32(1 if has_root else 0)
        if at == 0:
            epoch = np.int32(counters[EPOCH] + 1)
            counters[EPOCH] = epoch
            counters[ROLES] = counters[TICKETS] = counters[PUBLISHED] = np.int32(0)
            counters[ORDERS] = counters[FINISHED] = np.int32(0)
            item = 4 * firsts[queue]
            items[item], items[item + 1], items[item + 2] = np.int32(root), np.int32(0), np.int32(0)
            items[item + 3] = tag_of(epoch, np.int32(level))
        if at < rows:
            y[at] = beta * y[at] if beta != real(0) else real(0)

    return kernel


@functools.cache
def rewind_kernel(real: Any) -> Any:
    """Make the kernel that lets the leaves that are in the queues be taken again, and scales y.

    Parameters
    ----------
    real
        As of `begin_kernel`.
    """

    @cuda.jit
    def kernel(heads, y, rows, beta):
        """Scale an element of y a thread; parameters of `begin_kernel`.

        Parameters
        ----------
        heads, y, rows, beta
            As there.
        """
        at = np.int64(cuda.grid(1))
        begin_in_sequence()
        if at < QUEUES:
            heads[at] = np.int32(0)
        if at < rows:
            y[at] = beta * y[at] if beta != real(0) else real(0)

    return kernel


def _worked(real: Any, bits: int, is_transposed: bool) -> Any:
    """Make ``work(queue, begin, end, ...)``: some items of a queue by the block, several at once."""
    multiply, expand = multiplied(real, bits, is_transposed), expanded(bits)

    @device_function
    def work(queue: Any, begin: Any, end: Any, epoch: Any, words: Any, values: Any, firsts: Any, tails: Any,
             items: Any, x: Any, y: Any, alpha: Any) -> None:  # fmt: skip
        thread, workers = np.int32(cuda.threadIdx.x), workers_of(queue)
        item = np.int32(begin + thread // workers)
        here = item < end
        node = (np.int64(0), np.int32(0), np.int32(0), np.int32(1))
        if here:
            node = take(items, firsts[queue] + item, epoch)
        own = np.int32(thread % workers)
        if queue >= FEW:
            expand(queue, here, node, epoch, own, words, firsts, tails, items)
        elif here:
            multiply(node, own, workers, words, values, x, y, alpha)

    return work


def _options() -> dict[str, Any]:
    return {} if SIMULATED else {"launch_bounds": (THREADS, RESIDENT)}


@functools.cache
def controlled_kernel(real: Any, bits: int, is_transposed: bool) -> Any:
    """Make the kernel of the controller and of the blocks that stand by: all but `begin_kernel`.

    Parameters
    ----------
    real
        np.float32 or np.float64.
    bits
        log2 of d.
    is_transposed
        Whether the product is that of the transpose.
    """
    work = _worked(real, bits, is_transposed)

    @cuda.jit(**_options())
    def kernel(words, values, counters, heads, tails, firsts, items, orders, x, y, alpha):
        """Control, or work off orders until there are no more.

        Parameters
        ----------
        words, values
            The pool, as words and as values.
        counters, heads, tails, firsts, items
            As of `level_kernel`.
        orders
            int32 of 4 an order, see `gpu.hisparse.traversal.scheduling`.
        x, y
            Vectors.
        alpha
            Scalar.
        """
        shared = cuda.shared.array(4, np.int32)
        begin_in_sequence()
        thread, blocks = np.int32(cuda.threadIdx.x), np.int32(cuda.gridDim.x)
        if thread == 0:
            shared[0] = cuda.atomic.add(counters, ROLES, 1)
        cuda.syncthreads()
        controls, is_alone = shared[0] == 0, shared[0] == 0 and blocks == 1
        cuda.syncthreads()
        epoch, piece, order, going = counters[EPOCH], np.int32(-1), np.int32(-1), True
        while going:
            if controls:
                if thread < WARP:
                    is_over = control(counters, heads, tails, orders, np.int32(blocks - 1))
                    if thread == 0:
                        shared[0] = np.int32(0 if is_over else 1)
                cuda.syncthreads()
                going = shared[0] == 1
                cuda.syncthreads()
            if going and (not controls or is_alone):
                if thread < WARP:
                    piece, order, published = draw(counters, orders, piece, order, is_alone)
                    queue, begin, end = np.int32(-1), np.int32(0), np.int32(0)
                    if published > piece:
                        queue, begin, end = items_of(orders, order, piece)
                        piece = np.int32(-1)
                    elif not is_alone:
                        queue = np.int32(-2)
                    if thread == 0:
                        shared[0], shared[1], shared[2] = queue, begin, end
                cuda.syncthreads()
                queue, begin, end = shared[0], shared[1], shared[2]
                going = queue != -2
                if queue >= 0:
                    work(queue, begin, end, epoch, words, values, firsts, tails, items, x, y, alpha)
                cuda.syncthreads()
                if queue >= 0 and thread == 0:
                    add_one_after(counters, FINISHED)

    return kernel


@functools.cache
def level_kernel(real: Any, bits: int, is_transposed: bool) -> Any:
    """Make the kernel that works off what some queues had when it was launched; parameters as above.

    Parameters
    ----------
    real, bits, is_transposed
        As of `controlled_kernel`.
    """
    work = _worked(real, bits, is_transposed)

    @cuda.jit(**_options())
    def kernel(words, values, counters, heads, tails, limits, first_queue, last_queue, firsts, items,
               x, y, alpha):  # fmt: skip
        """Draw items by tickets, queue by queue; the last block sets the limits of the next launch.

        Parameters
        ----------
        words, values
            The pool, as words and as values.
        counters
            int32, see `gpu.hisparse.traversal.scheduling`.
        heads, tails, limits
            int32, one a queue: items taken, items, and items that there are for this launch.
        first_queue, last_queue
            Those that are worked off.
        firsts
            int64: the first item of each queue.
        items
            int32 of 4 an item.
        x, y
            Vectors.
        alpha
            Scalar.
        """
        shared = cuda.shared.array(1, np.int32)
        begin_in_sequence()
        thread, epoch = np.int32(cuda.threadIdx.x), counters[EPOCH]
        queue = np.int32(last_queue)
        while queue >= first_queue:
            at_once, end, going = np.int32(THREADS // workers_of(queue)), limits[queue], True
            while going:
                cuda.syncthreads()
                if thread == 0:
                    shared[0] = cuda.atomic.add(heads, queue, at_once)
                cuda.syncthreads()
                begin = shared[0]
                going = begin < end
                if going:
                    last = min(np.int32(begin + at_once), end)
                    work(queue, begin, last, epoch, words, values, firsts, tails, items, x, y, alpha)
            queue = np.int32(queue - 1)
        cuda.syncthreads()
        if thread == 0:
            cuda.threadfence()
            if cuda.atomic.add(counters, FINISHED, 1) == cuda.gridDim.x - 1:
                for each in range(first_queue, last_queue + 1):
                    heads[each] = limits[each]
                for each in range(QUEUES):
                    limits[each] = acquire(tails, each)
                counters[FINISHED] = np.int32(0)

    return kernel


@cuda.jit
def sizes_kernel(nodes, number, sizes):
    """Count the leaves that each queue will have, a leaf a thread.

    Parameters
    ----------
    nodes, number
        uint32 of 2 a leaf, reference and entries, and how many there are.
    sizes
        int32, one a queue: what is added to.
    """
    at = np.int64(cuda.grid(1))
    begin_in_sequence()
    queue = np.int32(QUEUES)
    if at < number:
        queue = queue_of(np.int32(nodes[2 * at + 1]), np.int64(nodes[2 * at]) & 3, np.int32(0))
    same = np.uint32(cuda.match_any_sync(EVERY_LANE, queue))
    if at < number and cuda.ffs(same) - 1 == cuda.threadIdx.x % WARP:
        cuda.atomic.add(sizes, queue, np.int32(cuda.popc(same)))
