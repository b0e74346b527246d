"""The controller of a traversal, and the blocks of threads that it gives work to (section 4.2).

In the paper a warp, the controller, looks at the queues again and again, and starts kernels on those with
enough nodes, by dynamic parallelism. Numba starts no kernel from a kernel. So here blocks of threads stand
by, and the controller writes *orders*, which stand for the paper's kernels: a part of a queue, to be worked
off by as many blocks as a kernel would have. A block draws the number of its next piece of work, and waits
until an order has it. What the controller decides by is the paper's: how full queues are, and how many blocks
are at work.

The first block that begins is the controller, so that it is there whatever else runs on the device. If it is
the only block, it works, too.
"""

from typing import Any

import numpy as np

from gpu.hisparse.traversal.queues import QUEUES, THREADS, workers_of
from gpu.kernel_parts.handed_over import acquire, pause
from gpu.kernel_parts.loads import PAST_L1_IF
from gpu.kernel_parts.warps import sum_through
from gpu.runtime.cuda import EVERY_LANE, SIMULATED, WARP, cuda, device_function

LINE = 32
"""int32 between two counters, so that each has its line of the cache."""
EPOCH, ROLES, TICKETS, PUBLISHED, ORDERS, FINISHED = (LINE * k for k in range(6))
"""Counters: of products, blocks that have begun, pieces taken, pieces in orders, orders, pieces done."""
COUNTERS = LINE * 6
OVER = -1
"""What `PUBLISHED` is once nothing is left to do."""
ORDER = 4
"""int32 of an order: its queue, first item, items, and the number of its first piece."""
ENOUGH = 1 if SIMULATED else 32
"""Pieces that a queue must have for an order while the device is at work: the paper's threshold."""
_load = PAST_L1_IF[1]


@device_function
def pieces_of(queue: Any, items: Any) -> Any:
    """Return how many blocks of threads work off this many items of a queue."""
    at_once = THREADS // workers_of(queue)
    return np.int32((items + at_once - 1) // at_once)


@device_function
def control(counters: Any, heads: Any, tails: Any, orders: Any, resident: Any) -> Any:
    """Look at all queues once, a lane each, write orders, and return whether nothing is left to do.

    Parameters
    ----------
    counters
        int32, see above.
    heads, tails
        int32, one a queue: items in orders, and items.
    orders
        int32 of 4 an order.
    resident
        Blocks that stand by: with fewer at work, any item is enough for an order.
    """
    lane = np.int32(cuda.threadIdx.x % WARP)
    # In this order: if no piece is at work, nothing is appended after the tails are read.
    finished, published = acquire(counters, FINISHED), counters[PUBLISHED]
    running = np.int32(published - finished)
    mine, items, head = lane < QUEUES, np.int32(0), np.int32(0)
    if mine:
        head = np.int32(heads[lane])
        items = np.int32(acquire(tails, lane) - head)
    pieces = pieces_of(lane, items) if items > 0 else np.int32(0)
    if running >= resident and pieces < ENOUGH:
        pieces = items = np.int32(0)
    through = sum_through(pieces, lane)
    ordering = np.uint32(cuda.ballot_sync(EVERY_LANE, pieces > 0))
    total = cuda.shfl_sync(EVERY_LANE, through, WARP - 1)
    written = np.int32(counters[ORDERS])
    if pieces > 0:
        below = np.uint32((np.uint32(1) << np.uint32(lane)) - np.uint32(1))
        at = np.int64(ORDER) * (written + np.int32(cuda.popc(np.uint32(ordering & below))))
        orders[at], orders[at + 1], orders[at + 2] = lane, head, items
        orders[at + 3] = np.int32(published + through - pieces)
        heads[lane] = np.int32(head + items)
    is_over = total == 0 and running == 0
    cuda.threadfence()
    cuda.syncwarp()
    if lane == 0:
        counters[ORDERS] = np.int32(written + np.int32(cuda.popc(ordering)))
        cuda.threadfence()
        counters[PUBLISHED] = np.int32(OVER) if is_over else np.int32(published + total)
    cuda.syncwarp()
    return is_over


@device_function
def find_order(counters: Any, orders: Any, order: Any, piece: Any) -> Any:
    """Return the order that has a piece; all lanes of a warp look at one each.

    Parameters
    ----------
    counters, orders
        As of `control`.
    order
        One that is not after it, or -1.
    piece
        The piece, which has been published.
    """
    lane, number = np.int32(cuda.threadIdx.x % WARP), acquire(counters, ORDERS)
    begun = np.int32(WARP)
    while begun == WARP:
        at = np.int32(order + 1 + lane)
        has_begun = False
        if at < number:
            has_begun = _load(orders, np.int64(ORDER) * at + 3, True)[0] <= piece
        begun = np.int32(cuda.popc(np.uint32(cuda.ballot_sync(EVERY_LANE, has_begun))))
        order = np.int32(order + begun)
    return order


@device_function
def draw(counters: Any, orders: Any, piece: Any, order: Any, is_alone: Any) -> Any:
    """Draw the next piece of work, or wait for the one that was taken; a warp calls.

    Parameters
    ----------
    counters, orders
        As of `control`.
    piece, order
        The piece that was taken and has not come yet, or -1; an order that is not after its own.
    is_alone
        Whether this block is the controller, too: then it does not wait.

    Returns
    -------
    tuple
        The piece, its order, and `PUBLISHED` as it was: at most the piece where it has not come.
    """
    lane = np.int32(cuda.threadIdx.x % WARP)
    if piece < 0:
        ticket = np.int32(0)
        if lane == 0:
            ticket = cuda.atomic.add(counters, TICKETS, 1)
        piece = np.int32(cuda.shfl_sync(EVERY_LANE, ticket, 0))
    published = np.int32(cuda.shfl_sync(EVERY_LANE, acquire(counters, PUBLISHED), 0))
    while published <= piece and published != OVER and not is_alone:
        pause()
        published = np.int32(cuda.shfl_sync(EVERY_LANE, acquire(counters, PUBLISHED), 0))
    if published > piece:
        order = find_order(counters, orders, order, piece)
    return piece, order, published


@device_function
def items_of(orders: Any, order: Any, piece: Any) -> Any:
    """Return the queue of an order, and the first item of a piece of it and the last one and one."""
    at = np.int64(ORDER) * order
    queue = np.int32(_load(orders, at, True)[0])
    first, items = np.int32(_load(orders, at + 1, True)[0]), np.int32(_load(orders, at + 2, True)[0])
    at_once = np.int32(THREADS // workers_of(queue))
    begin = np.int32(at_once * (piece - np.int32(_load(orders, at + 3, True)[0])))
    return queue, np.int32(first + begin), np.int32(first + min(np.int32(begin + at_once), items))
