"""The words next to the numbers."""

from __future__ import annotations

from experiments.papers.hbp.results import Results
from gpu.hbp.container import BLOCK_COLUMNS, BLOCK_ROWS

METHODS = {
    "own": "2D partition",
    "hash": "the paper's hash",
    "in_turn": "the paper's hash, rows in turn",
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
    "hbp": "HBP",
    "hbp-classes": "HBP, rows by classes",
    "hbp-active": "HBP repaired",
    "hbp-active-direct": "HBP repaired, sums added to y as they come",
    "hbp-by-degree": "HBP repaired, columns by degree",
    "cusparse": "best of cuSPARSE",
}
"""How products are called."""


def paper_partition(block_rows: int, block_columns: int) -> bool:
    """Return whether blocks are those of the paper."""
    return (block_rows, block_columns) == (BLOCK_ROWS, BLOCK_COLUMNS)


def remarks_of(results: Results) -> tuple[str, ...]:
    """Return what a reader must know about the verdict as a whole."""
    return (
        "Matrices are generated; but for the Kronecker graphs they only resemble those of the paper.",
        f"Measured on {results.gpu}; the paper has a Jetson AGX Orin and an RTX 4090.",
    )
