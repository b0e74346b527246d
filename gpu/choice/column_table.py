"""A table of the columns seen so far, for compiled loops: open addressing, never more than half full.

A word holds a column, or what is found of it by a shift, above so many bits of whoever saw it last; -1 where
there is none.
"""

from typing import Any

import numpy as np
from numba import njit

FACTOR = 0x9E3779B1
"""Spreads neighbouring numbers (Knuth's multiplicative hashing, 2^32 over the golden ratio)."""


@njit(cache=True)
def emptied(table: Any, most: int) -> Any:
    """Give a table without columns for at most so many; `table` itself where it is large enough."""
    places = 1024
    while places < 2 * most:
        places *= 2
    if len(table) < places:
        table = np.empty(places, np.int64)
    table[:places] = -1
    return table[:places]


@njit(cache=True)
def place_of(table: Any, column: int, mark_bits: int) -> Any:
    """Give where a column stands in a table, or where it may be put."""
    mask = len(table) - 1
    at = (column * FACTOR) & mask
    while table[at] >= 0 and (table[at] >> mark_bits) != column:
        at = (at + 1) & mask
    return at
