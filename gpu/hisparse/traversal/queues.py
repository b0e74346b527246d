"""The queues of a traversal: one for each kind of node and range of its entries (section 4.1, Figure 3).

Leaves have six, inner nodes three, whatever their level. A queue says how many threads work on a node of it:
a block of threads takes as many nodes at once as keep all of its threads at work.

An item is four int32: the reference of a node, its first row, its first column, and a tag: the number of the
product and the level of the node. The tag is the state flag of the paper's queues: it is written last, and
who takes the item waits for it.
"""

from typing import Any

import numpy as np

from gpu.hisparse.node_layout import DENSE
from gpu.kernel_parts.handed_over import acquire, pause
from gpu.kernel_parts.loads import PAST_L1_IF
from gpu.runtime.cuda import EVERY_LANE, SIMULATED, WARP, cuda, device_function

THREADS = 32 if SIMULATED else 256
"""Of a block: a heavy node is worked on by all of them (section 4.2)."""
TINY, SMALL, MEDIUM, LARGE, HUGE, DENSE_LEAF, FEW, MANY, DENSE_INNER = range(9)
"""The queues. Figure 3 of the paper has `TINY`, `SMALL`, one of larger sparse leaves, and the last four."""
QUEUES, LEAF_QUEUES = 9, 6
MOST = (2, 4, 8, 24) if SIMULATED else (4, 16, 128, 1024)
"""Entries of the leaves of `TINY` to `LARGE`, at most."""
MOST_FEW = 8
"""Children of the nodes of `FEW`, at most: as many as its threads."""
WORKERS = (1, 4, 8, WARP, THREADS, THREADS, MOST_FEW, THREADS, THREADS)
"""Threads of a node of each queue."""
ITEM = 4
"""int32 of an item."""
LEVEL_BITS = 3
_REFERENCE, _ROW, _COLUMN, _TAG = range(ITEM)
_load = PAST_L1_IF[1]


@device_function
def workers_of(queue: Any) -> Any:
    """Return how many threads work on a node of a queue: `WORKERS`."""
    if queue == TINY:
        return np.int32(1)
    if queue == SMALL:
        return np.int32(4)
    if queue == MEDIUM or queue == FEW:  # noqa: SIM109
        return np.int32(8)
    return np.int32(WARP if queue == LARGE else THREADS)


@device_function
def queue_of(count: Any, kind: Any, level: Any) -> Any:
    """Return the queue of a node.

    Parameters
    ----------
    count, kind, level
        Its entries, its type, and its level, 0 of a leaf.
    """
    if level > 0:
        if kind == DENSE:
            return np.int32(DENSE_INNER)
        return np.int32(FEW if count <= MOST_FEW else MANY)
    if kind == DENSE:
        return np.int32(DENSE_LEAF)
    if count <= MOST[0]:
        return np.int32(TINY)
    if count <= MOST[1]:
        return np.int32(SMALL)
    if count <= MOST[2]:
        return np.int32(MEDIUM)
    return np.int32(LARGE if count <= MOST[3] else HUGE)


@device_function
def tag_of(epoch: Any, level: Any) -> Any:
    """Return the tag of an item: of a product, counted from 1, and a level."""
    return np.int32(np.int32(epoch << LEVEL_BITS) | level)


@device_function
def append(queue: Any, here: Any, node: Any, tag: Any, firsts: Any, tails: Any, items: Any) -> None:
    """Put an item of each lane that has one into its queue: one atomic operation a queue and warp.

    Parameters
    ----------
    queue, here
        The queue of this lane's item, and whether it has one. All lanes of the warp must call.
    node
        Reference, first row and first column.
    tag
        Of the item.
    firsts
        int64: the first item of each queue.
    tails
        int32, one a queue: how many items it has had.
    items
        int32 of 4 an item.
    """
    lane = np.int32(cuda.threadIdx.x % WARP)
    key = np.int32(queue if here else QUEUES)
    same = np.uint32(cuda.match_any_sync(EVERY_LANE, key))
    below = np.uint32((np.uint32(1) << np.uint32(lane)) - np.uint32(1))
    before = np.int32(cuda.popc(np.uint32(same & below)))
    first = np.int32(0)
    if here and before == 0:
        first = cuda.atomic.add(tails, queue, np.int32(cuda.popc(same)))
    leader = np.int32(cuda.ffs(same) - 1)
    first = cuda.shfl_sync(EVERY_LANE, first, leader)
    at = np.int64(0)
    if here:
        at = np.int64(ITEM * (firsts[queue] + np.int64(first) + np.int64(before)))
        items[at + _REFERENCE] = np.int32(node[0])
        items[at + _ROW], items[at + _COLUMN] = np.int32(node[1]), np.int32(node[2])
    cuda.threadfence()
    if here:
        items[at + _TAG] = tag


@device_function
def take(items: Any, item: Any, epoch: Any) -> Any:
    """Wait for an item of this product, and return its reference, first row, first column and level."""
    at = np.int64(ITEM * item)
    tag = acquire(items, at + _TAG)
    while tag >> LEVEL_BITS != epoch:
        pause()
        tag = acquire(items, at + _TAG)
    reference = np.int64(_load(items, at + _REFERENCE, True)[0]) & np.int64(0xFFFFFFFF)
    row = _load(items, at + _ROW, True)[0]
    column = _load(items, at + _COLUMN, True)[0]
    return reference, np.int32(row), np.int32(column), np.int32(tag & ((1 << LEVEL_BITS) - 1))
