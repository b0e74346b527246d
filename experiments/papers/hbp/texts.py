"""The words next to the numbers."""

from __future__ import annotations

from gpu.hbp.container import BLOCK_COLUMNS, BLOCK_ROWS

METHODS = {
    "own": "2D partition",
    "probing": "published hash, one by one",
    "probing-words": "published hash, 32 at once",
    "hash": "hash, counted",
    "in_turn": "hash, rows in turn",
    "classes": "classes",
    "sort": "sort2D",
    "dynamic": "DP2D",
    "sell": "SELL-C-sigma",
    "active": "HBP repaired",
}
"""How orders are called."""
PRODUCTS = {
    "crs-scalar": "CSR, a thread a row",
    "crs": "CSR, threads by the mean length",
    "own": "2D partition",
    "hbp-probing": "HBP as published",
    "hbp": "HBP, hash counted",
    "hbp-classes": "HBP, rows by classes",
    "hbp-active": "HBP repaired",
    "hbp-active-direct": "HBP repaired, sums added to y as they come",
    "cusparse": "best of cuSPARSE",
}
"""How products are called."""
ALLOCATED = {
    "hbp-probing": "fixed by size",
    "hbp-probing-half": "half fixed",
    "hbp-probing-fixed": "all fixed",
    "hbp-probing-competitive": "all competitive",
}
"""HBP as published, with its blocks allocated in other ways."""
ADDED = "hbp-probing-direct"
"""HBP as published, its sums added to y with atomics."""


def paper_partition(block_rows: int, block_columns: int) -> bool:
    """Return whether blocks are those of the paper."""
    return (block_rows, block_columns) == (BLOCK_ROWS, BLOCK_COLUMNS)
