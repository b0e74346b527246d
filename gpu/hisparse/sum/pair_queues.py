"""The queues of a dual traversal: pairs of nodes, and nodes that are copied (section 6).

Each level has one queue of pairs and one of copies. An item is three uint32 and a key: of a pair the references
of both nodes, 0 where an operand has none; of a copy the reference and the operand, 0 or 1; and the word of the
sum's pool that becomes the reference of the new node, as the paper has it: whoever writes a node tells its parent.
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
def append(here: Any, first: Any, second: Any, slot: Any, key: Any, queue: Any, tails: Any, items: Any,
           keys: Any) -> None:  # fmt: skip
    """Put an item of each lane that has one into a queue; all lanes of the warp call.

    Parameters
    ----------
    here
        Whether this lane has one.
    first, second, slot, key
        The item.
    queue, tails
        Which queue, and int32, one a queue: how many items it has had.
    items, keys
        uint32 of 3 an item, and int64.
    """
    lane = np.int32(cuda.threadIdx.x % WARP)
    having = np.uint32(cuda.ballot_sync(EVERY_LANE, here))
    if having != 0:
        begin = np.int32(0)
        if lane == 0:
            begin = cuda.atomic.add(tails, queue, np.int32(cuda.popc(having)))
        begin = cuda.shfl_sync(EVERY_LANE, begin, 0)
        below = np.uint32((np.uint32(1) << np.uint32(lane)) - np.uint32(1))
        at = np.int64(begin) + np.int64(cuda.popc(np.uint32(having & below)))
        if here:
            items[ITEM * at], items[ITEM * at + 1] = np.uint32(first), np.uint32(second)
            items[ITEM * at + 2] = np.uint32(slot)
            keys[at] = key


@device_function
def draw(heads: Any, queue: Any, at_once: Any, shared: Any) -> Any:
    """Draw the number of the next item, or of the first of several, for a block of threads."""
    cuda.syncthreads()
    if cuda.threadIdx.x == 0:
        shared[0] = cuda.atomic.add(heads, queue, at_once)
    cuda.syncthreads()
    return shared[0]
