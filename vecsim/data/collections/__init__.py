"""The public collections of matrices: what each offers, and where on the network it lies."""

from vecsim.data.collections.index import (
    MATRIX_MARKET,
    SUITESPARSE,
    Collection,
    Entry,
    counterpart,
    entries,
    find_entries,
)

COLLECTIONS = (SUITESPARSE, MATRIX_MARKET)
"""In the order in which they are asked."""

__all__ = [
    "COLLECTIONS",
    "MATRIX_MARKET",
    "SUITESPARSE",
    "Collection",
    "Entry",
    "counterpart",
    "entries",
    "find_entries",
]
