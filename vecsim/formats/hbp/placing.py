"""Where the rows of each block come to stand: at the place of their hash, or the next that is free."""

from typing import Any

import numpy as np
from numba import njit, prange


@njit(parallel=True, cache=True)
def place_rows(places: Any, block_rows: Any, order: Any) -> None:
    """Place the rows of each block, one after the other; where its place is taken a row goes to the next.

    Behind the last place comes the first. Rows without entries come when all others have their place, so
    that they are in nobody's way. The result depends on nothing but the hash.

    Parameters
    ----------
    places
        (slots,) int64: the hash of each row of each block, in the order of the rows; -1: no entries.
    block_rows
        Rows of a block, at least as many as the hash has places.
    order
        (slots,) int32, written: which row of its block stands at each place.
    """
    for block in prange(len(places) // block_rows):
        first = block * block_rows
        # following[k]: the first free place from k on, as far as it is known; block_rows: there is none.
        following = np.arange(block_rows + 1)
        for row in range(block_rows):
            if places[first + row] >= 0:
                at = _free_from(following, places[first + row])
                if at == block_rows:
                    at = _free_from(following, 0)
                order[first + at] = row
                following[at] = at + 1
        at = 0
        for row in range(block_rows):
            if places[first + row] < 0:
                at = _free_from(following, at)
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
