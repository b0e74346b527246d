"""Where the rows of each block come to stand: at the place of their hash, or the next that is free.

All rows of a block are hashed (HBP, algorithm 2), so the table is full in the end. Which of several rows
has the place that they come to is not said in the paper. Where rows come in the order of their hash, as on a
ring, nobody is pushed behind a row of a later one: rows alike stay together. And it takes no probing: all
places being taken, the rows follow each other by their hash, moved on by as many places as it takes for none
to stand before its own, those behind the last coming first. That is counting, as in a radix sort.
"""

from typing import Any

import numpy as np
from numba import njit, prange


@njit(parallel=True, cache=True)
def place_rows(hashes: Any, block_rows: Any, order: Any) -> None:
    """Place the rows of each block in the order of their hash; rows of one hash as they stand.

    Parameters
    ----------
    hashes
        (slots,) int64: the hash of each row of each block, in the order of the rows, from 0 to below
        ``block_rows``.
    block_rows
        Rows of a block.
    order
        (slots,) int32, written: which row of its block stands at each place.
    """
    for block in prange(len(hashes) // block_rows):
        first = block * block_rows
        before = np.zeros(block_rows + 1, np.int64)
        for row in range(block_rows):
            before[hashes[first + row] + 1] += 1
        ahead = 0
        for place in range(block_rows):
            ahead = max(ahead, place - before[place])
            before[place + 1] += before[place]
        for row in range(block_rows):
            own = hashes[first + row]
            order[first + (before[own] + ahead) % block_rows] = row
            before[own] += 1


@njit(parallel=True, cache=True)
def place_rows_in_turn(hashes: Any, block_rows: Any, order: Any) -> None:
    """Place the rows of each block as they stand, one behind the other, each at the first free place.

    Parameters
    ----------
    hashes, block_rows, order
        As of `place_rows`.
    """
    for block in prange(len(hashes) // block_rows):
        first = block * block_rows
        # following[k]: the first free place from k on, as far as it is known; block_rows: there is none.
        following = np.arange(block_rows + 1)
        for row in range(block_rows):
            at = _free_from(following, hashes[first + row])
            if at == block_rows:
                at = _free_from(following, 0)
            order[first + at] = row
            following[at] = at + 1


@njit(cache=True)
def _free_from(following: Any, start: Any) -> Any:
    at = start
    while following[at] != at:
        at = following[at]
    while following[start] != start:  # whoever comes by here again goes straight there
        following[start], start = at, following[start]
    return at
