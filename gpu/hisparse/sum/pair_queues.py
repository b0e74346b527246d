"""The queues of a dual traversal: pairs of nodes, and nodes that are copied (section 6).

Each level has one queue of pairs and one of copies. An item is three uint32 and a key: of a pair the
references of both nodes, 0 where an operand has none; of a copy the reference and the operand, 0 or 1; and
the word of the sum's pool that becomes the reference of the new node, as the paper has it: whoever writes a
node tells its parent.
"""

from typing import Any, NamedTuple

import numpy as np

from gpu.runtime.cuda import EVERY_LANE, WARP, cuda, device_function

ITEM = 3
"""uint32 of an item, next to its key."""
PAIRS, COPIES = range(2)
"""The queues of a level, in the arrays of their heads and tails."""


class PairQueue(NamedTuple):
    """A queue of a level: items and keys on the device."""

    items: Any
    keys: Any


@device_function
def append(here: Any, item: Any, queue: Any, below: Any) -> None:
    """Put an item of each lane that has one into a queue; all lanes of the warp call.

    Parameters
    ----------
    here
        Whether this lane has one.
    item
        Its three words and its key, int64.
    queue
        The number of the queue: of pairs if it is even, otherwise of copies.
    below
        int32, one a queue: how many items it has had; then items and keys of the queue of pairs of the level,
        and of that of copies.
    """
    tails, pair_items, pair_keys, copy_items, copy_keys = below
    lane = np.int32(cuda.threadIdx.x % WARP)
    having = np.uint32(cuda.ballot_sync(EVERY_LANE, here))
    if having != 0:
        begin = np.int32(0)
        if lane == 0:
            begin = cuda.atomic.add(tails, queue, np.int32(cuda.popc(having)))
        begin = cuda.shfl_sync(EVERY_LANE, begin, 0)
        before = np.uint32(having & np.uint32((np.uint32(1) << np.uint32(lane)) - np.uint32(1)))
        at = np.int64(begin) + np.int64(cuda.popc(before))
        if here and queue & 1 == PAIRS:
            _put(pair_items, pair_keys, at, item)
        elif here:
            _put(copy_items, copy_keys, at, item)


@device_function
def _put(items: Any, keys: Any, at: Any, item: Any) -> None:
    items[ITEM * at], items[ITEM * at + 1] = np.uint32(item[0]), np.uint32(item[1])
    items[ITEM * at + 2], keys[at] = np.uint32(item[2]), item[3]


@device_function
def draw(heads: Any, queue: Any, at_once: Any, shared: Any) -> Any:
    """Return the number of the next item, or of the first of several, for a block of threads.

    Parameters
    ----------
    heads, queue
        int32, one a queue: how many items were taken; and which queue.
    at_once
        Items that the block takes.
    shared
        int32 of 1, of shared memory.
    """
    cuda.syncthreads()
    if cuda.threadIdx.x == 0:
        shared[0] = cuda.atomic.add(heads, queue, at_once)
    cuda.syncthreads()
    return shared[0]
